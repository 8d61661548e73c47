"""Scores where each subset has objects of its own that are scored, as outliers are not."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray
from consclust.scores import score_all, score_many
from consclust_studies.stages.label_blocks import RESTARTS, Block
from consclust_studies.stages.stored_ensembles import StoredEnsemble

Flags = npt.NDArray[np.bool_]


def score_base_clusterings_of_subsets(stored: StoredEnsemble, scored: Flags, metrics: Sequence[str]) -> FloatArray:
    """Return the mean over the base clusterings of each subset, shape (subsets, 1, restarts, metrics).

    ``scored`` says which objects count on each subset, shape (subsets, n). A base clustering that lacks some of them is
    scored on the others.
    """
    means = np.empty((len(scored), len(metrics)))
    for subset, counted in enumerate(scored):
        scores = []
        for labels in stored.subset(subset).T:
            here = counted & (labels >= 0)
            # a clustering that has none of the scored objects says nothing of them
            if here.any():
                scores.append(list(score_all(stored.classes[here], labels[here], metrics).values()))
        means[subset] = np.mean(scores, axis=0)
    # one grid point, the same under both words of RESTARTS
    return np.stack([means] * len(RESTARTS), axis=1)[:, None]


def score_block_of_subsets(y: IntArray, block: Block, metrics: Sequence[str], scored: Flags) -> FloatArray:
    """Return the scores of a block, NaN where there are no labels, shape (subsets, points, restarts, metrics).

    ``scored`` says which objects count on each subset of the case, shape (subsets, n).
    """
    answered = block.answered
    values = np.full((*answered.shape, len(RESTARTS), len(metrics)), np.nan)
    for row, point in np.argwhere(answered):
        counted = scored[block.subsets[row]]
        scores = score_many(y[counted], block.labels[row, point][:, counted], metrics)
        values[row, point, 0] = scores.mean(axis=0)
        values[row, point, 1] = scores[block.chosen[row, point]]
    return values
