"""PEACE's model of the co-association counts: likelihood, gradient, and the published ascent."""

import numpy as np
import numpy.typing as npt

from concord.ensemble import Ensemble, FloatArray
from concord.methods.base import Run

TINY = 1e-100  # Stands for a denominator of 0, whose numerator is 0 wherever the likelihood is finite: 0/0 counts as 0
BLOCK = 2**17  # Pairs of objects in a block of rows
REFRESH = 1000  # Steps of the published ascent after which its running sums are computed anew, against rounding

Counts = npt.NDArray[np.integer]


class PairModel:
    """Two objects share a cluster in c of N clusterings with probability y_i'y_j each, independently.

    ``together`` and ``apart``, (n, n), hold c and N - c, whole numbers with diagonal 0; ``mean_observed`` is the mean
    of N. What needs all pairs is computed over ``blocks`` of rows that stay in the cache.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        n, kind = ensemble.n_objects, np.min_scalar_type(-ensemble.n_clusterings)
        every = np.ix_(ensemble.membership, ensemble.membership)
        self.together: Counts = ensemble.counts.astype(kind)[every]
        self.apart: Counts = (ensemble.observed - ensemble.counts).astype(kind)[every]
        for counts in (self.together, self.apart):
            np.fill_diagonal(counts, 0)
        self.mean_observed = float((int(self.together.sum()) + int(self.apart.sum())) / max(n * (n - 1), 1))
        rows = max(BLOCK // n, 1)
        self.blocks = [slice(first, first + rows) for first in range(0, n, rows)]

    def likelihood(self, y: FloatArray) -> float:
        """Return f(Y), the log-likelihood over all ordered pairs; -inf where a count has probability 0."""
        return self.rise(None, y)

    def rise(self, old: FloatArray | None, new: FloatArray) -> float:
        """Return f(new) - f(old), summed pair by pair; -inf where ``new`` gives probability 0 to a count."""
        from concord.numerics.kernels.pairs import rise

        total = 0.0
        for rows in self.blocks:
            before = None if old is None else old[rows] @ old[rows.start :].T
            total += rise(self.together, self.apart, before, new[rows] @ new[rows.start :].T, rows.start)
        return 2 * total

    def gradient(self, y: FloatArray) -> FloatArray:
        """Return g, half the gradient of f, shape (n, K)."""
        from concord.numerics.kernels.pairs import derivatives

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


def gaps(y: FloatArray, g: FloatArray) -> FloatArray:
    """Return how far each object is from a KKT point: max_k g_ik - min over its support, shape (n,)."""
    found: FloatArray = g.max(axis=1) - np.where(y > 0, g, np.inf).min(axis=1)
    return found


def pairwise_ascent(model: PairModel, start: FloatArray, tau: float, max_iter: int) -> Run:
    """Ascend as published: one object, two of its memberships at a time, O(nK) a step."""
    from concord.numerics.kernels.pairs import steps

    y, path, f = start.T.copy(), list[float](), model.likelihood(start)
    while True:
        g, gains = np.ascontiguousarray(model.gradient(y.T).T), np.empty(min(REFRESH, max_iter - len(path)))
        done, converged = steps(model.together, model.apart, y, g, tau, gains)
        for gain in gains[:done]:
            f += 2 * float(gain)
            path.append(f)
        if converged or len(path) == max_iter:
            found = y.T.copy()
            return Run(found, -model.likelihood(found), path, converged)
