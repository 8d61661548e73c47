"""What is drawn for a base clustering, whichever algorithm makes it: its number of clusters, its objects."""

from math import ceil, isqrt, sqrt

import numpy as np
import numpy.typing as npt

from concord.ensemble import IntArray
from concord.seeds import generator

NumberOfClusters = int | str | tuple[int, ...]
"""A number; several, taken in turn; drawn from 2 to sqrt(n), "random", or from sqrt(n) / 2, "random-fine"."""


def number_of_clusters(rule: NumberOfClusters, turn: int, n: int, rng: np.random.Generator) -> int:
    """Return the number of clusters of a base clustering of n objects, the ``turn``-th from 0."""
    if isinstance(rule, str):
        least = 2 if rule == "random" else ceil(sqrt(n) / 2)
        return int(rng.integers(least, isqrt(n), endpoint=True))
    return rule[turn % len(rule)] if isinstance(rule, tuple) else rule


def subsamples(
    n: int, runs: int, share: float, members: IntArray, seed: int, names: tuple[str, ...]
) -> npt.NDArray[np.bool_]:
    r"""Draw the objects of each run so that no subset of the runs leaves an object out altogether.

    Parameters
    ----------
    share : float
        Of the n objects, rounded up. A run has more if it is the last of a subset and more than so many are
        in no other run of it, that is with a share below one half or in subsets of one run.
    members : ndarray of int, shape (subsets, subset size)
        The runs of each subset.
    names : tuple of str
        Study and case; run i has the random stream of (\*names, "objects", i).

    Returns
    -------
    ndarray of bool, shape (n, runs)
    """
    present = np.ones((n, runs), dtype=bool)
    for run in range(runs) if share < 1 else ():
        before = [subset[subset < run] for subset in members if subset.max() == run]
        needed = np.zeros(n, dtype=bool)
        for others in before:
            needed |= ~present[:, others].any(axis=1)
        order = generator(seed, *names, "objects", run).permutation(n)
        order = np.concatenate([order[needed[order]], order[~needed[order]]])
        present[order[max(ceil(share * n), int(needed.sum())) :], run] = False
    return present
