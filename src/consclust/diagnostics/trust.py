"""How far a consensus can be trusted: agreement with clusterings it has not seen, and memberships under a bootstrap.

n is the number of objects, m that of clusterings. The method is a :class:`~consclust.methods.base.ConsensusMethod`, of
which a copy is fitted each time: its cost counts. Methods that need the objects' features are given ``features``.
"""

# SciPy is imported where needed, so that what does without it starts faster

import warnings
from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.ensembles import Agreement, Normalization, agreement_with
from consclust.diagnostics.pairs import require_at_least
from consclust.ensemble import MISSING, Ensemble, FloatArray, IntArray, Unseen, as_ensemble
from consclust.errors import ConsensusFailure, MemoryNeeded, MissingLabelsWarning
from consclust.methods.base import ConsensusMethod

T = TypeVar("T")
NO_HELD_OUT = "no held-out ARI, since a fold has no consensus"
NO_STABILITY = "no stability, since a bootstrap ensemble has no consensus"


def held_out_agreement(
    labels: npt.ArrayLike | Ensemble,
    method: ConsensusMethod,
    *,
    folds: int = 5,
    measure: Agreement = "ARI",
    normalization: Normalization = "max",
    features: Any = None,
    random_state: Any = 0,
) -> FloatArray:
    """Return the agreement of each clustering with a consensus that was found without it, shape (m,).

    The clusterings are divided at random into ``folds`` parts of nearly equal size; the consensus of the others is
    compared with those of a part (see :func:`~consclust.diagnostics.pairwise_agreement`). ``folds`` of m
    leaves one out at a time. An object that the others do not contain is left out of the comparison.

    Takes ``folds`` fits of the method and O(n m) time. Raises ValueError for fewer than two folds or more than m, and
    ConsensusFailure as the method does.

    Source: cross-validation of a clustering as in Tibshirani, Walther: JCGS 14, 2005, here over clusterings.

    Examples
    --------
    >>> from consclust.diagnostics import held_out_agreement
    >>> from consclust.methods import EAC
    >>> from consclust.testing import l30  # 8 clusterings of 3 classes of 10 objects; the second is noise
    >>> held_out_agreement(l30(), EAC(n_clusters=3), folds=4).round(1)
    array([ 0.7, -0.1,  0.3,  0.5,  0.3,  0.4,  0.3,  0.3])
    """
    ensemble = as_ensemble(labels)
    m = ensemble.n_clusterings
    if not 2 <= folds <= m:
        raise ValueError(f"folds = {folds}: must be from 2 to the number of clusterings, {m}")
    given = ensemble.given
    order = np.random.default_rng(random_state).permutation(m)
    result = np.empty(m)
    for part in np.array_split(order, folds):
        found = fitted_labels(np.delete(given, part, axis=1), method, features, ensemble.missing)
        result[part] = agreement_with(given[:, part], found, measure, normalization)
    return result


class Stability(NamedTuple):
    """How often an object stays in its cluster, each of shape (n,)."""

    labels: IntArray  # Consensus of all clusterings
    share: FloatArray  # Of the consensus clusterings of the resampled ensembles
    low: FloatArray  # Ends of the interval
    high: FloatArray


def bootstrap_stability(
    labels: npt.ArrayLike | Ensemble,
    method: ConsensusMethod,
    *,
    draws: int = 100,
    confidence: float = 0.95,
    features: Any = None,
    random_state: Any = 0,
    reference: IntArray | None = None,
) -> Stability:
    """Return how stable the membership of each object is if other clusterings had been drawn.

    The consensus of ``draws`` bootstrap ensembles, each of m clusterings drawn with replacement, is matched with that
    of all clusterings one cluster to one, by the most common objects (Hungarian method). An object's share counts the
    draws that leave it in its cluster, of those that contain it; its interval is Wilson's (1927) for the share of all
    possible draws, at that confidence for each object on its own. NaN for an object that no draw contains.

    ``reference``, shape (n,), takes the place of the consensus of all clusterings: of a sample of the objects it is the
    consensus of all objects.

    Takes ``draws`` + 1 fits of the method and O(n m) time for each. Missing labels are supported. Raises ValueError
    for fewer than one draw or a confidence outside (0, 1), and ConsensusFailure as the method does.

    Source: Efron, Tibshirani: An Introduction to the Bootstrap, 1993; clusterings as the sample in Dudoit, Fridlyand:
    Bioinformatics 19, 2003.

    Examples
    --------
    >>> from consclust.diagnostics import bootstrap_stability
    >>> from consclust.methods import EAC
    >>> from consclust.testing import l30  # 8 clusterings of 3 classes of 10 objects; the second is noise
    >>> stability = bootstrap_stability(l30(), EAC(n_clusters=3), draws=10)
    >>> stability.share[:5]
    array([1. , 1. , 1. , 0.4, 1. ])
    """
    from scipy.special import ndtri

    require_at_least(1, "draws", draws)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence = {confidence}: must be in (0, 1)")
    ensemble = as_ensemble(labels)
    rng = np.random.default_rng(random_state)
    m = ensemble.n_clusterings
    given = ensemble.given
    if reference is None:
        reference = fitted_labels(given, method, features, ensemble.missing)
    stays, counted = np.zeros((2, ensemble.n_objects))
    for _ in range(draws):
        found = fitted_labels(given[:, rng.integers(m, size=m)], method, features, ensemble.missing)
        stays += matched(found, reference) == reference
        counted += found != MISSING
    with np.errstate(invalid="ignore", divide="ignore"):  # an object that no draw contains
        z = ndtri((1 + confidence) / 2)
        centre = stays + z**2 / 2
        size = counted + z**2
        half = z * np.sqrt(stays * (counted - stays) / counted + z**2 / 4)
        share = stays / counted
        # rounding may put an end beyond the share, and so beyond 0 or 1
        low = np.minimum((centre - half) / size, share)
        high = np.maximum((centre + half) / size, share)
        return Stability(reference, share, np.maximum(low, 0.0), np.minimum(high, 1.0))


def fitted_labels(given: IntArray, method: ConsensusMethod, features: Any, missing: Unseen) -> IntArray:
    """Return the labels that a copy of a method finds, (n,); -1 for an object without any label.

    Missing labels of the label matrix ``given``, (n, m), count as ``missing`` says.
    """
    return fitted_with_remarks(given, method, features, missing)[0]


def fitted_with_remarks(
    given: IntArray, method: ConsensusMethod, features: Any, missing: Unseen
) -> tuple[IntArray, str]:
    """Return the labels that a copy of a method finds, and its :func:`remarks`."""
    # a method takes no object without any label; leaving clusterings out can leave some
    known = (given != MISSING).any(axis=1)
    labels = np.full(len(given), MISSING, dtype=np.int64)
    some = None if features is None else _take_rows(features, known)
    with warnings.catch_warnings():
        # what is missing from the ensemble is said once by who asks; here it differs from draw to draw
        warnings.simplefilter("ignore", MissingLabelsWarning)
        fitted = copy(method).fit(Ensemble(given[known], missing), some)
    labels[known] = fitted.labels_
    return labels, remarks(fitted)


def remarks(fitted: ConsensusMethod) -> str:
    """Return what must be said of the answer of a method; empty if nothing.

    That a fixed number of iterations was made is nothing to say: with ``tol=None`` there is no rule by which to stop.
    """
    has_rule = fitted.get_params().get("tol", 0.0) is not None
    stopped = "the iteration stopped before it converged" if has_rule and not fitted.converged_ else ""
    return "; ".join(filter(None, (fitted.note_, stopped)))


def attempt(measure: Callable[[], T], what: str, method: ConsensusMethod) -> tuple[T | None, str]:
    """Return what is measured, or None and a note why a fit of the method has no answer; ``what`` is lacking then."""
    try:
        return measure(), ""
    except (ConsensusFailure, MemoryNeeded) as failure:
        reason = str(failure).removeprefix(f"{type(method).__name__}: ")
        return None, f"{what}: {reason}" if what else reason


def known_mean(values: FloatArray) -> float:
    """Return the mean without NaN; NaN if there is nothing else."""
    return float("nan") if np.isnan(values).all() else float(np.nanmean(values))


def _take_rows(features: Any, known: npt.NDArray[np.bool_]) -> Any:
    """Return the features of some objects; all of them are given, as an array-like or a sparse matrix."""
    matrix = features if hasattr(features, "toarray") else np.asarray(features)
    if matrix.shape[:1] != known.shape:
        raise ValueError(f"features must have a row for each of {len(known)} objects, got shape {matrix.shape}")
    return matrix[known]


def matched(labels: IntArray, reference: IntArray) -> IntArray:
    """Return labels, (n,), under the names of the matched clusters of the reference; -2 for a cluster without one."""
    from scipy.optimize import linear_sum_assignment

    both = (labels != MISSING) & (reference != MISSING)
    shared = np.zeros((labels.max() + 1, reference.max() + 1))
    np.add.at(shared, (labels[both], reference[both]), 1)
    names = np.full(len(shared) + 1, -2)
    rows, partners = linear_sum_assignment(shared, maximize=True)
    names[rows] = partners
    names[MISSING] = MISSING  # the last entry, which the label -1 takes
    return names[labels]
