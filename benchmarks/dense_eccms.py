"""ADMM of the EC-CMS paper, literally, on n x n matrices.

The reference for the tests and for ``eccms_and_rsec.py``; it shares no code with ``consclust.methods.eccms``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


class Enhanced(NamedTuple):
    """Enhanced matrix C, its symmetric copy F and the errors E, shape (n, n); iterations; last change."""

    c: Matrix
    f: Matrix
    e: Matrix
    n_iter: int
    change: float


def enhance(
    similarity: Matrix,
    confident: Matrix,
    lambda_: float,
    gamma1: float = 1.0,
    gamma2: float = 1.0,
    *,
    tol: float = 1e-2,
    max_iter: int = 100,
    lock: bool = True,
) -> Enhanced:
    """Run ADMM as the authors' program does; ``confident`` has a zero diagonal."""
    n = len(similarity)
    laplacian = np.diag(confident.sum(axis=1)) - confident
    inverse = np.linalg.inv(2 * laplacian + (gamma1 + gamma2) * np.eye(n))
    c, e, f, y1, y2 = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), similarity, np.zeros((n, n))
    iteration, change = 0, np.inf
    while iteration < max_iter and change >= tol:
        old = c, e, f, y1, y2
        c = inverse @ (gamma1 * (similarity - e) + y1 + gamma2 * f - y2)
        e = (gamma1 * (similarity - c) + y1) / (lambda_ + gamma1)
        if lock:
            e = np.where(confident > 0, 0.0, e)
        f = np.clip((c + c.T + (y2 + y2.T) / gamma2) / 2, 0, 1)
        y1 = y1 + gamma1 * (similarity - c - e)
        y2 = y2 + gamma2 * (c - f)
        with np.errstate(divide="ignore", invalid="ignore"):
            changes = [
                np.linalg.norm(new - before) / np.linalg.norm(before)
                for new, before in zip((c, e, f, y1, y2), old, strict=True)
            ]
        change = float(np.nanmax(changes))
        iteration += 1
    return Enhanced(c, f, e, iteration, change)
