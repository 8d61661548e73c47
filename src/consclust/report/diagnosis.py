"""What is computed of base clusterings without classes and their consensus; what the report shows is made of it."""

# threadpoolctl is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from consclust import diagnostics
from consclust.diagnostics import ConsensusValues, Measured, ResampledKMeans, Stability
from consclust.diagnostics.resampling import Stage
from consclust.diagnostics.trust import NO_HELD_OUT, NO_STABILITY, attempt, fitted_with_remarks
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.known_classes import KnownClasses
from consclust.methods.base import ConsensusMethod
from consclust.seen import describe_seen, say_what_is_unseen

if TYPE_CHECKING:
    from pandas import DataFrame

Watch = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Progress bar of an iterable, the number of its items, and what they are."""
T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """What a user chooses."""

    method: ConsensusMethod  # With its number of clusters
    ks: Sequence[int]  # Candidates for the number of clusters
    others: Mapping[str, ConsensusMethod]  # Methods that are compared
    draws: int  # Of the bootstrap
    halves: int  # Random halves of the clusterings at each k
    nulls: int  # Draws of the null reference
    folds: int
    seed: int
    recipe: ResampledKMeans | None = None
    """How features are clustered to compare numbers of clusters; None: the base clusterings are resampled."""

    @property
    def name(self) -> str:
        """Name of the method."""
        return type(self.method).__name__


def computed(function: Callable[[Any], T]) -> cached_property[T]:
    """Make a property that is computed once, when it is first used, by one thread.

    Sums over threads would make the last bits depend on their number.
    """

    def once(found: Any) -> T:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(1):
            return function(found)

    once.__doc__ = function.__doc__
    return cached_property(once)


@dataclass(frozen=True)
class Diagnosis:
    """An ensemble of n objects in m clusterings, its consensus of K clusters, and what the diagnostics say of both.

    Everything is computed when it is used, and does not depend on ``n_jobs`` but for the seconds of the methods. The
    numbers of clusters are compared by average linkage, whatever the method. Its attributes raise ConsensusFailure if
    the method has no answer from all clusterings, ValueError for fewer than two clusterings or candidates outside 2..n.
    """

    settings: Settings
    ensemble: Ensemble
    ids: npt.NDArray[Any]  # Of the objects, (n,)
    names: Sequence[str]  # Of the clusterings
    features: Any = None
    n_jobs: int = 1
    watch: Watch = lambda steps, number, what: steps
    classes: KnownClasses | None = None
    """Known classes of the objects, for scores and pictures alone."""
    feature_names: Sequence[str] = ()

    @computed
    def _answer(self) -> tuple[IntArray, str]:
        return fitted_with_remarks(self.ensemble.given, self.settings.method, self.features)

    @property
    def unseen(self) -> list[str]:
        """What the base clusterings have not seen, a sentence each; none without missing labels."""
        if not self.ensemble.has_missing:
            return []
        return say_what_is_unseen(describe_seen(self.ensemble), self.ids)

    @property
    def labels(self) -> IntArray:
        """The consensus, (n,)."""
        return self._answer[0]

    @property
    def note(self) -> str:
        """Remarks on the consensus."""
        return self._answer[1]

    @computed
    def _stays(self) -> tuple[Stability | None, str]:
        method, draws = self.settings.method, self.settings.draws
        return attempt(
            lambda: diagnostics.bootstrap_stability(self.ensemble, method, draws=draws, **self._drawn),
            NO_STABILITY,
            method,
        )

    @property
    def stays(self) -> Stability:
        """Consensus, and how often each object stays in its cluster; NaN if a draw has no consensus."""
        unknown = np.full(len(self.labels), np.nan)
        return self._stays[0] or Stability(self.labels, unknown, unknown, unknown)

    @property
    def no_stability(self) -> str:
        """Why there is no stability; empty if there is one."""
        return self._stays[1] and f"Note: {self._stays[1]}."

    @computed
    def items(self) -> FloatArray:
        """Item consensus, (n, K)."""
        return diagnostics.item_consensus(self.ensemble, self.labels)

    @computed
    def silhouette(self) -> FloatArray:
        """Silhouette of each object, (n,); NaN for one cluster."""
        if self.items.shape[1] == 1:
            return np.full(len(self.items), np.nan)
        return diagnostics.consensus_silhouette(self.items, self.labels)

    @computed
    def contested(self) -> FloatArray:
        """How far the clusterings disagree on each object, (n,)."""
        return diagnostics.contested(self.ensemble)

    @computed
    def agreement(self) -> FloatArray:
        """ARI of each clustering with the consensus, (m,)."""
        return diagnostics.agreement_with(self.ensemble, self.labels)

    @computed
    def _held_out(self) -> tuple[FloatArray | None, str]:
        method, folds = self.settings.method, min(self.settings.folds, self.ensemble.n_clusterings)
        return attempt(
            lambda: diagnostics.held_out_agreement(self.ensemble, method, folds=folds, **self._drawn),
            NO_HELD_OUT,
            method,
        )

    @property
    def held_out(self) -> FloatArray:
        """ARI of each clustering with a consensus of others, (m,); NaN if a fold has no consensus."""
        found, m = self._held_out[0], self.ensemble.n_clusterings
        return np.full(m, np.nan) if found is None else found

    @property
    def no_held_out(self) -> str:
        """Why there is no held-out agreement; empty if there is one."""
        return self._held_out[1] and f"Note: {self._held_out[1]}."

    @computed
    def quality(self) -> FloatArray:
        """Mean ARI of each clustering with the others, (m,)."""
        return diagnostics.quality(self.ensemble)

    @computed
    def influence(self) -> FloatArray:
        """Influence of each clustering, (m,)."""
        return diagnostics.influence(self.ensemble)

    @cached_property
    def criteria(self) -> DataFrame:
        """The criteria at each k, as ``choose_k`` returns them."""
        settings = self.settings
        return diagnostics.choose_k(
            **self._resampled,
            nulls=settings.nulls,
            n_jobs=self.n_jobs,
            watch=lambda steps: self.watch(steps, 1 + settings.nulls, "number of clusters"),
        )

    @computed
    def stages(self) -> Mapping[int, Stage]:
        """What is compared at each k."""
        return diagnostics.resampled(**self._resampled)

    @computed
    def values(self) -> Mapping[int, ConsensusValues]:
        """Consensus values of the resampled clusterings at each k."""
        given = {k: stage.resampled for k, stage in self.stages.items()}
        return {k: diagnostics.consensus_values(found) for k, found in given.items() if found is not None}

    @property
    def labelings(self) -> Mapping[int, IntArray]:
        """Consensus at each k, (n,) each."""
        return {k: stage.labels for k, stage in self.stages.items() if stage.labels is not None}

    @cached_property
    def compared(self) -> Sequence[Measured]:
        """What is measured of each method."""
        settings = self.settings
        return diagnostics.compare_methods(
            self.ensemble,
            settings.others,
            features=self.features,
            draws=settings.draws,
            folds=settings.folds,
            random_state=settings.seed,
            n_jobs=self.n_jobs,
            watch=lambda steps: self.watch(steps, len(settings.others), "methods"),
        )

    @property
    def _resampled(self) -> dict[str, Any]:
        """What is resampled at each k, and how."""
        settings = self.settings
        given: dict[str, Any] = {"ks": settings.ks, "halves": settings.halves, "seed": settings.seed}
        if settings.recipe is None:
            return given | {"labels": self.ensemble}
        return given | {"features": self.features, "recipe": settings.recipe}

    @property
    def _drawn(self) -> dict[str, Any]:
        return {"features": self.features, "random_state": self.settings.seed}
