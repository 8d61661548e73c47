import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from consclust.datasets.prepared import Dataset, coded
from consclust.datasets.registry import DatasetSpec, load_registry
from consclust.errors import InputError
from consclust_studies.stages.prepare import PrepareJob, load, prepare

ROOT = Path(__file__).parents[2]
DATASETS = load_registry(ROOT / "config/datasets.yaml")
TABLE = b"1,0,b\n3,4,a\n6,8,b\n"
ARFF = b"@relation r\n@attribute x real\n@attribute y real\n@attribute c {b,a}\n@data\n{0 3,1 4,2 a}\n{}\n{1 5}\n"


def toy(content, reader="table", shape=(3, 2, 2), **more):
    file = {
        "name": "toy.data",
        "urls": ["http://a.org/toy.data"],
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "mirror": "files/toy.data",
    }
    return DatasetSpec(
        title="Toy", shape=shape, reader={"format": reader}, files=[file], licence="none", source="here", **more
    )


def run(tmp_path, content=TABLE, steps=(), **spec):
    path = tmp_path / "toy.data"
    path.write_bytes(content)
    out = tmp_path / "prepared" / "toy.npz"
    prepare(PrepareJob.make("toy", toy(content, **spec), steps), [path], out)
    return out


def test_dense_round_trip(tmp_path):
    dataset = load(run(tmp_path))
    assert dataset.X.tolist() == [[1, 0], [3, 4], [6, 8]]
    assert dataset.y.tolist() == [1, 0, 1]
    assert dataset.y.dtype == np.int64
    assert dataset.class_names == ("a", "b")
    assert dataset.shape == (3, 2, 2)


def test_sparse_round_trip_and_steps(tmp_path):
    dataset = load(run(tmp_path, ARFF, ("unit_norm",), reader="arff"))
    assert isinstance(dataset.X, sparse.csr_array)
    np.testing.assert_allclose(dataset.X.toarray(), [[0.6, 0.8], [0, 0], [0, 1]])
    assert dataset.y.tolist() == [0, 1, 1]


@pytest.mark.parametrize(("content", "reader"), [(TABLE, "table"), (ARFF, "arff")])
def test_keys_and_bytes(tmp_path, content, reader):
    first = run(tmp_path, content, reader=reader)
    with np.load(first, allow_pickle=False) as stored:
        features = {"X"} if reader == "table" else {"data", "indices", "indptr", "shape"}
        assert set(stored) == features | {"classes", "class_names", "spec"}
    before = first.read_bytes()
    first.unlink()
    assert run(tmp_path, content, reader=reader).read_bytes() == before
    assert [path.name for path in first.parent.iterdir()] == ["toy.npz"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"shape": (3, 2, 3)},
            "3 objects x 2 features, 2 classes, but 3 objects x 2 features, 3 classes are registered",
        ),
        ({"shape": (4, 2, 2), "published": True}, "but 4 objects x 2 features, 2 classes are registered"),
        ({"steps": ("unit_nrm",)}, 'did you mean "unit_norm"'),
        ({"steps": ("tfidf_to_counts",)}, "toy.data: tfidf_to_counts: the weight 1 in row 0, column 0 belongs"),
        ({"content": b"1,0,b\n3,?,a\n6,?,b\n"}, "object 1, feature 1 (from 0) is nan (2 such values)"),
        ({"content": b"1,0,b\n3,1e999,a\n6,1,b\n"}, "object 1, feature 1 (from 0) is inf (1 such values)"),
    ],
)
def test_refusals_name_the_data_set_and_write_nothing(tmp_path, change, words):
    with pytest.raises(InputError) as caught:
        run(tmp_path, **change)
    assert words in str(caught.value)
    assert str(caught.value).startswith("data set toy: ")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "prepared").exists()


def test_without_a_registered_shape_any_will_do(tmp_path):
    assert load(run(tmp_path, shape=None)).shape == (3, 2, 2)


def test_missing_value_of_a_sparse_matrix(tmp_path):
    with pytest.raises(InputError, match=r"object 2, feature 1 \(from 0\) is nan"):
        run(tmp_path, ARFF.replace(b"{1 5}", b"{1 ?}"), reader="arff")


def test_the_checksum_is_verified_before_reading(tmp_path):
    path = tmp_path / "toy.data"
    path.write_bytes(TABLE[:-6])
    with pytest.raises(InputError, match=r"toy.data is not the registered toy.data: truncated"):
        prepare(PrepareJob.make("toy", toy(TABLE), ()), [path], tmp_path / "out.npz")
    with pytest.raises(InputError, match=r"0 raw files given, 1 registered; give: toy.data"):
        prepare(PrepareJob.make("toy", toy(TABLE), ()), [], tmp_path / "out.npz")


def test_load_refuses_what_is_not_prepared(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.npz")
    (tmp_path / "cut.npz").write_bytes(run(tmp_path).read_bytes()[:300])
    np.savez(tmp_path / "other.npz", labels=np.eye(2))
    np.savez(tmp_path / "pickle.npz", X=np.array([{}], dtype=object), classes=[0], class_names=["a"])
    for name, what in (("cut", "readable"), ("other", "prepared data set"), ("pickle", "allow_pickle=False")):
        with pytest.raises(InputError, match=rf"{name}\.npz: .*{what}.* delete it"):
            load(tmp_path / f"{name}.npz")


def test_load_refuses_data_prepared_by_other_steps(tmp_path):
    raw, scaled = (PrepareJob.make("toy", toy(TABLE), steps) for steps in ((), ("zscore",)))
    path = run(tmp_path)
    assert load(path, raw.digest).shape == (3, 2, 2)
    with pytest.raises(InputError, match=r"^[^\n]*toy\.npz: made with other settings[^\n]*delete it"):
        load(path, scaled.digest)


@given(st.lists(st.integers(-50, 50).map(str), min_size=1))
def test_numbers_are_sorted_by_value(names):
    y, class_names = coded(names)
    assert [class_names[i] for i in y] == names
    assert [int(name) for name in class_names] == sorted({int(name) for name in names})


def test_words_are_sorted_as_text():
    assert coded(["10", "9", "x"])[1] == ("10", "9", "x")
    assert coded(["10", "9", "2.5"])[1] == ("2.5", "9", "10")


def embedded(name, tmp_path) -> Dataset:
    spec = DATASETS[name]
    return prepare(PrepareJob.make(name, spec, spec.preprocessing), [], tmp_path / f"{name}.npz")


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("iris", [50, 50, 50]),
        ("wine", [59, 71, 48]),
        ("digits", [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]),
        ("breast_cancer", [357, 212]),
        ("mnist_300", [30] * 10),
        ("blobs", [100, 80, 60, 40, 20]),
    ],
)
def test_embedded(name, counts, tmp_path):
    dataset = embedded(name, tmp_path)
    assert np.bincount(dataset.y).tolist() == counts
    assert dataset.shape == DATASETS[name].shape
    if DATASETS[name].preprocessing:
        np.testing.assert_allclose(dataset.X.std(axis=0, ddof=1), 1)


def test_blobs_are_reproducible_to_the_bit(tmp_path):
    dataset = embedded("blobs", tmp_path)
    assert (
        hashlib.sha256(dataset.X.tobytes()).hexdigest()
        == "b67aeeb0493024f9bb0e3294dd63135e3feff6134c8eadefed3be2e8efc117ed"
    )
    # overlapping: some objects are nearer to the mean of another cluster than to their own
    means = np.array([dataset.X[dataset.y == c].mean(axis=0) for c in range(5)])
    nearest = ((dataset.X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert 0.02 < (nearest != dataset.y).mean() < 0.3
