"""Methods beside each other are measured as each would be alone."""

import numpy as np
import pytest

from consclust.diagnostics import agreement_with, bootstrap_stability, compare_methods, held_out_agreement
from consclust.methods import EAC, LWEA, SPCE


def noisy(n=24, m=8):
    rng = np.random.default_rng(0)
    return np.where(rng.random((n, m)) < 0.25, rng.integers(0, 3, (n, m)), np.arange(n)[:, None] % 3)


def test_each_number_is_that_of_its_own_function() -> None:
    labels, methods = noisy(), {"a": EAC(3), "b": LWEA(2)}
    for found, (name, method) in zip(
        compare_methods(labels, methods, draws=3, folds=4, random_state=5), methods.items(), strict=True
    ):
        expected = LWEA(2).fit_predict(labels) if name == "b" else EAC(3).fit_predict(labels)
        np.testing.assert_array_equal(found.labels, expected)
        assert (found.method, found.clusters, found.note) == (name, expected.max() + 1, "")
        assert found.ari == agreement_with(labels, expected).mean()
        assert found.nmi == agreement_with(labels, expected, "NMI").mean()
        assert found.held_out_ari == held_out_agreement(labels, method, folds=4, random_state=5).mean()
        assert found.stability == bootstrap_stability(labels, method, draws=3, random_state=5).share.mean()
        assert found.seconds > 0


def test_a_method_without_an_answer_says_why_and_leaves_the_others() -> None:
    labels = np.tile(np.arange(12)[:, None] % 2, 4)
    refused, answered = compare_methods(labels, {"three": EAC(3), "two": EAC(2)}, draws=0)
    assert refused.labels is None
    assert "2 groups of objects" in refused.note
    assert np.isnan(refused[1:7]).all()
    assert (answered.ari, np.isnan(answered.stability)) == (pytest.approx(1), True)


def test_a_single_clustering_has_no_held_out_agreement() -> None:
    (found,) = compare_methods([[0], [0], [1], [1]], {"EAC": EAC(2)}, draws=1)
    assert (found.clusters, found.ari) == (2, 1)
    assert np.isnan(found.held_out_ari)
    assert "single clustering" in found.note


def test_the_note_says_what_the_fit_says() -> None:
    (found,) = compare_methods(noisy(), {"SPCE": SPCE(3)}, draws=0)
    assert found.clusters == 6
    assert "number of clusters" in found.note
    assert "converged" in found.note


def test_a_draw_or_fold_without_an_answer_leaves_the_rest() -> None:
    """Three clusterings that part eight groups of objects together; two of them part four."""
    labels = np.repeat(np.arange(8)[:, None] >> np.arange(3) & 1, 2, axis=0)
    (found,) = compare_methods(labels, {"EAC": EAC(8)}, draws=5, folds=3)
    assert found.clusters == 8
    assert found.ari > 0
    assert np.isnan([found.held_out_ari, found.stability]).all()
    assert "fold" in found.note
    assert "bootstrap" in found.note
    assert "EAC" not in found.note
