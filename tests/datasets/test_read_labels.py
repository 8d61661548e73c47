"""``consclust.read_labels``: data frames and files, as the command reads them."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import consclust
from consclust import Ensemble, read_labels
from consclust.cli.own_files import read_labels as read_as_the_command
from consclust.errors import InputError
from consclust.readers.layout import Layout

RNG = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 8)
BASE = np.where(RNG.random((24, 5)) < 0.1, RNG.integers(0, 3, (24, 5)), TRUTH[:, None])
NAMES = [f"r{j}" for j in range(5)]
WORDS = np.array(["B", "NK", "T"])
FRAME = pd.DataFrame(BASE, columns=NAMES)
INDICATORS = pd.get_dummies(FRAME.astype(str), dtype=int)
LONG = FRAME.rename_axis("cell").reset_index().melt(id_vars="cell", var_name="run", value_name="label")
IDS = pd.Series([f"AAAC{i}" for i in range(24)])


def same(ensemble, expected=BASE):
    np.testing.assert_array_equal(ensemble.labels, Ensemble(expected).labels)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.map(lambda label: WORDS[label]),
        FRAME.astype("category"),
        FRAME.astype("Int64"),
        FRAME.astype("uint8"),
        FRAME.astype("float32"),
        FRAME.astype("string"),
        FRAME.astype(object),
        FRAME.set_index(IDS),
        FRAME.assign(id=IDS)[["id", *NAMES]],
        FRAME.set_axis(range(5), axis=1),
        FRAME.set_index(2 * np.arange(24)),
    ],
)
def test_data_frames_of_labels(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(read_labels(frame))


@pytest.mark.parametrize("kind", ["Int64", "Float64", "float", "string", "category", "object"])
def test_missing_values_are_missing_labels(kind):
    frame = FRAME.astype("Int64").mask(RNG.random((24, 5)) < 0.2)
    expected = frame.fillna(-1).astype(int).to_numpy()
    same(read_labels(frame.astype(kind)), expected)


def test_booleans_are_two_clusters():
    same(read_labels(FRAME == 0), (BASE == 0).astype(int))
    same(read_labels((FRAME == 0).astype("boolean")), (BASE == 0).astype(int))


KINDS = {
    "classes": (FRAME.assign(kind=WORDS[TRUTH]), "column 'kind': words, beside columns of numbers"),
    "classes first": (FRAME.assign(kind=WORDS[TRUTH])[["kind", *NAMES]], "column 'kind': words that repeat"),
    "one cluster": (FRAME.assign(project="pbmc"), "column 'project': one cluster"),
    "counts": (
        FRAME.assign(count=100 + RNG.permutation(24), genes=RNG.permutation(24) // 2),
        "columns 'count', 'genes'",
    ),
    "ids": (FRAME.assign(patient=1000 + np.arange(24) // 2), "12 different labels for 24 objects"),
    "index": (FRAME.assign(cell=IDS.where(IDS != "AAAC3", "AAAC4")), "23 different labels for 24 objects"),
    "indicators": (INDICATORS, "0 and 1 that sum to 1 in each row"),
    "long": (LONG, "as in the long form"),
    "codes": (FRAME.replace({"r1": {0: -9}, "r2": {1: -99}}), "-9 is no label"),
    "fractions": (FRAME.assign(mito=RNG.random(24)), "no label, which is a whole number or a word"),
    "a word": (FRAME.assign(r1=FRAME["r1"].astype(object).mask(BASE[:, 1] == 2, "?")), "'?' is no number"),
    "decimal comma": (FRAME.map(lambda label: f"{label},0"), "has a decimal comma"),
    "wide": (FRAME[:3], "may be transposed"),
    "many classes": (FRAME.assign(a=WORDS[TRUTH], b=WORDS[BASE[:, 0]]), "columns 'a', 'b': words"),
}


def said_of(frame, **options):
    """The lines that are said of a frame, and whether it was read."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            read_labels(frame, **options)
        except InputError as mistake:
            return [str(mistake)], False
    return [str(each.message) for each in caught], True


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_named(kind):
    frame, expected = KINDS[kind]
    said, _ = said_of(frame)
    assert [line for line in said if expected in line], said
    assert all(line.startswith("data frame") for line in said)


@pytest.mark.parametrize("kind", KINDS)
def test_every_remedy_works(kind):
    frame, _ = KINDS[kind]
    for line in said_of(frame)[0]:
        remedies = re.findall(r"(?:use |or )(\w+=(?:\[.*?\]|'.*?'|\w+))", line)
        assert remedies or line.endswith("correct the file"), line
        for remedy in remedies:
            said, answered = said_of(frame, **eval(f"dict({remedy})"))  # what the message says, as it stands
            assert line not in said
            assert answered, f"{remedy}: {said}"


def test_the_remedies_give_the_clusterings():
    same(read_labels(KINDS["classes"][0], truth="kind"))
    same(read_labels(KINDS["classes first"][0], truth="kind"))
    same(read_labels(KINDS["counts"][0], drop=["count", "genes"]))
    same(read_labels(KINDS["ids"][0], ids="patient"))
    same(read_labels(INDICATORS, indicator=True))
    same(read_labels(LONG, long=True))
    coded = KINDS["codes"][0]
    same(read_labels(coded, missing=[-9, -99]), coded.where(coded >= 0, -1).to_numpy())


def test_a_file_is_read_as_the_command_reads_it(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("# made by tool\n" + FRAME.assign(kind=WORDS[TRUTH]).to_csv(sep=";", index=False))
    expected = read_as_the_command(path, Layout(comments=True, classes="kind")).values
    for name in (path, str(path)):
        np.testing.assert_array_equal(read_labels(name, truth="kind").given, expected)
    with pytest.warns(UserWarning, match=r"labels\.csv, column 'kind': words.*use truth='kind' if"):
        read_labels(path)


@pytest.mark.parametrize("wrong", [BASE, BASE.tolist(), FRAME[:0], FRAME[[]], FRAME["r0"]])
def test_what_is_no_data_frame(wrong):
    with pytest.raises(InputError, match=r"give a (pandas\.DataFrame|row for each object)"):
        read_labels(wrong)


def test_a_string_is_one_label_and_one_column():
    frame = pd.DataFrame({"x": [0, 1, 1, 0], "y": [1, 2, 2, 1], "xy": [2, 1, 0, 0], "z": [12, 1, 2, 2]})
    for one in ("12", 12, ["12"]):
        given = read_labels(frame, missing=one).given
        assert given.tolist() == [[0, 1, 2, -1], [1, 2, 1, 1], [1, 2, 0, 2], [0, 1, 0, 2]]
    assert read_labels(frame, drop="xy").n_clusterings == 3
    assert read_labels(frame, drop=("x", "y")).n_clusterings == 2


def test_columns_may_have_numbers_for_names():
    frame = pd.DataFrame({0: [5, 7, 9], 1: [0, 1, 1], 2: [0, 0, 1], 3: [1, 0, 1]})
    assert read_labels(frame, ids=0).given.tolist() == [[0, 0, 1], [1, 0, 0], [1, 1, 1]]
    assert read_labels(frame, drop=[0]).given.tolist() == [[0, 0, 1], [1, 0, 0], [1, 1, 1]]
    assert read_labels(frame, drop=0, truth=np.int64(3)).given.tolist() == [[0, 0], [1, 0], [1, 1]]
    with pytest.raises(InputError, match="no columns named '4'"):
        read_labels(frame, drop=4)


@pytest.mark.parametrize("dtype", ["UInt8", "UInt64", "uint64[pyarrow]"])
def test_nullable_unsigned_labels_may_be_missing(dtype):
    frame = pd.DataFrame(
        {"a": pd.array([3, None, 0], dtype=dtype), "b": pd.array([None] * 3, dtype=dtype), "c": [1, 1, 2]}
    )
    assert read_labels(frame, drop="b").given.tolist() == [[3, 1], [-1, 1], [0, 2]]
    with pytest.raises(InputError, match="column 'b': no label in any row"):
        read_labels(frame)


def test_it_is_public():
    assert "read_labels" in consclust.__all__
    assert consclust.read_labels is read_labels
