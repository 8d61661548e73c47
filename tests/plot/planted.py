"""Base clusterings with known clusters, for the pictures."""

import numpy as np

from consclust.ensemble import MISSING

CLASSES = np.repeat([0, 1, 2, 3], [20, 16, 14, 10])


def labels(noise: float = 0.2, m: int = 8, missing: int = 0) -> np.ndarray:
    """Return base clusterings of 60 objects in random order of the classes' names, (60, m), with random labels."""
    rng = np.random.default_rng(3)
    names = np.column_stack([rng.permutation(4) for _ in range(m)])
    found = np.where(rng.random((60, m)) < noise, rng.integers(0, 4, (60, m)), names[CLASSES])
    found[:missing, 0] = MISSING
    return found
