"""k-means of few objects as scikit-learn does it, in one compiled loop, for measurements with very many runs.

With some hundred objects scikit-learn spends most of the time of a run on what is around the arithmetic. Here is the
same algorithm with the same random numbers: greedy k-means++ (Arthur, Vassilvitskii: SODA 2007) and Lloyd's iterations.
The labels are equal unless two sums differ by rounding alone, as they may in data with equal values.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from consclust.diagnostics import ResampledKMeans
from consclust.ensemble import FloatArray, IntArray

TOLERANCE = 1e-4
"""Of the shift of the centres, relative to the mean variance of a feature; the default of scikit-learn."""

RANDOM = np.random.RandomState()
"""The generator of scikit-learn, seeded for each run."""


class Fitted(NamedTuple):
    """The attributes of scikit-learn's ``KMeans`` that are read."""

    labels_: IntArray
    inertia_: float


@dataclass(frozen=True)
class CompiledKMeans(ResampledKMeans):
    """As its parent with k-means++, faster with few objects."""

    def fit(self, features: FloatArray, k: int, rng: np.random.Generator, starts: int = 1) -> Any:
        """Return labels and inertia of k-means with k clusters, the best of several starts."""
        # seeding the one that there is gives the numbers of a new one, which takes much longer to make
        RANDOM.seed(int(rng.integers(2**32)))
        X = features - features.mean(axis=0)
        tolerance = TOLERANCE * features.var(axis=0).mean()
        return min((self._start(X, k, tolerance) for _ in range(starts)), key=lambda found: found.inertia_)

    def _start(self, X: FloatArray, k: int, tolerance: float) -> Fitted:
        n = len(X)
        first = RANDOM.choice(n, p=np.full(n, 1 / n))
        draws = RANDOM.random_sample((k - 1, 2 + int(np.log(k))))
        return Fitted(*iterate(X, X[draw_centres(X, first, draws)], self.max_iter, tolerance))


@njit(cache=True)
def draw_centres(X: FloatArray, first: int, draws: FloatArray) -> IntArray:
    """Return the objects of greedy k-means++, (k,): of each row of ``draws`` the candidate that reduces most."""
    n = len(X)
    found = np.empty(len(draws) + 1, np.int64)
    found[0] = first
    nearest = np.full(n, np.inf)
    take_nearer(X, first, nearest, nearest)
    trial = np.empty(n)
    best = np.empty(n)
    for c in range(len(draws)):
        sums = np.cumsum(nearest)
        least = np.inf
        for draw in draws[c]:
            candidate = min(np.searchsorted(sums, draw * sums[-1]), n - 1)
            take_nearer(X, candidate, nearest, trial)
            total = trial.sum()
            if total < least:
                least = total
                found[c + 1] = candidate
                best[:] = trial
        nearest[:] = best
    return found


@njit(cache=True)
def take_nearer(X: FloatArray, centre: int, before: FloatArray, nearest: FloatArray) -> None:
    """Write the smaller one of the distances before and of those to a further centre, squared, (n,)."""
    for i in range(len(X)):
        distance = 0.0
        for j in range(X.shape[1]):
            distance += (X[i, j] - X[centre, j]) ** 2
        nearest[i] = min(before[i], distance)


@njit(cache=True)
def iterate(X: FloatArray, centres: FloatArray, max_iter: int, tolerance: float) -> tuple[IntArray, float]:
    """Return the labels and the inertia of Lloyd's iterations from given centres, (k, d)."""
    labels = np.full(len(X), -1)
    distances = np.empty(len(X))
    for _ in range(max_iter):
        before = labels.copy()
        assign(X, centres, labels, distances)
        moved = average(X, labels, distances, len(centres))
        shift = ((moved - centres) ** 2).sum()
        centres = moved
        if (labels == before).all() or shift <= tolerance:
            break
    assign(X, centres, labels, distances)
    return labels, distances.sum()


@njit(cache=True)
def assign(X: FloatArray, centres: FloatArray, labels: IntArray, distances: FloatArray) -> None:
    """Write the nearest centre of each object, and its squared distance."""
    for i in range(len(X)):
        distances[i] = np.inf
        for c in range(len(centres)):
            distance = 0.0
            for j in range(X.shape[1]):
                distance += (X[i, j] - centres[c, j]) ** 2
            if distance < distances[i]:
                distances[i] = distance
                labels[i] = c


@njit(cache=True)
def average(X: FloatArray, labels: IntArray, distances: FloatArray, k: int) -> FloatArray:
    """Return the means of the clusters, (k, d); an empty one takes the object farthest from its centre."""
    sizes = np.zeros(k)
    sums = np.zeros((k, X.shape[1]))
    for i in range(len(X)):
        sizes[labels[i]] += 1
        sums[labels[i]] += X[i]
    farthest = np.argsort(-distances)
    place = 0
    for c in range(k):
        if sizes[c] == 0 and distances.max() > 0:
            i = farthest[place]
            place += 1
            sums[labels[i]] -= X[i]
            sizes[labels[i]] -= 1
            sums[c] = X[i]
            sizes[c] = 1
    largest = np.argmax(sizes)
    for c in range(k):
        # what is still empty lies with the largest cluster
        if sizes[c] > 0:
            sums[c] /= sizes[c]
    for c in range(k):
        if sizes[c] == 0:
            sums[c] = sums[largest]
    return sums
