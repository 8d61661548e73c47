"""Base clusterings by k-means from random objects."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble
from consclust_studies.stages import stored_ensembles as store
from job_files_of import MARKS

IRIS = load_iris().data
FIRST_DRAW = [2, 98, 38, 50, 14, 27, 64, 55, 26, 5, 30, 60, 44, 90, 49, 71, 72, 18, 57, 4]
LAST_DRAW = [25, 98, 76, 41, 70, 11, 15, 89, 9, 46, 72, 50, 71, 80, 10, 27, 74, 96, 0, 8]


def make(features=IRIS, seed=1, names=("study", "iris"), **changes):
    protocol = KMeansProtocol(**{"n_clusters": 3, "runs": 6, "max_iter": 100} | changes)
    return kmeans_ensemble(features, protocol, seed, names)


def test_every_run_is_a_fixed_point_of_lloyd():
    """No object is nearer to another centre than to its own: the runs have converged, and are k-means."""
    for labels in make().T:
        assert sorted(set(labels.tolist())) == [0, 1, 2]
        centres = np.stack([IRIS[labels == c].mean(axis=0) for c in range(3)])
        distance = ((IRIS[:, None] - centres[None]) ** 2).sum(axis=2)
        assert np.array_equal(distance.argmin(axis=1), labels)


def test_starts_are_random_objects():
    """After one iteration the labels are those of the nearest of k objects' means, so runs differ."""
    assert len({labels.tobytes() for labels in make(runs=10, max_iter=1).T}) == 10


def test_more_runs_change_no_earlier_one():
    assert np.array_equal(make(runs=9)[:, :6], make(runs=6))


def test_the_stream_belongs_to_seed_study_and_case():
    reference = make(max_iter=1)
    assert np.array_equal(reference, make(max_iter=1))
    for other in (
        make(max_iter=1, seed=2),
        make(max_iter=1, names=("s", "iris")),
        make(max_iter=1, names=("study", "x")),
    ):
        assert not np.array_equal(reference, other)


def test_sparse_features_stay_sparse_and_give_the_same_clusterings(monkeypatch):
    counts = np.random.default_rng(0).poisson(0.3, size=(60, 40)).astype(float)
    dense = make(counts, runs=3)
    densify = sparse.csr_array.toarray

    def only_centres(self, *arguments, **keywords):
        assert self.shape[0] == 3, "the features were densified"
        return densify(self, *arguments, **keywords)

    monkeypatch.setattr(sparse.csr_array, "toarray", only_centres)
    assert np.array_equal(make(sparse.csr_array(counts), runs=3), dense)


@pytest.mark.long
def test_bits_do_not_depend_on_threads(tmp_path):
    features = np.random.default_rng(0).normal(size=(1500, 20))
    np.save(tmp_path / "x.npy", features)
    program = (
        "import sys, numpy as np; from consclust.ensembles.kmeans import KMeansProtocol, kmeans_ensemble; "
        "labels = kmeans_ensemble(np.load(sys.argv[1]), KMeansProtocol(8, 3, 100), 5, ('a', 'b')); "
        "print(labels.tobytes().hex())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / "x.npy"],
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(answers) == 1


def test_a_random_number_of_clusters_is_any_from_2_to_the_root_of_n():
    k = make(IRIS[::6], runs=60, n_clusters="random", max_iter=1).max(axis=0) + 1
    assert sorted(set(k.tolist())) == [2, 3, 4, 5]


def test_a_share_of_the_features_is_drawn_for_each_run():
    """The classes differ in one feature only, so a run has them just if that is among its own."""
    features = np.random.default_rng(0).normal(size=(60, 4))
    features[:, 2] += np.repeat([0.0, 1e3], 30)
    halves = make(features, runs=40, n_clusters=2, feature_share=0.5)
    found = [len(set(run[:30])) == len(set(run[30:])) == 1 for run in halves.T.tolist()]
    assert 8 <= sum(found) <= 32
    assert all(len(set(run[:30])) == 1 for run in make(features, n_clusters=2).T.tolist())


def test_draws_are_those_of_matlab():
    """The first repetition of EC-CMS's protocol, as its authors' program draws it."""
    members = store.drawn(100, 20, 20, 1)
    assert members.shape == (20, 20)
    assert members[0].tolist() == FIRST_DRAW
    assert members[19].tolist() == LAST_DRAW
    assert store.drawn(100, 40, 20, 1)[:, :20].tolist() == members.tolist()


def test_files_have_the_same_bytes_and_subsets_in_order(tmp_path):
    labels, classes = make(runs=6), load_iris().target
    for name in ("a", "b"):
        store.save(tmp_path / f"{name}.npz", labels, classes, store.split(6, 2), MARKS)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    stored = store.load(tmp_path / "a.npz")
    assert np.array_equal(stored.subset(1), labels[:, 2:4])
    assert stored.n_classes == 3
