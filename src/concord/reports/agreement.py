"""How near a run comes to the print: cell by cell, in the order of the methods, in their ranks."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from concord.config.study import Study
from concord.reports.claims import counting
from concord.reports.rows import counted_rows, main_rows
from concord.reports.tables import DASH, markdown_table, number_text

if TYPE_CHECKING:
    import pandas as pd

AGREEMENT = ("case", "dataset", "counted", "metric", "methods", "tau", "p", "near", "mean_absolute")
RANKS = ("metric", "method", "datasets", "rank_sum", "printed_rank_sum", "place", "printed_place")
NEAR = 2.0
"""Standard errors of our mean within which a printed score is near."""
WORST = 10
"""Cells that are listed as the farthest from the print."""


def printed_cells(study: Study, table2: "pd.DataFrame") -> "pd.DataFrame":
    """Return the cells of Table 2 that have a print, one row for a method, and whether they are ``near``."""
    rows = set(main_rows(study))
    main = table2[[(m, r) in rows for m, r in zip(table2["method"], table2["reading"], strict=True)]]
    main = main.dropna(subset=["mean", "printed"])
    return main.assign(near=main["difference_se"].abs() <= NEAR)


def counted_cells(study: Study, table2: "pd.DataFrame") -> "pd.DataFrame":
    """Return the printed cells of the cases that count: no data set twice."""
    return counted_rows(study, printed_cells(study, table2))


def agreement_table(study: Study, table2: "pd.DataFrame") -> "pd.DataFrame":
    """Compare our order of the methods with the printed one, on each data set by each metric.

    Returns
    -------
    Columns :data:`AGREEMENT`: Kendall's tau (b, which heeds ties) over ``methods`` methods with its p-value,
    NaN for fewer than two; ``near``, the number of these methods whose printed score is within
    :data:`NEAR` standard errors of our mean; the mean absolute difference.
    """
    import pandas as pd
    from scipy import stats

    counted = {case.id for case in study.counted}
    rows = []
    for (case, metric), cells in printed_cells(study, table2).groupby(["case", "metric"], sort=False):
        enough = len(cells) > 1
        tau, p = stats.kendalltau(cells["mean"], cells["printed"]) if enough else (math.nan, math.nan)
        title, near = cells["dataset"].iloc[0], int(cells["near"].sum())
        absolute = cells["difference"].abs().mean()
        rows.append((case, title, case in counted, metric, len(cells), tau, p, near, absolute))
    return pd.DataFrame(rows, columns=list(AGREEMENT))


def has_errors(study: Study) -> bool:
    """Whether means have a standard error: not with one subset."""
    return study.ensemble.n_subsets > 1


def ranks_table(study: Study, table2: "pd.DataFrame") -> "pd.DataFrame":
    """Sum the ranks of the methods over the data sets, here and in print; rank 1 is the best, ties share.

    A data set counts if all printed methods of this run have a score there; a metric, if such a data set is.
    """
    import pandas as pd

    tables = [
        _rank_sums(metric, cells)
        for metric, cells in counted_cells(study, table2).groupby("metric", sort=False)
    ]
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(RANKS))
    return table[table["datasets"] > 0]


def ranked(ranks: "pd.DataFrame") -> str:
    """Say over how many data sets the ranks are summed, metric by metric."""
    first = ranks.drop_duplicates("metric")
    return ", ".join(
        f"{row.metric} {row.datasets} data set{'s' * (row.datasets > 1)}" for row in first.itertuples()
    )


def _rank_sums(metric: Any, cells: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    methods = list(dict.fromkeys(cells["method"]))
    wide = {
        column: cells.pivot(index="case", columns="method", values=column)[methods].dropna()
        for column in ("mean", "printed")
    }
    sums = {name: frame.rank(axis=1, ascending=False).sum() for name, frame in wide.items()}
    table = pd.DataFrame(
        {
            "metric": metric,
            "method": methods,
            "datasets": len(wide["mean"]),
            "rank_sum": sums["mean"].to_numpy(),
            "printed_rank_sum": sums["printed"].to_numpy(),
        }
    )
    table["place"] = table["rank_sum"].rank(method="min").astype(int)
    table["printed_place"] = table["printed_rank_sum"].rank(method="min").astype(int)
    return table[list(RANKS)]


def worst_cells(study: Study, table2: "pd.DataFrame") -> "pd.DataFrame":
    """Return the :data:`WORST` counted cells with the largest absolute difference from the print."""
    cells = counted_cells(study, table2)
    order = cells["difference"].abs().sort_values(ascending=False, kind="stable").index
    return cells.loc[order].head(WORST)


def sentences(study: Study, table2: "pd.DataFrame", agreement: "pd.DataFrame") -> Iterator[str]:
    """Yield what the comparison comes to, in words."""
    cells = counted_cells(study, table2)
    if cells.empty:
        return
    near = (
        f"{int(cells['near'].sum())} of {len(cells)} printed scores lie within {NEAR:g} standard errors of "
        "our mean; the"
    )
    difference = cells["difference"].abs().mean()
    yield f"{near if has_errors(study) else 'The'} mean absolute difference is {difference:.3f}."
    for metric, rows in agreement[agreement["counted"]].dropna(subset="tau").groupby("metric", sort=False):
        yield (
            f"Kendall's tau between our and the printed order of the methods in {metric}: mean "
            f"{rows['tau'].mean():.2f} over {len(rows)} data set{'s' * (len(rows) > 1)}, from "
            f"{rows['tau'].min():.2f} ({rows.loc[rows['tau'].idxmin(), 'dataset']}) to "
            f"{rows['tau'].max():.2f} ({rows.loc[rows['tau'].idxmax(), 'dataset']})."
        )


def agreement_markdown(
    study: Study, table2: "pd.DataFrame", agreement: "pd.DataFrame", ranks: "pd.DataFrame"
) -> str:
    """Return the comparison for people."""
    title = f"# Agreement of {study.title} with the print"
    if agreement.empty:
        return f"{title}\n\nNo score here has a printed value to be held against.\n"
    by_case = [
        [
            row.dataset,
            row.metric,
            row.methods,
            number_text(row.tau, ".2f"),
            row.near if has_errors(study) else DASH,
            f"{row.mean_absolute:.3f}",
        ]
        for row in agreement.itertuples()
    ]
    worst = [
        [
            row.dataset,
            row.metric,
            row.row,
            f"{row.mean:.3f}",
            f"{row.printed:.3f}",
            f"{row.difference:+.3f}",
            number_text(row.difference_se, "+.1f"),
        ]
        for row in worst_cells(study, table2).itertuples()
    ]
    header = ["Data set", "Metric", "Methods", "Kendall's tau", "Near", "Mean absolute difference"]
    worst_header = ["Data set", "Metric", "Row", "Ours", "Printed", "Difference", "Standard errors"]
    near = f"Near: the printed score is within {NEAR:g} standard errors of our mean.{counting(study)}"
    return "\n".join(
        [
            *(title, "", *(f"* {sentence}" for sentence in sentences(study, table2, agreement)), ""),
            *(f"{near}", "", *markdown_table(header, by_case, left=2), ""),
            *_ranks_lines(ranks),
            *("## The cells farthest from the print", "", *markdown_table(worst_header, worst, left=3), ""),
        ]
    )


def _ranks_lines(ranks: "pd.DataFrame") -> list[str]:
    if ranks.empty:
        return []
    header = ["Metric", "Method", "Sum of ranks", "Printed", "Place", "Printed place"]
    body = [
        (
            row.metric,
            row.method,
            f"{row.rank_sum:g}",
            f"{row.printed_rank_sum:g}",
            row.place,
            row.printed_place,
        )
        for row in ranks.itertuples()
    ]
    over = f"Over the data sets on which every printed method has a score ({ranked(ranks)})."
    return ["## Sums of ranks", "", over, "", *markdown_table(header, body, left=2), ""]
