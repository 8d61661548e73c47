"""Steps that scale features of any kind."""

# SciPy is imported where needed, so that what does without it starts faster

import numpy as np
from scipy import sparse

from consclust.ensemble import FloatArray
from consclust.errors import InputError
from consclust.readers.common import Features


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
