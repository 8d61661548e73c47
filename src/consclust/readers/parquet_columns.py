"""Columns of labels or features in Parquet files, whole or in blocks of rows."""

# pyarrow is imported where needed, so that what does without it starts faster

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from consclust.errors import InputError
from consclust.extras import needs
from consclust.parquet import index_columns
from consclust.plurals import count
from consclust.readers.layout import Remedies
from consclust.readers.object_table import Column, NumberColumn, ObjectTable, TextColumn, number_rows


def read_parquet(path: Path, missing: int | None, remedies: Remedies, dropped: Sequence[str] = ()) -> ObjectTable:
    """Return the table of a file; ``missing`` stands for a missing integer, NaN if it is None.

    The index of a pandas frame becomes the first column, without a name. Columns that are ``dropped`` later may hold
    what is no label.
    """
    with needs("parquet"):
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import read_schema, read_table

    try:
        _check_schema(path, read_schema(path), remedies, dropped)
        stored = read_table(path)
    except (OSError, ArrowInvalid) as error:
        raise InputError(f"{path}: not readable as Parquet ({' '.join(str(error).split())}); save it again") from None
    names = stored.column_names
    if index := index_columns(stored.schema):
        names = [index[0], *(name for name in names if name not in index)]
        stored = stored.select(names)
    if not stored.num_rows or not names:
        raise InputError(
            f"{path}: {count(stored.num_rows, 'row')} and {count(len(names), 'column')}; save a matrix of labels"
        )
    columns = [_column_of(column, missing) for column in stored.columns]
    return ObjectTable(path, ["" if index else names[0], *names[1:]], columns, number_rows(stored.num_rows), remedies)


def read_parquet_blocks(path: Path, missing: int, remedies: Remedies, block: int) -> Iterator[ObjectTable]:
    """Yield the table of a file in blocks of rows, without the index of a pandas frame."""
    with needs("parquet"):
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            _check_schema(path, file.schema_arrow, remedies)
            index = index_columns(file.schema_arrow)
            names = [name for name in file.schema_arrow.names if name not in index]
            row = 1
            for batch in file.iter_batches(block, columns=names):
                columns = [_column_of(column, missing) for column in batch]
                yield ObjectTable(path, names, columns, number_rows(batch.num_rows), remedies, first_row=row)
                row += batch.num_rows
    except (OSError, ArrowInvalid) as error:
        raise InputError(f"{path}: not readable as Parquet ({' '.join(str(error).split())}); save it again") from None


def _check_schema(path: Path, schema: Any, remedies: Remedies, dropped: Sequence[str] = ()) -> None:
    """Refuse two columns of one name, and lists, records and bytes as labels; InputError says what to do."""
    from pyarrow import types

    twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
    if twice:
        raise InputError(f"{path}: two columns are named {twice[0]!r}; rename one and save the file again")
    index = index_columns(schema)
    for field in schema:
        is_no_label = types.is_nested(field.type) or types.is_binary(field.type) or types.is_large_binary(field.type)
        if is_no_label and field.name not in (*index, *dropped):
            what = f"column {field.name!r} holds {field.type}, which is neither numbers nor words"
            raise InputError(f"{path}: {what}; {remedies.use(field.name, drop='to leave this column out')}")


def _column_of(stored: Any, missing: int | None) -> Column:
    """Return an Arrow column as numbers or text."""
    from pyarrow import types

    if types.is_dictionary(stored.type):
        stored = stored.cast(stored.type.value_type)
    if types.is_boolean(stored.type):
        stored = stored.cast("int8")
    if types.is_signed_integer(stored.type) and missing is not None:
        stored = stored.fill_null(missing)
    if types.is_integer(stored.type) or types.is_floating(stored.type):
        values = stored.to_numpy() if hasattr(stored, "chunks") else stored.to_numpy(zero_copy_only=False)
        return NumberColumn(values)
    return TextColumn.make(["" if cell is None else str(cell) for cell in stored.to_pylist()])
