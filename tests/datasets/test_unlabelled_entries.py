"""Data sets without classes: their entries in the registry, and how they are prepared."""

import numpy as np
import pytest
import yaml

from consclust import datasets
from consclust.datasets.registry import load_registry
from consclust.errors import InputError
from consclust_studies.stages import prepare as prepared
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.base_clusterings import EnsembleJob, make
from consclust_studies.stages.prepare import PrepareJob

LABELS = "first,second,third\n0,2,1\n0,,1\n1,2,0\n1,0,0\n"
MINE = {"mine": {"file": {"name": "survey.csv"}}}
ENTRY = {"title": "Survey", "classes": False, "ensembles": MINE, "licence": "mine", "source": "made here"}


@pytest.fixture
def registry(tmp_path):
    """Write a registry of one entry with some changes; return its path."""

    def write(changes=None):
        path = tmp_path / "datasets.yaml"
        path.write_text(yaml.safe_dump({"survey": {**ENTRY, **(changes or {})}}))
        return path

    return write


@pytest.fixture
def raw(tmp_path):
    (tmp_path / "survey.csv").write_text(LABELS)
    return tmp_path / "survey.csv"


def test_every_object_has_a_missing_class(registry, raw, tmp_path):
    entry = load_registry(registry({"shape": [4, 0, 0]}))["survey"]
    job = PrepareJob.make("survey", entry, ())
    prepared.prepare(job, [raw], tmp_path / "out.npz")
    found = prepared.load(tmp_path / "out.npz", job.digest)
    assert (found.shape, found.y.tolist()) == ((4, 0, 0), [-1] * 4)

    ready = EnsembleJob(
        data=job.digest, pool=("s", "survey"), algorithm="ready-made", ready=entry.ensembles["mine"],
        runs=3, subset_size=3, draws=None, draw_seed=None,
    )  # fmt: skip
    make(ready, found, raw, tmp_path / "ensemble.npz")
    stored = store.load(tmp_path / "ensemble.npz", ready.digest)
    assert stored.labels.tolist() == [[0, 1, 1], [0, -1, 1], [1, 1, 0], [1, 0, 0]]
    assert stored.n_classes == 0


def test_the_library_loads_it(registry, raw):
    place = raw.parent / "survey/survey.csv"
    place.parent.mkdir()
    raw.rename(place)
    found = datasets.load("survey", registry=registry(), cache=raw.parent)
    assert found.target_names == []
    assert np.all(found.target == -1)
    assert (found.ensemble.n_objects, found.ensemble.n_clusterings) == (4, 3)
    assert "4 objects without classes" in found.DESCR


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"classes": True}, ["survey", "classes: kind", "classes: false"]),
        ({"classes": "none"}, ["survey.classes", "boolean"]),
        ({"shape": [4, 0, 2]}, ["survey", "shape = [4, 0, 2]", "classes: false", "0 classes"]),
        ({"classes": True, "shape": [4, 0, 0]}, ["survey", "classes"]),
        ({"ensembles": {}}, ["survey", "ensemble"]),
        ({"ensembles": {"mine": {"file": {"name": "a.csv"}, "classes": "kind"}}}, ["ensembles.mine.classes", "remove"]),
        ({"reader": {"format": "table"}, "files": [{"name": "a.csv"}]}, ["survey", "classes: false", "--features"]),
        ({"preprocessing": ["zscore"]}, ["survey", "preprocessing", "remove"]),
    ],
)
def test_a_mistake_in_the_entry_is_one_line(registry, changes, words):
    path = registry(changes)
    with pytest.raises(InputError) as caught:
        load_registry(path)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{path}: survey")
    assert all(word in line for word in words), line


@pytest.mark.parametrize(
    ("changes", "files", "words"),
    [
        ({"shape": [5, 0, 0]}, 1, "survey.csv: 4 objects, but .* shape: \\[4, 0, 0\\]"),
        ({}, 0, "data set survey: 0 raw files given, 1 registered; give: survey.csv"),
    ],
)
def test_a_file_that_is_not_the_registered_one(registry, raw, tmp_path, changes, files, words):
    job = PrepareJob.make("survey", load_registry(registry(changes))["survey"], ())
    with pytest.raises(InputError, match=words):
        prepared.prepare(job, [raw] * files, tmp_path / "out.npz")
