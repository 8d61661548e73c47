"""Files of base clusterings: written for every case, read by consensus and scores."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from concord.ensemble import IntArray
from concord.files import read_arrays, write_arrays


@dataclass(frozen=True)
class StoredEnsemble:
    """Base clusterings of a case with the true classes."""

    labels: IntArray
    """Shape (n objects, runs)."""
    classes: IntArray
    """True classes 0..k-1, shape (n,)."""

    @property
    def n_classes(self) -> int:
        """Number of true classes: the number of clusters that every method is asked for."""
        return int(self.classes.max()) + 1

    def subset(self, index: int, size: int) -> IntArray:
        """Return the base clusterings of subset ``index``: ``size`` runs in order."""
        return self.labels[:, index * size : (index + 1) * size]


def save(path: Path, labels: npt.ArrayLike, classes: npt.ArrayLike) -> None:
    """Write an ensemble; the same content gives the same bytes."""
    write_arrays(path, labels=np.asarray(labels, dtype=np.int32), classes=classes)


def load(path: Path) -> StoredEnsemble:
    """Read what :func:`save` wrote; InputError for anything else."""
    stored = read_arrays(path, "labels", "classes")
    return StoredEnsemble(stored["labels"].astype(np.int64), stored["classes"].astype(np.int64))
