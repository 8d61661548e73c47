"""Mixture against recorded runs of EM, a likelihood from the formula, and closed forms."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.methods import Mixture
from consclust.methods.mixture import Model, draw_random_start, draw_spread_start, expect, maximise
from consclust.numerics.numbering import renumber
from consclust.numerics.points import LabelTable
from consclust.testing import l30

CASES = json.loads((Path(__file__).parent.parent / "oracles" / "mixture_em.json").read_text())["cases"]


class Case:
    """A recorded run, and the start of it for the profiles: the mean over the objects of each."""

    def __init__(self, record):
        self.record = record
        self.given = np.array(record["labels"])
        self.ensemble = Ensemble(self.given)
        self.data = LabelTable.make(self.ensemble)
        p, k = np.ogrid[: record["n"], : record["k"]]
        start = 1.0 + (3 * p + 5 * k + p * k) % 7
        start /= start.sum(axis=1, keepdims=True)
        self.start = np.zeros((self.ensemble.n_profiles, record["k"]))
        np.add.at(self.start, self.ensemble.membership, start)
        self.start /= self.ensemble.weights[:, None]

    def in_order_of_columns(self, theta):
        """Return the recorded theta, (K, sum of k_i), with columns in the order of ours."""
        firsts = np.cumsum(self.given.max(axis=0)) - self.given.max(axis=0)
        names = zip(self.ensemble.cluster_names, firsts, strict=True)
        return np.array(theta)[:, np.concatenate([own - 1 + first for own, first in names])]


@pytest.fixture(params=CASES, ids=lambda record: record["name"])
def case(request):
    return Case(request.param)


def close(found, expected, tolerance=1e-10):
    return found == pytest.approx(np.array(expected), abs=tolerance, rel=tolerance)


def test_rounds_are_the_recorded(case):
    record, member = case.record, case.ensemble.membership
    responsibilities = case.start
    path = []
    for number in range(1, 101):
        model = maximise(case.data, responsibilities)
        responsibilities, likelihood = expect(case.data.indicator, model)
        path.append(case.data.weights @ likelihood)
        if f"{number}" in record["mixing"]:
            assert close(model.shares, record["mixing"][f"{number}"])
        if number == 10:
            assert close(model.theta.T, case.in_order_of_columns(record["theta_after_10"]))
        if number in (1, 10):
            assert close(responsibilities[member], record[f"responsibilities_after_{number}"])
    assert close(path, record["log_likelihood"])
    assert renumber(responsibilities.argmax(axis=1)[member]).tolist() == record["partition_after_100"]


def test_a_run_stops_where_the_likelihood_hardly_rises(case):
    """The labels, the model and the likelihood belong together."""
    expected = case.record["log_likelihood"]
    fit = Mixture(case.record["k"], tol=1e-4, max_iter=100).learn(case.data, case.start)
    rises = np.diff(expected) <= 1e-4 * np.abs(expected[1:])
    assert close(fit.path, expected[: int(np.argmax(rises)) + 2])
    assert fit.converged
    again, likelihood = expect(case.data.indicator, fit.model)
    assert np.array_equal(again.argmax(axis=1), fit.labels)
    assert case.data.weights @ likelihood == fit.path[-1]
    short = Mixture(case.record["k"], max_iter=3).learn(case.data, case.start)
    assert len(short.path) == 3
    assert not short.converged


def test_attributes_are_those_of_the_formula():
    labels = l30()
    labels[::4, 3] = -1
    mixture = Mixture(3, random_state=2).fit(np.vstack([labels, labels[:5]]))
    coded = Ensemble(np.vstack([labels, labels[:5]])).labels
    total = 0.0
    for row, memberships in zip(coded, mixture.memberships_, strict=True):
        chances = mixture.shares_.copy()
        for theta, label in zip(mixture.theta_, row, strict=True):
            if label >= 0:
                chances *= theta[:, label]
        total += math.log(chances.sum())
        assert close(memberships, chances / chances.sum())
    assert mixture.log_likelihood_ == pytest.approx(total, abs=1e-8)
    assert mixture.log_likelihood_path_[-1] == mixture.log_likelihood_
    assert (np.diff(mixture.log_likelihood_path_) > -1e-9).all()
    assert [theta.shape for theta in mixture.theta_] == [(3, k) for k in Ensemble(labels).n_clusters]
    assert all(close(theta.sum(axis=1), np.ones(3)) for theta in mixture.theta_)
    n_parameters = 2 + 3 * (Ensemble(labels).n_clusters - 1).sum()
    assert mixture.bic_ == pytest.approx(n_parameters * math.log(35) - 2 * total, abs=1e-6)


def test_one_component_has_the_likelihood_of_the_sizes():
    labels = np.array(CASES[4]["labels"])
    mixture = Mixture(1).fit(labels)
    expected = 0.0
    for column in labels.T:
        sizes = np.unique(column[column > 0], return_counts=True)[1]
        expected += (sizes * np.log(sizes / sizes.sum())).sum()
    assert mixture.log_likelihood_ == pytest.approx(expected, abs=1e-9)


def test_expected_labels_are_not_used():
    labels = np.array(CASES[4]["labels"])
    left, right = (Mixture(4, random_state=0).fit(Ensemble(labels, missing)) for missing in ("expected", "ignored"))
    assert left.log_likelihood_ == right.log_likelihood_


@pytest.mark.parametrize("draw", [draw_random_start, draw_spread_start])
def test_starts_are_distributions_without_zeros(draw):
    data = LabelTable.make(Ensemble(l30()))
    start = draw(data, 4, np.random.default_rng(0))
    assert start.shape == (len(data.weights), 4)
    assert start.min() > 0
    assert close(start.sum(axis=1), np.ones(len(start)))
    assert len(np.unique(start.argmax(axis=1))) == 4


def test_an_empty_component_stays_empty():
    """Also where it has no object that a clustering labels: the shares among all objects take the place of 0 / 0."""
    data = LabelTable.make(Ensemble([[0, 0], [0, 0], [1, -1], [1, -1]]))
    mixed = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    model = maximise(data, mixed)
    assert model.shares[2] == 0
    assert np.isfinite(model.theta).all()
    assert close(data.total(model.theta), np.ones((2, 3)))
    responsibilities, likelihood = expect(data.indicator, model)
    assert (responsibilities[:, 2] == 0).all()
    assert np.isfinite(likelihood).all()


def test_objects_that_no_component_can_have_join_the_greatest():
    model = Model(np.array([0.25, 0.75]), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]))
    data = LabelTable.make(Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]]))
    responsibilities, likelihood = expect(data.indicator, model)
    impossible = np.isinf(likelihood)
    assert impossible.sum() == 2
    assert close(responsibilities[impossible], [[0.25, 0.75]] * 2)
    assert np.isfinite(responsibilities).all()


def test_predicts_the_labels_of_other_objects():
    labels = l30()
    mixture = Mixture(3, random_state=0).fit(labels)
    assert np.array_equal(mixture.predict(labels), mixture.labels_)
    assert mixture.predict(np.full((1, 8), -1))[0] == mixture.shares_.argmax()
    partly = labels.copy()
    partly[:, 5:] = -1
    assert (mixture.predict(partly) == mixture.labels_).mean() > 0.9
    with pytest.raises(ValueError, match="label 9 names no cluster of clustering 2"):
        mixture.predict(np.where(np.arange(8) == 2, 9, labels))


@pytest.mark.parametrize(
    ("name", "value"), [("init", "kmeans"), ("n_init", 0), ("max_iter", 0), ("tol", -1e-9), ("tol", np.nan)]
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"Mixture: {name} = "):
        Mixture(2, **{name: value}).fit(l30())
