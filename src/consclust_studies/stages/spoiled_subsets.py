"""Spoiled subsets of base clusterings, beside the clean ones of a case."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import IntArray
from consclust.ensembles.harms import spoil
from consclust_studies.config.harms import Harms

Flags = npt.NDArray[np.bool_]


class WithSpoiled(NamedTuple):
    """Base clusterings of n objects with those of the spoiled subsets behind them."""

    labels: IntArray
    """Shape (n, runs and spoiled base clusterings)."""
    members: IntArray
    """Columns of each subset, shape (subsets, subset size), in the order of :class:`Harms`."""
    scored: Flags
    """Whether an object is scored on a subset, shape (subsets, n); outliers are not."""


def add_spoiled_subsets(
    labels: IntArray, members: IntArray, harms: Harms, seed: int, names: tuple[str, ...]
) -> WithSpoiled:
    """Return the clean subsets, each with its spoiled ones behind it.

    ``labels`` have shape (n, runs), ``members`` shape (clean subsets, subset size). The random streams are named after
    the seed, the ``names`` (study and case), the repetition and the harm, so that all methods meet the same subsets.
    """
    n, n_columns = labels.shape
    size = members.shape[1]
    columns = [labels]
    all_members: list[IntArray] = []
    scored: list[Flags] = []
    for repetition, clean in enumerate(members):
        for place in range(harms.n_of_repetition):
            subset = harms.describe(place)
            if subset.kind is None:
                all_members.append(clean)
                scored.append(np.ones(n, dtype=bool))
                continue
            spoiled = spoil(labels[:, clean], subset.kind, subset.share, seed, (*names, repetition))
            columns.append(spoiled.labels)
            all_members.append(np.arange(n_columns, n_columns + size))
            scored.append(~spoiled.objects)
            n_columns += size
    return WithSpoiled(np.column_stack(columns), np.array(all_members), np.array(scored))
