"""When a fit that is made again confirms a kept one."""

import json
from dataclasses import replace

import numpy as np
import pytest

from consclust_studies.confirm import Fit, is_same
from consclust_studies.stages.consensus import Cell

LABELS = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]], dtype=np.int16)


def kept(chosen=0, iterations=5, converged=True, note="", reason=""):
    return {
        "labels": LABELS[None, None],
        "chosen": np.array([[chosen]]),
        "iterations": np.array([[iterations]]),
        "converged": np.array([[converged]]),
        "notes": json.dumps([{"subset": 0, "point": 0, "note": note}] if note else []),
        "failures": json.dumps([{"subset": 0, "point": 0, "reason": reason}] if reason else []),
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


def test_notes_and_reasons_must_be_the_same():
    said = replace(again(), note="the objective rose in a round")
    assert is_same(said, kept(note=said.note), Fit(0, 0, 0))
    assert not is_same(said, kept(), Fit(0, 0, 0))
    assert not is_same(again(), kept(note=said.note), Fit(0, 0, 0))
    assert is_same(again(), kept(note="race: 1 of 3 grid points ran"), Fit(0, 0, 0))
    failed = Cell(0, 0, 0.0, 0.0, reason="no answer")
    nothing = {**kept(reason="no answer"), "labels": np.full_like(LABELS, -1)[None, None]}
    assert is_same(failed, nothing, Fit(0, 0, 0))
    assert not is_same(failed, {**nothing, "failures": kept(reason="another")["failures"]}, Fit(0, 0, 0))
