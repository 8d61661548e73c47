"""The bounds hold for every clustering, some are met, and some published values are beyond them."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from consclust.scores import METRICS, Contingency, score_all
from studies.peace.exhibits.f1_bounds import largest_f1

MINI_NEWSGROUPS = [100, 400, 100, 400, 400, 100, 200]

tables = st.integers(1, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=1, max_size=6)
)


@pytest.mark.long
@settings(deadline=None, max_examples=300)
@given(tables)
@example([[400, 0], [0, 10], [0, 10]])
@example([[10, 0, 0], [0, 10, 0], [0, 0, 10]])
@example([[9, 1, 1, 1], [9, 1, 1, 1], [30, 0, 0, 0]])
def test_no_clustering_has_a_larger_f1_than_the_bound(rows):
    table = np.array(rows)
    table = table[table.any(axis=1)][:, table.any(axis=0)] if table.any() else np.ones((1, 1), dtype=int)
    if table.sum() == 1:
        return  # no pairs
    entries = Contingency.make(table)
    for name, bound in largest_f1(METRICS["ACC"](entries), table.sum(axis=1).tolist()).items():
        assert METRICS[name](entries) <= bound + 1e-12, name


def test_a_perfect_clustering_has_the_bound():
    assert largest_f1(1.0, [3, 4]) == dict.fromkeys(("F", "F-class", "F-purity", "F-macro"), 1.0)


def test_bounds_by_hand():
    """Of 100, 100 and 200 objects 150 are matched."""
    bounds = largest_f1(0.375, [100, 100, 200])
    assert bounds["F-purity"] == pytest.approx(0.6875)
    assert bounds["F-class"] == pytest.approx(2.375 / 3)
    assert bounds["F"] == pytest.approx(1.0)  # 150 x 400 / 60,000


def test_a_published_f1_of_peace_is_beyond_all_but_one():
    """CI .242 and F1 .853 on mini-newsgroups, ensemble 1b; the last digits may be rounded either way."""
    bounds = largest_f1(0.2425, MINI_NEWSGROUPS)
    assert [name for name, bound in bounds.items() if bound > 0.8525] == ["F-macro"]


def test_one_giant_cluster_has_a_low_accuracy_and_a_high_unweighted_f1():
    """Six clusters of one object each and one of all others: such a pair of values is possible."""
    y = np.repeat(range(7), MINI_NEWSGROUPS)
    labels = np.zeros(len(y), dtype=int)
    labels[[0, 100, 500, 600, 1000, 1400]] = range(1, 7)
    found = score_all(y, labels, ["ACC", "F-macro"])
    assert found["ACC"] < 0.2425
    assert found["F-macro"] > 0.8525


def test_a_published_f1_of_be_is_possible():
    assert largest_f1(0.3565, MINI_NEWSGROUPS)["F-class"] > 0.769  # that of BE is possible
