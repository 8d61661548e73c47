"""Bayesian cluster ensembles, profile by profile: the E-step and the sums over the labels of its posterior."""

import math

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.kernels import compiled, summed


@compiled
def e_step(
    words: IntArray, alpha: FloatArray, beta: FloatArray, phi: FloatArray, gamma: FloatArray, tol: float, most: int
) -> bool:
    """Fit ``phi``, (n', m, K), and ``gamma``, (n', K), of every profile in place, from what they hold.

    ``words``, (n', m), are rows of ``beta``, (sum of k_i, K); a missing label is the word after the last. A profile
    stops when a sweep changes neither phi nor gamma by more than ``tol``, relative to their 1-norms, or after ``most``
    sweeps; returns whether none needed more.
    """
    (n, m) = words.shape
    n_clusters = alpha.size
    tiny = np.finfo(np.float64).tiny
    chance = np.empty(n_clusters)
    new = np.empty(n_clusters)
    converged = True
    for p in range(n):
        moving = True
        for _ in range(most):
            total = digamma(summed(gamma[p]))
            for k in range(n_clusters):
                chance[k] = math.exp(digamma(gamma[p, k]) - total)
            new[:] = alpha
            change, size = 0.0, 0.0
            for i in range(m):
                if words[p, i] == len(beta):
                    continue
                row = beta[words[p, i]]
                evidence = n_clusters * tiny
                for k in range(n_clusters):
                    evidence += row[k] * chance[k]
                scale = 1 / evidence
                for k in range(n_clusters):
                    share = row[k] * chance[k] * scale
                    change += abs(share - phi[p, i, k])
                    size += phi[p, i, k]
                    phi[p, i, k] = share
                    new[k] += share
            moved = summed(np.abs(new - gamma[p]))
            moving = moved > tol * max(summed(gamma[p]), tiny) or change > tol * max(size, tiny)
            gamma[p] = new
            if not moving:
                break
        converged &= not moving
    return converged


@compiled
def expected_counts(words: IntArray, weights: FloatArray, phi: FloatArray, n_words: int) -> FloatArray:
    """Return the sum of phi over the objects with each word, shape (n_words, K)."""
    counts = np.zeros((n_words, phi.shape[2]))
    for p in range(len(words)):
        for i in range(words.shape[1]):
            if words[p, i] < n_words:
                for k in range(phi.shape[2]):
                    counts[words[p, i], k] += phi[p, i, k] * weights[p]
    return counts


@compiled
def label_bound(words: IntArray, log_beta: FloatArray, phi: FloatArray) -> FloatArray:
    """Return the sum of phi (log beta - log phi) over the labels of each profile, shape (n',)."""
    bound = np.zeros(len(words))
    for p in range(len(words)):
        for i in range(words.shape[1]):
            if words[p, i] < len(log_beta):
                for k in range(phi.shape[2]):
                    if phi[p, i, k] > 0:
                        bound[p] += phi[p, i, k] * (log_beta[words[p, i], k] - math.log(phi[p, i, k]))
    return bound


@compiled
def digamma(x: float) -> float:
    """Return the digamma function of x > 0: recurrence up to 10, then the asymptotic series (DLMF 5.11.2)."""
    above, below = 0.0, 1.0  # The sum of 1 / x over the steps, as one fraction
    while x < 10:
        above = above * x + below
        below *= x
        x += 1
    z = 1 / (x * x)
    series = z * (1 / 132 - z * (691 / 32760 - z / 12))
    series = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - series))))
    return math.log(x) - 0.5 / x - series - above / below
