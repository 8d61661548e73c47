"""Compare the numbers of a study in two folders of the project, one of them from before the exhibits.

    python benchmarks/compare_runs.py OLD NEW STUDY [ROWS_THAT_MAY_DIFFER ...]

Compares scores.csv, selected.csv and every CSV of the report, column by column; the columns of the older version are
renamed first. Seconds (runtime.csv) are not compared. A row may differ only where a column holds one of the given
words, for example a case whose numbers were corrected. Exits with 1 if any other number differs.
"""

import sys
from pathlib import Path

import pandas as pd

FILES = {"readings.csv": "variants.csv"}
COLUMNS = {"reading": "selection", "chosen": "selection", "print": "published"}
WORDS = {"not printed": "not published"}
TEXTS = ("claim", "evidence", "evidence_with_others", "note", "row", "differs", "title", "panel", "why")
"""Columns of sentences, whose wording changed."""


def read(path: Path) -> pd.DataFrame:
    """Read a table with the present names of columns, all as text."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    if path.name == "readings.csv":
        frame = frame.rename(columns={"reading": "variant"})
    frame = frame.rename(columns=lambda name: COLUMNS.get(name, name.replace("printed", "published")))
    return frame.replace(WORDS)


def compare(old: Path, new: Path, corrected: list[str]) -> str:
    """Describe the first difference between two tables; "identical" if there is none."""
    before = read(old)
    after = read(new)
    shared = [column for column in before if column in after and column not in TEXTS]
    missing = [column for column in before if column not in after]
    dropped = f", columns gone: {', '.join(missing)}" if missing else ""
    return compare_rows(leave_out(before[shared], corrected), leave_out(after[shared], corrected)) + dropped


def leave_out(frame: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    """Return a table without the rows that hold any of some words."""
    return frame[~frame.isin(words).any(axis=1)].reset_index(drop=True)


def compare_rows(before: pd.DataFrame, after: pd.DataFrame) -> str:
    """Describe the first row that differs between two tables with the same columns."""
    if len(before) != len(after):
        return f"DIFFERS: {len(before)} and {len(after)} rows"
    differ = (before != after).any(axis=1)
    if differ.any():
        row = differ.idxmax()
        columns = [c for c in before if before.loc[row, c] != after.loc[row, c]]
        first = ", ".join(f"{c}: {before.loc[row, c]} -> {after.loc[row, c]}" for c in columns)
        return f"DIFFERS in {int(differ.sum())} of {len(before)} rows, first {first}"
    return f"identical, {len(before)} rows, {len(before.columns)} columns"


def main() -> int:
    """Compare all tables of a study."""
    old, new, study = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    pairs = [
        (old / f"results/{study}/{name}", new / f"results/{study}/{name}") for name in ("scores.csv", "selected.csv")
    ]
    reports = old / "reports" / study
    if not reports.is_dir():
        reports = old / "reports/published" / study
    tables = sorted(reports.glob("*.csv"))
    pairs += [(path, new / "reports" / study / FILES.get(path.name, path.name)) for path in tables]
    failed = False
    for before, after in pairs:
        if before.name == "runtime.csv" or not before.exists() or read(before).empty:
            continue
        verdict = compare(before, after, sys.argv[4:]) if after.exists() else "MISSING"
        failed |= verdict.startswith(("DIFFERS", "MISSING"))
        print(f"{after.name:20} {verdict}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
