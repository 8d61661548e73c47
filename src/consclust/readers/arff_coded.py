"""Dense ARFF whose nominal attributes hold numbers, and attributes that are no features."""

# NumPy is imported where needed, so that what does without it starts faster

from pathlib import Path
from typing import Literal

from pydantic import Field

from consclust.readers.arff import read_class, read_header, read_row, statements
from consclust.readers.common import AnyReader, Raw, at, malformed, number


class CodedArffReader(AnyReader):
    """Dense ARFF; nominal attributes whose values are numbers are features, and some attributes are left out.

    The class is the last attribute.
    """

    format: Literal["arff_coded"]
    drop: tuple[str, ...] = Field((), description="names of the attributes that are no features")

    def read(self, *paths: Path) -> Raw:
        """Read the features that are numbers, and the class."""
        import numpy as np

        path = paths[0]
        lines = statements(path)
        attributes = read_header(path, lines)
        names = list(attributes)
        for name in self.drop:
            if name not in names[:-1]:
                malformed(path, "", f"no attribute {name!r} beside the class", "correct reader.drop in the registry")
        wanted = [place for place, name in enumerate(names[:-1]) if name not in self.drop]
        features: list[list[float]] = []
        classes: list[str] = []
        for line, text in lines:
            with at(path, f"line {line}"):
                cells = read_row(text, len(names), is_sparse=False)
                features.append([number(cells[place], missing=("?",)) for place in wanted])
                classes.append(read_class(cells[len(names) - 1], attributes[names[-1]]))
        if not features:
            malformed(path, "", "no data rows")
        return Raw(np.array(features, dtype=np.float64), classes)
