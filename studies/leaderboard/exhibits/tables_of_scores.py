"""Scores of the leaderboard as tables: data sets in rows, methods in columns, by kind of ensembles and group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consclust_studies.config.experiment import BEST_BASE_CLUSTERING, RESTARTED_KMEANS
from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.boards import RANDOM, Part, find_facts, find_kind, keep_ranked, make_parts
from consclust_studies.results.source import Source
from consclust_studies.stages.score_methods import CHOSEN, IN_FILE_ORDER

if TYPE_CHECKING:
    import pandas as pd


def describe_cases(study: PlannedStudy) -> pd.DataFrame:
    """Return a row for each case: dataset, kind, and the facts of its card."""
    import pandas as pd

    rows = []
    for case in study.cases:
        card = study.origins[case.id].card
        rows.append(
            {
                "case": case.id,
                "dataset": case.dataset,
                "kind": find_kind(case),
                "domain": card.domain if card else "",
                "synthetic": bool(card and card.synthetic),
                "unclusterable": bool(card and card.unclusterable),
                "suspect": bool(card and card.suspect),
            }
        )
    return pd.DataFrame(rows)


def list_scores(source: Source, metric: str) -> pd.DataFrame:
    """Return the scores by a metric: dataset, kind, method, ensemble, value.

    A method of which a fit failed has no score in that case: a mean over the others would be that of easier ones.
    """
    scores = source.scores
    chosen = scores[(scores["restart"] == CHOSEN) & (scores["metric"] == metric)]
    has_failed = chosen["value"].isna().groupby([chosen["case"], chosen["method"]]).transform("any")
    named = chosen[~has_failed].merge(describe_cases(source.study)[["case", "dataset", "kind"]], on="case")
    named = named.rename(columns={"subset": "ensemble"})
    return _repeat_kmeans(named)[["dataset", "kind", "method", "ensemble", "value"]]


def _repeat_kmeans(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores with those of k-means on the features, which has no ensemble, for both kinds of ensembles."""
    import pandas as pd

    kmeans = scores[scores["method"] == RESTARTED_KMEANS]
    with_random = scores.loc[scores["kind"] == RANDOM, "dataset"]
    return pd.concat([scores, kmeans[kmeans["dataset"].isin(with_random)].assign(kind=RANDOM)], ignore_index=True)


def list_parts(source: Source, metric: str) -> list[Part]:
    """Return the tables of each kind and group, those with data sets."""
    facts = {case.dataset: find_facts(source.study.origins[case.id].card) for case in source.study.cases}
    return make_parts(list_scores(source, metric), facts, list_rows(source.study))


def list_rows(study: PlannedStudy) -> list[str]:
    """Return the methods, after the rows that are none."""
    return [study.base_clusterings, BEST_BASE_CLUSTERING, RESTARTED_KMEANS, *(run.id for run in study.methods)]


def list_ranked(study: PlannedStudy) -> list[str]:
    """Return the rows that are ranked and tested: the methods and the mean base clustering."""
    return [study.base_clusterings, *(run.id for run in study.methods)]


def keep_methods(study: PlannedStudy, table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that are ranked and tested, if they have a score."""
    return keep_ranked(table, list_ranked(study))


def list_measured(source: Source, metric: str) -> pd.DataFrame:
    """Return the sensitivity to the order and the seconds of each cell: dataset, kind, method, order, seconds."""
    cases = describe_cases(source.study)[["case", "dataset", "kind"]]
    seconds = list_seconds(source)[["case", "method", "seconds"]].merge(cases, on="case")
    found: pd.DataFrame = seconds.merge(
        list_order_sensitivity(source, metric), on=["dataset", "kind", "method"], how="outer"
    )
    return found


def list_order_sensitivity(source: Source, metric: str) -> pd.DataFrame:
    """Return the absolute difference of the score in the order of the file: dataset, kind, method, order."""
    import pandas as pd

    scores = source.scores
    first = scores[(scores["metric"] == metric) & (scores["subset"] == 0)]
    wide = first.pivot_table(index=["case", "method"], columns="restart", values="value")
    columns = ["dataset", "kind", "method", "order"]
    if IN_FILE_ORDER not in wide:
        return pd.DataFrame(columns=columns)
    differences = (wide[IN_FILE_ORDER] - wide[CHOSEN]).abs().dropna().rename("order").reset_index()
    found: pd.DataFrame = differences.merge(describe_cases(source.study), on="case")[columns]
    return found


def list_seconds(source: Source) -> pd.DataFrame:
    """Return the median CPU seconds of a fit and the sizes of each case: case, method, seconds, n, n_profiles."""
    from statistics import median

    import pandas as pd

    rows = []
    for record in source.runtimes:
        for place, method in enumerate(record["methods"]):
            seconds = median(of_subset[place] for of_subset in record["cpu_seconds"])
            sizes = {"n": record["n"], "n_profiles": int(median(record["n_profiles"]))}
            rows.append({"case": record["case"], "method": method, "seconds": seconds, **sizes})
    return pd.DataFrame(rows, columns=["case", "method", "seconds", "n", "n_profiles"])
