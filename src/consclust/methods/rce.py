"""RCE: a robust consensus matrix by Kullback-Leibler divergence minimization."""

# compiled kernels are imported where needed, so that what does without them starts faster

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.errors import ConsensusFailure
from consclust.methods.base import Cost, MatrixMethod
from consclust.methods.constraints import NON_NEGATIVE, POSITIVE, Interval
from consclust.numerics.columnblocks import ColumnBlocks
from consclust.numerics.rceproblem import Certificate, RCEProblem
from consclust.numerics.spectral import Assignment
from consclust.plurals import count

BOX = 1e-6  # Distance from 0 and 1 that the "box" keeps
UNEVEN = 1e-8  # Asymmetry of a soft connective matrix, and distance from [0, 1], that pass for rounding
# A run of fixed length is called converged if its last round changed the objective by less, relatively.
CONVERGED = 1e-6
# The digits that cheaper arithmetic loses may raise the objective by less, relatively, or absolutely near zero.
RISE = 1e-9
# Cheaper arithmetic (products in single precision, eigenvalues of A A' for singular values) is used where bounds of its
# errors say that no A-step moves an entry of A by more. After whole fits it had moved by 5e-11 at most.
LOST = 2e-9
# Every so many A-steps a product is in double precision, unless the bound is below a share of what is allowed: the next
# steps undo what the last ones lost.
REFRESH, SHARE = 6, 0.25
# The error of a product in single precision is bounded by this times the lengths of the longest row and column; up to
# 0.8 of that bound were measured.
SINGLE = 2.0**-23
# What only one solver uses, and the other refuses; max_iter is not refused, as scikit-learn's checks set it
OF_SOLVER = {"mm": ("order", "max_outer", "max_inner", "inner_tol"), "splitting": ("warm_start",)}
# What a fit costs in units of one in the authors' order, 20 rounds of 20 A-steps: with the gap after each round; and by
# "splitting", for each of its most iterations, on average over the paper's grid (with 300: 2, measured .5 to 2.2)
OF_GAP, OF_SPLITTING = 4 / 3, 2 / 300
GAP = "the relative duality gap is"  # Words of a note, before the number
CERTIFICATE = 8  # Matrices over the profiles that a certificate needs
ROUNDING = 2.0**-53  # Relative error of the largest eigenvalue of A A', and thus the absolute one of all


Single = npt.NDArray[np.float32]
Part = FloatArray | Single


@dataclass(repr=False, eq=False)
class RCE(MatrixMethod):
    r"""Robust clustering ensemble (Zhou, Du, Wang, Shi, Shen: IJCAI 2015).

    Minimises over the consensus matrix A and the errors E(i) of the connective matrices A(i)

    .. math:: J_4 = \sum_i KL(A \| A^{(i)} - E^{(i)}) + \lambda_1 \sum_i \|E^{(i)}\|_1
              + 2 \lambda_2 \sum_k \sqrt{\sigma_k(A)^2 + \mu}

    by Algorithm 1 of the paper, or to a chosen accuracy by splitting, then clusters A spectrally.

    Parameters
    ----------
    n_clusters, assign_labels, n_init, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    lambda1 : float >= 0, default 1.0
        Weight of the errors' 1-norm; the paper's grid is 1e-4, 1e-3, ..., 1e4.
    lambda2 : float >= 0, default 1.0
        Weight of the (smoothed) nuclear norm of A, Eq. (4); same grid.
    mu : float > 0, default 1e-3
        Smoothing of the nuclear norm, Section 3.
    order : {"authors", "paper"}, default "authors"
        "authors": rounds of E-step, ``max_inner`` A-steps, S-step, starting without S, as in the authors' program.
        "paper": rounds of E-step, S-step and one A-step (Algorithm 1).
    max_outer, max_inner : int, default 20
        Rounds, and A-steps in a round of the authors' order.
    tol : float or None, default None
        Stop when a round lowers the objective by less than ``tol`` times its value; None: fixed rounds. With ``solver``
        "splitting": stop when ``duality_gap_`` is at most ``tol``; None: 1e-6.
    inner_tol : float >= 1e-5 or None, default None
        End the A-steps of a round when one moves no entry by more, and leave the nuclear norm out where it cannot
        either, lambda2 < 2 m inner_tol (see Notes). None: fixed steps.
    boundary : {"pin", "box"}, default "pin"
        "pin": entries that are exactly 0 or 1 stay, as in the authors' program. "box": every entry is kept in [1e-6, 1
        - 1e-6]; a different problem where lambda2 is large.
    certify : bool, default False
        Compute after every round how far J4 is from its minimum at most (see Notes). The labels do not change, and
        ``note_`` gives the gap. With ``solver`` "splitting" this is always done, and ``note_`` gives a gap above
        ``tol``. ``read_gap`` of this module returns the gap of such a note.
    solver : {"mm", "splitting"}, default "mm"
        "mm": Algorithm 1 (majorise and minimise), as ``order`` says. "splitting": the minimum of J4 by the alternating
        direction method of multipliers, to the accuracy ``tol``. Use "mm" for the method of the paper, which is what
        its experiments measured; "splitting" for the optimum of its objective. Their labels differ where "mm" stops far
        from the optimum. ``order``, ``max_outer``, ``max_inner`` and ``inner_tol`` must have their defaults with
        "splitting", and ``warm_start`` with "mm".
    max_iter : int, default 2000
        Most iterations of "splitting"; not used by "mm".
    warm_start : bool, default False
        Whether "splitting" begins where the last fit of the same object ended, if that was of as many profiles. On a
        path of parameters this saves iterations. Within ``tol`` the matrix depends on where it began.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        Consensus matrix over the distinct label profiles; with "mm" slightly asymmetric, as in the authors' program.
    objective_ : float
        J4 after the last round; with "splitting" that of ``profile_matrix_``, the least that was found.
    objective_path_ : ndarray, shape (iterations,)
        J4 after every round. Never rises in the paper's order; in the authors' order it may in the first round. If it
        rises later, ``note_`` says so. With "splitting", shape (checks,): the least J4 until each check of the gap,
        which is after the first, every fifth and the last iteration.
    converged_ : bool
        Whether the last round lowered the objective by less than ``tol`` (1e-6 if None), relatively. With "splitting"
        whether the gap is at most ``tol``; if not, ``note_`` gives the gap.
    duality_gap_ : float
        (``best_objective_`` - ``bound_``) / ``best_objective_``. The minimum of J4 is lower than ``best_objective_`` by
        at most this share. Only with ``certify`` or "splitting", as are the next three.
    best_objective_ : float
        Least J4 of the symmetric parts of the matrices after each round, with the best errors for each. At most
        ``objective_`` but for rounding, since that has the errors of the E-step before.
    bound_ : float
        Greatest lower bound of the minimum of J4 that was found.
    duality_gap_path_ : ndarray, shape (iterations,)
        The gap after every round, or check, from the best objective and the best bound until then; never grows.

    Notes
    -----
    J4 is convex, and a gap of 0 means the optimum. The bound is that of duality: J4 is at least
    :math:`\sum_{pq} \min_s (\varphi_{pq}(s) + Z^1_{pq} s) + \sqrt{\mu} \operatorname{tr} Z^2`, where
    :math:`\varphi_{pq}` is what J4 has of a pair at :math:`A_{pq} = s` with the best errors, for every
    :math:`[Z^1, Z^2]` of spectral norm at most :math:`2 \lambda_2`. That of the matrix after a round is taken,
    :math:`2 \lambda_2 (A A^T + \mu I)^{-1/2} [A, \sqrt{\mu} I]`. Rounding is not counted: a gap of 1e-15 may be -1e-15.
    The minimum is over all symmetric matrices whose entries are in [1e-6, 1 - 1e-6] with ``boundary`` "box". With
    "pin" those are fixed that are 0 or 1 in the co-association matrix, and all others are in [0, 1]. Algorithm 1 may
    end elsewhere: from lambda1 = 100 on the authors' order moves some entries to exactly 0 or 1, and there they stay.
    Where lambda2 is large, too, the optimum is not there, and its gap remains large however many rounds there are.
    The gap of a round costs one eigendecomposition and a root for each pair of profiles: with 359 profiles 0.02 s, a
    third of a round in the authors' order and two thirds of one in the paper's. It needs eight more matrices over the
    profiles. An iteration of "splitting" costs about the same. With lambda1 >= 1 it takes up to some hundred of them,
    and more than 2,000 where lambda1 is small and lambda2 is large.

    The nuclear norm enters an A-step through 2 D A = 2 lambda2 S^-1 A, whose entries are at most 2 lambda2, against a
    curvature of at least 4 m: it moves the step's target by at most lambda2 / (2 m). With ``inner_tol``, a round in
    which that is less works without it, and the others take their two products in single precision and S^-1 from the
    eigenvectors of A A': relative errors of 1e-7, far below the tolerance. Without ``inner_tol`` both are taken where
    bounds of their errors say that they move no entry of A by more than 2e-9 in a step, and the products then only of
    the last moves of A; every sixth step has one in double precision where that may matter. The matrix after the whole
    fit is that of double precision to 5e-11. An entry of A that is zero stays so; where more than half are, products
    are taken in blocks of columns, each with the rows in which A is not zero.

    Examples
    --------
    >>> from consclust.methods import RCE
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> rce = RCE(n_clusters=2, random_state=0).fit(labels)
    >>> rce.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> rce.consensus_matrix()[0].round(2)  # of the first object with all six
    array([1.  , 0.76, 0.74, 0.  , 0.  , 0.  ])
    """

    summary = "Robust clustering ensemble (Zhou, Du, Wang, Shi, Shen: IJCAI 2015)."
    reference = (
        "Peng Zhou, Liang Du, Hanmo Wang, Lei Shi, Yi-Dong Shen: Learning a Robust Consensus Matrix for "
        "Clustering Ensemble via Kullback-Leibler Divergence Minimization. IJCAI 2015."
    )
    cost = Cost(0.02, 1e-5, 2.5e-8, profile_matrices=19)
    constraints = {"lambda1": NON_NEGATIVE, "lambda2": NON_NEGATIVE, "mu": POSITIVE, "inner_tol": Interval(float, 1e-5)}
    paths = {"objective_path_": 1}

    lambda1: float = 1.0
    lambda2: float = 1.0
    mu: float = 1e-3
    order: Literal["authors", "paper"] = "authors"
    max_outer: int = 20
    max_inner: int = 20
    tol: float | None = None
    inner_tol: float | None = None
    boundary: Literal["pin", "box"] = "pin"
    assign_labels: Assignment = "discretize"
    n_init: int = 10
    certify: bool = False
    solver: Literal["mm", "splitting"] = "mm"
    max_iter: int = 2000
    warm_start: bool = False

    def check_parameters(self) -> None:
        """Raise ValueError also for parameters that the solver does not use."""
        super().check_parameters()
        defaults = self.parameters()
        for name in OF_SOLVER["mm" if self.solver == "splitting" else "splitting"]:
            if getattr(self, name) != defaults[name]:
                problem = f"RCE: {name} = {getattr(self, name)!r}: means nothing to solver = {self.solver!r}"
                raise ValueError(f"{problem}; leave it out")

    @classmethod
    def find_cost(cls, parameters: Mapping[str, Any]) -> Cost:
        """Return what a fit with these parameters costs: by its rounds, or by the most iterations of "splitting"."""
        given = cls.parameters() | dict(parameters)
        if given["solver"] == "splitting":
            share = OF_SPLITTING * given["max_iter"]
        else:
            share = given["max_outer"] / cls.parameters()["max_outer"] * (OF_GAP if given["certify"] else 1)
        of_certificate = CERTIFICATE if given["certify"] else 0
        matrices = (cls.cost.profile_matrices or 0) + of_certificate
        return cls.cost._replace(square=share * cls.cost.square, cube=share * cls.cost.cube, profile_matrices=matrices)

    def _doubles(self, ensemble: Ensemble) -> int:
        of_certificate = CERTIFICATE * ensemble.n_profiles**2 if self.certify and self.solver == "mm" else 0
        return super()._doubles(ensemble) + of_certificate

    def _fit(self, ensemble: Ensemble) -> None:
        from consclust.numerics.kernels.rce_kernels import hard_errors

        if self.solver == "splitting":
            self._split(ensemble)
            return
        if self.certify:
            self._certificate = Certificate(self._problem(ensemble))
        e_step = partial(hard_errors, ensemble.counts, ensemble.observed, float(self.lambda1), ensemble.weights)
        self._solve_and_cluster(ensemble.coassociation, e_step, ensemble.observed, ensemble.weights)

    def _split(self, ensemble: Ensemble) -> None:
        """Minimise J4 to the accuracy ``tol``, and cluster the matrix."""
        from consclust.numerics.splitting import Splitting, first_point

        problem = self._problem(ensemble)
        tol = CONVERGED if self.tol is None else self.tol
        point = getattr(self, "_point", None) if self.warm_start else None
        if point is None or not problem.accepts(point.entries, point.twin):
            point = first_point(problem, ensemble.coassociation)
        splitting = Splitting(problem, point)
        splitting.run(tol, self.max_iter)
        self._point = splitting.point if self.warm_start else None
        matrix = problem.fill_matrix(splitting.best_entries)
        self.profile_matrix_ = matrix
        self.n_iter_ = splitting.n_iter
        self.objective_ = splitting.objective
        self.objective_path_ = np.array(splitting.objectives)
        self.best_objective_ = splitting.objective
        self.bound_ = splitting.bound
        self.duality_gap_path_ = np.array(splitting.gaps)
        self.duality_gap_ = splitting.gaps[-1]
        self.converged_ = self.duality_gap_ <= tol
        if not self.converged_:
            stopped = f"{_describe_gap(self.duality_gap_)} after {count(self.n_iter_, 'iteration')}"
            self.note_ = f"{stopped}, and not {tol:g}; raise max_iter"
        self._set_spectral_labels(matrix, ensemble.weights, self._membership, self.assign_labels, self.n_init)

    def _problem(self, ensemble: Ensemble) -> RCEProblem:
        margin = BOX if self.boundary == "box" else 0.0
        parameters = self.lambda1, self.lambda2, self.mu
        return RCEProblem(ensemble.counts, ensemble.observed, ensemble.weights, *parameters, margin)

    def fit_connective(self, matrices: Sequence[npt.ArrayLike]) -> Self:
        """Find the consensus of m soft connective matrices, (n, n), symmetric with entries in [0, 1].

        Differences from that of up to 1e-8, such as rounding leaves in correlations, are evened out. Takes O(n^2 m)
        memory and O(n^3) time a step. Raises ValueError for other matrices, and with ``certify`` or ``solver``
        "splitting", which are for labels alone, ConsensusFailure for more clusters than objects.
        """
        from consclust.numerics.kernels.rce_kernels import soft_errors

        self.check_parameters()
        if self.certify or self.solver == "splitting":
            name = "certify" if self.certify else "solver"
            problem = f"RCE: {name} = {getattr(self, name)!r}: must be {self.parameters()[name]!r} for fit_connective"
            raise ValueError(f"{problem}; bound and splitting are for labels alone")
        connective = _connective(matrices)
        n = connective.shape[1]
        if self.n_clusters > n:
            raise ConsensusFailure(f"RCE: n_clusters = {self.n_clusters} but only {count(n, 'object')}")
        self._membership = np.arange(n)
        e_step, m = partial(soft_errors, connective, float(self.lambda1)), np.full((n, n), float(len(connective)))
        self._solve_and_cluster(connective.mean(axis=0), e_step, m, np.ones(n, dtype=np.int64))
        self._complete_note()
        return self

    def _solve_and_cluster(
        self, start: FloatArray, e_step: Callable[[FloatArray, FloatArray], float], m: FloatArray, weights: IntArray
    ) -> None:
        """Run Algorithm 1 on the profile matrix; ``m`` clusterings contain both objects of a pair, (n', n')."""
        from consclust.numerics.kernels.rce_kernels import divergence

        matrix = np.clip(start, BOX, 1 - BOX) if self.boundary == "box" else start.copy()
        fewest = float(m.min())
        exact = self.inner_tol is None
        pulls = self.inner_tol is None or self.lambda2 >= 2 * fewest * self.inner_tol
        loss = ROUNDING / self.mu * self.lambda2 / (2 * max(fewest, 1))
        spectrum = Spectrum(weights.astype(float), self.mu, exact, pulls, loss)
        tolerance = CONVERGED if self.tol is None else self.tol
        path: list[float] = []
        if self.order == "paper":
            spectrum.update(matrix)
        cost, blocks = np.empty_like(matrix), ColumnBlocks(matrix)
        for _ in range(self.max_outer):
            constant = e_step(matrix, cost)
            self._a_steps(matrix, cost, m, spectrum.pull(self.lambda2), blocks)
            spectrum.update(matrix)
            of_pairs = constant + divergence(matrix, cost, m, weights)
            path.append(of_pairs + 2 * self.lambda2 * spectrum.norm)
            if self.certify:
                self._certificate.add(matrix)
            self.converged_ = len(path) > 1 and abs(path[-2] - path[-1]) <= tolerance * abs(path[-1])
            if self.converged_ and self.tol is not None:
                break
        self.profile_matrix_, self.n_iter_ = matrix, len(path)
        self.objective_path_, self.objective_ = np.array(path), path[-1]
        rose = any(after > before + RISE * max(1, abs(before)) for before, after in pairwise(path))
        self.note_ = "the objective rose in a round" if rose else ""
        if self.certify:
            self._keep_certificate()
        self._set_spectral_labels((matrix + matrix.T) / 2, weights, self._membership, self.assign_labels, self.n_init)

    def _keep_certificate(self) -> None:
        certificate = self._certificate
        del self._certificate  # its matrices
        self.best_objective_ = certificate.objective
        self.bound_ = certificate.bound
        self.duality_gap_path_ = np.array(certificate.gaps)
        self.duality_gap_ = certificate.gaps[-1]
        self.note_ = "; ".join(filter(None, (self.note_, _describe_gap(self.duality_gap_))))

    def _a_steps(
        self, matrix: FloatArray, cost: FloatArray, m: FloatArray, pull: Part | None, blocks: ColumnBlocks
    ) -> None:
        """Update ``matrix`` in place; ``pull``: positive and negative part of D, (2, n', n')."""
        from consclust.numerics.kernels.rce_kernels import a_step

        margin = BOX if self.boundary == "box" else 0.0
        free = np.flatnonzero(((matrix > 0) & (matrix < 1)).ravel()[blocks.places])
        if self.boundary == "box" and self.solver == "mm":
            # Nothing moves a pair that no clustering contains before the spectrum does. The solver is named so that
            # results of "splitting", which has no such steps, do not depend on this.
            is_moved = (m.ravel()[blocks.places[free]] > 0) | (pull is not None)
            free = free[is_moved]
        places = blocks.places[free]
        at_places = places, free, cost.ravel()[places], m.ravel()[places]
        change = np.zeros(blocks.places.shape, dtype=np.float32)
        products = Products(pull, blocks, LOST * 2 * float(m.min()))
        for step in range(1 if self.order == "paper" else self.max_inner):
            products.update(matrix, change if step else None)
            move = a_step(*at_places, products.values, margin, matrix.ravel(), change)
            if self.inner_tol is not None and move <= self.inner_tol:
                return


class Products:
    """The products of the positive and the negative part of D with the consensus matrix while that moves.

    Parts in single precision give such products. For others the move since the last product is multiplied in single
    precision, as long as the errors sum to at most ``allowed``; else the whole matrix, and so every ``REFRESH`` times
    if the sum exceeds a ``SHARE`` of it.
    """

    def __init__(self, parts: Part | None, blocks: ColumnBlocks, allowed: float) -> None:
        self.values: FloatArray = np.zeros((2, blocks.places.size))
        self._views = blocks.views(self.values)
        self._blocks = blocks
        self._parts = [] if parts is None else blocks.beside(parts)
        self._single: list[Single] = []
        self._allowed = allowed
        self._lost = 0.0
        self._moves = 0
        if parts is not None:
            self._length = SINGLE * float(np.sqrt(np.einsum("kij,kij->ki", parts, parts).max(axis=1)).sum())

    def update(self, matrix: FloatArray, change: Single | None) -> None:
        """Multiply by a matrix, which differs from the one of the last call by ``change``, if that is given."""
        if not self._parts:
            return
        self._moves += change is not None
        moves = [] if change is None else self._blocks.views(change)
        if moves and self._suffice(moves):
            self._single = self._single or [part.astype(np.float32) for part in self._parts]
            for view, single, move in zip(self._views, self._single, moves, strict=True):
                view += single @ move
            return
        for view, part, entries in zip(self._views, self._parts, self._blocks.cut(matrix), strict=True):
            np.matmul(part, entries.astype(part.dtype, copy=False), out=view, casting="same_kind")
        self._lost = 0.0

    def _suffice(self, moves: list[Single]) -> bool:
        """Return whether a product of the moves will do, and count what it loses."""
        due = self._moves % REFRESH == 0 and self._lost > SHARE * self._allowed
        if due or self._parts[0].dtype == np.float32:
            return False
        self._lost += self._length * max(float(np.einsum("ij,ij->j", move, move).max()) for move in moves) ** 0.5
        return self._lost <= self._allowed


@dataclass
class Spectrum:
    """The S-step, on profiles: S^-1 = mu^-1/2 I - Z R Z'."""

    weights: FloatArray
    mu: float
    exact: bool
    pulls: bool
    loss: float  # What eigenvalues of A A' for singular values cost: how far A moves, at most, over the largest of them
    left: FloatArray | None = None  # Left singular vectors of the consensus matrix
    sigma: FloatArray = field(init=False)  # Its singular values, squared

    def update(self, matrix: FloatArray) -> None:
        """Take the singular values and left singular vectors of the consensus matrix."""
        root = np.sqrt(self.weights)
        weighted = matrix * np.outer(root, root)
        largest = float((weighted @ (root @ weighted) / root).max())  # bounds the eigenvalues of A A', as A is >= 0
        if self.exact and self.loss * largest > LOST:
            self.left, singular, _ = np.linalg.svd(weighted)
            self.sigma = singular**2
            return
        gram = weighted @ weighted.T  # half the time, and half the digits of the small singular values
        if self.pulls:
            sigma, self.left = np.linalg.eigh(gram)
        else:
            sigma = np.linalg.eigvalsh(gram)
        self.sigma = np.maximum(sigma, 0)

    @property
    def norm(self) -> float:
        """Sum of sqrt(sigma_k^2 + mu) over all n singular values of the objects' matrix."""
        absent = float((self.weights - 1).sum()) * np.sqrt(self.mu)
        return float(np.sqrt(self.sigma + self.mu).sum() + absent)

    def pull(self, lambda2: float) -> Part | None:
        """Return D = lambda2 S^-1, times the weights, as positive and negative part, (2, n', n'); None if it is 0."""
        if self.left is None or lambda2 == 0:
            return None
        free = self.mu**-0.5
        vectors = self.left * np.sqrt(np.maximum(free - (self.sigma + self.mu) ** -0.5, 0))
        vectors /= np.sqrt(self.weights)[:, None]
        r = vectors @ vectors.T
        diagonal = r.diagonal().copy()
        r *= lambda2 * self.weights
        parts = np.empty((2, *r.shape), dtype=np.float64 if self.exact else np.float32)
        np.maximum(-r, 0, out=parts[0], casting="same_kind")
        np.maximum(r, 0, out=parts[1], casting="same_kind")
        np.fill_diagonal(parts[0], lambda2 * (free - diagonal))
        np.fill_diagonal(parts[1], lambda2 * diagonal * (self.weights - 1))
        return parts


def _describe_gap(gap: float) -> str:
    return f"{GAP} {gap:.1e}"


def read_gap(note: str) -> float | None:
    """Return the relative duality gap, to two digits, that a ``note_`` of :class:`RCE` gives; None if it gives none."""
    found = re.search(rf"{GAP} (\S*\d)", note)
    return float(found[1]) if found else None


def _connective(matrices: Sequence[npt.ArrayLike]) -> FloatArray:
    stack = [np.asarray(matrix, dtype=float) for matrix in matrices]
    if not stack:
        raise ValueError("fit_connective needs at least one connective matrix")
    for i, matrix in enumerate(stack):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape != stack[0].shape:
            raise ValueError(f"connective matrix {i} has shape {matrix.shape}; all must be n x n, one n")
        inside = np.isfinite(matrix).all() and matrix.min(initial=0) >= -UNEVEN and matrix.max(initial=0) <= 1 + UNEVEN
        if not inside:
            raise ValueError(f"connective matrix {i} has entries outside [0, 1]; scale them to that")
        if np.abs(matrix - matrix.T).max(initial=0) > UNEVEN:
            raise ValueError(f"connective matrix {i} is not symmetric; pass the mean of it and its transpose")
    return np.stack([np.clip((matrix + matrix.T) / 2, 0.0, 1.0) for matrix in stack])
