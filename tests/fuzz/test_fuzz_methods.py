"""Every method on any ensemble, with any parameters: sound labels and matrices, or a clear refusal."""

import inspect
import math

import numpy as np
import pytest
from hostile import NUMBERS_OF_CLUSTERS, answer, fuzzed, given_as, label_matrices
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from consclust import methods
from consclust.ensemble import MISSING, Ensemble
from consclust.methods.base import COMMON
from consclust.methods.constraints import Interval, read_annotation

pytestmark = pytest.mark.long


def values(method, name):
    """Values of a parameter at and inside its bounds, and some beyond or of wrong types; few of a count, for time."""
    argument = inspect.signature(method).parameters[name]
    constraint = method.constraints.get(name) or read_annotation(argument.annotation) or COMMON.get(name)
    wrong = [None, "", (), math.nan, -1]
    if not isinstance(constraint, Interval):
        return [argument.default, *(constraint.choices if constraint else ())] * 3 + [*wrong, True]
    if constraint.kind is int:
        return [constraint.left, constraint.left, np.int32(2), 3, 5, 7, constraint.left - 1, 2.0, True, *wrong]
    inside = [argument.default, math.nextafter(constraint.left, 1), 1e-9, np.float32(0.3), 1, 40.0, 1e9, 1e300]
    return [*inside, constraint.left, constraint.right, constraint.left - 1e-9, True, *wrong]


@st.composite
def parameters(draw, method):
    """Some parameters; the counts are small unless drawn otherwise."""
    few = {name: 2 for name in method.parameters() if name in COMMON and name.startswith(("n_init", "max_"))}
    seeds = [0, 1, None, np.random.default_rng(1), -1, "x", 1.5]
    changed = draw(st.lists(st.sampled_from([*method.parameters(), "random_state"]), max_size=2, unique=True))
    drawn = {name: seeds if name == "random_state" else values(method, name) for name in changed}
    return {"random_state": 0} | few | {name: draw(st.sampled_from(choices)) for name, choices in drawn.items()}


def features_for(n):
    """Features of n objects, in a form that may be none."""
    numbers = np.random.default_rng(n).normal(size=(n, 3))
    forms = {
        "array": numbers,
        "Fortran order": np.asfortranarray(numbers),
        "sparse": csr_array(np.round(numbers)),
        "list": numbers.tolist(),
        "more columns than objects": np.tile(numbers, 20),
        "constant": np.ones((n, 2)),
        "large": 1e6 * numbers,
        "1e139": 1e139 * numbers,
        "1e300": 1e300 * numbers,
        "text": numbers.astype(str),
        "NaN": np.full((n, 1), np.nan),
        "one object less": numbers[1:],
        "one column": numbers[:, 0],
        "none": None,
    }
    return st.sampled_from(list(forms)).map(forms.get)


def renamed(labels):
    """The same clusterings under other names of their clusters."""
    return np.where(labels == MISSING, MISSING, np.arange(labels.shape[1]) + 7 * (labels.max() - labels) + 9)


def check_fitted(fitted, ensemble, features):
    k, n, labels = fitted.n_clusters, ensemble.n_objects, fitted.labels_
    assert (labels.shape, labels.dtype) == ((n,), np.int64)
    assert set(labels) == set(range(labels.max() + 1))
    assert fitted.free_number or labels.max() < k
    assert np.array_equal(fitted.restart_labels_[fitted.chosen_], labels)
    for name in fitted.matrices:
        matrix = getattr(fitted, name)
        size, matrix = (n, matrix()) if callable(matrix) else (ensemble.n_profiles, matrix)
        assert matrix.shape == (size, size), name
        assert np.isfinite(matrix).all(), name
    for name in fitted.paths:
        assert not np.isnan(getattr(fitted, name)).any(), name
    if fitted.predicts_from:
        known = ensemble.given if fitted.predicts_from == "labels" else features
        predicted = answer(lambda: fitted.predict(known), known)
        assert predicted is None or (predicted.shape == (n,) and set(predicted) <= set(range(k)))
    if hasattr(fitted, "memberships_"):
        assert fitted.memberships_.shape == (n, k)
        assert (fitted.memberships_ >= 0).all()
        np.testing.assert_allclose(fitted.memberships_.sum(axis=1), 1)


@pytest.mark.parametrize("name", methods.names())
@fuzzed
@given(data=st.data())
def test_a_method_answers_or_refuses(name, data):
    method, labels = methods.load(name), data.draw(label_matrices())
    k, options, form = data.draw(NUMBERS_OF_CLUSTERS), data.draw(parameters(method)), data.draw(given_as(labels))
    features = data.draw(features_for(len(labels))) if method.needs_features else None
    fitted = answer(lambda: method(n_clusters=k, **options).fit(form, features), form, features)
    if fitted is None:
        return
    ensemble = Ensemble(form)
    check_fitted(fitted, ensemble, features)
    if isinstance(options["random_state"], int):
        again = method(n_clusters=k, **options).fit(renamed(ensemble.labels), features)
        assert np.array_equal(fitted.restart_labels_, again.restart_labels_)
