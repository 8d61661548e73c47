"""The data sets of comparisons of methods: their readers, their registry, the order and the noise of their objects."""

import gzip
import json
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.io import savemat

from consclust import datasets
from consclust.datasets.prepared import Recipe, find_shuffled_order, prepare
from consclust.datasets.registry import BOARD, REGISTRY, DatasetSpec, load_registries, load_registry
from consclust.errors import InputError
from consclust.readers.arff_coded import CodedArffReader
from consclust.readers.gz_text import GzTextReader
from consclust.readers.packed_json import PackedJsonReader
from consclust.readers.zipped_arrays import ZippedArraysReader
from consclust_studies.stages import base_clusterings, stored_ensembles
from consclust_studies.stages.base_clusterings import EnsembleJob

ROOT = Path(__file__).parents[2]
BOARD_SETS = load_registry(ROOT / BOARD)
ROWS = [[1.5, -2.0], [0.25, 3.0], [4.0, 1e-3]]


def pack(path: Path, value: object) -> Path:
    path.write_bytes(zlib.compress(json.dumps(value).encode()))
    return path


def pack_text(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_packed_json_has_rows_and_classes_of_any_kind(tmp_path):
    data = pack(tmp_path / "data.bin", ROWS)
    labels = pack(tmp_path / "label.bin", ["b", 2.0, 2])
    raw = PackedJsonReader(format="packed_json").read(data, labels)
    np.testing.assert_array_equal(raw.X, ROWS)
    assert raw.classes == ["b", "2", "2"]


@pytest.mark.parametrize(
    ("rows", "labels", "wrong"),
    [
        (ROWS, [0, 1], "2 classes for 3 objects"),
        ([[1.0], [1.0, 2.0]], [0, 1], "not rows of numbers"),
        ([1.0, 2.0], [0, 1], "shape (2,), not rows"),
        (ROWS, [0, 1, [2]], "is no class"),
        (ROWS, {"a": 1}, "a dict, not a list"),
    ],
)
def test_packed_json_refuses_other_content(tmp_path, rows, labels, wrong):
    files = pack(tmp_path / "data.bin", rows), pack(tmp_path / "label.bin", labels)
    with pytest.raises(InputError) as caught:
        PackedJsonReader(format="packed_json").read(*files)
    assert wrong in str(caught.value)


def test_packed_json_refuses_what_is_not_packed(tmp_path):
    path = tmp_path / "data.bin"
    path.write_text("[[1, 2]]")
    with pytest.raises(InputError, match="no JSON packed by zlib"):
        PackedJsonReader(format="packed_json").read(path, path)


def zip_arrays(path: Path, **arrays: np.ndarray) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            stream = BytesIO()
            np.save(stream, array)
            archive.writestr(f"folder/{name}.npy", stream.getvalue())
    return path


def test_zipped_arrays_are_found_in_a_folder(tmp_path):
    path = zip_arrays(tmp_path / "a.zip", data=np.array(ROWS), label=np.array([3, 1, 3]))
    raw = ZippedArraysReader(format="zipped_arrays").read(path)
    np.testing.assert_array_equal(raw.X, ROWS)
    assert raw.classes == ["3", "1", "3"]


@pytest.mark.parametrize(
    ("arrays", "wrong"),
    [
        ({"data": np.array(ROWS)}, "0 members of the archive are named label.npy"),
        ({"data": np.array(ROWS), "label": np.array([1, 2])}, "shape (2,) for 3 objects"),
        ({"data": np.array([1.0, 2.0]), "label": np.array([1, 2])}, "no matrix of numbers"),
    ],
)
def test_zipped_arrays_refuse_other_content(tmp_path, arrays, wrong):
    with pytest.raises(InputError) as caught:
        ZippedArraysReader(format="zipped_arrays").read(zip_arrays(tmp_path / "a.zip", **arrays))
    assert wrong in str(caught.value)


def test_zipped_objects_are_not_unpickled(tmp_path):
    path = tmp_path / "a.zip"
    stream = BytesIO()
    np.save(stream, np.array([{}], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.npy", stream.getvalue())
    with pytest.raises(InputError, match=r"no \.zip with arrays"):
        ZippedArraysReader(format="zipped_arrays").read(path)


def test_gz_text_reads_the_reference_that_is_named(tmp_path):
    data = pack_text(tmp_path / "a.data.gz", "1.5 -2\n.25\t3e0\n4 1e-3\n")
    first = pack_text(tmp_path / "a.labels0.gz", "1\n0\n2\n")
    other = pack_text(tmp_path / "a.labels1.gz", "2\n2\n1")
    raw = GzTextReader(format="gz_text").read(data, first, other)
    np.testing.assert_array_equal(raw.X, ROWS)
    assert raw.classes == ["1", "0", "2"]
    assert GzTextReader(format="gz_text", reference=1).read(data, first, other).classes == ["2", "2", "1"]
    with pytest.raises(InputError, match=r"reference 2 \(from 0\) of 2 labelings"):
        GzTextReader(format="gz_text", reference=2).read(data, first, other)


@pytest.mark.parametrize(
    ("data", "labels", "wrong"),
    [
        ("1 2\n3", "1\n2", "rows of 1 and 2 numbers"),
        ("1 2\n3 x", "1\n2", "line 2: 'x' is no number"),
        ("1 2\n3 4", "1\n2\n1", "3 lines for 2 objects"),
        ("1 2\n3 4", "1 2\n2 1", "more than a class in a line"),
    ],
)
def test_gz_text_refuses_other_content(tmp_path, data, labels, wrong):
    files = pack_text(tmp_path / "a.gz", data), pack_text(tmp_path / "b.gz", labels)
    with pytest.raises(InputError) as caught:
        GzTextReader(format="gz_text").read(*files)
    assert wrong in str(caught.value)


ARFF = """@relation r
@attribute 'which part' {Train, Test}
@attribute native {1,2}
@attribute size numeric
@attribute class {a, b}
@data
Train,2,1.5,b
Test,1,-3,a
"""


def test_nominal_attributes_that_hold_numbers_are_features(tmp_path):
    path = tmp_path / "a.arff"
    path.write_text(ARFF)
    raw = CodedArffReader(format="arff_coded", drop=("which part",)).read(path)
    np.testing.assert_array_equal(raw.X, [[2, 1.5], [1, -3]])
    assert raw.classes == ["b", "a"]
    with pytest.raises(InputError, match="line 7: 'Train' is no number"):
        CodedArffReader(format="arff_coded").read(path)
    with pytest.raises(InputError, match="no attribute 'class' beside the class"):
        CodedArffReader(format="arff_coded", drop=("class",)).read(path)


def registered(path: Path, **changes: object) -> DatasetSpec:
    entry = {"title": "Toy", "licence": "mine", "source": "here", "files": [{"name": path.name}], **changes}
    return DatasetSpec.model_validate({"reader": {"format": "table"}, **entry})


def test_shuffled_objects_keep_their_features_and_classes(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_text("".join(f"{i},{i % 3}\n" for i in range(60)))
    plain = prepare(Recipe.make("toy", registered(path), ()), [path])
    mixed = prepare(Recipe.make("toy", registered(path, shuffle=7), ()), [path])
    order = find_shuffled_order(7, 60)
    assert sorted(order.tolist()) == list(range(60))
    assert (order != np.arange(60)).sum() > 40
    np.testing.assert_array_equal(mixed.X, plain.X[order])
    np.testing.assert_array_equal(mixed.y, plain.y[order])
    other = prepare(Recipe.make("toy", registered(path, shuffle=8), ()), [path])
    assert not np.array_equal(other.X, mixed.X)


def test_noise_has_no_class_and_is_no_class(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_text("1,5\n2,0\n3,9\n4,0\n5,5\n")
    entry = registered(path, noise=["0"], shape=[5, 1, 2])
    dataset = prepare(Recipe.make("toy", entry, ()), [path])
    assert dataset.y.tolist() == [0, -1, 1, -1, 0]
    assert dataset.class_names == ("5", "9")


def test_steps_of_a_shuffled_set_see_the_same_features(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_text("".join(f"{i * i},{i % 2}\n" for i in range(9)))
    mixed = prepare(Recipe.make("toy", registered(path, shuffle=1), ("zscore",)), [path])
    plain = prepare(Recipe.make("toy", registered(path), ("zscore",)), [path])
    np.testing.assert_allclose(mixed.X, plain.X[find_shuffled_order(1, 9)], rtol=1e-12)


def test_labels_of_a_shuffled_pool_go_with_their_objects(tmp_path):
    members = np.column_stack([np.repeat([1, 2, 3], 4), np.arange(12) % 5 + 1])
    classes = np.repeat([1, 2], 6)[:, None]
    path = tmp_path / "pool.mat"
    savemat(path, {"members": members, "gt": classes})
    pool = {"file": {"name": "pool.mat"}, "variable": "members", "classes": "gt"}
    facts = {"title": "Pool", "licence": "mine", "source": "here"}
    entry = DatasetSpec.model_validate({**facts, "ensembles": {"mine": pool}, "shuffle": 3})
    dataset = prepare(Recipe.make("pool", entry, ()), [path])
    job = EnsembleJob(
        data="", pool=("s", "pool"), algorithm="ready-made", ready=entry.ensembles["mine"], runs=2, subset_size=2,
        draws=None, draw_seed=None, shuffle=3,
    )  # fmt: skip
    base_clusterings.make(job, dataset, path, tmp_path / "ensemble.npz")
    stored = stored_ensembles.load(tmp_path / "ensemble.npz")
    order = find_shuffled_order(3, 12)
    np.testing.assert_array_equal(stored.labels, members[order] - 1)
    np.testing.assert_array_equal(stored.classes, classes[order, 0] - 1)


def test_a_person_loads_a_shuffled_pool_with_its_labels_in_the_same_order(tmp_path):
    path = tmp_path / "cache/pool/pool.csv"
    path.parent.mkdir(parents=True)
    path.write_text("one,two,kind\n" + "".join(f"{i % 3},{i % 4},{i // 6}\n" for i in range(12)))
    registry = tmp_path / "registry.yaml"
    registry.write_text(
        "pool:\n  title: Pool\n  licence: mine\n  source: here\n  shuffle: 5\n"
        "  ensembles: {mine: {file: {name: pool.csv}, classes: kind}}\n"
    )
    found = datasets.load("pool", cache=tmp_path / "cache", registry=registry)
    order = find_shuffled_order(5, 12)
    np.testing.assert_array_equal(found.ensemble.given[:, 1], order % 4)
    np.testing.assert_array_equal(found.target, order // 6)


def test_board_ids_are_not_those_of_the_registry(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    both = load_registries()
    assert list(both) == [*load_registry(REGISTRY), *BOARD_SETS]
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    (tmp_path / REGISTRY).write_bytes((ROOT / REGISTRY).read_bytes())
    assert list(load_registries()) == list(load_registry(ROOT / REGISTRY))
    (tmp_path / BOARD).write_bytes((ROOT / REGISTRY).read_bytes())
    with pytest.raises(InputError, match=r"board.yaml: aggregation: also in"):
        load_registries()


def test_every_set_of_the_board_is_described():
    assert len(BOARD_SETS) == 174
    independent = [entry for entry in BOARD_SETS.values() if not entry.card.overlaps]
    assert len(independent) == 156
    assert sum(entry.card.sorted_by_class for entry in independent) == 69
    assert sum(entry.card.synthetic for entry in independent) == 52
    assert sum(entry.card.unclusterable for entry in independent) == 25
    assert {name for name, entry in BOARD_SETS.items() if entry.card.suspect} == {"weather", "smoker"}
    known = {*BOARD_SETS, *load_registry(ROOT / REGISTRY)}
    for name, entry in BOARD_SETS.items():
        assert entry.shuffle is not None, name
        assert entry.card.references[0].classes == entry.shape[2], name
        assert bool(entry.card.references[0].noise) == bool(entry.noise), name
        assert entry.card.overlaps is None or entry.card.overlaps in known, name
        # features in one unit stay as they are, others are z-scored
        assert entry.preprocessing == (("zscore",) if entry.reader and not entry.card.shared_unit else ()), name


@pytest.mark.mirror
def test_the_files_of_every_set_are_what_the_registry_says(mirror):
    for name, entry in BOARD_SETS.items():
        files = [mirror / file.mirror for file in entry.prepared_from]
        dataset = prepare(Recipe.make(name, entry, entry.preprocessing), files)
        assert (dataset.y < 0).sum() == entry.card.references[0].noise, name
        class_of_next = np.diff(dataset.y[dataset.y >= 0]) != 0
        assert class_of_next.sum() >= entry.shape[2], f"{name}: one class after the other"


def test_a_card_needs_a_domain():
    with pytest.raises(ValidationError, match="domain"):
        DatasetSpec.model_validate(
            {"title": "a", "licence": "b", "source": "c", "reader": {"format": "table"}, "files": [{"name": "a.csv"}]}
            | {"card": {}}
        )
