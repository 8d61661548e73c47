"""Algorithm 1 of the RCE paper, literally: n x n matrices, every E(i) stored.

The reference for the tests and for ``rce_reduction.py``; it shares no code with ``consclust.methods.rce``.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


class State(NamedTuple):
    """Consensus matrix (n, n) and cleaned connective matrices Y(i) = A(i) - E(i), (m, n, n)."""

    consensus: Matrix
    cleaned: Matrix


def connective_matrices(labels: npt.ArrayLike) -> Matrix:
    """Return the 0/1 connective matrix of each clustering, shape (m, n, n)."""
    columns = np.asarray(labels).T
    return (columns[:, :, None] == columns[:, None, :]).astype(float)


def half_steps(
    connective: Matrix,
    lambda1: float,
    lambda2: float,
    mu: float = 1e-3,
    order: Literal["authors", "paper"] = "authors",
    max_outer: int = 20,
    max_inner: int = 20,
) -> Iterator[State]:
    """Run Algorithm 1; yield the state after every E-step and after every A-phase."""
    consensus = connective.mean(axis=0)
    s_inverse = s_step(consensus, mu) if order == "paper" else np.zeros_like(consensus)
    for _ in range(max_outer):
        cleaned = e_step(consensus, connective, lambda1)
        yield State(consensus, cleaned)
        with np.errstate(divide="ignore"):  # pinned entries only
            cost = (np.log1p(-cleaned) - np.log(np.maximum(cleaned, 1e-300))).sum(axis=0)
        for _ in range(1 if order == "paper" else max_inner):
            consensus = a_step(consensus, cost, len(connective), lambda2 * s_inverse)
        yield State(consensus, cleaned)
        s_inverse = s_step(consensus, mu)


def e_step(consensus: Matrix, connective: Matrix, lambda1: float) -> Matrix:
    """Theorem 3: each entry of Y(i) is A(i), moved no further than the two roots."""
    s = (consensus + consensus.T) / 2
    low, high = _root(s, lambda1), 1 - _root(1 - s, lambda1)
    return np.stack([np.clip(given, low, high) for given in connective])


def _root(s: Matrix, lambda1: float) -> Matrix:
    return 2 * s / ((1 + lambda1) + np.sqrt((1 + lambda1) ** 2 - 4 * lambda1 * s))


def s_step(consensus: Matrix, mu: float) -> Matrix:
    """S^-1 = (A A' + mu I)^-1/2."""
    left, singular, _ = np.linalg.svd(consensus)
    return (left / np.sqrt(singular**2 + mu)) @ left.T


def a_step(consensus: Matrix, cost: Matrix, m: int, pull: Matrix) -> Matrix:
    """Eq. (10) and (11); entries that are exactly 0 or 1 stay."""
    free = (consensus > 0) & (consensus < 1)
    a = np.where(free, consensus, 0.5)
    cost = np.where(free, cost, 0.0)
    g = (2 * m + np.maximum(cost, 0) + 2 * np.maximum(pull, 0) @ consensus) / a + 2 * m / (1 - a)
    b = m * np.log(a / (1 - a)) - 2 * m / (1 - a)
    h = a * (np.maximum(-cost, 0) + 2 * np.maximum(-pull, 0) @ consensus)
    return np.where(free, np.minimum((-b + np.sqrt(b * b + 4 * g * h)) / (2 * g), 1), consensus)


def kullback_leibler(a: Matrix, y: Matrix) -> Matrix:
    """Bernoulli divergence KL(a || y), entry by entry, with 0 log 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        on = np.where(a > 0, a * (np.log(a) - np.log(y)), 0.0)
        off = np.where(a < 1, (1 - a) * (np.log1p(-a) - np.log1p(-y)), 0.0)
    return on + off


def objective(state: State, connective: Matrix, lambda1: float, lambda2: float, mu: float = 1e-3) -> float:
    """J4, summed over all n^2 entries and m clusterings as it is written."""
    sigma = np.linalg.svd(state.consensus, compute_uv=False)
    divergence = sum(kullback_leibler(state.consensus, y).sum() for y in state.cleaned)
    errors = np.abs(connective - state.cleaned).sum()
    return float(divergence + lambda1 * errors + 2 * lambda2 * np.sqrt(sigma**2 + mu).sum())
