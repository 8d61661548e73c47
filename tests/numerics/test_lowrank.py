"""Shrinkage of singular values against the full decomposition."""

import numpy as np
import pytest

from consclust.numerics.lowrank import shrink_spectrum


@pytest.mark.parametrize("threshold", [10.0, 1.0, 0.3, 1e-2, 1.1e-5, 0.9e-5, 1e-9, 1e-12])
@pytest.mark.parametrize("shape", [(12, 12), (14, 12), (12, 14)])
def test_singular_values_shrink(threshold, shape):
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(size, 12)))[0] for size in shape)
    singular = 10.0 ** -np.arange(12)
    expected = (left * np.maximum(singular - threshold, 0)) @ right.T
    assert np.abs(shrink_spectrum((left * singular) @ right.T, threshold) - expected).max() < 1e-10
