"""SSCE against recorded optima, a bound of the distance to the optimum, and what its objective promises."""

import itertools
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import logsumexp, softmax
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure
from consclust.methods import SSCE
from consclust.methods.ssce import Models, Relation, align, best_reference, contrasts
from consclust.testing import L30_CLASSES, features_of, l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "ssce.json").read_text())
LABELS, X, ALIGNED = (np.array(ORACLE[key]) for key in ("labels", "X", "aligned_0based"))
SOLVERS = ("alternating", "profile")

small_problems = st.tuples(
    hnp.arrays(np.int64, (9, 4), elements=st.integers(-1, 2)).filter(
        lambda labels: (labels >= 0).any(axis=0).all() and (labels >= 0).any(axis=1).all()
    ),
    st.integers(2, 3),
    st.integers(0, 99),
    st.sampled_from([0.03, 1.0, 30.0]),
)


def tight(n_clusters, lambda1, solver="profile", **parameters):
    parameters = {"intercept": False, "tol": 1e-11, "max_iter": 150} | parameters
    return SSCE(n_clusters, lambda1=lambda1, solver=solver, **parameters)


def literal(weights, features, classes, lambda1, lambda2):
    """Value of the profile form for models (m, d, K), and a bound of its distance to the least value.

    The smooth part lies above its tangent; what the tangent and the squared nuclear norm leave is least at a
    nuclear norm of (spectral norm of the gradient) / lambda2.
    """
    flat = weights.reshape(len(weights), -1)
    scatter = flat - flat.mean(axis=0)
    value, gradient = 0.0, lambda1 * scatter
    for i, model in enumerate(weights):
        seen = classes[:, i] >= 0
        rows, found = features[seen], classes[seen, i]
        odds = rows @ model
        value += (logsumexp(odds, axis=1) - odds[np.arange(len(rows)), found]).sum()
        error = softmax(odds, axis=1) - np.eye(model.shape[1])[found]
        gradient[i] += (rows.T @ error).ravel()
    nuclear = np.linalg.norm(flat, "nuc")
    value += lambda1 / 2 * (scatter**2).sum() + lambda2 / 2 * nuclear**2
    gap = np.linalg.norm(gradient, 2) ** 2 / (2 * lambda2) + (gradient * flat).sum()
    return value, gap + lambda2 / 2 * nuclear**2


@pytest.mark.parametrize("record", ORACLE["cases"], ids=lambda record: str(record["lambda1"]))
def test_reaches_the_recorded_optimum(record):
    """None is below ours - gap: the record at lambda 10 stopped 0.0125 above the optimum, that at 1 3e-4."""
    fit = tight(3, record["lambda1"]).fit(LABELS, X)
    value, gap = literal(fit.weights_, X, ALIGNED, record["lambda1"], record["lambda1"])
    assert fit.objective_ == pytest.approx(value, abs=1e-7)
    assert 0 <= gap < 1e-3
    assert record["objective"] - 0.0126 < fit.objective_ < record["objective"] + 3e-5
    assert record["objective"] > value - gap
    assert fit.consensus_ == pytest.approx(np.array(record["u"]), abs=0.012)
    assert fit.labels_.tolist() == record["labels_0based"]


def test_pseudo_features_reach_the_recorded_optimum():
    fit = tight(3, 1.0, features="pseudo").fit(LABELS)
    ensemble = Ensemble(LABELS)
    value, gap = literal(fit.weights_, ensemble.indicator[ensemble.membership], ALIGNED, 1.0, 1.0)
    assert fit.objective_ == pytest.approx(value, abs=1e-7)
    assert 0 <= gap < 1e-3
    assert value - gap < ORACLE["ssce_p_l1"]["objective"] < value + 0.0125
    assert fit.omega_.diagonal() == pytest.approx(np.array(ORACLE["ssce_p_l1"]["Omega_diag"]), abs=0.007)
    assert fit.labels_.tolist() == ORACLE["ssce_p_l1"]["labels_0based"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_binary_example_by_hand(solver):
    record = ORACLE["binary_worked"]
    fit = tight(2, 1.0, solver, aligned_to=0).fit(np.array(record["labels01"]), np.array(record["x"])[:, None])
    assert fit.objective_ == pytest.approx(record["objective"], abs=1e-7)
    assert fit.weights_[:, 0, 1] == pytest.approx(np.array(record["w"]), abs=2e-4)
    assert fit.consensus_[0] == pytest.approx([0, record["u"]], abs=2e-4)
    assert fit.labels_.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("features", ["original", "pseudo"])
@pytest.mark.parametrize("lambda1", [0.01, 1.0, 100.0])
def test_both_solvers_agree(features, lambda1):
    """With the default tolerance; the alternation stops up to 1e-4 above the other, relatively."""
    fits = [SSCE(3, lambda1=lambda1, features=features, solver=solver).fit(l30(), X) for solver in SOLVERS]
    assert fits[0].objective_ == pytest.approx(fits[1].objective_, rel=2e-4)
    assert np.array_equal(fits[0].labels_, fits[1].labels_)
    assert all(fit.converged_ for fit in fits)


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(small_problems, st.sampled_from(SOLVERS))
def test_objective_never_rises_and_the_bound_holds(problem, solver):
    labels, n_clusters, seed, lambda1 = problem
    features = np.random.default_rng(seed).normal(size=(9, 3))
    method = SSCE(n_clusters, lambda1=lambda1, lambda2=0.5, solver=solver, intercept=False)
    try:
        fit = method.fit(labels, features)
    except ConsensusFailure:
        return
    assert (np.diff(fit.objective_path_) <= 1e-12 * fit.objective_path_[0]).all()  # rounding
    start = (labels >= 0).sum() * np.log(n_clusters)
    assert fit.objective_ <= fit.objective_path_[-1] <= start + 0.5 * 0.5 * 4**2  # W = 0, ridge 1
    assert fit.omega_.trace() == pytest.approx(1, abs=1e-12)
    assert np.linalg.eigvalsh(fit.omega_).min() > 0
    if n_clusters == 3:
        ensemble = Ensemble(labels)
        classes = align(ensemble, fit.reference_, 3)[ensemble.membership]
        # the columns are in the order of the labels, the classes in that of the reference
        orders = [list(order) for order in itertools.permutations(range(3))]
        value, gap = min(literal(fit.weights_[:, :, order], features, classes, lambda1, 0.5) for order in orders)
        assert value == pytest.approx(fit.objective_, rel=1e-8)
        assert -1e-9 <= gap < 0.02 * value


@settings(max_examples=20, deadline=None)
@given(small_problems)
def test_gradient_is_that_of_finite_differences(problem):
    labels, n_clusters, seed, lambda1 = problem
    rng = np.random.default_rng(seed)
    models = Models.make(rng.normal(size=(9, 3)), labels % n_clusters - 1 * (labels < 0), np.ones(9), n_clusters)
    method = SSCE(n_clusters, lambda1=lambda1, lambda2=0.7)
    W, direction = rng.normal(size=(2, *models.statistics.shape))
    relation = Relation.make(rng.normal(size=W.shape), 0.1)
    for given_relation in (None, relation):
        at = [method._at(models, 1e-3, given_relation, W + step * direction) for step in (-1e-5, 0, 1e-5)]
        slope = np.vdot(at[1].gradient, direction)
        assert (at[2].value - at[0].value) / 2e-5 == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_omega_is_the_minimiser():
    """tr(Omega^-1 W'W) is the square of the nuclear norm at Omega, and larger at others of trace 1."""
    W = np.random.default_rng(0).normal(size=(2, 4, 5))
    flat = W.reshape(-1, 5)
    nuclear = np.linalg.norm(flat, "nuc")
    omega = Relation.make(W, 0.0).omega
    assert omega.trace() == pytest.approx(1)
    assert np.trace(np.linalg.solve(omega, flat.T @ flat)) == pytest.approx(nuclear**2)
    other = omega + 0.02 * np.diag([1, -1, 0, 1, -1])
    assert np.trace(np.linalg.solve(other, flat.T @ flat)) > nuclear**2


@pytest.mark.parametrize("n_clusters", [3, 4, 7])
def test_contrasts_are_orthonormal_and_sum_to_zero(n_clusters):
    coding = contrasts(n_clusters)
    assert coding.sum(axis=0) == pytest.approx(np.zeros(n_clusters - 1), abs=1e-12)
    assert coding.T @ coding == pytest.approx(np.eye(n_clusters - 1), abs=1e-12)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_curvature_is_the_mean_of_the_second_derivatives(n_clusters):
    rng = np.random.default_rng(0)
    labels = np.where(rng.random((30, 4)) < 0.1, -1, rng.integers(n_clusters, size=(30, 4)))
    models = Models.make(X, labels, np.ones(30), n_clusters)
    W = rng.normal(size=models.statistics.shape)
    mean = np.zeros((3, 3))
    for q, r, i in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[q, r, i] = 1e-5
        change = models.loss(W + step)[1] - models.loss(W - step)[1]
        mean[r] += change[q, :, i] / 2e-5 / (W.shape[0] * W.shape[2])
    values, vectors = models.curvature(W)
    assert (vectors * values) @ vectors.T == pytest.approx(mean, rel=1e-5, abs=1e-6)


def test_large_penalties_leave_nothing():
    fit = SSCE(3, lambda1=1e7, solver="profile").fit(LABELS, X)
    assert np.abs(fit.consensus_).max() < 1e-4
    assert fit.objective_ == pytest.approx(30 * 5 * np.log(3), rel=1e-3)


@pytest.mark.long
@pytest.mark.parametrize("solver", SOLVERS)
def test_follows_rotations_of_the_features_and_orders_of_everything(solver):
    rng = np.random.default_rng(3)
    fit = tight(3, 0.5, solver, aligned_to=0).fit(LABELS, X)
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turned = tight(3, 0.5, solver, aligned_to=0).fit(LABELS, X @ rotation)
    assert turned.objective_ == pytest.approx(fit.objective_, rel=1e-6)
    assert rotation @ turned.consensus_ == pytest.approx(fit.consensus_, abs=2e-3)
    order = rng.permutation(30)
    moved = tight(3, 0.5, solver, aligned_to=0).fit(LABELS[order], X[order])
    assert moved.objective_ == pytest.approx(fit.objective_, rel=1e-6)
    assert adjusted_rand_score(moved.labels_, fit.labels_[order]) == 1
    columns = tight(3, 0.5, solver, aligned_to=4).fit(LABELS[:, ::-1], X)
    assert columns.objective_ == pytest.approx(fit.objective_, rel=1e-6)
    assert columns.omega_ == pytest.approx(fit.omega_[::-1, ::-1], abs=2e-3)


def test_equal_objects_count_as_often_as_they_come():
    """Once with equal rows, once with rows that differ by nothing that matters."""
    twice, features = np.vstack([LABELS, LABELS[:7]]), np.vstack([X, X[:7]])
    merged = tight(3, 1.0).fit(twice, features)
    apart = tight(3, 1.0).fit(twice, np.vstack([X, X[:7] + 1e-12]))
    assert merged.objective_ == pytest.approx(apart.objective_, abs=1e-5)
    assert merged.objective_ > tight(3, 1.0).fit(LABELS, X).objective_ + 1


def test_a_missing_label_takes_no_part():
    labels, classes = LABELS.copy(), ALIGNED.copy()
    labels[4, 2] = labels[9, 1] = labels[20, 2] = -1
    classes[labels < 0] = -1
    fit = tight(3, 1.0).fit(labels, X)
    value, gap = literal(fit.weights_, X, classes, 1.0, 1.0)
    assert fit.objective_ == pytest.approx(value, abs=1e-7)
    assert 0 <= gap < 1e-3


def test_more_features_than_objects():
    """The copies share what the features have alone; the directions that no object has stay empty."""
    wide = np.hstack([*[X] * 12, np.zeros((30, 2))])
    fit = tight(3, 1.0).fit(LABELS, wide)
    assert fit.consensus_.shape == (38, 3)
    assert fit.consensus_[:36].reshape(12, 3, 3) == pytest.approx(np.tile(fit.consensus_[:3], (12, 1, 1)))
    assert np.abs(fit.consensus_[36:]).max() < 1e-9
    scaled = tight(3, 1.0).fit(LABELS, X * np.sqrt(12))
    assert fit.objective_ == pytest.approx(scaled.objective_, rel=1e-6)


def test_aligns_to_the_reference():
    ensemble = Ensemble(LABELS)
    assert best_reference(ensemble, 3) == 0
    assert np.array_equal(align(ensemble, 0, 3)[ensemble.membership], ALIGNED)


def test_surplus_clusters_join_the_class_that_they_overlap_most():
    reference = np.repeat([0, 1], 5)
    split = np.array([0, 0, 0, 2, 2, 1, 1, 1, 1, 2])
    ensemble = Ensemble(np.column_stack([split, reference]))
    assert best_reference(ensemble, 2) == 1
    aligned = align(ensemble, 1, 2)[ensemble.membership]
    assert aligned[:, 0].tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 1, 0]
    with pytest.raises(ConsensusFailure, match=r"aligned_to = 0 has 3 clusters, more than n_clusters = 2"):
        SSCE(2, aligned_to=0).fit(ensemble, features_of(ensemble))
    with pytest.raises(ConsensusFailure, match="every base clustering has more than n_clusters = 2"):
        SSCE(2).fit(ensemble.subset([0]), features_of(ensemble))
    with pytest.raises(ValueError, match=r"aligned_to = 2: .* number of clusterings, 2"):
        SSCE(2, aligned_to=2).fit(ensemble, features_of(ensemble))


def test_reference_is_that_which_agrees_most_with_the_others():
    noise = np.random.default_rng(1).integers(3, size=(30, 2))
    labels = np.column_stack([noise, ALIGNED[:, [0, 3]], np.minimum(ALIGNED[:, 0], 1)])
    assert best_reference(Ensemble(labels), 3) == 2
    assert best_reference(Ensemble(labels), 2) == 4
    assert best_reference(Ensemble(labels[:, ::-1]), 3) == 2


@pytest.mark.parametrize("n_clusters", [1, 2, 3])
@pytest.mark.parametrize("intercept", [True, False])
def test_predicts_the_labels_of_the_objects_of_the_fit(n_clusters, intercept):
    fit = SSCE(n_clusters, intercept=intercept, solver="profile").fit(l30(), X)
    assert np.array_equal(fit.predict(X), fit.labels_)
    assert np.array_equal(fit.predict(X[:1]), fit.labels_[:1])


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_models_are_in_the_order_of_the_labels(n_clusters):
    """The other way round the objects find the same models, up to the tolerance, in another order."""
    labels = np.minimum(ALIGNED, n_clusters - 1)
    fit = tight(n_clusters, 1.0, aligned_to=0).fit(labels, X)
    turned = tight(n_clusters, 1.0, aligned_to=0).fit(labels[::-1], X[::-1])
    assert turned.labels_[-1] == n_clusters - 1, "or the case shows nothing"
    assert np.array_equal(turned.predict(X), turned.labels_[::-1])
    order = turned.predict(X)[np.unique(fit.labels_, return_index=True)[1]]
    for found, expected in ((turned.weights_, fit.weights_), (turned.consensus_, fit.consensus_)):
        centred = [models - models.mean(axis=-1, keepdims=True) for models in (found[..., order], expected)]
        assert centred[0] == pytest.approx(centred[1], abs=2e-3)
    assert n_clusters > 2 or not turned.weights_[:, :, 0].any()


def test_predicts_unseen_objects():
    seen = np.arange(30) % 3 != 0
    fit = SSCE(3, solver="profile").fit(LABELS[seen], X[seen])
    assert adjusted_rand_score(L30_CLASSES[~seen], fit.predict(X[~seen])) == 1
    together = np.r_[fit.labels_, fit.predict(X[~seen])]
    assert adjusted_rand_score(np.r_[L30_CLASSES[seen], L30_CLASSES[~seen]], together) == 1


def test_a_class_without_objects_comes_last():
    """The reference has three of the four clusters: labels 0..2 stay those of the objects of the fit."""
    fit = SSCE(4, solver="profile").fit(LABELS, X)
    assert fit.consensus_.shape == (4, 4)
    assert sorted(set(fit.labels_)) == [0, 1, 2]
    assert np.array_equal(fit.predict(X), fit.labels_)


def test_says_why_it_cannot_predict():
    with pytest.raises(ValueError, match="call fit first"):
        SSCE(3).predict(X)
    with pytest.raises(ValueError, match="predict needs features='original'"):
        SSCE(3, features="pseudo").fit(LABELS).predict(X)
    fit = SSCE(3, solver="profile").fit(LABELS, X)
    with pytest.raises(ValueError, match="features have 2 columns, those of fit 3"):
        fit.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        fit.predict(np.full((1, 3), np.nan))


def test_pseudo_features_need_no_others():
    fit = SSCE(3, features="pseudo", solver="profile").fit(l30())
    assert np.array_equal(SSCE(3, features="pseudo", solver="profile").fit(l30(), X).labels_, fit.labels_)
    ensemble = Ensemble(l30())
    assert [len(set(fit.labels_[ensemble.membership == p])) for p in range(ensemble.n_profiles)] == [1] * 28


def test_tells_when_its_rule_of_stopping_was_not_met():
    fit = SSCE(3, max_iter=3).fit(LABELS, X)
    assert (fit.converged_, fit.n_iter_, len(fit.objective_path_)) == (False, 3, 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lambda1", 0),
        ("lambda2", -1.0),
        ("features", "raw"),
        ("solver", "newton"),
        ("aligned_to", -1),
        ("intercept", 1),
        ("tol", float("inf")),
        ("max_iter", 0),
    ],
)
def test_refuses_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"SSCE: {name} = "):
        SSCE(3, **{name: value}).fit(LABELS, X)


@pytest.mark.long
@pytest.mark.parametrize("features", ["original", "pseudo"])
@pytest.mark.parametrize("n_clusters", [3, 12])
def test_declares_what_it_holds(features, n_clusters, monkeypatch):
    rng = np.random.default_rng(0)
    ensemble = Ensemble(rng.integers(n_clusters, size=(3000, 20)))
    bytes_ = []
    monkeypatch.setattr(SSCE, "_require_memory", lambda self, doubles: bytes_.append(8 * doubles))
    method = SSCE(n_clusters, features=features, max_iter=2)
    tracemalloc.start()
    try:
        method.fit(ensemble, rng.standard_normal((3000, 5)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bytes_[0] / 2.5 < peak < bytes_[0] + 2**21
