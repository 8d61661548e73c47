"""Preprocessing, each step a named function X -> X of features of shape (n, d). Inputs are never changed.

Dense features are ``ndarray``, sparse ones ``scipy.sparse.csr_array``; the kind is kept.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import sparse

from concord.datasets.readers.common import Features, canonical
from concord.ensemble import FloatArray
from concord.errors import InputError
from concord.validation import did_you_mean

INTEGER_TOLERANCE = 1e-6


def unit_norm(X: Features) -> Features:
    """Scale each object (row) to Euclidean length 1; a row of zeros stays."""
    from scipy.sparse.linalg import norm as sparse_norm

    norms = np.asarray((sparse_norm if sparse.issparse(X) else np.linalg.norm)(X, axis=1), dtype=np.float64)
    factors = 1.0 / np.where(norms == 0, 1.0, norms)
    if not sparse.issparse(X):
        return np.asarray(X * factors[:, None], dtype=np.float64)
    result = sparse.csr_array(X, dtype=np.float64, copy=True)
    result.data *= np.repeat(factors, np.diff(result.indptr))
    return result


def zscore(X: Features) -> Features:
    """Centre each feature (column) and divide by its standard deviation (``ddof=1``, as MATLAB's ``zscore``).

    A constant feature becomes 0. InputError if X is sparse: centring would fill it.
    """
    return zscore_by(X, X)


def zscore_by(X: Features, reference: Features) -> FloatArray:
    """Centre and divide each feature by mean and standard deviation (``ddof=1``) of ``reference``, shape (m, d).

    A feature that is constant in ``reference`` becomes 0. InputError if the features are sparse.
    """
    if sparse.issparse(X):
        raise InputError("zscore: the features are sparse and centring would fill them; take unit_norm or tfidf")
    varies = (reference[:1] != reference).any(axis=0)  # exact: of a constant the deviation can be 1e-17
    result = np.zeros(X.shape)
    part = reference[:, varies]
    if part.size:
        result[:, varies] = (X[:, varies] - part.mean(axis=0)) / part.std(axis=0, ddof=1)
    return result


def tfidf(X: Features) -> Features:
    """Weigh term counts: ``(1 + ln tf) ln(N / df)``, then rows of length 1 (D. Cai's ``tfidf.m``).

    X has shape (N documents, d terms). A term that is in every document weighs nothing: its column is empty.
    InputError if an entry is no integer >= 0.
    """
    counts = _entries(X)
    wrong = (counts.data < 0) | (counts.data != np.round(counts.data))
    _refuse(counts, wrong, "tfidf: {value:g} in {place} is no term count", "the features are weighted already")
    counts.data = (1.0 + np.log(counts.data)) * _inverse_document_frequency(counts)[counts.indices]
    counts.eliminate_zeros()
    return _like(X, unit_norm(counts))


def tfidf_to_counts(X: Features) -> Features:
    r"""Invert :func:`tfidf`: the term counts behind tf-idf weights >= 0, whatever the lengths of the rows.

    With :math:`v = x / \ln(N/df)` a row is :math:`c (1 + \ln tf)`. A term with tf = 1 is the smallest of its
    row and gives c; so :math:`tf = e^{v / \min v - 1}`.

    InputError if an entry is negative, a term is in every document (its weight would be 0), or a count is not an
    integer within 1e-6. What the weights do not hold is lost: terms of every document (their columns are empty), and a
    row without a term of tf = 1, which is refused because its "counts" are no integers, unless all are equal: it comes
    back as ones.
    """
    weights = _entries(X)
    idf = _inverse_document_frequency(weights)[weights.indices]
    message = "tfidf_to_counts: the weight {value:.6g} in {place} "
    remedy = "the features are no tf-idf weights (1 + ln tf) ln(N/df), or a row has no term that occurs once"
    _refuse(weights, weights.data < 0, message + "is negative", remedy)
    everywhere = message + "belongs to a term of every document, which tf-idf weighs with 0"
    _refuse(weights, idf <= 0, everywhere, remedy)
    scaled, rows = weights.data / idf, weights.tocoo().coords[0]
    smallest = np.full(weights.shape[0], np.inf)
    np.minimum.at(smallest, rows, scaled)
    with np.errstate(over="ignore", invalid="ignore"):  # infinite: refused in the next line
        tf = np.exp(scaled / smallest[rows] - 1.0)
        counts = np.round(tf)
        fractional = ~(np.abs(tf - counts) <= INTEGER_TOLERANCE)
    _refuse(weights, fractional, message + "does not come from an integer count (it would be {tf:.9g})", remedy, tf)
    weights.data = counts
    return _like(X, weights)


STEPS: dict[str, Callable[[Features], Features]] = {
    step.__name__: step for step in (tfidf, tfidf_to_counts, unit_norm, zscore)
}


def apply(steps: tuple[str, ...], X: Features) -> Features:
    """Apply the named steps in order; InputError if there is no such step."""
    for step in steps:
        if step not in STEPS:
            raise InputError(f"{step!r}: no such preprocessing step; {did_you_mean(step, list(STEPS))}")
        X = STEPS[step](X)
    return X


def _entries(X: Features) -> sparse.csr_array:
    """A fresh CSR copy that holds exactly the non-zero entries, as floats, each once."""
    return canonical(sparse.csr_array(X, dtype=np.float64, copy=True))


def _like(X: Features, result: sparse.csr_array) -> Features:
    return result if sparse.issparse(X) else result.toarray()


def _inverse_document_frequency(matrix: sparse.csr_array) -> FloatArray:
    """Return ln(N / df) of each column; 0 for an empty one."""
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    return np.where(frequency > 0, np.log(matrix.shape[0] / np.maximum(frequency, 1)), 0.0)


def _refuse(
    matrix: sparse.csr_array, wrong: npt.NDArray[np.bool_], message: str, doubt: str, tf: FloatArray | None = None
) -> None:
    if wrong.any():
        entry = int(np.flatnonzero(wrong)[0])
        row, column = (axis[entry] for axis in matrix.tocoo().coords)
        facts = {"value": matrix.data[entry], "place": f"row {row}, column {column}"}
        what = message.format(**facts, tf=None if tf is None else tf[entry])
        raise InputError(f"{what}; leave the step out, since {doubt}")
