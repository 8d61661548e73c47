"""What the PDF says: every number and sentence of it, as plain data for the typst template."""

import inspect
import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config.figures import GRID_FIGURES, AnyFigure
from concord.config.protocol import MethodRun
from concord.config.study import Study
from concord.config.values import Value
from concord.datasets.registry import MADE
from concord.reports import agreement, further, generalisation, grids, readings, restarts, starts
from concord.reports.claims import ON_OTHER_DATA, VERDICTS, counting, with_others
from concord.reports.figures import caption, cases_drawn
from concord.reports.published import STATISTICS, Published, printed_methods, printed_names
from concord.reports.rows import (
    READINGS,
    all_parameters,
    case_titles,
    default_parameters,
    numbers_text,
    point_text,
    study_rows,
    symbol,
)
from concord.reports.tables import DASH, Footnotes, legend, marks, number_text, to_the_digit
from concord.scores.f1_bounds import DEFINITIONS

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec

METRICS = {
    "ACC": ("accuracy under the best one-to-one matching of clusters and classes", "kuhn"),
    "NMI": ("mutual information divided by the larger of the two entropies", "strehl"),
    "NMI-mean": ("mutual information divided by the mean of the two entropies", "strehl"),
    "ARI": ("adjusted Rand index", "hubert"),
    "purity": ("share of objects in the majority class of their cluster", ""),
    "F": ("pairwise F measure: precision and recall of the pairs of objects put together", ""),
}
LITERATURE = {
    "kuhn": "Kuhn: The Hungarian method for the assignment problem, "
    "Naval Research Logistics Quarterly 2, 1955.",
    "strehl": "Strehl, Ghosh: Cluster ensembles, a knowledge reuse framework for combining multiple "
    "partitions, Journal of Machine Learning Research 3, 2002.",
    "hubert": "Hubert, Arabie: Comparing partitions, Journal of Classification 2, 1985.",
    "holm": "Holm: A simple sequentially rejective multiple test procedure, "
    "Scandinavian Journal of Statistics 6, 1979.",
    "sklearn": "Pedregosa and others: Scikit-learn: machine learning in Python, "
    "Journal of Machine Learning Research 12, 2011.",
    "snakemake": "Mölder and others: Sustainable data analysis with Snakemake, F1000Research 10, 2021.",
}


MINUS = "\N{MINUS SIGN}"


class References:
    """Numbers for cited works, in the order of their first citation."""

    def __init__(self) -> None:
        self.works: dict[str, int] = {}

    def cite(self, work: str) -> str:
        """Return "[3]" for a work; empty for none."""
        return f"[{self.works.setdefault(work, len(self.works) + 1)}]" if work else ""


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
        "nearness": _nearness(study, tables["table2"]),
        "other_data": (study.other_data or "").strip(),
        "verdicts": _verdict_sentence(tables["claims"]),
        "claims": _claims(tables["claims"]),
        "failures": _failures(tables["failures"], titles),
        "remarks": _remarks(study, tables["notes"], titles),
        "table1": _table1(tables["table1"]),
        "protocol": _protocol(study, titles, references),
        "table2": _table2(study, tables["table2"]),
        "views": [_view(study.seen(view), tables[view.id]) for view in study.views],
        "starts": _starts(study, tables) if study.starts else None,
        "generalisation": _generalisation(study, tables),
        "restarts": _restarts(study, tables["restarts"]),
        "figures": [_figure(study, titles, name) for name in GRID_FIGURES if getattr(study, name)]
        + [_further(study, titles, figure, tables[figure.id]) for figure in study.figures],
        "order": _order(study, tables, titles),
        "agreement": _agreement(_counted(study, tables["table2"]), agreement.has_errors(study)),
        "points": _points(study, registry, published, tables),
        "differences": _differences(study, tables, titles),
        "readings": _readings(study, tables),
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
    return f"Of {n} claim{'s' * (n > 1)} checked in code, {_and(parts)}."


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


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


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
        where = "" if len(cases) == len(study.cases) else f" (on {_and([titles[c] for c in cases])})"
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


def _protocol(study: Study, titles: Mapping[str, str], references: References) -> dict[str, Any]:
    ensemble, significance = study.ensemble, study.significance
    words = {
        "classes": "the number of classes",
        "random": "drawn for each run from 2 to the root of n",
        "random-fine": "drawn for each run from half the root of n to the root of n",
    }
    k = words.get(str(ensemble.n_clusters), numbers_text(ensemble.n_clusters))
    tuned = [run for run in study.methods if run.grid]
    cited = [(metric, *METRICS[metric]) for metric in study.metrics]
    return {
        "runs": ensemble.runs,
        "subset_size": ensemble.subset_size,
        "n_subsets": ensemble.n_subsets,
        "drawn": ensemble.draws is not None,
        "max_iter": ensemble.max_iter,
        "k": k,
        "ready_made": sum(case.ensemble not in MADE for case in study.cases),
        "made": sum(case.ensemble in MADE for case in study.cases),
        "otherwise": _made_otherwise(study),
        "restarts": {
            "mean": "the mean over its random restarts",
            "chosen": "that of the restart with the best objective",
        }[study.restarts],
        "methods": [_method(run, references) for run in study.methods],
        "departures": _departures(study, titles),
        "base": study.base_clusterings,
        "metrics": "; ".join(
            " ".join(filter(None, (f"{metric}, {text}", references.cite(LITERATURE.get(key, "")))))
            for metric, text, key in cited
        ),
        "tuned": _and([run.id for run in tuned]) if tuned else "",
        "many_tuned": len(tuned) > 1,
        "defaults": "; ".join(
            f"{point_text(run.default)}{f' for {run.id}' if len(tuned) > 1 else ''}" for run in tuned
        ),
        "reading": READINGS[study.reading],
        "test": {"paired": "the paired t-test", "welch": "Welch's t-test"}[significance.test],
        "alpha": f"{significance.alpha:g}",
        "holm": references.cite(LITERATURE["holm"]),
    }


def _made_otherwise(study: Study) -> list[str]:
    """Say where base clusterings that are made here are not the study's k-means."""
    found = []
    if any(isinstance(case.n_clusters, tuple) for case in study.cases):
        found.append("Where Table 1 lists several numbers, the runs take them as k in turn.")
    if any(case.ensemble == "minibatch" for case in study.cases):
        found.append(
            "Mini-batch k-means moves its centres with batches of the objects (scikit-learn's defaults)."
        )
    shares = sorted({case.object_share for case in study.cases if case.ensemble == "mixed"})
    if shares:
        found.append(
            "Several algorithms means single, average, Ward and centroid linkage, k-means and spectral "
            "clustering (of a Gaussian similarity as wide as the median distance from the seventh neighbour) "
            f"in turn, each on {_and([f'{share:.0%}' for share in shares])} of the objects, drawn anew for "
            "each run: the others have no label there, but every object has one in each subset."
        )
    return found


def _method(run: MethodRun, references: References) -> dict[str, str]:
    text = _docstring(run)
    section = re.search(r"References\n-+\n(.+?)(?:\n\n|;|\Z)", text, flags=re.DOTALL)
    work = " ".join(section.group(1).split()) if section else ""
    fixed = {name: value for name, value in all_parameters(run).items() if name not in {"method", *run.grid}}
    grid = ", ".join(f"{symbol(name)} ∈ {{{_values(values)}}}" for name, values in run.grid.items())
    return {
        "id": run.id,
        "does": text.split("\n", 1)[0],
        "parameters": ", ".join(f"{symbol(name)} = {_value(value)}" for name, value in fixed.items()),
        "grid": f"{grid} ({len(run.points)} points)" if grid else "",
        "cite": references.cite(work.rstrip(".") + "." if work else ""),
    }


def _docstring(run: MethodRun) -> str:
    from concord.methods import registry

    method = registry.load(run.method) if run.method in registry.available() else None
    return inspect.cleandoc(method.__doc__ or "") if method else ""


def _departures(study: Study, titles: Mapping[str, str]) -> list[str]:
    """Say in the words of its docstring where a method departs from its own parameters, and where."""
    found = []
    for run in study.methods:
        defaults = default_parameters(run.method)
        where: dict[tuple[str, Value], list[str]] = {}
        for case in study.cases:
            for item in study.parameters(case, run).items():
                where.setdefault(item, []).append(titles[case.id])
        for (name, value), cases in where.items():
            if name in defaults and value != defaults[name]:
                everywhere = len(cases) == len(study.cases)
                text = f"{run.id} with {symbol(name)} = {_value(value)} instead of {_value(defaults[name])}"
                text += "" if everywhere else f" on {_and(cases)}"
                meaning = _meaning(_docstring(run), name)
                found.append(f"{text}: {meaning[0].lower()}{meaning[1:]}" if meaning else f"{text}.")
    return found


def _meaning(docstring: str, parameter: str) -> str:
    """Return what a docstring says about a parameter; empty if nothing."""
    entry = re.compile(rf"^(?:\w+, )*{parameter}(?:, \w+)* : .*\n((?:    .*\n?)+)", flags=re.MULTILINE)
    found = entry.search(docstring)
    return " ".join(found.group(1).replace("`", "").split()) if found else ""


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _values(values: Sequence[Any]) -> str:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == len(values) > 3 and all(v > 0 for v in numbers):
        ratios = {round(math.log10(b / a), 6) for a, b in pairwise(numbers)}
        if len(ratios) == 1:  # a geometric grid
            return f"{_power(numbers[0])}, {_power(numbers[1])}, …, {_power(numbers[-1])}"
    return ", ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)


def _power(value: float) -> str:
    """Return a power of ten as such: 10⁻⁴; other numbers as they are."""
    exponent = round(math.log10(value))
    if abs(exponent) < 2 or not math.isclose(value, 10.0**exponent):
        return f"{value:g}"
    return "10" + f"{exponent}".translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


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
    return {**_table2(seen, table), "title": seen.title, "to_the_digit": to_the_digit(table)}


def _cell(row: Any, notes: Footnotes) -> dict[str, Any]:
    mean, printed = row.mean, row.printed
    return {
        "mean": "-" if math.isnan(mean) else _score(mean),
        "std": "" if math.isnan(row.std) else f"±{_score(row.std)}",
        "bold": marks(row)[0],
        "best": marks(row)[1],
        "mark": notes.mark(row.note),
        "printed": DASH if math.isnan(printed) else _score(printed),
        "difference": "" if math.isnan(row.difference) else _signed(row.difference),
    }


def _score(value: float) -> str:
    """Three decimals without the leading zero, as the papers' tables have it."""
    return f"{value:z.3f}".replace("0.", ".", 1).replace("-", MINUS)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1).replace("-", MINUS)


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
            + [_score(getattr(row, name)) for name in ("printed_ACC", "printed_F", *DEFINITIONS)]
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
            (row.row, row.dataset): {"score": _score(row.best_of_restarts), "change": _signed(row.change)}
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


def _counted(study: Study, table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of the cases that count."""
    return table[table["case"].isin([case.id for case in study.counted])]


def _order(study: Study, tables: Mapping[str, "pd.DataFrame"], titles: Mapping[str, str]) -> dict[str, Any]:
    """Compare with the print by data set and by method: tau, near cells, ranks, the worst cells."""
    per_case, ranks, table2 = tables["agreement"], tables["ranks"], tables["table2"]
    metrics = list(dict.fromkeys(per_case["metric"]))
    by_case = [
        {
            "dataset": group["dataset"].iloc[0],
            "counted": bool(group["counted"].iloc[0]),
            "cells": [
                {
                    "tau": number_text(row.tau, ".2f").replace("-", MINUS),
                    "near": f"{row.near} of {row.methods}" if agreement.has_errors(study) else DASH,
                    "absolute": _score(row.mean_absolute),
                }
                for row in group.itertuples()
            ],
        }
        for _, group in per_case.groupby("case", sort=False)
    ]
    by_method = [
        {
            "method": method,
            "cells": [
                {
                    "here": f"{row.rank_sum:g}",
                    "printed": f"{row.printed_rank_sum:g}",
                    "place": f"{row.place}",
                    "printed_place": f"{row.printed_place}",
                }
                for row in group.itertuples()
            ],
        }
        for method, group in ranks.groupby("method", sort=False)
    ]
    worst = [
        {
            "dataset": row.dataset,
            "metric": row.metric,
            "row": row.row,
            "ours": _score(row.mean),
            "printed": _score(row.printed),
            "difference": _signed(row.difference),
            "se": _errors(row.difference_se),
        }
        for row in agreement.worst_cells(study, table2).itertuples()
    ]
    return {
        "metrics": metrics,
        "cases": by_case,
        "methods": by_method,
        "worst": worst,
        "datasets": int(ranks["datasets"].max()) if len(ranks) else 0,
        "sentences": list(agreement.sentences(study, table2, per_case)),
        "counting": counting(study, titles).strip(),
    }


def _differences(
    study: Study, tables: Mapping[str, "pd.DataFrame"], titles: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return headed sentences on what differs and why; each is computed."""
    table2 = _counted(study, tables["table2"])
    sections = {
        "Data and base clusterings": [*_doubts(study, table2, titles), *_base_clusterings(study, table2)],
        "Choice of parameters on the true classes": [
            *_worth_of_the_oracle(study, table2),
            *_nearest_reading(study, table2),
        ],
        "Scores over the grids": grids.sentences(study, tables["grids"]),
        "Mean or best of the restarts": restarts.sentences(study, tables["restarts"]),
    }
    return [{"title": title, "sentences": found} for title, found in sections.items() if found]


def _doubts(study: Study, table2: "pd.DataFrame", titles: Mapping[str, str]) -> list[str]:
    """Say of each case whose data may not be the paper's how far its scores are from the print."""
    cells = agreement.counted_cells(study, table2)
    found = []
    for case in study.cases:
        mine = cells["case"] == case.id
        if case.doubt and mine.any():
            away, elsewhere = (cells.loc[rows, "difference"].abs().mean() for rows in (mine, ~mine))
            compared = "" if math.isnan(elsewhere) else f", {_score(elsewhere)} on the other data sets"
            found.append(
                f"{titles[case.id]}: {case.doubt}. Its scores are {_score(away)} from the print on "
                f"average{compared}."
            )
    return found


def _base_clusterings(study: Study, table2: "pd.DataFrame") -> list[str]:
    """Say where the base clusterings themselves differ from the print, and how the methods fare there."""
    cells = agreement.counted_cells(study, table2)
    base = cells[cells["method"] == study.base_clusterings]
    away = base[~base["near"]]
    if base.empty:
        return []
    listed = [
        f"{row.dataset} {row.metric} {_signed(row.difference)} ({_errors(row.difference_se)} standard errors)"
        for row in away.itertuples()
    ]
    sentence = (
        f"The row {study.base_clusterings}, which no consensus method touches, is near the print on "
        f"{int(base['near'].sum())} of {len(base)} scores"
    )
    others = cells[cells["method"] != study.base_clusterings]
    where = set(zip(away["case"], away["metric"], strict=True))
    same = [pair in where for pair in zip(others["case"], others["metric"], strict=True)]
    distances = others["difference"].abs().groupby(same).mean()
    compared = (
        f" The methods' scores are {_score(distances[True])} from the print on average where that row is not "
        f"near, {_score(distances[False])} elsewhere."
        if len(distances) == 2
        else ""
    )
    return [f"{sentence}{f'; not near: {_and(listed)}' if listed else ''}.{compared}"]


def _readings(study: Study, tables: Mapping[str, "pd.DataFrame"]) -> dict[str, Any]:
    """Return what each question comes to, and every score of the other readings."""
    if "readings" not in tables:
        return {"sentences": [], "rows": [], "reading": ""}
    table = tables["readings"]
    summed = readings.summary(study, table)
    rows = [
        {
            "reading": str(reading),
            "differs": group["differs"].iloc[0],
            "dataset": group["dataset"].iloc[0],
            "method": str(method),
            "cells": [
                {
                    "own": _known(row.own),
                    "other": _known(row.other),
                    "printed": _known(row.printed),
                    "nearer": row.nearer if isinstance(row.nearer, str) else "",
                }
                for row in group.itertuples()
            ],
        }
        for (reading, case, method), group in table.groupby(["reading", "case", "method"], sort=False)
    ]
    return {
        "sentences": readings.sentences(summed),
        "rows": rows,
        "metrics": list(study.table2),
        "reading": READINGS[study.reading],
    }


def _errors(value: float) -> str:
    return number_text(value, "+.1f").replace("-", MINUS)


def _known(score: float) -> str:
    return DASH if math.isnan(score) else _score(score)


def _agreement(table: "pd.DataFrame", has_errors: bool) -> list[dict[str, Any]]:
    """Compare every row of Table 2 with the print: how many cells, how near, the largest difference."""
    printed = table.dropna(subset=["mean", "printed"])
    rows = []
    for (name, metric), group in printed.groupby(["row", "metric"], sort=False):
        worst = group.loc[group["difference"].abs().idxmax()]
        rows.append(
            {
                "row": name,
                "metric": metric,
                "cells": len(group),
                "near": str((group["difference_se"].abs() <= 2).sum()) if has_errors else DASH,
                "mean_difference": _signed(group["difference"].mean()),
                "mean_absolute": _score(group["difference"].abs().mean()),
                "worst": f"{_signed(worst['difference'])} ({worst['dataset']})",
            }
        )
    return rows


def _points(
    study: Study,
    registry: Mapping[str, "DatasetSpec"],
    published: Published,
    tables: Mapping[str, "pd.DataFrame"],
) -> list[str]:
    """Sentences on what differs and what is open; each is computed."""
    table2 = tables["table2"]
    sentences = [
        _standard_error(table2) if agreement.has_errors(study) else "",
        _shapes_that_differ(tables["table1"]),
        _absent(study, registry, published),
    ]
    return [sentence for sentence in sentences if sentence]


def _nearness(study: Study, table: "pd.DataFrame") -> str:
    cells = agreement.counted_cells(study, table)
    if cells.empty:
        return "No score here has a printed value to be held against."
    within = int((cells["difference"].abs() <= 0.02).sum())
    if not agreement.has_errors(study):
        return f"{within} of the {len(cells)} printed scores that this run covers lie within 0.02 of ours."
    return (
        f"{int(cells['near'].sum())} of the {len(cells)} printed scores that this run covers lie within two "
        f"standard errors of our mean, and {within} within 0.02."
    )


def _standard_error(table: "pd.DataFrame") -> str:
    if table["printed"].isna().all():
        return ""
    return (
        "The standard error is that of our mean over the subsets alone. The printed mean has one of its own, "
        "so even an exact repetition would leave about one score in six more than two standard errors away."
    )


def _worth_of_the_oracle(study: Study, table: "pd.DataFrame") -> list[str]:
    sentences = []
    for run in study.methods:
        for metric in study.table2 if run.grid else ():
            mine = table[(table["method"] == run.id) & (table["metric"] == metric)]
            means = mine.pivot(index="case", columns="reading", values="mean").dropna()
            if len(means):
                mean = means.mean()
                sentences.append(
                    f"Choosing the parameters of {run.id} with the true classes is worth "
                    f"{_signed(mean['oracle-per-subset'] - mean['default'])} {metric} over the default when "
                    f"done per subset, {_signed(mean['oracle-common'] - mean['default'])} with one common "
                    f"point (mean of {len(means)} data set{'s' * (len(means) > 1)})."
                )
    return sentences


def _nearest_reading(study: Study, table: "pd.DataFrame") -> list[str]:
    sentences = []
    for run in study.methods:
        mine = (
            table[(table["method"] == run.id)].dropna(subset=["mean", "printed"]) if run.grid else table[:0]
        )
        if len(mine):
            distance = mine["difference"].abs().groupby(mine["reading"]).mean().sort_values(kind="stable")
            listed = ", ".join(
                f"{READINGS[str(reading)]}: {_score(value)}" for reading, value in distance.items()
            )
            sentences.append(
                f"Mean absolute difference of each reading of {run.id} from its printed row: {listed}."
            )
    return sentences


def _shapes_that_differ(table1: "pd.DataFrame") -> str:
    differing = table1[table1["verdict"] == "differs"]["dataset"].tolist()
    return f"The dimensions of {_and(differing)} differ from the print (Table 1)." if differing else ""


def _absent(study: Study, registry: Mapping[str, "DatasetSpec"], published: Published) -> str:
    methods = {*printed_methods(study, published).values(), *(run.id for run in study.readings.methods)}
    cases = set(printed_names(study, registry, published).values())
    printed_datasets = dict.fromkeys(dataset for dataset, _, _ in published.scores)
    absent_methods = list(dict.fromkeys(m for _, _, m in published.scores if m not in methods))
    absent_cases = [registry_title(registry, d) for d in printed_datasets if d not in cases]
    parts = [f"the methods {_and(absent_methods)}"] if absent_methods else []
    parts += [f"the data sets {_and(absent_cases)}"] if absent_cases else []
    return f"In print but not in this run: {'; '.join(parts)}." if parts else ""


def registry_title(registry: Mapping[str, "DatasetSpec"], name: str) -> str:
    """Return a printed data set's name with the registry's capital letters."""
    return next((spec.title for spec in registry.values() if spec.title.casefold() == name), name)


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
