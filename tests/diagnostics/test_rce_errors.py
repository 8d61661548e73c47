import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from consclust.diagnostics import rce_error_matrix, rce_errors
from consclust.ensemble import MISSING
from consclust.methods import RCE


@pytest.fixture
def given():
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((12, 5)) < 0.3, rng.integers(0, 3, (12, 5)), np.repeat([0, 1, 2], 4)[:, None])
    labels[:2, 1] = MISSING
    return labels


@pytest.mark.parametrize("lambda1", [0.0, 0.3, 1.0, 20.0])
def test_errors_minimise_the_objective_of_each_pair(given, lambda1) -> None:
    rce = RCE(n_clusters=3, lambda1=lambda1, lambda2=0.1, random_state=0, max_outer=3).fit(given)
    s = (rce.consensus_matrix() + rce.consensus_matrix().T) / 2
    errors = rce_error_matrix(rce, given, 0)
    for i, j in [(0, 1), (0, 5), (2, 9), (4, 11), (7, 3)]:
        a, joined = s[i, j], given[i, 0] == given[j, 0]
        if not 1e-6 < a < 1 - 1e-6:
            continue

        def objective(error, a=a, joined=joined):
            clean = joined - error
            return -a * np.log(clean) - (1 - a) * np.log(1 - clean) + lambda1 * abs(error)

        ends = (1e-12, 1 - 1e-12) if joined else (-1 + 1e-12, -1e-12)
        best = minimize_scalar(objective, bounds=ends, method="bounded", options={"xatol": 1e-10}).x
        assert errors[i, j] == pytest.approx(best, abs=1e-5)


def test_errors_of_an_object_are_the_mean_over_the_others(given) -> None:
    rce = RCE(n_clusters=3, lambda2=0.1, random_state=0).fit(given)
    sizes = rce_errors(rce, given)
    for i in range(5):
        errors = np.abs(rce_error_matrix(rce, given, i))
        np.fill_diagonal(errors, np.nan)
        there = given[:, i] != MISSING
        np.testing.assert_allclose(sizes[there, i], np.nanmean(errors[there], axis=1))
        assert np.isnan(sizes[~there, i]).all()
        assert np.isnan(errors[~there]).all()
        assert np.isnan(errors[:, ~there]).all()


def test_the_size_of_a_random_clustering_s_errors_is_the_largest() -> None:
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2], 10)[:, None].repeat(6, axis=1)
    labels[:, 4] = rng.permutation(labels[:, 4])
    errors = rce_errors(RCE(n_clusters=3, lambda2=0.1, random_state=0).fit(labels), labels)
    assert errors.mean(axis=0).argmax() == 4


def test_labels_of_another_fit_are_refused(given) -> None:
    rce = RCE(n_clusters=3).fit(given)
    with pytest.raises(ValueError, match="pass the labels of the fit"):
        rce_errors(rce, given[:-1])
