"""Steps on term counts and their weights."""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from consclust.datasets.preprocessing.scaling import unit_norm
from consclust.ensemble import FloatArray
from consclust.errors import InputError
from consclust.readers.common import Features, canonical

INTEGER_TOLERANCE = 1e-6


def log_tf(X: Features) -> Features:
    """Weigh term counts: ``1 + ln tf``; a count of 0 stays. InputError if an entry is no integer >= 0."""
    counts = _entries(X)
    wrong = (counts.data < 0) | (counts.data != np.round(counts.data))
    _refuse(counts, wrong, "1 + ln tf: {value:g} in {place} is no term count", "the features are weighted already")
    counts.data = 1.0 + np.log(counts.data)
    return _like(X, counts)


def idf(X: Features) -> Features:
    """Weigh terms (columns) by ``ln(N / df)``, N documents, df of them with the term; one of every document by 0."""
    weights = _entries(X)
    weights.data = weights.data * _inverse_document_frequency(weights)[weights.indices]
    weights.eliminate_zeros()
    return _like(X, weights)


def tfidf(X: Features) -> Features:
    """Weigh term counts: ``(1 + ln tf) ln(N / df)``, then rows of length 1 (D. Cai's ``tfidf.m``).

    X has shape (N documents, d terms). A term that is in every document weighs nothing: its column is empty.
    InputError if an entry is no integer >= 0.
    """
    return unit_norm(idf(log_tf(X)))


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
