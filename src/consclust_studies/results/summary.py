"""What the tables of scores show: mean, standard deviation, best and bold."""

from typing import TYPE_CHECKING, Any

from consclust_studies.config.experiment import Experiment
from consclust_studies.results.significance import Outcome, compare_rows, pivot_scores

if TYPE_CHECKING:
    import pandas as pd

SUMMARY_COLUMNS = ("case", "metric", "method", "selection", "mean", "std", "n", "best", "bold")


def summarise(study: Experiment, selected: "pd.DataFrame") -> "pd.DataFrame":
    """Summarise the selected scores over the subsets, for each case and metric the rows of the study, in order.

    ``selected`` is as :func:`consclust_studies.stages.selection.select` returns it for the study, resolved and
    restricted, or ``selected.parquet``. Returns :data:`SUMMARY_COLUMNS`: std has ddof = 1, n counts the subsets with a
    score, best and bold are as defined by :func:`consclust_studies.results.significance.compare_rows`.
    """
    import pandas as pd

    records = [
        _make_record(case, metric, outcome)
        for case, metric, values in pivot_scores(study, selected)
        for outcome in compare_rows(study, values)
    ]
    return pd.DataFrame(records, columns=list(SUMMARY_COLUMNS))


def _make_record(case: str, metric: str, outcome: Outcome) -> dict[str, Any]:
    return {
        "case": case,
        "metric": metric,
        "method": outcome.row.method,
        "selection": outcome.row.selection,
        "mean": outcome.mean,
        "std": outcome.std,
        "n": outcome.n,
        "best": outcome.is_best,
        "bold": outcome.is_bold,
    }
