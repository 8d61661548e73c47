"""Equal remarks are one row with the number of fits."""

import pandas as pd

from consclust_studies.exhibits.remarks import Remarks
from small import planned, source_of

FIT = ["case", "method", "subset", "point"]


def test_equal_remarks_are_counted():
    failures = [("iris", "RCE", subset, point, "no solution") for subset in (0, 1) for point in (1, 2)]
    failures += [("iris", "RCE", 0, 3, "singular"), ("wine", "KC", 2, 0, "no solution")]
    notes = [("wine", "KC", 0, 0, "two components")]
    source = source_of(
        planned(),
        failures=pd.DataFrame(failures, columns=[*FIT, "reason"]),
        notes=pd.DataFrame(notes, columns=[*FIT, "note"]),
    )
    shown = Remarks(kind="remarks").build(source)
    rows = shown.frame[["kind", "case", "dataset", "method", "fits", "subsets", "grid_points", "text"]]
    assert rows.to_numpy().tolist() == [
        ["failure", "iris", "Iris", "RCE", 4, 2, 2, "no solution"],
        ["failure", "iris", "Iris", "RCE", 1, 1, 1, "singular"],
        ["failure", "wine", "Wine", "KC", 1, 1, 1, "no solution"],
        ["note", "wine", "Wine", "KC", 1, 1, 1, "two components"],
    ]
    (table,) = shown.blocks
    assert [row[4].text for row in table.rows] == ["4", "1", "1", "1"]
    assert "6" in shown.caption
    assert "No fit has fewer clusters" in shown.caption


def test_fits_with_fewer_clusters_are_counted_by_method():
    fits = [("iris", "RCE", 0, 1, 2), ("iris", "RCE", 1, 1, 1), ("iris", "KC", 0, 0, 2), ("wine", "RCE", 3, 2, 2)]
    source = source_of(planned(), fewer_clusters=pd.DataFrame(fits, columns=[*FIT, "clusters"]))
    shown = Remarks(kind="remarks").build(source)
    rows = shown.frame[["kind", "case", "method", "fits", "text"]]
    assert rows.to_numpy().tolist() == [
        ["fewer clusters", "iris", "RCE", 2, "1 to 2 clusters"],
        ["fewer clusters", "iris", "KC", 1, "2 clusters"],
        ["fewer clusters", "wine", "RCE", 1, "2 clusters"],
    ]
    assert "RCE 3, KC 1" in shown.caption
    assert "No method failed" in shown.caption


def test_remarks_that_differ_in_numbers_alone_are_one_row():
    told = "RCE2: the gap is {} after {} iterations"
    notes = [
        ("iris", "RCE", 0, 0, told.format("2.0e-05", 300)),
        ("iris", "RCE", 0, 1, told.format("1.5e-06", 300)),
        ("iris", "RCE", 1, 1, told.format("1.1e-04", 300)),
        ("wine", "RCE", 1, 1, told.format("0.5", 20)),
        ("iris", "RCE", 1, 2, "the gap is 3"),
    ]
    shown = Remarks(kind="remarks").build(source_of(planned(), notes=pd.DataFrame(notes, columns=[*FIT, "note"])))
    assert shown.frame[["case", "fits", "subsets", "grid_points", "text"]].to_numpy().tolist() == [
        ["iris", 3, 2, 2, told.format("1.5e-06 to 1.1e-04", 300)],
        ["wine", 1, 1, 1, told.format("0.5", 20)],
        ["iris", 1, 1, 1, "the gap is 3"],
    ]


def test_without_remarks_the_table_is_empty(source):
    shown = Remarks(kind="remarks").build(source)
    assert shown.frame.empty
    assert shown.blocks[0].rows == ()
    assert "No method failed" in shown.caption
