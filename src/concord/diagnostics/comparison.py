"""Several methods on one ensemble: agreement with seen and unseen clusterings, stability, seconds."""

import time
from collections.abc import Callable, Iterable, Mapping
from math import nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concord.diagnostics.consensus import bootstrap_stability, fitted_labels, held_out_agreement
from concord.diagnostics.ensembles import agreement_with
from concord.ensemble import Ensemble, IntArray, as_ensemble
from concord.errors import ConsensusFailure, MemoryNeeded
from concord.methods.base import ConsensusMethod


class Measured(NamedTuple):
    """What is measured of a method; NaN where it has no answer, with the reason in ``note``."""

    method: str
    clusters: float = nan
    ari: float = nan  # Mean over the clusterings
    nmi: float = nan  # The same
    held_out_ari: float = nan  # Mean over the clusterings, each compared with a consensus of others
    stability: float = nan  # Mean share of the bootstrap ensembles that leave an object in its cluster
    seconds: float = nan  # Of one fit
    note: str = ""
    labels: IntArray | None = None  # Shape (n,)


def compare_methods(
    labels: npt.ArrayLike | Ensemble,
    methods: Mapping[str, ConsensusMethod],
    *,
    features: Any = None,
    draws: int = 20,
    folds: int = 5,
    random_state: int = 0,
    n_jobs: int = 1,
    watch: Callable[[Iterable[Measured]], Iterable[Measured]] = iter,
) -> list[Measured]:
    """Compare methods on an ensemble without classes. High agreement does not mean that clusters are the true classes.

    Parameters
    ----------
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.
    methods : mapping from names to ConsensusMethod
        Copies of them are fitted.
    features : array-like, shape (n, d), optional
        For methods that need them.
    draws : int
        Bootstrap ensembles for the stability, see :func:`~concord.diagnostics.bootstrap_stability`; 0 for none.
    folds : int
        Parts of the clusterings that are held out in turn, see :func:`~concord.diagnostics.held_out_agreement`; at
        most m.
    random_state : int
        Seed of the folds and draws.
    n_jobs : int
        Processes, which share the methods. No result depends on it but the seconds, since they compete for processors.
    watch : callable
        Progress bar, such as tqdm: it is given an iterable of the results and yields them.

    Returns
    -------
    list of named tuples
        In the order of the methods; takes 3 + folds + draws fits of each. A method without an answer has NaN, and the
        reason in ``note``.

    Examples
    --------
    >>> import numpy as np
    >>> from concord.diagnostics import compare_methods
    >>> from concord.methods import EAC, MCLA
    >>> labels = np.repeat([[0, 0, 1, 1], [1, 1, 0, 0], [2, 2, 1, 0]], 4, axis=0)
    >>> found = compare_methods(labels, {"EAC": EAC(3), "MCLA": MCLA(3)}, draws=2, folds=2)
    >>> [(one.method, one.clusters, round(one.ari, 2)) for one in found]
    [('EAC', 3, 0.76), ('MCLA', 3, 0.76)]
    """
    from joblib import Parallel, delayed

    ensemble = as_ensemble(labels)
    tasks = (
        delayed(_measured)(name, method, ensemble, features, draws, min(folds, ensemble.n_clusterings), random_state)
        for name, method in methods.items()
    )
    return list(watch(Parallel(n_jobs, return_as="generator")(tasks)))


def _measured(
    name: str, method: ConsensusMethod, ensemble: Ensemble, features: Any, draws: int, folds: int, seed: int
) -> Measured:
    from threadpoolctl import threadpool_limits

    found = Measured(name)
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        try:
            labels = fitted_labels(ensemble.given, method, features)
            start = time.perf_counter()  # the first fit may import packages and compile loops
            fitted_labels(ensemble.given, method, features)
            found = found._replace(labels=labels, seconds=time.perf_counter() - start, clusters=int(labels.max()) + 1)
            ari, nmi = (_mean(agreement_with(ensemble, labels, measure)) for measure in ("ARI", "NMI"))
            found = found._replace(ari=ari, nmi=nmi)
            unseen = held_out_agreement(ensemble, method, folds=folds, features=features, random_state=seed)
            found = found._replace(held_out_ari=_mean(unseen))
            if draws:
                stays = bootstrap_stability(ensemble, method, draws=draws, features=features, random_state=seed)
                found = found._replace(stability=_mean(stays.share))
        except (ConsensusFailure, MemoryNeeded) as failure:
            found = found._replace(note=str(failure))
    return found


def _mean(values: npt.NDArray[np.float64]) -> float:
    return nan if np.isnan(values).all() else float(np.nanmean(values))
