"""What the commands write: labels in the format of a suffix, tables for the terminal and as CSV, folders."""

# NumPy, SciPy and pyarrow are imported where needed, so that what does without them starts faster

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import numpy.typing as npt

from consclust.ensemble import IntArray
from consclust.errors import InputError
from consclust.extras import needs
from consclust.files import write_arrays, write_text, written_whole

STDOUT = Path("-")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (*DELIMITERS, ".npy", ".npz", ".mat", ".parquet")
MAT_HEADER = b"MATLAB 5.0 MAT-file, written by consclust".ljust(116)  # SciPy writes the time of day


def check_labels_file(out: Path, given: Path) -> None:
    """Refuse an unknown suffix, and the input itself as output."""
    if out != STDOUT and out.suffix.lower() not in SUFFIXES:
        raise InputError(f"--out {out}: unknown format; end its name in one of {', '.join(SUFFIXES)}")
    if out.exists() and out.samefile(given):
        raise InputError(f"--out {out}: this is the file with the input; choose another name")


def write_labels(out: Path, ids: npt.NDArray[Any], labels: IntArray) -> None:
    """Write ids and labels, both of shape (n,), in the format of the suffix; ``-`` is CSV on the standard output."""
    suffix = out.suffix.lower()
    if suffix == ".npz":
        write_arrays(out, id=ids, label=labels)
    elif suffix == ".npy":
        import numpy as np

        with written_whole(out) as temporary:
            np.save(temporary, labels, allow_pickle=False)
    elif suffix == ".mat":
        from scipy.io import savemat

        names = ids.astype(object) if ids.dtype.kind == "U" else ids  # text as a cell array
        with written_whole(out) as temporary:
            savemat(temporary, {"id": names, "label": labels}, oned_as="column")
            with temporary.open("r+b") as handle:
                handle.write(MAT_HEADER)
    elif suffix == ".parquet":
        with needs("parquet"):
            from pyarrow import table
            from pyarrow.parquet import write_table

        with written_whole(out) as temporary:
            write_table(table({"id": ids, "label": labels}), temporary)
    else:
        write_csv(out, [("id", "label"), *zip(ids.tolist(), labels.tolist(), strict=True)])


def write_csv(out: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV, or with tabs if the name ends in ``.tsv``; ``-`` is the standard output."""
    text = io.StringIO()
    csv.writer(text, delimiter=DELIMITERS.get(out.suffix.lower(), ","), lineterminator="\n").writerows(rows)
    if out == STDOUT:
        click.echo(text.getvalue(), nl=False)
    else:
        write_text(out, text.getvalue())


def show(rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        click.echo("  ".join([first.ljust(widths[0]), *cells]).rstrip())


def check_folder(folder: Path, own: Iterable[str]) -> None:
    """Refuse a folder that holds anything but the files that a command writes there."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out {folder}: this is a file; name a folder")
    for foreign in sorted({path.name for path in folder.glob("*")} - {*own}):
        raise InputError(f"--out {folder}: it holds {foreign}, which this command does not write; name a new folder")
