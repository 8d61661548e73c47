"""What the base clusterings of an ensemble have seen: pairs of objects, groups of objects, and objects with few labels.

Without missing labels every clustering has seen every pair of objects.
"""

# SciPy is imported where needed, so that what does without it starts faster

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, IntArray
from consclust.errors import MissingLabelsWarning
from consclust.numerics.numbering import renumber
from consclust.plurals import count

MOST_PATTERNS = 4000  # Sets of clusterings that objects have labels in; of more, pairs are drawn
SAMPLE = 10**6  # Pairs that are drawn
FEW = 10  # An object has few labels with a tenth of the clusterings or less, or with one
NAMED = 5  # Objects that a sentence names
WORTH_SAYING = 0.01  # Share of unseen pairs from which it is said


class Seen(NamedTuple):
    """What the clusterings of an ensemble have seen."""

    unseen: float
    """Share of the pairs of different objects that no clustering contains."""
    is_exact: bool
    """Whether all pairs are counted, and not a sample."""
    parts: IntArray
    """Part of each object, (n,), from 0 in the order of the objects: objects of two parts share no clustering, not even
    by way of others."""
    few: IntArray
    """Objects with few labels: one, or a tenth of the clusterings or less."""
    n_labels: IntArray
    """Labels of each object, (n,)."""


def describe_seen(ensemble: Ensemble) -> Seen:
    """Return what the clusterings of an ensemble have seen; the share of pairs from a sample for over 4,000 patterns.

    Examples
    --------
    >>> from consclust import Ensemble
    >>> from consclust.seen import describe_seen
    >>> seen = describe_seen(Ensemble([[0, -1], [0, -1], [-1, 0], [-1, 1]]))
    >>> round(seen.unseen, 2), seen.parts
    (0.67, array([0, 0, 1, 1]))
    """
    present = ensemble.profiles != MISSING
    patterns, of_profile = np.unique(present, axis=0, return_inverse=True)
    sizes = np.bincount(of_profile.ravel(), ensemble.weights).astype(np.int64)
    n_labels = present.sum(axis=1)[ensemble.membership]
    is_few = n_labels <= max(1, ensemble.n_clusterings // FEW)
    few = np.flatnonzero(is_few) if ensemble.n_clusterings > 2 else np.zeros(0, dtype=np.int64)
    is_exact = len(patterns) <= MOST_PATTERNS
    unseen = _share_unseen(patterns, sizes) if is_exact else _estimate_unseen(patterns, sizes)
    parts = renumber(_find_parts(present)[ensemble.membership])
    return Seen(unseen, is_exact, parts, few, n_labels)


def _share_unseen(patterns: npt.NDArray[np.bool_], sizes: IntArray) -> float:
    """Return the share of the pairs of different objects without a common clustering; 0 for one object."""
    shares = patterns.astype(float)
    seen = (shares @ shares.T) > 0
    n = int(sizes.sum())
    # an object is no pair with itself; every object has a label, so that a pattern has seen its own pairs
    return float(1 - (sizes @ seen @ sizes - n) / (n * (n - 1))) if n > 1 else 0.0


def _estimate_unseen(patterns: npt.NDArray[np.bool_], sizes: IntArray) -> float:
    rng = np.random.default_rng(0)
    pattern_of = np.repeat(np.arange(len(sizes)), sizes)
    first, second = rng.integers(len(pattern_of), size=(2, SAMPLE))
    both = first != second
    seen = (patterns[pattern_of[first[both]]] & patterns[pattern_of[second[both]]]).any(axis=1)
    return float(1 - seen.mean())


def _find_parts(present: npt.NDArray[np.bool_]) -> IntArray:
    """Return the part of each row: rows are linked by the columns that both have."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    links = csr_array(present.astype(np.int64))
    _, part_of_column = connected_components(links.T @ links, directed=False)
    return np.asarray(part_of_column[present.argmax(axis=1)], dtype=np.int64)


def say_what_is_unseen(seen: Seen, ids: Sequence[Any] | npt.NDArray[Any] | None = None) -> list[str]:
    """Return a sentence for each thing that a reader of a consensus should know; none if all pairs were seen.

    ``ids`` names the objects, (n,); default: their numbers from 1.
    """
    named = np.arange(1, len(seen.n_labels) + 1) if ids is None else np.asarray(ids)
    sentences = []
    n_parts = int(seen.parts.max()) + 1
    if seen.unseen >= WORTH_SAYING or n_parts > 1:
        share = f"{'' if seen.is_exact else 'about '}{seen.unseen:.0%} of the pairs of objects share no clustering"
        sentences.append(f"{share}; of these the answer rests on what other objects say, or on nothing")
    if n_parts > 1:
        parts = [named[seen.parts == part] for part in np.unique(seen.parts)]
        lists = "; ".join(f"{count(len(part), 'object')}, {_list_objects(part)}" for part in parts[:NAMED])
        more = f"; and {len(parts) - NAMED} more" if len(parts) > NAMED else ""
        what = f"the objects fall into {len(parts)} parts that share no clustering ({lists}{more})"
        sentences.append(f"{what}: clusters of two parts cannot be compared; cluster each part by itself")
    if len(seen.few) > 0:
        most = int(seen.n_labels[seen.few].max())
        what = f"{count(len(seen.few), 'object')} with {count(most, 'label')} at most: {_list_objects(named[seen.few])}"
        sentences.append(f"{what}; their clusters are uncertain, leave them out or give them more labels")
    return sentences


def _list_objects(names: npt.NDArray[Any]) -> str:
    """Write the first names, or the range of numbers that follow each other."""
    if names.dtype.kind in "iu" and len(names) > NAMED and np.array_equal(names, np.arange(names[0], names[-1] + 1)):
        return f"{names[0]} to {names[-1]}"
    listed = ", ".join(map(str, names[:NAMED]))
    return f"{listed}, ..." if len(names) > NAMED else listed


def warn_of_unseen(ensemble: Ensemble, method: str) -> None:
    """Give a MissingLabelsWarning of what the clusterings have not seen, if anything."""
    sentences = say_what_is_unseen(describe_seen(ensemble))
    if sentences:
        warnings.warn(f"{method}: {'. '.join(sentences)}", MissingLabelsWarning, stacklevel=3)
