"""What the tests of the chapter beyond the paper share: a study with variants of RCE, scores by formula, blocks."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from consclust.files import write_arrays
from consclust_studies.config.study import PlannedStudy
from consclust_studies.stages.label_blocks import Block
from small import planned

GRID = {"lambda1": [0.1, 1.0], "lambda2": [0.1, 1.0]}
DEFAULT = {"lambda1": 1.0, "lambda2": 1.0}
SPLITTING = {"solver": "splitting"}
COLUMNS = ["study", "case", "subset", "method", "point", "restart", "metric", "value"]
Formula = Callable[[str, str, int, int], float]
"""The score of a case, a method, a grid point and a subset."""


def variant(name: str, parameters: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    """A variant of RCE with its grid."""
    given = {"grid": GRID, "default": DEFAULT, "why": "beyond", "beyond": True, **keys}
    return {"id": name, "of": "RCE", "method": "RCE", "parameters": dict(parameters), **given}


def study_of(*variants: Mapping[str, Any], **changes: Any) -> PlannedStudy:
    """The small study, of which one metric is reported, with variants."""
    return planned(metrics=["ACC"], reported=["ACC"], variants={"methods": list(variants)}, **changes)


def table_of(study: PlannedStudy, formula: Formula, variants: bool = False) -> pd.DataFrame:
    """The tidy scores of the methods, or of their variants, by a formula."""
    rows = []
    for run in study.variants.methods if variants else study.methods:
        for case in study.cases:
            for point in range(len(run.points)) if run.runs_on(case) else ():
                for subset in range(study.n_subsets_of(case, run)):
                    value = formula(case.id, run.id, point, subset)
                    rows += [
                        (study.id, case.id, subset, run.id, point, restart, "ACC", value + 9 * (restart == "chosen"))
                        for restart in ("mean", "chosen")
                    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def block_of(path: Path, gaps: Mapping[tuple[int, int], float], **arrays: Any) -> Block:
    """A block of two subsets and four grid points, with notes of gaps by subset and point."""
    shape = (2, 4)
    given = {
        "chosen": np.zeros(shape, dtype=int),
        "converged": np.array([[(subset, point) not in gaps for point in range(4)] for subset in range(2)]),
        "iterations": np.arange(8).reshape(shape),
        "left_out": np.zeros(shape, dtype=bool),
        **arrays,
    }
    notes = [
        {"subset": subset, "point": point, "note": f"the relative duality gap is {gap:.1e} after 300 iterations"}
        for (subset, point), gap in gaps.items()
    ]
    write_arrays(path, spec="{}", subsets=np.arange(2), notes=json.dumps(notes), failures="[]", **given)
    return Block(path)
