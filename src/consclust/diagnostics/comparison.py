"""Several methods on one ensemble: agreement with seen and unseen clusterings, stability, seconds."""

# threadpoolctl is imported where needed, so that what does without them starts faster

import time
from collections.abc import Callable, Iterable, Mapping
from math import nan
from typing import Any, NamedTuple

import numpy.typing as npt

from consclust.diagnostics.cautions import describe_single_objects
from consclust.diagnostics.ensembles import agreement_with
from consclust.diagnostics.parallel import run_tasks
from consclust.diagnostics.trust import (
    NO_HELD_OUT,
    NO_STABILITY,
    attempt,
    bootstrap_stability,
    fitted_labels,
    fitted_with_remarks,
    held_out_agreement,
    known_mean,
)
from consclust.ensemble import Ensemble, IntArray, as_ensemble
from consclust.methods.base import ConsensusMethod


class Measured(NamedTuple):
    """What is measured of a method; NaN where it has no answer, with the reason in ``note``, as are its remarks."""

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
        Bootstrap ensembles for the stability, see :func:`~consclust.diagnostics.bootstrap_stability`; 0 for none.
    folds : int
        Parts of the clusterings that are held out in turn, see :func:`~consclust.diagnostics.held_out_agreement`; at
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
        reason in ``note``; so has a fold or draw without one. ``note`` also says whether there are not as many clusters
        as requested, or clusters of a single object, or the iteration did not converge.

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.diagnostics import compare_methods
    >>> from consclust.methods import EAC, MCLA
    >>> labels = np.repeat([[0, 0, 1, 1], [1, 1, 0, 0], [2, 2, 1, 0]], 4, axis=0)
    >>> found = compare_methods(labels, {"EAC": EAC(3), "MCLA": MCLA(3)}, draws=2, folds=2)
    >>> [(one.method, one.clusters, round(one.ari, 2)) for one in found]
    [('EAC', 3, 0.76), ('MCLA', 3, 0.76)]
    """
    ensemble = as_ensemble(labels)
    parts = min(folds, ensemble.n_clusterings)
    tasks = ((name, method, ensemble, features, draws, parts, random_state) for name, method in methods.items())
    return list(watch(run_tasks(_measure, tasks, len(methods), n_jobs)))


def _measure(
    name: str, method: ConsensusMethod, ensemble: Ensemble, features: Any, draws: int, folds: int, seed: int
) -> Measured:
    """Measure one method; a fit without an answer leaves what depends on it unknown, and says so in the note."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        answer, note = attempt(
            lambda: fitted_with_remarks(ensemble.given, method, features, ensemble.missing), "", method
        )
        if answer is None:
            return Measured(name, note=note)
        labels, remarks = answer
        start = time.perf_counter()  # the first fit may import packages and compile loops
        fitted_labels(ensemble.given, method, features, ensemble.missing)
        seconds = time.perf_counter() - start
        ari, nmi = (known_mean(agreement_with(ensemble, labels, measure)) for measure in ("ARI", "NMI"))
        given = {"features": features, "random_state": seed}
        unseen, no_unseen = None, "no held-out ARI of a single clustering"
        if ensemble.n_clusterings > 1:
            unseen, no_unseen = attempt(
                lambda: held_out_agreement(ensemble, method, folds=folds, **given), NO_HELD_OUT, method
            )
        stays = None
        no_stays = ""
        if draws:
            stays, no_stays = attempt(
                lambda: bootstrap_stability(ensemble, method, draws=draws, **given), NO_STABILITY, method
            )
    return Measured(
        method=name,
        clusters=int(labels.max()) + 1,
        ari=ari,
        nmi=nmi,
        held_out_ari=nan if unseen is None else known_mean(unseen),
        stability=nan if stays is None else known_mean(stays.share),
        seconds=seconds,
        note="; ".join(filter(None, (remarks, describe_single_objects(labels), no_unseen, no_stays))),
        labels=labels,
    )
