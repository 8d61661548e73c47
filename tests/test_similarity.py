"""Co-association matrices and the methods that cluster them, against the authors' programs."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import adjusted_rand_score

from consclust import methods, similarity
from consclust.ensemble import Ensemble
from consclust.errors import MemoryNeeded
from consclust.methods import EAC, ECPCS, LWEA, LWGP, PTA, PTGP
from consclust.methods.ecpcs import ncut_embedding
from consclust.numerics.tcut import tcut_embedding
from consclust.similarity import co_occurrence, collapse, customary_steps, ecpcs, hc, jaccard, lwca, over_objects, pts
from consclust.testing import l30
from consclust_studies.stages.stored_ensembles import drawn

ORACLE = json.loads((Path(__file__).parent / "oracles" / "coassociation.json").read_text())
POOLS = ["Ecoli_c1-20", "UMIST_c1-20", "Aggregation_c1-20"]
DETERMINISTIC = {
    "EAC": lambda k: EAC(k),
    "LWEA": lambda k: LWEA(k),
    "PTA average": lambda k: PTA(k),
    "PTA complete": lambda k: PTA(k, linkage="complete"),
    "PTA single": lambda k: PTA(k, linkage="single"),
    "ECPCS": lambda k: ECPCS(k),
}


def pool(mirror, name):
    """Base clusterings and classes of a pool of EC-CMS."""
    from scipy.io import loadmat

    file = loadmat(mirror / f"files/eccms_pools/{name}.mat")
    return file["members"].astype(np.int64), file["gt"].ravel()


@pytest.fixture(params=["small", *(pytest.param(name, marks=pytest.mark.mirror) for name in POOLS)])
def case(request):
    """Oracle of one case and its base clusterings."""
    oracle = ORACLE["cases"][request.param]
    if request.param == "small":
        return oracle, np.array(oracle["base_clusterings"])
    mirror = request.getfixturevalue("mirror")
    return oracle, pool(mirror, request.param.split("_")[0])[0][:, :20]


def by_value_of_label(labels, ensemble):
    """Columns of the indicator in the order of the raw labels."""
    columns, offset = [], 0
    for j, k in enumerate(ensemble.n_clusters):
        _, first = np.unique(labels[:, j], return_index=True)
        columns.append(offset + ensemble.labels[first, j])
        offset += k
    return np.concatenate(columns)


def lexicographic(labels, ensemble):
    """Profiles in the lexicographic order of the raw rows."""
    return ensemble.membership[np.unique(labels, axis=0, return_index=True)[1]]


def entries(matrix, sample):
    return matrix[sample["i"], sample["j"]]


def test_matrices_are_the_authors(case):
    oracle, labels = case
    ensemble = Ensemble(labels)
    clusters = by_value_of_label(labels, ensemble)
    assert similarity.eci(ensemble)[clusters] == pytest.approx(oracle["eci"], abs=1e-14)
    diagonal = {"co_occurrence": 1.0, "lwca": 1.0, "hc": 0.0, "ecpcs": 1.0}
    order = {"pts": lexicographic(labels, ensemble), "cluster_trajectories": clusters}
    for name, expected in oracle["matrices"].items():
        matrix = getattr(similarity, name)(ensemble)
        if name in order:
            matrix = matrix[np.ix_(order[name], order[name])]
        else:
            matrix = over_objects(ensemble, matrix, diagonal[name])
        assert entries(matrix, expected) == pytest.approx(expected["v"], abs=1e-14), name
        assert np.linalg.norm(matrix) == pytest.approx(expected["fro"], rel=1e-12), name
        assert np.count_nonzero(matrix) == expected["nnz"], name


def test_labels_are_the_authors(case):
    oracle, labels = case
    for name, expected in oracle["labels"].items():
        found = DETERMINISTIC[name](oracle["n_clusters"]).fit_predict(labels)
        assert adjusted_rand_score(expected, found) == 1, name


def test_embeddings_are_the_authors(case):
    oracle, labels = case
    ensemble, k = Ensemble(labels), oracle["n_clusters"]
    indicator = ensemble.indicator
    locally_weighted = tcut_embedding(indicator * similarity.eci(ensemble), ensemble.weights, k)
    once = np.ones(ensemble.n_profiles, dtype=np.int64)
    trajectories = tcut_embedding(similarity.pts_links(ensemble), once, k)
    profiles = lexicographic(labels, ensemble)
    for name, (values, rows), order in [
        ("LWGP", locally_weighted, ensemble.membership),
        ("PTGP", trajectories, profiles),
    ]:
        expected = oracle["tcut"][name]
        assert values == pytest.approx(expected["eigenvalues"][:k], abs=1e-12), name
        gram = rows[order] @ rows[order].T
        assert entries(gram, expected["gram"]) == pytest.approx(expected["gram"]["v"], abs=1e-9), name
    values, _ = ncut_embedding(similarity.cluster_trajectories(ensemble), k)
    assert values == pytest.approx(oracle["ncut_eigenvalues"], abs=1e-12)


def test_methods_with_random_starts_score_as_the_authors(case):
    oracle, labels = case
    ensemble = Ensemble(labels)
    starts = {
        "LWGP": lambda k, seed: LWGP(k, n_init=3, random_state=seed),
        "PTGP": lambda k, seed: PTGP(k, n_init=3, random_state=seed),
        "ECPCS MC": lambda k, seed: ECPCS(k, variant="MC", n_init=1, random_state=seed),
    }
    for name, make in starts.items():
        found = [make(oracle["n_clusters"], seed).fit(ensemble).labels_ for seed in range(5)]
        mean = np.mean([adjusted_rand_score(oracle["classes"], labels) for labels in found])
        assert mean == pytest.approx(oracle["mean_ari"][name], abs=0.03), name


@pytest.mark.mirror
@pytest.mark.parametrize("name", ORACLE["table4"])
def test_deterministic_rows_of_table_4_are_the_published(mirror, name):
    """With the paper's own draws.

    Without ECPCS-HC on Aggregation and PTA on Caltech20, where the authors' program differs from the
    published value; of the large pools, the rows that cost little.
    """
    members, classes = pool(mirror, name)
    ensembles = [Ensemble(members[:, draw]) for draw in drawn(100, 20, 20, 1)]
    for row, (mean, deviation) in ORACLE["table4"][name].items():
        method = DETERMINISTIC[row](len(np.unique(classes)))
        ari = [adjusted_rand_score(classes, method.fit(ensemble).labels_) for ensemble in ensembles]
        assert round(float(np.mean(ari)), 3) == mean, row
        assert round(float(np.std(ari, ddof=1)), 3) == deviation, row


def with_gaps():
    """25 objects with equal ones among them, and missing labels."""
    labels = l30()[np.random.default_rng(2).integers(6, 24, size=25)][:, :5]
    labels[np.arange(25) % 6 == 0, 4] = -1
    labels[labels[:, 2] == 1, 3] = -1
    return labels


def pairs(labels, value):
    """Mean of value(j, a, b) over the clusterings j that contain both objects, a and b their labels."""
    n, m = labels.shape
    matrix = np.zeros((n, n))
    for x in range(n):
        for y in range(n):
            both = [j for j in range(m) if labels[x, j] >= 0 and labels[y, j] >= 0]
            matrix[x, y] = np.mean([value(j, labels[x, j], labels[y, j]) for j in both]) if both else 0
    np.fill_diagonal(matrix, 1)
    return matrix


def literal_eci(labels, theta):
    index = {}
    for j, column in enumerate(labels.T):
        for c in set(column[column >= 0]):
            entropies = []
            for other in labels.T:
                inside = other[(column == c) & (other >= 0)]
                if len(inside):
                    p = np.unique(inside, return_counts=True)[1] / len(inside)
                    entropies.append(-(p * np.log2(p)).sum())
            index[j, c] = np.exp(-np.mean(entropies) / theta)
    return index


def cosines(transition, steps):
    """Of the rows of Q, Q^2, .. put side by side."""
    trajectory = np.hstack([np.linalg.matrix_power(transition, t) for t in range(1, steps + 1)])
    length = np.linalg.norm(trajectory, axis=1)
    return trajectory @ trajectory.T / np.outer(length, length)


@pytest.mark.parametrize("labels", [l30()[::2], with_gaps()])
def test_lwca_is_its_definition(labels):
    index = literal_eci(labels, 0.6)
    expected = pairs(labels, lambda j, a, b: index[j, a] if a == b else 0.0)
    ensemble = Ensemble(labels, missing="ignored")
    assert over_objects(ensemble, lwca(ensemble, 0.6)) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("labels", [l30()[::2], with_gaps()])
def test_ecpcs_is_its_definition(labels):
    clusters = [(j, c) for j in range(labels.shape[1]) for c in sorted(set(labels[:, j]) - {-1})]
    members = [set(np.flatnonzero(labels[:, j] == c)) for j, c in clusters]
    index = np.array([[len(a & b) / len(a | b) for b in members] for a in members]) - np.eye(len(members))
    alike = cosines(index / index.sum(axis=1, keepdims=True), 4)
    place = {cluster: p for p, cluster in enumerate(clusters)}
    expected = pairs(labels, lambda j, a, b: alike[place[j, a], place[j, b]])
    ensemble = Ensemble(labels, missing="ignored")
    assert over_objects(ensemble, ecpcs(ensemble, 4)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("labels", [l30()[np.arange(45) % 30], with_gaps()])
@pytest.mark.parametrize(("neighbours", "steps"), [(1, 2), (3, 5), (99, 3)])
@pytest.mark.parametrize("missing", ["expected", "ignored"])
def test_pts_is_its_definition(labels, neighbours, steps, missing):
    ensemble = Ensemble(labels, missing)
    links = similarity.co_occurrence(ensemble).copy()
    np.fill_diagonal(links, 0)
    elite = np.zeros_like(links)
    for row, target in zip(links, elite, strict=True):
        least = np.sort(row)[::-1][min(neighbours, len(row)) - 1]
        target[row >= least] = row[row >= least]
    walk = np.maximum(elite, elite.T) * ensemble.weights
    expected = cosines(walk / walk.sum(axis=1, keepdims=True), steps)
    assert pts(ensemble, neighbours, steps) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(("n_profiles", "expected"), [(1, 1), (15, 1), (16, 2), (1763, 20), (1764, 20), (6463, 20)])
def test_the_authors_program_takes_at_most_20_steps(n_profiles, expected):
    assert customary_steps(n_profiles) == expected


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 4, None]), st.sampled_from([1, 3, None]), st.booleans())
def test_links_are_means_of_pts_over_clusters(seed, neighbours, steps, missing):
    """A few columns at a time; the last object has a profile like no other's."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(4, size=(25, 4))
    labels[-1] = 9
    labels[:-1][rng.random((24, 4)) < 0.2 * missing] = -1
    ensemble = Ensemble(labels[(labels >= 0).any(axis=1)])
    z = ensemble.indicator
    expected = pts(ensemble, neighbours, steps) @ (z / z.sum(axis=0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity, "CACHED", 100)
        assert similarity.pts_links(ensemble, neighbours, steps) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("steps", [1, 2, 7, 20])
@pytest.mark.parametrize("missing", [False, True])
def test_merging_equal_base_clusters_changes_no_similarity(steps, missing, monkeypatch):
    """Copies of clusters in other clusterings, of one object, of all objects, and one that meets no other."""
    rng = np.random.default_rng(5)
    labels = np.column_stack([rng.integers(3, size=(9, 12)), np.zeros(9, dtype=int), np.arange(9) % 3])
    labels = np.column_stack([labels, labels[:, ::-1], 2 - labels[:, :4]])
    if missing:
        labels[rng.random(labels.shape) < 0.2] = -1
        alone = np.full((1, labels.shape[1]), -1)
        alone[0, 0] = 7
        labels = np.vstack([labels, alone])
    ensemble = Ensemble(labels, missing="ignored")
    merged = similarity.cluster_trajectories(ensemble, steps), ecpcs(ensemble, steps)
    monkeypatch.setattr(similarity, "MANY", np.inf)
    expected = similarity.cluster_trajectories(ensemble, steps), ecpcs(ensemble, steps)
    for found, plain in zip(merged, expected, strict=True):
        assert (found != plain).any(), "both ways were taken"
        assert found == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("rows", [1, 50, 10**9])
def test_indices_do_not_depend_on_the_rows_at_a_time(rows, monkeypatch):
    whole = Ensemble(with_gaps())
    expected = similarity.eci(whole), jaccard(whole)
    monkeypatch.setattr("consclust.ensemble.AT_ONCE", rows)
    for found, each in zip((similarity.eci(whole), jaccard(whole)), expected, strict=True):
        assert np.array_equal(found, each)


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 8, 20])
def test_cluster_trajectories_of_any_number_of_steps(steps):
    index = jaccard(Ensemble(l30()))
    expected = cosines(index / index.sum(axis=1, keepdims=True), steps)
    assert similarity.cluster_trajectories(Ensemble(l30()), steps) == pytest.approx(expected, abs=1e-13)


def test_pts_of_a_profile_without_neighbours():
    ensemble = Ensemble([[0, 0], [0, 1], [2, 2], [2, 2]])
    alone = ensemble.membership[2]
    expected = np.eye(3)[alone]
    assert pts(ensemble)[alone].tolist() == pts(ensemble)[:, alone].tolist() == expected.tolist()


label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(0, 3))


@settings(max_examples=40, deadline=None)
@given(labels=label_matrices)
def test_similarities_keep_their_bounds(labels):
    ensemble = Ensemble(labels)
    together = co_occurrence(ensemble)
    for matrix in (lwca(ensemble), pts(ensemble), ecpcs(ensemble), hc(ensemble, 0.6)):
        assert matrix.min() >= 0
        assert matrix.max() <= 1
        assert matrix == pytest.approx(matrix.T, abs=1e-15)
    assert (lwca(ensemble) <= together + 1e-15).all()
    assert (ecpcs(ensemble) >= together - 1e-15).all()
    assert (ecpcs(ensemble).diagonal() == 1).all()
    assert lwca(ensemble, 1e12) == pytest.approx(together, abs=1e-9)
    assert np.array_equal(hc(ensemble, 0.6) > 0, together >= 0.6)
    assert not hc(ensemble, 1.01).any()


def test_an_undivided_cluster_has_index_1():
    """Clusters {0, 1} and {2, 3} of the first clustering; the second divides {2, 3} in halves."""
    index = similarity.eci(Ensemble([[0, 0], [0, 0], [1, 0], [1, 1]]), theta=0.5)
    third = np.log2(3) - 2 / 3
    assert index == pytest.approx([1, np.exp(-1 / 2 / 0.5), np.exp(-third / 2 / 0.5), 1], abs=1e-15)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_jaccard_over_profiles_is_that_of_the_sets_of_objects(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size=(6, 3))[rng.integers(6, size=20)]
    labels[rng.random(labels.shape) < 0.1] = -1
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    ensemble = Ensemble(labels, missing="ignored")
    clusters = [
        set(np.flatnonzero(c == name))
        for c, k in zip(ensemble.labels.T, ensemble.n_clusters, strict=True)
        for name in range(k)
    ]
    expected = [[len(a & b) / len(a | b) if a is not b else 0 for b in clusters] for a in clusters]
    assert jaccard(ensemble) == pytest.approx(np.array(expected), abs=1e-15)


def test_jaccard_of_expected_labels_weighs_both_clusters_by_their_probabilities():
    """Object 4 is expected to be in cluster 0 of the second clustering by 1/3, and in cluster 1 by 2/3."""
    labels = [[0, 0], [0, 1], [1, 0], [1, 1], [1, -1], [1, 1]]
    ensemble = Ensemble(labels)
    share = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1 / 3, 2 / 3], [0, 1]])
    assert ensemble.expected_indicator.toarray()[ensemble.membership][:, 2:] == pytest.approx(share)
    index = jaccard(ensemble)
    common = np.array([1, 1, 1 + 1 / 3, 2 + 2 / 3])
    sizes = np.array([2, 4, 2 + 1 / 3, 3 + 2 / 3])
    expected = common / (np.repeat(sizes[:2], 2) + np.tile(sizes[2:], 2) - common)
    assert index[:2, 2:].ravel() == pytest.approx(expected, abs=1e-15)
    assert index == pytest.approx(index.T, abs=1e-15)
    assert index[0, 1] == index[2, 3] == 0


def test_ties_go_to_the_lowest_meta_cluster_and_empty_ones_win_nothing():
    indicator = np.array([[1.0, 0, 1, 0, 0], [0, 1, 0, 0, 1]])
    association = collapse(indicator, np.array([2, 2, 0, 0, 0]), 4)
    assert association.tolist() == [[1 / 3, 0, 1 / 2, 0], [1 / 3, 0, 1 / 2, 0]]


@pytest.mark.parametrize(("of", "wins"), [(7, 3), (10, 6), (49, 11)])
def test_equal_shares_are_equal_to_the_last_bit(of, wins):
    sizes = [of * factor for factor in (3, 1, 2, 5)]
    indicator = np.concatenate([np.arange(size) < wins * (size // of) for size in sizes]).astype(float)
    association = collapse(indicator[None, :], np.repeat(np.arange(4), sizes), 4)
    assert association.tolist() == [[wins / of] * 4]


@pytest.mark.parametrize("name", list(DETERMINISTIC))
@pytest.mark.parametrize("k", [1, 2, 3, 5, 6])
def test_exactly_k_clusters_where_groups_have_nothing_in_common(name, k):
    labels = np.repeat(np.arange(6), (3, 1, 1, 2, 5, 1))[:, None] * np.ones(4, dtype=int)
    assert len(set(DETERMINISTIC[name](k).fit_predict(labels).tolist())) == k


def test_lwea_may_part_objects_with_one_profile():
    """The clusters that the first two share are torn by the others, those of the last two hardly."""
    torn = [[0 if j == i % 3 else 10 + i for j in range(3)] for i in range(12)]
    labels = [[0, 0, 0], [0, 0, 0], *torn, [30, 30, 30], [30, 30, 31]]
    assert Ensemble(labels).n_profiles == 15
    found = LWEA(15).fit_predict(labels)
    assert found[-2] == found[-1]
    assert len(set(found[:-1].tolist())) == 15


def test_graph_of_profiles_has_the_embedding_of_the_graph_of_objects():
    labels = l30()[np.random.default_rng(1).integers(15, size=50)]
    ensemble = Ensemble(labels)
    links = ensemble.indicator * similarity.eci(ensemble)
    values, rows = tcut_embedding(links, ensemble.weights, 3)
    expected_values, expected = tcut_embedding(links[ensemble.membership], np.ones(50, dtype=np.int64), 3)
    assert values == pytest.approx(expected_values, abs=1e-12)
    rows = rows[ensemble.membership]
    assert rows @ rows.T == pytest.approx(expected @ expected.T, abs=1e-9)


@pytest.mark.parametrize(
    ("method", "parameter", "value"),
    [
        *[(LWEA, "theta", value) for value in (0, -1.0, np.inf, "0.4")],
        *[(LWGP, "theta", 0), (LWGP, "n_init", 0), (PTA, "linkage", "ward"), (PTA, "n_neighbours", 0)],
        *[(PTA, "n_steps", 1.5), (PTGP, "n_neighbours", 0), (PTGP, "n_steps", True), (PTGP, "n_init", 0)],
        *[(ECPCS, "variant", "hc"), (ECPCS, "n_steps", 0), (ECPCS, "n_init", None)],
    ],
)
def test_refuses_parameters(method, parameter, value):
    with pytest.raises(ValueError, match=f"{method.__name__}: {parameter} = "):
        method(2, **{parameter: value}).fit(l30())


@pytest.mark.parametrize("name", ["GWCA", "KC", "NMFC", "SpectralConsensus"])
def test_no_memory_is_asked_for_where_there_is_no_matrix_over_profiles(name, monkeypatch):
    method = methods.load(name)(3)
    ensemble = Ensemble(np.random.default_rng(0).integers(3, size=(80, 6)))
    assert ensemble.is_tall
    assert method._doubles(ensemble) == 0
    monkeypatch.setattr(Ensemble, "is_tall", False)
    assert method._doubles(ensemble) >= 4 * ensemble.n_profiles**2


@pytest.mark.long
def test_ptgp_makes_no_matrix_over_profiles(monkeypatch):
    ensemble = Ensemble(np.random.default_rng(0).integers(3, size=(2500, 12)))
    monkeypatch.setattr(similarity, "CACHED", 2**15)
    tracemalloc.start()
    try:
        PTGP(3, n_neighbours=3, n_steps=2, n_init=1).fit(ensemble)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * ensemble.n_profiles**2 / 2


def test_ptgp_is_refused_where_its_graph_does_not_fit(monkeypatch):
    monkeypatch.setattr("consclust.methods.base.FREE", 0)
    monkeypatch.setattr("consclust.methods.base.available", lambda: 8 * 30 * 25)
    monkeypatch.setattr(PTGP, "_fit", lambda *_: pytest.fail("the fit has started"))
    with pytest.raises(MemoryNeeded, match="PTGP: its matrices need"):
        PTGP(3).fit(l30())
