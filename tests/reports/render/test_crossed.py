"""A table of data sets by methods keeps its methods in one block."""

import pandas as pd
import pytest

from consclust.report.blocks import Cell, crossed


def make(n_methods: int, word: str = "method") -> tuple[str, ...]:
    rows = [(case, case, f"{word}{n}") for case in ("iris", "wine") for n in range(n_methods)]
    frame = pd.DataFrame(rows, columns=["case", "dataset", "row"])
    return crossed("ACC", frame, "row", lambda row: Cell(text=".436 ± .012")).header


@pytest.mark.parametrize(("n_methods", "first"), [(8, "Data set"), (12, "Method")])
def test_methods_are_columns_where_a_page_has_room_for_all(n_methods, first) -> None:
    assert make(n_methods)[0] == first


def test_long_names_take_room_too() -> None:
    assert make(8, word="a-method-with-a-long-name")[0] == "Method"
