"""Text files with delimiters: which delimiter, whether line 1 has names, the cells."""

import csv
import io
import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from consclust.errors import InputError
from consclust.readers.layout import Layout, Remedies
from consclust.readers.object_table import (
    POINT,
    ObjectTable,
    TextColumn,
    holds_numbers,
    is_absent,
    is_number,
    number_rows,
    shorten,
    write_point,
)

DELIMITERS = ",\t;|"  # else blanks
ID_NAMES = ("", "id", "ids", "index", "name", "object", "sample")  # "": row names of R, pandas
HEAD = 20  # lines that the delimiter is seen in
HEAD_OF_TEXT = 1000  # characters that another encoding is seen in
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class _Parsed(NamedTuple):
    """The cells of a text file."""

    first: list[str]
    """Cells of the first line."""
    below: list[TextColumn]
    """Columns below them; [] if there is no line."""
    lines: Sequence[int]
    """Numbers of all lines."""
    has_row_names: bool
    """Whether the first line has no name for the first column, in which rows are named."""


class _Codes(dict[str, int]):
    """Numbers the different cells in order of appearance."""

    def __missing__(self, cell: str) -> int:
        self[cell] = len(self)
        return self[cell]


def read_delimited(path: Path, layout: Layout, remedies: Remedies) -> ObjectTable:
    """Return the table of a text file; InputError names the file, the line and the remedy."""
    text = _read_text(path)
    named = re.match(rf'"?sep=([{DELIMITERS}])"?\n', text)  # a first line for Excel
    if named:
        text = "\n" + text[named.end() :]
    below = _skip_comments(text) if layout.comments else text
    delimiter = named[1] if named else _find_delimiter(below, layout.decimal)
    parsed = _parse_cells(path, _blank_comments(text, below, delimiter), delimiter, layout.header is not False)
    parsed = _with_points(parsed, layout.decimal)
    header = _decide_header(path, parsed, layout, remedies)
    if header and not parsed.below:
        raise InputError(f"{path}: a header without rows; a label matrix has a line for each object")
    if header:
        names = [" ".join(name.split()) for name in parsed.first]
        if layout.comments and _bare(names[0]).lower() not in ID_NAMES:
            names[0] = _bare(names[0])
        columns = parsed.below
        lines = parsed.lines[1:]
    else:
        names = [str(j + 1) for j in range(len(parsed.first))]
        columns = _with_first(parsed)
        lines = parsed.lines
    return ObjectTable(path, names, columns, number_rows(len(lines)), remedies, lines)


def _read_text(path: Path) -> str:
    """Return the text of a file; InputError unless it is UTF-8."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        encoding = "UTF-16 text" if path.read_bytes()[:2] in UTF_16_MARKS else f"no UTF-8 text (byte {error.start})"
        raise InputError(f"{path}: {encoding}; save it as UTF-8") from None
    head = text[:HEAD_OF_TEXT]
    if head.count("\0") * 3 > len(head):  # every other byte of ASCII in UTF-16
        raise InputError(f"{path}: UTF-16 text without a mark of that; save it as UTF-8")
    return text


def _skip_comments(text: str) -> str:
    """Return a text without the leading lines that begin with "#" if there are others below them.

    The last of them may be the names of the columns: see :func:`_blank_comments`.
    """
    start = 0
    while text.startswith(("#", "\n"), start):
        start = text.find("\n", start) + 1
        if not 0 < start < len(text):
            return text  # no others: labels may be colours such as #ff0000
    return text[start:] if "#" in text[:start] else text


def _blank_comments(text: str, below: str, delimiter: str) -> str:
    """Return a text with empty lines in place of its leading comments.

    A line that begins with "#" and has as many cells as the lines below is none: NumPy writes names of columns so.
    """
    leading = text[: len(text) - len(below)]
    if not leading:
        return text
    width = len(next(filter(_is_filled, _open_rows(_first_lines(below, 2 * HEAD), delimiter, strict=False)), []))
    lines = leading.split("\n")
    is_comment = [line.startswith("#") and not _may_be_names(line, delimiter, width) for line in lines]
    n_blank = max((i + 1 for i, each in enumerate(is_comment) if each), default=0)
    names = [_bare(line) if delimiter == " " else line for line in lines[n_blank:]]
    return "\n".join([*[""] * n_blank, *names]) + below


def _may_be_names(line: str, delimiter: str, width: int) -> bool:
    """Whether a line that begins with "#" has the names of so many columns; "# name: x", of Octave, has not."""
    row: list[str] = next(_open_rows(_bare(line) if delimiter == " " else line, delimiter, strict=False), [])
    return len(row) == width and re.match(r"#\s*\w+:\s", line) is None


def _bare(line: str) -> str:
    """Return a line or a name without the "# " that NumPy writes before names."""
    return line.removeprefix("#").strip()


def _with_points(parsed: _Parsed, decimal: str) -> _Parsed:
    """Return the cells with a point before the decimals of numbers."""
    if decimal == POINT:
        return parsed
    return parsed._replace(
        first=[write_point(cell, decimal) for cell in parsed.first],
        below=[column.rewrite(lambda cell: write_point(cell, decimal)) for column in parsed.below],
    )


def _with_first(parsed: _Parsed) -> list[TextColumn]:
    """Return the columns with the cells of the first line."""
    if not parsed.below:
        return [TextColumn.make([cell]) for cell in parsed.first]
    return [column.prepend(cell) for column, cell in zip(parsed.below, parsed.first, strict=True)]


def _find_delimiter(text: str, decimal: str) -> str:
    """Return the delimiter that parts the first rows into most cells; a blank if none does."""
    head = _first_lines(text.lstrip("\n"), 10 * HEAD)
    sizes = {}
    for each in DELIMITERS.replace(decimal, ""):
        try:
            rows = islice(filter(_is_filled, _open_rows(head, each, strict=False)), HEAD)
            sizes[each] = [len(row) for row in rows]
        except csv.Error:  # a cell without end
            sizes[each] = []
    best = max(sizes, key=lambda each: min(sizes[each], default=0))
    return best if sizes[best] and sizes[best][0] > 1 else " "


def _first_lines(text: str, number: int) -> str:
    """Return the first lines of a text."""
    stop = 0
    for _ in range(number):
        stop = text.find("\n", stop) + 1
        if not stop:
            return text
    return text[:stop]


def _is_filled(row: list[str]) -> bool:
    """Whether a row is more than an empty line."""
    return any(row) or len(row) > 1


def _open_rows(text: str, delimiter: str, *, strict: bool) -> Any:
    """Return a reader of the rows, which may have blanks around quoted cells."""
    if '" ' in text:
        text = re.sub(rf'" +(?=[{re.escape(delimiter)}\n]|\Z)', '"', text)
    content: Iterator[str] = io.StringIO(text, newline="")
    if delimiter == " ":
        content = (" ".join(line.split()) + "\n" for line in content)
    return csv.reader(content, delimiter=delimiter, skipinitialspace=True, strict=strict)


def _parse_cells(path: Path, text: str, delimiter: str, may_have_row_names: bool) -> _Parsed:
    """Return the cells of a text, without empty lines and without empty columns and blank rows at the end.

    InputError for a line of another width than the first, which has one name less if there are row names, as
    write.table of R writes them.
    """
    first, known, codes, widths, lines = _read_rows(path, text, delimiter)
    cells = [cell.strip() for cell in known]
    blank = {code for code, cell in enumerate(cells) if not cell}
    while widths and blank.issuperset(codes[-widths[-1] :]):  # spreadsheets write such rows below the data
        del codes[-widths.pop() :], lines[-1]
    if not widths and not any(first):
        raise InputError(f"{path}: it is empty; a label matrix has a line for each object")
    if not widths:
        return _Parsed(first, [], lines, has_row_names=False)
    _check_widths(path, len(first), widths, lines, may_have_row_names)
    matrix = np.frombuffer(codes, dtype=np.int32).reshape(len(widths), -1)
    width = _width_without_blanks(first, matrix, blank)
    first = first[:width]
    has_row_names = may_have_row_names and width == len(first) + 1
    if has_row_names:
        first = ["", *first]
    if width != len(first):
        _refuse_width(path, lines[1], width, len(first), lines[0])
    return _Parsed(first, _columns_of(matrix[:, :width], cells), lines, has_row_names)


class _Rows(NamedTuple):
    """The rows of a text; lists of lists of cells would need many times the memory."""

    first: list[str]
    """Cells of the first line, without blanks around them."""
    known: _Codes
    """Numbers of the different cells below."""
    codes: "array[int]"
    """Of the cells of all rows below, one row after the other."""
    widths: "array[int]"
    """Cells in each row below."""
    lines: "array[int]"
    """Number of the line of each row, the first included."""


def _read_rows(path: Path, text: str, delimiter: str) -> _Rows:
    """Read the rows of a text that are not empty; InputError for quotes that do not fit."""
    first: list[str] = []
    known = _Codes()
    codes = array("i")
    widths = array("i")
    lines = array("q")
    rows = _open_rows(text, delimiter, strict=True)
    try:
        for row in filter(_is_filled, rows):
            if lines:
                codes.frombytes(np.fromiter(map(known.__getitem__, row), np.int32, len(row)).tobytes())
                widths.append(len(row))
            else:
                first = [cell.strip() for cell in row]
            lines.append(rows.line_num)
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}; correct the line") from None
    return _Rows(first, known, codes, widths, lines)


def _width_without_blanks(first: list[str], matrix: npt.NDArray[np.int32], blank: set[int]) -> int:
    """Return the number of columns up to the last that has a name or a cell.

    A delimiter at the end of the lines makes a column that has neither.
    """
    width: int = matrix.shape[1]
    while width > 1 and not any(first[width - 1 :]) and blank.issuperset(np.unique(matrix[:, width - 1]).tolist()):
        width -= 1
    return width


def _columns_of(matrix: npt.NDArray[np.int32], cells: list[str]) -> list[TextColumn]:
    """Return the columns of a matrix of codes of cells, of which some are equal where blanks around them were cut."""
    place = {cell: code for code, cell in enumerate(dict.fromkeys(cells))}
    if len(place) < len(cells):
        matrix = np.array([place[cell] for cell in cells], dtype=np.int32)[matrix]
    different = list(place)
    return [TextColumn.from_codes(column, different) for column in matrix.T]


def _check_widths(path: Path, width: int, widths: "array[int]", lines: Sequence[int], row_names: bool) -> None:
    """Refuse lines below the first that have different numbers of cells."""
    if row_names and widths[0] == width + 1:
        width += 1
    if len(set(widths)) > 1:
        row = next(row for row, found in enumerate(widths) if found != width)
        _refuse_width(path, lines[row + 1], widths[row], width, lines[0])


def _refuse_width(path: Path, line: int, found: int, expected: int, first: int) -> NoReturn:
    raise InputError(f"{path}, line {line}: {found} cells, but {expected} in line {first}; correct the line")


def _decide_header(path: Path, parsed: _Parsed, layout: Layout, remedies: Remedies) -> bool:
    """Whether the first line has names; InputError if it may also be an object."""
    if parsed.has_row_names or layout.header is not None:
        return parsed.has_row_names or bool(layout.header)
    first = parsed.first
    if layout.classes in first and not layout.transposed:
        return True
    header = _has_header(first, parsed.below, layout.missing)
    if layout.names_expected and not header and _may_number_columns(first, parsed.below):
        # a study took such numbers for names; where the command takes them for an object, somebody has to say it
        header = True if header is None else None
    if header is None:
        what = f"{shorten(','.join(first))} may be a header or the first object"
        raise InputError(f"{path}, line 1: {what}; {remedies.use(header='', no_header='') or 'write other names'}")
    return header


def _has_header(first: list[str], below: list[TextColumn], missing: int) -> bool | None:
    """Whether the first line holds names: words above numbers, or words that their columns do not hold.

    None if it may also be an object.
    """
    if first[0].lower() in ID_NAMES and below and not below[0].are_absent().any():
        return True
    words = [_is_word(cell) for cell in first]
    above_numbers = _stands_above_numbers(words, below, missing)
    if all(words):
        is_new = len({*first}) == len(first) and not any(_each_holds(first, below))
        return above_numbers or is_new
    if _are_counted(first) and not all(_each_holds(first, below)):
        return True
    return None if above_numbers or _increases(first) else False


def _is_word(cell: str) -> bool:
    return not (is_number(cell) or is_absent(cell))


def _stands_above_numbers(words: list[bool], below: list[TextColumn], missing: int) -> bool:
    """Whether a word stands above numbers, of which one is no missing label."""
    columns = zip(words, below, strict=bool(below))
    return any(word and holds_numbers(column) and not column.are_unlabelled(missing).all() for word, column in columns)


def _are_counted(first: list[str]) -> bool:
    """Whether the first line counts the columns from 0, as pandas names them."""
    return len(first) > 2 and first == [str(j) for j in range(len(first))]


def _each_holds(first: list[str], below: list[TextColumn]) -> Iterator[bool]:
    """Yield whether each column holds the cell above it."""
    return (column.holds(cell) for cell, column in zip(first, below, strict=bool(below)))


def _increases(first: list[str]) -> bool:
    """Whether the whole numbers in the first line increase, as names such as the numbers of clusters 2, 3, 4, 5 do.

    Three numbers must increase in equal steps, since the labels of an object also increase at times.
    """
    numbers = [float(cell) for cell in first if is_number(cell)]
    steps = np.diff(numbers)
    if len(steps) < 2 or not all(number.is_integer() for number in numbers):
        return False
    return bool((steps > 0).all()) and (len(steps) > 2 or steps[0] == steps[1])


def _may_number_columns(first: list[str], below: list[TextColumn]) -> bool:
    """Whether the first line may number columns of numbers: different cells, and a column does not hold its own."""
    if not below or any(column.find_word() is not None for column in below):
        return False
    return any(map(_is_word, first)) or (len({*first}) == len(first) and not all(_each_holds(first, below)))
