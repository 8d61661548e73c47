"""Features and one or more reference labelings as numbers in text files, each packed by gzip."""

# NumPy is imported where needed, so that what does without it starts faster

import gzip
import zlib
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from consclust import files
from consclust.plurals import count
from consclust.readers.common import AnyReader, Raw, class_name, malformed, number, one_line, refuse_bomb


class GzTextReader(AnyReader):
    """Rows of numbers, and one or more files with a class in each line, each file packed by gzip."""

    n_files: ClassVar[int] = 2
    several: ClassVar[bool] = True
    format: Literal["gz_text"]
    reference: Annotated[int, Field(ge=0)] = Field(
        0, description="which of the reference labelings names the classes, from 0: the files after the first one"
    )

    def read(self, *paths: Path) -> Raw:
        """Read the features and one reference labeling."""
        import numpy as np

        if self.reference + 1 >= len(paths):
            remedy = "correct reader.reference in the registry"
            what = f"reference {self.reference} (from 0) of {count(len(paths) - 1, 'labeling')}"
            malformed(paths[0], "", what, remedy)
        rows = _read_rows(paths[0])
        widths = {len(row) for row in rows}
        if len(widths) != 1:
            malformed(paths[0], "", f"rows of {' and '.join(map(str, sorted(widths))) or 'no'} numbers")
        labels = paths[self.reference + 1]
        classes = _read_rows(labels)
        if len(classes) != len(rows) or {len(row) for row in classes} != {1}:
            what = f"{count(len(classes), 'line')} for {count(len(rows), 'object')}, or more than a class in a line"
            malformed(labels, "", what)
        return Raw(np.array(rows, dtype=np.float64), [class_name(row[0]) for row in classes])


def _read_rows(path: Path) -> list[list[float]]:
    """Return the numbers of each line that is not empty."""
    try:
        with gzip.open(path) as stream:
            content = stream.read(files.MOST_UNPACKED + 1)
        refuse_bomb(path, len(content))
        text = content.decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        malformed(path, "", f"no text packed by gzip: {one_line(error)}")
    rows = []
    for place, line in enumerate(text.splitlines(), 1):
        try:
            row = [number(cell) for cell in line.split()]
        except ValueError as mistake:
            malformed(path, f"line {place}", one_line(mistake))
        if row:
            rows.append(row)
    return rows
