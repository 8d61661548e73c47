"""AMI and the pair sets index: against scikit-learn, a slow definition and values by hand."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_mutual_info_score

from consclust import scores
from consclust.scores import ami, contingency, pair_sets_index, score_each


@st.composite
def two_labelings(draw):
    n = draw(st.integers(2, 14))
    labels = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return np.array(draw(labels)), np.array(draw(labels))


def slow_pair_sets_index(y, labels):
    """Try all one-to-one matchings; the sizes in descending order are paired for what is expected by chance."""
    classes = [np.flatnonzero(y == c) for c in np.unique(y)]
    clusters = [np.flatnonzero(labels == c) for c in np.unique(labels)]
    if len(classes) == len(clusters) == 1:
        return 1.0
    few, many = sorted([classes, clusters], key=len)
    best = max(
        sum(len(set(a) & set(b)) / max(len(a), len(b)) for a, b in zip(few, chosen, strict=True))
        for chosen in permutations(many, len(few))
    )
    sizes = zip(sorted(map(len, few))[::-1], sorted(map(len, many))[::-1], strict=False)
    chance = sum(a * b / len(y) / max(a, b) for a, b in sizes)
    return max(0.0, (best - chance) / (len(many) - chance))


@settings(max_examples=100, deadline=None)
@given(two_labelings())
def test_pair_sets_index_is_that_of_the_slow_definition(pair):
    y, labels = pair
    assert pair_sets_index(y, labels) == pytest.approx(slow_pair_sets_index(y, labels), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(two_labelings())
def test_pair_sets_index_of_a_sparse_table_is_that_of_the_dense_one(pair):
    table = contingency(*pair)
    dense = scores._pair_sets_index(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scores, "CELLS", 0)
        assert scores._pair_sets_index(table) == pytest.approx(dense, abs=1e-12)


def test_pair_sets_index_of_many_classes_makes_no_dense_table(monkeypatch):
    """20,000 pairs of which the clusters keep 10,000 whole: a dense table takes 2.4 GB."""
    monkeypatch.setattr(scores.Contingency, "dense", None)
    y = np.repeat(np.arange(20_000), 2)
    labels = y.copy()
    labels[:20_000:2] = 20_000 + np.arange(10_000)  # the first of each of 10,000 classes is alone
    # the pairs of sizes are (2, 2) and (2, 1), 10,000 times each
    chance = 10_000 * (2 * 2 / 2 + 2 * 1 / 2) / 40_000
    matched = 10_000 + 10_000 / 2
    assert pair_sets_index(y, labels) == pytest.approx((matched - chance) / (30_000 - chance))


def test_pair_sets_index_by_hand():
    # matched: 3 of max(4, 3) and 2 of max(2, 3); by chance: 4 * 3 / 6 / 4 and 2 * 3 / 6 / 3
    matched = 3 / 4 + 2 / 3
    chance = 1 / 2 + 1 / 3
    found = pair_sets_index([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1])
    assert found == pytest.approx((matched - chance) / (2 - chance))
    assert pair_sets_index([0, 0, 1, 1], [0, 1, 0, 1]) == 0
    # a small class counts as much as a large one: half of it is lost here
    y = np.repeat([0, 1], [98, 2])
    labels = y.copy()
    labels[-1] = 0
    assert pair_sets_index(y, labels) < 0.6


@settings(max_examples=30, deadline=None)
@given(two_labelings())
def test_ami_is_scikit_learns(pair):
    y, labels = pair
    assert ami(y, labels) == pytest.approx(adjusted_mutual_info_score(y, labels), abs=1e-12)


def test_both_are_near_0_by_chance_and_scored_with_others():
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 200)
    labelings = random.integers(0, 3, (20, 600))
    found = score_each(y, labelings, ["AMI", "PSI", "ARI"])
    assert np.abs(found.mean(axis=0)).max() < 0.06
    np.testing.assert_array_equal(score_each(y, y[None], ["AMI", "PSI"]), [[1, 1]])
    (one,) = score_each(y, labelings[:1], ["PSI", "ARI", "AMI"])
    assert one.tolist() == [found[0, 1], found[0, 2], found[0, 0]]
    assert score_each(y, labelings[:0], ["PSI", "ARI"]).shape == (0, 2)
