import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from consclust.datasets.preprocessing import apply
from consclust.datasets.preprocessing.ranges import minmax
from consclust.datasets.preprocessing.scaling import unit_norm, zscore, zscore_by
from consclust.datasets.preprocessing.text import idf, log_tf, tfidf, tfidf_to_counts
from consclust.errors import InputError

shapes = hnp.array_shapes(min_dims=2, max_dims=2, max_side=8)
reals = hnp.arrays(np.float64, shapes, elements=st.integers(-(10**6), 10**6).map(lambda i: i / 1000))
term_counts = hnp.arrays(np.int64, shapes, elements=st.sampled_from([0, 0, 0, 1, 1, 2, 3, 7, 400]))


@given(reals, st.booleans())
@settings(deadline=None)  # the first example imports SciPy
def test_unit_norm_rows(X, is_sparse):
    given_X = sparse.csr_array(X) if is_sparse else X
    result = unit_norm(given_X)
    assert sparse.issparse(result) == is_sparse
    dense = result.toarray() if is_sparse else result
    lengths = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(np.linalg.norm(dense, axis=1), (lengths > 0).astype(float), atol=1e-12)
    np.testing.assert_allclose(dense * lengths[:, None], X, atol=1e-6, rtol=1e-12)


@given(reals)
def test_zscore(X):
    result = zscore(X)
    for before, after in zip(X.T, result.T, strict=True):
        if (before == before[0]).all():
            assert (after == 0).all()
        else:
            assert abs(after.mean()) < 1e-9
            assert after.std(ddof=1) == pytest.approx(1)


def test_zscore_by_hand_and_constant_columns():
    X = np.array([[1.0, 0.1, 3.0], [3.0, 0.1, 3.0], [2.0, 0.1, 4.0]])  # the mean of three 0.1 is not 0.1
    np.testing.assert_allclose(zscore(X)[:, 0], [-1, 1, 0])
    assert (zscore(X)[:, 1] == 0).all()
    assert (zscore(X[:1]) == 0).all()


def test_zscore_by_a_part_is_that_part_s_zscore_whatever_the_scale_was():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5, 3, 20), rng.normal(0, 0.1, 20), np.r_[np.full(12, 0.1), rng.random(8)]])
    part = X[:12]
    np.testing.assert_array_equal(zscore_by(X, part)[:12], zscore(part))
    assert (zscore_by(X, part)[:, 2] == 0).all()  # constant in the part, not beyond it
    rescaled = zscore(X)
    np.testing.assert_allclose(zscore_by(rescaled, rescaled[:12]), zscore_by(X, part), atol=1e-12)


def test_zscore_refuses_sparse():
    with pytest.raises(InputError, match="sparse"):
        zscore(sparse.csr_array(np.eye(3)))


def test_minmax_by_hand_and_constant_columns():
    X = np.array([[2.0, 0.1, -1.0], [4.0, 0.1, 3.0], [3.0, 0.1, 0.0]])
    np.testing.assert_allclose(minmax(X), [[0, 0, 0], [1, 0, 1], [0.5, 0, 0.25]])
    with pytest.raises(InputError, match="sparse"):
        minmax(sparse.csr_array(X))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_weights_of_terms_by_hand(kind):
    counts = kind(np.array([[1, 3, 0], [0, 2, 5], [0, 1, 1]]))
    weighted = [step(counts) for step in (log_tf, idf)]
    assert all(sparse.issparse(X) == sparse.issparse(counts) for X in weighted)
    logarithms, terms = (X.toarray() if sparse.issparse(X) else X for X in weighted)
    np.testing.assert_allclose(
        logarithms, [[1, 1 + np.log(3), 0], [0, 1 + np.log(2), 1 + np.log(5)], [0, 1, 1]]
    )  # the zeros stay
    np.testing.assert_allclose(terms, np.array([[1, 3, 0], [0, 2, 5], [0, 1, 1]]) * [np.log(3), 0, np.log(1.5)])


def test_tfidf_by_hand():
    counts = np.array([[1, 3, 0, 1], [0, 2, 5, 1]])
    # columns 1 and 3 are in both documents: ln(2/2) = 0; the rest is one entry per row: 1 after scaling
    np.testing.assert_allclose(tfidf(counts), [[1, 0, 0, 0], [0, 0, 1, 0]])
    counts = np.array([[1, 3, 0], [0, 2, 5], [0, 0, 1]])
    first = np.array([np.log(3), (1 + np.log(3)) * np.log(1.5)])
    np.testing.assert_allclose(tfidf(counts)[0, :2], first / np.linalg.norm(first))


@pytest.mark.parametrize("wrong", [-1.0, 0.5])
def test_tfidf_refuses_what_is_no_count(wrong):
    with pytest.raises(InputError, match=rf"{wrong:g} in row 1, column 2"):
        tfidf(np.array([[0, 1, 0], [0, 1, wrong]]))


def recoverable(counts):
    """What the weights can give back: without terms of every document, equal counts of a row as ones."""
    kept = counts * ((counts > 0).sum(axis=0) < len(counts))
    has_one = [(row == 1).any() or not row.any() for row in kept]
    all_equal = [len(set(row[row > 0])) == 1 for row in kept]
    expected = np.where(np.array(all_equal)[:, None], kept > 0, kept)
    return expected, all(one or equal for one, equal in zip(has_one, all_equal, strict=True))


@pytest.mark.long
@given(term_counts, st.booleans())
@settings(max_examples=300)
def test_tfidf_to_counts_inverts_or_refuses(counts, is_sparse):
    weights = tfidf(sparse.csr_array(counts) if is_sparse else counts)
    before = weights.copy()
    expected, exact = recoverable(counts)
    if not exact:  # some row has no term with tf = 1
        with pytest.raises(InputError, match=r"occurs once"):
            tfidf_to_counts(weights)
        return
    result = tfidf_to_counts(weights)
    assert sparse.issparse(result) == is_sparse
    assert np.array_equal(result.toarray() if is_sparse else result, expected)
    assert abs(weights - before).sum() == 0  # the input is not changed


@pytest.mark.long
@given(term_counts, st.data())
def test_tfidf_to_counts_does_not_depend_on_the_length_of_rows(counts, data):
    expected, exact = recoverable(counts)
    assume(exact)
    factors = data.draw(hnp.arrays(float, len(counts), elements=st.floats(0.01, 100)))
    assert np.array_equal(tfidf_to_counts(tfidf(counts) * factors[:, None]), expected)


def test_the_lost_one_makes_a_row_not_recoverable():
    # the only tf = 1 of row 0 is a term of every document: what is left, 2 and 3, cannot be scaled
    counts = np.array([[1, 2, 3, 0], [1, 0, 0, 1], [1, 1, 0, 0]])
    with pytest.raises(InputError, match=r"row 0, column 2 does not come from an integer count \(it would be"):
        tfidf_to_counts(tfidf(counts))


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([[1.0, 0.0], [-0.5, 1.0], [0.0, 1.0]], "row 1, column 0 is negative"),
        ([[1.0, 0.5], [1.0, 0.0]], "row 0, column 0 belongs to a term of every document"),
        ([[0.3, 0.5, 0.0], [0.0, 0.1, 1.0], [0.3, 0.0, 0.0]], "does not come from an integer count"),
        ([[1e-300, 1.0], [0.0, 1.0], [0.0, 0.0]], r"\(it would be inf\)"),
    ],
)
def test_tfidf_to_counts_refuses(X, words):
    with pytest.raises(InputError, match=words):
        tfidf_to_counts(np.array(X))


def test_apply_keeps_the_order():
    X = np.array([[3.0, 4.0], [0.0, 2.0], [1.0, 1.0]])
    np.testing.assert_array_equal(apply(("unit_norm", "zscore"), X), zscore(unit_norm(X)))
    assert not np.allclose(apply(("unit_norm", "zscore"), X), apply(("zscore", "unit_norm"), X))
    assert apply((), X) is X
