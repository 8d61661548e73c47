"""What the PDF says: every number and sentence of it, as plain data for the typst template."""

import inspect
import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config import MethodRun, Study
from concord.reports.claims import VERDICTS
from concord.reports.figures import caption, cases_drawn
from concord.reports.published import Published, printed_methods, printed_names
from concord.reports.rows import READINGS, case_titles, main_row, point_text, study_rows, symbol
from concord.reports.tables import DASH, Footnotes, legend

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec

METRICS = {
    "ACC": ("accuracy under the best one-to-one matching of clusters and classes", "kuhn"),
    "NMI": ("mutual information divided by the larger of the two entropies", "strehl"),
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
    tables: table1, table2, claims, runtime and failures, as this stage and the scores stage write them.
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
        "verdicts": _verdict_sentence(tables["claims"]),
        "claims": _claims(tables["claims"]),
        "failures": _failures(tables["failures"], titles),
        "table1": _table1(tables["table1"]),
        "protocol": _protocol(study, references),
        "table2": _table2(study, tables["table2"]),
        "figure": _figure(study, titles),
        "agreement": _agreement(tables["table2"]),
        "points": _points(study, registry, published, tables),
        "runtime": _runtime(study, tables["runtime"], titles),
        "provenance": _provenance(provenance, titles),
        "tools": [references.cite(LITERATURE[tool]) for tool in ("sklearn", "snakemake")],
        "references": list(references.works),
    }


def _verdict_sentence(claims: "pd.DataFrame") -> str:
    if claims.empty:
        return ""
    counts = claims["verdict"].value_counts()
    parts = [f"{counts[v]} {'is' if counts[v] == 1 else 'are'} {v}" for v in VERDICTS if v in counts]
    n = len(claims)
    return f"Of {n} claim{'s' * (n > 1)} checked in code, {_and(parts)}."


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _claims(claims: "pd.DataFrame") -> list[dict[str, str]]:
    return [
        {"claim": _symbols(row.claim), "verdict": row.verdict, "evidence": row.evidence}
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
        else "None of them is in the print, so there are no printed dimensions to compare with."
    )
    return {"rows": rows, "notes": _footnotes(notes), "sentence": sentence, "any_printed": any_printed}


def _footnotes(notes: Footnotes) -> list[dict[str, str]]:
    return [{"mark": mark, "text": text} for text, mark in notes.marks.items()]


def _protocol(study: Study, references: References) -> dict[str, Any]:
    ensemble, significance = study.ensemble, study.significance
    k = "the number of classes" if ensemble.n_clusters == "classes" else f"{ensemble.n_clusters}"
    tuned = [run for run in study.methods if run.grid]
    cited = [(metric, *METRICS[metric]) for metric in study.metrics]
    return {
        "runs": ensemble.runs,
        "subset_size": ensemble.subset_size,
        "n_subsets": ensemble.n_subsets,
        "max_iter": ensemble.max_iter,
        "k": k,
        "ready_made": sum(case.ensemble != "kmeans" for case in study.cases),
        "made": sum(case.ensemble == "kmeans" for case in study.cases),
        "restarts": {
            "mean": "the mean over its random restarts",
            "chosen": "that of the restart with the best objective",
        }[study.restarts],
        "methods": [_method(run, references) for run in study.methods],
        "base": study.base_clusterings,
        "metrics": "; ".join(
            " ".join(filter(None, (f"{metric}, {text}", references.cite(LITERATURE.get(key, "")))))
            for metric, text, key in cited
        ),
        "tuned": _and([run.id for run in tuned]) if tuned else "",
        "defaults": "; ".join(
            f"{point_text(run.default)}{f' for {run.id}' if len(tuned) > 1 else ''}" for run in tuned
        ),
        "reading": READINGS[study.reading],
        "test": {"paired": "the paired t-test", "welch": "Welch's t-test"}[significance.test],
        "alpha": f"{significance.alpha:g}",
        "holm": references.cite(LITERATURE["holm"]),
    }


def _method(run: MethodRun, references: References) -> dict[str, str]:
    from concord.methods import registry

    text = inspect.cleandoc(
        (registry.load(run.method).__doc__ if run.method in registry.available() else "") or ""
    )
    section = re.search(r"References\n-+\n(.+?)(?:\n\n|;|\Z)", text, flags=re.DOTALL)
    work = " ".join(section.group(1).split()) if section else ""
    grid = ", ".join(f"{symbol(name)} ∈ {{{_values(values)}}}" for name, values in run.grid.items())
    return {
        "id": run.id,
        "does": text.split("\n", 1)[0],
        "parameters": ", ".join(f"{symbol(name)} = {value}" for name, value in run.parameters.items()),
        "grid": f"{grid} ({len(run.points)} points)" if grid else "",
        "cite": references.cite(work.rstrip(".") + "." if work else ""),
    }


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


def _cell(row: Any, notes: Footnotes) -> dict[str, Any]:
    mean, printed = row.mean, row.printed
    return {
        "mean": "-" if math.isnan(mean) else _score(mean),
        "std": "" if math.isnan(row.std) else f"±{_score(row.std)}",
        "bold": bool(row.bold),
        "star": bool(row.best) and not bool(row.bold),
        "mark": notes.mark(row.note),
        "printed": DASH if math.isnan(printed) else _score(printed),
        "difference": "" if math.isnan(row.difference) else _signed(row.difference),
    }


def _score(value: float) -> str:
    """Three decimals without the leading zero, as the papers' tables have it."""
    return f"{value:.3f}".removeprefix("0")


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1).replace("-", "\N{MINUS SIGN}")


def _figure(study: Study, titles: Mapping[str, str]) -> dict[str, Any]:
    figure = study.figure1
    drawn = cases_drawn(study, figure) if figure else []
    wide = len(drawn) if len(drawn) > 1 or not figure else len(figure.metrics)
    return {"cases": len(drawn), "wide": wide, "file": "figure1.svg", "caption": caption(study, titles)}


def _agreement(table: "pd.DataFrame") -> list[dict[str, Any]]:
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
                "near": int((group["difference_se"].abs() <= 2).sum()),
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
        _standard_error(table2),
        *_worth_of_the_oracle(study, table2),
        *_nearest_reading(study, table2),
        _shapes_that_differ(tables["table1"]),
        _absent(study, registry, published),
    ]
    return [sentence for sentence in sentences if sentence]


def _nearness(study: Study, table: "pd.DataFrame") -> str:
    rows = {main_row(study, m) for m in (study.base_clusterings, *(run.id for run in study.methods))}
    main = table[[(m, r) in rows for m, r in zip(table["method"], table["reading"], strict=True)]]
    main = main.dropna(subset=["mean", "printed"])
    if main.empty:
        return "No score here has a printed value to be held against."
    near = int((main["difference_se"].abs() <= 2).sum())
    close = int((main["difference"].abs() <= 0.02).sum())
    return (
        f"{near} of the {len(main)} printed scores that this run covers lie within two standard errors of "
        f"our mean, and {close} within 0.02."
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
                    f"point (mean of {len(means)} row{'s' * (len(means) > 1)} of Table 2). "
                    "No user without the classes has this."
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
    methods = set(printed_methods(study).values())
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
                    }
                    if run.id in cells
                    else {"seconds": DASH, "fit": ""}
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
    }


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
