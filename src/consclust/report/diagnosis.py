"""What is computed of base clusterings without classes and their consensus; what the report shows is made of it."""

# threadpoolctl is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from consclust import diagnostics
from consclust.diagnostics import Coalitions, ConsensusValues, Measured, ResampledKMeans, Stability
from consclust.diagnostics.cautions import describe_single_objects, find_closer_method
from consclust.diagnostics.resampling import Stage
from consclust.diagnostics.stability import contain_any, keep_objects
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


class Samples(NamedTuple):
    """Objects, by their numbers, that are drawn for what is repeated; None: all."""

    of_trust: IntArray | None = None  # For the bootstrap and what is held out
    of_k: IntArray | None = None  # To compare numbers of clusters
    of_methods: IntArray | None = None  # To compare methods


ALL_OBJECTS = Samples()


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
    k_method: ConsensusMethod | None = None
    """Method by which numbers of clusters are compared; None: average linkage."""
    samples: Samples = ALL_OBJECTS
    cheap: Sequence[ConsensusMethod] = ()
    """Methods whose agreement with the base clusterings is compared with that of the consensus."""
    choices: Sequence[str] = ()
    """What was chosen because of the size of the data, a sentence without its full stop each."""

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
    numbers of clusters are compared by average linkage or ``settings.k_method``, whatever the method. What is repeated
    is computed on the ``settings.samples`` of the objects. Its attributes raise ConsensusFailure if
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
        return fitted_with_remarks(self.ensemble.given, self.settings.method, self.features, self.ensemble.missing)

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
        some = self._some_to_trust
        reference = self.labels if some is None else self.labels[some]
        return attempt(
            lambda: diagnostics.bootstrap_stability(
                self._keep(some), method, draws=draws, reference=reference, **self._draw_from(some)
            ),
            NO_STABILITY,
            method,
        )

    @property
    def _some_to_trust(self) -> IntArray | None:
        return self.settings.samples.of_trust

    @property
    def stays(self) -> Stability:
        """Consensus, and how often each object stays in its cluster.

        NaN if a draw has no consensus, and for objects that were not drawn.
        """
        shares, low, high = np.full((3, len(self.labels)), np.nan)
        found = self._stays[0]
        if found is not None:
            some = slice(None) if self._some_to_trust is None else self._some_to_trust
            shares[some] = found.share
            low[some] = found.low
            high[some] = found.high
        return Stability(self.labels, shares, low, high)

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
        method, some = self.settings.method, self._some_to_trust
        ensemble = self._keep(some)
        folds = min(self.settings.folds, ensemble.n_clusterings)
        return attempt(
            lambda: diagnostics.held_out_agreement(ensemble, method, folds=folds, **self._draw_from(some)),
            NO_HELD_OUT,
            method,
        )

    @property
    def held_out(self) -> FloatArray:
        """ARI of each clustering with a consensus of others, (m,).

        NaN if a fold has no consensus, and for clusterings that contain none of the objects that it is measured on.
        """
        values = np.full(self.ensemble.n_clusterings, np.nan)
        found, some = self._held_out[0], self._some_to_trust
        if found is not None:
            values[slice(None) if some is None else contain_any(self.ensemble, some)] = found
        return values

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

    @computed
    def coalitions(self) -> Coalitions:
        """Groups of the clusterings that agree within and not between."""
        return diagnostics.coalitions(self.ensemble)

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
        some = settings.samples.of_methods
        return diagnostics.compare_methods(
            self._keep(some),
            settings.others,
            features=self._keep_features(some),
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
        given["method"] = settings.k_method
        some = settings.samples.of_k
        if settings.recipe is None:
            return given | {"labels": self._keep(some)}
        return given | {"features": self._keep_features(some), "recipe": settings.recipe}

    def _keep(self, some: IntArray | None) -> Ensemble:
        """Return the ensemble of some of the objects."""
        return self.ensemble if some is None else keep_objects(self.ensemble, some)

    def _keep_features(self, some: IntArray | None) -> Any:
        """Return the features of some of the objects."""
        return self.features if self.features is None or some is None else self.features[some]

    def _draw_from(self, some: IntArray | None) -> dict[str, Any]:
        """Return what a random diagnosis of some of the objects is given."""
        return {"features": self._keep_features(some), "random_state": self.settings.seed}

    def name_objects(self, some: IntArray | None) -> npt.NDArray[Any]:
        """Return the ids of some of the objects."""
        return self.ids if some is None else self.ids[some]

    @computed
    def cautions(self) -> list[str]:
        """What a user should know of the consensus, a sentence without its full stop each."""
        method = self.settings.method
        closer = find_closer_method(self.ensemble, self.agreement, method, self.settings.cheap)
        return [each for each in (self.note, describe_single_objects(self.labels), closer) if each]
