"""The errors that RCE finds in each base clustering.

RCE's model of a connective matrix A(i), 1 where clustering i joins a pair and 0 where it parts one, is the sum of a
clean matrix Y(i) and errors E(i). Given the consensus matrix A, the errors that minimise RCE's objective are, entry by
entry, h(1 - s) where the clustering joins the pair and -h(s) where it parts it, with s the entry of A and h the
function of the paper's Theorem 3. n is the number of objects, m that of clusterings, n' that of distinct profiles.
"""

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, FloatArray, as_ensemble
from consclust.methods.rce import RCE


def rce_error_matrix(rce: RCE, labels: npt.ArrayLike | Ensemble, clustering: int) -> FloatArray:
    """Return the errors E(i) that RCE finds in the pairs of one base clustering.

    Parameters
    ----------
    rce : RCE
        Fitted to the labels.
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.
    clustering : int
        Column of the label matrix, i.

    Returns
    -------
    ndarray, shape (n, n)
        In [-1, 1]: positive where the clustering joins a pair that the consensus parts, negative where it parts one
        that the consensus joins; NaN where it does not contain both.

    Raises
    ------
    ValueError
        If the matrix was not found from these labels, or there is no such clustering.

    References
    ----------
    Zhou, Du, Wang, Shi, Shen: IJCAI 2015, Theorem 3.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.diagnostics import rce_error_matrix
    >>> from consclust.methods import RCE
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> errors = rce_error_matrix(RCE(n_clusters=2).fit(labels), labels, 2)
    >>> bool(errors[0, 1] < 0 < errors[0, 2])
    True
    """
    ensemble = as_ensemble(labels)
    if clustering not in range(-ensemble.n_clusterings, ensemble.n_clusterings):
        raise ValueError(f"clustering = {clustering}: there are {ensemble.n_clusterings} clusterings, from 0")
    return ensemble.expand(_find_errors(ensemble, *_shrink_both(rce, ensemble), clustering))


def rce_errors(rce: RCE, labels: npt.ArrayLike | Ensemble) -> FloatArray:
    """Return the mean size of the errors that RCE finds in the pairs of each object, in each base clustering.

    Parameters
    ----------
    rce : RCE
        Fitted to the labels.
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.

    Returns
    -------
    ndarray, shape (n, m)
        Mean over the other objects j of the clustering i of the absolute value of E(i)_j, in [0, 1]; NaN for an object
        that is missing from the clustering or alone in it. O(n'^2 m) time.

    Raises
    ------
    ValueError
        If the matrix was not found from these labels.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.diagnostics import rce_errors
    >>> from consclust.methods import RCE
    >>> labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> rce_errors(RCE(n_clusters=2).fit(labels), labels).mean(axis=0).argmax()
    np.int64(2)
    """
    ensemble = as_ensemble(labels)
    shares = _shrink_both(rce, ensemble)
    weights = ensemble.weights.astype(float)
    result = np.full(ensemble.profiles.shape, np.nan)
    for i, column in enumerate(ensemble.profiles.T):
        there = column != MISSING
        sizes = np.abs(_find_errors(ensemble, *shares, i))[np.ix_(there, there)]
        others = weights[there].sum() - 1
        if others:
            result[there, i] = (sizes @ weights[there] - sizes.diagonal()) / others
    return result[ensemble.membership]


def _shrink_both(rce: RCE, ensemble: Ensemble) -> tuple[FloatArray, FloatArray]:
    """Return h(s) and h(1 - s) for the consensus matrix over the profiles, (n', n') each."""
    rce._require_fitted()
    if rce.profile_matrix_.shape != (ensemble.n_profiles,) * 2 or len(rce.labels_) != ensemble.n_objects:
        raise ValueError(f"the consensus is not of these {ensemble.n_objects} objects; pass the labels of the fit")
    s = (rce.profile_matrix_ + rce.profile_matrix_.T) / 2
    return _shrink(s, rce.lambda1), _shrink(1 - s, rce.lambda1)


def _shrink(s: FloatArray, lambda1: float) -> FloatArray:
    """Return h(s) of Theorem 3, as the kernel of RCE's E-step."""
    return np.minimum(2 * s / (1 + lambda1 + np.sqrt((1 - lambda1) ** 2 + 4 * lambda1 * (1 - s))), s)


def _find_errors(ensemble: Ensemble, joined: FloatArray, parted: FloatArray, clustering: int) -> FloatArray:
    """Return the errors over the profiles; ``joined``, ``parted``: h(s) and h(1 - s)."""
    column = ensemble.profiles[:, clustering]
    errors = np.where(column[:, None] == column, parted, -joined)
    errors[column == MISSING] = np.nan
    errors[:, column == MISSING] = np.nan
    return errors
