"""The linkage over profiles against SciPy's over objects, and the cut by the longest lifetime."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from consclust.numerics.kernels.linkage_kernels import chain
from consclust.numerics.linkage import (
    LINKAGES,
    cut,
    linkage_labels,
    longest_lived,
    object_merges,
    profile_linkage_labels,
    twins_are_nearest,
)

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(LINKAGES)


def case(seed, levels=None):
    """Similarity of up to 12 profiles, of which each is nearest to itself, and the profile of up to 40 objects.

    Of ``levels`` values, so that many tie; None: none ties, but for the merges of objects with one profile.
    """
    rng = np.random.default_rng(seed)
    n_profiles = int(rng.integers(1, 13))
    membership = rng.permutation(np.concatenate([np.arange(n_profiles), rng.integers(n_profiles, size=28)]))
    similarity = (
        rng.random((n_profiles, n_profiles)) if levels is None else rng.integers(levels, size=(n_profiles,) * 2)
    )
    similarity = np.maximum(similarity, similarity.T) / (levels or 1)
    np.fill_diagonal(similarity, np.maximum(rng.random(n_profiles), similarity.max(axis=1)))
    return similarity, membership


def scipys(similarity, membership, kind):
    distances = 1 - similarity[np.ix_(membership, membership)]
    np.fill_diagonal(distances, 0)
    return linkage(squareform(distances), kind)


def partition_of(merges, n):
    """Clusters after some merges, each by its first object."""
    labels = np.arange(n)
    for a, b in merges:
        labels[labels == max(labels[a], labels[b])] = min(labels[a], labels[b])
    return labels


def assert_tree_over_profiles_is_that_of_the_objects(seed, kind):
    """The same heights; the same clusters between any two heights that differ, and so the same cophenetic distances."""
    similarity, membership = case(seed)
    n = len(membership)
    merges, heights = object_merges(similarity, membership, kind)
    expected = scipys(similarity, membership, kind)
    assert heights == pytest.approx(expected[:, 2], abs=1e-12)
    cophenetic = squareform(cophenet(expected))
    for k in range(1, n):
        if k == 1 or heights[n - k] - heights[n - k - 1] > 1e-9:
            joined = partition_of(merges[: n - k], n)
            assert np.array_equal(joined[:, None] == joined, cophenetic <= heights[n - k - 1] + 1e-9)
            labels = profile_linkage_labels(similarity, membership, k, kind)
            assert np.array_equal(labels, linkage_labels(similarity, membership, k, kind)), (
                "the numbers of clusters too"
            )
            assert np.array_equal(labels, cut(expected, k))
    labels = profile_linkage_labels(similarity, membership, None, kind)
    assert np.array_equal(labels, linkage_labels(similarity, membership, None, kind))
    assert np.array_equal(labels, cut(expected, longest_lived(expected[:, 2])))


@pytest.mark.long
@given(seeds, kinds)
@settings(max_examples=150, deadline=None)
def test_any_tree_over_profiles_is_that_of_the_objects(seed, kind):
    assert_tree_over_profiles_is_that_of_the_objects(seed, kind)


@pytest.mark.parametrize("kind", LINKAGES)
def test_a_tree_over_profiles_is_that_of_the_objects(kind):
    for seed in range(4):
        assert_tree_over_profiles_is_that_of_the_objects(seed, kind)


@pytest.mark.long
@given(seeds, kinds)
@settings(max_examples=60, deadline=None)
def test_any_number_of_clusters_also_under_ties(seed, kind):
    similarity, membership = case(seed, levels=3)
    n = len(membership)
    _, heights = object_merges(similarity, membership, kind)
    assert (np.diff(heights) >= 0).all()
    for k in range(1, n + 1):
        labels = profile_linkage_labels(similarity, membership, k, kind)
        assert labels.max() + 1 == len(np.unique(labels)) == k
        assert np.array_equal(np.unique(labels, return_index=True)[1], np.sort(np.unique(labels, return_index=True)[1]))
    if kind == "single":  # its heights do not depend on the order of ties
        assert heights == pytest.approx(scipys(similarity, membership, kind)[:, 2], abs=1e-12)
        wanted = longest_lived(heights)
        assert np.array_equal(
            profile_linkage_labels(similarity, membership, None, kind),
            profile_linkage_labels(similarity, membership, wanted, kind),
        )


def test_a_cut_parts_objects_with_one_profile_that_merge_late():
    """0 and 1 are .9 similar, and objects with profile 2 only .5: three of these stay alone before the cut into 5."""
    similarity = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 0.5]])
    membership = np.array([2, 0, 1, 0, 2, 2, 2])
    assert profile_linkage_labels(similarity, membership, 5).tolist() == [0, 1, 1, 1, 2, 3, 4]
    assert profile_linkage_labels(similarity, membership, 4).tolist() == [0, 1, 1, 1, 0, 2, 3]
    assert profile_linkage_labels(similarity, membership, 2).tolist() == [0, 1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("kind", LINKAGES)
def test_one_object_and_one_profile(kind):
    assert profile_linkage_labels(np.ones((1, 1)), np.array([0]), 1, kind).tolist() == [0]
    assert profile_linkage_labels(np.ones((1, 1)), np.array([0]), None, kind).tolist() == [0]
    assert profile_linkage_labels(np.ones((1, 1)), np.zeros(4, dtype=int), 3, kind).tolist() == [0, 0, 1, 2]


@given(seeds, st.booleans())
@settings(max_examples=60, deadline=None)
def test_twins_are_nearest_wherever_no_row_and_no_column_holds_more(seed, repeated):
    rng = np.random.default_rng(seed)
    similarity = rng.integers(4, size=(5, 5)) / 4
    weights = rng.integers(1, 3, size=5) if repeated else np.ones(5, dtype=np.int64)
    expected = all(
        similarity[p, p] >= max(similarity[p, q], similarity[q, p])
        for p in range(5)
        if weights[p] > 1
        for q in range(5)
    )
    assert twins_are_nearest(similarity, weights) == expected


def test_only_entries_above_the_diagonal_are_read():
    similarity, membership = case(1)
    upper = np.where(np.tri(len(similarity), k=-1), np.nan, similarity)
    expected = profile_linkage_labels(similarity, membership, 4)
    assert np.array_equal(profile_linkage_labels(upper, membership, 4), expected)


def test_lifetimes_tie_up_to_rounding():
    """Steps of 1/20 are not equal in floating point; the first of them is the first all the same."""
    heights = np.arange(1, 20) / 20
    assert len(set(np.diff(heights).tolist())) > 1
    assert longest_lived(heights) == 19


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ([0.1, 0.2, 0.7, 0.8], 3),
        ([0.1, 0.6, 0.7], 3),
        ([0.1, 0.2, 0.9], 2),
        ([0.1, 0.4, 0.7], 3),  # of equal lifetimes the one with the most clusters
        ([0.6, 0.6, 0.6], 4),  # all merges tie: four clusters last for 0.6, one for 0.4
        ([0.4, 0.4, 0.4], 1),
        ([0.0, 0.0, 0.0], 1),
    ],
)
def test_the_longest_lifetime(heights, expected):
    assert longest_lived(np.array(heights)) == expected


@pytest.mark.parametrize(("similarity", "expected"), [(0.2, [0, 1, 2]), (0.8, [0, 0, 0])])
def test_objects_that_are_equally_similar_are_all_apart_or_all_together(similarity, expected):
    every = np.where(np.eye(3), 1.0, similarity)
    assert linkage_labels(every, np.arange(3), None).tolist() == expected
    assert profile_linkage_labels(every, np.arange(3), None).tolist() == expected


@pytest.mark.parametrize("n", [1, 2, 12])
def test_the_chain_in_plain_python_gives_the_same(n):
    """Plain Python refuses places beyond the end of an array, which compiled code does not notice."""
    distances = np.random.default_rng(n).random((n, n))
    weights = np.arange(1.0, n + 1)
    compiled = chain(distances.copy(), weights.copy(), 0)
    plain = getattr(chain, "py_func", chain)(distances.copy(), weights.copy(), 0)
    for ours, theirs in zip(plain, compiled, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)
