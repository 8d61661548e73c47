"""What the commands write: labels in the format of a suffix, tables for the terminal and as CSV, folders."""

# NumPy, SciPy and pyarrow are imported where needed, so that what does without them starts faster

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
import numpy.typing as npt

from consclust.cli.terminal import make_printable
from consclust.ensemble import IntArray
from consclust.errors import InputError
from consclust.extras import needs
from consclust.files import TEMPORARY, check_writable, write_arrays, write_text, written_whole

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
    check_file(out)


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
        # a program that reads the output gets the ids as they are
        is_seen = sys.stdout.isatty()
        click.echo(make_printable(text.getvalue()) if is_seen else text.getvalue(), nl=False)
    else:
        write_text(out, text.getvalue())


def show(rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        click.echo("  ".join([first.ljust(widths[0]), *cells]).rstrip())


OF_THE_SYSTEM = ("Thumbs.db", "desktop.ini")
"""Files that are no content of a folder, beside those whose name begins with a dot."""
LOCK = ".consclust.lock"


def check_file(out: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed."""
    if out == STDOUT:
        return
    if out.is_dir():
        raise InputError(f"--out {out}: this is a folder; name a file")
    try:
        check_writable(out)
    except OSError as error:
        raise InputError(f"--out {out}: cannot be written ({error.strerror}); name another file") from None


def check_folder(folder: Path, own: Iterable[str], given: Path) -> None:
    """Refuse a folder that cannot be written, or holds anything but the files that a command writes there.

    One of these may be the file ``given`` with the input, which is refused too.

    Hidden files do not count: those of a file manager, and temporary ones that a killed command left.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out {folder}: this is a file; name a folder")
    names = set(own)
    if given.name in names and folder.exists() and folder.samefile(given.parent):
        raise InputError(f"--out {folder}: {given.name} there is the file with the input; name a new folder")
    visible = {path.name for path in folder.glob("*") if not path.name.startswith(".")}
    for foreign in sorted(visible - names - {*OF_THE_SYSTEM}):
        raise InputError(f"--out {folder}: it holds {foreign}, which this command does not write; name a new folder")
    try:
        check_writable(folder / LOCK)
    except OSError as error:
        raise InputError(f"--out {folder}: cannot be written ({error.strerror}); name another folder") from None


@contextmanager
def kept_for_one(folder: Path, own: Iterable[str]) -> Iterator[None]:
    """Keep other commands out of a folder, in which no file of an earlier command remains.

    Else two commands would leave files of both, and a command that is killed its files beside older ones.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder / LOCK
    with lock.open("w") as handle:
        _lock(handle, folder)
        try:
            for name in own:
                (folder / name).unlink(missing_ok=True)
            for path in folder.glob(".*"):
                if TEMPORARY.fullmatch(path.name):
                    path.unlink(missing_ok=True)
            yield
        finally:
            lock.unlink(missing_ok=True)


def _lock(handle: IO[str], folder: Path) -> None:
    """Lock a file; InputError if another process has it. Without locks in a file system nobody is kept out."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"--out {folder}: another command writes there; wait for it, or name a new folder") from None
    except (ImportError, OSError):  # Windows; Lustre without flock, NFS without its lock daemon
        return
