import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pyarrow.parquet import write_table
from scipy.sparse import csr_array

from consclust import Ensemble
from consclust import stream as stream_module
from consclust.diagnostics import quality
from consclust.ensemble import _distinct, _recoded, coded_as
from consclust.errors import InputError
from consclust.seeds import generator
from consclust.stream import StreamedEnsemble

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
        pd.DataFrame({"a": [9, 9, 3], "b": pd.array([5, 7, 7], dtype="Int64")}),
    ):
        assert np.array_equal(Ensemble(labels).labels, expected)


def test_booleans_and_large_integers_are_labels():
    assert Ensemble(np.array([[False], [True]])).labels.tolist() == [[0], [1]]
    large = np.array([[2**60, 0], [2**60 + 1, 0]])
    for labels in (large, large.astype(object), pd.DataFrame({"a": large[:, 0], "b": [True, True]})):
        assert Ensemble(labels).labels.tolist() == [[0, 0], [1, 0]]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "shape"),
        ([[]], "at least one object"),
        ([1, 2, 3], r"labels\[:, None\]"),
        ([[1.5], [2.0]], "fractions"),
        ([[np.nan], [1.0]], "write -1"),
        ([["a"], ["b"]], "from_frame"),
        ([[-1, -1], [0, 1]], "object 0 has no label"),
        ([[0, -1], [1, -1]], "clustering 1 has no label"),
        ([[0, 0, 1], [0, 1]], "unequal lengths"),
        ([[1, 2, 3], [4, 5]], "members of a cluster, give each object the number of its cluster"),
        ([[0], [-9]], "got -9; write -1 for a missing label"),
        (np.array([[0.0], [-2.0]]), "got -2"),
        (pd.DataFrame({"a": pd.array([0, -99], dtype="Int64")}), "got -99"),
        (np.ma.masked_equal([[0], [9]], 9), r"filled\(-1\)"),
        (csr_array([[0], [1]]), "toarray"),
        ([[0.0], [1e300]], "64 bits, got 1e"),
        ([[0.0], [2.0**53]], r"64 bits, got 9007199254740992.0 as float64"),
        (np.array([[0], [10**400]], dtype=object), "64 bits"),
        (np.array([[0], [2**63]], dtype=np.uint64), "64 bits, got 9223372036854775808"),
        ([[0, 0, 1], [0, 1, 1]], r"2 by 3, may be transposed; .* np.column_stack\(labels\)"),
        ((np.array([0, 0, 1]), np.array([0, 1, 1])), "transpose"),
        (pd.DataFrame({"a": pd.array([None, None], dtype="Int64")}), "object 0 has no label"),
    ],
)
def test_refuses_what_is_no_label_matrix(labels, message):
    with pytest.raises(ValueError, match=message):
        Ensemble(labels)


def test_labels_below_minus_one_are_refused_in_blocks_too():
    with pytest.raises(ValueError, match="got -9"):
        Ensemble.from_blocks([np.array([[0, 1]]), np.array([[-9, 1]])])


def test_only_a_list_can_be_transposed_by_mistake():
    wide = [[0, 0, 1], [0, 1, 1]]
    for labels in (np.array(wide), pd.DataFrame(wide), np.transpose(wide).T.astype(float)):
        assert Ensemble(labels).labels.shape == (2, 3)
    assert Ensemble([[0]]).labels.tolist() == [[0]]
    assert coded_as([[0, 0, 1]], Ensemble(np.array(wide)).cluster_names).shape == (1, 3)


@pytest.mark.parametrize("dtype", ["UInt64", "uint64[pyarrow]"])
@pytest.mark.parametrize("label", [2**63, 2**64 - 1])
@pytest.mark.parametrize("other", [0, None])
def test_nullable_labels_beyond_64_bits_do_not_wrap(dtype, label, other):
    frame = pd.DataFrame({"a": pd.array([other, label, 1], dtype=dtype), "b": [0, 1, 1]})
    with pytest.raises(ValueError, match=rf"64 bits, got {label} as"):
        Ensemble(frame)
    with pytest.raises(InputError, match=r"is too large for a label"):
        Ensemble.from_frame(frame, no_ids=True)


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


@given(labels_with_missing, st.integers(1, 5), st.sampled_from([-3, 2, 7]))
def test_keeps_the_names_of_clusters(labels, shift, factor):
    given_labels = np.where(labels < 0, -1, factor * labels + 10 * shift)
    ensemble = Ensemble(given_labels)
    assert np.array_equal(ensemble.given, given_labels)
    assert np.array_equal(coded_as(given_labels[::-1], ensemble.cluster_names), ensemble.labels[::-1])
    unmerged, partly = ensemble.unmerged(), ensemble.unmerged([0])
    assert np.array_equal(unmerged.given, given_labels)
    assert np.array_equal(unmerged.membership, np.arange(len(labels)))
    assert np.array_equal(partly.given, given_labels)
    assert sorted(partly.weights) == sorted([1] * ensemble.weights[0] + ensemble.weights[1:].tolist())
    if not (given_labels[:, :1] == -1).any():
        assert np.array_equal(ensemble.subset([0]).given, given_labels[:, :1])


def test_refuses_labels_that_name_no_cluster():
    names = Ensemble([[5, 0], [7, 1], [-1, 0]]).cluster_names
    assert coded_as([[7, -1], [-1, 1]], names).tolist() == [[1, -1], [-1, 1]]
    with pytest.raises(ValueError, match=r"label 6 names no cluster of clustering 0"):
        coded_as([[6, 0]], names)
    with pytest.raises(ValueError, match=r"labels hold 1 clustering, the ensemble 2"):
        coded_as([[7]], names)


@given(labels_with_missing, st.sampled_from([np.int8, np.int64, np.float64, object]), st.sampled_from([1, 40, 2**40]))
def test_profiles_are_those_of_numpy_in_its_order(labels, dtype, factor):
    named = np.where(labels < 0, -1, labels * factor).astype(np.int64)
    assume(dtype is not np.int8 or factor == 1)
    ensemble = Ensemble(named.astype(dtype))
    expected = np.full(labels.shape, -1)
    for column, codes in zip(labels.T, expected.T, strict=True):
        for code, name in enumerate(dict.fromkeys(column[column >= 0].tolist())):
            codes[column == name] = code
    assert np.array_equal(ensemble.labels, expected)
    profiles, membership, weights = np.unique(expected, axis=0, return_inverse=True, return_counts=True)
    assert np.array_equal(ensemble.profiles, profiles)
    assert np.array_equal(ensemble.membership, membership.ravel())
    assert np.array_equal(ensemble.weights, weights)
    assert np.array_equal(ensemble.n_clusters, expected.max(axis=0) + 1)
    arrays = (ensemble.labels, ensemble.profiles, ensemble.membership, ensemble.weights, ensemble.n_clusters)
    assert {array.dtype for array in (*arrays, *ensemble.cluster_names)} == {np.dtype(np.int64)}


@pytest.mark.parametrize("k", [3, 100, 2**15, 2**31])
def test_rows_are_found_where_their_codes_exceed_64_bits(k):
    rng = np.random.default_rng(0)
    rows = rng.integers(-1, k, size=(60, 25), endpoint=True)[rng.integers(60, size=200)]
    columns, membership = _distinct(list(rows.T))
    expected, place = np.unique(rows, axis=0, return_inverse=True)
    assert np.array_equal(np.column_stack(columns), expected)
    assert np.array_equal(membership, place.ravel())


@pytest.mark.parametrize("low", [-(2**63), -1, 0, 2**63 - 2**16])
def test_recoding_of_many_or_distant_labels(low):
    for spread in (2**16 - 1, 2**16):
        if low + spread < 2**63:
            column = np.array([low + spread, low, low + 1, low], dtype=np.int64)
            codes, names = _recoded(column, np.zeros(0, dtype=np.int64))
            assert np.array_equal(np.append(names, -1)[codes], column)
            assert codes.dtype == np.int8


@given(labels_with_missing, st.lists(st.integers(1, 9), max_size=3))
def test_blocks_give_the_ensemble_of_all(labels, cuts):
    whole = Ensemble(labels)
    blocks = [block for block in np.split(labels, sorted(cuts)) if len(block)]
    ensemble = Ensemble.from_blocks(iter(blocks))
    for name in ("labels", "profiles", "membership", "weights", "n_clusters", "given", "indicator"):
        assert np.array_equal(getattr(ensemble, name), getattr(whole, name)), name
    assert [names.tolist() for names in ensemble.cluster_names] == [names.tolist() for names in whole.cluster_names]
    assert (ensemble.n_objects, ensemble.has_missing) == (whole.n_objects, whole.has_missing)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([], "no block of labels"),
        ([[[0, 1]], [[0, 1, 1]]], r"block 1 \(from 0\) of labels holds 3 clusterings, those before it 2"),
        ([[[0, 1]], [[0.5, 1]]], "fractions"),
        ([[[0, 1]], [[-1, 1], [-1, -1]]], r"object 2 has no label at all \(1 such\)"),
        ([[[0, -1]], [[1, -1]]], "clustering 1 has no label"),
    ],
)
def test_refuses_blocks(blocks, message):
    with pytest.raises(ValueError, match=message):
        Ensemble.from_blocks(np.array(block) for block in blocks)


def test_reads_parquet_by_blocks(tmp_path):
    frame = pd.DataFrame({"a": pd.array([3, None, 4, 3], dtype="Int64"), "b": [7, 8, 8, 7], "c": list("xyzx")})
    frame.to_parquet(tmp_path / "labels.parquet")
    expected = Ensemble(frame[["b", "a"]])
    for block in (1, 3, 100):
        ensemble = Ensemble.from_parquet(tmp_path / "labels.parquet", ["b", "a"], block)
        assert np.array_equal(ensemble.given, expected.given)
        assert np.array_equal(ensemble.labels, expected.labels)
    with pytest.raises(ValueError, match="from_frame"):
        Ensemble.from_parquet(tmp_path / "labels.parquet")


def test_the_index_of_a_frame_in_parquet_is_no_clustering(tmp_path):
    frame = pd.DataFrame({"a": [0, 1, 1, 0], "b": [2, 2, 3, 3]})[1:]
    frame.to_parquet(tmp_path / "labels.parquet")
    assert np.array_equal(Ensemble.from_parquet(tmp_path / "labels.parquet").given, frame)
    frame[[]].to_parquet(tmp_path / "index.parquet")
    with pytest.raises(ValueError, match="no column of labels"):
        Ensemble.from_parquet(tmp_path / "index.parquet")


def test_reads_unsigned_integers_from_parquet(tmp_path):
    columns = {"a": pa.array([0, None, 255], pa.uint8()), "b": pa.array([1, 2, 2**63 - 1], pa.uint64())}
    write_table(pa.table(columns), tmp_path / "labels.parquet")
    assert Ensemble.from_parquet(tmp_path / "labels.parquet").given.tolist() == [[0, 1], [-1, 2], [255, 2**63 - 1]]


@pytest.mark.parametrize("block", [7, 100])
def test_a_parquet_file_of_many_profiles_is_a_stream(tmp_path, monkeypatch, caplog, block):
    """With up to 20 distinct rows it is an ensemble, however many objects there are."""
    monkeypatch.setattr(stream_module, "MOST_PROFILES", 20)
    path = tmp_path / "labels.parquet"
    frame = pd.DataFrame({"a": np.arange(200) % 20, "b": np.arange(200) % 4})
    frame.to_parquet(path)
    assert Ensemble.from_parquet(path, block=block).n_profiles == 20
    frame.loc[199, "a"] = 20
    frame.to_parquet(path)
    assert isinstance(Ensemble.from_parquet(path, block=block, stream=False), Ensemble)
    assert isinstance(Ensemble.from_parquet(path, stream=True), StreamedEnsemble)
    caplog.set_level("INFO", "consclust")
    stream = Ensemble.from_parquet(path, ["b", "a"], block, "ignored")
    assert isinstance(stream, StreamedEnsemble)
    assert "more than 20 distinct profiles" in caplog.text
    assert stream.missing == "ignored"
    assert [block.codes.tolist() for block in stream.blocks()] == [Ensemble(frame[["b", "a"]]).labels.T.tolist()]


def test_what_needs_all_labels_refuses_a_stream():
    stream = StreamedEnsemble.from_blocks([[[0, 1], [1, 0]]])
    for take in (Ensemble, quality):
        with pytest.raises(TypeError, match="stream=False"):
            take(stream)


def test_frames_of_other_columns_are_refused():
    frame = pd.DataFrame({"a": [0, 1], "b": [0, 0]})
    assert Ensemble.from_blocks([frame, frame]).n_objects == 4
    for other in (frame[["b", "a"]], frame[["a"]], frame.assign(c=0)):
        with pytest.raises(ValueError, match=r"block 1 .*'[bc]'"):
            Ensemble.from_blocks([frame, other])


@given(labels_with_missing)
def test_sparse_indicator_and_overlaps_are_the_definitions(labels):
    ensemble = Ensemble(labels)
    profiles = ensemble.profiles
    columns = [profiles[:, i] == c for i, k in enumerate(ensemble.n_clusters) for c in range(k)]
    indicator = np.column_stack(columns).astype(float)
    assert np.array_equal(ensemble.sparse_indicator.toarray(), indicator)
    assert np.array_equal(ensemble.indicator, indicator)
    assert np.array_equal(ensemble.overlaps(), (indicator.T * ensemble.weights) @ indicator)
    factors = np.random.default_rng(0).random(len(profiles))
    assert np.array_equal(ensemble.scaled_indicator(factors).toarray(), factors[:, None] * indicator)
    assert ensemble.overlaps(factors) == pytest.approx((indicator.T * factors) @ indicator, abs=1e-14)
    assert ensemble.is_tall == ((labels >= 0).all() and indicator.shape[0] >= 2 * indicator.shape[1])


def test_profiles_with_weights_are_the_repeated_rows():
    rows, weights = np.array([[5, 1], [2, 1], [2, -1]]), np.array([2, 1, 3])
    ensemble, repeated = Ensemble.from_profiles(rows, weights), Ensemble(np.repeat(rows, weights, axis=0))
    assert np.array_equal(ensemble.labels, repeated.labels)
    assert np.array_equal(ensemble.given, repeated.given)
    assert np.array_equal(ensemble.weights, repeated.weights)
    for wrong in ([1, 2], [1, 0, 1], [1.0, 1.0, 1.0]):
        with pytest.raises(ValueError, match="weights"):
            Ensemble.from_profiles(rows, wrong)


def test_the_repr_has_the_sizes():
    labels = np.array([[0, 5, 1], [0, 5, 1], [1, 7, 2], [1, -1, -1], [1, -1, -1]])
    found = repr(Ensemble(labels))
    assert found == "Ensemble(5 objects, 3 clusterings of 2 clusters, 3 profiles, 4 labels missing)"
    ranged = Ensemble.from_profiles([[0, 0], [0, 1], [1, 2]], [4, 1, 1])
    assert repr(ranged) == "Ensemble(6 objects, 2 clusterings of 2 to 3 clusters, 3 profiles, 0 labels missing)"


def test_a_frame_with_words_absent_labels_and_an_index_is_an_ensemble():
    frame = pd.DataFrame(
        {"a": ["x", "y", "x", None], "b": [3.0, np.nan, 4.0, 3.0], "kind": list("uvvu")}, index=list("mnop")
    )
    found = Ensemble.from_frame(frame, truth="kind")
    np.testing.assert_array_equal(found.labels, [[0, 0], [1, -1], [0, 1], [-1, 0]])
    with pytest.raises(ValueError, match=r"Ensemble\.from_frame"):
        Ensemble(frame)
    with pytest.raises(ValueError, match=r"Ensemble\.from_frame"):
        Ensemble(frame[["a"]].fillna("x").to_numpy(dtype=str))
