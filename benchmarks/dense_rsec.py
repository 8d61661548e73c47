"""Augmented Lagrangian of RSEC, literally, on n x n matrices.

The reference for the tests and for ``eccms_and_rsec.py``; it shares no code with ``consclust.methods.rsec``.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


class State(NamedTuple):
    """Representation Z, low-rank copy J, errors E (n, n), embedding H (n, K), the two residuals."""

    z: Matrix
    j: Matrix
    e: Matrix
    h: Matrix
    residuals: tuple[float, float]


def iterations(
    s: Matrix, n_clusters: int, lambda1: float, lambda2: float, rho: float = 1.1, *, spectral: bool = True
) -> Iterator[State]:
    """Yield the state after every iteration, without end; not ``spectral``: Z and its graph without H H'."""
    n = len(s)
    z, e, y1, y2 = (np.zeros((n, n)) for _ in range(4))
    h, d = np.zeros((n, n_clusters)), np.ones(n)
    mu = 1.5 / np.linalg.norm(s, 2)
    inverse = np.linalg.inv(s @ s + np.eye(n))
    while True:
        left, singular, right = np.linalg.svd(z + y2 / mu)
        j = (left * np.maximum(singular - lambda1 / mu, 0)) @ right
        embedded = h @ h.T if spectral else np.zeros((n, n))
        pulled = embedded / np.sqrt(np.outer(d, d))
        z = inverse @ (s @ s - s @ e + j + (s @ y1 - y2 + pulled) / mu)
        q = s - s @ z + y1 / mu
        e = q * np.maximum(1 - lambda2 / mu / np.maximum(np.linalg.norm(q, axis=0), 1e-300), 0)
        left, singular, _ = np.linalg.svd((z + z.T) / 2 + embedded)
        kept = singular > 1e-4 * singular[0]
        x = left[:, kept] * np.sqrt(singular[kept])
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        graph = (x @ x.T) ** 4
        d = graph.sum(axis=1)
        left, _, _ = np.linalg.svd(graph / np.sqrt(np.outer(d, d)))
        h = left[:, :n_clusters] / np.sqrt(d)[:, None]
        y1 = y1 + mu * (s - s @ z - e)
        y2 = y2 + mu * (z - j)
        mu = min(rho * mu, 1e10)
        yield State(z, j, e, h, (float(np.abs(s - s @ z - e).max()), float(np.abs(z - j).max())))
