"""Steps that map features to a range."""

import numpy as np
from scipy import sparse

from consclust.errors import InputError
from consclust.readers.common import Features


def minmax(X: Features) -> Features:
    """Map each feature (column) to [0, 1], its smallest value to 0 and its largest to 1; a constant one becomes 0.

    InputError if X is sparse: a shift would fill it.
    """
    if sparse.issparse(X):
        raise InputError("minmax: the features are sparse and a shift would fill them; take unit_norm or tfidf")
    smallest, largest = X.min(axis=0), X.max(axis=0)
    return np.asarray((X - smallest) / np.where(largest > smallest, largest - smallest, 1.0), dtype=np.float64)
