"""Other readings of the paper beside the study's own: which comes nearer to the print."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from concord.config.protocol import Case, CaseReading, MethodReading
from concord.config.study import Study
from concord.datasets.registry import MADE
from concord.reports.claims import counting
from concord.reports.published import Published, printed_methods, printed_names
from concord.reports.restarts import nearer
from concord.reports.rows import all_parameters, case_titles, main_row, numbers_text, steps_text, symbol
from concord.reports.tables import DASH, markdown_table, number_text

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec

READINGS = (
    "reading", "why", "differs", "case", "dataset", "method", "chosen", "metric", "n", "own", "other",
    "change", "printed", "nearer",
)  # fmt: skip
SUMMARY = (
    "why", "differs", "scores", "change", "lowest", "highest", "cells", "own_nearer", "other_nearer",
    "own_distance", "other_distance",
)  # fmt: skip


def readings_table(
    study: Study,
    registry: Mapping[str, "DatasetSpec"],
    published: Published,
    selected: "pd.DataFrame",
    others: "pd.DataFrame",
) -> "pd.DataFrame":
    """Put every score of a reading beside that of the row which it reads otherwise.

    Parameters
    ----------
    selected, others: as :func:`concord.scores.selection.select` returns it, of the study and of its readings.

    Returns
    -------
    Columns :data:`READINGS`. ``differs`` says what is read otherwise, "own → other"; ``case`` and ``method``
    are the study's own; a tuned method is taken as claims take it, ``chosen``. ``own`` and ``other`` are
    means over the subsets, of which ``n`` have a score in the other reading. ``printed`` is the print of the
    own row; NaN for a reading that the paper prints as a row of its own, which is no rival of it.
    """
    import pandas as pd

    titles, names = case_titles(study, registry), printed_names(study, registry, published)
    methods = printed_methods(study, published)
    with_own_print = {method for _, _, method in published.scores}
    keys = ["case", "method", "reading", "metric"]
    own = selected.groupby(keys)["value"].mean()
    other = others.groupby(keys)["value"].agg(["mean", "count"])
    rows = []
    for case, method, reading in _pairs(study):
        own_case = case.of if isinstance(case, CaseReading) else case.id
        own_method = reading.of if isinstance(reading, MethodReading) else method
        row, own_row = main_row(study, method), main_row(study, own_method)
        differs = _differs(study, registry, reading)
        for metric in study.table2:
            score = other.loc[(case.id, *row, metric)]
            rows.append(
                {
                    "reading": reading.id,
                    "why": reading.why,
                    "differs": differs,
                    "case": own_case,
                    "dataset": titles[own_case],
                    "method": own_method,
                    "chosen": own_row.reading,
                    "metric": metric,
                    "n": int(score["count"]),
                    "own": own.loc[(own_case, *own_row, metric)],
                    "other": score["mean"],
                    "printed": None
                    if reading.id in with_own_print
                    else published.scores.get((names.get(own_case, ""), metric, methods[own_method])),
                }
            )
    table = pd.DataFrame(rows, columns=[c for c in READINGS if c not in {"change", "nearer"}])
    table = table.astype(dict.fromkeys(("own", "other", "printed"), float))
    table["change"] = table["other"] - table["own"]
    table["nearer"] = nearer(table, "own", "other")
    return table[list(READINGS)]


def _pairs(study: Study) -> Iterator[tuple[Case, str, CaseReading | MethodReading]]:
    """Yield case, method and the reading that they stand for; with other cases also the base clusterings."""
    for run in study.readings.methods:
        yield from ((case, run.id, run) for case in study.cases if run.runs_on(case))
    for case in study.readings.cases:
        if case.methods:
            yield from ((case, method, case) for method in (study.base_clusterings, *case.methods))


def _differs(
    study: Study, registry: Mapping[str, "DatasetSpec"], reading: CaseReading | MethodReading
) -> str:
    own, other = (
        (all_parameters(study.method(reading.of)), all_parameters(reading))
        if isinstance(reading, MethodReading)
        else (_origin(study, study.case(reading.of), registry), _origin(study, reading, registry))
    )
    return ", ".join(
        f"{symbol(name)}: {f'{own[name]} → ' if name in own else ''}{value}"
        for name, value in other.items()
        if own.get(name) != value
    )


def _origin(study: Study, case: Case, registry: Mapping[str, "DatasetSpec"]) -> dict[str, str]:
    """Return how the base clusterings of a case came about."""
    made = {
        "clusters": numbers_text(case.n_clusters or study.ensemble.n_clusters),
        "features": f"{case.feature_share:.0%}",
        "objects": f"{case.object_share:.0%}",
    }
    return {
        "data set": case.dataset,
        "preprocessing": steps_text(case, registry[case.dataset]),
        "base clusterings": case.ensemble,
        "first centres": case.init,
        "base clusterings in a subset": f"{study.subset_size(case)}",
        **(made if case.ensemble in MADE else {}),
    }


def summary(study: Study, table: "pd.DataFrame") -> "pd.DataFrame":
    """Sum up each question (``why``) over the data sets, none of them twice.

    Of two cases of one data set that are both read otherwise, the one counts that stands for the other.

    Returns
    -------
    Columns :data:`SUMMARY`: scores compared; mean, lowest and highest change; of them the printed ones
    (``cells``), on how many either reading is nearer, and their mean absolute differences from the print.
    """
    import pandas as pd

    stands_for = {case.id: case.instead_of for case in study.cases}
    rows = []
    for why, both in table.dropna(subset=["own", "other"]).groupby("why", sort=False):
        group = both[~both["case"].isin([stands_for[case] for case in both["case"]])]
        printed = group.dropna(subset="printed")
        rows.append(
            {
                "why": why,
                "differs": "; ".join(dict.fromkeys(group["differs"])),
                "scores": len(group),
                "change": group["change"].mean(),
                "lowest": group["change"].min(),
                "highest": group["change"].max(),
                "cells": len(printed),
                "own_nearer": int((printed["nearer"] == "own").sum()),
                "other_nearer": int((printed["nearer"] == "other").sum()),
                "own_distance": (printed["own"] - printed["printed"]).abs().mean(),
                "other_distance": (printed["other"] - printed["printed"]).abs().mean(),
            }
        )
    return pd.DataFrame(rows, columns=list(SUMMARY))


def sentences(summed: "pd.DataFrame") -> list[str]:
    """Say what each question comes to; nothing of a print where the study has none."""
    any_printed = bool(summed["cells"].any())
    found = []
    for row in summed.itertuples():
        text = (
            f"{row.why[0].upper()}{row.why[1:]} ({row.differs}): the other reading changes {row.scores} "
            f"scores by {row.change:+.3f} on average ({row.lowest:+.3f} to {row.highest:+.3f})"
        )
        if row.cells:
            text += (
                f"; it is nearer to the print on {row.other_nearer} of {row.cells}, the study's own on "
                f"{row.own_nearer}; mean absolute difference from the print {row.other_distance:.3f}, the "
                f"study's own {row.own_distance:.3f}"
            )
        elif any_printed:
            text += "; there is no print that both could be held against"
        found.append(f"{text}.")
    return found


def readings_markdown(study: Study, table: "pd.DataFrame") -> str:
    """Return the readings for people: what each question comes to, then every score."""
    lines = [f"# Other readings of the paper: {study.title}", ""]
    if table.empty:
        return "\n".join([*lines, "The study has none.", ""])
    body = [
        [
            row.reading,
            row.differs,
            row.dataset,
            row.method,
            row.metric,
            number_text(row.own),
            number_text(row.other),
            number_text(row.printed),
            row.nearer or DASH,
        ]
        for row in table.itertuples()
    ]
    header = ["Reading", "Differs", "Data set", "Method", "Metric", "Own", "Other", "Printed", "Nearer"]
    said = [f"* {sentence}" for sentence in sentences(summary(study, table))]
    how = (
        "Run and shown beside the study's own rows; not ranked, not tested. A method with a grid is taken in "
        f"the reading that the study names ({study.reading}).{counting(study)}"
    )
    return "\n".join([*lines, how, "", *said, "", *markdown_table(header, body, left=5), ""])
