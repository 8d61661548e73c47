"""The small data sets with numeric features, from the mirror: class counts, constant features, copies."""

from pathlib import Path

import numpy as np
import pytest

from consclust.datasets.registry import load_registry
from consclust.readers.arff import ArffReader
from consclust.readers.embedded import SklearnReader
from consclust_studies.stages.prepare import PrepareJob, load, prepare

pytestmark = pytest.mark.mirror

DATASETS = load_registry(Path(__file__).parents[2] / "config/datasets.yaml")

# Objects of each class, in the order of the sorted class names, and how many features are constant.
EXPECTED = {
    "iris_uci": ([50, 50, 50], 0),
    "ionosphere": ([126, 225], 1),
    "pima": ([500, 268], 0),
    "bupa": ([145, 200], 0),
    "balance_scale": ([49, 288, 288], 0),
    "segment": ([330] * 7, 1),
    "vehicle": ([218, 212, 217, 199], 0),
    "sonar": ([111, 97], 0),
    "soybean_small": ([10, 10, 10, 17], 14),
    "protein": ([19, 16, 32, 15, 18, 16], 0),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_class_counts_and_z_scores(name, mirror, tmp_path):
    spec = DATASETS[name]
    job = PrepareJob.make(name, spec, ("zscore",))
    prepare(job, [mirror / file.mirror for file in spec.files], tmp_path / f"{name}.npz")
    dataset = load(tmp_path / f"{name}.npz")
    counts, n_constant = EXPECTED[name]
    assert dataset.shape == spec.shape
    assert np.bincount(dataset.y).tolist() == counts
    deviations = np.sort(dataset.X.std(axis=0, ddof=1))
    assert (deviations[:n_constant] == 0).all()
    np.testing.assert_allclose(deviations[n_constant:], 1, atol=1e-12)
    np.testing.assert_allclose(dataset.X.mean(axis=0), 0, atol=1e-12)


def test_the_embedded_wine_and_breast_cancer_are_the_uci_files(mirror):
    wine = ArffReader(format="arff", class_attribute="class").read(mirror / "files/wine/wine.arff")
    np.testing.assert_array_equal(wine.X, SklearnReader(format="sklearn", loader="wine").read().X)
    wdbc = ArffReader(format="arff", class_attribute="class").read(mirror / "files/wdbc/wdbc.arff")
    embedded = SklearnReader(format="sklearn", loader="breast_cancer").read()
    np.testing.assert_array_equal(wdbc.X[:, 1:], embedded.X)  # before them an identifier
    assert [name == "M" for name in wdbc.classes] == [name == "malignant" for name in embedded.classes]


def test_iris_differs_from_the_embedded_one_where_the_registry_says(mirror, tmp_path):
    spec = DATASETS["iris_uci"]
    prepare(PrepareJob.make("iris_uci", spec, ()), [mirror / spec.files[0].mirror], tmp_path / "iris.npz")
    other = SklearnReader(format="sklearn", loader="iris").read().X
    assert np.flatnonzero((other != load(tmp_path / "iris.npz").X).any(axis=1)).tolist() == [34, 37]


def test_iris_without_a_feature_has_the_other_three(mirror, tmp_path):
    whole = prepared("iris_uci", mirror, tmp_path)
    names = [f"{part}_{side}" for part in ("sepal", "petal") for side in ("length", "width")]
    for place, name in enumerate(names):
        some = prepared(f"iris_without_{name}", mirror, tmp_path)
        np.testing.assert_array_equal(some.X, np.delete(whole.X, place, axis=1))
        np.testing.assert_array_equal(some.y, whole.y)


def prepared(name, mirror, tmp_path):
    spec = DATASETS[name]
    prepare(PrepareJob.make(name, spec, ()), [mirror / spec.files[0].mirror], tmp_path / f"{name}.npz")
    return load(tmp_path / f"{name}.npz")
