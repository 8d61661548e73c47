"""PEACE's model of the co-association counts: likelihood, gradient, and the published ascent."""

from typing import NamedTuple

import numpy as np

from concord.ensemble import Ensemble, FloatArray
from concord.methods.base import Run

TINY = 1e-100  # Stands for a denominator of 0, whose numerator is 0 wherever the likelihood is finite: 0/0 counts as 0
REFRESH = 1000  # Steps of the published ascent after which its running sums are computed anew, against rounding
ACCURACY = 1e-9  # Part of the slope at its beginning that a line search may leave


class PairModel:
    """Two objects share a cluster in c of N clusterings with probability y_i'y_j each, independently.

    ``together`` and ``apart``, (n, n), hold c and N - c with diagonal 0; ``mean_observed`` is the mean of N.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        objects, n = ensemble.unmerged(), ensemble.n_objects
        self.together, self.apart = objects.counts, objects.observed - objects.counts
        for counts in (self.together, self.apart):
            np.fill_diagonal(counts, 0.0)
        self.mean_observed = float((self.together.sum() + self.apart.sum()) / max(n * (n - 1), 1))

    def likelihood(self, y: FloatArray) -> float:
        """Return f(Y), the log-likelihood over all ordered pairs; -inf where a count has probability 0."""
        from scipy.special import xlogy

        share = y @ y.T
        return float(xlogy(self.together, share).sum() + xlogy(self.apart, np.maximum(1 - share, 0.0)).sum())

    def gradient(self, y: FloatArray) -> FloatArray:
        """Return g, half the gradient of f, shape (n, K)."""
        return weights(self.together, self.apart, y @ y.T) @ y


def weights(together: FloatArray, apart: FloatArray, share: FloatArray) -> FloatArray:
    """Return omega = c / a - (N - c) / (1 - a) for a = y_i'y_j, of the same shape."""
    return together / np.maximum(share, TINY) - apart / np.maximum(1 - share, TINY)


def gaps(y: FloatArray, g: FloatArray) -> FloatArray:
    """Return how far each object is from a KKT point: max_k g_ik - min over its support, shape (n,)."""
    found: FloatArray = g.max(axis=1) - np.where(y > 0, g, np.inf).min(axis=1)
    return found


def pairwise_ascent(model: PairModel, start: FloatArray, tau: float, max_iter: int) -> Run:
    """Ascend as published: one object, two of its memberships at a time, O(nK) a step."""
    y, path, f = start.copy(), list[float](), model.likelihood(start)
    while True:
        if len(path) % REFRESH == 0:
            a, g = y @ y.T, model.gradient(y)
        gap = gaps(y, g)
        j = int(gap.argmax())
        converged = bool(gap[j] <= tau)
        if converged or len(path) == max_iter:
            return Run(y, -model.likelihood(y), path, converged)
        u = int(g[j].argmax())
        v = int(np.where(y[j] > 0, g[j], np.inf).argmin())
        pairs = _Row(model.together[j], model.apart[j], a[j].copy(), y[:, u] - y[:, v])
        step = line_search(pairs, y[j, v])
        old = y[j].copy()
        y[j, u] += step
        y[j, v] = 0.0 if step == old[v] else y[j, v] - step
        f += 2 * pairs.gain(step)
        path.append(f)
        a[j] = a[:, j] = pairs.share + step * pairs.change
        a[j, j] = y[j] @ y[j]
        new = pairs.weights(step)
        g += np.outer(new, y[j]) - np.outer(pairs.weights(0.0), old)
        g[j] = new @ y


class _Row(NamedTuple):
    """The pairs of one object whose membership moves along a line: a becomes a + step b."""

    together: FloatArray
    apart: FloatArray
    share: FloatArray  # a, shape (n,)
    change: FloatArray  # b, shape (n,)

    def weights(self, step: float) -> FloatArray:
        """Return omega after the step, shape (n,)."""
        return weights(self.together, self.apart, self.share + step * self.change)

    def slope(self, step: float) -> tuple[float, float]:
        """Return rho and its derivative; rho = -inf outside the domain of f."""
        share = self.share + step * self.change
        if leaves_domain(self.together, self.apart, share):
            return -np.inf, -np.inf
        joined = self.together * self.change / np.maximum(share, TINY)
        parted = self.apart * self.change / np.maximum(1 - share, TINY)
        steeper = joined * self.change / np.maximum(share, TINY)
        steeper += parted * self.change / np.maximum(1 - share, TINY)
        return float(joined.sum() - parted.sum()), -float(steeper.sum())

    def gain(self, step: float) -> float:
        """Return the rise of the row's part of f, half of that of f."""
        return gain(self.together, self.apart, self.share, self.share + step * self.change)


def gain(together: FloatArray, apart: FloatArray, old: FloatArray, new: FloatArray) -> float:
    """Return the rise of c log a + (N - c) log(1 - a), summed, from ``old`` to ``new`` a."""
    if leaves_domain(together, apart, new):
        return -np.inf
    ratio = np.maximum(new, TINY) / np.maximum(old, TINY)
    rise = np.vdot(together, np.log(ratio, out=ratio))
    ratio = np.maximum(1 - new, TINY) / np.maximum(1 - old, TINY)
    return float(rise + np.vdot(apart, np.log(ratio, out=ratio)))


def leaves_domain(together: FloatArray, apart: FloatArray, share: FloatArray) -> bool:
    """Whether a pair has probability 0 for what is counted."""
    return bool((together[share <= 0] > 0).any() or (apart[share >= 1] > 0).any())


def line_search(pairs: _Row, longest: float) -> float:
    """Return the step in (0, longest] up to which the falling slope is not negative, by Newton in a bracket."""
    if pairs.slope(longest)[0] >= 0:
        return longest
    low, high = 0.0, longest
    step = 0.0
    slope, steeper = first, _ = pairs.slope(step)
    for _ in range(100):
        # a bit too far from the right, lest all steps but the last stay there
        proposed = step - slope / steeper * (1.0 if slope > 0 else 1.01) if steeper < 0 else high
        step = proposed if low < proposed < high else (low + high) / 2
        slope, steeper = pairs.slope(step)
        if slope < 0:
            high = step
            continue
        low = step
        if slope <= ACCURACY * first:
            break
    return low
