"""Clusters that are the connected components of a similarity, learnt on profiles where these suffice."""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Callable

import numpy as np

from consclust.ensemble import Ensemble, FloatArray, IntArray


class SplitProfileError(Exception):
    """An eigenvector of the embedding differs between the objects of some profiles, whose numbers are ``profiles``."""

    def __init__(self, profiles: IntArray) -> None:
        super().__init__(f"{len(profiles)} profiles do not suffice for their objects")
        self.profiles = profiles


def solved(solve: Callable[[Ensemble], FloatArray], ensemble: Ensemble) -> tuple[FloatArray, IntArray]:
    """Return the similarity that ``solve`` learns on the profiles, and each object's row.

    Where some profiles do not suffice it is learnt anew, with a row for each of their objects.
    """
    try:
        return solve(ensemble), ensemble.membership
    except SplitProfileError as error:
        profiles = error.profiles
    # The error holds the matrices of this attempt: they are free now that its handler has ended
    return solved(solve, ensemble.unmerged(profiles))


def component_labels(similarity: FloatArray) -> IntArray:
    """Return the connected component of each row in the graph of the positive similarities."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    labels: IntArray = connected_components(csr_array(similarity > 0), directed=False)[1].astype(np.int64)
    return labels
