"""RCE's objective and its bounds against arithmetic of 30 digits, and over objects against over profiles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.ensemble import Ensemble
from consclust.numerics.kernels import rce_pair_kernels as kernels
from consclust.numerics.rceproblem import Certificate, RCEProblem, relative_gap

LABELS = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, -1], [1, 1, 0, 0], [1, 1, -1, 0], [1, 2, 1, 0], [2, 2, 1, 0]])
label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(3, 9), st.integers(1, 4)), elements=st.integers(0, 2))
lambdas = st.sampled_from([0.0, 1e-4, 0.3, 1.0, 1.0001, 7.0, 1e4])


def problem_of(ensemble, lambda1, lambda2, mu=1e-3, margin=0.0):
    return RCEProblem(ensemble.counts, ensemble.observed, ensemble.weights, lambda1, lambda2, mu, margin)


def matrix_of(ensemble, seed, margin=0.0):
    """A matrix of the problem, not symmetric, with some entries at the ends."""
    rng = np.random.default_rng(seed)
    matrix = np.clip(rng.uniform(-0.2, 1.2, size=ensemble.coassociation.shape), margin, 1 - margin)
    share = ensemble.coassociation
    return np.where(((share == 0) | (share == 1)) & (margin == 0), share, matrix)


def root_of_theorem_3(mp, s, lambda1):
    """h(s), the least that a cleaned entry may be."""
    return 2 * s / (1 + lambda1 + mp.sqrt((1 + lambda1) ** 2 - 4 * lambda1 * s))


def divergence_of(mp, s, y):
    """Bernoulli divergence KL(s || y)."""
    on = s * mp.log(s / y) if s > 0 else mp.mpf(0)
    return on + ((1 - s) * mp.log((1 - s) / (1 - y)) if s < 1 else 0)


def phi_of(mp, s, on, off, lambda1):
    high = 1 - root_of_theorem_3(mp, 1 - s, lambda1)
    low = root_of_theorem_3(mp, s, lambda1)
    joined = on * (divergence_of(mp, s, high) + lambda1 * (1 - high)) if on else mp.mpf(0)
    return joined + (off * (divergence_of(mp, s, low) + lambda1 * low) if off else 0)


def least_of(mp, function, low, high):
    """The least value of a convex function, by golden sections."""
    golden = (mp.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if function(left) < function(right):
            high = right
        else:
            low = left
    return function((low + high) / 2)


def exact_objective_and_bound(labels, matrix, lambda1, lambda2, mu, margin):
    """J and its bound over the objects, from every pair and the eigenvalues of A A', with 30 digits."""
    mpmath = pytest.importorskip("mpmath", reason="mpmath is not installed: pip install mpmath")
    mp = mpmath.mp.clone()
    mp.dps = 30
    n = len(labels)
    lambda1, lambda2, mu, margin = map(mp.mpf, (lambda1, lambda2, mu, margin))
    a = mp.matrix(matrix.tolist())
    a = (a + a.T) / 2
    squares, vectors = mp.eigsy(a * a.T)
    lengths = [mp.sqrt(max(square, 0) + mu) for square in squares]
    inverse = vectors * mp.diag([2 * lambda2 / length for length in lengths]) * vectors.T
    z1, z2 = inverse * a, inverse * mp.sqrt(mu)
    objective = 2 * lambda2 * sum(lengths)
    bound = mp.sqrt(mu) * sum(z2[p, p] for p in range(n))
    for p in range(n):
        for q in range(p + 1):
            times = 1 if p == q else 2
            seen = (labels[p] >= 0) & (labels[q] >= 0)
            on = int((seen & (labels[p] == labels[q])).sum())
            off = int(seen.sum()) - on
            is_fixed = margin == 0 and (on == 0 or off == 0)
            objective += times * phi_of(mp, a[p, q], on, off, lambda1)
            if is_fixed:
                bound += times * z1[p, q] * a[p, q]
                continue

            def line(s, on=on, off=off, z=z1[p, q]):
                return phi_of(mp, s, on, off, lambda1) + z * s

            ends = [line(margin), line(1 - margin)]
            bound += times * min(*ends, least_of(mp, line, margin, 1 - margin))
    return objective, max(bound, 2 * lambda2 * n * mp.sqrt(mu))


@pytest.mark.long
@pytest.mark.parametrize(
    ("lambda1", "lambda2", "mu", "margin"),
    [(1e-4, 1e-5, 1e-3, 0.0), (0.3, 0.1, 1e-3, 1e-6), (1, 0.3, 0.2, 0.0), (1.5, 30, 1e-3, 1e-6), (1e3, 1, 1e-3, 0.0)],
)
def test_objective_and_bound_have_nearly_all_digits(lambda1, lambda2, mu, margin):
    ensemble = Ensemble(LABELS, missing="ignored")
    matrix = matrix_of(ensemble, 3, margin)
    certificate = Certificate(problem_of(ensemble, lambda1, lambda2, mu, margin))
    certificate.add(matrix)
    over_objects = matrix[np.ix_(ensemble.membership, ensemble.membership)]
    objective, bound = exact_objective_and_bound(LABELS, over_objects, lambda1, lambda2, mu, margin)
    assert abs(certificate.objective - objective) <= 1e-13 * objective
    assert abs(certificate.bound - bound) <= 1e-13 * objective
    assert certificate.bound <= bound + 1e-13 * objective
    assert certificate.gaps == [pytest.approx(float((objective - bound) / objective), abs=1e-13)]


def phi_by_floats(s, on, off, lambda1):
    """Phi of pairs in floating point, which is enough where an entry is not near an end."""
    high = 1 - 2 * (1 - s) / (1 + lambda1 + np.sqrt((1 + lambda1) ** 2 - 4 * lambda1 * (1 - s)))
    low = 2 * s / (1 + lambda1 + np.sqrt((1 + lambda1) ** 2 - 4 * lambda1 * s))
    divergence = [s * np.log(s / y) + (1 - s) * np.log((1 - s) / (1 - y)) for y in (high, low)]
    return on * (divergence[0] + lambda1 * (1 - high)) + off * (divergence[1] + lambda1 * low)


@pytest.mark.parametrize(("lambda1", "lambda2"), [(0.3, 0.02), (1.5, 3.0)])
def test_objective_and_bound_are_sums_over_all_pairs_of_objects(lambda1, lambda2):
    """The pairs on which all clusterings agree keep their co-association; the others lie in (0, 1)."""
    n, mu = len(LABELS), 1e-3
    ensemble = Ensemble(LABELS, missing="ignored")
    problem = problem_of(ensemble, lambda1, lambda2, mu)
    share = ensemble.coassociation
    inner = np.random.default_rng(3).uniform(0.05, 0.95, size=share.shape)
    matrix = np.where((share == 0) | (share == 1), share, inner)
    certificate = Certificate(problem)
    certificate.add(matrix)
    a = (matrix + matrix.T)[np.ix_(ensemble.membership, ensemble.membership)] / 2
    values, vectors = np.linalg.eigh(a)
    lengths = np.sqrt(values**2 + mu)
    z = 2 * lambda2 * (vectors * (values / lengths)) @ vectors.T
    objective = 2 * lambda2 * lengths.sum()
    bound = 2 * lambda2 * mu * (1 / lengths).sum()
    grid = np.linspace(1e-6, 1 - 1e-6, 20_001)
    for p in range(n):
        for q in range(n):
            seen = (LABELS[p] >= 0) & (LABELS[q] >= 0)
            on = int((seen & (LABELS[p] == LABELS[q])).sum())
            off = int(seen.sum()) - on
            if on == 0 or off == 0:  # of agreeing clusterings phi is 0 at the end where the entry stays
                bound += z[p, q] * a[p, q]
            else:
                objective += phi_by_floats(a[p, q], on, off, lambda1)
                bound += (phi_by_floats(grid, on, off, lambda1) + z[p, q] * grid).min()
    least = 2 * lambda2 * n * np.sqrt(mu)
    assert problem.compute_least_norm() == pytest.approx(least)
    assert certificate.objective == pytest.approx(objective)
    assert certificate.bound == pytest.approx(max(bound, least), rel=1e-6)
    assert certificate.gaps == [pytest.approx((objective - max(bound, least)) / objective, rel=1e-5)]


def test_the_typical_count_is_that_of_the_free_entries():
    ensemble = Ensemble(LABELS, missing="ignored")
    joined, observed = ensemble.counts, ensemble.observed
    is_free = np.tril((joined > 0) & (joined < observed))
    assert problem_of(ensemble, 1.0, 1.0).typical_count == pytest.approx(observed[is_free].mean())
    assert problem_of(Ensemble([[0, 0], [0, 0], [1, 1]]), 1.0, 1.0).typical_count == 1.0


@settings(max_examples=40, deadline=None)
@given(label_matrices, lambdas, lambdas, st.sampled_from([0.0, 1e-6]), st.integers(0, 99))
def test_repeated_objects_have_the_gap_of_their_weighted_profiles(labels, lambda1, lambda2, margin, seed):
    rng = np.random.default_rng(seed)
    labels = labels[rng.integers(len(labels), size=2 * len(labels))]
    labels[:, 1:][rng.random(labels[:, 1:].shape) < 0.1] = -1
    profiles = Ensemble(labels[:, (labels >= 0).any(axis=0)])
    objects = profiles.unmerged()
    matrix = matrix_of(profiles, seed, margin)
    over_objects = matrix[np.ix_(profiles.membership, profiles.membership)]
    found = []
    for ensemble, each in ((profiles, matrix), (objects, over_objects)):
        certificate = Certificate(problem_of(ensemble, lambda1, lambda2, margin=margin))
        certificate.add(each)
        found.append((certificate.objective, certificate.bound))
    size = abs(found[0][0]) + 1
    assert found[0] == pytest.approx(found[1], abs=1e-12 * size)


@settings(max_examples=60, deadline=None)
@given(label_matrices, lambdas, lambdas, st.sampled_from([0.0, 1e-6]), st.integers(0, 99))
def test_no_matrix_is_below_the_bound_of_another(labels, lambda1, lambda2, margin, seed):
    ensemble = Ensemble(labels)
    problem = problem_of(ensemble, lambda1, lambda2, margin=margin)
    certificate = Certificate(problem)
    for draw in range(3):
        certificate.add(matrix_of(ensemble, seed + draw, margin))
    certificate.add(ensemble.coassociation)
    assert certificate.bound <= certificate.objective + 1e-12 * (1 + abs(certificate.objective))
    assert (np.diff(certificate.gaps) <= 0).all()


@settings(deadline=None)
@given(
    st.integers(0, 9),
    st.integers(0, 9),
    lambdas,
    st.sampled_from([0.0, 1e-9, -1e-3, 0.4, -5.0, 40.0, -1e6, 1e9]),
    st.sampled_from([0.0, 1e-3, 1.0, 1e5]),
    st.sampled_from([0.0, 1e-6]),
    st.sampled_from([0.0, 1e-300, 1e-5, 0.5, 1.0]),
)
def test_the_minimum_of_a_pair_is_none_of_the_other_points(on, off, lambda1, line, parabola, margin, start):
    def value(s):
        return kernels.pair_value(on, off, s, lambda1) + line * s + parabola * s * s / 2

    s, slope = kernels.minimise_pair(on, off, lambda1, line, parabola, margin, 1 - margin, start)
    assert margin <= s <= 1 - margin
    others = np.concatenate([np.linspace(margin, 1 - margin, 99), np.geomspace(1e-12, 0.5, 60)])
    others = np.clip(np.concatenate([others, 1 - others]), margin, 1 - margin)
    size = on + off + abs(line) + parabola
    # where the derivative is steep, the root is known to fewer digits than the value of a point beside it
    least = min(map(value, others))
    assert value(s) <= least + 1e-11 * abs(least) + 1e-14 * size
    # the derivative is zero, or points out of the interval
    distance = s - margin if slope > 0 else 1 - margin - s
    assert abs(slope) * distance <= 1e-12 * size


@settings(deadline=None)
@given(st.floats(1e-9, 1 - 1e-9), lambdas)
def test_the_value_of_a_pair_is_the_divergence_and_the_penalty(s, lambda1):
    high = kernels.unshrunk(s, lambda1)
    divergence = s * np.log(s / high) + (1 - s) * np.log((1 - s) / (1 - high)) if high < 1 else 0.0
    assert kernels.part(s, lambda1) == pytest.approx(divergence + lambda1 * (1 - high), rel=1e-6, abs=1e-9)
    assert kernels.pair_value(2, 3, s, lambda1) == pytest.approx(
        2 * kernels.part(s, lambda1) + 3 * kernels.part(1 - s, lambda1)
    )


@pytest.mark.parametrize("lambda1", [0.0, 0.3, 1.0, 5.0])
def test_a_pair_on_which_all_clusterings_agree_costs_nothing_at_that_end(lambda1):
    assert kernels.pair_value(4, 0, 1.0, lambda1) == pytest.approx(0, abs=1e-15)
    assert kernels.pair_value(0, 4, 0.0, lambda1) == pytest.approx(0, abs=1e-15)
    assert kernels.pair_value(0, 0, 0.4, lambda1) == 0
    expected = 4 * (lambda1 if lambda1 < 1 else 1 + np.log(lambda1))
    assert kernels.pair_value(4, 0, 0.0, lambda1) == pytest.approx(expected)


def test_the_gap_is_relative_to_the_objective():
    assert relative_gap(4.0, 3.0) == 0.25
    assert relative_gap(0.4, 0.3) == pytest.approx(0.25)
    assert relative_gap(0.0, 0.0) == 0.0
