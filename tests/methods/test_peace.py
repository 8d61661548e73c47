"""PEACE against the specification's reference numbers, by the published ascent and in large steps."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import PEACE
from consclust.methods.peace import blockascent
from consclust.methods.peace import pairmodel as module
from consclust.methods.peace.blockascent import block_ascent
from consclust.methods.peace.pairmodel import PairModel, pairwise_ascent, weights
from consclust.numerics.kernels.pair_kernels import add_rise, line_search, slope
from consclust.testing import L30_CLASSES, l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "peace_be.json").read_text())
START = np.array(ORACLE["Y0"]).T
ASCENTS = [pairwise_ascent, block_ascent]


def l30_model():
    return PairModel(Ensemble(l30()))


def with_missing(labels, seed=0, share=0.2):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(labels.shape) < share, -1, labels)


def dirichlet(n, k, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(k), n)


def literal_likelihood(labels, y):
    """The formula, pair by pair."""
    total = 0.0
    for i, one in enumerate(labels):
        for j, other in enumerate(labels):
            if i != j:
                both = (one >= 0) & (other >= 0)
                c, n, p = (one == other)[both].sum(), both.sum(), y[i] @ y[j]
                total += (c * np.log(p) if c else 0) + ((n - c) * np.log(1 - p) if n > c else 0)
    return total


def test_start_is_the_oracles_formula():
    i, k = np.arange(30)[:, None], np.arange(3)
    raw = 1 + (3 * i + 5 * k + i * k) % 7
    assert np.abs(raw / raw.sum(axis=1, keepdims=True) - START).max() < 1e-15
    counts = np.array(ORACLE["C"])
    np.fill_diagonal(counts, 0)
    assert np.array_equal(l30_model().together, counts)


def test_likelihood_and_gradient_of_the_oracle():
    assert l30_model().likelihood(START) == pytest.approx(ORACLE["f_Y0"], rel=1e-14)
    assert l30_model().gradient(START)[0] == pytest.approx(ORACLE["g_Y0_obj0"], abs=1e-10)


def test_likelihood_is_the_formula_with_missing_labels():
    labels = with_missing(l30())
    model = PairModel(Ensemble(labels))
    assert (model.together + model.apart).min() < (model.together + model.apart).max() < 8 + 1
    assert model.likelihood(START) == pytest.approx(literal_likelihood(labels, START), rel=1e-12)


def test_gradient_by_finite_differences():
    model = PairModel(Ensemble(with_missing(l30())))
    y, g, h = dirichlet(30, 4), model.gradient(dirichlet(30, 4)), 1e-6
    for i, k in ((0, 0), (7, 2), (29, 3)):
        shifted = np.zeros_like(y)
        shifted[i, k] = h
        slope = (model.likelihood(y + shifted) - model.likelihood(y - shifted)) / (2 * h)
        assert slope == pytest.approx(2 * g[i, k], rel=1e-6, abs=1e-5)


@pytest.mark.long
def test_printed_ascent_takes_the_oracles_path():
    run = pairwise_ascent(l30_model(), START, ORACLE["peace"]["tau"], 100_000)
    assert run.converged
    assert len(run.path) == ORACLE["peace"]["iterations"]
    assert run.path[-1] == pytest.approx(ORACLE["peace"]["f_star"], abs=1e-9)
    assert np.abs(run.memberships.T - ORACLE["peace"]["Y"]).max() < 1e-9
    assert run.memberships.argmax(axis=1).tolist() == ORACLE["peace"]["labels"]
    assert np.diff([ORACLE["f_Y0"], *run.path]).min() >= 0


def test_large_steps_end_where_the_oracle_does():
    run = block_ascent(l30_model(), START, ORACLE["peace"]["tau"], 50)
    assert run.converged
    assert len(run.path) < 20
    assert run.path[-1] == pytest.approx(ORACLE["peace"]["f_star"], abs=1e-9)
    assert np.abs(run.memberships.T - ORACLE["peace"]["Y"]).max() < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_other_starts_have_the_oracles_likelihood_too(seed):
    for ascend, limit in zip(ASCENTS, (2e-2, 1e-6), strict=True):
        run = ascend(l30_model(), dirichlet(30, 3, seed), limit, 5_000)
        assert run.converged
        assert run.path[-1] == pytest.approx(ORACLE["peace"]["f_star"], abs=1e-3)
        assert adjusted_rand_score(L30_CLASSES, run.memberships.argmax(axis=1)) == 1


def test_from_the_other_ascents_end_neither_finds_a_step():
    """The two ascents stop at the same points."""
    labels = with_missing(np.random.default_rng(0).integers(4, size=(25, 12)))
    model, tau = PairModel(Ensemble(labels)), 1e-5
    for ascend, other in (ASCENTS, ASCENTS[::-1]):
        end = ascend(model, dirichlet(25, 3), tau, 30_000)
        assert end.converged
        assert not other(model, end.memberships, tau, 10).path


@pytest.mark.parametrize("algorithm", ["pairwise", "newton"])
def test_two_objects_have_the_closed_form(algorithm):
    labels = np.zeros((2, 10), dtype=int)
    labels[1, 8:] = 1
    peace = PEACE(2, algorithm=algorithm, tol=1e-9, random_state=1).fit(labels)
    c, n = ORACLE["n2"]["C12"], ORACLE["n2"]["N12"]
    assert peace.likelihood_ == pytest.approx(2 * (c * np.log(c / n) + (n - c) * np.log(1 - c / n)), abs=1e-9)
    assert peace.likelihood_ == pytest.approx(ORACLE["n2"]["f_star"], abs=1e-9)
    assert peace.memberships_[0] @ peace.memberships_[1] == pytest.approx(c / n, abs=1e-6)


@pytest.mark.parametrize("algorithm", ["pairwise", "newton"])
def test_clusterings_that_agree_have_probability_one(algorithm):
    truth = np.repeat([0, 1, 2], [5, 4, 3])
    peace = PEACE(3, algorithm=algorithm, random_state=0).fit(with_missing(np.column_stack([truth] * 6)))
    assert peace.converged_
    assert peace.likelihood_ == pytest.approx(0, abs=1e-12)
    assert (peace.memberships_ == 0).sum() == 24
    assert adjusted_rand_score(truth, peace.labels_) == 1


def updated(model, y, j, u, v, step, sign):
    """Eq. (9) of the paper for g after a step of object j, with the sign of its second part."""
    a, new = y @ y.T, y.copy()
    new[j, u] += step
    new[j, v] -= step
    share = y @ new[j]
    before = model.together[j] / a[j] + sign * model.apart[j] / (1 - a[j])
    after = model.together[j] / share + sign * model.apart[j] / (1 - share)
    g = model.gradient(y) + np.outer(after, new[j]) - np.outer(before, y[j])
    g[j] = after @ y
    return g, model.gradient(new)


def test_the_prints_plus_does_not_update_the_gradient():
    g, expected = updated(l30_model(), START, 4, 0, 1, 0.05, -1)
    assert g == pytest.approx(expected, abs=1e-10)
    g, expected = updated(l30_model(), START, 4, 0, 1, 0.05, +1)
    assert np.abs(g - expected).max() > 1


def test_slope_of_a_step_is_that_of_the_likelihood():
    """With the plus of the paper the line search would follow another function."""
    model, j, u, v, step, h = l30_model(), 4, 0, 1, 0.03, 1e-6
    row = model.together[j], model.apart[j], START @ START[j], START[:, u] - START[:, v]

    def moved(length):
        y = START.copy()
        y[j, u] += length
        y[j, v] -= length
        return model.likelihood(y)

    rho, steeper = slope(*row, step)
    assert 2 * rho == pytest.approx((moved(step + h) - moved(step - h)) / (2 * h), rel=1e-6)
    assert steeper == pytest.approx((slope(*row, step + h)[0] - slope(*row, step - h)[0]) / (2 * h), rel=1e-6)


def row_gain(together, apart, share, change, step):
    """Rise of the row's part of f, half of that of f."""
    terms, work = np.zeros(len(share)), np.empty((3, len(share)))
    return terms.sum() if add_rise(together, apart, share, share + step * change, terms, work) else -np.inf


def test_line_search_ends_left_of_the_maximum_and_in_the_domain():
    model = l30_model()
    for j in range(30):
        slopes = model.gradient(START)[j]
        u, v = int(slopes.argmax()), int(slopes.argmin())
        row = model.together[j], model.apart[j], START @ START[j], START[:, u] - START[:, v]
        step = line_search(*row, START[j, v])
        assert 0 < step <= START[j, v]
        assert slope(*row, step)[0] >= 0
        assert step == START[j, v] or slope(*row, step * (1 + 1e-6))[0] < 0
        assert row_gain(*row, step) > 0
    outside = np.array([1]), np.array([0]), np.array([0.5]), np.array([-1.0])
    assert slope(*outside, 0.5) == (-np.inf, -np.inf)
    assert row_gain(*outside, 0.5) == -np.inf


@pytest.mark.parametrize("ascend", ASCENTS)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 12), k=st.integers(2, 4), m=st.integers(1, 6))
def test_likelihood_never_falls_and_ends_at_a_kkt_point(ascend, seed, n, k, m):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=(n, m))
    labels[1:, 1:][rng.random((n - 1, m - 1)) < 0.2] = -1
    model, start = PairModel(Ensemble(labels)), dirichlet(n, k, seed)
    run = ascend(model, start, 0.01, 500)
    y = run.memberships
    assert y.min() >= 0
    assert y.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-9)
    path = np.array([model.likelihood(start), *run.path])
    assert np.diff(path).min(initial=0) >= -1e-11 * abs(path[0])
    assert model.likelihood(y) == pytest.approx(path[-1], rel=1e-9, abs=1e-9)
    if run.converged:
        g = weights(model.together, model.apart, y @ y.T) @ y
        for row, slopes in zip(y, g, strict=True):
            assert slopes[row > 0].min() >= slopes.max() - 0.0101


@pytest.mark.parametrize("ascend", ASCENTS)
def test_follows_a_permutation_of_the_objects_and_of_the_clusters(ascend):
    labels = with_missing(l30())
    order, clusters = np.random.default_rng(2).permutation(30), [2, 0, 1]
    here = ascend(PairModel(Ensemble(labels)), START, 0.1, 2_000)
    there = ascend(PairModel(Ensemble(labels[order])), START[order][:, clusters], 0.1, 2_000)
    assert here.converged
    assert there.converged
    assert there.path[-1] == pytest.approx(here.path[-1], abs=0.1)
    assert there.memberships == pytest.approx(here.memberships[order][:, clusters], abs=0.02)


def test_objects_with_one_profile_end_with_equal_memberships():
    labels = with_missing(l30()[:12])[np.repeat(np.arange(12), 3)]
    peace = PEACE(3, n_init=2, tol=1e-8, random_state=0).fit(labels)
    assert peace.converged_
    groups = peace.memberships_.reshape(12, 3, 3)
    assert np.array_equal(groups, np.repeat(groups[:, :1], 3, axis=1))


def repeated(seed, n=9, k=3):
    """Return labels of which most repeat, the model of the objects, and memberships that are equal where labels are."""
    rng = np.random.default_rng(seed)
    labels = with_missing(rng.integers(3, size=(n, 4)), seed)[rng.integers(n, size=30)]
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    model = PairModel(Ensemble(labels))
    return labels, model, model.profile_model, dirichlet(model.profile_model.sizes.size, k, seed)


@pytest.mark.parametrize("seed", range(5))
def test_the_model_of_the_profiles_is_that_of_their_objects(seed):
    labels, objects, profiles, y = repeated(seed)
    full = objects.expand(y)
    sums = np.zeros_like(y)
    np.add.at(sums, Ensemble(labels).membership, objects.gradient(full))
    assert profiles.sizes.max() > 1
    assert profiles.likelihood(y) == pytest.approx(literal_likelihood(labels, full), rel=1e-12)
    assert profiles.gradient(y) == pytest.approx(sums, rel=1e-9, abs=1e-9)
    assert profiles.gaps(y, profiles.gradient(y)).max() == pytest.approx(
        objects.gaps(full, objects.gradient(full)).max(), rel=1e-9
    )
    assert profiles.mean_observed == pytest.approx(objects.mean_observed, rel=1e-14)
    assert objects.merge(full) == pytest.approx(y, rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_steps_of_profiles_raise_the_likelihood_of_the_objects_as_they_say(seed):
    labels, objects, profiles, y = repeated(seed)
    before = literal_likelihood(labels, objects.expand(y))
    for _ in range(3):
        rise = blockascent.sweep(profiles, y, 1e-3)
        after = literal_likelihood(labels, objects.expand(y))
        assert rise == pytest.approx(after - before, rel=1e-9, abs=1e-9)
        before = after
    state = blockascent._State(profiles)
    gap = profiles.gaps(y, state.at(y)).max()
    new, rise = blockascent.joint_step(profiles, y, state, gap / 1e-3)
    assert rise > 0
    assert rise == pytest.approx(literal_likelihood(labels, objects.expand(new)) - before, rel=1e-6, abs=1e-9)


def test_the_joint_step_of_profiles_is_newtons(monkeypatch):
    """The Hessian of f over the profiles, by differences of the gradient."""
    _, _, profiles, y = repeated(0)
    state, seen = blockascent._State(profiles), []
    state.at(y)
    monkeypatch.setattr(blockascent, "_conjugate_gradients", lambda curved, _, slope, __: seen.append(curved) or slope)
    blockascent.joint_step(profiles, y, state, 1.0)
    rows, base = np.arange(len(y)), y.argmax(axis=1)
    direction = np.random.default_rng(1).normal(size=y.shape)
    direction[rows, base] = 0
    moved = direction.copy()
    moved[rows, base] = -direction.sum(axis=1)
    h = 1e-6
    change = (profiles.gradient(y + h * moved) - profiles.gradient(y - h * moved)) / (2 * h)
    expected = -(change - change[rows, base, None])
    found = seen[0](direction)
    inside = found != 0
    assert inside.sum() > y.size / 3
    assert found[inside] == pytest.approx(expected[inside], rel=1e-4, abs=1e-4 * np.abs(expected).max())


def test_merging_objects_with_one_profile_never_lowers_the_likelihood():
    model = PairModel(Ensemble(l30()[np.repeat(np.arange(10), 2)]))
    for seed in range(20):
        y = dirichlet(20, 3, seed)
        merged = y.copy()
        merged[4] = merged[5] = y[4:6].mean(axis=0)
        assert model.likelihood(merged) > model.likelihood(y)


def test_running_sums_are_renewed(monkeypatch):
    """Whatever the published ascent carries along, a renewal does not change its way."""
    plain = pairwise_ascent(l30_model(), START, 1e-3, 400)
    monkeypatch.setattr(module, "REFRESH", 3)
    renewed = pairwise_ascent(l30_model(), START, 1e-3, 400)
    assert renewed.path == pytest.approx(plain.path, abs=1e-6)


def test_chosen_is_the_start_with_the_largest_likelihood():
    labels = np.random.default_rng(3).integers(4, size=(40, 10))
    peace = PEACE(4, n_init=4, tol=1e-2, random_state=0).fit(labels)
    assert peace.restart_labels_.shape == (4, 40)
    singles = np.random.default_rng(0)
    likelihoods = [PEACE(4, n_init=1, tol=1e-2, random_state=singles).fit(labels).likelihood_ for _ in range(4)]
    assert peace.likelihood_ == max(likelihoods)
    assert peace.chosen_ == int(np.argmax(likelihoods))
    assert len(set(likelihoods)) > 1
    assert len(peace.likelihood_path_) == peace.n_iter_
    assert peace.likelihood_path_[-1] == peace.likelihood_


def test_says_when_it_did_not_converge():
    assert not PEACE(3, n_init=2, max_iter=2, random_state=0).fit(l30()).converged_
    assert PEACE(3, n_init=2, random_state=0).fit(l30()).converged_


@pytest.mark.parametrize("seed", range(5))
def test_one_cluster_is_impossible_where_clusterings_disagree(seed):
    peace = PEACE(1, n_init=2, random_state=seed).fit(l30())
    assert peace.likelihood_ == -np.inf
    assert peace.converged_
    assert PEACE(1, n_init=1, random_state=seed).fit([[0]] * 20).likelihood_ == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_init": 0}, "n_init = 0: must be an integer >= 1"),
        ({"tol": 0.0}, "tol = 0.0: must be a number in"),
        ({"max_iter": 0}, "max_iter = 0: must be an integer >= 1 or None"),
        ({"algorithm": "em"}, "algorithm = 'em': must be 'newton' or 'pairwise'"),
    ],
)
def test_refuses_parameters_out_of_range(parameters, message):
    with pytest.raises(ValueError, match=message):
        PEACE(2, **parameters).fit(l30())


@pytest.mark.parametrize("beyond", [np.nan, np.inf])
def test_a_product_beyond_single_precision_ends_the_conjugate_gradients(beyond: float) -> None:
    curvature, products = np.diag([1.0, 2.0, 4.0]), iter([1.0, beyond])

    def curved(direction: np.ndarray) -> np.ndarray:
        return curvature @ direction * next(products)

    slope = np.ones((3, 1))
    found = blockascent._conjugate_gradients(curved, np.copy, slope, 1.0)
    np.testing.assert_allclose(found, slope * 3 / 7)  # the first step: r'r / r'Ar
