"""What the clusterings have seen: unseen pairs, parts, objects with few labels; and what fits say of it."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust import seen
from consclust.ensemble import Ensemble
from consclust.errors import MissingLabelsWarning
from consclust.methods import CSPA, EAC
from consclust.seen import describe_seen, say_what_is_unseen
from consclust.testing import l30


@st.composite
def label_matrices(draw):
    """Label matrices of 2 to 9 objects, most labels missing."""
    shape = draw(st.tuples(st.integers(2, 9), st.integers(3, 5)))
    labels = draw(hnp.arrays(np.int64, shape, elements=st.sampled_from([-1, -1, -1, 0, 1])))
    labels[(labels < 0).all(axis=1), 0] = 0
    labels[0, (labels < 0).all(axis=0)] = 0
    return labels


def literal_parts(labels):
    """Join objects that share a clustering until nothing changes."""
    present = labels >= 0
    part = list(range(len(labels)))
    changed = True
    while changed:
        changed = False
        for i, j in combinations(range(len(labels)), 2):
            if (present[i] & present[j]).any() and part[i] != part[j]:
                part = [min(part[i], part[j]) if p in (part[i], part[j]) else p for p in part]
                changed = True
    return part


@settings(max_examples=60, deadline=None)
@given(label_matrices())
def test_unseen_pairs_and_parts_are_those_of_plain_loops(labels):
    found = describe_seen(Ensemble(labels))
    present = labels >= 0
    apart = [not (present[i] & present[j]).any() for i, j in combinations(range(len(labels)), 2)]
    assert found.unseen == pytest.approx(np.mean(apart), abs=1e-12)
    parts = literal_parts(labels)
    assert found.parts.tolist() == [sorted(set(parts)).index(part) for part in parts]


def test_a_sample_of_pairs_is_near_the_exact_share(monkeypatch):
    labels = np.random.default_rng(0).integers(2, size=(400, 8))
    labels[np.random.default_rng(1).random(labels.shape) < 0.7] = -1
    labels = labels[(labels >= 0).any(axis=1)]
    exact = describe_seen(Ensemble(labels))
    monkeypatch.setattr(seen, "MOST_PATTERNS", 0)
    sampled = describe_seen(Ensemble(labels))
    assert exact.is_exact
    assert not sampled.is_exact
    assert sampled.unseen == pytest.approx(exact.unseen, abs=0.003)


def batches():
    """Two batches of objects in clusterings of their own."""
    labels = np.full((30, 16), -1)
    labels[:18, :8], labels[18:, 8:] = l30()[:18], l30()[18:]
    return labels


def test_parts_are_named():
    sentences = say_what_is_unseen(describe_seen(Ensemble(batches())), [f"cell{i}" for i in range(30)])
    text = " ".join(sentences)
    assert "2 parts" in text
    assert "18 objects" in text
    assert "cell0" in text
    assert "cell18" in text
    assert "50%" in text  # 2 * 18 * 12 of 30 * 29 ordered pairs


def test_objects_with_few_labels_are_named():
    labels = np.tile(l30(), (1, 3))
    labels[[4, 20], 1:] = -1
    found = describe_seen(Ensemble(labels))
    assert found.few.tolist() == [4, 20]
    assert any("5, 21" in sentence for sentence in say_what_is_unseen(found))


def test_complete_labels_say_nothing():
    assert say_what_is_unseen(describe_seen(Ensemble(l30()))) == []


def test_a_fit_warns_of_parts_and_is_silent_otherwise():
    with pytest.warns(MissingLabelsWarning, match=r"EAC.*2 parts"):
        EAC(3).fit(batches())
    labels = l30()
    labels[3, 2] = -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        EAC(3).fit(labels)
        EAC(3).fit(l30())


def test_batches_are_no_clusters_where_the_labels_are_random():
    """Labels say nothing here; the batches must not be the answer."""
    rng = np.random.default_rng(5)
    labels = np.full((100, 20), -1)
    labels[:60, :10], labels[60:, 10:] = rng.integers(3, size=(60, 10)), rng.integers(3, size=(40, 10))
    batch = np.arange(100) >= 60
    with pytest.warns(MissingLabelsWarning):
        found = EAC(2).fit_predict(labels)
    assert not np.array_equal(found == found[0], batch == batch[0])


def test_a_method_that_does_not_hold_with_missing_labels_says_so():
    labels = l30()
    labels[3, 2] = -1
    assert "missing" in CSPA(3, random_state=0).fit(labels).note_
    assert CSPA(3, random_state=0).fit(l30()).note_ == ""
