"""All data sets of the RCE paper, from the mirror: shapes, class counts, and what was derived from them."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from consclust.datasets.download import fetch, verify
from consclust.datasets.preprocessing.text import tfidf
from consclust.datasets.registry import load_registry
from consclust.readers.matlab import load_mat
from consclust_studies.stages.prepare import PrepareJob, load, prepare

pytestmark = pytest.mark.mirror

DATASETS = load_registry(Path(__file__).parents[2] / "config/datasets.yaml")

# In the order of the sorted class names; from the mirror's manifest.
COUNTS = {
    "yale": [11] * 15,
    "tr23": [36, 11, 91, 45, 15, 6],
    "jaffe": [23, 22, 22, 20, 21, 21, 20, 21, 21, 22],
    "glass": [70, 76, 17, 13, 9, 29],
    "orl": [10] * 40,
    "medical": [80, 11, 155, 96, 12, 16, 32, 31, 15, 66, 41, 15, 18, 29, 40, 25, 24],
    "coil20": [72] * 20,
    "wap": [15, 76, 33, 54, 5, 196, 341, 44, 18, 11, 91, 40, 168, 65, 91, 97, 13, 37, 130, 35],
    "hitech": [485, 116, 603, 429, 481, 187],
    "k1b": [142, 1389, 494, 114, 141, 60],
    "mnist_4000": [366, 454, 417, 398, 431, 359, 378, 429, 364, 404],
}
SPARSE_NNZ = {"tr23": 78609, "medical": 8931, "wap": 220482, "hitech": 346881, "k1b": 302992}


def prepared(name, mirror, tmp_path, steps=None):
    spec = DATASETS[name]
    raw = [mirror / file.mirror for file in spec.files]
    out = tmp_path / f"{name}.npz"
    prepare(PrepareJob.make(name, spec, spec.preprocessing if steps is None else steps), raw, out)
    return load(out)


@pytest.mark.parametrize("name", COUNTS)
def test_shape_and_class_counts(name, mirror, tmp_path):
    dataset = prepared(name, mirror, tmp_path)
    assert dataset.shape == DATASETS[name].shape
    assert np.bincount(dataset.y).tolist() == COUNTS[name]
    assert (dataset.X.nnz if name in SPARSE_NNZ else 0) == SPARSE_NNZ.get(name, 0)


@pytest.mark.parametrize("name", ["hitech", "k1b"])
def test_counts_are_those_of_the_derived_file(name, mirror, tmp_path):
    dataset = prepared(name, mirror, tmp_path)
    derived = next((mirror / f"files/{name}").glob("*_counts.mat"))
    assert abs(dataset.X - load_mat(derived, ["X"])["X"]).nnz == 0
    weights = prepared(name, mirror, tmp_path, steps=()).X
    assert abs(tfidf(dataset.X) - weights).max() < 1e-14


def test_wap_counts_give_its_tfidf_file(mirror, tmp_path):
    dataset = prepared("wap", mirror, tmp_path)
    stored = load_mat(mirror / "files/wap/wap_1560n_8460d_20c_tfidf_uni.mat", ["X", "y"])
    assert abs(tfidf(dataset.X) - stored["X"]).max() < 1e-14
    assert np.array_equal(dataset.y + 1, stored["y"].ravel())


def test_tr23_counts_give_the_derived_tfidf_file(mirror, tmp_path):
    dataset = prepared("tr23", mirror, tmp_path)
    stored = load_mat(mirror / "files/tr23/tr23_204n_5832d_6c_tfidf_uni.mat", ["X", "y"])
    assert abs(tfidf(dataset.X) - stored["X"]).max() < 1e-14
    assert np.array_equal(dataset.y + 1, stored["y"].ravel())


def test_mnist_is_the_derived_reconstruction(mirror, tmp_path):
    dataset = prepared("mnist_4000", mirror, tmp_path)
    stored = scipy.io.loadmat(mirror / "files/mnist_4000/mnist_4000n_784d_10c_first2k_first2k.mat")
    assert np.array_equal(dataset.X, stored["fea"])
    assert np.array_equal(dataset.y, stored["gnd"].ravel())


def test_yale_rows_have_length_one(mirror, tmp_path):
    np.testing.assert_allclose(np.linalg.norm(prepared("yale", mirror, tmp_path).X, axis=1), 1)


def test_yale_authors_ensemble(mirror, tmp_path):
    ensemble = DATASETS["yale"].ensembles["authors"]
    target = tmp_path / ensemble.file.name
    fetch("yale", DATASETS["yale"], ensemble.file, target, str(mirror))
    verify(target, "yale", ensemble.file)
    labels = load_mat(target, [ensemble.variable])[ensemble.variable]
    assert labels.shape == (165, ensemble.runs)
    assert set(np.unique(labels)) == set(range(1, 16))


@pytest.mark.parametrize("name", ["glass", "tr23"])
def test_prepared_bytes_do_not_change(name, mirror, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    digests = []
    for folder in ("a", "b"):
        prepared(name, mirror, tmp_path / folder)
        digests.append(hashlib.sha256((tmp_path / folder / f"{name}.npz").read_bytes()).hexdigest())
    assert digests[0] == digests[1]
