"""The job of base clusterings: what its spec makes, and which files it refuses."""

import itertools

import numpy as np
import pytest
from scipy.io import savemat
from sklearn.cluster import AgglomerativeClustering

from consclust.datasets.prepared import find_shuffled_order, without_addresses
from consclust.datasets.registry import DatasetSpec, ReadyMadeEnsemble
from consclust.ensemble import MISSING
from consclust.ensembles.estimated import EstimatedProtocol, estimated_ensemble
from consclust.ensembles.harms import spoil
from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust.ensembles.mixed import MixedProtocol, mixed_ensemble
from consclust.errors import InputError
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.base_clusterings import EnsembleJob, run
from consclust_studies.stages.prepare import PrepareJob, prepare
from job_files_of import files_of

IRIS = DatasetSpec(title="-", reader={"format": "sklearn", "loader": "iris"}, licence="-", source="-")
DATA = PrepareJob.make("iris", IRIS, ())
POOL = ("study", "iris")
SPLIT = {"runs": 12, "subset_size": 6, "draws": None, "draw_seed": None}
MADE = {"seed": 1, "max_iter": 100, "pool": POOL, **SPLIT}


@pytest.fixture
def data(tmp_path):
    return prepare(DATA, [], tmp_path / "data.npz")


def made(tmp_path, pool=None, **changes):
    """Do the job of a spec, with the file of a ready-made ensemble if there is one; return what it stores."""
    job = EnsembleJob(**{"data": DATA.digest, "algorithm": "kmeans", **MADE, **changes})
    inputs = {"prepared": tmp_path / "data.npz", **({"ready": pool} if pool else {})}
    run(EnsembleJob.from_text(job.json_text, "job"), files_of(inputs, {"ensemble": tmp_path / "out.npz"}))
    return store.load(tmp_path / "out.npz", job.digest)


@pytest.mark.parametrize(("given", "k"), [("classes", 3), (4, 4), ((3, 5), (3, 5))])
def test_k_means_is_that_of_the_spec(tmp_path, data, given, k):
    stored = made(tmp_path, n_clusters=given, init="k-means++", feature_share=0.5)
    own = kmeans_ensemble(data.X, KMeansProtocol(k, 12, 100, "k-means++", 0.5), 1, POOL)
    assert np.array_equal(stored.labels, own)
    assert np.array_equal(stored.classes, data.y)
    assert np.array_equal(stored.members, store.split(12, 6))


def test_minibatches_are_those_of_the_spec(tmp_path, data):
    own = kmeans_ensemble(data.X, KMeansProtocol(3, 12, 100, minibatch=True), 1, POOL)
    assert np.array_equal(made(tmp_path, algorithm="minibatch").labels, own)


def test_a_mixed_ensemble_is_that_of_the_spec(tmp_path, data):
    stored = made(tmp_path, algorithm="mixed", n_clusters=(3, 4), object_share=0.9)
    protocol = MixedProtocol((3, 4), 12, 100, 0.9)
    assert np.array_equal(stored.labels, mixed_ensemble(data.X, protocol, store.split(12, 6), 1, POOL))
    assert (stored.labels == MISSING).any()


@pytest.mark.parametrize("algorithm", ["agglomerative", "spectral", "gmm", "pam"])
def test_an_ensemble_by_an_estimator_is_that_of_the_spec(tmp_path, data, algorithm):
    given = {"linkage": "complete", "distance": "manhattan"} if algorithm == "agglomerative" else {}
    stored = made(tmp_path, algorithm=algorithm, n_clusters=(3, 4), object_share=0.8, feature_share=0.5, **given)
    shares = {"object_share": 0.8, "feature_share": 0.5}
    protocol = EstimatedProtocol(algorithm, (3, 4), 12, **given, **shares)
    own = estimated_ensemble(data.X, protocol, store.split(12, 6), 1, POOL)
    assert np.array_equal(stored.labels, own)
    assert (own == MISSING).sum(axis=0).tolist() == [30] * 12
    assert [len(set(run[run >= 0])) for run in own.T] == [3, 4] * 6
    # another linkage, or the same with other seeds, is another ensemble
    other = estimated_ensemble(data.X, protocol, store.split(12, 6), 2, POOL)
    assert not np.array_equal(own, other)


def test_a_linkage_and_a_distance_are_those_of_the_spec(tmp_path, data):
    found = {}
    for linkage, metric in (("average", "euclidean"), ("single", "euclidean"), ("average", "correlation")):
        changes = {"linkage": linkage, "distance": metric}
        stored = made(tmp_path, algorithm="agglomerative", n_clusters=tuple(range(2, 14)), **changes)
        found[linkage, metric] = stored.labels
        for column, k in enumerate(range(2, 14)):
            expected = AgglomerativeClustering(k, linkage=linkage, metric=metric).fit_predict(data.X)
            same = stored.labels[:, column, None] == stored.labels[:, column]
            assert np.array_equal(same, expected[:, None] == expected)
    assert len({labels.tobytes() for labels in found.values()}) == 3


def test_spoiled_subsets_stand_behind_each_clean_one(tmp_path, data):
    harms = {"kinds": ["coalition", "outliers"], "shares": [0.25, 0.5]}
    stored = made(tmp_path, harms=harms)
    scored = store.load_scored(tmp_path / "out.npz")
    classes = np.load(tmp_path / "out.npz")["classes"]
    clean = made(tmp_path)
    in_file = np.load(tmp_path / "out.npz")["classes"]
    order = find_shuffled_order(1, 150)
    assert np.array_equal(classes, in_file[order]), "labels and classes move together"
    assert (np.diff(in_file) != 0).sum() == 2 < (np.diff(classes) != 0).sum(), "the file has one class after the other"
    assert stored.members.shape == (10, 6)
    assert scored.shape == (10, 150)
    for repetition in (0, 1):
        first = 5 * repetition
        own = clean.subset(repetition)[order]
        assert np.array_equal(stored.subset(first), own)
        for place, (kind, share) in enumerate(itertools.product(harms["kinds"], harms["shares"]), start=1):
            expected = spoil(own, kind, share, 1, (*POOL, repetition))
            assert np.array_equal(stored.subset(first + place), expected.labels)
            assert np.array_equal(scored[first + place], ~expected.objects)
        assert scored[first : first + 3].all()
    assert scored[4].sum() == 75
    assert not np.array_equal(scored[4], scored[9])


def test_only_an_ensemble_with_spoiled_subsets_says_what_is_scored(tmp_path, data):
    made(tmp_path)
    with pytest.raises(InputError, match="scored"):
        store.load_scored(tmp_path / "out.npz")


def test_subsets_are_drawn_by_their_seed(tmp_path, data):
    stored = made(tmp_path, draws=4, draw_seed=3)
    assert np.array_equal(stored.members, store.drawn(12, 6, 4, 3))


def test_a_ready_made_ensemble_takes_its_file_and_no_seed(tmp_path, data):
    pool = tmp_path / "pool.mat"
    labels = np.random.default_rng(0).integers(1, 5, (150, 12))
    savemat(pool, {"members": labels})
    ready = ReadyMadeEnsemble(file={"name": "pool.mat"}, variable="members")
    own = {"algorithm": "ready-made", "seed": None, "max_iter": 0}
    stored = made(tmp_path, pool, ready=ready, **own)
    assert all(len(set(zip(*pair, strict=True))) == 4 for pair in zip(stored.labels.T, labels.T, strict=True))
    other = ready.model_copy(update={"file": without_addresses(ready.file).model_copy(update={"sha256": "ab" * 32})})
    with pytest.raises(InputError, match=r"^[^\n]*pool\.mat[^\n]*wrong checksum[^\n]*$"):
        made(tmp_path, pool, ready=other, **own)


def test_data_prepared_for_another_job_are_refused(tmp_path, data):
    with pytest.raises(InputError, match=r"^[^\n]*data\.npz: made with other settings[^\n]*delete it[^\n]*$"):
        made(tmp_path, data="0" * 16)
    assert not (tmp_path / "out.npz").exists()


def test_an_ensemble_made_for_another_job_is_refused(tmp_path, data):
    made(tmp_path)
    with pytest.raises(InputError, match=r"^[^\n]*out\.npz: made with other settings[^\n]*delete it[^\n]*$"):
        store.load(tmp_path / "out.npz", "0" * 16)


@pytest.mark.parametrize("size", [0, 10, 300, -1])
def test_a_damaged_ensemble_is_refused(tmp_path, data, size):
    made(tmp_path)
    content = (tmp_path / "out.npz").read_bytes()
    (tmp_path / "out.npz").write_bytes(content[:size])
    with pytest.raises(InputError, match=r"^[^\n]*out\.npz: [^\n]*delete it[^\n]*$"):
        store.load(tmp_path / "out.npz")


def test_a_file_of_something_else_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", labels=np.eye(2))
    with pytest.raises(InputError, match=r"^[^\n]*other\.npz: [^\n]*delete it[^\n]*$"):
        store.load(tmp_path / "other.npz")
