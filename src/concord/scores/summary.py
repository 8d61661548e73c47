"""The figures that the reports print: mean, standard deviation, best and bold."""

from typing import TYPE_CHECKING

from concord.config.study import Study
from concord.scores.significance import bold, matrices

if TYPE_CHECKING:
    import pandas as pd

SUMMARY_COLUMNS = ("case", "metric", "method", "reading", "mean", "std", "n", "best", "bold")


def summarise(study: Study, selected: "pd.DataFrame") -> "pd.DataFrame":
    """Summarise the selected scores over the subsets.

    Parameters
    ----------
    study : Study
        The study, resolved and restricted.
    selected : DataFrame
        As :func:`concord.scores.selection.select` returns it, or ``selected.parquet``.

    Returns
    -------
    DataFrame
        Columns case, metric, method, reading, mean, std (ddof = 1), n (subsets with a score), best, bold; for
        each case and metric the rows of the study: base clusterings, then the methods, a tuned one in the
        readings oracle-per-subset, oracle-common, default. ``best`` and ``bold`` as defined by
        :func:`concord.scores.significance.bold`.
    """
    import pandas as pd

    records = [
        (case, metric, *o.row, o.mean, o.std, o.n, o.is_best, o.is_bold)
        for case, metric, values in matrices(study, selected)
        for o in bold(study, values)
    ]
    return pd.DataFrame(records, columns=list(SUMMARY_COLUMNS))
