"""When a fit that is made again confirms a kept one."""

import numpy as np
import pytest

from consclust_studies.confirm import Fit, is_same
from consclust_studies.stages.consensus import Cell

LABELS = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]], dtype=np.int16)


def kept(chosen=0, iterations=5, converged=True):
    return {
        "labels": LABELS[None, None],
        "chosen": np.array([[chosen]]),
        "iterations": np.array([[iterations]]),
        "converged": np.array([[converged]]),
    }


def again(labels=LABELS, chosen=0, iterations=5, converged=True):
    return Cell(0, 0, 0.0, 0.0, labels=labels, chosen=chosen, iterations=iterations, converged=converged)


@pytest.mark.parametrize(
    ("cell", "confirms"),
    [
        (again(), True),
        (again(chosen=2, iterations=7), True),  # the same labels, of another restart
        (again(chosen=1), False),
        (again(iterations=6), False),
        (again(converged=False), False),
        (again(labels=LABELS[:, ::-1].copy()), False),
        (again(labels=LABELS[:2]), False),
        (Cell(0, 0, 0.0, 0.0, reason="no answer"), False),
    ],
)
def test_labels_and_the_chosen_ones_must_be_the_same(cell, confirms):
    assert is_same(cell, kept(), Fit(0, 0, 0)) is confirms
