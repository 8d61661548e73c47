"""Grid points in tables of scores: a number in each row, and beside the table what the numbers mean.

A table has the column ``point``, the place of the grid point in the grid of the row's method, from 0; rows without a
grid have 0. The parameters of the points of all methods are a text beside the table, under :data:`POINTS`.
"""

# pandas is imported where needed, so that what does without it starts faster

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from consclust_studies.config.values import Value

if TYPE_CHECKING:
    import pandas as pd

POINTS = "points"
"""The name of the text beside a table."""

Points = Mapping[str, Sequence[Mapping[str, Value]]]
"""The parameters of each grid point, in the order of the grid, by method or row."""


def write_compact(point: Mapping[str, Value]) -> str:
    """Write a grid point as compact JSON with sorted keys, the ``parameters`` of CSV files."""
    return json.dumps(dict(point), sort_keys=True, separators=(",", ":"))


def write_points(points: Points) -> str:
    """Write the points of all methods as the text beside a table."""
    return json.dumps({name: list(map(dict, of_method)) for name, of_method in points.items()})


def read_points(text: str) -> dict[str, list[dict[str, Value]]]:
    """Read what :func:`write_points` wrote."""
    found: dict[str, list[dict[str, Value]]] = json.loads(text)
    return found


def join_points(texts: Iterable[str]) -> str:
    """Join the texts beside the tables of several cases, in all of which a method has the same grid."""
    joined: dict[str, list[dict[str, Value]]] = {}
    for text in texts:
        for name, points in read_points(text).items():
            assert joined.setdefault(name, points) == points, f"{name} has the same grid on all cases of a table"
    return write_points(joined)


def spell_out(frame: "pd.DataFrame", points: Points) -> "pd.DataFrame":
    """Return the table with the column ``parameters``, as text for people, in place of ``point``."""
    import pandas as pd

    written = {name: list(map(write_compact, of_method)) for name, of_method in points.items()}
    texts = [written[name][point] for name, point in zip(frame["method"], frame["point"], strict=True)]
    # also without rows it is a column of text
    return frame.assign(point=pd.Series(texts, frame.index, dtype="str")).rename(columns={"point": "parameters"})
