import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.diagnostics import vat_order

CLASSES = np.array([0, 2, 1] * 8)


def brute_force_order(dissimilarity) -> list[int]:
    """Prim's algorithm by its definition: of all pairs across, the nearest; of several the first object."""
    n = len(dissimilarity)
    order = [min(i for i in range(n) if dissimilarity[i].max() == dissimilarity.max())]
    while len(order) < n:
        outside = [i for i in range(n) if i not in order]
        order.append(min(outside, key=lambda i: (min(dissimilarity[i, j] for j in order), i)))
    return order


@given(hnp.arrays(float, st.integers(1, 8).map(lambda n: (n, n)), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])))
def test_vat_is_prims_order(matrix) -> None:
    dissimilarity = np.maximum(matrix, matrix.T)
    np.fill_diagonal(dissimilarity, 0)
    assert vat_order(dissimilarity).tolist() == brute_force_order(dissimilarity)


def test_vat_puts_clusters_together() -> None:
    apart = (CLASSES[:, None] != CLASSES).astype(float)
    assert (np.diff(CLASSES[vat_order(apart)]) != 0).sum() == 2
