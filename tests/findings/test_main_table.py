"""The numbers of the main table."""

import numpy as np
import pytest

from consclust_studies.results.main_table import NEAR, compute_expected_near


@pytest.mark.parametrize("n_subsets", [3, 10, 20])
def test_two_runs_that_differ_in_random_numbers_alone_are_as_near_as_expected(n_subsets):
    ours, theirs = np.random.default_rng(0).normal(size=(2, 100_000, n_subsets))
    standard_error = ours.std(axis=1, ddof=1) / np.sqrt(n_subsets)
    near = np.abs(ours.mean(axis=1) - theirs.mean(axis=1)) <= NEAR * standard_error
    assert near.mean() == pytest.approx(compute_expected_near(n_subsets), abs=0.005)
