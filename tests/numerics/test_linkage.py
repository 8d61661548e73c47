"""The cut by the longest lifetime."""

import numpy as np

from concord.numerics.linkage import longest_lived


def test_lifetimes_tie_up_to_rounding():
    """Steps of 1/20 are not equal in floating point; the first of them is the first all the same."""
    heights = np.arange(1, 20) / 20
    assert len(set(np.diff(heights).tolist())) > 1
    assert longest_lived(heights) == 19
