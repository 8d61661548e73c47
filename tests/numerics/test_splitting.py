"""The steps of the splitting that minimises RCE's objective."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consclust.ensemble import Ensemble
from consclust.numerics.rceproblem import RCEProblem
from consclust.numerics.splitting import Splitting, first_point, shrink
from consclust.testing import l30


def problem_of(labels, lambda1, lambda2):
    ensemble = Ensemble(labels)
    return RCEProblem(ensemble.counts, ensemble.observed, ensemble.weights, lambda1, lambda2, 1e-3, 0.0)


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5),
    st.sampled_from([0.0, 1e-8, 0.3, 1.0, 1e8]),
    st.sampled_from([1e-12, 1e-3, 1.0, 1e6]),
)
def test_eigenvalues_shrink_to_the_least_of_norm_and_distance(values, weight, mu):
    values = np.array(values)
    found = shrink(values, weight, mu)
    slope = found + weight * found / np.sqrt(found**2 + mu)
    assert slope == pytest.approx(values, rel=1e-12, abs=1e-200)


@pytest.mark.parametrize("weights", [1, 3])
def test_the_step_of_the_pairs_is_none_of_its_neighbours(weights):
    rng = np.random.default_rng(0)
    problem = problem_of(np.repeat(l30(), weights, axis=0), 0.5, 1.0)
    n = len(problem.root)
    target = rng.normal(size=(n, n))
    target = (target + target.T) / 2

    def value(entries):
        distance = np.linalg.norm(problem.scale(problem.fill_matrix(entries)) - target)
        return problem.compute_objective(entries, np.zeros(n)) + 2.0 / 2 * distance**2

    entries = np.full(problem.places.shape, 0.5)
    problem.minimise_near(target, 2.0, entries)
    least = value(entries)
    for _ in range(20):
        other = np.clip(entries + 1e-3 * rng.normal(size=entries.shape), problem.low, problem.high)
        assert value(other) > least
    assert value(np.full(entries.shape, 0.5)) > least


def test_an_iteration_begins_with_the_gradient_of_the_nuclear_norm():
    problem = problem_of(l30(), 0.5, 2.0)
    matrix = Ensemble(l30()).coassociation
    pull = problem.compute_pull(problem.decompose(matrix))
    assert 2 * problem.lambda2 * first_point(problem, matrix).direction == pytest.approx(pull, abs=1e-12)


def test_the_solution_is_where_iterations_stay():
    problem = problem_of(l30(), 0.5, 1.0)
    matrix = Ensemble(l30()).coassociation
    splitting = Splitting(problem, first_point(problem, matrix))
    splitting.run(1e-12, 3000)
    assert splitting.gaps[-1] <= 1e-12
    entries = splitting.point.entries.copy()
    splitting._step()
    assert np.abs(splitting.point.entries - entries).max() < 1e-5
    pairs = problem.scale(problem.fill_matrix(splitting.point.entries))
    assert np.abs(pairs - splitting.point.twin).max() < 1e-4
