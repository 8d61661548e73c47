"""Columns of people's Parquet files: the index of a pandas frame, and nulls among integers."""

# pyarrow is imported where needed, so that what does without it starts faster

from typing import Any


def index_columns(schema: Any) -> list[str]:
    """Return the columns of a file, by its Arrow schema, that hold the index of the pandas frame it was written from.

    pandas writes an index that is not 0, 1, 2, ..., such as that of a filtered frame, behind the other columns.
    """
    try:
        metadata = schema.pandas_metadata or {}
    except ValueError:  # another program's metadata of this name, which is no JSON
        return []
    index = metadata.get("index_columns", ()) if isinstance(metadata, dict) else ()
    return [name for name in index if isinstance(name, str) and name in schema.names]


def filled(column: Any, value: int) -> Any:
    """Return an Arrow column, one of integers with ``value`` for each null; ValueError above 64 bits with a sign."""
    from pyarrow import int64, types

    if types.is_unsigned_integer(column.type):
        column = column.cast(int64())
    return column.fill_null(value) if types.is_integer(column.type) else column
