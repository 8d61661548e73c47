"""What the PDF says: every number and sentence of it, as plain data for the typst template."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config.figures import GRID_FIGURES, AnyFigure
from concord.config.study import Study
from concord.reports import further, generalisation, restarts, starts
from concord.reports.claims import ON_OTHER_DATA, VERDICTS, with_others
from concord.reports.comparison import (
    by_case_and_method,
    by_metric,
    differences,
    nearness,
    other_readings,
    points,
)
from concord.reports.figures import caption, cases_drawn
from concord.reports.protocol import LITERATURE, References, protocol
from concord.reports.published import STATISTICS, Published
from concord.reports.rows import READINGS, case_titles, study_rows, symbol
from concord.reports.tables import DASH, Footnotes, legend, marks, to_the_digit
from concord.reports.wording import conjunction, score_text, signed_text
from concord.scores.f1_bounds import DEFINITIONS

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec


def document(
    study: Study,
    registry: Mapping[str, "DatasetSpec"],
    published: Published,
    tables: Mapping[str, "pd.DataFrame"],
    provenance: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the content of the report.

    Parameters
    ----------
    tables: table1, table2, claims, agreement, ranks, restarts, grids, runtime, failures, notes and, if the
        study has them, readings, starts and f1_bounds, generalisation, its views and its further figures by
        their ids, as this stage and the scores stage write them.
    provenance: as :func:`concord.reports.provenance.provenance` returns it.
    """
    references = References()
    titles = case_titles(study, registry)
    paper = (
        f"{study.paper.authors}: {study.paper.title}. {study.paper.venue} {study.paper.year}."
        if study.paper
        else ""
    )
    return {
        "title": study.title,
        "study": study.id,
        "paper": paper,
        "relation": "A re-run of" if study.published else "After",
        "paper_cite": references.cite(paper),
        "version": provenance["versions"].get("concord") or "",
        "summary": _symbols(study.summary.strip()),
        "nearness": nearness(study, tables["table2"]),
        "other_data": (study.other_data or "").strip(),
        "verdicts": _verdict_sentence(tables["claims"]),
        "claims": _claims(tables["claims"]),
        "failures": _failures(tables["failures"], titles),
        "remarks": _remarks(study, tables["notes"], titles),
        "table1": _table1(tables["table1"]),
        "protocol": protocol(study, titles, references),
        "table2": _table2(study, tables["table2"]),
        "views": [_view(study.seen(view), tables[view.id]) for view in study.views],
        "starts": _starts(study, tables) if study.starts else None,
        "generalisation": _generalisation(study, tables),
        "restarts": _restarts(study, tables["restarts"]),
        "figures": [_figure(study, titles, name) for name in GRID_FIGURES if getattr(study, name)]
        + [_further(study, titles, figure, tables[figure.id]) for figure in study.figures],
        "order": by_case_and_method(study, tables, titles),
        "agreement": by_metric(study, tables["table2"]),
        "points": points(study, registry, published, tables),
        "differences": differences(study, tables, titles),
        "readings": other_readings(study, tables),
        "runtime": _runtime(study, tables["runtime"], titles),
        "provenance": _provenance(provenance, titles),
        "tools": [references.cite(LITERATURE[tool]) for tool in ("sklearn", "snakemake")],
        "references": list(references.works),
    }


def _verdict_sentence(claims: "pd.DataFrame") -> str:
    if claims.empty:
        return ""
    counts = claims["verdict"].value_counts()
    parts = [f"{counts[v]} {_is(v, int(counts[v]))}" for v in VERDICTS if v in counts]
    n = len(claims)
    return f"Of {n} claim{'s' * (n > 1)} checked in code, {conjunction(parts)}."


def _is(verdict: str, count: int) -> str:
    """Write a verdict as a predicate: "are reproduced", "hold in part (not the same data)"."""
    if verdict not in ON_OTHER_DATA.values():
        return f"{'is' if count == 1 else 'are'} {verdict}"
    where, said = verdict.split(": ")
    if count > 1:
        said = said.replace("does not", "do not").replace("holds", "hold")
    return f"{said} ({where})"


def _generalisation(study: Study, tables: Mapping[str, "pd.DataFrame"]) -> dict[str, Any]:
    """Return the table of unseen objects, data sets across; no blocks without one."""
    plan = study.generalisation
    if plan is None:
        return {"title": "", "blocks": [], "legend": ""}
    blocks = generalisation.cells(study, tables["generalisation"])
    return {"title": plan.title, "blocks": blocks, "legend": generalisation.legend(study)}


def _claims(claims: "pd.DataFrame") -> list[dict[str, str]]:
    return [
        {
            "claim": _symbols(row.claim),
            "verdict": row.verdict,
            "evidence": row.evidence,
            "with_others": with_others(row),
            "others": row.other_methods if with_others(row) else "",
            "verdict_with_others": row.verdict_with_others if with_others(row) else "",
        }
        for row in claims.itertuples()
    ]


def _symbols(text: str) -> str:
    """Write the names of parameters in a sentence as symbols."""
    return re.sub(r"\b[a-z]+\d\b", lambda word: symbol(word.group()), text)


def _failures(failures: "pd.DataFrame", titles: Mapping[str, str]) -> str:
    if failures.empty:
        return "No method failed on any subset."
    lines = []
    for (case, method), group in failures.groupby(["case", "method"], sort=False):
        reasons = "; ".join(dict.fromkeys(map(str, group["reason"])))
        fits = f"{len(group)} fit{'s' * (len(group) > 1)}"
        lines.append(f"{method} on {titles[str(case)]} ({fits}: {reasons})")
    return f"Expected failures, printed as missing: {'; '.join(lines)}."


def _remarks(study: Study, notes: "pd.DataFrame", titles: Mapping[str, str]) -> str:
    """Say what methods remark about their answers; a remark on every data set names none."""
    lines = []
    for (method, note), group in notes.groupby(["method", "note"], sort=False):
        cases = list(dict.fromkeys(group["case"]))
        where = "" if len(cases) == len(study.cases) else f" (on {conjunction([titles[c] for c in cases])})"
        lines.append(f"{method}: {note}{where}")
    return f"Of note: {'; '.join(lines)}." if lines else ""


def _table1(table: "pd.DataFrame") -> dict[str, Any]:
    import pandas as pd

    notes, any_printed = Footnotes(), bool((table["verdict"] != "not printed").any())

    def shape(row: Any, column: str) -> dict[str, str]:
        ours, printed = getattr(row, column), getattr(row, f"printed_{column}")
        return {
            "ours": f"{ours}" if ours else DASH,
            "printed": "" if pd.isna(printed) or int(printed) == ours else f"{printed:.0f}",
        }

    rows = [
        {
            "dataset": row.dataset,
            "shape": [shape(row, c) for c in ("objects", "features", "classes")],
            "class_sizes": row.class_sizes,
            "stored_as": row.stored_as.removesuffix(" non-zero"),
            "preprocessing": row.preprocessing.replace("_", " "),
            "base": row.base_clusterings,
            "verdict": row.verdict,
            "mark": notes.mark(row.note),
        }
        for row in table.itertuples()
    ]
    counts = table["verdict"].value_counts()
    compared = int(counts.get("match", 0) + counts.get("differs", 0))
    sentence = (
        f"{counts.get('match', 0)} of the {compared} cases in print have exactly the printed dimensions."
        if compared
        else "No printed dimensions are at hand to compare with."
    )
    return {"rows": rows, "notes": _footnotes(notes), "sentence": sentence, "any_printed": any_printed}


def _footnotes(notes: Footnotes) -> list[dict[str, str]]:
    return [{"mark": mark, "text": text} for text, mark in notes.marks.items()]


def _table2(study: Study, table: "pd.DataFrame") -> dict[str, Any]:
    notes, blocks = Footnotes(), []
    for metric in study.table2:
        block = table[table["metric"] == metric]
        blocks.append(
            {
                "metric": metric,
                "rows": [
                    {
                        "dataset": case["dataset"].iloc[0],
                        "cells": [_cell(row, notes) for row in case.itertuples()],
                    }
                    for _, case in block.groupby("case", sort=False)
                ],
            }
        )
    columns = [{"name": row.method, "reading": READINGS[row.reading]} for row in study_rows(study)]
    printed = bool(table["printed"].notna().any())
    return {
        "columns": columns,
        "blocks": blocks,
        "notes": _footnotes(notes),
        "legend": legend(study, table),
        "printed": printed,
    }


def _view(seen: Study, table: "pd.DataFrame") -> dict[str, Any]:
    return {**_table2(seen, table), "title": seen.title, "to_the_digit": to_the_digit(seen, table)}


def _cell(row: Any, notes: Footnotes) -> dict[str, Any]:
    mean, printed = row.mean, row.printed
    return {
        "mean": "-" if math.isnan(mean) else score_text(mean),
        "std": "" if math.isnan(row.std) else f"±{score_text(row.std)}",
        "bold": marks(row)[0],
        "best": marks(row)[1],
        "mark": notes.mark(row.note),
        "printed": DASH if math.isnan(printed) else score_text(printed),
        "difference": "" if math.isnan(row.difference) else signed_text(row.difference),
    }


def _figure(study: Study, titles: Mapping[str, str], name: str) -> dict[str, Any]:
    figure = getattr(study, name)
    drawn = cases_drawn(study, figure)
    wide = len(drawn) if len(drawn) > 1 else len(figure.metrics)
    return {
        "name": f"Figure {name[-1]}",
        "cases": len(drawn),
        "wide": wide if name == "figure1" else 3,
        "file": f"{name}.svg",
        "caption": caption(study, titles, name),
    }


def _further(
    study: Study, titles: Mapping[str, str], figure: AnyFigure, table: "pd.DataFrame"
) -> dict[str, Any]:
    return {
        "name": figure.title,
        "cases": further.panels(study, figure),
        "wide": 0,  # as wide as the picture is
        "file": f"{figure.id}.svg",
        "caption": further.caption(study, titles, figure, table),
    }


def _starts(study: Study, tables: Mapping[str, "pd.DataFrame"]) -> dict[str, Any]:
    """Return the statistics of random starts, and what a printed F1 can be."""
    assert study.starts
    table, bounds = tables["starts"], tables["f1_bounds"]
    blocks = [
        {
            "metric": metric,
            "rows": [
                {"dataset": row.dataset, "method": row.method, "cells": starts.cells(row)}
                for row in block.itertuples()
            ],
        }
        for metric, block in table.groupby("metric", sort=False)
    ]
    return {
        "title": study.starts.title,
        "columns": list(STATISTICS),
        "blocks": blocks,
        "legend": starts.legend(study, table),
        "sentences": starts.sentences(table, bounds),
        "bounds": [
            [row.dataset, row.method]
            + [score_text(getattr(row, name)) for name in ("printed_ACC", "printed_F", *DEFINITIONS)]
            for row in bounds.itertuples()
        ],
        "definitions": [[name, text] for name, text in DEFINITIONS.items()],
    }


def _restarts(study: Study, table: "pd.DataFrame") -> dict[str, Any]:
    """Rows of Table 2 down, data sets across, only what differs."""
    titles = list(dict.fromkeys(table["dataset"]))
    names = {row.name: row for row in study_rows(study)}
    blocks = []
    for metric, block in table.groupby("metric", sort=False):
        cells = {
            (row.row, row.dataset): {
                "score": score_text(row.best_of_restarts),
                "change": signed_text(row.change),
            }
            for row in block.itertuples()
        }
        rows = [
            {
                "method": names[name].method,
                "reading": READINGS[names[name].reading],
                "cells": [cells.get((name, t), {"score": DASH, "change": ""}) for t in titles],
            }
            for name in dict.fromkeys(block["row"])
        ]
        blocks.append({"metric": metric, "rows": rows})
    return {"datasets": titles, "blocks": blocks, "legend": restarts.legend(study)}


def _runtime(study: Study, table: "pd.DataFrame", titles: Mapping[str, str]) -> dict[str, Any]:
    rows = []
    for case, group in table.groupby("case", sort=False):
        cells = {row.method: row for row in group.itertuples()}
        rows.append(
            {
                "dataset": titles[str(case)],
                "n": int(group["n"].iloc[0]),
                "n_profiles": int(group["n_profiles"].iloc[0]),
                "cells": [
                    {
                        "seconds": _seconds(cells[run.id].cpu_seconds),
                        "fit": _seconds(cells[run.id].cpu_seconds_per_fit),
                        "printed": _known_seconds(cells[run.id].printed_seconds),
                        "program": _known_seconds(cells[run.id].program_seconds),
                    }
                    if run.id in cells
                    else {"seconds": DASH, "fit": "", "printed": "", "program": ""}
                    for run in study.methods
                ],
                "peak": f"{group['peak_rss_mib'].max():.0f}",
            }
        )
    fits, total = int(table["fits"].sum()), float(table["cpu_seconds"].sum())
    return {
        "methods": [run.id for run in study.methods],
        "rows": rows,
        "sentence": f"The {fits} fits took {_seconds(total)} of CPU time.",
        "printed": bool(table["printed_seconds"].notna().any()),
        "program": bool(table["program_seconds"].notna().any()),
    }


def _known_seconds(value: float) -> str:
    return "" if math.isnan(value) else _seconds(value)


def _seconds(value: float) -> str:
    if value >= 3600:
        return f"{value / 3600:.1f} h"
    if value >= 100:
        return f"{value:.0f} s"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"


def _provenance(record: Mapping[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    commit = record["commit"]
    state = (
        f"{commit['commit']}{' (with uncommitted changes)' if commit['dirty'] else ''}"
        if commit
        else "not known"
    )
    machine = record["machine"]
    facts = [
        ["Study", record["study"]],
        ["Seed", "not recorded" if record["seed"] is None else str(record["seed"])],
        ["Commit", state],
        ["Machine", f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}"],
        [
            "Versions",
            ", ".join(f"{name} {version}" for name, version in record["versions"].items() if version),
        ],
    ]
    embedded = [titles[case] for case, files in record["data"].items() if not files]
    checksums = [
        {"dataset": titles[case], "file": Path(name).name, "sha256": digest}
        for case, files in record["data"].items()
        for name, digest in files.items()
    ]
    return {"facts": facts, "checksums": checksums, "embedded": ", ".join(embedded)}
