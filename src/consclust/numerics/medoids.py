"""K medoids of a distance matrix by PAM, without random numbers (Kaufman, Rousseeuw 1990)."""

from typing import NamedTuple

import numpy as np

from consclust.ensemble import FloatArray, IntArray

EQUAL = 1e-10  # Costs, sums of distances in [0, 1], that differ by less tie; the lowest index is taken


class Medoids(NamedTuple):
    """What PAM finds."""

    items: IntArray  # The medoids, (K,), each in the place of the one that it was swapped for
    costs: list[float]  # Sum of the distances to the nearest medoid, after the start and after each swap


def find_medoids(distances: FloatArray, n_medoids: int) -> Medoids:
    """Return K medoids of the items with ``distances``, shape (items, items), symmetric; K is at most all items.

    The start takes the item with the least sum of distances, then one after the other the item that lowers the cost
    most. Then the best swap of a medoid and another item is made as long as the cost falls; O(items^2) time each.
    """
    medoids = _build(distances, n_medoids)
    costs = [float(distances[:, medoids].min(axis=1).sum())]
    while n_medoids < len(distances):
        changes = _swap_changes(distances, medoids)
        best = _first_least(changes.ravel())
        if changes.flat[best] >= -EQUAL:
            break
        out, into = divmod(best, len(distances))
        medoids[out] = into
        costs.append(float(distances[:, medoids].min(axis=1).sum()))
    return Medoids(medoids, costs)


def _build(distances: FloatArray, n_medoids: int) -> IntArray:
    """Return the medoids of the start, (K,)."""
    medoids = [_first_least(distances.sum(axis=0))]
    nearest = distances[:, medoids[0]].copy()
    while len(medoids) < n_medoids:
        costs = np.minimum(distances, nearest[:, None]).sum(axis=0)
        costs[medoids] = np.inf
        medoids.append(_first_least(costs))
        nearest = np.minimum(nearest, distances[:, medoids[-1]])
    return np.array(medoids)


def _swap_changes(distances: FloatArray, medoids: IntArray) -> FloatArray:
    """Return the change of the cost if a medoid gave way to an item, shape (K, items); inf where that is a medoid.

    An item whose own medoid leaves goes to the new one or to its second nearest; all others go to the new one or stay.
    """
    to_medoids = distances[:, medoids]
    own = to_medoids.argmin(axis=1)
    places = np.arange(len(distances))
    nearest = to_medoids[places, own]
    to_medoids[places, own] = np.inf
    second = to_medoids.min(axis=1) if len(medoids) > 1 else np.full(len(distances), np.inf)
    stay = np.minimum(distances - nearest[:, None], 0.0)
    leave = np.minimum(distances, second[:, None])
    leave -= nearest[:, None]
    leave -= stay
    changes = np.stack([leave[own == medoid].sum(axis=0) for medoid in range(len(medoids))])
    changes += stay.sum(axis=0)
    changes[:, medoids] = np.inf
    return changes


def _first_least(values: FloatArray) -> int:
    """Return the place of the least value, the first of those that equal it but for rounding."""
    return int(np.argmax(values <= values.min() + EQUAL))
