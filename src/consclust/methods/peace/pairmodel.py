"""PEACE's model of the co-association counts: likelihood, gradient, and the published ascent."""

# compiled kernels are imported where needed, so that what does without them starts faster

from functools import cached_property

import numpy as np
import numpy.typing as npt

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import Run

TINY = 1e-100  # Stands for a denominator of 0, whose numerator is 0 wherever the likelihood is finite: 0/0 counts as 0
BLOCK = 2**17  # Pairs of objects in a block of rows
REFRESH = 1000  # Steps of the published ascent after which its running sums are computed anew, against rounding

Counts = npt.NDArray[np.integer] | FloatArray


class PairModel:
    """Two objects share a cluster in c of N clusterings with probability y_i'y_j each, independently.

    A row is an object or, if ``merged``, a profile whose objects have equal memberships. ``together`` and ``apart``,
    (rows, rows), hold c and N - c of all ordered pairs of two objects, one in each row: whole numbers, on the diagonal
    those of pairs inside a profile. ``sizes`` are the numbers of objects, ``mean_observed`` is the mean of N. What
    needs all pairs is computed over ``blocks`` of rows that stay in the cache.
    """

    def __init__(self, ensemble: Ensemble, *, merged: bool = False) -> None:
        self._ensemble = ensemble
        self.together, self.apart = (
            _over_profiles(counts, ensemble.weights) if merged else _over_objects(counts, ensemble)
            for counts in (ensemble.counts, ensemble.observed - ensemble.counts)
        )
        rows, n = len(self.together), ensemble.n_objects
        self.sizes = ensemble.weights.astype(float) if merged else np.ones(n)
        self.mean_observed = float((self.together.sum() + self.apart.sum()) / max(n * (n - 1), 1))
        height = max(BLOCK // rows, 1)
        self.blocks = [slice(first, first + height) for first in range(0, rows, height)]

    @cached_property
    def profile_model(self) -> "PairModel":
        """The model whose rows are the profiles."""
        return PairModel(self._ensemble, merged=True)

    def merge(self, y: FloatArray) -> FloatArray:
        """Return the mean memberships of each profile, (n', K): no likelihood is lower for that."""
        total = np.zeros((self._ensemble.n_profiles, y.shape[1]))
        np.add.at(total, self._ensemble.membership, y)
        means: FloatArray = total / total.sum(axis=1, keepdims=True)
        return means

    def expand(self, y: FloatArray) -> FloatArray:
        """Return the memberships of each object, (n, K), of those of the profiles."""
        return y[self._ensemble.membership]

    def likelihood(self, y: FloatArray) -> float:
        """Return f(Y), the log-likelihood over all ordered pairs; -inf where a count has probability 0."""
        return self.rise(None, y)

    def rise(self, old: FloatArray | None, new: FloatArray) -> float:
        """Return f(new) - f(old), summed pair by pair; -inf where ``new`` gives probability 0 to a count."""
        from consclust.numerics.kernels.pair_kernels import rise

        total = 0.0
        for rows in self.blocks:
            before = None if old is None else old[rows] @ old[rows.start :].T
            total += rise(self.together, self.apart, before, new[rows] @ new[rows.start :].T, rows.start)
        inside = self.together.diagonal() > 0
        own, after = self.together.diagonal()[inside], new[inside]
        before = np.ones(len(own)) if old is None else (old[inside] ** 2).sum(axis=1)
        return 2 * total + float(own @ np.log((after**2).sum(axis=1) / before))

    def gaps(self, y: FloatArray, g: FloatArray) -> FloatArray:
        """Return how far the objects of each row are from a KKT point: max_k g_ik - min over the support."""
        widest: FloatArray = g.max(axis=1) - np.where(y > 0, g, np.inf).min(axis=1)
        return widest / self.sizes

    def gradient(self, y: FloatArray) -> FloatArray:
        """Return g, half the gradient of f, shape (n, K)."""
        from consclust.numerics.kernels.pair_kernels import derivatives

        g = np.empty_like(y)
        for rows in self.blocks:
            share = y[rows] @ y.T
            weights, unused = np.empty((2, *share.shape))
            derivatives(self.together[rows], self.apart[rows], share, weights, unused, np.inf)
            g[rows] = weights @ y
        return g


def weights(together: FloatArray, apart: FloatArray, share: FloatArray) -> FloatArray:
    """Return omega = c / a - (N - c) / (1 - a) for a = y_i'y_j, of the same shape."""
    return together / np.maximum(share, TINY) - apart / np.maximum(1 - share, TINY)


def _over_objects(counts: FloatArray, ensemble: Ensemble) -> Counts:
    """Return the counts of profiles as those of pairs of objects, (n, n), in the smallest type."""
    kind = np.min_scalar_type(-ensemble.n_clusterings)
    pairs: Counts = ensemble.expand(counts.astype(kind))
    np.fill_diagonal(pairs, 0)
    return pairs


def _over_profiles(counts: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the counts of profiles times the number of ordered pairs of two of their objects, (n', n')."""
    pairs: FloatArray = counts * sizes * sizes[:, None]
    np.fill_diagonal(pairs, counts.diagonal() * sizes * (sizes - 1))
    return pairs


def pairwise_ascent(model: PairModel, start: FloatArray, tau: float, max_iter: int) -> Run:
    """Ascend as published: one object, two of its memberships at a time, O(nK) a step."""
    from consclust.numerics.kernels.pair_kernels import steps

    y = start.T.copy()
    path = list[float]()
    f = model.likelihood(start)
    while True:
        g, gains = np.ascontiguousarray(model.gradient(y.T).T), np.empty(min(REFRESH, max_iter - len(path)))
        done, converged = steps(model.together, model.apart, y, g, tau, gains)
        for gain in gains[:done]:
            f += 2 * float(gain)
            path.append(f)
        if converged or len(path) == max_iter:
            found = y.T.copy()
            return Run(found, -model.likelihood(found), path, converged)
