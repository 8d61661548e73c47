"""What the tables of scores show: mean, standard deviation, best and bold."""

from typing import TYPE_CHECKING

from consclust_studies.config.experiment import Experiment
from consclust_studies.results.significance import bold, matrices

if TYPE_CHECKING:
    import pandas as pd

SUMMARY_COLUMNS = ("case", "metric", "method", "selection", "mean", "std", "n", "best", "bold")


def summarise(study: Experiment, selected: "pd.DataFrame") -> "pd.DataFrame":
    """Summarise the selected scores over the subsets, for each case and metric the rows of the study, in order.

    ``selected`` is as :func:`consclust_studies.stages.selection.select` returns it for the study, resolved and
    restricted, or ``selected.parquet``. Returns :data:`SUMMARY_COLUMNS`: std has ddof = 1, n counts the subsets with a
    score, best and bold are as defined by :func:`consclust_studies.results.significance.bold`.
    """
    import pandas as pd

    records = [
        (case, metric, *o.row, o.mean, o.std, o.n, o.is_best, o.is_bold)
        for case, metric, values in matrices(study, selected)
        for o in bold(study, values)
    ]
    return pd.DataFrame(records, columns=list(SUMMARY_COLUMNS))
