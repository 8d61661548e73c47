"""Methods beside each other are measured as each would be alone."""

import numpy as np
import pytest

from concord.diagnostics import agreement_with, bootstrap_stability, compare_methods, held_out_agreement
from concord.methods import EAC, LWEA


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
