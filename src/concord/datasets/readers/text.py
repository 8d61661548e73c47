"""Lines, numbers and names of the text formats."""

import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from concord.datasets.readers.common import malformed, one_line, short

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{'\"]+(?=[\s{{]))\s*(\S.*)", re.IGNORECASE)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines, numbered from 1, without line ends; of a ``.zip`` those of the only file in it."""
    try:
        text = _content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        malformed(path, f"byte {error.start}", "no UTF-8 text")
    yield from enumerate(re.split(r"\r\n|\r|\n", text), 1)


def _content(path: Path) -> bytes:
    if path.suffix.lower() != ".zip":
        return path.read_bytes()
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if len(names) != 1:
                malformed(path, "", f"{len(names)} files in the archive; only one is read", "pack it alone")
            return archive.read(names[0])
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error) as error:
        malformed(path, "", f"no readable .zip: {one_line(error)}")


def statements(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of ARFF and KEEL that are neither empty nor comments."""
    for line, text in lines(path):
        text = text.strip()
        if text and not text.startswith("%"):
            yield line, text


def attribute(text: str) -> tuple[str, str]:
    """Name and type that an ``@attribute`` declares, or ValueError."""
    match = _ATTRIBUTE.fullmatch(text)
    if not match:
        raise ValueError(f"{short(text)} is no attribute with name and type")
    return unquoted(match[1]), match[2].strip()


def number(text: str, missing: Sequence[str] = ()) -> float:
    """Return the number, NaN for a marker in ``missing``, or ValueError: "nan" and "1_0" are no numbers."""
    if _NUMBER.fullmatch(text):
        return float(text)
    if text in missing:
        return math.nan
    raise ValueError(f"{short(text)} is no number")


def unquoted(text: str) -> str:
    """Remove quotes and backslashes, if ``text`` is quoted."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[0] in "'\"" else text
