"""What every consensus method shares: scikit-learn's conventions, checks, labels from restarts."""

# scikit-learn is imported where needed, so that what does without it starts faster

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from consclust.ensemble import Ensemble, FloatArray, IntArray, as_ensemble
from consclust.errors import ConsensusFailure, MemoryNeeded
from consclust.memory import available
from consclust.methods.constraints import COUNT, NON_NEGATIVE, Constraint, read_annotation
from consclust.methods.streamed import Stream, hand_streams_on
from consclust.numerics.components import component_labels, solved
from consclust.numerics.linkage import Linkage, linkage_labels, profile_linkage_labels, twins_are_nearest
from consclust.numerics.numbering import order_of_appearance, renumber
from consclust.numerics.spectral import Assignment, spectral_labels
from consclust.plurals import count
from consclust.seen import warn_of_unseen

Seed = int | np.random.Generator | None

# Parameters with these names have these constraints, unless a method declares another.
COUNTS = ("n_clusters", "n_init", "n_neighbours", "n_steps", "max_iter", "max_outer", "max_inner")
COMMON: Mapping[str, Constraint] = {**dict.fromkeys(COUNTS, COUNT), "tol": NON_NEGATIVE}
LARGEST = 1e140  # Of the features; beyond, sums of squares overflow
ROUNDING = 1e-11  # Of a cost: a relative difference that the order of the sums explains
BYTES_OF_LABEL = 64  # Of a fit without matrices, for each label of a profile: LWGP of 10^6 objects held 67
NO_ROWS = "not kept after a fit on a stream; fit an Ensemble of a part of the objects to see it"
FREE = 2**28  # Bytes; a fit that needs no more does not ask how many there are


class Cost(NamedTuple):
    """What one fit costs: CPU seconds ``fixed + square size^2 + cube size^3``, and memory."""

    fixed: float
    square: float
    cube: float
    matrices: int = 0  # Of doubles over the objects; 0: the method works on profiles, and the size counts these
    profile_matrices: int | None = None  # Of doubles over the profiles; None: not measured
    most_objects: float = math.inf  # With more objects there are no matrices over the objects
    over_objects: bool = False  # Whether the size counts the objects though there are no matrices over them
    measured: float | None = None  # CPU seconds for n'^2 up to 10^4 profiles, where ``square`` is a generous bound
    linear: float | None = None  # CPU seconds for each label of a profile, n' m, where no matrix of n'^2 is made
    clusters: float = 0.0  # CPU seconds for the cube of the number of base clusters, beside ``linear``

    def seconds(self, size: int) -> float:
        """Return the seconds for ``size`` profiles or objects."""
        return self.fixed + self.square * size**2 + self.cube * size**3

    def doubles(self, n_objects: int, n_profiles: int, unmeasured: int = 0) -> int:
        """Return the doubles that a fit holds at once; ``unmeasured`` takes the place of ``profile_matrices`` None."""
        over_profiles = unmeasured if self.profile_matrices is None else self.profile_matrices
        over_objects = self.matrices if n_objects <= self.most_objects else 0
        return over_profiles * n_profiles**2 + over_objects * n_objects**2


class Need(NamedTuple):
    """What one fit takes, by the cost that its method declares: rather more than less."""

    seconds: float  # Of CPU time
    bytes: float  # Of memory, beside the ensemble


class Run(NamedTuple):
    """What an ascent or descent from one start finds."""

    memberships: FloatArray  # Shape (rows, K)
    objective: float  # The run with the least is chosen
    path: list[float]  # Objective, or what is maximised, after each iteration
    converged: bool


class Results:
    """What a fit leaves, described in :class:`ConsensusMethod`."""

    labels_: IntArray
    restart_labels_: IntArray
    chosen_: int
    n_features_in_: int
    n_iter_: int = 1
    converged_: bool = True
    note_: str = ""
    own_note_: str = ""
    _features: FloatArray  # Shape (n, d); only of a method that uses them
    _membership: IntArray  # Row of each object in the matrices of the method, shape (n,)


@dataclass(repr=False, eq=False)
class ConsensusMethod(Results, ABC):
    """A consensus method: base clusterings in, one clustering out.

    Follows scikit-learn's estimator conventions without importing it, because the import costs more CPU than many a
    fit. The constructor of a method names all parameters and stores each under its name, as that of a dataclass does.
    Methods work on the distinct label profiles, exactly, unless they say otherwise; a missing label takes its
    clustering out of the sums for the pairs of its object.

    Parameters
    ----------
    n_clusters : int
        Number of consensus clusters, K.
    max_iter : int
        Most iterations, of methods that iterate.
    assign_labels : {"discretize", "kmeans"}
        How a spectral embedding becomes labels: rotation of Yu and Shi, or k-means on the rows as in Ng, Jordan, Weiss.
    n_init : int, default 10
        Random starts, of those that make some; ``labels_`` is the one with the best objective.
    random_state : int, Generator or None
        Seed of the random starts, and of a random ``object_order``; deterministic methods ignore it.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Consensus labels 0..k-1, in the order in which the clusters first appear: object 0 has label 0. Equal partitions
        have equal labels, whatever the method. k is ``n_clusters``, or less where a method leaves a cluster empty, or
        more where it has a ``free_number``.
    restart_labels_ : ndarray of int, shape (restarts, n)
        Labels of every random start, numbered alike; one row for a deterministic method.
    chosen_ : int
        The restart that ``labels_`` is taken from, that of the least cost. Of restarts with the same labels whose costs
        differ by rounding only it is the first.
    n_iter_ : int
        Iterations of the (last stage of the) solver; 1 for closed forms.
    converged_ : bool
        Whether every iterative stage met its stopping rule.
    n_features_in_ : int
        Number of base clusterings, m (the name is scikit-learn's).
    note_ : str
        What a report must say about this answer: that there are fewer than K clusters, and what the method remarks;
        mostly empty.
    own_note_ : str
        What the method alone remarks.
    """

    summary: ClassVar[str] = ""  # One sentence on what the method does
    reference: ClassVar[str] = ""  # The paper to cite: "Authors: Title. Venue Year.".
    # Measured by ``benchmarks/cost.py``; this one is above that of every method here.
    cost: ClassVar[Cost] = Cost(4.0, 2e-4, 8e-8, matrices=12)
    # What a parameter may be that is no bool and no Literal; None is allowed where it is the default.
    constraints: ClassVar[Mapping[str, Constraint]] = {}
    needs_features: ClassVar[bool] = False  # Whether it needs the objects' features, at least with some parameters
    # What ``predict`` takes for objects that were not in ``fit``; None: there is no ``predict``.
    predicts_from: ClassVar[Literal["labels", "features"] | None] = None
    # Methods that return an (n, n) matrix over objects, and attributes with one over profiles, (n', n').
    matrices: ClassVar[tuple[str, ...]] = ()
    # Attributes with a value, or a row of values, for each iteration, and the number of values.
    paths: ClassVar[Mapping[str, int]] = {}
    # What a report must say of an answer from missing labels, where the method does not hold with them.
    with_missing: ClassVar[str] = ""
    balanced: ClassVar[bool] = False  # Whether the method forces clusters of nearly equal size
    identifiable: ClassVar[bool] = True  # Whether the consensus of a single clustering is always that clustering
    # Whether another order of the objects, or of the clusterings, changes more than another seed does.
    order_dependent: ClassVar[bool] = False

    n_clusters: int
    random_state: Seed = field(default=None, kw_only=True)

    @property
    def free_number(self) -> bool:
        """Whether there may be more clusters than ``n_clusters``, which is only aimed at."""
        return False

    @hand_streams_on
    def fit(self, labels: npt.ArrayLike | Ensemble | Stream, features: Any = None) -> Self:
        """Find the consensus clustering.

        Parameters
        ----------
        labels : array-like of int, shape (n objects, m clusterings), or Ensemble, or StreamedEnsemble
            -1 marks a missing object. An iterator of label matrices is a stream of blocks; see
            :mod:`consclust.methods.streamed`.
        features : array-like or sparse matrix, shape (n objects, d), optional
            Only for methods that need them.

        Raises
        ------
        ValueError
            For invalid labels or parameters, and for absent or invalid features if the method needs them.
        ConsensusFailure
            If there is no answer, e.g. with more clusters than distinct profiles.
        MemoryNeeded
            If the matrices that the method declares (``cost``) do not fit into the memory that is free.

        Warns
        -----
        MissingLabelsWarning
            If missing labels leave pairs of objects without a common clustering, or objects with few labels.
        """
        ensemble = as_ensemble(labels)  # type: ignore[arg-type]  # a stream does not come here
        self.check_parameters()
        if self.n_clusters > ensemble.n_profiles:
            problem = f"{type(self).__name__}: n_clusters = {self.n_clusters} but the ensemble distinguishes only"
            remedy = "set fewer clusters or add clusterings"
            raise ConsensusFailure(f"{problem} {count(ensemble.n_profiles, 'group')} of objects; {remedy}")
        if self.uses_features():
            self._features = self._checked_features(features, ensemble.n_objects)
        self.n_features_in_ = ensemble.n_clusterings
        self._membership = ensemble.membership
        self._require_memory(self._doubles(ensemble))
        self.note_ = ""  # of an earlier fit
        self._fit(ensemble)
        if ensemble.has_missing:
            warn_of_unseen(ensemble, type(self).__name__)
            self.note_ = "; ".join(filter(None, (self.note_, self.with_missing)))
        self._complete_note()
        return self

    def _complete_note(self) -> None:
        """Join what the method remarks with the remark that there are fewer clusters than requested, if so."""
        self.own_note_ = self.note_
        if self.labels_.max() + 1 < self.n_clusters:
            fewer = f"fewer clusters than the {self.n_clusters} requested"
            self.note_ = f"{fewer}; {self.own_note_}" if self.own_note_ else fewer

    @classmethod
    def find_cost(cls, parameters: Mapping[str, Any]) -> Cost:
        """Return what a fit with these parameters costs, the others at their defaults; extend it where they matter."""
        return cls.cost

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return the doubles that a fit holds; extend it where they depend on parameters. 0 if no cost is declared."""
        declared = self.cost is not ConsensusMethod.cost
        return self.cost.doubles(ensemble.n_objects, ensemble.n_profiles) if declared else 0

    def _require_memory(self, doubles: int, what: str = "its matrices") -> None:
        """Raise MemoryNeeded where so many doubles do not fit."""
        needed = 8 * doubles
        there = available() if needed > FREE else None
        if there is not None and needed > there:
            sizes = f"n = {len(self._membership)} objects, n' = {self._membership.max() + 1} distinct profiles"
            problem = f"{type(self).__name__}: {what} need {needed:,} bytes of memory, {there:,} are available"
            raise MemoryNeeded(f"{problem} ({sizes}); fit fewer objects or use a larger machine")

    def estimate(self, ensemble: Ensemble) -> Need:
        """Return the CPU seconds and the bytes that a fit to an ensemble takes, before it is made."""
        cost = self.find_cost(self.get_params())
        n_labels = ensemble.n_profiles * ensemble.n_clusterings
        # matrices of the features are not known before they are given
        doubles = 0 if self.uses_features() else self._doubles(ensemble)
        seconds = cost.seconds(ensemble.n_objects if cost.matrices or cost.over_objects else ensemble.n_profiles)
        if cost.measured is not None:
            seconds = min(seconds, cost.fixed + cost.measured * ensemble.n_profiles**2)
        if cost.linear is not None and doubles < ensemble.n_profiles**2:
            of_clusters = cost.clusters * float(ensemble.n_clusters.sum()) ** 3
            seconds = min(seconds, cost.fixed + cost.linear * n_labels + of_clusters)
        return Need(seconds, 8.0 * doubles + BYTES_OF_LABEL * n_labels)

    def uses_features(self) -> bool:
        """Whether the method needs the objects' features with the parameters that it has."""
        return self.needs_features

    def fit_predict(self, labels: npt.ArrayLike | Ensemble, features: Any = None) -> IntArray:
        """Fit and return ``labels_``."""
        return self.fit(labels, features).labels_

    @abstractmethod
    def _fit(self, ensemble: Ensemble) -> None:
        """Do the work; end with :meth:`_set_labels`."""

    def check_parameters(self) -> None:
        """Raise ValueError for a parameter that breaks its constraint; extend it for rules that join several."""
        for name, argument in inspect.signature(type(self)).parameters.items():
            value, optional = getattr(self, name), argument.default is None
            constraint = self.constraints.get(name) or read_annotation(argument.annotation) or COMMON.get(name)
            if constraint and not constraint.allows(value) and not (optional and value is None):
                wanted = f"{constraint} or None" if optional else constraint
                raise ValueError(f"{type(self).__name__}: {name} = {value!r}: must be {wanted}")

    def _checked_features(self, features: Any, n_objects: int | None = None) -> FloatArray:
        """Return features as a matrix of finite numbers, one row for each of ``n_objects`` (None: any)."""
        method = type(self).__name__
        if features is None:
            raise ValueError(f"{method} needs the objects' features: fit(labels, features)")
        dense = features.toarray() if hasattr(features, "toarray") else features
        try:
            matrix: FloatArray = np.asarray(dense, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"{method}: features must be numbers; encode what is none") from None
        if matrix.ndim != 2 or not matrix.shape[1] or n_objects not in (None, len(matrix)):
            wanted = f"a matrix of {'n' if n_objects is None else n_objects} objects x d features, d >= 1"
            raise ValueError(f"{method}: features must be {wanted}, got shape {matrix.shape}")
        if not np.isfinite(matrix).all():
            raise ValueError(f"{method}: features hold NaN or infinity; complete them")
        if np.abs(matrix).max(initial=0) > LARGEST:
            raise ValueError(f"{method}: features hold numbers beyond {LARGEST:g}, whose squares overflow; scale them")
        return matrix

    def _rng(self) -> np.random.Generator:
        try:
            return np.random.default_rng(self.random_state)
        except (TypeError, ValueError):
            wanted = "an integer >= 0, a Generator or None"
            raise ValueError(f"{type(self).__name__}: random_state = {self.random_state!r}: must be {wanted}") from None

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"{type(self).__name__} is not fitted yet; call fit first")

    def _over_objects(self, attribute: str) -> FloatArray:
        """Return the (n, n) matrix over objects of a fitted one over profiles, shape (n', n')."""
        self._require_fitted()
        matrix: FloatArray = getattr(self, attribute)[np.ix_(self._membership, self._membership)]
        return matrix

    def _set_labels(self, restarts: IntArray, costs: FloatArray, membership: IntArray) -> None:
        """Keep the labels of all restarts, (restarts, n') over profiles, and choose the cheapest.

        The clusters are numbered anew, by first appearance over the objects. What a method keeps for each cluster must
        follow: :func:`~consclust.numerics.numbering.order_of_appearance` has the order.

        ValueError for labels that are none, or costs that are not one number, no NaN, for each restart.
        """
        restarts, costs = np.asarray(restarts), np.asarray(costs, dtype=float)
        self._check_labels(restarts, costs, membership)
        self.restart_labels_ = renumber(restarts.astype(np.int64)[:, membership])
        self.chosen_ = first_cheapest(self.restart_labels_, costs)
        self.labels_ = self.restart_labels_[self.chosen_]

    def _check_labels(self, restarts: IntArray, costs: FloatArray, membership: IntArray) -> None:
        n, columns = len(self._membership), membership.max() + 1
        problem = ""
        if len(membership) != n:
            problem = f"a membership of {n} objects, not of {len(membership)}"
        elif restarts.ndim != 2 or not len(restarts) or restarts.shape[1] != columns:
            problem = f"labels of shape (restarts, {columns}), not {restarts.shape}"
        elif restarts.dtype.kind not in "iu" or restarts.min() < 0:
            problem = f"labels that are integers >= 0, not {restarts.dtype} from {restarts.min()}"
        elif costs.shape != restarts.shape[:1] or np.isnan(costs).any():
            problem = f"{len(restarts)} costs, one number for each restart, not {costs}"
        if problem:
            raise ValueError(f"{type(self).__name__} must give {problem}; correct its _fit")

    def _set_runs(self, runs: Sequence[Run], membership: IntArray) -> Run:
        """Keep the most probable clusters of all runs; return the chosen run, columns in the order of the labels."""
        labels = np.stack([run.memberships.argmax(axis=1) for run in runs])
        self._set_labels(labels, np.array([run.objective for run in runs]), membership)
        chosen = runs[self.chosen_]
        self.n_iter_, self.converged_ = len(chosen.path), all(run.converged for run in runs)
        order = order_of_appearance(labels[self.chosen_][membership], chosen.memberships.shape[1])
        return chosen._replace(memberships=chosen.memberships[:, order])

    def _set_only_labels(self, labels: IntArray, membership: IntArray) -> None:
        """Keep the labels of a deterministic method, (n',) over profiles."""
        self._set_labels(labels[None, :], np.zeros(1), membership)

    def _set_linkage_labels(
        self, similarity: FloatArray, n_clusters: int | None, how: Linkage = "average", order: IntArray | None = None
    ) -> None:
        """Keep the labels of agglomerative clustering of the objects, which are as similar as their profiles.

        Ties fall as if the objects were in an ``order``, (n,); None: that in which they are given.
        """
        n = len(self._membership)
        given = np.arange(n)
        order = given if order is None else order
        labels = np.empty(n, dtype=np.int64)
        labels[order] = linkage_labels(similarity, self._membership[order], n_clusters, how)
        self._set_only_labels(labels, given)

    def _set_profile_linkage_labels(
        self, similarity: FloatArray, n_clusters: int | None, how: Linkage, order: IntArray | None = None
    ) -> None:
        """Keep the same labels by the tree over the profiles, where there is one: n'^2 time and memory, not n^2."""
        n = len(self._membership)
        if not twins_are_nearest(similarity, np.bincount(self._membership)):
            self._require_memory(n**2, "distances between objects, as those between profiles do not suffice,")
            self._set_linkage_labels(similarity, n_clusters, how, order)
            return
        membership = self._membership
        if order is not None:
            first_places = np.unique(membership[order], return_index=True)[1]
            profiles = np.argsort(first_places)
            similarity = similarity[np.ix_(profiles, profiles)]
            membership = np.argsort(profiles)[membership]
        labels = profile_linkage_labels(similarity, membership, n_clusters, how)
        self._set_only_labels(labels, np.arange(n))

    def _set_spectral_labels(
        self, similarity: FloatArray, weights: IntArray, membership: IntArray, how: Assignment, n_init: int
    ) -> None:
        """Keep the labels of spectral clustering of the profiles."""
        labels, costs = spectral_labels(similarity, weights, self.n_clusters, how, n_init, self._rng())
        self._set_labels(labels, costs, membership)

    @classmethod
    def parameters(cls) -> dict[str, Any]:
        """Return the settable parameters with their defaults, without n_clusters and random_state."""
        arguments = inspect.signature(cls).parameters.items()
        return {name: argument.default for name, argument in arguments if name not in ("n_clusters", "random_state")}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **parameters: Any) -> Self:
        """Set constructor parameters; ValueError for an unknown one."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags("clusterer", TargetTags(required=False), input_tags=InputTags(categorical=True))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({arguments})"


@dataclass(repr=False, eq=False, kw_only=True)
class OrderedMethod(ConsensusMethod):
    """A method whose answer depends on an order of its items: objects, profiles or base clusters.

    Parameters
    ----------
    n_clusters, random_state
        See :class:`ConsensusMethod`.
    object_order : {"given", "random"}, default "given"
        The order in which the items are taken: as they are given, or drawn from ``random_state``.
    """

    order_dependent = True

    object_order: Literal["given", "random"] = "given"

    def _draw_order(self, n_items: int, rng: np.random.Generator | None = None) -> IntArray:
        """Return the order in which the items are taken, (n_items,); ``rng`` None: by a new one of ``random_state``."""
        if self.object_order == "given":
            return np.arange(n_items)
        return (rng or self._rng()).permutation(n_items)


class MatrixMethod(ConsensusMethod):
    """A method that learns a consensus matrix, ``profile_matrix_`` over the distinct label profiles, (n', n')."""

    matrices = ("consensus_matrix", "profile_matrix_")
    profile_matrix_: FloatArray

    def consensus_matrix(self) -> FloatArray:
        """Return the consensus matrix over objects, shape (n, n)."""
        return self._over_objects("profile_matrix_")


class ComponentMethod(ConsensusMethod):
    """A method whose clusters are the connected components of the similarity that it learns; maybe not K."""

    matrices = ("consensus_matrix",)
    free_number = True
    _similarity: FloatArray

    def _fit(self, ensemble: Ensemble) -> None:
        self._similarity, self._membership = solved(self._solve_within_memory, ensemble)
        labels = component_labels(self._similarity)
        differs = labels.max() + 1 != self.n_clusters
        self.note_ = "the number of clusters is that of the graph's components" if differs else ""
        self._set_only_labels(labels, self._membership)

    def _doubles(self, ensemble: Ensemble) -> int:
        """Return the doubles of a fit on the profiles: ``cost`` is that of the fit on the objects, if there is one."""
        return super()._doubles(ensemble) and self.cost.matrices * ensemble.n_profiles**2

    def _solve_within_memory(self, ensemble: Ensemble) -> FloatArray:
        """Solve if there is the memory; where the profiles did not suffice those of ``ensemble`` are the objects."""
        self._require_memory(
            self._doubles(ensemble), "matrices over the objects, as those over profiles do not suffice,"
        )
        return self._solve(ensemble)

    @abstractmethod
    def _solve(self, ensemble: Ensemble) -> FloatArray:
        """Return the similarity of the profiles, shape (n', n')."""

    def consensus_matrix(self) -> FloatArray:
        """Return the similarity of the objects, shape (n, n)."""
        return self._over_objects("_similarity")


def note_constant(ensemble: Ensemble, n_clusters: int) -> str:
    """Return a remark on base clusterings of one cluster, for methods that fit the co-association of every pair.

    As these join every pair, clusters may merge. With ``n_clusters`` 1 that does no harm.
    """
    constant = int((ensemble.n_clusters == 1).sum())
    if not constant or n_clusters == 1:
        return ""
    return f"{count(constant, 'base clustering')} of one cluster may merge clusters; leave out what has one cluster"


def first_cheapest(labels: IntArray, costs: FloatArray) -> int:
    """Return the restart of the least cost; of those with its labels, (restarts, n), and nearly its cost, the first.

    Starts often end at the same clusters, at costs that differ by rounding, which is not the same on every processor.
    """
    cheapest = int(np.argmin(costs))
    if not math.isfinite(costs[cheapest]):
        return cheapest
    scale = max(abs(costs[cheapest]), labels.shape[1])  # costs are sums over the objects
    as_cheap = costs <= costs[cheapest] + ROUNDING * scale
    same = (labels == labels[cheapest]).all(axis=1)
    return int(np.flatnonzero(as_cheap & same)[0])
