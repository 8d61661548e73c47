"""What a user should know of a consensus: clusters of one object, and a cheap method that agrees more."""

from collections.abc import Sequence

import numpy as np

from consclust.diagnostics.ensembles import agreement_with
from consclust.diagnostics.trust import attempt, fitted_labels, known_mean
from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray
from consclust.methods.base import ConsensusMethod
from consclust.plurals import count

CLEAR = 0.05
"""Difference of two mean ARI that is clear, if most base clusterings show it."""
MOST = 0.75
"""Share of the base clusterings that are most of them."""


def describe_single_objects(labels: IntArray) -> str:
    """Say how many clusters of a consensus, (n,), have a single object; empty if none has."""
    sizes = np.bincount(labels[labels != MISSING])
    single = int((sizes == 1).sum())
    return f"{count(single, 'cluster')} of a single object" if single else ""


def find_closer_method(
    ensemble: Ensemble, agreement: FloatArray, method: ConsensusMethod, others: Sequence[ConsensusMethod]
) -> str:
    """Say which of some methods agrees clearly more with the base clusterings than the consensus; empty if none does.

    Parameters
    ----------
    ensemble : Ensemble
    agreement : ndarray, shape (m,)
        ARI of each base clustering with the consensus of ``method``.
    method : ConsensusMethod
        What found the consensus.
    others : sequence of ConsensusMethod
        Copies of them are fitted. One counts if its mean ARI is larger by at least .05, and three of four base
        clusterings agree more with it. That is no proof that it is nearer to the true classes.

    Returns
    -------
    str
        A sentence without its full stop.
    """
    best = ""
    most = known_mean(agreement) + CLEAR
    for other in others:
        labels, _ = attempt(
            lambda other=other: fitted_labels(ensemble.given, other, None, ensemble.missing),  # type: ignore[misc]
            "",
            other,
        )
        if labels is None:
            continue
        found = agreement_with(ensemble, labels)
        if known_mean(found) >= most and np.mean(found > agreement) >= MOST:
            most = known_mean(found)
            name = type(method).__name__
            best = (
                f"{type(other).__name__} agrees clearly more with the base clusterings (mean ARI {most:.3f}, {name} "
                f"{known_mean(agreement):.3f}); look at its clusters too"
            )
    return best
