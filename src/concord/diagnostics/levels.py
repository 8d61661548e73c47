"""What the level of co-association of two objects says about their classes."""

import numpy as np

from concord.ensemble import Ensemble, FloatArray, IntArray


def level_shares(ensemble: Ensemble, classes: IntArray) -> FloatArray:
    """Measure the pairs of different objects by their level of co-association.

    Parameters
    ----------
    classes : ndarray of int, shape (n,)
        True classes 0..k-1.

    Returns
    -------
    ndarray, shape (5, m + 1)
        For each level l = 0..m. Of the pairs with a co-association of at least l / m: the share in one class
        (precision; NaN if there are none), their share of all pairs in one class (recall) and of all pairs.
        Of those with at least l / m and less than (l + 1) / m: the share in one class, that of all pairs.
    """
    m, n = ensemble.n_clusterings, ensemble.n_objects
    level = np.floor(ensemble.coassociation * m + 1e-9).astype(np.int64).ravel()
    in_class = np.zeros((ensemble.n_profiles, classes.max() + 1))
    np.add.at(in_class, (ensemble.membership, classes), 1)
    ordered = np.outer(ensemble.weights, ensemble.weights).ravel()
    pairs_at = np.bincount(level, ordered, m + 1)
    same_at = np.bincount(level, (in_class @ in_class.T).ravel(), m + 1)
    pairs_at[m], same_at[m] = pairs_at[m] - n, same_at[m] - n  # an object is no pair with itself
    pairs, same = (np.cumsum(counts[::-1])[::-1] for counts in (pairs_at, same_at))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [same / pairs, same / same[0], pairs / pairs[0], same_at / pairs_at, pairs_at / pairs[0]]
        return np.stack(shares)
