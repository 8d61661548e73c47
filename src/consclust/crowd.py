"""Crowd agreement: how much each base clustering counts by what it shares with the others (WEAC, GP-MGLA).

Source: Huang, Lai, Wang: Combining multiple clusterings via crowd agreement estimation and multi-granularity link
analysis, Neurocomputing 170, 2015.
"""

# SciPy is imported where needed, so that what does without it starts faster

import numpy as np
import numpy.typing as npt

from consclust.ensemble import Ensemble, FloatArray

NO_ENTROPY = 1e-12  # An entropy below is 0 but for rounding; that of a clustering with two clusters is far above


def crowd_agreement(ensemble: Ensemble, beta: float = 2.0) -> FloatArray:
    r"""Return the influence of each base clustering, its normalised crowd agreement to the power of beta, (m,).

    .. math:: I_i = \left( \frac{CAI_i}{\max_j CAI_j} \right)^\beta, \quad
        CAI_i = \frac{1}{m - 1} \sum_{j \ne i} NMI(i, j)

    with the mutual information divided by the larger of the two entropies. In [0, 1], and 1 for the clustering that
    agrees most. All are 1 where there is one clustering, or where none agrees with any.

    With missing labels NMI is over the objects that both clusterings contain. A clustering that shares no object with
    another has the mean agreement of the others.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.crowd import crowd_agreement
    >>> crowd_agreement(Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])).round(2)
    array([1., 1., 0.])
    """
    agreement, is_known = share_information(ensemble)
    np.fill_diagonal(is_known, False)
    n_known = is_known.sum(axis=1)
    mean = agreement.sum(axis=1, where=is_known) / np.maximum(n_known, 1)
    if not n_known.any() or mean.max() == 0:
        return np.ones(ensemble.n_clusterings)
    mean[n_known == 0] = mean[n_known > 0].mean()
    influence: FloatArray = (mean / mean.max()) ** beta
    return influence


def share_information(ensemble: Ensemble) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the NMI of every two clusterings, by the larger entropy, and whether they share objects; both (m, m).

    Takes O(nm^2) time. NMI is 0 where both clusterings have one cluster.
    """
    from scipy.special import xlogy

    firsts = np.cumsum(ensemble.n_clusters) - ensemble.n_clusters
    shape = (int(ensemble.n_clusters.sum()), ensemble.n_clusterings)
    seen = np.empty(shape)  # members of each cluster that a clustering contains
    joint = np.empty(shape)  # sum of c log c over the c that these share with each of its clusters
    for here, common in ensemble.overlap_rows():
        seen[here] = np.add.reduceat(common, firsts, axis=1)
        joint[here] = np.add.reduceat(xlogy(common, common), firsts, axis=1)
    n_shared = np.add.reduceat(seen, firsts, axis=0)
    n = np.maximum(n_shared, 1.0)
    entropy = np.log(n) - np.add.reduceat(xlogy(seen, seen), firsts, axis=0) / n
    joint_entropy = np.log(n) - np.add.reduceat(joint, firsts, axis=0) / n
    information = np.maximum(entropy + entropy.T - joint_entropy, 0.0)
    larger = np.maximum(entropy, entropy.T)
    has_entropy = larger > NO_ENTROPY
    share = np.divide(information, larger, out=np.zeros_like(information), where=has_entropy)
    return share, n_shared > 0


def weighted_coassociation(ensemble: Ensemble, influence: FloatArray) -> FloatArray:
    r"""Return the co-association matrix in which clustering j counts :math:`I_j` times, shape (n', n').

    .. math:: S_{pq} = \frac{\sum_j I_j [c_j(p) = c_j(q)]}{\sum_j I_j}

    with both sums over the clusterings that contain p and q. Where they count nothing the pair is unknown: it has the
    mean share of the others, or 0 where missing labels are "ignored".

    Examples
    --------
    >>> import numpy as np
    >>> from consclust import Ensemble
    >>> from consclust.crowd import weighted_coassociation
    >>> weighted_coassociation(Ensemble([[0, 0], [0, 1], [1, 1]]), np.array([3.0, 1.0]))
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    indicator = ensemble.expected_indicator.toarray()
    weighted = indicator * np.repeat(influence, ensemble.n_clusters)
    total: FloatArray = weighted @ indicator.T
    if not ensemble.has_missing:
        total /= influence.sum()
        np.fill_diagonal(total, 1.0)  # rounding must not make another profile nearer
        return np.minimum(total, 1.0, out=total)
    firsts = np.cumsum(ensemble.n_clusters) - ensemble.n_clusters
    known = (np.add.reduceat(indicator, firsts, axis=1) > 0).astype(float)
    counted = (known * influence) @ known.T
    return _divide_known(ensemble, total, counted)


def _divide_known(ensemble: Ensemble, total: FloatArray, counted: FloatArray) -> FloatArray:
    """Return total / counted; where nothing is counted the mean of the pairs, or 0 if missing labels are ignored."""
    mean = 0.0
    if ensemble.missing == "expected":
        pairs = np.outer(ensemble.weights, ensemble.weights) - np.diag(ensemble.weights)
        all_counted = float(np.vdot(pairs, counted))
        mean = float(np.vdot(pairs, total)) / all_counted if all_counted > 0 else 0.0
    shares: FloatArray = np.divide(total, counted, out=np.full_like(total, mean), where=counted > 0)
    return shares
