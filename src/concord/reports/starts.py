"""What the random starts of some methods come to, beside the print; and whether a printed F1 can be one."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.config.protocol import MethodRun
from concord.config.study import Study
from concord.ensembles.store import StoredEnsemble
from concord.reports.published import STATISTICS, Published, printed_methods, printed_names
from concord.reports.tables import DASH, HALF_DIGIT, markdown_table, number_text
from concord.scores.blocks import Block
from concord.scores.f1_bounds import DEFINITIONS, largest_f1
from concord.scores.metrics import FloatArray, score_many

if TYPE_CHECKING:
    import pandas as pd

    from concord.reports.rows import Titled

STARTS = (
    *("case", "dataset", "metric", "method", "starts"),
    *STATISTICS,
    *(f"printed_{name}" for name in STATISTICS),
    "difference",
)
BOUNDS = ("case", "dataset", "method", "printed_ACC", "printed_F", *DEFINITIONS, "possible")


def statistics(scores: FloatArray, chosen: int) -> dict[str, float]:
    """Return the score of the selected start and mean, sample deviation, largest and smallest of all."""
    spread = float(np.std(scores, ddof=1)) if len(scores) > 1 else math.nan
    values = (scores[chosen], scores.mean(), spread, scores.max(), scores.min())
    return dict(zip(STATISTICS, map(float, values), strict=True))


def starts_table(
    study: Study,
    registry: Mapping[str, "Titled"],
    published: Published,
    stored: Mapping[str, StoredEnsemble],
    blocks: Mapping[tuple[str, str], Sequence[Path]],
) -> "pd.DataFrame":
    """Score every start of the methods, at the default grid point.

    Parameters
    ----------
    stored: base clusterings with the classes, by case.
    blocks: files of the consensus stage, by case and method.

    Returns
    -------
    One row for each case, metric and method with the columns :data:`STARTS`: each statistic is the mean of
    its values on the subsets. ``difference`` is ours less the print, of the selected start.
    """
    import pandas as pd

    from concord.reports.rows import case_titles

    assert study.starts
    titles, names = case_titles(study, registry), printed_names(study, registry, published)
    methods, metrics = printed_methods(study, published), study.starts.metrics or study.table2
    found = {
        (case.id, run.id): of_starts(
            stored[case.id], run, [Block(path, run) for path in blocks[case.id, run.id]], metrics
        )
        for case, runs in study.started()
        for run in runs
    }
    rows = []
    for metric in metrics:
        for (case, method), of_metrics in found.items():
            printed = published.starts.get((names.get(case, ""), metric, methods[method]), {})
            ours = of_metrics[metric]
            rows.append(
                {"case": case, "dataset": titles[case], "metric": metric, "method": method}
                | ours
                | {f"printed_{name}": value for name, value in printed.items()}
                | {"difference": ours.get("selected", math.nan) - printed.get("selected", math.nan)}
            )
    return pd.DataFrame(rows, columns=list(STARTS))


def of_starts(
    stored: StoredEnsemble, run: MethodRun, blocks: Sequence[Block], metrics: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return for each metric the mean of each statistic over the subsets that have an answer."""
    point = run.points.index(run.default)
    found: dict[str, list[dict[str, float]]] = {metric: [] for metric in metrics}
    for block in blocks:
        for labels, chosen, failed in zip(block.labels, block.chosen, block.failed, strict=True):
            if failed[point]:
                continue
            starts = labels[point][(labels[point] >= 0).all(axis=1)]
            scores = score_many(stored.classes, starts, metrics)
            for metric, column in zip(metrics, scores.T, strict=True):
                found[metric].append({"starts": len(starts), **statistics(column, int(chosen[point]))})
    return {
        metric: {name: float(np.mean([one[name] for one in those])) for name in (those[0] if those else ())}
        for metric, those in found.items()
    }


def bounds_table(table: "pd.DataFrame", class_sizes: Mapping[str, Sequence[int]]) -> "pd.DataFrame":
    """Return how large F1 can be where a selected start's ACC and F are both in print.

    Parameters
    ----------
    table: as :func:`starts_table` returns it.
    class_sizes: objects of each class, by case.

    Returns
    -------
    Columns :data:`BOUNDS`: a bound for each of :data:`concord.scores.f1_bounds.DEFINITIONS`, with the
    accuracy at the upper end of what rounds to the print, and whether any of them reaches the printed F1.
    """
    import pandas as pd

    keys = ["case", "dataset", "method"]
    wide = table.pivot(index=keys, columns="metric", values="printed_selected").reindex(columns=["ACC", "F"])
    rows = []
    for row in table[keys].drop_duplicates().itertuples(index=False):
        accuracy, f1 = wide.loc[tuple(row)]
        if np.isfinite([accuracy, f1]).all():
            bounds = largest_f1(min(1.0, accuracy + HALF_DIGIT), class_sizes[row.case])
            possible = max(bounds.values()) >= f1 - HALF_DIGIT
            rows.append((*row, accuracy, f1, *(bounds[name] for name in DEFINITIONS), possible))
    return pd.DataFrame(rows, columns=list(BOUNDS))


def starts_markdown(study: Study, table: "pd.DataFrame", bounds: "pd.DataFrame") -> str:
    """Return the table for people: ours, and beneath the print."""
    assert study.starts
    lines = [f"# {study.starts.title}", "", legend(study, table), ""]
    for metric, block in table.groupby("metric", sort=False):
        body = [
            [row.dataset, row.method, *(f"{ours} ({printed})" for ours, printed in cells(row))]
            for row in block.itertuples()
        ]
        lines += [f"## {metric}", "", *markdown_table(["Data set", "Method", *STATISTICS], body, left=2), ""]
    return "\n".join([*lines, *(f"* {sentence}" for sentence in sentences(table, bounds)), ""])


def cells(row: Any) -> list[tuple[str, str]]:
    """Return each statistic as text, ours and printed."""
    return [
        (number_text(getattr(row, name), ".3f"), number_text(getattr(row, f"printed_{name}"), ".3f"))
        for name in STATISTICS
    ]


def legend(study: Study, table: "pd.DataFrame") -> str:
    """Say what is shown."""
    numbers = sorted({int(n) for n in table["starts"].dropna()})
    starts = " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1])))) if numbers else "no"
    n = study.ensemble.n_subsets
    over = f", each the mean over {n} subsets" if n > 1 else ""
    return (
        f"Scores of {starts} random starts: the one selected by its own objective, then mean, sample "
        f"standard deviation, largest and smallest of all{over}. In brackets the print; {DASH} where there "
        "is none."
    )


def sentences(table: "pd.DataFrame", bounds: "pd.DataFrame") -> list[str]:
    """Say which method is steadier over its starts, how near the print is, and which F1 cannot be one."""
    return [*_steadier(table), *_near(table), *_impossible(bounds)]


def _steadier(table: "pd.DataFrame") -> list[str]:
    found = []
    for metric, block in table.groupby("metric", sort=False):
        ours, printed = (
            block.pivot(index="case", columns="method", values=column)[list(dict.fromkeys(block["method"]))]
            for column in ("std", "printed_std")
        )
        if ours.shape[1] != 2:
            continue
        one, other = ours.columns
        counts = [
            f"{int((both[one] > both[other]).sum())} of {len(both)} cases {where}"
            for both, where in ((ours.dropna(), "here"), (printed.dropna(), "in print"))
            if len(both)
        ]
        if counts:
            found.append(
                f"The {metric} of {one} differs more from start to start than that of {other} on "
                f"{', '.join(counts)}."
            )
    return found


def _near(table: "pd.DataFrame") -> list[str]:
    found = []
    for (metric, method), block in table.groupby(["metric", "method"], sort=False):
        known = block.dropna(subset=["selected", "printed_selected"])
        if len(known):
            inside = known["printed_selected"].between(known["min"] - HALF_DIGIT, known["max"] + HALF_DIGIT)
            found.append(
                f"{method}, {metric}: {int(inside.sum())} of {len(known)} printed selected starts lie "
                "between the smallest and the largest of ours; mean absolute difference "
                f"{known['difference'].abs().mean():.3f}."
            )
    return found


def _impossible(bounds: "pd.DataFrame") -> list[str]:
    """Compare each printed F1 with the largest that the printed accuracy allows under each definition."""
    if bounds.empty:
        return []
    found = []
    beyond = bounds[~bounds["possible"].astype(bool)]
    for row in beyond.itertuples():
        largest = "; ".join(f"{getattr(row, name):.3f} ({text})" for name, text in DEFINITIONS.items())
        found.append(
            f"The F1 of {row.printed_F:.3f} that is printed for {row.method} on {row.dataset} beside a CI of "
            f"{row.printed_ACC:.3f} fits no standard definition: a clustering with that CI, of any number of "
            f"clusters, has an F1 of at most {largest}."
        )
    others = len(bounds) - len(beyond)
    if others:
        verb = "is" if others == 1 else "are"
        found.append(f"The other {others} printed F1 {verb} within the bound of one definition or more.")
    return found
