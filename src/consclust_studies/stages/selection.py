"""Which grid point a table shows: the selections of a tuned method.

``oracle-common``
    The grid point with the best mean over the subsets. A point that failed on any subset is not eligible;
    if every point failed on some, those that failed on the fewest are, by the mean over the others.
``oracle-per-subset``
    For each subset its own best point, among those that did not fail.
``default``
    The point that the study names, without a look at any score.
``fixed``
    The word for methods without a grid, and for the base clusterings.

Both oracle selections use the true labels, as the papers do. They choose for each metric by that metric, or for all by
the one that the study names (``selected_by``). Ties (within rounding) go to the first point in the order of the grid.
Where all failed, the value is NaN.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.values import Selection

if TYPE_CHECKING:
    import pandas as pd

SELECTIONS: tuple[Selection, ...] = ("oracle-per-subset", "oracle-common", "default")
FIXED = "fixed"
WORDS = {
    FIXED: "",
    "oracle-per-subset": "oracle, per subset",
    "oracle-common": "oracle, common",
    "oracle-training": "oracle, training",
    "default": "default",
}
"""How a selection is written behind the method's name."""
SELECTED_COLUMNS = ("study", "case", "method", "selection", "metric", "subset", "point", "value")
ROUNDING = 1e-12
"""Scores closer than this are equal: sums in another order differ in the last of 16 digits."""


class Row(NamedTuple):
    """A row of the results: a method, in one selection."""

    method: str
    selection: str

    @property
    def label(self) -> str:
        """The row's name in files: "KC", "RCE [oracle-common]"."""
        return self.method if self.selection == FIXED else f"{self.method} [{self.selection}]"

    @property
    def name(self) -> str:
        """The row's name in tables: "KC", "RCE (oracle, common)"."""
        return self.method if self.selection == FIXED else f"{self.method} ({WORDS[self.selection]})"


def list_rows(study: Experiment) -> list[Row]:
    """Return the rows of a study in order: base clusterings, then the methods, a tuned one in each selection."""
    rows = [Row(study.base_clusterings, FIXED)]
    for run in study.methods:
        selections = SELECTIONS if run.grid else (FIXED,)
        rows += [Row(run.id, selection) for selection in selections]
    return rows


def find_main_row(study: Experiment, method: str) -> Row:
    """Return the row that represents a method in claims and ranks: a tuned one is in the selection of the study."""
    tuned = method != study.base_clusterings and study.method(method).grid
    return Row(method, study.selection if tuned else FIXED)


def list_main_rows(study: Experiment) -> list[Row]:
    """Return the row of the base clusterings and one for each method."""
    methods = [study.base_clusterings, *(run.id for run in study.methods)]
    return [find_main_row(study, method) for method in methods]


def select(study: Experiment, scores: "pd.DataFrame") -> "pd.DataFrame":
    """Take the values of each selection out of the tidy table of scores; a cell that is absent is NaN.

    ``scores`` has the columns that :func:`consclust_studies.stages.score.score_case` writes; only the rows with
    ``restart == study.restarts`` count. Returns :data:`SELECTED_COLUMNS` in the order of the study, resolved and
    restricted; ``point`` is the grid point taken.
    """
    import pandas as pd

    cell = ["case", "method", "metric", "point"]
    wide = scores[scores["restart"] == study.restarts].pivot(index=cell, columns="subset", values="value")
    values = wide.reindex(columns=range(study.n_subsets)).to_numpy(dtype=float)
    stored = dict(zip(wide.index, values, strict=True))
    absent = np.full(study.n_subsets, np.nan)
    selected: list[dict[str, Any]] = []
    for case in study.cases:
        for row in list_rows(study):
            n_points = len(study.list_points(row.method))
            default = 0 if row.method == study.base_clusterings else study.method(row.method).default_point
            by_metric: dict[str, FloatArray] = {}
            for metric in study.metrics:
                keys = [(case.id, row.method, metric, point) for point in range(n_points)]
                by_metric[metric] = np.stack([stored.get(key, absent) for key in keys])
            for name, cells in by_metric.items():
                judged = by_metric[study.selected_by or name]
                for subset, taken in enumerate(take_points(judged, row.selection, default).tolist()):
                    selected.append(
                        {
                            "study": study.id,
                            "case": case.id,
                            "method": row.method,
                            "selection": row.selection,
                            "metric": name,
                            "subset": subset,
                            "point": taken,
                            "value": cells[taken, subset],
                        }
                    )
    return pd.DataFrame(selected, columns=list(SELECTED_COLUMNS))


def take_points(cells: FloatArray, selection: str, default: int = 0) -> IntArray:
    """Return the grid point that a selection takes on each subset; any selection but the oracles takes ``default``.

    ``cells`` are scores of shape (points, subsets), NaN where the method failed; the result has shape (subsets,).
    """
    if selection == "oracle-per-subset":
        return np.array([_find_first_best(column) for column in cells.T], dtype=np.int64)
    point = _find_best_common_point(cells) if selection == "oracle-common" else default
    return np.full(cells.shape[1], point)


def _find_best_common_point(cells: FloatArray) -> int:
    # a point is eligible if it failed on as few subsets as any
    failures = np.isnan(cells).sum(axis=1)
    if failures.min() == cells.shape[1]:
        return 0  # all failed on every subset: nanmean would warn of an empty slice
    eligible = np.flatnonzero(failures == failures.min())
    return int(eligible[_find_first_best(np.nanmean(cells[eligible], axis=1))])


def _find_first_best(scores: FloatArray) -> int:
    """Return the first index whose score is the highest up to rounding, NaN never; 0 if there is none."""
    comparable = np.nan_to_num(scores, nan=-np.inf)
    return int(np.flatnonzero(comparable >= comparable.max() - ROUNDING)[0])
