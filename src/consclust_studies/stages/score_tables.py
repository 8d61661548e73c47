"""Tables of scores as Parquet: the same bytes for the same values, with the spec of their job inside."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consclust.errors import InputError
from consclust.files import RERUN, written_whole
from consclust_studies.specs import check_made_for, digest

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

INTEGERS = ("subset", "split", "repetition", "point")
NUMBERS = ("value", "training")
TYPES = {**dict.fromkeys(INTEGERS, "int64"), **dict.fromkeys(NUMBERS, "float64")}


def write_table(
    columns: Mapping[str, Sequence[Any]], path: Path, marks: Mapping[str, str], extra: Mapping[str, str] | None = None
) -> None:
    """Write a Parquet file whose bytes depend only on what it holds.

    The columns in :data:`TYPES` have these types, any other holds strings. Spec and stamp, the ``marks``, and the
    ``extra`` texts are stored beside the table.
    """
    import pyarrow as pa

    arrays = [_array(values, TYPES.get(name, "string")) for name, values in columns.items()]
    _write(pa.Table.from_arrays(arrays, names=list(columns)), path, {**marks, **(extra or {})})


def write_table_again(source: Path, target: Path, marks: Mapping[str, str]) -> None:
    """Write a table that :func:`write_table` wrote with another spec and stamp."""
    table, texts = _read(source)
    _write(table, target, {**texts, **marks})


def _write(table: "pa.Table", path: Path, texts: Mapping[str, str]) -> None:
    import pyarrow.parquet as pq

    table = table.replace_schema_metadata({**texts, "checksum": _checksum(table.schema, table.num_rows, texts)})
    with written_whole(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", row_group_size=1_000_000, write_page_checksum=True)


def read_table(path: Path, planned: str | None = None) -> "tuple[pd.DataFrame, dict[str, str]]":
    """Read what :func:`write_table` wrote: the table, and the texts beside it.

    InputError if the file is missing or damaged, or was not made for the spec with the digest ``planned``.
    """
    table, texts = _read(path)
    check_made_for(path, texts["spec"], planned)
    frame: pd.DataFrame = table.to_pandas()
    return frame, texts


def digest_of_table(path: Path, but: Collection[str]) -> str:
    """Return the digest of a table and of the texts beside it, ``but`` some; InputError as for :func:`read_table`."""
    table, texts = _read(path)
    found = hashlib.sha256()
    for field, column in zip(table.schema, table.combine_chunks().itercolumns(), strict=True):
        found.update(f"{field.name} {field.type} {len(column)}\n".encode())
        for buffer in (buffer for chunk in column.chunks for buffer in chunk.buffers() if buffer is not None):
            found.update(buffer)
    found.update(repr(sorted((name, text) for name, text in texts.items() if name not in but)).encode())
    return found.hexdigest()[:16]


def read_texts(path: Path) -> dict[str, str]:
    """Read the texts beside a table, without the table; InputError if the file is missing or they are damaged."""
    import pyarrow.parquet as pq

    with _as_input_errors(path), pq.ParquetFile(path) as file:
        return _check_texts(path, file.schema_arrow, file.metadata.num_rows)


def _read(path: Path) -> "tuple[pa.Table, dict[str, str]]":
    import pyarrow.parquet as pq

    with _as_input_errors(path):
        table = pq.read_table(path, page_checksum_verification=True)
        return table, _check_texts(path, table.schema, table.num_rows)


@contextmanager
def _as_input_errors(path: Path) -> Iterator[None]:
    """Turn what reading a damaged Parquet file raises into InputError."""
    import pyarrow as pa

    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; run the same command again") from None
    except (pa.ArrowException, ValueError, OSError) as error:
        raise InputError(f"{path}: not a readable Parquet file ({str(error).splitlines()[0]}); {RERUN}") from None


def _check_texts(path: Path, schema: "pa.Schema", n_rows: int) -> dict[str, str]:
    """Return the texts beside a table; InputError if their checksum is another."""
    texts = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    if "checksum" not in texts:
        raise InputError(f"{path}: not a table of this project; {RERUN}")
    if texts.pop("checksum") != _checksum(schema, n_rows, texts):
        raise InputError(f"{path}: damaged, its checksum is another; {RERUN}")
    return texts


def _checksum(schema: "pa.Schema", n_rows: int, texts: Mapping[str, str]) -> str:
    """Return the checksum of what those of the pages leave out: names and types of the columns, rows, texts."""
    columns = [(field.name, str(field.type)) for field in schema]
    return digest(repr((columns, n_rows, sorted(texts.items()))))


def _array(values: Sequence[Any], type_: str) -> "pa.Array":
    """Make an Arrow array from its buffers, because ``pa.array`` imports pandas (0.4 CPU seconds a job)."""
    import pyarrow as pa

    if type_ != "string":
        numbers = np.asarray(values, dtype=type_)
        return pa.Array.from_buffers(getattr(pa, type_)(), len(numbers), [None, pa.py_buffer(numbers)])
    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))
