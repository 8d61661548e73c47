"""SDGCA: similarity and dissimilarity guided co-association matrix."""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import Cost, MatrixMethod, OrderedMethod
from consclust.methods.constraints import POSITIVE
from consclust.similarity import co_occurrence, eci, ecpcs

LEAST_DISSIMILARITY = 0.8  # Of a cannot-link, tau; fixed in the authors' program, as is the range of must-links
FASTER, MOST = 1.1, 1e6  # Growth of the penalties in a round, and where it ends


@dataclass(repr=False, eq=False)
class SDGCA(OrderedMethod, MatrixMethod):
    r"""Co-association matrix guided by a similarity and a dissimilarity of the objects (Zhang, Jia, Song, Wang 2025).

    A base cluster c of clustering j counts more if the others leave it undivided. With the entropy of
    :func:`consclust.similarity.eci`, relative to the logarithm of the clusters of its own clustering,

    .. math:: w_c = \exp\left( -\frac{H(c)}{\lambda\, m \log_2 k_j} \right), \quad
        N_{pq} = \frac{\sum_{c \ni p, q} w_c}{\max_{pq} \sum_{c \ni p, q} w_c}, \quad N_{pp} = 1. \qquad (1)

    *Must-links* are the pairs whose co-association A is at least theta: with x the value of N, 0 elsewhere,

    .. math:: M_{pq} = 0.8 + 0.2\, \frac{x_{pq} - \min x}{\max (x - \min x)} \;\text{ where } x_{pq} > \min x. \quad (2)

    *Cannot-links* C are the dissimilarities of at least 0.8, with the similarity Z of base clusters by random walks,

    .. math:: C_{pq} = 1 - \frac1m \sum_j Z_{c_j(p), c_j(q)}, \qquad (3)

    see :func:`consclust.similarity.ecpcs`; they overrule must-links. S and D spread both over the pairs,

    .. math:: \min_{S, D} \operatorname{tr}(S L S^\top) + \operatorname{tr}(D L D^\top) + \operatorname{tr}(S D)
        \quad \text{subject to } 0 \le S, D \le 1,\; S = S^\top,\; D = D^\top, \qquad (4)

    S = M on must-links and D = C on cannot-links, with L the Laplacian of A where A is at least eta. ADMM solves (4),
    with the copies F and G of S and D that meet the constraints. S and D, clipped and symmetric, change N:

    .. math:: W_{pq} = \begin{cases} 1 - (1 - S_{pq} + D_{pq}) (1 - N_{pq}) & S_{pq} \ge D_{pq} \\
        (1 + S_{pq} - D_{pq})\, N_{pq} & \text{otherwise.} \end{cases} \qquad (5)

    Average linkage of 1 - W, cut into exactly K clusters.

    Parameters
    ----------
    n_clusters, max_iter, random_state
        See :class:`~consclust.methods.base.ConsensusMethod`.
    lambda_ : float > 0, default 0.09
        How much the entropy of a base cluster counts: the less, the more. The authors use 0.02 to 0.95.
    eta : float > 0, default 0.75
        Least co-association of an edge of the graph. Above 1: without (2) to (5), W = N, as in the authors' program.
    theta : float > 0, default 0.65
        Least co-association of a must-link; above 1: none but of an object with itself.
    tol : float >= 0, default 0.001
        Stop when the Frobenius norms of the changes of S and D in a round, and of S - F and D - G, are all below.
    object_order : {"given", "random"}, default "given"
        The order of the objects that decides between ties: as they are given, or drawn from ``random_state``.

    Attributes
    ----------
    profile_matrix_ : ndarray, shape (n', n')
        W over the distinct label profiles. On its diagonal: two different objects with one profile.
    diagonal_ : ndarray, shape (n',)
        W of an object with itself, for each profile.
    residual_path_ : ndarray, shape (rounds, 4)
        The four norms of ``tol`` after each round.
    converged_ : bool
        Whether ``tol`` was met.

    Notes
    -----
    The authors choose lambda, eta and theta for each data set by the true classes. The defaults are those of their main
    program, found so on one data set (Ecoli); their README has eta and theta the other way round. They need no classes
    here, but nothing says that they suit other data.

    Exact on profiles: a matrix over the objects is one over the profiles, and a diagonal of its own. ADMM takes O(n'^3)
    time a round, of which there are 36 to 77 on the ensembles of the tests. The tree is that of the objects, built over
    the profiles where two objects with one profile are nearest to each other. In an ensemble of a few objects entries
    of W may tie, and which of the tied pairs merges first follows the order of the objects and of the clusterings.

    A clustering of one cluster has w = 0; (1) divides by 0 there, and the program does the same where the others
    divide that cluster. A missing label counts as the expected one.

    Examples
    --------
    >>> from consclust.methods import SDGCA
    >>> labels = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, -1], [1, 2, 1]]  # 6 objects, 3 clusterings
    >>> SDGCA(n_clusters=2).fit_predict(labels)
    array([0, 0, 0, 1, 1, 1])
    """

    summary = "Average linkage of a co-association matrix that must-links and cannot-links of its own change."
    reference = (
        "Zhang, Jia, Song, Wang: Similarity and dissimilarity guided co-association matrix construction for ensemble "
        "clustering, IEEE TKDE, 2025."
    )
    cost = Cost(0.1, 1e-5, 2e-8, profile_matrices=22)
    constraints = {"lambda_": POSITIVE, "eta": POSITIVE, "theta": POSITIVE}
    paths = {"residual_path_": 4}

    lambda_: float = 0.09
    eta: float = 0.75
    theta: float = 0.65
    _: KW_ONLY
    tol: float = 1e-3
    max_iter: int = 300

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return those of ADMM, or of the walks over the base clusters before it, where these are more."""
        n_profiles, n_clusters = ensemble.n_profiles, int(ensemble.n_clusters.sum())
        of_walks = 6 * n_clusters**2 + 2 * n_clusters * n_profiles + 3 * n_profiles**2
        return max(super()._doubles(ensemble), of_walks)

    def _fit(self, ensemble: Ensemble) -> None:
        weighted = weigh_coassociation(ensemble, self.lambda_)
        if self.eta > 1:
            self.n_iter_ = 1
            self.converged_ = True
            self.residual_path_ = np.zeros((1, 4))
            fused = weighted
        else:
            fused = self._fuse(ensemble, weighted)
        self.profile_matrix_ = fused[:-1].copy()
        self.diagonal_ = fused[-1].copy()
        order = None if self.object_order == "given" else self._draw_order(ensemble.n_objects)
        self._set_profile_linkage_labels(self.profile_matrix_, self.n_clusters, "average", order)

    def consensus_matrix(self) -> FloatArray:
        """Return W over objects, shape (n, n)."""
        matrix = super().consensus_matrix()
        np.fill_diagonal(matrix, self.diagonal_[self._membership])
        return matrix

    def _fuse(self, ensemble: Ensemble, weighted: FloatArray) -> FloatArray:
        """Return W of Eq. (5), bordered."""
        cannot = find_cannot_links(ensemble)
        together = border(co_occurrence(ensemble), ensemble.weights, 1.0)
        must = find_must_links(weighted, together, self.theta)
        must[cannot > 0] = 0.0
        laplacian = Laplacian(together, ensemble.weights, self.eta)
        del together
        path: list[FloatArray] = []
        self.converged_ = False
        for state in spread_links(must, cannot, laplacian, self.max_iter):
            path.append(state.residuals)
            self.converged_ = bool((state.residuals < self.tol).all())
            if self.converged_:
                break
        self.n_iter_ = len(path)
        self.residual_path_ = np.array(path)
        return fuse(weighted, state.similarity, state.dissimilarity)


# A matrix over the objects is "bordered" here, shape (n' + 1, n'). The last row has the entries of objects with
# themselves. The diagonal of the other rows has those of two different objects with one profile; where there is only
# one object, its own.


def border(profile_matrix: FloatArray, weights: IntArray, own: float) -> FloatArray:
    """Return a matrix over the profiles with the entry of objects with themselves, bordered."""
    n = len(weights)
    bordered = np.vstack([profile_matrix, np.full(n, own)])
    alone = np.flatnonzero(weights == 1)
    bordered[alone, alone] = own
    return bordered


def transpose(bordered: FloatArray) -> FloatArray:
    """Return the transpose."""
    return np.vstack([bordered[:-1].T, bordered[-1]])


def symmetrise(bordered: FloatArray) -> None:
    """Replace a matrix by the mean of it and its transpose."""
    block = bordered[:-1]
    block += block.T.copy()
    block /= 2


def weigh_clusters(ensemble: Ensemble, lambda_: float) -> FloatArray:
    """Return w of Eq. (1), relative to the largest, which leaves N as it is; shape (sum of k_i,)."""
    clusters = np.repeat(ensemble.n_clusters, ensemble.n_clusters)
    divided = clusters > 1
    if not divided.any():
        return np.ones(len(clusters))
    exponent = np.full(len(clusters), -np.inf)
    exponent[divided] = np.log(eci(ensemble, 1.0)[divided]) / (lambda_ * np.log2(clusters[divided]))
    weights: FloatArray = np.exp(exponent - exponent.max())
    return weights


def weigh_coassociation(ensemble: Ensemble, lambda_: float) -> FloatArray:
    """Return N of Eq. (1), bordered."""
    z = ensemble.expected_indicator.toarray()
    matrix = ensemble.share_of_clusterings((z * weigh_clusters(ensemble, lambda_)) @ z.T)
    matrix /= matrix.max()
    return border(matrix, ensemble.weights, 1.0)


def find_must_links(weighted: FloatArray, together: FloatArray, theta: float) -> FloatArray:
    """Return M of Eq. (2), bordered; cannot-links do not count yet."""
    linked = np.where(together >= theta, weighted, 0.0)
    linked -= linked.min()
    largest = linked.max()
    if largest > 0:
        linked *= 0.2 / largest
    return np.where(linked > 0, linked + 0.8, 0.0)


def find_cannot_links(ensemble: Ensemble) -> FloatArray:
    """Return C of Eq. (3), bordered."""
    apart = border(1 - ecpcs(ensemble), ensemble.weights, 0.0)
    return np.where(apart >= LEAST_DISSIMILARITY, apart, 0.0)


class Laplacian:
    """L of Eq. (4), and the products of matrices with the inverse of 2 L + 2 mu I, all bordered.

    With r the roots of the weights, U the unit vectors over the objects of each profile, and d the difference of the
    two kinds of diagonal entries, a matrix X over the objects is U (r X r' + diag(d)) U' on the span of U, and d on the
    rest. Products and inverses are those of the two parts.
    """

    def __init__(self, together: FloatArray, weights: IntArray, eta: float) -> None:
        edges = np.where(together >= eta, together, 0.0)
        degree = edges[:-1] @ weights - edges[:-1].diagonal() + edges[-1]
        laplacian = -edges
        laplacian[-1] += degree
        alone = np.flatnonzero(weights == 1)
        laplacian[alone, alone] = laplacian[-1, alone]
        root = np.sqrt(weights)
        self._scale = np.outer(root, root)
        self.weights = weights
        self._block, self._rest = self._split(laplacian)

    def solve(self, right: FloatArray, mu: float, inverse: FloatArray) -> FloatArray:
        """Return X (2 L + 2 mu I)^-1 for a bordered X, with the ``inverse`` on the span of U."""
        block, rest = self._split(right)
        return self._join(block @ inverse, rest / (2 * self._rest + 2 * mu))

    def invert(self, mu: float) -> FloatArray:
        """Return the inverse of 2 L + 2 mu I on the span of U, by a Cholesky factor."""
        from scipy.linalg import cholesky
        from scipy.linalg.lapack import dpotri

        matrix = 2 * self._block
        matrix.flat[:: len(matrix) + 1] += 2 * mu
        factor = cholesky(matrix, overwrite_a=True, check_finite=False)
        upper: FloatArray = dpotri(factor, overwrite_c=True)[0]
        # LAPACK fills in one triangle and leaves the other as it was
        upper = np.triu(upper)
        inverse = upper + upper.T
        inverse.flat[:: len(inverse) + 1] /= 2
        return inverse

    def norm(self, bordered: FloatArray) -> float:
        """Return the Frobenius norm of the matrix over the objects."""
        block, own = bordered[:-1], bordered[-1]
        squares = self.weights @ (block**2 @ self.weights)
        return float(np.sqrt(max(squares + self.weights @ (own**2 - block.diagonal() ** 2), 0.0)))

    def _split(self, bordered: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the part on the span of U, (n', n'), and the one on the rest, (n',)."""
        rest = bordered[-1] - bordered[:-1].diagonal()
        block = bordered[:-1] * self._scale
        block.flat[:: len(block) + 1] += rest
        return block, rest

    def _join(self, block: FloatArray, rest: FloatArray) -> FloatArray:
        """Return the bordered matrix of both parts; overwrites ``block``."""
        diagonal = np.arange(len(rest))
        block[diagonal, diagonal] -= rest
        block /= self._scale
        return np.vstack([block, block.diagonal() + rest])


class Spread(NamedTuple):
    """State after a round of ADMM, bordered."""

    similarity: FloatArray  # S
    dissimilarity: FloatArray  # D
    residuals: FloatArray  # Norms of the changes of S and D, of S - F and of D - G


def spread_links(must: FloatArray, cannot: FloatArray, laplacian: Laplacian, max_iter: int) -> Iterator[Spread]:
    """Yield the solution of Eq. (4) after each of at most ``max_iter`` rounds of ADMM."""
    # S and D, their copies F and G that meet the constraints, and the multipliers Y and Z of S = F and D = G
    s, d, f, g, y, z = (np.zeros_like(must) for _ in range(6))
    mu = 1.0
    for _ in range(max_iter):
        inverse = laplacian.invert(mu)
        s_before = s
        s = laplacian.solve(2 * mu * f - transpose(d) - y, mu, inverse)
        f = meet_constraints(s + y / (2 * mu), must)
        d_before = d
        d = laplacian.solve(2 * mu * g - transpose(s) - z, mu, inverse)
        g = meet_constraints(d + z / (2 * mu), cannot)
        y += mu * (s - f)
        z += mu * (d - g)
        mu = min(FASTER * mu, MOST)
        norms = [laplacian.norm(change) for change in (s - s_before, d - d_before, s - f, d - g)]
        yield Spread(s, d, np.array(norms))


def meet_constraints(target: FloatArray, links: FloatArray) -> FloatArray:
    """Overwrite a bordered matrix by one in [0, 1] that equals the ``links`` above 0 and is symmetric; return it."""
    np.clip(target, 0.0, 1.0, out=target)
    np.copyto(target, links, where=links > 0)
    symmetrise(target)
    return target


def fuse(weighted: FloatArray, similarity: FloatArray, dissimilarity: FloatArray) -> FloatArray:
    """Return W of Eq. (5) from N, S and D, all bordered; in [0, 1] and symmetric."""
    s = np.clip(similarity, 0.0, 1.0)
    d = np.clip(dissimilarity, 0.0, 1.0)
    symmetrise(s)
    symmetrise(d)
    s -= d
    fused = np.where(s >= 0, 1 - (1 - s) * (1 - weighted), (1 + s) * weighted)
    np.clip(fused, 0.0, 1.0, out=fused)
    return np.maximum(fused, transpose(fused))
