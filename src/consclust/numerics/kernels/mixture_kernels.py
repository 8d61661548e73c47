"""The E-step of a mixture of multinomials, profile by profile, and the sums that its M-step needs."""

import math

import numpy as np
import numpy.typing as npt

from consclust.numerics.kernels import compiled

Integers = npt.NDArray[np.integer]  # of 32 or 64 bits, as a sparse matrix has them
FloatArray = npt.NDArray[np.float64]


@compiled
def e_step(
    starts: Integers, columns: Integers, log_theta: FloatArray, log_shares: FloatArray, responsibilities: FloatArray
) -> FloatArray:
    """Fill in the ``responsibilities``, (n', K), and return the log-likelihood of each profile, (n',).

    Profile p has the labels ``columns[starts[p]:starts[p + 1]]``, rows of ``log_theta``, (sum of k_i, K). A profile
    that no component can have takes the ``log_shares``, (K,), alone; its log-likelihood is minus infinity.
    """
    n_components = len(log_shares)
    score = np.empty(n_components)
    likelihood = np.empty(len(responsibilities))
    for p in range(len(responsibilities)):
        score[:] = log_shares
        for e in range(starts[p], starts[p + 1]):
            row = log_theta[columns[e]]
            for k in range(n_components):
                score[k] += row[k]
        largest = score.max()
        is_possible = largest > -np.inf
        if not is_possible:
            score[:] = log_shares
            largest = score.max()
        total = 0.0
        for k in range(n_components):
            responsibilities[p, k] = math.exp(score[k] - largest)
            total += responsibilities[p, k]
        for k in range(n_components):
            responsibilities[p, k] /= total
        likelihood[p] = largest + math.log(total) if is_possible else -np.inf
    return likelihood


@compiled
def count_labels(
    starts: Integers, columns: Integers, weights: FloatArray, responsibilities: FloatArray, n_labels: int
) -> FloatArray:
    """Return the expected number of objects of each component with each label, (sum of k_i, K).

    ``weights`` are the objects of each profile, (n',).
    """
    n_components = responsibilities.shape[1]
    counts = np.zeros((n_labels, n_components))
    for p in range(len(weights)):
        for e in range(starts[p], starts[p + 1]):
            row = counts[columns[e]]
            for k in range(n_components):
                row[k] += weights[p] * responsibilities[p, k]
    return counts
