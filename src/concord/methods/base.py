"""What every consensus method shares: scikit-learn's conventions, checks, labels from restarts."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from concord.ensemble import Ensemble, FloatArray, IntArray, as_ensemble
from concord.errors import ConsensusFailure


class ConsensusMethod(ABC):
    """A consensus method: base clusterings in, one clustering out.

    Follows scikit-learn's estimator conventions (``get_params``, ``set_params``, ``clone``, trailing
    underscores) without importing it, because the import costs more CPU than many a fit.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Consensus labels 0..k-1; k is ``n_clusters``, or less where a method leaves a cluster empty, or more
        where it has a ``free_number``.
    restart_labels_ : ndarray of int, shape (restarts, n)
        Labels of every random start; one row for a deterministic method.
    chosen_ : int
        The restart that ``labels_`` is taken from: the one with the best objective.
    n_iter_ : int
        Iterations of the (last stage of the) solver; 1 for closed forms.
    converged_ : bool
        Whether every iterative stage met its stopping rule.
    note_ : str
        What a report must say about this answer, e.g. that a stand-in cut the graph; mostly empty.
    """

    balanced: ClassVar[bool] = False
    """Whether the method forces clusters of nearly equal size."""

    needs_features: ClassVar[bool] = False
    """Whether the method needs the objects' features, at least with some of its parameters."""

    n_clusters: int

    labels_: IntArray
    restart_labels_: IntArray
    chosen_: int
    _features: FloatArray
    """Shape (n, d); only of a method that uses them."""
    n_iter_: int = 1
    converged_: bool = True
    note_: str = ""

    @property
    def free_number(self) -> bool:
        """Whether there may be more clusters than ``n_clusters``, which is only aimed at."""
        return False

    def fit(self, labels: npt.ArrayLike | Ensemble, features: Any = None) -> Self:
        """Find the consensus clustering.

        Parameters
        ----------
        labels : array-like of int, shape (n objects, m clusterings), or Ensemble
            Base clusterings; -1 marks a missing object.
        features : array-like or sparse matrix, shape (n objects, d), optional
            Only for methods that need the objects' features; ignored by the others.

        Raises
        ------
        ValueError
            For invalid labels or parameters, and for absent or invalid features if the method needs them.
        ConsensusFailure
            If there is no answer, e.g. more clusters are asked than there are distinct profiles.
        """
        ensemble = as_ensemble(labels)
        self.check_parameters()
        if self.n_clusters > ensemble.n_profiles:
            raise ConsensusFailure(
                f"{type(self).__name__}: n_clusters = {self.n_clusters} but the ensemble distinguishes only "
                f"{ensemble.n_profiles} groups of objects; ask for fewer clusters or add clusterings"
            )
        if self.uses_features():
            self._features = self._checked_features(features, ensemble.n_objects)
        self._fit(ensemble)
        return self

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
        """Raise ValueError for a parameter out of its range."""
        self._require("n_clusters", is_integer(self.n_clusters, 1), "an integer >= 1")

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
            wanted = "n" if n_objects is None else n_objects
            raise ValueError(
                f"{method}: features must be a matrix of {wanted} objects x d features, d >= 1, "
                f"got shape {matrix.shape}"
            )
        if not np.isfinite(matrix).all():
            raise ValueError(f"{method}: features hold NaN or infinity; complete them")
        return matrix

    def _require(self, name: str, holds: bool, wanted: str) -> None:
        if not holds:
            raise ValueError(f"{type(self).__name__}: {name} = {getattr(self, name)!r}: must be {wanted}")

    def _require_choice(self, name: str, *choices: str) -> None:
        *most, last = map(repr, choices)
        self._require(name, getattr(self, name) in choices, f"{', '.join(most)} or {last}")

    def _set_labels(self, restarts: IntArray, costs: FloatArray, membership: IntArray) -> None:
        """Keep the labels of all restarts, (restarts, n') over profiles, and choose the cheapest."""
        self.restart_labels_ = np.stack([consecutive(row)[membership] for row in restarts])
        self.chosen_ = int(np.argmin(costs))
        self.labels_ = self.restart_labels_[self.chosen_]

    def _set_only_labels(self, labels: IntArray, membership: IntArray) -> None:
        """Keep the labels of a deterministic method, (n',) over profiles."""
        self._set_labels(labels[None, :], np.zeros(1), membership)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **parameters: Any) -> Self:
        """Set constructor parameters; ValueError for an unknown one."""
        known = self.get_params()
        for name, value in parameters.items():
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({arguments})"


def consecutive(labels: IntArray) -> IntArray:
    """Return labels recoded to 0..k-1, closing the gaps of empty clusters."""
    return np.unique(labels, return_inverse=True)[1].reshape(labels.shape)


def codes_of(labels: IntArray, n_clusters: int) -> IntArray:
    """Return what :func:`consecutive` makes of each of the clusters 0..n_clusters-1; empty ones come last."""
    codes: IntArray = np.argsort(np.argsort(~np.isin(np.arange(n_clusters), labels), kind="stable"))
    return codes


def is_integer(value: Any, least: int) -> bool:
    """Whether ``value`` is an integer (not a bool) of at least ``least``."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)


def is_number(value: Any, least: float, *, strict: bool = False) -> bool:
    """Whether ``value`` is a finite real number of at least (``strict``: above) ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return bool(np.isfinite(value) and (value > least if strict else value >= least))
