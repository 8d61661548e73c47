"""RCE's objective J4 as a convex function of the consensus matrix, with lower bounds of its minimum.

Zhou, Du, Wang, Shi, Shen (IJCAI 2015), Eq. (4), over the distinct profiles: a pair of them stands for w_p w_q pairs of
objects. With the best errors of Theorem 3 put in, J4 is

    J(A) = sum_pq w_p w_q phi_pq(A_pq) + 2 lambda2 sum_k sqrt(sigma_k^2 + mu),

where sigma_k are the n singular values of the objects' matrix: the n' eigenvalues of diag(w)^1/2 A diag(w)^1/2 without
their signs, and 0 for all others. The Bernoulli divergence is jointly convex, and the last sum is the nuclear norm of
[A, sqrt(mu) I], so that J is convex. That nuclear norm is at least <[Z1, Z2], [A, sqrt(mu) I]> / (2 lambda2) for every
[Z1, Z2] of spectral norm at most 2 lambda2. Hence the minimum of J is at least

    sum_pq w_p w_q min_s (phi_pq(s) + Z1_pq s) + sqrt(mu) tr Z2.
"""

# compiled kernels are imported where needed, so that what does without them starts faster

from typing import NamedTuple

import numpy as np

from consclust.ensemble import FloatArray, IntArray


class Spectrum(NamedTuple):
    """Eigenvalues (n',) and eigenvectors (n', n'), in columns, of diag(w)^1/2 A diag(w)^1/2."""

    eigenvalues: FloatArray
    eigenvectors: FloatArray


class RCEProblem:
    """J of an ensemble over symmetric matrices, (n', n'), with entries in [``margin``, 1 - ``margin``].

    Parameters
    ----------
    joined, observed : shape (n', n'), symmetric. Clusterings that join two profiles, and that contain both.
    weights : shape (n',). Objects with each profile.
    lambda1, lambda2, mu : parameters of J4.
    margin : 0: an entry that is 0 or 1 in the co-association matrix stays so. Otherwise no entry is fixed.

    Attributes
    ----------
    places, mirrored : shape (f,). Where the entries that are not fixed are in the flat matrix, below and above its
        diagonal. An entry on the diagonal has the same place twice.
    multiplicities : shape (f,). Pairs of objects that an entry and its mirror image stand for.
    low, high : what the entries lie between.
    typical_count : clusterings that contain both of a pair, on average over the free entries; 1 if there are none.
    """

    def __init__(
        self,
        joined: FloatArray,
        observed: FloatArray,
        weights: IntArray,
        lambda1: float,
        lambda2: float,
        mu: float,
        margin: float,
    ) -> None:
        self.lambda1 = float(lambda1)
        self.lambda2 = float(lambda2)
        self.mu = float(mu)
        self.low = margin
        self.high = 1 - margin
        self.root = np.sqrt(weights.astype(float))
        self._absent = float((weights - 1).sum())  # Singular values of the objects' matrix that are 0 in any case
        n = len(joined)
        is_free = np.tril(np.ones((n, n), dtype=bool))
        if margin == 0:
            is_free &= (joined > 0) & (joined < observed)
        rows, columns = np.nonzero(is_free)
        self.places = rows * n + columns
        self.mirrored = columns * n + rows
        of_objects = weights.astype(float)
        self.multiplicities = of_objects[rows] * of_objects[columns] * np.where(rows == columns, 1.0, 2.0)
        self._scales = self.root[rows] * self.root[columns]
        self._on = joined[rows, columns]
        self._off = observed[rows, columns] - self._on
        self.typical_count = float(observed[rows, columns].mean()) if rows.size else 1.0
        self._fixed = np.zeros((n, n))
        if margin == 0:
            self._fixed[(observed > 0) & (joined == observed)] = 1.0

    def accepts(self, entries: FloatArray, matrix: FloatArray) -> bool:
        """Whether entries and a matrix have the shapes of this problem's: (f,) and (n', n')."""
        return entries.shape == self.places.shape and matrix.shape == self._fixed.shape

    def take_entries(self, matrix: FloatArray) -> FloatArray:
        """Return the free entries of the nearest matrix of the problem, shape (f,)."""
        flat = matrix.ravel()
        means = (flat[self.places] + flat[self.mirrored]) / 2
        entries: FloatArray = np.clip(means, self.low, self.high)
        return entries

    def fill_matrix(self, entries: FloatArray) -> FloatArray:
        """Return the matrix with these free entries, shape (n', n')."""
        matrix = self._fixed.copy()
        flat = matrix.ravel()
        flat[self.places] = entries
        flat[self.mirrored] = entries
        return matrix

    def scale(self, matrix: FloatArray) -> FloatArray:
        """Return diag(w)^1/2 A diag(w)^1/2 of a ``matrix`` A, (n', n')."""
        scaled: FloatArray = matrix * self.root
        scaled *= self.root[:, None]
        return scaled

    def decompose(self, matrix: FloatArray) -> Spectrum:
        """Return the spectrum of the symmetric ``matrix``, (n', n')."""
        return Spectrum(*np.linalg.eigh(self.scale(matrix)))

    def minimise_near(self, target: FloatArray, penalty: float, entries: FloatArray) -> None:
        """Find the entries of the least sum of phi plus a penalty for the distance from a matrix, pair by pair.

        Minimises sum_pq w_p w_q phi_pq(A_pq) + ``penalty`` / 2 |diag(w)^1/2 A diag(w)^1/2 - ``target``|^2. The searches
        begin at the ``entries``, (f,), which are replaced; ``target`` has shape (n', n').
        """
        from consclust.numerics.kernels.rce_pair_kernels import minimise_pairs

        lines = -penalty * self._take_unscaled(target)
        minimise_pairs(self._on, self._off, self.lambda1, lines, penalty, self.low, self.high, entries)

    def _take_unscaled(self, scaled: FloatArray) -> FloatArray:
        """Return the free entries, (f,), of the matrix that is scaled to the nearly symmetric one that is given."""
        taken: FloatArray = scaled.ravel()[self.places]
        taken /= self._scales
        return taken

    def compute_objective(self, entries: FloatArray, eigenvalues: FloatArray) -> float:
        """Return J of the matrix with these entries (f,) and eigenvalues (n',)."""
        from consclust.numerics.kernels.rce_pair_kernels import sum_of_values

        norm = np.sqrt(eigenvalues**2 + self.mu).sum() + self._absent * np.sqrt(self.mu)
        of_pairs = sum_of_values(self._on, self._off, self.lambda1, entries, self.multiplicities)
        return float(of_pairs + 2 * self.lambda2 * norm)

    def compute_least_norm(self) -> float:
        """Return the nuclear norm's part of J at A = 0, a bound of J, as all else in J is >= 0."""
        n = self._absent + len(self.root)
        return float(2 * self.lambda2 * n * np.sqrt(self.mu))

    def compute_pull(self, spectrum: Spectrum) -> FloatArray:
        """Return diag(w)^1/2 Z1 diag(w)^1/2, (n', n'), the gradient of the nuclear norm's part of J."""
        shrunk = 2 * self.lambda2 * spectrum.eigenvalues / np.sqrt(spectrum.eigenvalues**2 + self.mu)
        pull: FloatArray = (spectrum.eigenvectors * shrunk) @ spectrum.eigenvectors.T
        return pull

    def compute_bound(self, pull: FloatArray, eigenvalues: FloatArray, entries: FloatArray) -> float:
        """Return a lower bound of the minimum of J, which is J at its minimiser's spectrum.

        Z is 2 lambda2 (A A' + mu I)^-1/2 [A, sqrt(mu) I] for some matrix A, whose spectral norm is at most 2 lambda2.

        Parameters
        ----------
        pull, eigenvalues : what :meth:`compute_pull` gives for the spectrum of A, and its eigenvalues.
        entries : shape (f,). Where the search of each pair's minimum begins; replaced by the minimisers.
        """
        from consclust.numerics.kernels.rce_pair_kernels import sum_of_minima

        constant = float(self.root @ (pull * self._fixed) @ self.root)
        inverse_lengths = 1 / np.sqrt(eigenvalues**2 + self.mu)
        trace = 2 * self.lambda2 * (self.mu * inverse_lengths.sum() + self._absent * np.sqrt(self.mu))
        lines = self._take_unscaled(pull)
        ends = self.low, self.high
        least = sum_of_minima(self._on, self._off, self.lambda1, lines, *ends, entries, self.multiplicities)
        return float(least + constant + trace)


class Certificate:
    """The least J and the greatest lower bound among the matrices that were looked at.

    Attributes
    ----------
    objective, bound : the least J, and the greatest lower bound.
    gaps : (objective - bound) / objective after each matrix, which never grows.
    """

    def __init__(self, problem: RCEProblem) -> None:
        self._problem = problem
        self.objective = np.inf
        self.bound = problem.compute_least_norm()
        self.gaps: list[float] = []

    def add(self, matrix: FloatArray) -> None:
        """Look at a matrix, (n', n'): its symmetric part, within the bounds of the problem."""
        problem = self._problem
        entries = problem.take_entries(matrix)
        spectrum = problem.decompose(problem.fill_matrix(entries))
        self.objective = min(self.objective, problem.compute_objective(entries, spectrum.eigenvalues))
        bound = problem.compute_bound(problem.compute_pull(spectrum), spectrum.eigenvalues, entries)
        self.bound = max(self.bound, bound)
        self.gaps.append(relative_gap(self.objective, self.bound))


def relative_gap(objective: float, bound: float) -> float:
    """Return (objective - bound) / objective; 0 where both are 0."""
    return (objective - bound) / objective if objective > 0 else 0.0
