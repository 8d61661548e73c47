from itertools import combinations

import numpy as np
import pytest

from consclust.diagnostics import level_shares
from consclust.ensemble import Ensemble


@pytest.mark.parametrize("missing", [False, True])
def test_levels_count_the_pairs_of_objects(missing) -> None:
    rng = np.random.default_rng(3)
    labels = np.where(rng.random((30, 5)) < 0.3, rng.integers(0, 3, (30, 5)), np.arange(30)[:, None] % 3)
    if missing:
        labels[rng.random((30, 5)) < 0.2] = -1
        labels[:, 0] = np.maximum(labels[:, 0], 0)
    classes = rng.permutation(np.arange(30) % 4)
    level, same = [], []
    for p, q in combinations(range(30), 2):
        both = (labels[p] >= 0) & (labels[q] >= 0)
        level.append((labels[p] == labels[q])[both].sum() * 5 / both.sum())
        same.append(classes[p] == classes[q])
    above = np.array(level)[:, None] >= np.arange(6) - 1e-9
    at = above & (np.array(level)[:, None] < np.arange(1, 7) - 1e-9)
    expected = [
        above[same].sum(axis=0) / above.sum(axis=0),
        above[same].mean(axis=0),
        above.mean(axis=0),
        at[same].sum(axis=0) / at.sum(axis=0),
        at.mean(axis=0),
    ]
    np.testing.assert_allclose(level_shares(Ensemble(labels), classes), expected)
