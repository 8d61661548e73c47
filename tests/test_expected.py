"""Expected labels against plain loops over objects, and what the similarity matrices make of them."""

from itertools import pairwise

import numpy as np
import pytest

from consclust import similarity
from consclust.ensemble import Ensemble
from consclust.methods.gwca import PHI, Aggregation
from consclust.methods.trce import Connective, ExpectedConnective
from consclust.testing import l30


def with_gaps(seed=2, share=0.2):
    """30 objects with equal ones among them, and missing labels."""
    rng = np.random.default_rng(seed)
    labels = l30()[rng.integers(30, size=30)]
    labels[rng.random(labels.shape) < share] = -1
    labels[(labels == -1).all(axis=1), 0] = 0
    return labels


def literal_expected(labels):
    """Return for each object and clustering the probabilities of its labels, by loops over objects."""
    n, m = labels.shape
    tables = [[{} for _ in range(m)] for _ in range(n)]
    for i in range(n):
        for j in range(m):
            if labels[i, j] >= 0:
                tables[i][j] = {labels[i, j]: 1.0}
                continue
            votes = []
            for other in range(m):
                if other == j or labels[i, other] < 0:
                    continue
                members = labels[(labels[:, other] == labels[i, other]) & (labels[:, j] >= 0), j]
                if len(members):
                    values, counts = np.unique(members, return_counts=True)
                    votes.append(dict(zip(values, counts / len(members), strict=True)))
            for vote in votes:
                for label, share in vote.items():
                    tables[i][j][label] = tables[i][j].get(label, 0.0) + share / len(votes)
    return tables


def joined(one, other):
    """Return the probability that two objects have one label."""
    return sum(share * other.get(label, 0.0) for label, share in one.items())


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_expected_coassociation_is_the_mean_over_the_clusterings_that_say_something(share):
    labels = with_gaps(share=share)
    tables, n, m = literal_expected(labels), *labels.shape
    expected = np.empty((n, n))
    for a in range(n):
        for b in range(n):
            said = [joined(tables[a][j], tables[b][j]) for j in range(m) if tables[a][j] and tables[b][j]]
            expected[a, b] = np.mean(said)
    ensemble = Ensemble(labels)
    assert ensemble.expand(ensemble.expected_coassociation) == pytest.approx(expected, abs=1e-13)


def test_a_pair_that_nothing_is_known_of_has_the_mean_share_of_the_others():
    batches = np.full((9, 6), -1)
    batches[:5, :3] = [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [1, 1, 0]]
    batches[5:, 3:] = [[0, 0, 0], [0, 1, 0], [1, 1, 1], [1, 1, 0]]
    ensemble = Ensemble(batches)
    matrix = ensemble.expand(ensemble.expected_coassociation)
    seen = [matrix[a, b] for part in (range(5), range(5, 9)) for a in part for b in part if a != b]
    # the mean over pairs and clusterings, and each half has three clusterings
    assert matrix[0, 6] == pytest.approx(np.mean(seen), abs=1e-13)
    assert len(np.unique(matrix[:5, 5:].round(13))) == 1
    ignored = Ensemble(batches, missing="ignored")
    assert not ignored.expected_coassociation[ignored.observed == 0].any()


def test_complete_labels_do_not_depend_on_the_parameter():
    for name in ("co_occurrence", "lwca", "ecpcs", "pts", "jaccard", "hc", "cluster_trajectories", "pts_links"):
        function = getattr(similarity, name)
        assert np.array_equal(function(Ensemble(l30())), function(Ensemble(l30(), missing="ignored"))), name


def test_ignored_is_the_published_formula():
    ensemble = Ensemble(with_gaps(), missing="ignored")
    assert np.array_equal(similarity.co_occurrence(ensemble), ensemble.coassociation)
    assert np.array_equal(ensemble.expected_indicator.toarray(), ensemble.indicator)


def test_parts_of_an_ensemble_keep_the_parameter():
    ensemble = Ensemble(with_gaps(), missing="ignored")
    assert ensemble.subset(range(6)).missing == "ignored"
    assert ensemble.unmerged().missing == "ignored"
    assert Ensemble.from_blocks([with_gaps()], missing="ignored").missing == "ignored"
    assert Ensemble.from_profiles([[0, -1], [1, 1]], [2, 1], missing="ignored").missing == "ignored"


def test_refuses_another_value():
    with pytest.raises(ValueError, match=r"missing = 'dropped'.*'expected', 'ignored'"):
        Ensemble(l30(), missing="dropped")


def test_lwca_and_ecpcs_weight_the_expected_labels():
    labels = with_gaps(share=0.3)
    ensemble = Ensemble(labels)
    z, m = ensemble.expected_indicator.toarray(), ensemble.n_clusterings
    assert z.sum(axis=1) == pytest.approx(np.full(len(z), m))
    weighted = sum(c * np.outer(column, column) for c, column in zip(similarity.eci(ensemble), z.T, strict=True)) / m
    assert similarity.lwca(ensemble) == pytest.approx(weighted, abs=1e-13)
    alike = similarity.cluster_trajectories(ensemble, 4)
    firsts = np.concatenate([[0], np.cumsum(ensemble.n_clusters)])
    blocks = [slice(a, b) for a, b in pairwise(firsts)]
    propagated = sum(z[:, block] @ alike[block, block] @ z[:, block].T for block in blocks) / m
    assert similarity.ecpcs(ensemble, 4) == pytest.approx(propagated, abs=1e-13)


def test_completed_labels_are_the_most_probable_ones():
    labels = with_gaps(share=0.3)
    tables = literal_expected(labels)
    completed = Ensemble(labels).completed()
    assert completed.missing == "ignored"
    for i, row in enumerate(tables):
        for j, table in enumerate(row):
            best = max(table.values(), default=0.0)
            winners = [label for label, share in table.items() if share > best - 1e-9]
            given = completed.given[i, j]
            assert given == (winners[0] if len(winners) == 1 else -1)


@pytest.mark.parametrize("phi", sorted(PHI))
def test_gwca_takes_the_expected_divergence(phi):
    """Of 0/1 matrices drawn by the expected labels, entry by entry."""
    ensemble = Ensemble(with_gaps(share=0.3))
    aggregation = Aggregation(ensemble, PHI[phi], 1e-3)
    matrix = aggregation.consensus(np.full(ensemble.n_clusterings, 1 / ensemble.n_clusterings))
    z = ensemble.expected_indicator.toarray()
    firsts = np.concatenate([[0], np.cumsum(ensemble.n_clusters)])
    pairs = np.outer(ensemble.weights, ensemble.weights)
    expected = []
    for a, b in pairwise(firsts):
        share = z[:, a:b] @ z[:, a:b].T
        loss = share * PHI[phi].joined(matrix, 1e-3) + (1 - share) * PHI[phi].apart(matrix, 1e-3)
        expected.append((pairs * loss).sum())
    assert aggregation.divergences(matrix) == pytest.approx(expected, rel=1e-10)


def test_trce_has_one_connective_matrix_with_complete_labels():
    ensemble = Ensemble(l30()[np.arange(45) % 30])
    one, other = Connective(ensemble), ExpectedConnective(ensemble)
    factors = np.random.default_rng(0).random(ensemble.n_clusterings)
    assert other.weighted(factors) == pytest.approx(one.weighted(factors), abs=1e-14)
    assert other.mean() == pytest.approx(one.mean(), abs=1e-14)
    rows = one.mean() + 0.01
    assert other.divergences(rows) == pytest.approx(one.divergences(rows), abs=1e-12)
