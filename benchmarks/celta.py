"""CELTA (Jia, Liu, Hou, Zhang: AAAI 2021), literally, to show on ``order.py`` what the order of the objects does to it.

It is no method of consclust: its result depends on the order of the rows, see docs/order.md.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from consclust.ensemble import Ensemble, IntArray
from consclust.methods.base import ConsensusMethod
from consclust.numerics.linkage import linkage_labels
from consclust.numerics.spectral import spectral_labels
from consclust.similarity import co_occurrence, over_objects

Array = npt.NDArray[np.float64]
Final = Literal["linkage", "spectral"]

LAMBDA = 0.002  # Weight of the errors, of the authors' program
FASTER, MOST = 1.1, 1e10  # Growth of the penalty in a round, and where it ends
MAX_ITER, TOL = 500, 1e-8  # Of the authors' program


@dataclass(repr=False, eq=False, kw_only=True)
class CELTA(ConsensusMethod):
    """Low-rank approximation of the tensor of coherent links and co-association, then linkage or spectral clustering.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    final : {"linkage", "spectral"}, default "linkage"
        How the matrix becomes labels: average linkage, or spectral clustering.
    """

    summary = "Low-rank approximation of a tensor of co-association; depends on the order of the rows."

    final: Final = "linkage"

    def _fit(self, ensemble: Ensemble) -> None:
        matrix, self.n_iter_ = approximate(over_objects(ensemble, co_occurrence(ensemble)))
        labels = label_matrix(matrix, self.n_clusters, self.final, self.random_state)
        self._set_only_labels(labels, np.arange(ensemble.n_objects))


def label_matrix(matrix: Array, n_clusters: int, final: Final, seed: int | np.random.Generator | None) -> IntArray:
    """Return the clusters of a symmetric similarity of the objects, (n,)."""
    objects = np.arange(len(matrix))
    if final == "linkage":
        return linkage_labels(matrix, objects, n_clusters)
    once = np.ones_like(objects)
    rng = np.random.default_rng(seed)
    found, costs = spectral_labels(np.maximum(matrix, 0.0), once, n_clusters, "kmeans", 10, rng)
    best: IntArray = found[np.argmin(costs)]
    return best


def approximate(together: Array) -> tuple[Array, int]:
    """Return the symmetric low-rank part of a co-association matrix, (n, n), and the number of rounds of ADMM."""
    coherent = together == 1  # pairs that all clusterings join
    links, copy, error = (np.zeros_like(together) for _ in range(3))
    y_links, y_error, y_copy = (np.zeros_like(together) for _ in range(3))
    mu = 1e-4
    n_rounds = 0
    is_done = False
    while not is_done and n_rounds < MAX_ITER:
        n_rounds += 1
        of_share = (together - error - y_error / mu + copy - y_copy / mu) / 2
        low_links, low_share = shrink(links - y_links / mu, of_share, 1 / mu)
        error = mu * (together - low_share - y_error / mu) / (2 * LAMBDA + mu)
        links = symmetric(low_links + y_links / mu)
        links[coherent] = 1
        links = np.clip(links, 0, 1)
        copy = np.clip(symmetric(low_share + y_copy / mu), 0, 1)
        residuals = (low_links - links, low_share + error - together, low_share - copy)
        y_links += mu * residuals[0]
        y_error += mu * residuals[1]
        y_copy += mu * residuals[2]
        mu = min(FASTER * mu, MOST)
        is_done = max(float(np.abs(residual).max()) for residual in residuals) < TOL
    return symmetric(low_share), n_rounds


def shrink(first: Array, second: Array, threshold: float) -> tuple[Array, Array]:
    """Lower the singular values of a tensor (n, n, 2), given by its slices, at every frequency along the first axis.

    At a frequency the tensor is a matrix (n, 2). Its Gram matrix, (2, 2), has the squares of the singular values.
    """
    n = len(first)
    at_frequency = np.stack([np.fft.rfft(first, axis=0), np.fft.rfft(second, axis=0)], axis=2)
    gram = at_frequency.conj().swapaxes(1, 2) @ at_frequency
    squares, vectors = np.linalg.eigh(gram)
    values = np.sqrt(np.maximum(squares, 0))
    kept = np.divide(np.maximum(values - threshold, 0), values, out=np.zeros_like(values), where=values > 0)
    at_frequency = at_frequency @ ((vectors * kept[:, None]) @ vectors.conj().swapaxes(1, 2))
    low = np.fft.irfft(at_frequency, n, axis=0)
    return low[:, :, 0], low[:, :, 1]


def symmetric(matrix: Array) -> Array:
    """Return the mean of a matrix and its transpose."""
    mean: Array = (matrix + matrix.T) / 2
    return mean
