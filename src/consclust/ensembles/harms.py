"""Harm to an ensemble: base clusterings of which a known share is spoiled, to measure what a method bears.

Everything is drawn from named random streams, so that all methods meet the same spoiled ensemble. What is spoiled at
one share is spoiled in the same way at every larger one.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray, label_matrix
from consclust.seeds import generator

Harm = Literal["random-members", "labels", "coalition", "wrong-k", "outliers", "missing"]
"""A kind of harm, see :func:`spoil`."""
HARMS: tuple[Harm, ...] = get_args(Harm)

MOVED = 0.1
"""Share of the objects that a copy of the wrong partition of a coalition has elsewhere."""

Flags = npt.NDArray[np.bool_]
Stream = Callable[..., np.random.Generator]
"""Return the random numbers that belong to some names."""


class Spoiled(NamedTuple):
    """A spoiled ensemble of n objects in m clusterings, and what was spoiled."""

    labels: IntArray
    """Shape (n, m), -1 for a missing label."""
    members: Flags
    """The base clusterings that were replaced, shape (m,); none where the harm is done to labels or objects."""
    objects: Flags
    """The objects that are outliers and are not to be scored, shape (n,); none for the other harms."""
    cells: Flags
    """The labels that were replaced or removed, whether they happen to be the same or not, shape (n, m)."""


def spoil(labels: npt.ArrayLike, harm: Harm, share: float, seed: int = 0, names: tuple[str | int, ...] = ()) -> Spoiled:
    r"""Spoil a known share of an ensemble.

    Parameters
    ----------
    labels : array-like of int, shape (n, m)
        Base clusterings without missing labels.
    harm : str
        What is spoiled:

        * "random-members": a share of the base clusterings; their labels are permuted over the objects, so that the
          sizes of their clusters stay;
        * "labels": a share of the objects in each base clustering, others in each; they get the label of a random
          object of it, which may be their own;
        * "coalition": a share of the base clusterings; they become copies of one wrong partition, the permuted labels
          of one of them, in each of which a tenth of the objects gets the label of a random object;
        * "wrong-k": a share of the base clusterings; in turn one has half as many clusters (two at least), as random
          ones are merged, and one has twice as many, as each is divided at random. Two clusters are always divided. No
          features are needed;
        * "outliers": a share of the objects; they get the label of a random object in every base clustering;
        * "missing": a share of the labels, which become -1. Each object and each clustering keeps one at least.
    share : float in [0, 1]
        How much is spoiled, rounded to whole clusterings, objects or labels. 0 leaves everything as it is.
    seed : int
        With ``names`` and the harm it names the random streams.
    names : tuple of str or int
        What is spoiled, such as a study, a data set and a repetition.

    Returns
    -------
    Spoiled
        The labels, and which members, objects and labels were spoiled. Those that are spoiled at one share are spoiled
        in the same way at every larger one.

    Raises
    ------
    ValueError
        For a share outside [0, 1], another harm, or labels with missing ones.

    Examples
    --------
    >>> from consclust.ensembles import spoil
    >>> labels = [[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [1, 1, 2, 1]]
    >>> spoil(labels, "random-members", 0.5).members
    array([False,  True,  True, False])
    """
    given = label_matrix(labels).astype(np.int64)
    if harm not in HARMS:
        raise ValueError(f"harm = {harm!r}: choose from {', '.join(HARMS)}")
    if not 0 <= share <= 1:
        raise ValueError(f"share = {share}: must be in [0, 1]")
    if (given == MISSING).any():
        raise ValueError("labels has missing ones (-1); a harm needs base clusterings of all objects")

    def stream(*more: str | int) -> np.random.Generator:
        return generator(seed, *names, "harm", harm, *more)

    n, m = given.shape
    spoiled = given.copy()
    members = np.zeros(m, dtype=bool)
    objects = np.zeros(n, dtype=bool)
    cells = np.zeros((n, m), dtype=bool)
    if harm in OF_MEMBERS:
        order = stream("order").permutation(m)
        chosen = order[: round(share * m)]
        for place, member in enumerate(chosen):
            spoiled[:, member] = OF_MEMBERS[harm](given, order, place, stream)
        members[chosen] = True
        cells[:, chosen] = True
    elif harm == "missing":
        cells = _draw_missing(n, m, share, stream)
        spoiled[cells] = MISSING
    else:
        cells = _draw_objects(n, m, share, harm == "outliers", stream)
        for member in range(m):
            drawn = given[stream("labels", member).integers(n, size=n), member]
            spoiled[cells[:, member], member] = drawn[cells[:, member]]
        if harm == "outliers":
            objects = cells[:, 0].copy()
    return Spoiled(spoiled, members, objects, cells)


def _permute(labels: IntArray, order: IntArray, place: int, stream: Stream) -> IntArray:
    """Return the labels of a member, permuted over the objects."""
    member = int(order[place])
    return stream("member", member).permutation(labels[:, member])


def _copy_wrong_partition(labels: IntArray, order: IntArray, place: int, stream: Stream) -> IntArray:
    """Return a copy of the wrong partition of a coalition."""
    wrong = stream("wrong partition").permutation(labels[:, order[0]])
    rng = stream("member", int(order[place]))
    n = len(wrong)
    moved = rng.permutation(n)[: round(MOVED * n)]
    copied = wrong.copy()
    copied[moved] = wrong[rng.integers(n, size=len(moved))]
    return copied


def _change_number(labels: IntArray, order: IntArray, place: int, stream: Stream) -> IntArray:
    """Return the labels of a member with half as many clusters, or with twice as many."""
    member = int(order[place])
    rng = stream("member", member)
    names, codes = np.unique(labels[:, member], return_inverse=True)
    k = len(names)
    # of two clusters there is no smaller number that still divides the objects
    if place % 2 or k <= 2:
        return codes + k * rng.integers(2, size=len(codes))
    # the clusters in random order are dealt out in turn
    merged: IntArray = rng.permutation(k)[codes] % max(k // 2, 2)
    return merged


OF_MEMBERS: dict[str, Callable[[IntArray, IntArray, int, Stream], IntArray]] = {
    "random-members": _permute,
    "coalition": _copy_wrong_partition,
    "wrong-k": _change_number,
}
"""What makes the labels of a spoiled member, (n,): from all labels, the order of the members, its place in it."""


def _draw_objects(n: int, m: int, share: float, same: bool, stream: Stream) -> Flags:
    """Return the objects that are spoiled in each clustering, (n, m); the ``same`` ones in all, or others in each."""
    cells = np.zeros((n, m), dtype=bool)
    for member in range(m):
        order = stream("objects", 0 if same else member).permutation(n)
        cells[order[: round(share * n)], member] = True
    return cells


def _draw_missing(n: int, m: int, share: float, stream: Stream) -> Flags:
    """Return the labels that are removed, (n, m); each row and each column keeps one at least."""
    rank = stream("labels").permutation(n * m).reshape(n, m)
    kept = np.zeros((n, m), dtype=bool)
    # what would go last stays, so that more is removed at a larger share and nothing comes back
    kept[np.arange(n), rank.argmax(axis=1)] = True
    kept[rank.argmax(axis=0), np.arange(m)] = True
    return (rank < round(share * n * m)) & ~kept
