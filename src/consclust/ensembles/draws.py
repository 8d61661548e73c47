"""What is drawn for a base clustering, whichever algorithm makes it: its number of clusters, its objects."""

# threadpoolctl is imported where needed, so that what does without it starts faster

import logging
import time
import warnings
from collections.abc import Iterator
from math import ceil, isqrt, sqrt

import numpy as np
import numpy.typing as npt

from consclust.ensemble import IntArray
from consclust.seeds import generator

log = logging.getLogger("consclust")

NumberOfClusters = int | str | tuple[int, ...]
"""A number; several, taken in turn; drawn from 2 to sqrt(n), "random", or from sqrt(n) / 2, "random-fine"."""


def streams(
    algorithm: str, runs: int, seed: int, names: tuple[str, ...], ignored: type[Warning] = Warning
) -> Iterator[tuple[int, np.random.Generator]]:
    r"""Yield the number and the random stream of each run; meanwhile use one thread and ignore warnings.

    ``names`` are study and case; run i has the random stream of (\*names, "run", i), so that more runs change no
    earlier one. ``algorithm`` is its name in the log, ``ignored`` the kind of warnings.
    """
    from threadpoolctl import threadpool_limits

    cpu = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ignored)
        for run in range(runs):
            yield run, generator(seed, *names, "run", run)
            if (run + 1) % 50 == 0:
                log.info("%s on %s: run %d of %d", algorithm, names[-1], run + 1, runs)
    log.info("%s on %s: %.2f CPU s", algorithm, names[-1], time.process_time() - cpu)


def number_of_clusters(rule: NumberOfClusters, turn: int, n: int, rng: np.random.Generator) -> int:
    """Return the number of clusters of a base clustering of n objects, the ``turn``-th from 0."""
    if isinstance(rule, str):
        least = 2 if rule == "random" else ceil(sqrt(n) / 2)
        return int(rng.integers(least, isqrt(n), endpoint=True))
    return rule[turn % len(rule)] if isinstance(rule, tuple) else rule


def subsamples(
    n: int, runs: int, share: float, members: IntArray, seed: int, names: tuple[str, ...]
) -> npt.NDArray[np.bool_]:
    r"""Draw the objects of each run, (n, runs), so that no subset of the runs leaves an object out altogether.

    A run has a ``share`` of the objects, rounded up. It has more if it is the last of a subset and more than so many
    are in no other run of it, that is with a share below one half or in subsets of one run. ``members`` are the runs of
    each subset, (subsets, subset size). Run i has the random stream of (\*names, "objects", i).
    """
    present = np.ones((n, runs), dtype=bool)
    for run in range(runs) if share < 1 else ():
        needed = np.zeros(n, dtype=bool)
        for subset in members[members.max(axis=1) == run]:
            needed |= ~present[:, subset[subset < run]].any(axis=1)
        order = generator(seed, *names, "objects", run).permutation(n)
        order = np.concatenate([order[needed[order]], order[~needed[order]]])
        present[order[max(ceil(share * n), int(needed.sum())) :], run] = False
    return present
