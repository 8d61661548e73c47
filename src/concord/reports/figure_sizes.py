"""Score against the number of base clusterings in a subset."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from concord.config.figures import SizesFigure
from concord.config.study import Study
from concord.reports.figure_source import COLOURS, MARKERS, Source, label_outer, legend_below, panels, plain
from concord.reports.rows import READINGS, main_row

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("case", "method", "reading", "metric", "size", "n", "mean", "std")
ACROSS = 4
BESIDE = 0.25
"""Base clusterings between the bars of one size, which would hide one another."""


def shown(study: Study, figure: SizesFigure) -> list[str]:
    """Cases of the figure that are in this run, with another size."""
    cases = [case.id for case in study.cases if study.size_readings(case)]
    there = [case for case in figure.cases or cases if case in cases]
    return there if methods_shown(study, figure) else []


def methods_shown(study: Study, figure: SizesFigure) -> list[str]:
    """Methods of the figure that are in this run; the base clusterings only if the figure names them."""
    rows = [study.base_clusterings, *(run.id for run in study.methods)]
    if figure.methods:
        return [method for method in figure.methods if method in rows]
    run = {method for case in study.cases for other in study.size_readings(case) for method in other.methods}
    return [method for method in rows if method in run]


def sizes_table(
    study: Study, figure: SizesFigure, selected: "pd.DataFrame", others: "pd.DataFrame"
) -> "pd.DataFrame":
    """Mean score at every size of the subsets.

    Parameters
    ----------
    selected, others: as :func:`concord.scores.selection.select` returns it, of the study and of its readings.

    Returns
    -------
    Columns :data:`COLUMNS`: ``n`` subsets have a score, ``std`` is the sample standard deviation over them.
    """
    import pandas as pd

    keys = ["case", "method", "reading", "metric"]
    scores = pd.concat([selected, others]).groupby(keys)["value"].agg(["count", "mean", "std"])
    rows = []
    for case_id in shown(study, figure):
        case = study.case(case_id)
        sizes = sorted((study.subset_size(one), one.id) for one in (case, *study.size_readings(case)))
        for row in (main_row(study, method) for method in methods_shown(study, figure)):
            found = [
                (size, key) for size, one in sizes if (key := (one, *row, figure.metric)) in scores.index
            ]
            rows += [(case_id, *row, figure.metric, size, *scores.loc[key]) for size, key in found]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"n": int})


def make(figure: SizesFigure, source: Source) -> "tuple[Any, pd.DataFrame]":
    """Return the picture and the table behind it."""
    import pandas as pd

    selected, others = (
        pd.read_parquet(folder / "selected.parquet")
        for folder in (source.results, source.results / "readings")
    )
    table = sizes_table(source.study, figure, selected, others)
    return draw(figure, source.titles, table), table


def draw(figure: SizesFigure, titles: Mapping[str, str], table: "pd.DataFrame") -> Any:
    """Draw the table: a panel for each case, a line for each method."""
    cases, methods = list(dict.fromkeys(table["case"])), list(dict.fromkeys(table["method"]))
    picture, axes = panels(len(cases), ACROSS if len(cases) > 3 else 3, 1.75)
    for panel, case in zip(axes, cases, strict=True):
        rows = table[table["case"] == case]
        for number, method in enumerate(methods):
            _line(panel, figure, method, number, len(methods), rows[rows["method"] == method])
        plain(panel)
        panel.set_title(titles[case], fontsize=9, pad=3)
        panel.set_xticks(sorted(set(rows["size"])))
    label_outer(axes, "base clusterings in a subset", f"mean {figure.metric}")
    legend_below(picture, axes[0], columns=2 * min(len(cases), 3))
    return picture


def _line(
    panel: Any, figure: SizesFigure, method: str, number: int, count: int, rows: "pd.DataFrame"
) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    style = {"color": colour, "marker": marker, "markersize": 3, "linewidth": 1.1, "label": method}
    size, mean, std = (rows[name].to_numpy(dtype=float) for name in ("size", "mean", "std"))
    if figure.spread == "bars":
        beside = size + (number - (count - 1) / 2) * BESIDE
        panel.errorbar(beside, mean, std, elinewidth=0.6, capsize=1.5, capthick=0.6, **style)
        return
    panel.plot(size, mean, **style)
    if figure.spread == "band":
        panel.fill_between(size, mean - std, mean + std, color=colour, alpha=0.12, linewidth=0)


def caption(study: Study, titles: Mapping[str, str], figure: SizesFigure, table: "pd.DataFrame") -> str:
    """Say what was measured."""
    spread = {"band": "bands", "bars": "bars", "none": ""}[figure.spread]
    deviation = f"; {spread}: one sample standard deviation to either side" if spread else ""
    return (
        f"{figure.metric} against the number of base clusterings in a subset: mean over "
        f"{study.ensemble.n_subsets} subsets{deviation}.{_tuned(study, methods_shown(study, figure))}"
        f"{_failures(study, titles, table)}"
    )


def _tuned(study: Study, methods: Sequence[str]) -> str:
    tuned = [method for method in methods if main_row(study, method).reading != "fixed"]
    return f" Parameters of {', '.join(tuned)}: {READINGS[study.reading]}." if tuned else ""


def _failures(study: Study, titles: Mapping[str, str], table: "pd.DataFrame") -> str:
    """Say where a mean is over fewer subsets than the others."""
    few = table[table["n"] < study.ensemble.n_subsets]
    where = [f"{row.method} on {titles[row.case]} with {row.size} ({row.n})" for row in few.itertuples()]
    return f" Over fewer subsets, because it failed on the others: {', '.join(where)}." if where else ""
