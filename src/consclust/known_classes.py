"""Known classes of the objects. Scores compare a clustering with them; no fit uses them."""

# pandas is imported where needed, so that what does without it starts faster

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, IntArray
from consclust.plurals import count
from consclust.readers.label_matrix import NO_CLASS
from consclust.scores import score_all

if TYPE_CHECKING:
    from pandas import DataFrame

SCORES = ("ACC", "NMI", "ARI")


@dataclass(frozen=True, eq=False)
class KnownClasses:
    """The class of each of n objects, unknown for some of them."""

    names: npt.NDArray[np.str_]
    """Shape (n,), "" where the class is unknown."""
    source: str
    """Where they stand, for messages, such as "column 'type'"."""

    @classmethod
    def make(cls, names: Sequence[str], source: str) -> Self:
        """Return the classes of names, of which NA and NaN stand for an unknown class."""
        given = np.array(names, dtype=str)
        return cls(np.where(np.isin(given, NO_CLASS), "", given), source)

    def keep(self, objects: IntArray) -> Self:
        """Return the classes of some of the objects, by their numbers."""
        return replace(self, names=self.names[objects])

    @property
    def is_known(self) -> npt.NDArray[np.bool_]:
        """Whether the class of each object is known, shape (n,)."""
        known: npt.NDArray[np.bool_] = self.names != ""
        return known

    def describe(self) -> str:
        """Say where the classes stand, how many there are, and of how many objects they are known."""
        known = self.names[self.is_known]
        n_classes = len(np.unique(known))
        classes = "1 class" if n_classes == 1 else f"{n_classes} classes"
        return f"{self.source}: {classes} of {count(len(known), 'object')}"

    def score(self, labels: IntArray | None) -> dict[str, float]:
        """Return ACC, NMI (divided by the larger entropy) and ARI of a clustering, labels of shape (n,).

        Objects without a class or without a label (-1) are left out. NaN if there is no other object, or no clustering.
        """
        if labels is None:
            return dict.fromkeys(SCORES, float("nan"))
        compared = self.is_known & (labels != MISSING)
        if not compared.any():
            return dict.fromkeys(SCORES, float("nan"))
        return score_all(self.names[compared], labels[compared], SCORES)

    def score_mean(self, labels: IntArray) -> dict[str, float]:
        """Return the mean scores of the clusterings of a label matrix, shape (n, m); NaN as above does not count."""
        scores = [self.score(column) for column in labels.T]
        means = {}
        for name in SCORES:
            values = np.array([each[name] for each in scores])
            known = values[~np.isnan(values)]
            means[name] = float(known.mean()) if known.size else float("nan")
        return means

    def cross(self, labels: IntArray) -> "DataFrame":
        """Return the number of objects of each class (rows) in each cluster (columns), for the objects with both."""
        import pandas as pd

        compared = self.is_known & (labels != MISSING)
        table: Any = pd.crosstab(
            pd.Series(self.names[compared], name="class"), pd.Series(labels[compared], name="cluster")
        )
        return table
