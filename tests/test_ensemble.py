import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from concord import Ensemble
from concord.ensemble import coded_as
from concord.seeds import generator

labels_with_missing = hnp.arrays(
    np.int64, st.tuples(st.integers(2, 10), st.integers(1, 4)), elements=st.integers(-1, 3)
).filter(lambda a: not ((a == -1).all(axis=0).any() or (a == -1).all(axis=1).any()))


@given(labels_with_missing)
def test_matrices_are_the_definitions(labels):
    ensemble = Ensemble(labels)
    n = len(labels)
    for p in range(n):
        for q in range(n):
            both = (labels[p] != -1) & (labels[q] != -1)
            together = int(((labels[p] == labels[q]) & both).sum())
            assert ensemble.expand(ensemble.counts)[p, q] == together
            assert ensemble.expand(ensemble.observed)[p, q] == both.sum()
            expected = together / both.sum() if both.any() else 0.0
            assert ensemble.expand(ensemble.coassociation)[p, q] == pytest.approx(expected, abs=1e-15)


@given(labels_with_missing)
def test_profiles_are_the_distinct_rows(labels):
    ensemble = Ensemble(labels)
    assert ensemble.weights.sum() == len(labels)
    assert np.array_equal(ensemble.profiles[ensemble.membership], ensemble.labels)
    assert len({tuple(row) for row in labels}) == ensemble.n_profiles
    assert np.array_equal(np.bincount(ensemble.membership), ensemble.weights)


@given(labels_with_missing)
def test_names_of_clusters_do_not_matter(labels):
    renamed = np.where(labels == -1, -1, 40 - 7 * labels)
    assert np.array_equal(Ensemble(renamed).labels, Ensemble(labels).labels)


def test_accepts_what_users_have():
    expected = Ensemble(np.array([[0, 5], [0, 7], [3, 7]])).labels
    assert expected.tolist() == [[0, 0], [0, 1], [1, 1]]
    for labels in (
        [[0, 5], [0, 7], [3, 7]],
        pd.DataFrame({"a": [0, 0, 3], "b": [5, 7, 7]}),
        np.array([[0.0, 5.0], [0.0, 7.0], [3.0, 7.0]]),
        np.array([[0, 5], [0, 7], [3, 7]], dtype=np.uint8),
        pd.DataFrame({"a": [-9, -9, 3], "b": pd.array([5, 7, 7], dtype="Int64")}),
    ):
        assert np.array_equal(Ensemble(labels).labels, expected)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "shape"),
        ([[]], "at least one object"),
        ([1, 2, 3], r"labels\[:, None\]"),
        ([[1.5], [2.0]], "fractions"),
        ([[np.nan], [1.0]], "write -1"),
        ([["a"], ["b"]], "factorize"),
        ([[-1, -1], [0, 1]], "object 0 has no label"),
        ([[0, -1], [1, -1]], "clustering 1 has no label"),
        (csr_array([[0], [1]]), "toarray"),
        ([[0.0], [1e300]], "64 bits, got 1e"),
        ([[0.0], [2.0**63]], "64 bits, got 9.2"),
        (np.array([[0], [2**63]], dtype=np.uint64), "64 bits, got 9223372036854775808"),
        ([[0, 0, 1], [0, 1, 1]], r"2 by 3, may be transposed; .* np.column_stack\(labels\)"),
        ((np.array([0, 0, 1]), np.array([0, 1, 1])), "transpose"),
        (pd.DataFrame({"a": pd.array([None, None], dtype="Int64")}), "object 0 has no label"),
    ],
)
def test_refuses_what_is_no_label_matrix(labels, message):
    with pytest.raises(ValueError, match=message):
        Ensemble(labels)


def test_only_a_list_can_be_transposed_by_mistake():
    wide = [[0, 0, 1], [0, 1, 1]]
    for labels in (np.array(wide), pd.DataFrame(wide), np.transpose(wide).T.astype(float)):
        assert Ensemble(labels).labels.shape == (2, 3)
    assert Ensemble([[0]]).labels.tolist() == [[0]]
    assert coded_as([[0, 0, 1]], Ensemble(np.array(wide)).cluster_names).shape == (1, 3)


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "int32[pyarrow]"])
def test_nullable_integers_may_be_missing(dtype):
    frame = pd.DataFrame({"a": pd.array([3, None, 4], dtype=dtype), "b": [7, 8, 8]})
    assert Ensemble(frame).labels.tolist() == [[0, 0], [-1, 1], [1, 1]]
    assert Ensemble(frame).cluster_names[0].tolist() == [3, 4]


def test_subset_takes_clusterings():
    ensemble = Ensemble([[0, 0, 1], [0, 1, 1], [1, 1, 0]])
    assert ensemble.subset([2, 0]).labels.tolist() == [[0, 0], [0, 0], [1, 1]]


def test_streams_depend_on_names_only():
    first = generator(7, "rce", "yale", "RCE", 3).integers(1 << 60, size=4)
    assert np.array_equal(first, generator(7, "rce", "yale", "RCE", 3).integers(1 << 60, size=4))
    others = [
        generator(8, "rce", "yale", "RCE", 3),
        generator(7, "rce", "yale", "RCE", 4),
        generator(7, "rceyale", "", "RCE", 3),
    ]
    for other in others:
        assert not np.array_equal(first, other.integers(1 << 60, size=4))
    assert generator(20150725, "a").integers(1 << 30) == 107913071, "a new value moves every published result"


@given(labels_with_missing, st.integers(-5, 5), st.sampled_from([-3, 2, 7]))
def test_keeps_the_names_of_clusters(labels, shift, factor):
    given_labels = np.where(labels < 0, -1, factor * labels + 10 * shift)
    given_labels[(labels >= 0) & (given_labels == -1)] = 99
    ensemble = Ensemble(given_labels)
    assert np.array_equal(ensemble.given, given_labels)
    assert np.array_equal(coded_as(given_labels[::-1], ensemble.cluster_names), ensemble.labels[::-1])
    assert np.array_equal(ensemble.unmerged().given, given_labels)
    if not (given_labels[:, :1] == -1).any():
        assert np.array_equal(ensemble.subset([0]).given, given_labels[:, :1])


def test_refuses_labels_that_name_no_cluster():
    names = Ensemble([[5, 0], [7, 1], [-1, 0]]).cluster_names
    assert coded_as([[7, -1], [-1, 1]], names).tolist() == [[1, -1], [-1, 1]]
    with pytest.raises(ValueError, match=r"label 6 names no cluster of clustering 0"):
        coded_as([[6, 0]], names)
    with pytest.raises(ValueError, match=r"labels hold 1 clusterings, the ensemble 2"):
        coded_as([[7]], names)
