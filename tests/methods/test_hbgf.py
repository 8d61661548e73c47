"""HBGF against recorded results of the published programs, and against LWGP with equal weights."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans

from consclust.ensemble import Ensemble
from consclust.methods import HBGF, LWGP
from consclust.methods.hbgf import cluster_both_sides, count_components, embed_both_sides, spread_starts
from consclust.numerics.numbering import renumber
from consclust.numerics.tcut import tcut_embedding
from consclust.testing import l30

CASES = json.loads((Path(__file__).parent.parent / "oracles" / "hbgf.json").read_text())["cases"]


@pytest.fixture(params=CASES, ids=lambda case: case["name"])
def case(request):
    return request.param


@pytest.fixture
def ensemble(case):
    """The base clusterings; the programs leave an edge out where a label is missing."""
    return Ensemble(np.array(case["labels"]), missing="ignored")


def close(found, expected):
    return found == pytest.approx(np.array(expected), abs=1e-10)


def same_products(rows, expected):
    """Compare embeddings up to signs and rotations."""
    other = np.array(expected)
    return close(rows @ rows.T, other @ other.T)


def test_transfer_cut_is_that_of_the_program(case, ensemble):
    oracle = case["tcut"]
    values, rows = tcut_embedding(ensemble.expected_indicator, ensemble.weights, case["k"])
    of_objects = rows[ensemble.membership]
    assert close(values, oracle["eigenvalues"][: case["k"]])
    assert same_products(of_objects, oracle["embedding"])
    lloyd = KMeans(case["k"], init=of_objects[oracle["start_objects_0based"]], n_init=1, tol=0).fit(of_objects)
    assert renumber(lloyd.labels_).tolist() == oracle["kmeans_partition"]
    assert lloyd.inertia_ == pytest.approx(oracle["kmeans_inertia"], abs=1e-10)


def test_best_start_is_no_worse_than_that_of_the_program(case, ensemble):
    """In one case the recorded start ends at a local optimum; in the others it is the least inertia of all starts."""
    oracle = case["tcut"]
    _, rows = tcut_embedding(ensemble.expected_indicator, ensemble.weights, case["k"])
    found = HBGF(case["k"], random_state=0).fit(ensemble).labels_
    sums = np.array([rows[ensemble.membership][found == c].var(axis=0).sum() * (found == c).sum() for c in set(found)])
    assert sums.sum() <= oracle["kmeans_inertia"] + 1e-9
    if case["name"] != "e3":
        assert found.tolist() == oracle["kmeans_partition"]


def test_spectral_variant_is_that_of_fern_and_brodley(case, ensemble):
    oracle = case["spectral"]
    member = ensemble.membership
    singular, objects, clusters = embed_both_sides(ensemble.expected_indicator, ensemble.weights, case["k"])
    assert close(singular, oracle["singular_values"][: case["k"]])
    assert same_products(objects[member], oracle["objects"])
    first = int(member[oracle["first_object_0based"]])
    starts = spread_starts(objects, case["k"], first)
    assert starts.tolist() == member[oracle["start_objects_0based"]].tolist()
    labels, _ = cluster_both_sides(objects, clusters, ensemble.weights, case["k"], first)
    assert renumber(labels[: len(objects)][member]).tolist() == oracle["kmeans_partition"]


@pytest.mark.parametrize("case", CASES[:1], ids=["labels_30x8"])
def test_clusters_are_embedded_beside_the_objects(case, ensemble):
    """Columns may have the other sign in both; clusters are numbered by their first objects here, by label there."""
    oracle = case["spectral"]
    _, objects, clusters = embed_both_sides(ensemble.expected_indicator, ensemble.weights, case["k"])
    given = np.array(case["labels"])
    firsts = np.cumsum(given.max(axis=0)) - given.max(axis=0)
    order = np.concatenate([names - 1 + first for names, first in zip(ensemble.cluster_names, firsts, strict=True)])
    expected = np.array(oracle["objects"]) @ np.array(oracle["clusters"])[order].T
    assert close(objects[ensemble.membership] @ clusters.T, expected)


@pytest.mark.parametrize("variant", ["tcut", "spectral"])
def test_profiles_stand_for_their_objects(variant):
    """Also with more base clusters than profiles, where the smaller side has the eigenvectors."""
    rng = np.random.default_rng(1)
    labels = np.arange(12)[:, None] % 4 + 4 * rng.integers(2, size=(12, 9))
    merged = Ensemble(labels[np.repeat(np.arange(12), rng.integers(1, 5, 12))])
    apart = merged.unmerged()
    for ensemble in (merged, merged.subset([0, 1])):
        one = HBGF(4, variant=variant, random_state=0).fit(ensemble).labels_
        assert np.array_equal(one, HBGF(4, variant=variant, random_state=1).fit(ensemble.unmerged()).labels_)
    left, right = (embed_both_sides(each.expected_indicator, each.weights, 4) for each in (merged, apart))
    assert left[0] == pytest.approx(right[0], abs=1e-10)
    assert same_products(left[1][merged.membership], right[1][apart.membership])


def test_singular_values_are_those_of_the_dense_matrix_whichever_side_is_smaller():
    labels = np.random.default_rng(0).integers(0, 3, size=(9, 14))
    for columns in (slice(0, 2), slice(None)):
        ensemble = Ensemble(labels[:, columns])
        dense = ensemble.indicator[ensemble.membership]
        expected = np.linalg.svd(dense / np.sqrt(dense.sum(axis=0)), compute_uv=False)[:3]
        assert close(embed_both_sides(ensemble.expected_indicator, ensemble.weights, 3)[0], expected)


def test_no_vector_is_taken_beyond_the_rank():
    """Two crossed halves have rank 3."""
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    ensemble = Ensemble(labels)
    singular, objects, clusters = embed_both_sides(ensemble.expected_indicator, ensemble.weights, 4)
    assert len(singular) == objects.shape[1] == clusters.shape[1] == 3
    assert HBGF(4, variant="spectral", random_state=0).fit_predict(labels).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(3))
def test_is_lwgp_with_equal_weights(seed):
    """With a huge theta every cluster has the index 1."""
    labels = l30()
    labels[::7, 2] = -1
    for given in (labels, np.random.default_rng(seed).integers(0, 4, size=(60, 6))):
        expected = LWGP(4, theta=1e12, random_state=seed).fit(given).restart_labels_
        assert np.array_equal(HBGF(4, random_state=seed).fit(given).restart_labels_, expected)


def test_more_components_than_clusters_are_noted():
    six = np.repeat(np.arange(6), 3)
    both = np.column_stack([six, 5 - six])
    assert count_components(Ensemble(both).expected_indicator) == 6
    assert "6 parts" in HBGF(4, random_state=0).fit(both).note_
    assert not HBGF(6, random_state=0).fit(both).note_
    assert not HBGF(1).fit(both).note_
