"""Tables 1 and 2, as CSV for programs and as Markdown for people."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config.protocol import Case
from concord.config.study import Study
from concord.datasets.registry import MADE
from concord.errors import InputError
from concord.files import write_text
from concord.reports.published import Published, printed_methods, printed_names
from concord.reports.rows import READINGS, case_titles, numbers_text, steps_text, study_rows

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec

SHAPE = ("objects", "features", "classes")
PRINTED_SHAPE = tuple(f"printed_{column}" for column in SHAPE)
DASH = "\N{EN DASH}"
"""Stands where nothing is printed."""
TAKEN = "\N{DAGGER}"
"""Marks what is bold among the paper's methods, but not among all methods of the table."""

KINDS = {"kmeans": "k-means", "minibatch": "mini-batch k-means", "mixed": "by several algorithms"}
"""How the ensembles that are made here are named beside their number of base clusterings."""

HALF_DIGIT = 0.5005e-3
"""Half of the third decimal, which is the last that is printed; ours may lie on the edge up to rounding."""

TABLE1 = (
    "case", "dataset", "objects", "features", "classes", "class_sizes", "stored_as", "preprocessing",
    "base_clusterings", *PRINTED_SHAPE, "verdict", "source", "licence", "note",
)  # fmt: skip
TABLE2 = (
    "case", "dataset", "metric", "method", "reading", "row", "mean", "std", "n", "printed", "difference",
    "difference_se", "best", "bold", "paper_best", "paper_bold", "parameters", "note",
)  # fmt: skip


def table1(
    study: Study, registry: Mapping[str, "DatasetSpec"], published: Published, prepared: Mapping[str, Path]
) -> "pd.DataFrame":
    """Table 1 from the prepared data, beside the print.

    Parameters
    ----------
    prepared: the prepared data file of every case.

    Returns
    -------
    One row per case with the columns :data:`TABLE1`; ``verdict`` is "match", "differs" or "not printed".
    """
    import pandas as pd

    if missing := [case.id for case in study.described if case.id not in prepared]:
        raise InputError(
            f"--prepared: no file for the case {missing[0]!r}; add {missing[0]}=data/prepared/..."
        )
    titles, names = case_titles(study, registry), printed_names(study, registry, published, described=True)
    rows = []
    for case in study.described:
        spec = registry[case.dataset]
        measured = _measure(prepared[case.id])
        printed = published.shapes.get(names.get(case.id, ""))
        rows.append(
            {
                "case": case.id,
                "dataset": titles[case.id],
                **measured,
                "preprocessing": steps_text(case, spec),
                "base_clusterings": _base_clusterings(study, case),
                **dict(zip(PRINTED_SHAPE, (n or None for n in printed or (0, 0, 0)), strict=True)),
                "verdict": _verdict(measured, printed),
                "source": spec.source,
                "licence": spec.licence,
                "note": spec.note,
            }
        )
    table = pd.DataFrame(rows, columns=list(TABLE1))
    return table.astype(dict.fromkeys(PRINTED_SHAPE, "Int64"))


def _verdict(measured: Mapping[str, Any], printed: Sequence[int] | None) -> str:
    """Compare with the print what is there and told: a data set of base clusterings has no features."""
    if printed is None:
        return "not printed"
    ours = [measured[column] for column in SHAPE]
    return "match" if all(a == b for a, b in zip(ours, printed, strict=True) if a and b) else "differs"


def _base_clusterings(study: Study, case: Case) -> str:
    if case in study.only_in_table1:
        return "not clustered here"
    if case.ensemble not in MADE:
        return f"ready-made: {case.ensemble}"
    own = case.n_clusters if isinstance(case.n_clusters, tuple) else ()
    return f"{study.ensemble.runs} {KINDS[case.ensemble]}{f', k: {numbers_text(own)}' if own else ''}"


def _measure(path: Path) -> dict[str, Any]:
    import numpy as np

    from concord.datasets import prepared

    data = prepared.load(path)
    n, d = data.X.shape
    sizes = np.bincount(data.y)
    stored = f"sparse, {data.X.nnz / (n * d):.2%} non-zero" if hasattr(data.X, "nnz") else "dense"
    if not d:
        stored = "no features"
    return {
        "objects": n,
        "features": d,
        "classes": len(data.class_names),
        "class_sizes": f"{sizes.min()}{DASH}{sizes.max()}",
        "stored_as": stored,
    }


def table2(
    study: Study,
    registry: Mapping[str, "DatasetSpec"],
    published: Published,
    summary: "pd.DataFrame",
    papers: "pd.DataFrame",
    selected: "pd.DataFrame",
    failures: "pd.DataFrame",
    notes: "pd.DataFrame",
) -> "pd.DataFrame":
    """Table 2: one row per case, metric and row of the table.

    ``difference`` is ours less the print; ``difference_se`` the same in standard errors of our mean,
    std / sqrt(n) with n the number of subsets. ``best`` and ``bold`` are among all methods here,
    ``paper_best`` and ``paper_bold`` among those of the paper; a method that the paper does not have is
    judged among all. ``parameters`` holds the grid point of a reading that takes one point for all subsets.
    ``note`` says why a mean covers fewer subsets than the study has, and what the method remarks.

    Parameters
    ----------
    summary, papers: as :func:`concord.scores.summary.summarise` returns it, of the study and of the study
        with the methods that the paper prints.
    """
    import pandas as pd

    titles, names, methods = (
        case_titles(study, registry),
        printed_names(study, registry, published),
        printed_methods(study, published),
    )
    measured = {
        (row.case, row.metric, row.method, row.reading): row for row in summary.itertuples(index=False)
    }
    in_paper = {
        (row.case, row.metric, row.method, row.reading): row for row in papers.itertuples(index=False)
    }
    points, absent = _points(selected), study.absent()
    reasons, remarks = _reasons(failures), _method_notes(study, notes)
    rows = []
    for case in study.cases:
        for metric in study.table2:
            for row in study_rows(study):
                key = (case.id, metric, row.method, row.reading)
                cell = measured.get(key)
                mean, std, n = (cell.mean, cell.std, int(cell.n)) if cell else (math.nan, math.nan, 0)
                printed = published.scores.get(
                    (names.get(case.id, ""), metric, methods[row.method]), math.nan
                )
                missing = 0 if case in absent.get(row.method, ()) else study.ensemble.n_subsets - n
                reason = reasons.get((case.id, row.method), "no score")
                failed = (
                    f"failed on {missing} of {study.ensemble.n_subsets} subsets: {reason}" if missing else ""
                )
                note = "; ".join(filter(None, (failed, remarks.get((case.id, row.method)))))
                among = in_paper.get(key, cell)
                rows.append(
                    {
                        "case": case.id,
                        "dataset": titles[case.id],
                        "metric": metric,
                        "method": row.method,
                        "reading": row.reading,
                        "row": row.name,
                        "mean": mean if n else math.nan,
                        "std": std,
                        "n": n,
                        "printed": printed,
                        "difference": mean - printed,
                        "difference_se": _in_standard_errors(mean - printed, std, n),
                        "best": bool(cell.best) if cell else False,
                        "bold": bool(cell.bold) if cell else False,
                        "paper_best": bool(among.best) if among else False,
                        "paper_bold": bool(among.bold) if among else False,
                        "parameters": points.get(key, ""),
                        "note": note,
                    }
                )
    return pd.DataFrame(rows, columns=list(TABLE2))


def _in_standard_errors(difference: float, std: float, n: int) -> float:
    if n < 2 or not std > 0:
        return math.nan
    return difference / (std / math.sqrt(n))


def _points(selected: "pd.DataFrame") -> dict[tuple[str, str, str, str], str]:
    one_point = selected[selected["reading"].isin(["oracle-common", "default"])]
    first = one_point.drop_duplicates(["case", "metric", "method", "reading"])
    return {(row.case, row.metric, row.method, row.reading): row.parameters for row in first.itertuples()}


def _reasons(failures: "pd.DataFrame") -> dict[tuple[str, str], str]:
    """Return the reasons of a method's failures on a case, the most frequent first."""
    reasons = {}
    for (case, method), group in failures.groupby(["case", "method"], sort=False):
        counts = (
            group["reason"].value_counts(sort=True).sort_index().sort_values(ascending=False, kind="stable")
        )
        reasons[str(case), str(method)] = "; ".join(map(str, counts.index))
    return reasons


def _method_notes(study: Study, notes: "pd.DataFrame") -> dict[tuple[str, str], str]:
    """Return what a method remarks about its answers on a case, and on how many subsets if not on all."""
    found = {}
    for (case, method), group in notes.groupby(["case", "method"], sort=False):
        parts = []
        for note, rows in group.groupby("note", sort=True):
            n, of = rows["subset"].nunique(), study.ensemble.n_subsets
            parts.append(f"{note}" if n == of else f"{note} (on {n} of {of} subsets)")
        found[str(case), str(method)] = "; ".join(parts)
    return found


def write_csv(frame: "pd.DataFrame", path: Path, form: str = "%.6f") -> None:
    """Write a table as CSV, six decimals or as ``form`` says, the same bytes for the same numbers."""
    write_text(path, frame.to_csv(index=False, float_format=form, lineterminator="\n"))


def table1_markdown(study: Study, table: "pd.DataFrame") -> str:
    """Table 1 for people: shapes with the printed ones beneath where they differ."""
    header = (
        "Data set",
        "Objects",
        "Features",
        "Classes",
        "Class sizes",
        "Stored as",
        "Preprocessing",
        "Print",
    )
    body = [
        [
            row.dataset,
            *(_beside(getattr(row, c), getattr(row, f"printed_{c}")) for c in SHAPE),
            row.class_sizes,
            row.stored_as,
            row.preprocessing,
            row.verdict,
        ]
        for row in table.itertuples()
    ]
    notes = [
        f"* {row.dataset}: {row.note}" for row in table.itertuples() if isinstance(row.note, str) and row.note
    ]
    lines = [f"# Table 1. Data sets of {study.title}", "", *markdown_table(header, body)]
    return "\n".join([*lines, *(["", "Notes:", "", *notes] if notes else []), ""])


def _beside(ours: int, printed: Any) -> str:
    import pandas as pd

    text = f"{ours}" if ours else DASH
    return text if pd.isna(printed) or printed == ours else f"{text} (printed {printed})"


def view_markdown(seen: Study, table: "pd.DataFrame") -> str:
    """Return the table of a view for people."""
    counted = to_the_digit(seen, table)
    return table2_markdown(seen, table, seen.title) + (f"\n{counted}\n" if counted else "")


def to_the_digit(study: Study, table: "pd.DataFrame") -> str:
    """Say how many printed scores are ours when ours are rounded to three decimals; empty without a print.

    Of a tuned method only the study's reading counts.
    """
    counted = table["reading"].isin(["fixed", study.reading])
    both = table[counted].dropna(subset=["mean", "printed"])
    if both.empty:
        return ""
    equal = int((both["difference"].abs() < HALF_DIGIT).sum())
    reading = f" ({READINGS[study.reading]})" if any(run.grid for run in study.methods) else ""
    digit = f"to their last digit, the third decimal{reading}"
    return f"{equal} of the {len(both)} printed means are ours {digit}."


def table2_markdown(study: Study, table: "pd.DataFrame", title: str = "") -> str:
    """Table 2 for people: a block per metric, data sets down, rows of the table across."""
    rows = [row.name for row in study_rows(study)]
    footnotes, any_printed = Footnotes(), bool(table["printed"].notna().any())
    name = "After Table 2" if study.other_data else "Table 2"
    lines = [f"# {title or f'{name}. {study.title}'}", "", legend(study, table), ""]
    for metric in study.table2:
        block = table[table["metric"] == metric]
        cells = {
            (row.case, row.row): _markdown_cell(row, footnotes, any_printed) for row in block.itertuples()
        }
        titles = block.drop_duplicates("case").set_index("case")["dataset"]
        body = [[title, *(cells[case, row] for row in rows)] for case, title in titles.items()]
        lines += [f"## {metric}", "", *markdown_table(["Data set", *rows], body), ""]
    lines += [f"[{mark}] {text}  " for text, mark in footnotes.marks.items()]
    return "\n".join(lines).rstrip() + "\n"


def legend(study: Study, table: "pd.DataFrame") -> str:
    """One paragraph that says what a cell of Table 2 shows."""
    test = {"paired": "paired t-test", "welch": "Welch's t-test"}[study.significance.test]
    n = study.ensemble.n_subsets
    printed = (
        f" Beneath: the printed value, and ours less the print; {DASH} where nothing is printed."
        if table["printed"].notna().any()
        else ""
    )
    absent = ' "-" without a note: not run there.' if study.absent() else ""
    base = f"{study.base_clusterings} is the mean of {_scored(study)}.{absent}"
    if n == 1:
        return (
            f"Scores on one ensemble of {study.ensemble.subset_size} base clusterings; {base}{printed} "
            f"* the best method; with one ensemble nothing is tested.{_readings_legend(study)}"
        )
    return (
        f"Mean ± standard deviation over {n} subsets of {study.ensemble.subset_size} base clusterings; "
        f"{base}{printed} "
        f"Bold: the best method, and different from every other ({test}, p < {study.significance.alpha:g}, "
        f"no correction for many tests); * the best, but not so.{_papers_legend(study, table)}"
        f"{_readings_legend(study)}"
    )


def _scored(study: Study) -> str:
    return "those drawn" if study.ensemble.draws else f"all {study.ensemble.runs} runs"


def _papers_legend(study: Study, table: "pd.DataFrame") -> str:
    printed = set(table.dropna(subset="printed")["method"])
    others = [run.id for run in study.methods if run.id not in printed.union(study.unprinted)]
    if not printed or not others:
        return ""
    return (
        f" Both are meant among the methods that the paper has; {' and '.join(others)}, which it does not "
        f"have, must beat all of them. {TAKEN} bold only as long as {' and '.join(others)} is left out."
    )


def marks(row: Any) -> tuple[bool, str]:
    """Return whether a cell of Table 2 is bold, and its mark: "*" best, not bold; "†" bold in the paper."""
    bold = bool(row.paper_bold)
    if bold and not row.bold:
        return bold, TAKEN
    return bold, "*" if row.paper_best and not bold else ""


def _readings_legend(study: Study) -> str:
    tuned = [run.id for run in study.methods if run.grid]
    if not tuned:
        return ""
    names = " and ".join(filter(None, (", ".join(tuned[:-1]), tuned[-1])))
    whose = "that method" if len(tuned) == 1 else "those methods"
    return (
        f" Oracle rows choose parameters with the true classes. Each reading of {names} is judged by itself "
        f"against the other methods; the others are judged against {whose} in the reading "
        f'"{READINGS[study.reading]}".'
    )


class Footnotes:
    """Letters for notes: the same note has the same letter."""

    def __init__(self) -> None:
        self.marks: dict[str, str] = {}

    def mark(self, note: object) -> str:
        """Return the letter of ``note``; empty for no note."""
        if not isinstance(note, str) or not note:
            return ""
        return self.marks.setdefault(note, _letter(len(self.marks)))


def _letter(index: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    return (_letter(index // 26 - 1) if index >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[index % 26]


def _markdown_cell(row: Any, footnotes: Footnotes, any_printed: bool) -> str:
    mark = footnotes.mark(row.note)
    mark = f" [{mark}]" if mark else ""
    if math.isnan(row.mean):
        ours = "-"
    else:
        ours = f"{row.mean:.3f}"
        bold, mark_of_best = marks(row)
        ours = (f"**{ours}**" if bold else ours) + mark_of_best.replace("*", "\\*")
        ours += "" if math.isnan(row.std) else f" ± {row.std:.3f}"
    if not any_printed:
        return ours + mark
    if math.isnan(row.printed):
        return f"{ours}{mark}<br>{DASH}"
    difference = "" if math.isnan(row.difference) else f" ({row.difference:+.3f})"
    return f"{ours}{mark}<br>{row.printed:.3f}{difference}"


def number_text(value: float, form: str = ".3f") -> str:
    """Write a number; :data:`DASH` for NaN."""
    return DASH if math.isnan(value) else format(value, form)


def markdown_table(header: Sequence[str], body: Iterable[Sequence[object]], left: int = 1) -> list[str]:
    """Lines of a Markdown table; the first ``left`` columns to the left, the others to the right."""
    lines = ["| " + " | ".join(header) + " |", "|:--" * left + "|--:" * (len(header) - left) + "|"]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in body]
