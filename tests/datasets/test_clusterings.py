"""Files of base clusterings that somebody made."""

import re

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import sparse
from scipy.io import savemat

from consclust.cli.own_files import read_labels
from consclust.datasets.registry import DatasetSpec, ReadyMadeEnsemble
from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust.readers.clusterings import read_clusterings
from consclust.readers.layout import Layout
from consclust_studies.stages.prepare import PrepareJob, load, prepare

LABELS = np.array([[1, 7, 2], [1, 9, 2], [3, 7, 4], [3, 9, 4]])
CODES = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]]
CLASSES = np.array([5, 5, 2, 2])


def entry(name, **fields):
    if not name.endswith(".csv"):
        fields.setdefault("variable", "members")
    return ReadyMadeEnsemble(file={"name": name}, **fields)


def write(path, members, gt=None):
    """The same content in the format that the file's name tells."""
    if path.suffix == ".mat":
        savemat(path, {"members": members} | ({} if gt is None else {"gt": gt[:, None]}))
    elif path.suffix == ".npz":
        np.savez(path, members=members, **({} if gt is None else {"gt": gt}))
    else:
        columns = [f"b{j}" for j in range(members.shape[1])]
        rows = [[f"{label:g}" if label == label else "" for label in row] for row in members]
        if gt is not None:  # not the last column
            columns.insert(1, "gt")
            for row, name in zip(rows, gt, strict=True):
                row.insert(1, str(name))
        path.write_text("\n".join(",".join(row) for row in [columns, *rows]) + "\n")
    return path


@pytest.fixture(params=["pool.mat", "pool.npz", "pool.csv"])
def pool(request, tmp_path):
    return tmp_path / request.param


def test_labels_and_classes(pool):
    found = read_clusterings(write(pool, LABELS, CLASSES), entry(pool.name, classes="gt"))
    assert found.labels.tolist() == CODES
    assert found.labels.dtype == np.int64
    assert found.classes == ["5", "5", "2", "2"]
    without = read_clusterings(write(pool, LABELS), entry(pool.name))
    assert (without.labels.tolist(), without.classes) == (CODES, [])


def test_zero_is_a_label_and_minus_one_and_nan_are_missing(pool):
    members = np.array([[0, -1], [0, 5], [1, np.nan], [1, 6]])
    found = read_clusterings(write(pool, members), entry(pool.name))
    assert found.labels.tolist() == [[0, -1], [0, 0], [1, -1], [1, 1]]
    found = read_clusterings(write(pool, members), entry(pool.name, missing=0))
    assert found.labels.tolist() == [[-1, 0], [-1, 1], [0, -1], [0, 2]], "another marker: -1 is a label like any other"


def test_labels_stored_as_bytes_do_not_wrap(tmp_path):
    """SciPy gives uint8 for small doubles that MATLAB has stored as bytes."""
    members = np.arange(200, dtype=np.uint8)[:, None] + np.zeros(3, dtype=np.uint8)
    found = read_clusterings(write(tmp_path / "pool.mat", members), entry("pool.mat"))
    assert found.labels[:, 0].tolist() == list(range(200))
    assert found.labels.dtype == np.int64


@pytest.mark.parametrize("classes", [np.array(["b", "a"]), np.array([b"b", b"a"])])
def test_classes_of_npz_may_be_text(tmp_path, classes):
    np.savez(tmp_path / "pool.npz", members=[[1], [2]], gt=classes)
    assert read_clusterings(tmp_path / "pool.npz", entry("pool.npz", classes="gt")).classes == ["b", "a"]


def refusal(path, **fields):
    with pytest.raises(InputError) as caught:
        read_clusterings(path, entry(path.name, **fields))
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    assert "delete it" not in message, "the file is the user's"
    return message


def test_wrong_variable_or_column(pool):
    write(pool, LABELS, CLASSES)
    message = refusal(pool, classes="gtt")
    assert "'gtt'" in message
    assert "classes" in message.removeprefix(str(pool))
    assert "'gt'" in message or '"gt"' in message
    if pool.suffix != ".csv":
        message = refusal(pool, variable="member")
        assert "'member'" in message
        assert "use variable: NAME in config/datasets.yaml; there is members" in message


def test_a_label_that_is_no_integer(pool):
    members = LABELS.astype(float)
    members[2, 1] = 1.5
    place = "line 4, column 'b1'" if pool.suffix == ".csv" else "row 3, column '2'"
    assert f"{place}: 1.5 is no label" in refusal(write(pool, members))


@pytest.mark.parametrize("label", [np.inf, 2.0**53])
def test_labels_that_doubles_do_not_tell_apart(tmp_path, label):
    members = LABELS.astype(float)
    members[0, 0] = label
    assert "row 1, column '1'" in refusal(write(tmp_path / "pool.npz", members))


@pytest.mark.parametrize("name", ["pool.mat", "pool.npz"])
def test_as_many_classes_as_rows(tmp_path, name):
    message = refusal(write(tmp_path / name, LABELS, CLASSES[:3]), classes="gt")
    assert "4 rows of labels, but 3 classes in 'gt'; objects go in rows" in message
    assert "3 rows of labels, but 4 classes" in refusal(write(tmp_path / name, LABELS.T, CLASSES), classes="gt")


def test_a_class_that_is_missing(pool):
    gt = np.array([1, np.nan, 2, 2])
    place = "line 3" if pool.suffix == ".csv" else "row 2"
    assert f"{place}: its class is missing" in refusal(write(pool, LABELS, gt), classes="gt")


def test_what_is_no_matrix(tmp_path):
    for members in (np.arange(4), np.ones((2, 2), dtype=complex), np.zeros((0, 3)), np.zeros((2, 2, 2))):
        np.savez(tmp_path / "pool.npz", members=members)
        assert "no matrix; save a matrix of numbers" in refusal(tmp_path / "pool.npz")


def test_damaged_or_unsafe_npz(tmp_path):
    path = tmp_path / "pool.npz"
    np.savez(path, members=np.array([{}], dtype=object))
    assert "no array of numbers or text" in refusal(path)
    path.write_text("<html>")
    assert "no array of numbers or text" in refusal(path)
    with path.open("wb") as stream:
        np.save(stream, LABELS)
    assert "no variable 'members'" in refusal(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n1\n", "line 3: 1 cells, but 2 in line 1; correct the line"),
        ("a,b\n1,2\n1,x\n", "line 3, column 'b': 'x' is no number, but '2' is one; write NA"),
        ("a,gt,gt\n0,1,1\n", "2 columns named 'gt'"),
        ("a,b\n", "a header without rows"),
        ("gt\n1\n2\n", "no column is left"),
        ("", "it is empty"),
        ("3,1\n1,0\n0,1\n", "line 1: '3,1' may be a header or the first object; use header: true or header: false in"),
    ],
)
def test_csv_that_is_malformed(tmp_path, text, words):
    path = tmp_path / "pool.csv"
    path.write_text(text)
    assert words in refusal(path, **({"classes": "gt"} if "gt" in text else {}))


def test_columns_may_have_numbers_as_names(tmp_path):
    path = tmp_path / "pool.csv"
    path.write_text("0,1,2\n0,1,0\n1,1,0\n")
    assert read_clusterings(path, entry(path.name)).labels.tolist() == [[0, 0, 0], [1, 0, 0]]


THREE = [[0, 0], [0, 1], [1, 1]]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a;b\n1;2\n1;3\n2;3\n", {}),
        ("\ufeffname\ta\tb\r\nx\t1\t2\r\ny\t1\t3\r\nz\t2\t3\r\n", {}),
        ("1,2\n1,3\n2,3\n", {"header": False}),
        ("0.0,1.0\n0.0,2.0\n1.0,2.0\n", {"header": False}),
        ("x,u,v\ny,u,w\nz,v,w\n", {}),
        ('"","V1","V2"\n"1",1,2\n"2",1,3\n"3",2,3\n', {}),
        (",a,b\n7,1,2\n8,1,3\n9,2,3\n", {}),
        ("patient,a,b\n7,u,v\n7,u,w\n9,v,w\n", {"ids": "patient"}),
        ("batch,a,b\n1,1,2\n1,1,3\n1,2,3\n", {"drop": ["batch"]}),
        ("run,x,y,z\na,1,1,2\nb,2,3,3\n", {"transposed": True}),
        ("a,b\n1,2\n1,3\n2,3\n,\n,\n", {}),
        ("0,1\n0,2\n1,2\n", {"header": False}),
    ],
)
def test_what_the_command_reads_a_study_reads(tmp_path, text, fields):
    path = tmp_path / "pool.csv"
    path.write_text(text, encoding="utf-8")
    assert read_clusterings(path, entry(path.name, **fields)).labels.tolist() == THREE
    options = {"ids": fields.get("ids"), "drop": fields.get("drop", ()), "header": fields.get("header")}
    labels = read_labels(path, Layout(transposed=fields.get("transposed", False), **options)).values
    np.testing.assert_array_equal(Ensemble(labels).labels, THREE)


@pytest.mark.parametrize("name", ["pool.tsv", "pool.npy", "pool.npz", "pool.mat", "pool.parquet"])
def test_one_matrix_needs_no_variable_in_any_format(tmp_path, name):
    path = tmp_path / name
    matrix = np.array([[4, 0], [4, 1], [9, 1]])
    {
        "pool.tsv": lambda: path.write_text("4\t0\n4\t1\n9\t1\n"),
        "pool.npy": lambda: np.save(path, matrix),
        "pool.npz": lambda: np.savez(path, any=matrix, gt=["u", "u", "v"]),
        "pool.mat": lambda: savemat(path, {"any": sparse.csc_matrix(matrix), "gt": np.array([[1], [1], [2]])}),
        "pool.parquet": lambda: pd.DataFrame(matrix, columns=["a", "b"]).to_parquet(path),
    }[name]()
    classes = "gt" if name in ("pool.npz", "pool.mat") else None
    found = read_clusterings(path, entry(name, variable=None, classes=classes))
    assert found.labels.tolist() == THREE
    assert len(set(found.classes)) == (2 if classes else 0)


def test_classes_stand_beside_ids_and_words(tmp_path):
    path = tmp_path / "pool.parquet"
    frame = pd.DataFrame({"a": ["u", "u", "v"], "kind": ["s", "t", "t"], "b": [1, 2, 2]}, index=["x", "y", "z"])
    frame.to_parquet(path)
    found = read_clusterings(path, entry(path.name, variable=None, classes="kind"))
    assert (found.labels.tolist(), found.classes) == (THREE, ["s", "t", "t"])
    path = tmp_path / "pool.csv"
    frame.to_csv(path)
    found = read_clusterings(path, entry(path.name, classes="kind"))
    assert (found.labels.tolist(), found.classes) == (THREE, ["s", "t", "t"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("site,a,b\nu,1,2\nu,1,3\nv,2,3\n", ["ids", "classes", "drop"]),
        ("3,1\n1,0\n0,1\n", ["header", "header"]),
        ("my id,a,b\n1.5,1,2\n2.5,1,3\n2.5,2,3\n", ["drop"]),
    ],
)
def test_every_remedy_in_the_registry_works(tmp_path, text, words):
    """What a message says is pasted into the entry, and the file is read."""
    path = tmp_path / "pool.csv"
    path.write_text(text)
    message = refusal(path)
    settings = [yaml.safe_load(found) for found in re.findall(r"\w+: (?:true|false|\w+|\[.*?\]|\".*?\")(?= )", message)]
    assert [str(*setting) for setting in settings] == words
    for setting in settings:
        assert read_clusterings(path, entry(path.name, **setting)).labels.shape[1] == 2


def spec(name, **fields):
    ensembles = {"mine": {"file": {"name": name}, "classes": "gt"}}
    if not name.endswith(".csv"):
        ensembles["mine"]["variable"] = "members"
    return DatasetSpec(title="Pool", ensembles=ensembles, licence="x", source="y", **fields)


def test_prepared_without_features(pool, tmp_path):
    write(pool, LABELS, CLASSES)
    prepare(PrepareJob.make("pool", spec(pool.name, shape=(4, 0, 2)), ()), [pool], tmp_path / "out.npz")
    dataset = load(tmp_path / "out.npz")
    assert dataset.shape == (4, 0, 2)
    assert dataset.y.tolist() == [1, 1, 0, 0]
    assert dataset.class_names == ("2", "5")


@pytest.mark.parametrize(
    ("classes", "fields", "words"),
    [
        (CLASSES, {"shape": (4, 3, 2)}, "4 objects x 0 features, 2 classes, but 4 objects x 3 features"),
        (np.ones(4), {}, "all objects are of one class, '1'"),
        (CLASSES[:2], {}, "4 rows of labels, but 2 classes"),
    ],
)
def test_refusals_of_prepare_name_the_data_set(tmp_path, classes, fields, words):
    path = write(tmp_path / "pool.mat", LABELS, classes)
    with pytest.raises(InputError, match=r"^data set pool: ") as caught:
        prepare(PrepareJob.make("pool", spec("pool.mat", **fields), ()), [path], tmp_path / "out.npz")
    assert words in str(caught.value)
    assert not (tmp_path / "out.npz").exists()
