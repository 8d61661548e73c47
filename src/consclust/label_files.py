"""Consensus labels written block by block, in the format of a suffix."""

# pyarrow is imported where needed, so that what does without it starts faster

import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.extras import needs
from consclust.files import written_whole

DELIMITERS = {".csv": ",", ".tsv": "\t"}
SUFFIXES = (*DELIMITERS, ".npy", ".parquet")

Labels = npt.NDArray[np.signedinteger[Any]]
Rows = Iterator[tuple[npt.NDArray[Any], Labels]]
"""Ids and labels of some consecutive objects."""


def write_label_blocks(path: Path, n_objects: int, n_labels: int, rows: Rows) -> None:
    """Write the labels of n objects, which come block by block, each below ``n_labels``.

    ``.csv``, ``.tsv`` and ``.parquet`` have the columns id and label; ``.npy`` is the array of the labels, of shape
    (n,). The file is written atomically.
    """
    suffix = path.suffix.lower()
    write: Callable[[Path, int, np.dtype[Any], Rows], None] = _write_text
    if suffix in (".npy", ".parquet"):
        write = _write_npy if suffix == ".npy" else _write_parquet
    with written_whole(path) as temporary:
        write(temporary, n_objects, np.min_scalar_type(-n_labels), rows)


def _write_text(path: Path, _: int, __: np.dtype[Any], rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, delimiter=DELIMITERS[path.suffix.lower()], lineterminator="\n")
        writer.writerow(("id", "label"))
        for ids, labels in rows:
            writer.writerows(zip(ids.tolist(), labels.tolist(), strict=True))


def _write_npy(path: Path, n_objects: int, kind: np.dtype[Any], rows: Rows) -> None:
    array = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=(n_objects,))
    n_written = 0
    for _, labels in rows:
        array[n_written : n_written + len(labels)] = labels
        n_written += len(labels)
    array.flush()


def _write_parquet(path: Path, _: int, kind: np.dtype[Any], rows: Rows) -> None:
    with needs("parquet"):
        from pyarrow import table
        from pyarrow.parquet import ParquetWriter

    writer: Any = None
    try:
        for ids, labels in rows:
            part = table({"id": ids, "label": labels.astype(kind)})
            if writer is None:
                writer = _open_parquet(ParquetWriter, path, part)
            writer.write_table(part)
    finally:
        if writer is not None:
            writer.close()


def _open_parquet(make_writer: Any, path: Path, part: Any) -> Any:
    """Return a writer; whole numbers as ids, most often 1, 2, 3, ..., take hardly a byte as differences."""
    if part.schema.field("id").type == "int64":
        encoding = {"id": "DELTA_BINARY_PACKED"}
        return make_writer(path, part.schema, use_dictionary=["label"], column_encoding=encoding)
    return make_writer(path, part.schema)


def number_objects(blocks: Iterable[Labels]) -> Rows:
    """Yield the labels with the numbers of the objects, from 1, as their ids."""
    first = 1
    for labels in blocks:
        yield np.arange(first, first + len(labels)), labels
        first += len(labels)
