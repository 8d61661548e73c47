import numpy as np
import pytest

from consclust.diagnostics import block_structure

CLASSES = np.array([0, 0, 0, 1, 1, 1])
BLOCKS = (CLASSES[:, None] == CLASSES).astype(float)


def test_blocks_are_the_classes() -> None:
    assert block_structure(-3 * BLOCKS, CLASSES) == pytest.approx({"auc": 1, "within": 1, "disconnected": 1})


def test_equal_entries_say_nothing() -> None:
    found = block_structure(np.ones((6, 6)), CLASSES)
    # 6 of 15 pairs lie in a class; the eigenvalues of the complete graph are 1 and -1 / 5
    assert found == pytest.approx({"auc": 0.5, "within": 6 / 15, "disconnected": (1 - 1 / 5) / 2})


def test_neither_the_diagonal_nor_the_order_of_the_objects_counts() -> None:
    rng = np.random.default_rng(0)
    matrix, order = rng.normal(size=(6, 6)), rng.permutation(6)
    found = block_structure(matrix, CLASSES)
    assert block_structure(matrix + 100 * np.eye(6), CLASSES) == pytest.approx(found)
    assert block_structure(matrix[np.ix_(order, order)].T, CLASSES[order]) == pytest.approx(found)
