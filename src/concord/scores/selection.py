"""Which grid point a table shows: the readings of a tuned method.

``oracle-common``
    The grid point with the best mean over the subsets. A point that failed on any subset is not eligible;
    if every point failed on some, those that failed on the fewest are, by the mean over the others.
``oracle-per-subset``
    For each subset its own best point, among those that did not fail.
``default``
    The point that the study names, without a look at any score.
``fixed``
    The word for methods without a grid, and for the base clusterings.

Both oracle readings use the true labels, as the papers do, and choose for each metric by that metric. Ties
(within rounding) go to the first point in the order of the grid. Where all failed, the value is NaN.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from concord.config.protocol import MethodRun
from concord.config.study import Study
from concord.config.values import Reading
from concord.scores.metrics import FloatArray, IntArray
from concord.scores.table import compact

if TYPE_CHECKING:
    import pandas as pd

READINGS: tuple[Reading, ...] = ("oracle-per-subset", "oracle-common", "default")
FIXED = "fixed"
SELECTED_COLUMNS = ("study", "case", "method", "reading", "metric", "subset", "parameters", "value")
ROUNDING = 1e-12  # scores closer than this are equal


class Row(NamedTuple):
    """A row of the results: a method, in one reading."""

    method: str
    reading: str

    @property
    def label(self) -> str:
        """The row's name in tables: "KC", "RCE [oracle-common]"."""
        return self.method if self.reading == FIXED else f"{self.method} [{self.reading}]"


def rows(study: Study) -> list[Row]:
    """Rows of a study in order: base clusterings, then the methods, a tuned one in each reading."""
    return [Row(study.base_clusterings, FIXED)] + [
        Row(run.id, reading) for run in study.methods for reading in (READINGS if run.grid else (FIXED,))
    ]


def select(study: Study, scores: "pd.DataFrame") -> "pd.DataFrame":
    """Take the values of each reading out of the tidy table of scores.

    Parameters
    ----------
    study : Study
        The study, resolved and restricted.
    scores : DataFrame
        Columns as :func:`concord.scores.table.score_case` writes them; only the rows with
        ``restart == study.restarts`` count. A cell that is absent is NaN.

    Returns
    -------
    DataFrame
        Columns study, case, method, reading, metric, subset, parameters (of the point taken), value; in the
        order of the study.
    """
    import pandas as pd

    values = _wide(study, scores)
    subsets = range(study.ensemble.n_subsets)
    selected = []
    for case in study.cases:
        for row in rows(study):
            for metric in study.metrics:
                parameters = _parameters(study, row.method)
                cells = np.stack([values[case.id, row.method, metric, point] for point in parameters])
                points = points_taken(cells, row.reading, _default_point(study, row))
                selected += [
                    (study.id, case.id, *row, metric, s, parameters[point], cells[point, s])
                    for s, point in zip(subsets, points.tolist(), strict=True)
                ]
    return pd.DataFrame(selected, columns=list(SELECTED_COLUMNS))


def points_taken(cells: FloatArray, reading: str, default: int = 0) -> IntArray:
    """Return the grid point that a reading takes on each subset.

    Parameters
    ----------
    cells : ndarray, shape (points, subsets)
        Scores; NaN where the method failed.
    reading : str
        See the module.
    default : int
        Point of the readings "default" and "fixed".

    Returns
    -------
    ndarray of int, shape (subsets,)
    """
    n_subsets = cells.shape[1]
    if reading == "oracle-per-subset":
        return np.array([_first_best(column) for column in cells.T], dtype=np.int64)
    if reading == "oracle-common":
        return np.full(n_subsets, _best_common_point(cells))
    return np.full(n_subsets, default)


def _best_common_point(cells: FloatArray) -> int:
    failures = np.isnan(cells).sum(axis=1)
    eligible = failures == failures.min()
    if failures.min() == cells.shape[1]:
        return 0
    means = np.full(len(cells), np.nan)
    means[eligible] = np.nanmean(cells[eligible], axis=1)
    return _first_best(means)


def _first_best(scores: FloatArray) -> int:
    """First index whose score is the highest up to rounding, NaN never; 0 if there is none."""
    comparable = np.nan_to_num(scores, nan=-np.inf)
    return int(np.flatnonzero(comparable >= comparable.max() - ROUNDING)[0])


def _wide(study: Study, scores: "pd.DataFrame") -> dict[tuple[str, str, str, str], npt.NDArray[np.float64]]:
    """Values over the subsets by (case, method, metric, parameters) for every point of the study."""
    import pandas as pd

    keys = ["case", "method", "metric", "parameters"]
    wide = scores[scores["restart"] == study.restarts].pivot(index=keys, columns="subset", values="value")
    methods = dict.fromkeys(row.method for row in rows(study))
    index = pd.MultiIndex.from_tuples(
        [
            (case.id, method, metric, point)
            for case in study.cases
            for method in methods
            for metric in study.metrics
            for point in _parameters(study, method)
        ],
        names=keys,
    )
    full = wide.reindex(index=index, columns=range(study.ensemble.n_subsets)).to_numpy(dtype=float)
    return dict(zip(index.to_list(), full, strict=True))


def _run(study: Study, method: str) -> MethodRun | None:
    return None if method == study.base_clusterings else study.method(method)


def _parameters(study: Study, method: str) -> Sequence[str]:
    run = _run(study, method)
    return [compact(point) for point in run.points] if run else [compact({})]


def _default_point(study: Study, row: Row) -> int:
    run = _run(study, row.method)
    return run.points.index(run.default) if run and run.grid else 0
