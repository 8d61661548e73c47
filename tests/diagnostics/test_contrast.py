import numpy as np
import pytest

from consclust.diagnostics import contrast

CLASSES = np.array([0, 0, 1, 1])


def test_means_in_and_between_classes_without_the_diagonal() -> None:
    matrix = np.arange(16.0).reshape(4, 4)
    found = contrast(matrix, CLASSES)
    assert (found["least"], found["largest"]) == (1, 14)
    assert found["mean_in_classes"] == np.mean([1, 4, 11, 14])
    assert found["mean_between"] == np.mean([2, 3, 6, 7, 8, 9, 12, 13])
    apart = matrix[~np.eye(4, dtype=bool)]
    assert (found["percentile_1"], found["percentile_99"]) == pytest.approx(tuple(np.percentile(apart, [1, 99])))


def test_one_class_has_no_mean_between() -> None:
    assert np.isnan(contrast(np.eye(3), np.zeros(3, dtype=int))["mean_between"])
