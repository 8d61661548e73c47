"""CPU seconds and memory of every method on every case, from the files that the consensus jobs leave."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from concord.config.study import Study
from concord.errors import InputError
from concord.reports.published import Published, printed_methods, printed_names
from concord.reports.rows import Titled
from concord.reports.tables import markdown_table, number_text

if TYPE_CHECKING:
    import pandas as pd

RUNTIME = ("case", "method", "n", "n_profiles", "fits", "cpu_seconds", "cpu_seconds_per_fit", "peak_rss_mib")


def runtime_table(study: Study, files: Iterable[Path]) -> "pd.DataFrame":
    """Return one row per case and method, in the order of the study.

    ``n_profiles`` is the median over the subsets; a fit is one subset at one grid point, all restarts;
    ``peak_rss_mib`` is the largest resident set of a job, the interpreter and its libraries included.

    Raises
    ------
    InputError
        If a file is not a record of a run, or a subset is recorded twice.
    """
    import pandas as pd

    blocks: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(files):
        block = _read(path)
        taken = {subset for other in blocks[block["case"], block["method"]] for subset in other["subsets"]}
        if twice := taken & set(block["subsets"]):
            raise InputError(f"{path}: subset {min(twice)} is in another file too; delete the older blocks")
        blocks[block["case"], block["method"]].append(block)
    rows = [
        {"case": case.id, "method": run.id, **_total(blocks[case.id, run.id])}
        for case in study.cases
        for run in study.methods
        if (case.id, run.id) in blocks
    ]
    return pd.DataFrame(rows, columns=list(RUNTIME))


def beside_the_print(
    study: Study, registry: Mapping[str, Titled], published: Published, table: "pd.DataFrame"
) -> "pd.DataFrame":
    """Return the runtimes with the seconds of a fit that others took, NaN where none are known.

    ``printed_seconds`` are those of the paper's machine, ``program_seconds`` the CPU seconds of its authors'
    program on the same input.
    """
    names, methods = printed_names(study, registry, published), printed_methods(study, published)
    keys = [
        (names.get(case, ""), methods[method])
        for case, method in zip(table["case"], table["method"], strict=True)
    ]
    others = {"printed_seconds": published.seconds, "program_seconds": published.program}
    columns = {name: [seconds.get(key) for key in keys] for name, seconds in others.items()}
    return table.assign(**columns).astype(dict.fromkeys(others, float))


def _read(path: Path) -> dict[str, Any]:
    try:
        block: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        needed = {"case", "method", "subsets", "n", "n_profiles", "cpu_seconds", "peak_rss_mib"}
        if missing := needed - set(block):
            raise ValueError(f"{min(missing)!r} is missing")
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"{path}: not a record of a run ({error}); delete it and run its job again"
        ) from None
    return block


def _total(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    seconds = [s for block in blocks for subset in block["cpu_seconds"] for s in subset]
    return {
        "n": blocks[0]["n"],
        "n_profiles": int(median([p for block in blocks for p in block["n_profiles"]])),
        "fits": len(seconds),
        "cpu_seconds": sum(seconds),
        "cpu_seconds_per_fit": sum(seconds) / len(seconds),
        "peak_rss_mib": max(block["peak_rss_mib"] for block in blocks),
    }


def runtime_markdown(study: Study, table: "pd.DataFrame") -> str:
    """Return the runtimes for people."""
    header = [
        *("Case", "Method", "n", "n'", "Fits", "CPU s", "CPU s per fit", "Printed s", "Program's CPU s"),
        "Peak MiB",
    ]
    body = [
        [
            row.case,
            row.method,
            row.n,
            row.n_profiles,
            row.fits,
            f"{row.cpu_seconds:.2f}",
            f"{row.cpu_seconds_per_fit:.4f}",
            number_text(row.printed_seconds, "g"),
            number_text(row.program_seconds, "g"),
            f"{row.peak_rss_mib:.0f}",
        ]
        for row in table.itertuples()
    ]
    legend = (
        "n' is the median number of distinct label profiles; a fit is one subset at one grid point; the "
        "printed seconds are of one fit on the machine of the paper, the program's CPU seconds of one fit by "
        "the authors' program on the same input."
    )
    return "\n".join(
        [f"# Runtime of {study.title}", "", *markdown_table(header, body, left=2), "", legend, ""]
    )
