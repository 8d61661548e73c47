"""Every method finds planted clusters in spite of missing labels, but for those that say that they do not hold."""

import warnings

import numpy as np
import pytest

from consclust import methods
from consclust.errors import MissingLabelsWarning
from consclust.scores import ari

pytestmark = pytest.mark.long

SIZES = (34, 28, 22, 16)
CLASSES = np.repeat(np.arange(4), SIZES)
FEATURES = 6 * np.eye(4)[CLASSES] + np.random.default_rng(3).normal(size=(100, 4))
HOLD = [name for name in methods.names() if not methods.load(name).with_missing]


def complete():
    """20 clusterings of the planted clusters with 10 % wrong labels, every second one with a cluster cut in two."""
    rng = np.random.default_rng(1)
    columns = []
    for number in range(20):
        labels = CLASSES.copy()
        if number % 2:
            cut = rng.integers(4)
            labels[(cut == CLASSES) & (rng.random(100) < 0.5)] = 4
        wrong = rng.random(100) < 0.1
        labels[wrong] = rng.integers(5, size=wrong.sum())
        columns.append(labels)
    return np.column_stack(columns)


def without_most_labels():
    labels = complete()
    labels[np.random.default_rng(2).random(labels.shape) < 0.6] = -1
    assert (labels >= 0).any(axis=1).all()
    return labels, np.arange(100)


def with_bad_objects():
    labels, bad = complete(), [5, 50, 90]
    labels[bad, 1:] = -1
    return labels, np.delete(np.arange(100), bad)


def in_two_halves():
    """Each half of the objects in half of the clusterings, 20 objects in all."""
    labels, order = complete(), np.random.default_rng(4).permutation(100)
    labels[np.ix_(order[:40], np.arange(10, 20))] = -1
    labels[np.ix_(order[60:], np.arange(10))] = -1
    return labels, np.arange(100)


@pytest.mark.parametrize(
    ("take", "least"), [(without_most_labels, 0.85), (with_bad_objects, 0.95), (in_two_halves, 0.95)]
)
@pytest.mark.parametrize("name", HOLD)
def test_planted_clusters_are_found(name, take, least):
    labels, scored = take()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingLabelsWarning)
        found = methods.make(name, 4, {}, 0).fit(labels, FEATURES).labels_
    assert ari(CLASSES[scored], found[scored]) >= least


def test_few_methods_do_not_hold():
    assert set(methods.names()) - set(HOLD) == {"CSPA", "HGPA"}
