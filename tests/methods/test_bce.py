"""BCE against the authors' program, exact likelihoods of small models, and what variational EM promises."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.integrate import quad
from scipy.special import gammaln, polygamma, psi
from scipy.stats import dirichlet
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import BCE
from consclust.methods.bce import ALPHA_FLOOR, Model, Words, e_step, lower_bound, new_alpha, new_beta, random_start
from consclust.testing import L30_CLASSES, l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "bce.json").read_text())["cases"]

label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(3, 12), st.integers(2, 5)), elements=st.integers(0, 3))


class Case:
    """A run of the authors' program; its labels, and so the columns of beta, in the order of ours."""

    def __init__(self, record):
        self.record = record
        given = np.array(record["X"]) - 1
        self.ensemble = Ensemble(given)
        self.data = Words.make(self.ensemble)
        ours = self.ensemble.labels
        self._columns = [
            [given[np.flatnonzero(ours[:, i] == label)[0], i] for label in range(k)]
            for i, k in enumerate(self.ensemble.n_clusters)
        ]
        self.start = Model(np.array(record["alpha0"]), self.beta("beta0"))

    def beta(self, name):
        beta = zip(self.record[name], self._columns, strict=True)
        return np.vstack([np.array(one)[:, columns].T for one, columns in beta])


@pytest.fixture(params=ORACLE, ids=lambda record: f"variant{record['variant']}")
def case(request):
    return Case(request.param)


def close(found, expected):
    return found == pytest.approx(np.array(expected), abs=1e-10)


def test_e_step_is_that_of_the_authors_program(case):
    phi, gamma, converged = e_step(case.data, case.start, 0.01, 499)
    first = case.ensemble.membership[0]
    assert close(phi[first].T, case.record["estep_phi_obj1"])
    assert close(gamma[first], case.record["estep_gamma_obj1"])
    assert converged


def test_m_step_is_that_of_the_authors_program(case):
    phi, gamma, _ = e_step(case.data, case.start, 0.01, 499)
    assert close(new_beta(case.data, phi, case.record["lap"]), case.beta("mstep1_beta"))
    alpha, converged = new_alpha(case.start.alpha, gamma, case.data.weights)
    assert close(alpha, case.record["mstep1_alpha"])
    assert converged


def test_em_is_that_of_the_authors_program(case):
    fit = BCE(case.record["k"], smoothing=case.record["lap"]).learn(case.data, case.start)
    assert len(fit.path) == case.record["outer_iterations"]
    assert fit.converged
    assert close(fit.model.alpha, case.record["alpha"])
    assert close(fit.model.beta, case.beta("beta"))
    gamma = fit.posterior.gamma[case.ensemble.membership]
    assert close(gamma.T, case.record["gamma"])
    assert close(fit.posterior.phi[case.ensemble.membership[0]].T, case.record["phi_obj1"])
    assert (gamma.argmax(axis=1) + 1).tolist() == case.record["labels"]


def test_the_oracle_has_missing_labels():
    assert [Case(record).ensemble.has_missing for record in ORACLE] == [False, True, False]


def test_bound_rises_as_in_the_specification():
    case = Case(ORACLE[0])
    start = lower_bound(case.data, case.start, e_step(case.data, case.start, 0.01, 499))
    path = BCE(3).learn(case.data, case.start).path
    assert start == pytest.approx(-306.961, abs=5e-4)
    assert path[-1] == pytest.approx(-188.552, abs=5e-4)
    assert (np.diff([start, *path]) > 0).all()


def exact_log_likelihood(labels, alpha, beta):
    """Sum over all consensus clusters of all labels of one object, theta integrated out."""
    k, total = len(alpha), 0.0
    for z in itertools.product(range(k), repeat=len(labels)):
        counts = np.bincount(z, minlength=k)
        chance = gammaln(alpha.sum()) - gammaln(alpha.sum() + len(labels))
        chance += (gammaln(alpha + counts) - gammaln(alpha)).sum()
        total += np.exp(chance) * np.prod([beta[i][z[i], label] for i, label in enumerate(labels)])
    return np.log(total)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_bound_is_below_the_exact_likelihood(k):
    ensemble = Ensemble(l30()[:9, :5])
    data = Words.make(ensemble)
    model = random_start(data, k, np.random.default_rng(k))
    beta = np.split(model.beta.T, data.firsts[1:], axis=1)
    exact = sum(exact_log_likelihood(row, model.alpha, beta) for row in ensemble.labels)
    gap = exact - lower_bound(data, model, e_step(data, model, 1e-12, 5000))
    assert gap == pytest.approx(0, abs=1e-10) if k == 1 else gap > 1e-3


def test_bound_is_the_expectation_that_defines_it():
    """E_q[log p(theta, z, labels) - log q(theta, z)] of one object and two clusters, by quadrature."""
    data = Words.make(Ensemble(np.array([[0, 0, 0]])))
    model = Model(np.array([0.7, 1.9]), np.array([[0.2, 0.5], [0.6, 0.1], [0.3, 0.4]]))
    posterior = e_step(data, model, 0.01, 499)
    phi, gamma = posterior.phi[0], posterior.gamma[0]

    def integrand(t):
        theta = np.array([t, 1 - t])
        labels = (phi * (np.log(theta) + np.log(model.beta) - np.log(phi))).sum()
        ratio = dirichlet(model.alpha).logpdf(theta) - dirichlet(gamma).logpdf(theta)
        return dirichlet(gamma).pdf(theta) * (ratio + labels)

    expected = quad(integrand, 0, 1, epsabs=1e-11)[0]
    assert lower_bound(data, model, posterior) == pytest.approx(expected, abs=1e-8)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(label_matrices, st.integers(1, 4), st.integers(0, 99))
def test_every_sweep_and_every_m_step_raises_the_bound(labels, k, seed):
    data = Words.make(Ensemble(labels))
    model = random_start(data, k, np.random.default_rng(seed))
    sweeps = [lower_bound(data, model, e_step(data, model, 0, count)) for count in range(1, 12)]
    assert (np.diff(sweeps) >= -1e-9).all()
    posterior = e_step(data, model, 0.01, 499)
    # beta's M-step maximises the bound with the smoothing as a prior
    smoothing = 0.3
    beta = new_beta(data, posterior.phi, smoothing)
    before, after = (
        lower_bound(data, Model(model.alpha, b), posterior) + smoothing * np.log(b).sum() for b in (model.beta, beta)
    )
    assert after >= before - 1e-9
    alpha, _ = new_alpha(model.alpha, posterior.gamma, data.weights)
    raised = lower_bound(data, Model(alpha, model.beta), posterior)
    assert raised >= lower_bound(data, model, posterior) - 1e-3


def test_alpha_maximises_the_bound():
    case = Case(ORACLE[2])
    posterior = e_step(case.data, case.start, 0.01, 499)
    alpha = case.start.alpha
    for _ in range(6):  # each call stops at a relative change of 1e-3, quadratic convergence does the rest
        alpha, _ = new_alpha(alpha, posterior.gamma, case.data.weights)
    at = [lower_bound(case.data, Model(alpha * factor, case.start.beta), posterior) for factor in (1, 1.02)]
    assert at[0] > at[1]
    for h in range(len(alpha)):
        step = 1e-4 * np.eye(len(alpha))[h]
        up, down = (lower_bound(case.data, Model(a, case.start.beta), posterior) for a in (alpha + step, alpha - step))
        assert (up - down) / 2e-4 == pytest.approx(0, abs=1e-4)


def literal_newton(alpha, gamma):
    """Newton's method with a dense Hessian; also how often a step was halved."""
    n, halved = len(gamma), 0
    statistics = (psi(gamma) - psi(gamma.sum(axis=1, keepdims=True))).sum(axis=0)
    for _ in range(500):
        gradient = statistics + n * (psi(alpha.sum()) - psi(alpha))
        hessian = n * polygamma(1, alpha.sum()) - n * np.diag(polygamma(1, alpha))
        step = np.linalg.solve(hessian, gradient)
        while (alpha - step <= 0).any():
            step, halved = step / 2, halved + 1
        old, alpha = alpha, alpha - step
        if np.abs(alpha - old).sum() / np.abs(old).sum() <= 1e-3:
            break
    return alpha, halved


@pytest.mark.parametrize("alpha", [[5.0, 0.2, 3.0], [0.6, 0.7, 0.8], [0.01, 2.0, 40.0]])
def test_alpha_is_that_of_newtons_method_with_halved_steps(alpha):
    gamma = np.random.default_rng(0).gamma(0.5, 4, (25, 3)) + 0.1
    expected, halved = literal_newton(np.array(alpha), gamma)
    assert halved > 0
    assert new_alpha(np.array(alpha), gamma, np.ones(25))[0] == pytest.approx(expected, abs=1e-10)


def test_alpha_stays_above_its_floor():
    """Pure posteriors, one object each: the bound rises all the way to alpha = 0."""
    gamma = np.full((3, 3), 1e-9) + 1e6 * np.eye(3)
    alpha = np.full(3, 1e-5)
    for _ in range(20):
        alpha, _ = new_alpha(alpha, gamma, np.ones(3))
    assert (alpha >= ALPHA_FLOOR).all()


@settings(max_examples=40, deadline=None)
@given(label_matrices, st.integers(1, 4), st.integers(0, 99))
def test_profiles_give_the_fit_of_the_objects(labels, k, seed):
    labels = labels[np.random.default_rng(seed).integers(len(labels), size=2 * len(labels))]
    ensemble = Ensemble(labels)
    data = Words.make(ensemble)
    objects = Words(data.words[ensemble.membership], np.ones(len(labels)), data.firsts, data.n_words)
    start = random_start(data, k, np.random.default_rng(seed))
    reduced, full = BCE(k, max_outer=8).learn(data, start), BCE(k, max_outer=8).learn(objects, start)
    assert reduced.path == pytest.approx(full.path, rel=1e-8)
    assert reduced.model.alpha == pytest.approx(full.model.alpha, rel=1e-6, abs=1e-9)
    assert reduced.model.beta == pytest.approx(full.model.beta, abs=1e-8)
    assert reduced.posterior.gamma[ensemble.membership] == pytest.approx(full.posterior.gamma, abs=1e-7)


def test_a_missing_label_takes_no_part():
    labels = l30()
    labels[4, 2] = labels[4, 5] = labels[9, 0] = -1
    ensemble = Ensemble(labels)
    data = Words.make(ensemble)
    model = random_start(data, 3, np.random.default_rng(0))
    phi, gamma, _ = e_step(data, model, 0.01, 499)
    assert np.array_equal(phi.sum(axis=2) == 0, ensemble.profiles == -1)
    seen = (ensemble.profiles >= 0).sum(axis=1)
    assert (gamma - model.alpha).sum(axis=1) == pytest.approx(seen, abs=1e-10)
    # the other labels of the object see nothing of the clusterings it is missing from
    alone = Ensemble(np.delete(labels, [2, 5], axis=1))
    rows = ~np.isin(np.arange(data.n_words), np.r_[6:9, 15:19])
    there = e_step(Words.make(alone), Model(model.alpha, model.beta[rows]), 0.01, 499)
    assert there.gamma[alone.membership[4]] == pytest.approx(gamma[ensemble.membership[4]], abs=1e-12)


def test_keeps_every_start_and_takes_the_best_bound():
    best = BCE(3, n_init=6, random_state=4).fit(l30())
    rng = np.random.default_rng(4)
    single = [BCE(3, n_init=1, random_state=rng).fit(l30()) for _ in range(6)]
    bounds = [fit.bound_ for fit in single]
    assert len(set(bounds)) > 1
    assert best.chosen_ == int(np.argmax(bounds))
    assert best.bound_ == max(bounds) == best.bound_path_[-1]
    assert np.array_equal(best.restart_labels_, np.stack([fit.labels_ for fit in single]))
    assert best.n_iter_ == single[best.chosen_].n_iter_ == len(best.bound_path_)


def test_a_flat_start_has_equal_alpha_and_draws_beta_alone():
    data = Words.make(Ensemble(l30()))
    beta = np.random.default_rng(7).random((data.n_words, 4))
    start = Model(np.full(4, 0.25), data.normalised(beta))
    expected = BCE(4).learn(data, start)
    flat = BCE(4, alpha_start="flat", n_init=1, random_state=np.random.default_rng(7)).fit(l30())
    assert flat.bound_path_ == pytest.approx(np.array(expected.path), rel=1e-12)
    drawn = BCE(4, n_init=1, random_state=np.random.default_rng(7)).fit(l30())
    assert drawn.bound_path_[0] != pytest.approx(expected.path[0], rel=1e-6)


@pytest.mark.parametrize("rows", [np.arange(30), np.arange(30)[::-1]], ids=["as they are", "the other way round"])
def test_attributes_are_the_model_of_the_labels(rows):
    ensemble = Ensemble(l30()[rows])
    bce = BCE(3, random_state=0).fit(ensemble)
    assert [beta.shape for beta in bce.beta_] == [(3, k) for k in ensemble.n_clusters]
    for beta in bce.beta_:
        assert beta.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-12)
    assert np.array_equal(bce.profile_gamma_.argmax(axis=1)[ensemble.membership], bce.labels_)
    assert np.array_equal(bce.predict(ensemble.given), bce.labels_)
    assert adjusted_rand_score(L30_CLASSES[rows], bce.labels_) > 0.8
    # column 0 of the matrix is nearly the classes: its most probable label is another one in each cluster
    assert sorted(bce.beta_[0].argmax(axis=1).tolist()) == [0, 1, 2]
    assert bce.converged_


def test_tells_when_a_rule_of_stopping_was_not_met():
    assert BCE(3, random_state=0).fit(l30()).converged_
    short = BCE(3, max_outer=1, random_state=0).fit(l30())
    assert (short.converged_, short.n_iter_) == (False, 1)
    assert not BCE(3, max_inner=1, random_state=0).fit(l30()).converged_


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("smoothing", 0),
        ("tol", -1),
        ("inner_tol", float("nan")),
        ("max_outer", 0),
        ("max_inner", 2.5),
        ("n_init", 0),
        ("alpha_start", "even"),
    ],
)
def test_refuses_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"BCE: {name} = "):
        BCE(3, **{name: value}).fit(l30())


@pytest.mark.parametrize("record", ORACLE, ids=lambda record: f"variant{record['variant']}")
def test_infers_the_labels_of_the_objects_of_the_fit(record):
    """The E-step with the learned parameters is one M-step ahead of that which gave the labels."""
    given = np.array(record["X"]) - 1
    bce = BCE(record["k"], tol=1e-6, n_init=1, random_state=0).fit(given)
    found = bce.predict(given)
    assert (found == bce.labels_).mean() > 0.9
    names = np.array([7, 4, 40, 400, 4000])
    renamed = np.where(given < 0, -1, names[given])
    again = BCE(record["k"], tol=1e-6, n_init=1, random_state=0).fit(renamed)
    assert np.array_equal(again.labels_, bce.labels_)
    assert np.array_equal(again.predict(renamed), found)
    assert np.array_equal(again.predict(renamed[::-1]), found[::-1])


def test_inference_is_the_e_step_of_the_authors_program(case):
    """Of one object, with the parameters of the start: the first E-step of the oracle."""
    bce = BCE(case.record["k"], n_init=1, random_state=0).fit(case.ensemble)
    bce.alpha_ = case.start.alpha
    bce.beta_ = np.split(case.start.beta.T, case.data.firsts[1:], axis=1)
    expected = int(np.argmax(case.record["estep_gamma_obj1"]))
    assert bce.predict(np.array(case.record["X"])[:1] - 1).tolist() == [expected]


def test_infers_unseen_objects_and_ignores_what_is_missing():
    seen = np.arange(30) % 4 != 0
    bce = BCE(3, random_state=0).fit(l30()[seen])
    unseen = l30()[~seen]
    together = np.r_[bce.labels_, bce.predict(unseen)]
    assert adjusted_rand_score(np.r_[L30_CLASSES[seen], L30_CLASSES[~seen]], together) > 0.8
    unseen[:, 1] = -1  # pure noise
    assert adjusted_rand_score(L30_CLASSES[~seen], bce.predict(unseen)) > 0.8
    assert sorted(set(bce.profile_gamma_.argmax(axis=1))) == [0, 1, 2]
    assert bce.predict(np.full((1, 8), -1)).tolist() == [bce.alpha_.argmax()]


def test_says_why_it_cannot_infer():
    with pytest.raises(ValueError, match="call fit first"):
        BCE(3).predict(l30())
    bce = BCE(3, random_state=0).fit(l30())
    with pytest.raises(ValueError, match="labels hold 7 clusterings, the ensemble 8"):
        bce.predict(l30()[:, :7])
    other = l30()
    other[3, 5] = 9
    with pytest.raises(ValueError, match=r"label 9 names no cluster of clustering 5 \(from 0\)"):
        bce.predict(other)
