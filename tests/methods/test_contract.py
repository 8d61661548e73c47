"""What holds for every method; a new method is tested without being named here."""

import json
import os
import subprocess
import sys
from dataclasses import KW_ONLY, dataclass

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from consclust import methods
from consclust.errors import ConsensusFailure
from consclust.methods.base import ConsensusMethod
from consclust.methods.constraints import POSITIVE
from consclust.testing import (
    CHECKS,
    L30_CLASSES,
    check_method,
    check_objects_permuted_and_repeated,
    check_order,
    features_of,
    fit,
    l30,
)

SLOW_METHODS = {"BaumEagon", "DREC", "NMFC", "PEACE", "RSEC", "SDGCA", "SSCE"}
"""Methods that take some tenths of a second for a fit of 30 objects, mostly since they iterate to a tight tolerance."""


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.long if name in SLOW_METHODS else ()) for name in methods.names()]
)
def method(request):
    return methods.load(request.param)


SLOW_CHECKS = {check_order, check_objects_permuted_and_repeated}
"""Checks that fit a method on the objects in other orders, the second with as many restarts as users have."""


@pytest.mark.parametrize(
    "check",
    [pytest.param(check, marks=pytest.mark.long if check in SLOW_CHECKS else ()) for check in CHECKS],
    ids=lambda check: check.__name__.removeprefix("check_"),
)
def test_contract(method, check):
    check(method)


def test_l30_is_the_matrix_of_the_specification():
    def label(p, j):
        k, y = (3, 3, 3, 3, 3, 4, 4, 2)[j], L30_CLASSES[p]
        if (7 * p + 11 * j + 3 * p * j) % 10 < 2:
            return (p + 2 * j) % k
        if k == 3:
            return (y + j) % 3
        return (y + int(y == 2 and p % 2 == 1) + j) % 4 if k == 4 else int(y != 0)

    assert l30().tolist() == [[label(p, j) for j in range(8)] for p in range(30)]


WORDS = "the ValueError speaks of label matrices, and not in the words that the check expects"
EXPECTED_FAILURES = {
    "check_fit_score_takes_y": "the second argument of fit is features, not y",
    "check_complex_data": WORDS,
    "check_dtype_object": WORDS,
    "check_estimators_empty_data_messages": WORDS,
    "check_fit2d_predict1d": WORDS,
    "check_n_features_in_after_fitting": WORDS,
    "check_positive_only_tag_during_fit": "-1 is a missing label, and labels below it are refused",
}
"""Checks of scikit-learn that cannot hold for label matrices."""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit")
def test_keeps_the_conventions_of_scikit_learn(method):
    if method.needs_features:
        pytest.skip("scikit-learn's checks have no features beside the labels")
    quick = {"n_init": 1, "max_iter": 2, "max_outer": 2}
    parameters = {name: quick[name] for name in quick.keys() & method.parameters().keys()}
    check_estimator(method(n_clusters=2, **parameters), expected_failed_checks=EXPECTED_FAILURES, on_skip=None)


PROGRAM = """
import json
from consclust import methods
from consclust.testing import fit, l30
answers = {}
for name in methods.names():
    try:
        answers[name] = fit(methods.load(name), 3, l30(), random_state=3).restart_labels_.tolist()
    except Exception as broken:
        answers[name] = repr(broken)
print(json.dumps(answers))
"""


@pytest.mark.long
def test_same_seed_same_labels_in_another_process_on_two_threads():
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True)
    elsewhere = json.loads(done.stdout)
    here = {name: fit(methods.load(name), 3, l30(), random_state=3).restart_labels_.tolist() for name in elsewhere}
    assert here == elsewhere
    assert list(here) == list(methods.names())


@pytest.mark.parametrize("seed", [-1, "x", 1.5])
def test_refuses_a_seed_that_is_none(seed):
    with pytest.raises(ValueError, match=f"KC: random_state = {seed!r}: must be an integer >= 0"):
        methods.KC(2, random_state=seed).fit(l30())


@dataclass(repr=False, eq=False)
class First(ConsensusMethod):
    """The first clustering; ``n_clusters``, ``power`` and ``random_state`` change nothing."""

    summary = "The first clustering."
    constraints = {"power": POSITIVE}
    order_dependent = True

    n_clusters: int
    _: KW_ONLY
    power: float = 1.0
    random_state: int | None = None

    def _fit(self, ensemble):
        labels = ensemble.profiles[:, 0]
        self._set_only_labels(np.clip(labels, 0, self.n_clusters - 1), self._membership)


class Lucky(First):
    """``n_clusters``, ``power``, ``random_state``."""

    def _fit(self, ensemble):
        labels = np.random.default_rng().permutation(ensemble.n_profiles) % self.n_clusters
        self._set_only_labels(labels, self._membership)


class Silent(First):
    """``n_clusters``, ``power``, ``random_state``; says nothing of the order of the clusterings."""

    order_dependent = False


class Global(First):
    """``n_clusters``, ``power``, ``random_state``."""

    def _fit(self, ensemble):
        np.random.rand()  # noqa: NPY002
        super()._fit(ensemble)


class Lenient(First):
    """``n_clusters``, ``power``, ``random_state``."""

    constraints = {}


class Gappy(First):
    """``n_clusters``, ``power``, ``random_state``."""

    def _fit(self, ensemble):
        super()._fit(ensemble)
        self.labels_ = self.labels_ * 2


class Backwards(First):
    """``n_clusters``, ``power``, ``random_state``."""

    def _fit(self, ensemble):
        super()._fit(ensemble)
        self.restart_labels_ = self.restart_labels_.max() - self.restart_labels_
        self.labels_ = self.restart_labels_[0]


class Soft(First):
    """``n_clusters``, ``power``, ``random_state``; memberships in the order of the base clustering's labels."""

    def _fit(self, ensemble):
        super()._fit(ensemble)
        given = np.clip(ensemble.given[:, 0], 0, self.n_clusters - 1)
        self.memberships_ = np.eye(self.n_clusters)[given]


class Prophet(First):
    """``n_clusters``, ``power``, ``random_state``; predicts the labels of the base clustering."""

    predicts_from = "labels"

    def predict(self, labels):
        self._require_fitted()
        return np.clip(np.asarray(labels)[:, 0], 0, self.n_clusters - 1)


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        (Backwards, "Backwards must number clusters by their first objects"),
        (Soft, "Soft has memberships_ in another order"),
        (Prophet, "Prophet predicts the labels of .* of the objects of fit"),
        (Lucky, "Lucky .*"),
        (Global, "Global draws from NumPy's global random state"),
        (Silent, "Silent agrees with itself in another order"),
        (Lenient, r"Lenient accepts power = \(\)"),
        (Gappy, "Gappy skips a label"),
    ],
)
def test_a_defect_is_found_and_named(method, problem):
    with pytest.raises(AssertionError, match=problem):
        check_method(method)


def test_a_method_of_a_third_party_passes():
    check_method(First)


WRONG = {
    r"shape \(restarts, 28\)": (np.zeros((1, 31), dtype=int), np.zeros(1)),
    "not float64": (np.full((1, 28), 0.5), np.zeros(1)),
    "from -1": (np.full((1, 28), -1), np.zeros(1)),
    "costs, .*nan": (np.zeros((2, 28), dtype=int), np.array([np.nan, 1.0])),
    "3 costs": (np.zeros((3, 28), dtype=int), np.zeros(2)),
}


@pytest.mark.parametrize("says", WRONG)
def test_what_are_no_labels_of_a_fit_is_refused_with_the_name_of_the_method(says):
    class Own(First):
        def _fit(self, ensemble):
            self._set_labels(*WRONG[says], ensemble.membership)

    with pytest.raises(ValueError, match=f"^Own must give .*{says}"):
        Own(3).fit(l30())


NEARLY = 1 - 1e-14
CHEAPEST = {
    "rounding chooses the second of two with the same clusters": ([[0, 1, 1], [1, 0, 0], [0, 0, 1]], [1, NEARLY, 2], 0),
    "nor the last": ([[0, 0, 1], [0, 1, 1], [1, 0, 0]], [2, 1, NEARLY], 1),
    "other clusters, however nearly as cheap": ([[0, 0, 1], [0, 1, 1]], [1, NEARLY], 1),
    "the same clusters, but cheaper": ([[0, 1, 1], [1, 0, 0]], [1, 1 - 1e-9], 1),
    "no cost is finite": ([[0, 1, 1], [0, 1, 1]], [np.inf, np.inf], 0),
    "a cost that is minus infinity": ([[0, 1, 1], [0, 1, 1]], [5, -np.inf], 1),
}


@pytest.mark.parametrize(("restarts", "costs", "chosen"), CHEAPEST.values(), ids=CHEAPEST)
def test_of_restarts_that_differ_by_rounding_the_first_is_chosen(restarts, costs, chosen):
    class Own(First):
        def _fit(self, ensemble):
            self._set_labels(np.array(restarts), np.array(costs), ensemble.membership)

    method = Own(2).fit([[0], [1], [2]])
    assert method.chosen_ == chosen
    assert np.array_equal(method.labels_, method.restart_labels_[chosen])


def test_fewer_clusters_are_noted_beside_what_the_method_remarks():
    class Own(First):
        def _fit(self, ensemble):
            super()._fit(ensemble)
            if self.power > 1:
                self.note_ = "a high power"

    method = Own(5, power=2.0).fit(l30())
    assert method.labels_.max() == 2
    assert method.own_note_ == "a high power"
    assert "a high power" in method.note_
    assert "5" in method.note_
    method.set_params(n_clusters=3).fit(l30())
    assert method.note_ == "a high power"
    method.set_params(power=1.0).fit(l30())
    assert method.note_ == method.own_note_ == ""


@pytest.mark.long
@pytest.mark.parametrize("name", ["BCE", "BaumEagon", "MCLA", "PEACE", "SSCE"])
def test_methods_that_leave_clusters_empty_note_it(name):
    """Clusterings of one or two clusters."""
    labels = np.random.default_rng(0).integers(2, size=(30, 12)) * (np.arange(12) % 3 > 0)
    method = methods.make(name, 8, {}, 0).fit(labels, features_of(labels))
    assert method.labels_.max() < 7
    assert "8" in method.note_


def test_a_single_group_of_objects_is_no_plural():
    with pytest.raises(ConsensusFailure, match="only 1 group of objects"):
        methods.KC(2).fit(np.zeros((6, 3), dtype=int))


def test_a_membership_of_other_objects_is_refused():
    class Own(First):
        def _fit(self, ensemble):
            self._set_only_labels(np.arange(28) % 3, np.arange(28))

    with pytest.raises(ValueError, match="Own must give a membership of 30 objects"):
        Own(3).fit(l30())
