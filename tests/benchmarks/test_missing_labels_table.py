"""The measurement of missing labels, and the page that is made of it."""

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import missing_labels  # noqa: E402
from consclust import methods  # noqa: E402
from pages import read_rows  # noqa: E402

SCORES = ROOT / "docs" / "missing-labels" / "scores.csv"


@pytest.mark.parametrize(
    ("way", "missing", "scored"),
    [("complete", 0, 200), ("5 bad objects", 5 * 19, 195), ("20 bad objects", 20 * 19, 180), ("two halves", 1800, 200)],
)
def test_ways_take_what_their_names_say(way, missing, scored):
    labels = np.zeros((200, 20), dtype=int)
    rows = missing_labels.WAYS[way](labels, np.random.default_rng(0))
    assert (labels == -1).sum() == missing
    assert len(rows) == scored
    assert not (labels == -1).all(axis=1).any()


def test_every_method_is_measured_on_every_way():
    measured = {(row["method"], row["missing"], int(row["seed"])) for row in read_rows(SCORES)}
    assert measured == {case for name in methods.names() for case in missing_labels.list_cases(name)}


def test_the_page_has_the_table_of_the_scores():
    page = (ROOT / "docs" / "missing-labels.md").read_text(encoding="utf-8")
    assert missing_labels.write_table(SCORES) in page


def test_a_row_can_be_made_again():
    rows = {(row["method"], row["missing"], row["seed"]): row["ari"] for row in read_rows(SCORES)}
    *case, found, _ = missing_labels.measure("LWEA", "two halves", 1)
    assert rows[tuple(map(str, case))] == found
