"""Preprocessing, each step a named function X -> X. Inputs are never changed.

Dense features are ``ndarray``, sparse ones ``scipy.sparse.csr_array``; the kind is kept.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import sparse

from concord.datasets.readers.common import Features
from concord.errors import InputError

FloatArray = npt.NDArray[np.float64]

INTEGER_TOLERANCE = 1e-6


def unit_norm(X: Features) -> Features:
    """Scale each object (row) to Euclidean length 1; a row of zeros stays.

    Parameters
    ----------
    X : ndarray or csr_array, shape (n, d)

    Returns
    -------
    ndarray or csr_array, shape (n, d)
    """
    return _scaled_rows(X, 1.0 / _nonzero(_row_norms(X)))


def zscore(X: Features) -> Features:
    """Centre each feature (column) and divide by its standard deviation (``ddof=1``, as MATLAB's ``zscore``).

    Parameters
    ----------
    X : ndarray, shape (n, d)

    Returns
    -------
    ndarray, shape (n, d)
        A constant feature becomes 0.

    Raises
    ------
    InputError
        If X is sparse: centring would fill it.
    """
    return zscore_by(X, X)


def zscore_by(X: Features, reference: Features) -> FloatArray:
    """Centre and divide each feature by mean and standard deviation (``ddof=1``) of ``reference``.

    Parameters
    ----------
    X : ndarray, shape (n, d)
    reference : ndarray, shape (n_reference, d)

    Returns
    -------
    ndarray, shape (n, d)
        A feature that is constant in ``reference`` becomes 0.

    Raises
    ------
    InputError
        If the features are sparse.
    """
    if sparse.issparse(X):
        raise InputError(
            "zscore: the features are sparse and centring would fill them; take unit_norm or tfidf"
        )
    varies = (reference[:1] != reference).any(axis=0)  # exact: of a constant the deviation can be 1e-17
    result = np.zeros(X.shape)
    part = reference[:, varies]
    if part.size:
        result[:, varies] = (X[:, varies] - part.mean(axis=0)) / part.std(axis=0, ddof=1)
    return result


def tfidf(X: Features) -> Features:
    """Weigh term counts: ``(1 + ln tf) ln(N / df)``, then rows of length 1 (D. Cai's ``tfidf.m``).

    Parameters
    ----------
    X : ndarray or csr_array, shape (N documents, d terms)
        Counts, integers >= 0.

    Returns
    -------
    ndarray or csr_array, shape (N, d)
        A term that is in every document weighs nothing: its column is empty.

    Raises
    ------
    InputError
        If an entry is no count.
    """
    counts = _entries(X)
    wrong = (counts.data < 0) | (counts.data != np.round(counts.data))
    if wrong.any():
        row, column = _position(counts, int(np.flatnonzero(wrong)[0]))
        raise InputError(
            f"tfidf: {counts.data[wrong][0]:g} in row {row}, column {column} is no term count; "
            "leave the step out if the features are weighted already"
        )
    counts.data = (1.0 + np.log(counts.data)) * _inverse_document_frequency(counts)[counts.indices]
    counts.eliminate_zeros()
    return _like(X, unit_norm(counts))


def tfidf_to_counts(X: Features) -> Features:
    r"""Invert :func:`tfidf`: the term counts behind tf-idf weights with rows of length 1.

    With :math:`v = x / \ln(N/df)` a row is :math:`c (1 + \ln tf)`. A term with tf = 1 is the smallest of its
    row and gives c; so :math:`tf = e^{v / \min v - 1}`.

    Parameters
    ----------
    X : ndarray or csr_array, shape (N documents, d terms)
        Weights >= 0; they may be scaled by any positive factor per row.

    Returns
    -------
    ndarray or csr_array, shape (N, d)
        Integers, as floats.

    Raises
    ------
    InputError
        If an entry is negative, a term is in every document (its weight would be 0), or a count is not an
        integer within 1e-6.

    Notes
    -----
    What the weights do not hold cannot come back. Terms of every document are lost: their columns are empty.
    A row without a term of tf = 1 (among those that are left) has no exact inversion by this formula: its
    "counts" are no integers and it is refused, with one exception. If all its counts are equal, to t, the
    weights are the same for every t; the row comes back as ones.
    """
    weights = _entries(X)
    _refuse(weights, weights.data < 0, "is negative")
    idf = _inverse_document_frequency(weights)
    everywhere = idf[weights.indices] <= 0
    _refuse(weights, everywhere, "belongs to a term of every document, which tf-idf weighs with 0")
    scaled = weights.data / idf[weights.indices]
    with np.errstate(over="ignore", invalid="ignore"):  # infinite: refused in the next line
        tf = np.exp(scaled / _row_minima(scaled, weights) - 1.0)
        counts = np.round(tf)
        fractional = ~(np.abs(tf - counts) <= INTEGER_TOLERANCE)
    _refuse(weights, fractional, "does not come from an integer count", tf)
    weights.data = counts
    return _like(X, weights)


STEPS: dict[str, Callable[[Features], Features]] = {
    step.__name__: step for step in (tfidf, tfidf_to_counts, unit_norm, zscore)
}


def apply(steps: tuple[str, ...], X: Features) -> Features:
    """Apply the named steps in order."""
    for step in steps:
        X = STEPS[step](X)
    return X


def _entries(X: Features) -> sparse.csr_array:
    """A fresh CSR copy that holds exactly the non-zero entries, as floats, each once."""
    matrix = sparse.csr_array(X, dtype=np.float64, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _like(X: Features, result: sparse.csr_array) -> Features:
    return result if sparse.issparse(X) else result.toarray()


def _inverse_document_frequency(matrix: sparse.csr_array) -> FloatArray:
    """Return ln(N / df) of each column; 0 for an empty one."""
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    return np.where(frequency > 0, np.log(matrix.shape[0] / np.maximum(frequency, 1)), 0.0)


def _row_norms(X: Features) -> FloatArray:
    from scipy.sparse.linalg import norm as sparse_norm

    norm = sparse_norm if sparse.issparse(X) else np.linalg.norm
    return np.asarray(norm(X, axis=1), dtype=np.float64)


def _nonzero(values: FloatArray) -> FloatArray:
    return np.where(values == 0, 1.0, values)


def _scaled_rows(X: Features, factors: FloatArray) -> Features:
    if not sparse.issparse(X):
        return np.asarray(X * factors[:, None], dtype=np.float64)
    result = sparse.csr_array(X, dtype=np.float64, copy=True)
    result.data *= np.repeat(factors, np.diff(result.indptr))
    return result


def _row_minima(values: FloatArray, matrix: sparse.csr_array) -> FloatArray:
    """Minimum over the entries of each row, repeated for each of its entries."""
    lengths = np.diff(matrix.indptr)
    filled = lengths > 0
    minima = np.minimum.reduceat(values, matrix.indptr[:-1][filled]) if filled.any() else np.empty(0)
    return np.repeat(minima, lengths[filled])


def _position(matrix: sparse.csr_array, entry: int) -> tuple[int, int]:
    return int(np.searchsorted(matrix.indptr, entry, side="right")) - 1, int(matrix.indices[entry])


def _refuse(
    matrix: sparse.csr_array, wrong: npt.NDArray[np.bool_], what: str, tf: FloatArray | None = None
) -> None:
    if not wrong.any():
        return
    entry = int(np.flatnonzero(wrong)[0])
    row, column = _position(matrix, entry)
    value = f" (it would be {tf[entry]:.9g})" if tf is not None else ""
    raise InputError(
        f"tfidf_to_counts: the weight {matrix.data[entry]:.6g} in row {row}, column {column} {what}{value}; "
        "the features are no tf-idf weights of the form (1 + ln tf) ln(N/df), or a row has no term that "
        "occurs once; leave the step out"
    )
