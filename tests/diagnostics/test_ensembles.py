"""What an ensemble is like, against definitions over all pairs of objects, scikit-learn and R's clue."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score, mutual_info_score, normalized_mutual_info_score

from consclust.diagnostics import (
    agreement_weights,
    agreement_with,
    contested,
    half_width,
    influence,
    pairwise_agreement,
    quality,
)

CLUE = json.loads((Path(__file__).parent.parent / "oracles" / "diagnostics.json").read_text())["clue"]
EXACT = {"rtol": 1e-12, "atol": 1e-12}


@st.composite
def label_matrices(draw):
    """Label matrices of 2 to 7 objects in 2 to 4 clusterings, some with missing labels, none without any."""
    shape = draw(st.tuples(st.integers(2, 7), st.integers(2, 4)))
    labels = draw(hnp.arrays(np.int64, shape, elements=st.integers(draw(st.integers(-1, 0)), 2)))
    labels[(labels < 0).all(axis=1), 0] = 0
    labels[0, (labels < 0).all(axis=0)] = 0
    return labels


def entropy(labels) -> float:
    return mutual_info_score(labels, labels)


def measured(measure, one, other) -> float:
    both = (one >= 0) & (other >= 0)
    one, other = one[both], other[both]
    if both.sum() < 2:
        return np.nan
    if measure == "ARI":
        return adjusted_rand_score(one, other)
    if measure == "VI":
        return entropy(one) + entropy(other) - 2 * mutual_info_score(one, other)
    return normalized_mutual_info_score(one, other, average_method="max")


def consensus_values(labels):
    """M over the pairs of different objects, (n, n), with NaN on the diagonal and for a pair that was not seen."""
    n = len(labels)
    matrix = np.full((n, n), np.nan)
    for i, j in combinations(range(n), 2):
        both = (labels[i] >= 0) & (labels[j] >= 0)
        matrix[i, j] = matrix[j, i] = (labels[i] == labels[j])[both].mean() if both.any() else np.nan
    return matrix


def mean_of(values):
    """Mean of what is no NaN; NaN without any."""
    known = values[~np.isnan(values)]
    return known.mean() if known.size else np.nan


@pytest.mark.long
@pytest.mark.parametrize("measure", ["ARI", "NMI", "VI"])
@settings(max_examples=60, deadline=None)
@given(labels=label_matrices())
def test_two_clusterings_agree_on_their_common_objects(measure, labels) -> None:
    m = labels.shape[1]
    expected = np.array([[measured(measure, labels[:, i], labels[:, j]) for j in range(m)] for i in range(m)])
    np.fill_diagonal(expected, 0 if measure == "VI" else 1)
    np.testing.assert_allclose(pairwise_agreement(labels, measure), expected, atol=1e-10)
    with_first = agreement_with(labels[:, 1:], labels[:, 0], measure)
    np.testing.assert_allclose(with_first, expected[0, 1:], atol=1e-10)
    np.fill_diagonal(expected, np.nan)
    means = [row[~np.isnan(row)].mean() if not np.isnan(row).all() else np.nan for row in expected]
    np.testing.assert_allclose(quality(labels, measure), means, atol=1e-10)


@pytest.mark.parametrize(("measure", "name"), [("ARI", "ARI"), ("NMI", "NMI_geometric"), ("VI", "VI")])
def test_agreement_is_that_of_clue(measure, name) -> None:
    several = np.array(CLUE["labels"])[:, :-1]
    expected = np.array(CLUE[name], dtype=float)[:-1, :-1]  # the last has one cluster, for which clue divides by 0
    np.testing.assert_allclose(pairwise_agreement(several, measure, "geometric"), expected, **EXACT)


def test_clusterings_of_many_clusters_agree_as_others_do(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 40, (60, 4))
    expected = pairwise_agreement(labels)
    monkeypatch.setattr("consclust.diagnostics.ensembles.FEW_CELLS", 0)
    np.testing.assert_allclose(pairwise_agreement(labels), expected, **EXACT)


@settings(max_examples=60, deadline=None)
@given(label_matrices())
def test_influence_is_the_change_without_a_clustering(labels) -> None:
    matrix = consensus_values(labels)
    found = influence(labels)
    for i in range(labels.shape[1]):
        rest = consensus_values(np.delete(labels, i, axis=1))
        np.testing.assert_allclose(found[i], np.sqrt(mean_of((matrix - rest) ** 2)), atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(label_matrices())
def test_contested_objects_have_values_near_one_half(labels) -> None:
    matrix = consensus_values(labels)
    expected = [mean_of(row) for row in 4 * matrix * (1 - matrix)]
    np.testing.assert_allclose(contested(labels), expected, atol=1e-12)


def test_samples_are_near_the_exact_numbers() -> None:
    rng = np.random.default_rng(3)
    labels = np.where(rng.random((300, 8)) < 0.3, rng.integers(-1, 3, (300, 8)), np.arange(300)[:, None] % 3)
    exact, sample = influence(labels) ** 2, influence(labels, most_pairs=0, sample=20_000) ** 2
    assert 0 < np.abs(exact - sample).max() < half_width(20_000, 1 - 1e-5)
    exact, sample = contested(labels), contested(labels, most_pairs=0, sample=1000)
    assert 0 < np.abs(exact - sample).max() < half_width(1000, 1 - 1e-7) + 1 / 300


def test_weights_follow_the_quality() -> None:
    truth = np.arange(60) % 3
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 3, 60)
    labels = np.column_stack([truth, truth, np.where(rng.random(60) < 0.3, noise, truth), noise])
    weights = agreement_weights(labels)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == weights[1] > weights[2] > weights[3] >= 0
    np.testing.assert_allclose(agreement_weights(labels, power=0), [0.25] * 4)
    assert agreement_weights(labels, power=50)[:2].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quality([[0], [1]]), "single clustering"),
        (lambda: influence([[0], [1]]), "single clustering"),
        (lambda: influence(np.array([[0, 1]])), "at least two objects"),
        (lambda: contested(np.array([[0, 1]])), "at least two objects"),
        (lambda: pairwise_agreement(np.eye(3, dtype=int), "AMI"), "choose from ARI, NMI, VI"),
        (lambda: pairwise_agreement(np.eye(3, dtype=int), "NMI", "sum"), "choose from max"),
        (lambda: agreement_with(np.eye(3, dtype=int), [0, 1]), "3 objects"),
        (lambda: agreement_weights(np.eye(3, dtype=int), "VI"), "choose from ARI, NMI"),
        (lambda: agreement_weights(np.eye(3, dtype=int), power=-1), "power"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
