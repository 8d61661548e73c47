"""One small study with results made by hand, for the tests of all exhibits."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from consclust_studies.config.published_tables import Published
from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import select

STUDY = {
    "id": "small",
    "run_id": "small",
    "title": "A small study",
    "summary": "Two data sets, three methods.",
    "paper": {"authors": "A. Author, B. Writer", "title": "A paper", "venue": "IJCAI", "year": 2015},
    "cases": [
        {"dataset": "iris", "title": "Iris", "preprocessing": []},
        {"dataset": "wine", "title": "Wine", "preprocessing": ["zscore"]},
    ],
    "ensemble": {"runs": 12, "subset_size": 4},
    "methods": [
        "KC",
        {"method": "EAC", "parameters": {"linkage": "average"}},
        {
            "method": "RCE",
            "grid": {"lambda1": [0.1, 1.0], "lambda2": [0.1, 1.0]},
            "default": {"lambda1": 1.0, "lambda2": 1.0},
        },
    ],
    "metrics": ["ACC", "NMI"],
    "reported": ["ACC", "NMI"],
    "origins": {
        "iris": {"title": "Iris", "source": "scikit-learn", "licence": "BSD"},
        "wine": {"title": "Wine", "source": "scikit-learn", "licence": "BSD"},
    },
}


def planned(**changes) -> PlannedStudy:
    """The small study, with some keys changed."""
    return PlannedStudy.model_validate({**STUDY, **changes})


def scores_of(study: PlannedStudy, seed: int = 0, means: Mapping[str, float] | None = None) -> pd.DataFrame:
    """Tidy scores drawn at random around a mean for each method (.5 unless given), both kinds of restarts."""
    rng, rows = np.random.default_rng(seed), []
    runs = [(study.base_clusterings, [{}]), *((run.id, run.points) for run in study.methods)]
    for case in study.cases:
        for method, points in runs:
            for metric in study.metrics:
                for point in range(len(points)):
                    for subset in range(study.n_subsets):
                        value = (means or {}).get(method, 0.5) + rng.uniform(-0.05, 0.05)
                        for restart in ("mean", "chosen"):
                            better = 0.01 * (restart == "chosen" and method != study.base_clusterings)
                            cell = (study.id, case.id, subset, method, point, restart, metric)
                            rows.append((*cell, value + better))
    columns = ["study", "case", "subset", "method", "point", "restart", "metric", "value"]
    return pd.DataFrame(rows, columns=columns)


def source_of(study: PlannedStudy, seed: int | None = 0, **results) -> Source:
    """A source with results given by hand: scores, published, failures, notes, unseen, variants, runtimes, ..."""
    source = Source(study, seed=seed)
    remark = ["case", "method", "subset", "point"]
    given = {
        "scores": scores_of(study),
        "published": Published(),
        "failures": pd.DataFrame(columns=[*remark, "reason"]),
        "notes": pd.DataFrame(columns=[*remark, "note"]),
        "fewer_clusters": pd.DataFrame(columns=[*remark, "clusters"]),
        **results,
    }
    given.setdefault("selected", select(study, given["scores"]))
    given.setdefault("variants", given["selected"][:0])
    source.__dict__.update(given)
    return source
