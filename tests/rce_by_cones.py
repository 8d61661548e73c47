"""The minimum of RCE's J4 by another solver and another formula: Clarabel, through cvxpy, with every error E(i)."""

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.methods.rce import BOX


def solve_by_cones(labels, lambda1, lambda2, mu, boundary):
    """Return the minimum and the consensus matrix over the objects, (n, n); skips where cvxpy is not installed.

    Exponential cones for each pair and clustering, a semidefinite one for the nuclear norm of [A, sqrt(mu) I].
    """
    cvxpy = pytest.importorskip("cvxpy", reason="cvxpy is not installed: pip install cvxpy-base clarabel")
    pytest.importorskip("clarabel", reason="Clarabel is not installed: pip install clarabel")
    labels = np.asarray(labels)
    n = len(labels)
    ensemble = Ensemble(labels)
    share = ensemble.expand(ensemble.coassociation)
    fixed = (share == 0) | (share == 1) if boundary == "pin" else np.zeros((n, n), dtype=bool)
    margin = 0 if boundary == "pin" else BOX
    a = cvxpy.Variable((n, n), symmetric=True)
    constraints = [a >= margin, a <= 1 - margin]
    if fixed.any():
        constraints.append(a[fixed] == share[fixed])
    rows, columns = np.nonzero(np.tril(~fixed))
    times = np.where(rows == columns, 1.0, 2.0)
    objective = 2 * lambda2 * cvxpy.normNuc(cvxpy.hstack([a, np.sqrt(mu) * np.eye(n)]))
    if rows.size:
        entries = a[rows, columns]
        for column in labels.T:
            seen = (column[rows] >= 0) & (column[columns] >= 0)
            given = (column[rows] == column[columns]).astype(float)
            cleaned = cvxpy.Variable(rows.size)
            divergence = cvxpy.kl_div(entries, cleaned) + cvxpy.kl_div(1 - entries, 1 - cleaned)
            penalty = lambda1 * cvxpy.abs(given - cleaned)
            objective += (times * seen) @ (divergence + penalty)
    problem = cvxpy.Problem(cvxpy.Minimize(objective), constraints)
    accuracy = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-9)
    problem.solve(solver=cvxpy.CLARABEL, **accuracy)
    return problem.value, a.value
