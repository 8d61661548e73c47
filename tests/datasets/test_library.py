"""Data sets for a person: what ``load`` returns, where its files lie, and what it says when it cannot."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from consclust import datasets, ensembles
from consclust.datasets import catalogue as library
from consclust.datasets import download
from consclust.errors import InputError
from consclust.methods import LWEA

ROOT = Path(__file__).parents[2]
FEATURES = "1.5,2,red\n2.5,4,blue\n3.5,6,red\n"
LABELS = "kind,a,b\nred,5,1\nblue,7,\nred,5,2\n"


def file(name, text, **keys):
    data = text.encode()
    return {"name": name, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "mirror": name, **keys}


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """Two data sets, one of features and one of base clusterings; the mirror that has their files; an empty cache."""
    (tmp_path / "mirror").mkdir()
    for name, text in (("flowers.csv", FEATURES), ("pool.csv", LABELS)):
        (tmp_path / "mirror" / name).write_text(text)
    common = {"licence": "none", "source": "made here"}
    url = "http://127.0.0.1:9/flowers.csv"
    pool = {"file": file("pool.csv", LABELS), "classes": "kind"}
    entries = {
        "flowers": {
            **common, "title": "Flowers", "note": "Three of them.", "reader": {"format": "table", "class_column": 2},
            "files": [file("flowers.csv", FEATURES, urls=[url])], "preprocessing": ["minmax"],
            "ensembles": {"friends": pool},
        },
        "pool": {**common, "title": "Pool", "ensembles": {"friends": pool}},
    }  # fmt: skip
    path = tmp_path / "datasets.yaml"
    path.write_text(yaml.safe_dump(entries))
    monkeypatch.setenv(download.MIRROR_VARIABLE, str(tmp_path / "mirror"))
    monkeypatch.setenv(library.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda seconds: None))
    return path


def test_features_classes_and_their_description(registry):
    flowers = datasets.load("flowers", registry=registry)
    assert flowers.data.tolist() == [[0, 0], [0.5, 0.5], [1, 1]]
    assert flowers.target.tolist() == [1, 0, 1]
    assert flowers.target_names == ["blue", "red"]
    assert (flowers.ensemble, flowers.ensembles, flowers.preprocessing) == (None, ["friends"], ("minmax",))
    for fact in ("Flowers", "3 objects", "2 classes", "2 features", "minmax", "Three of them.", "made here", "none"):
        assert fact in flowers.DESCR


def test_other_steps_replace_the_registered_ones(registry):
    assert datasets.load("flowers", registry=registry, preprocessing=()).data[:, 0].tolist() == [1.5, 2.5, 3.5]


def test_an_ensemble_is_loaded_where_it_is_wanted_or_there_is_nothing_else(registry):
    for data in (
        datasets.load("pool", registry=registry),
        datasets.load("flowers", ensemble="friends", registry=registry),
    ):
        assert data.ensemble.labels.tolist() == [[0, 0], [1, -1], [0, 1]]
        assert LWEA(n_clusters=2).fit_predict(data.ensemble).shape == data.target.shape
    assert datasets.load("pool", registry=registry).data.shape == (3, 0)


def test_files_are_downloaded_once_into_the_named_folder(registry, tmp_path, monkeypatch):
    datasets.load("flowers", registry=registry)
    datasets.load("flowers", registry=registry, cache=tmp_path / "other")
    for folder in ("cache", "other"):
        assert [path.name for path in (tmp_path / folder / "flowers").iterdir()] == ["flowers.csv"]
    monkeypatch.delenv(download.MIRROR_VARIABLE)
    assert datasets.load("flowers", registry=registry).data.shape == (3, 2)
    (tmp_path / "cache/flowers/flowers.csv").write_text("1,2,red\n")
    with pytest.raises(InputError, match="is not the registered flowers"):
        datasets.load("flowers", registry=registry)


def test_the_default_folder_is_in_the_users_cache(monkeypatch, tmp_path):
    monkeypatch.delenv(library.CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = library._folder(None)
    assert folder.name == "consclust"
    assert folder.is_relative_to(tmp_path) or folder.is_relative_to(Path.home())


def test_offline_the_message_has_address_checksum_and_place(registry, tmp_path, monkeypatch):
    monkeypatch.delenv(download.MIRROR_VARIABLE)
    with pytest.raises(InputError) as caught:
        datasets.load("flowers", registry=registry)
    message = str(caught.value)
    assert "\n" not in message
    place = str(tmp_path / "cache/flowers/flowers.csv")
    for fact in ("http://127.0.0.1:9/flowers.csv", hashlib.sha256(FEATURES.encode()).hexdigest(), place):
        assert fact in message
    assert download.MIRROR_VARIABLE in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "flower"}, "name = 'flower': not registered; did you mean \"flowers\"?"),
        ({"name": "pool", "ensemble": "friend"}, "ensemble = 'friend': not registered; did you mean \"friends\"?"),
        ({"name": "flowers", "preprocessing": ("min_max",)}, 'no such preprocessing step; did you mean "minmax"?'),
    ],
)
def test_a_wrong_word_is_named_with_the_nearest_one(registry, arguments, message):
    with pytest.raises(InputError) as caught:
        datasets.load(**arguments, registry=registry)
    assert message in str(caught.value)


def test_an_ensemble_of_other_objects_is_refused(registry, tmp_path):
    entries = yaml.safe_load(registry.read_text())
    text = LABELS + "red,5,1\n"
    entries["flowers"]["ensembles"]["friends"]["file"] = file("pool.csv", text)
    registry.write_text(yaml.safe_dump(entries))
    (tmp_path / "mirror/pool.csv").write_text(text)
    with pytest.raises(InputError, match="4 rows, but the data set has 3 objects"):
        datasets.load("flowers", ensemble="friends", registry=registry)


def test_the_packages_registry_is_the_projects():
    assert library.PACKAGED.read_bytes() == (ROOT / "config/datasets.yaml").read_bytes()
    assert datasets.names() == list(yaml.safe_load((ROOT / "config/datasets.yaml").read_text()))


@pytest.mark.mirror
def test_scikit_learn_accepts_sparse_features(mirror, tmp_path):
    tr23 = datasets.load("tr23", cache=tmp_path)
    assert ensembles.kmeans(tr23.data, runs=1, n_clusters=2, max_iter=1).n_objects == 204


@pytest.mark.mirror
def test_the_authors_ensemble_of_yale(mirror, tmp_path):
    yale = datasets.load("yale", ensemble="authors", cache=tmp_path)
    assert (yale.data.shape, yale.ensemble.labels.shape, len(yale.target_names)) == ((165, 1024), (165, 200), 15)
    assert np.allclose(np.linalg.norm(yale.data, axis=1), 1)
