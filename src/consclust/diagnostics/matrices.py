"""Questions to an ensemble, or to a matrix over its objects, without a consensus: order, levels, contrast, blocks."""

# scikit-learn is imported where needed, so that what does without it starts faster

from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.pairs import one_cluster_each
from consclust.ensemble import Ensemble, FloatArray, IntArray, as_ensemble


def contrast(matrix: npt.ArrayLike, classes: npt.ArrayLike) -> dict[str, float]:
    """Return how far a matrix over the objects, (n, n), shows their classes, (n,), as blocks.

    That is the range of the entries off the diagonal, ``least``, ``percentile_1``, ``percentile_99``, ``largest``, and
    their means, ``mean_in_classes`` and ``mean_between`` (NaN if there is no such pair). Raises ValueError for what is
    no matrix of finite numbers over two objects or more, or no class for each of them.

    Examples
    --------
    >>> from consclust.diagnostics import contrast
    >>> import numpy as np
    >>> contrast(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]), np.array([0, 0, 1]))["mean_in_classes"]
    0.9
    """
    matrix = _check_matrix(matrix, least=2)
    codes, _ = one_cluster_each(classes, len(matrix))
    apart = ~np.eye(len(matrix), dtype=bool)
    together = codes[:, None] == codes
    low, high = np.percentile(matrix[apart], [1, 99])
    return {
        "least": float(matrix[apart].min()),
        "percentile_1": float(low),
        "percentile_99": float(high),
        "largest": float(matrix[apart].max()),
        "mean_in_classes": _mean(matrix[together & apart]),
        "mean_between": _mean(matrix[~together]),
    }


def level_shares(ensemble: npt.ArrayLike | Ensemble, classes: npt.ArrayLike) -> FloatArray:
    """Measure the pairs of different objects by their level of co-association.

    ``classes`` are the true classes, (n,). Returns shape (5, m + 1), for each level l = 0..m. Of the pairs with
    a co-association of at least l / m: the share in one class (precision; NaN if there are none), their share of all
    pairs in one class (recall) and of all pairs. Of those with at least l / m and less than (l + 1) / m: the share in
    one class, that of all pairs. A share of no pairs is NaN. Raises ValueError unless each object has a class.

    Examples
    --------
    >>> from consclust.diagnostics import level_shares
    >>> import numpy as np
    >>> from consclust import Ensemble
    >>> level_shares(Ensemble([[0, 0], [0, 1], [1, 1]]), np.array([0, 0, 1])).round(2)
    array([[0.33, 0.5 ,  nan],
           [1.  , 1.  , 0.  ],
           [1.  , 0.67, 0.  ],
           [0.  , 0.5 ,  nan],
           [0.33, 0.67, 0.  ]])
    """
    ensemble = as_ensemble(ensemble)
    m = ensemble.n_clusterings
    n = ensemble.n_objects
    codes, sizes = one_cluster_each(classes, n)
    level = np.floor(ensemble.coassociation * m + 1e-9).astype(np.int64).ravel()
    in_class = np.zeros((ensemble.n_profiles, len(sizes)))
    np.add.at(in_class, (ensemble.membership, codes), 1)
    ordered = np.outer(ensemble.weights, ensemble.weights).ravel()
    pairs_at = np.bincount(level, ordered, m + 1)
    same_at = np.bincount(level, (in_class @ in_class.T).ravel(), m + 1)
    pairs_at[m] -= n  # an object is no pair with itself
    same_at[m] -= n
    pairs, same = (np.cumsum(counts[::-1])[::-1] for counts in (pairs_at, same_at))  # at this level or above
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [same / pairs, same / same[0], pairs / pairs[0], same_at / pairs_at, pairs_at / pairs[0]]
        return np.stack(shares)


def vat_order(dissimilarity: npt.ArrayLike) -> IntArray:
    """Return the order of objects in which clusters are blocks, shape (n,): the order in which Prim's algorithm joins.

    The first is one of the two that are farthest apart in ``dissimilarity``, (n, n), symmetric, and each further one
    the nearest to any before it; of several the one with the lowest index (Bezdek, Hathaway: VAT, IJCNN 2002). Raises
    ValueError for what is no matrix of finite numbers over the objects.

    Examples
    --------
    >>> from consclust.diagnostics import vat_order
    >>> import numpy as np
    >>> vat_order(np.array([[0, 9, 1, 8], [9, 0, 8, 1], [1, 8, 0, 9], [8, 1, 9, 0]]))
    array([0, 2, 1, 3])
    """
    distances = _check_matrix(dissimilarity)
    n = len(distances)
    order = np.empty(n, dtype=np.int64)
    order[0] = np.unravel_index(np.argmax(distances), distances.shape)[0]
    nearest = distances[order[0]].astype(float)
    nearest[order[0]] = np.inf
    for place in range(1, n):
        order[place] = np.argmin(nearest)
        joined = nearest == np.inf
        np.minimum(nearest, distances[order[place]], out=nearest)
        nearest[joined] = np.inf
        nearest[order[place]] = np.inf
    return order


def block_structure(matrix: npt.ArrayLike, classes: npt.ArrayLike) -> dict[str, float]:
    """Return how clearly a matrix over the objects, (n, n), is one of blocks, by the sizes of its entries.

    Of the graph with the weights (abs(X) + abs(X)') / 2 of different objects: ``auc`` is the probability that a pair of
    one class, of ``classes`` (n,), has a larger weight than a pair of two (1/2: no relation), ``within`` the share of
    the weight inside classes. ``disconnected`` needs no classes: the mean of the K largest eigenvalues of its
    normalised adjacency matrix, K being the number of classes; it is 1 if the graph has K components. ``within``
    is NaN without any weight, ``auc`` without pairs of both kinds. Raises ValueError as :func:`contrast`.

    Examples
    --------
    >>> from consclust.diagnostics import block_structure
    >>> import numpy as np
    >>> block_structure(np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]), np.array([0, 0, 1]))["auc"]
    1.0
    """
    from sklearn.metrics import roc_auc_score

    matrix = _check_matrix(matrix, least=2)
    codes, sizes = one_cluster_each(classes, len(matrix))
    weights = (np.abs(matrix) + np.abs(matrix).T) / 2
    np.fill_diagonal(weights, 0)
    above = np.triu_indices(len(weights), 1)
    together = (codes[:, None] == codes)[above]
    pairs = weights[above]
    degrees = weights.sum(axis=1)
    scales = np.sqrt(np.outer(degrees, degrees))
    values = np.linalg.eigvalsh(np.divide(weights, scales, out=np.zeros(weights.shape), where=scales > 0))
    return {
        "auc": float(roc_auc_score(together, pairs)) if 0 < together.sum() < len(pairs) else nan,
        "within": float(pairs[together].sum() / pairs.sum()) if pairs.any() else nan,
        "disconnected": float(values[-len(sizes) :].mean()),
    }


def _check_matrix(matrix: Any, least: int = 1) -> npt.NDArray[Any]:
    """Return a matrix of finite numbers over at least so many objects, (n, n)."""
    found = np.asarray(matrix)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or len(found) < least:
        raise ValueError(f"the matrix must be (n, n) over n >= {least} objects, got shape {found.shape}")
    if found.dtype.kind not in "fiub" or not np.isfinite(found).all():
        raise ValueError("the matrix must hold finite numbers only")
    return found


def _mean(values: npt.NDArray[Any]) -> float:
    return float(values.mean()) if values.size else nan
