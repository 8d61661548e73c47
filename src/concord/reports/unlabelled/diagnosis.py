"""What is computed of base clusterings without classes and their consensus; what the report shows is made of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from concord import diagnostics
from concord.diagnostics import ConsensusValues, Measured, Stability
from concord.ensemble import Ensemble, FloatArray, IntArray
from concord.findings.names import DataFrame
from concord.methods.base import ConsensusMethod

Watch = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Progress bar of an iterable, the number of its items, and what they are."""


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

    @property
    def name(self) -> str:
        """Name of the method."""
        return type(self.method).__name__


@dataclass(frozen=True)
class Diagnosis:
    """An ensemble of n objects in m clusterings, its consensus of K clusters, and what the diagnostics say of both."""

    settings: Settings
    ensemble: Ensemble
    ids: npt.NDArray[Any]  # Of the objects, (n,)
    names: Sequence[str]  # Of the clusterings
    stays: Stability  # Has the consensus
    note: str  # Of the method
    items: FloatArray  # Item consensus, (n, K)
    silhouette: FloatArray  # (n,); NaN for one cluster
    contested: FloatArray  # (n,)
    agreement: FloatArray  # Of each clustering with the consensus, ARI, (m,)
    held_out: FloatArray  # With a consensus of others, (m,)
    quality: FloatArray  # With the others, (m,)
    influence: FloatArray  # (m,)
    criteria: DataFrame  # As choose_k returns it
    values: Mapping[int, ConsensusValues]  # Of the resampled clusterings at each k
    labelings: Mapping[int, IntArray]  # Consensus at each k, (n,) each
    compared: Sequence[Measured]

    @property
    def labels(self) -> IntArray:
        """The consensus, (n,)."""
        return self.stays.labels


def diagnose(
    ensemble: Ensemble,
    ids: npt.NDArray[Any],
    names: Sequence[str],
    settings: Settings,
    features: Any = None,
    *,
    n_jobs: int = 1,
    watch: Watch = lambda steps, number, what: steps,
) -> Diagnosis:
    """Compute everything; the result does not depend on ``n_jobs``, except for the seconds of the methods.

    ``ids`` are of the n objects, ``names`` of the m clusterings. The numbers of clusters are compared by average
    linkage, whatever the method. Raises ConsensusFailure if the method has no answer, ValueError for fewer than two
    clusterings or candidates outside 2..n.
    """
    from threadpoolctl import threadpool_limits

    method, seed = settings.method, settings.seed
    criteria = diagnostics.choose_k(
        ensemble,
        settings.ks,
        halves=settings.halves,
        nulls=settings.nulls,
        seed=seed,
        n_jobs=n_jobs,
        watch=lambda steps: watch(steps, 1 + settings.nulls, "number of clusters"),
    )
    compared = diagnostics.compare_methods(
        ensemble,
        settings.others,
        features=features,
        draws=settings.draws,
        folds=settings.folds,
        random_state=seed,
        n_jobs=n_jobs,
        watch=lambda steps: watch(steps, len(settings.others), "methods"),
    )
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        method.fit(ensemble, features)
        draws, folds = settings.draws, min(settings.folds, ensemble.n_clusterings)
        again: dict[str, Any] = {"features": features, "random_state": seed}
        stays = diagnostics.bootstrap_stability(ensemble, method, draws=draws, **again)
        items = diagnostics.item_consensus(ensemble, stays.labels)
        silhouette = np.full(len(items), np.nan)
        if items.shape[1] > 1:
            silhouette = diagnostics.consensus_silhouette(items, stays.labels)
        stages = diagnostics.resampled(ensemble, settings.ks, halves=settings.halves, seed=seed)
        values = {k: stage.resampled for k, stage in stages.items() if stage.resampled is not None}
        return Diagnosis(
            settings=settings,
            ensemble=ensemble,
            ids=ids,
            names=names,
            stays=stays,
            note=method.note_,
            items=items,
            silhouette=silhouette,
            contested=diagnostics.contested(ensemble),
            agreement=diagnostics.agreement_with(ensemble, stays.labels),
            held_out=diagnostics.held_out_agreement(ensemble, method, folds=folds, **again),
            quality=diagnostics.quality(ensemble),
            influence=diagnostics.influence(ensemble),
            criteria=criteria,
            values={k: diagnostics.consensus_values(clusterings) for k, clusterings in values.items()},
            labelings={k: stage.labels for k, stage in stages.items() if stage.labels is not None},
            compared=compared,
        )
