"""Label matrices in pandas data frames, read as the command reads its files."""

# pandas is not imported: whoever has a data frame has imported it

import warnings
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from consclust.ensemble import MISSING, Ensemble
from consclust.errors import InputError
from consclust.readers.layout import Layout, Remedies
from consclust.readers.object_table import (
    POINT,
    Column,
    NumberColumn,
    ObjectTable,
    TextColumn,
    number_rows,
    write_point,
)
from consclust.readers.recognition import own_labels_of, read_own_labels

ARGUMENTS = Remedies(
    header="header=True",
    no_header="header=False",
    ids="ids={}",
    no_ids="no_ids=True",
    drop="drop=[{}]",
    transposed="transposed=True",
    not_transposed="transposed=False",
    variable="variable={}",
    classes="truth={}",
    missing="missing=[{}]",
    indicator="indicator=True",
    long="long=True",
    not_long="long=False",
    decimal="decimal={}",
    least=2,
    quote=repr,
)
FRAME = Path("data frame")  # the name in messages


def read_labels(
    table: Any,
    *,
    ids: int | str | None = None,
    no_ids: bool = False,
    truth: int | str | None = None,
    drop: int | str | Iterable[int | str] = (),
    missing: int | str | Iterable[int | str] = (),
    indicator: bool = False,
    long: bool | None = None,
    transposed: bool | None = None,
    header: bool | None = None,
    decimal: str = ".",
    variable: str | None = None,
) -> Ensemble:
    """Return the ensemble of a table of labels: numbers or words, also beside ids and classes.

    It reads what the command ``consclust`` reads, and recognises the same tables that hold more than clusterings.

    Parameters
    ----------
    table : DataFrame, str or path
        Data frame of pandas with the objects in rows and the clusterings in columns, or the name of a file. An index
        of a data frame other than 0 to n - 1 has the ids of the objects.
    ids : str or int, optional
        Column that names the objects. Default: the first column, if it is distinct words, numbers of the rows, or named
        so.
    no_ids : bool
        Whether no column has ids. Columns that look like ids are then clusterings.
    truth : str or int, optional
        Column with the true classes, which is no clustering.
    drop : str, int or sequence of them
        Column or columns to leave out.
    missing : str, int or sequence of them
        Label or labels that stand for a missing one, beside -1, NaN and NA.
    indicator : bool
        Whether adjacent columns of 0 and 1 are the clusters of one clustering.
    long : bool, optional
        Whether each row has an object, a clustering and a label. Default: no, and a table that looks so is refused.
    transposed : bool, optional
        Whether the objects are in columns. Default: no, and a table with fewer rows than columns is refused.
    header : bool, optional
        Whether the first line of a text file has names. Default: seen in the file.
    decimal : {".", ","}
        What stands before the decimals of a number that is text.
    variable : str, optional
        Which array of a ``.npz`` or ``.mat`` file.

    Returns
    -------
    Ensemble
        Of the objects in the order of the rows, or of their first rows if the table is long. Words become the numbers
        of their ranks.

    Raises
    ------
    InputError
        For a mistake in the table, and for columns that are hardly clusterings; it names the column, the row, and what
        to do.

    Warns
    -----
    UserWarning
        Of columns that may be no clusterings, such as a column of words beside numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from consclust import read_labels
    >>> table = pd.DataFrame({"cell": ["u", "v", "w"], "type": ["B", "T", "T"], "a": [0, 1, 1], "b": [3, 3, -9]})
    >>> read_labels(table, truth="type", missing=[-9]).given
    array([[ 0,  3],
           [ 1,  3],
           [ 1, -1]])
    """
    layout = Layout(
        header=header,
        comments=True,
        decimal=decimal,
        ids=None if ids is None else str(ids),
        no_ids=no_ids,
        classes=None if truth is None else str(truth),
        all_have_classes=False,
        drop=_list_names(drop),
        codes=_list_names(missing),
        transposed=transposed,
        indicator=indicator,
        long=long,
        variable=variable,
    )
    if isinstance(table, str | PathLike):
        found, oddities = read_own_labels(Path(table), layout, ARGUMENTS)
    else:
        found, oddities = own_labels_of(_table_of_frame(table, no_ids, decimal), layout)
    for oddity in oddities:
        warnings.warn(oddity, stacklevel=2)
    return Ensemble(found.labels)


def _list_names(given: int | str | Iterable[int | str]) -> list[str]:
    """Return the names of columns, or labels, as text; a single one is a list of itself."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [str(given)]
    return [str(name) for name in given]


def _table_of_frame(frame: Any, no_ids: bool, decimal: str) -> ObjectTable:
    """Return the table of a data frame, whose index is the first column, without a name, if it has ids."""
    if not hasattr(frame, "columns") or not hasattr(frame, "iloc"):
        what = f"a {type(frame).__name__} is no data frame and no name of a file"
        raise InputError(f"{what}; give a pandas.DataFrame, or an array to consclust.Ensemble")
    n = len(frame)
    if not n or not len(frame.columns):
        raise InputError(f"{FRAME}: {n} rows and {len(frame.columns)} columns; give a row for each object")
    names = [str(name) for name in frame.columns]
    columns = [_column_of(frame.iloc[:, j], decimal) for j in range(len(names))]
    index = frame.index.to_numpy()
    is_numbered = index.dtype.kind in "iu" and bool(np.array_equal(index, np.arange(n)))
    if not is_numbered and not no_ids:
        names = ["", *names]
        columns = [TextColumn.make([str(name) for name in index.tolist()]), *columns]
    return ObjectTable(FRAME, names, columns, number_rows(n), ARGUMENTS)


def _column_of(series: Any, decimal: str) -> Column:
    """Return a column of a data frame as numbers or text."""
    kind = getattr(series.dtype, "kind", "O")
    if hasattr(series.dtype, "na_value") and kind in "iu" and series.isna().any():
        if kind == "i":
            return NumberColumn(series.to_numpy("int64", na_value=MISSING))
        # not series > limit, which Arrow compares as doubles
        if (series.dropna().to_numpy("uint64") <= np.iinfo(np.int64).max).all():
            return NumberColumn(series.astype("Int64").to_numpy("int64", na_value=MISSING))
        kind = "O"  # read as text, so that the number that is too large is refused with all its digits
    if hasattr(series.dtype, "na_value") and kind == "f":
        return NumberColumn(series.to_numpy("float64", na_value=np.nan))
    if kind == "b" and not series.isna().any():
        return NumberColumn(series.to_numpy("int8"))
    if kind in "iuf":
        return NumberColumn(series.to_numpy())
    absent = series.isna().tolist()
    cells = zip(series.tolist(), absent, strict=True)
    column = TextColumn.make(["" if is_absent else str(cell).strip() for cell, is_absent in cells])
    return column if decimal == POINT else column.rewrite(lambda cell: write_point(cell, decimal))
