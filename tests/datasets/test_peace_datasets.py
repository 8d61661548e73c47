"""The data sets of PEACE: generated ones, a sample, and from the mirror the others."""

from pathlib import Path

import numpy as np
import pytest

from consclust.datasets.registry import DatasetSpec, load_registry
from consclust.errors import InputError
from consclust_studies.stages.prepare import PrepareJob, load, prepare

DATASETS = load_registry(Path(__file__).parents[2] / "config/datasets.yaml")
CLASSES = {
    "house_votes": [124, 108],
    "std_yeast_cell": [67, 135, 75, 52, 55],
    "breast_cancer_wisconsin": [444, 239],
    "webkb": [244, 153, 86, 558],
    "mini_newsgroups": [100, 400, 100, 400, 400, 100, 200],
}


def prepared(name, tmp_path, mirror=Path()):
    spec = DATASETS[name]
    job = PrepareJob.make(name, spec, spec.preprocessing)
    prepare(job, [mirror / file.mirror for file in spec.files], tmp_path / name)
    return load(tmp_path / name)


def components(X, radius):
    """Objects in one part of the graph that joins those nearer than ``radius``."""
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial.distance import cdist

    return connected_components(cdist(X, X) < radius)[1]


def test_each_arm_of_the_spiral_hangs_together_and_is_apart_from_the_other(tmp_path):
    dataset = prepared("spiral", tmp_path)
    assert np.array_equal(components(dataset.X, 0.2), dataset.y)
    assert np.array_equal(np.bincount(dataset.y), [100, 100])


def test_the_seven_shapes_are_generated_alike_every_time(tmp_path):
    dataset, again = prepared("shapes", tmp_path), prepared("shapes", tmp_path)
    assert np.array_equal(dataset.X, again.X)
    assert dataset.shape == (739, 2, 7)
    ring = dataset.X[dataset.y == 1]
    disc = dataset.X[dataset.y == 0]
    centre = np.array([-5.0, 3.0])
    assert np.linalg.norm(disc - centre, axis=1).max() < np.linalg.norm(ring - centre, axis=1).min()


def toy(**changes):
    sample = {"objects": 20, "seed": 1} | changes
    reader = {"format": "sklearn", "loader": "iris"}
    return DatasetSpec(title="Toy", reader=reader, sample=sample, licence="-", source="-")


def test_a_sample_is_drawn_by_its_seed_in_the_order_of_the_file(tmp_path):
    whole = prepared("iris", tmp_path).X.tolist()
    first = prepare(PrepareJob.make("toy", toy(), ()), [], tmp_path / "a")
    assert np.array_equal(first.X, prepare(PrepareJob.make("toy", toy(), ()), [], tmp_path / "b").X)
    assert not np.array_equal(first.X, prepare(PrepareJob.make("toy", toy(seed=2), ()), [], tmp_path / "c").X)
    assert first.shape == (20, 4, 3)
    assert np.array_equal(first.y, np.sort(first.y))  # iris lies in the order of its classes
    assert all(row in whole for row in first.X.tolist())


def test_a_sample_larger_than_the_data_set_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"sample.objects = 151 .* there are 150 objects; lower it"):
        prepare(PrepareJob.make("toy", toy(objects=151), ()), [], tmp_path / "a")


@pytest.mark.mirror
@pytest.mark.parametrize("name", CLASSES)
def test_class_counts(name, mirror, tmp_path):
    dataset = prepared(name, tmp_path, mirror)
    assert dataset.shape == DATASETS[name].shape
    assert np.bincount(dataset.y).tolist() == CLASSES[name]


@pytest.mark.mirror
def test_votes_are_numbers_and_pixels_are_whole(mirror, tmp_path):
    assert set(np.unique(prepared("house_votes", tmp_path, mirror).X)) == {0, 1}
    digits = prepared("optdigits", tmp_path, mirror)
    assert digits.shape == (1000, 64, 10)
    assert np.bincount(digits.y).min() > 80
