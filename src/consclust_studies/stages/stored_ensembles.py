"""Files of base clusterings: written for every case, read by consensus and scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from consclust.ensemble import IntArray
from consclust.files import read_arrays, write_arrays
from consclust_studies.specs import check_made_for
from consclust_studies.stages.spoiled_subsets import WithSpoiled


@dataclass(frozen=True)
class StoredEnsemble:
    """Base clusterings of a case with the true classes."""

    labels: IntArray
    """Shape (n objects, runs)."""
    classes: IntArray
    """True classes 0..k-1, shape (n,)."""
    members: IntArray
    """The runs of each subset, shape (subsets, subset size)."""

    @property
    def n_classes(self) -> int:
        """Number of true classes: the number of clusters that every method looks for."""
        return int(self.classes.max()) + 1

    def subset(self, index: int) -> IntArray:
        """Return the base clusterings of subset ``index``."""
        return self.labels[:, self.members[index]]


def split(runs: int, size: int) -> IntArray:
    """Return the members of subsets of ``size`` runs each, in order."""
    return np.arange(runs).reshape(-1, size)


def drawn(runs: int, size: int, draws: int, seed: int) -> IntArray:
    """Return the members of ``draws`` subsets as MATLAB draws them: the first of ``randperm(runs)``.

    That is the order of as many uniform numbers; after ``rng(seed)`` these are NumPy's ``RandomState(seed)``.
    """
    random = np.random.RandomState(seed)
    return np.array([np.argsort(random.rand(runs))[:size] for _ in range(draws)])


def save(
    path: Path, labels: npt.ArrayLike, classes: npt.ArrayLike, members: npt.ArrayLike, marks: Mapping[str, str]
) -> None:
    """Write an ensemble with spec and stamp, the ``marks``; the same content gives the same bytes."""
    write_arrays(path, labels=np.asarray(labels, dtype=np.int32), classes=classes, members=members, **marks)


def save_spoiled(path: Path, spoiled: WithSpoiled, classes: npt.ArrayLike, marks: Mapping[str, str]) -> None:
    """Write an ensemble with spoiled subsets, and which objects are scored on each."""
    labels = spoiled.labels.astype(np.int32)
    write_arrays(path, labels=labels, classes=classes, members=spoiled.members, scored=spoiled.scored, **marks)


def load_scored(path: Path) -> npt.NDArray[np.bool_]:
    """Return whether an object is scored on a subset, shape (subsets, n); InputError if the file does not say it."""
    scored: npt.NDArray[np.bool_] = read_arrays(path, "scored")["scored"].astype(bool)
    return scored


def load(path: Path, planned: str | None = None) -> StoredEnsemble:
    """Read what :func:`save` wrote; InputError for anything else, or if it was not made for the ``planned`` spec."""
    stored = read_arrays(path, "labels", "classes", "members", "spec")
    check_made_for(path, str(stored["spec"]), planned)
    return StoredEnsemble(*(stored[key].astype(np.int64) for key in ("labels", "classes", "members")))
