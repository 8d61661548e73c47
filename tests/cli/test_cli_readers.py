"""Label matrices in every format are read back, and every mistake in a file is one line."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.io import savemat

from consclust.cli import main
from consclust.cli.own_files import read_features, read_labels
from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust.readers.layout import Layout

MATRICES = st.tuples(st.integers(5, 9), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-1, 3))
)
NO_FIXTURE_RESET = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def same_partitions(labels, expected):
    np.testing.assert_array_equal(Ensemble(labels).labels, Ensemble(expected).labels)


def text(rows, delimiter=","):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


@pytest.mark.long
@NO_FIXTURE_RESET
@given(
    matrix=MATRICES,
    form=st.sampled_from(["csv", "tsv", "semicolon", "blank", "words", "npy", "npz", "mat", "parquet"]),
    with_ids=st.booleans(),
    header=st.booleans(),
    missing=st.sampled_from(["", "NA", "NaN", "-1", "None", "null", "N/A", "#n/a", "<NA>"]),
    whole=st.booleans(),
)
def test_the_same_partitions_are_read_from_every_format(tmp_path, matrix, form, with_ids, header, missing, whole):
    matrix[:, 0] = np.arange(len(matrix)) % 3  # no object and no clustering without a label
    matrix[0] = 0
    ids = [f"object {i}" for i in range(len(matrix))]
    if form in ("npy", "npz", "mat"):
        path = tmp_path / f"labels.{form}"
        values = np.where(matrix < 0, np.nan, matrix) if whole else matrix
        {"npy": np.save, "npz": lambda at, x: np.savez(at, E=x), "mat": lambda at, x: savemat(at, {"E": x})}[form](
            path, values
        )
        with_ids = False
    elif form == "parquet":
        path = tmp_path / "labels.parquet"
        frame = pd.DataFrame(matrix, columns=list("abcde")[: matrix.shape[1]], index=ids if with_ids else None)
        frame.mask(frame < 0).astype("Int64" if whole else "float").to_parquet(path)
    else:
        name = {label: "xyzw"[label] if form == "words" else f"{label}{'.0' * whole}" for label in range(4)}
        missing = "NA" if form == "blank" else missing
        rows = [[name.get(label, missing) for label in row] for row in matrix.tolist()]
        if with_ids:
            rows = [[label, *row] for label, row in zip(ids, rows, strict=True)]
        if header:
            rows = [["id"] * with_ids + [f"run{j}" for j in range(matrix.shape[1])], *rows]
        path = tmp_path / ("labels.tsv" if form == "tsv" else "labels.csv")
        path.write_text(text(rows, {"tsv": "\t", "semicolon": ";", "blank": " "}.get(form, ",")))
    labels, found, *_ = read_labels(path, Layout(transposed=False))
    same_partitions(labels, matrix)
    assert found.tolist() == (ids if with_ids else [*range(1, len(matrix) + 1)])


def read(tmp_path, content, read=read_labels, **layout):
    path = tmp_path / "labels.csv"
    path.write_text(content, encoding="utf-8")
    return read(path, Layout(**layout))


@pytest.mark.parametrize(
    ("content", "ids", "layout"),
    [
        ("a,b\n1,2\n1,1\n2,1\n", [1, 2, 3], {}),
        ("1,2\n1,1\n2,1\n", [1, 2, 3], {}),
        ('"","V1","V2"\n"1",1,2\n"2",1,1\n"3",2,1\n', ["1", "2", "3"], {}),  # write.csv of R
        ("V1 V2\nx 1 2\ny 1 1\nz 2 1\n", ["x", "y", "z"], {}),  # write.table of R
        (",0,1\n0,1,2\n1,1,1\n2,2,1\n", ["0", "1", "2"], {}),  # pandas
        ("0,1,2\n1,1,2\n2,1,1\n3,2,1\n", ["1", "2", "3"], {}),  # pandas without its index; the ids are row numbers
        ("x,1,2\ny,1,1\nz,2,1\n", ["x", "y", "z"], {}),
        ("7,a,b\n8,a,a\n9,b,a\n", ["7", "8", "9"], {"ids": "1"}),
        ("\ufeffname;a;b\r\nx;1;2\r\n\r\ny;1;1\r\nz;2;1\r\n", ["x", "y", "z"], {}),
        ("a,class,b\n1,u,2\n1,u,1\n2,v,1\n", [1, 2, 3], {"drop": ["class"]}),
        ("x,y,z\n1,1,2\n2,1,1\n", ["x", "y", "z"], {"transposed": True, "header": True}),
        ("low,high\nlow,low\nhigh,low\n", [1, 2, 3], {}),
        ('"first\nrun","second\nrun"\n1,2\n1,1\n2,1\n', [1, 2, 3], {}),
        ('"u, v" ,"u"\n"u, v" , "v"\n"w" ,"v" \n', [1, 2, 3], {"header": False, "ids": None}),
        ("sep=;\na;b\n1;2\n1;1\n2;1\n", [1, 2, 3], {}),
        ("a,b,\n1,2,\n1,1,\n2,1,\n", [1, 2, 3], {}),
        ("a,b\n1,2,\n1,1,\n2,1,\n", [1, 2, 3], {}),
        ("a,b\nx\x85y,v\nx\x85y,w\nz,w\n", [1, 2, 3], {}),
        ("0,1,3\n0,4,2\n1,4,2\n", [1, 2, 3], {"drop": ["2"]}),  # labels that increase by chance
    ],
)
def test_header_and_ids_are_seen(tmp_path, content, ids, layout):
    labels, found, *_ = read(tmp_path, content, **layout)
    assert found.tolist() == ids
    same_partitions(labels, [[0, 0], [0, 1], [1, 1]])


def test_words_above_missing_labels_are_an_object_not_names(tmp_path):
    labels, *_ = read(tmp_path, "u,u\nv,-1\nw,-1\nu,-1\n")
    same_partitions(labels, [[0, 0], [1, -1], [2, -1], [0, -1]])


@pytest.mark.parametrize(
    ("content", "place", "remedy"),
    [
        ("", "labels.csv", "a line for each object"),
        ("a,b\n", "labels.csv", "a line for each object"),
        ("1\n2\n2\n", "labels.csv", "two base clusterings"),
        ("a,b\n1,2\n1\n2,2\n", "line 3", "correct the line"),
        ("a,b\n1,2\n,NA\n2,2\n", "line 3", "leave this object out"),
        ("a,b,c\n1,,1\n2,,1\n2,,2\n", "column 'b'", "--drop b"),
        ("a,b,my run\n1,1,\n2,1,\n2,2,\n", "column 'my run'", "--drop 'my run'"),
        ('"a\nb",c,d\n1,2,1\n2,0.5,1\n2,2,2\n', "line 4, column 'c'", "--drop c"),
        ("sep=;\na;b\n1;2\n2;0.5\n2;2\n", "line 4", "--features"),
        ("a,b\n1,2\n2,0.5\n2,2\n", "line 3, column 'b'", "--features"),
        ("a,b\n1,2\n2,1e300\n2,2\n", "line 3, column 'b': 1e300 is too large", "number the clusters anew"),
        ("a,b\n1,2\n2,1e999\n2,2\n", "line 3, column 'b'", "--missing 1e999"),
        ("a,b\n1,2\n2,inf\n2,2\n", "line 3, column 'b'", "--missing inf"),
        ("a,b\n2,1_12\n2,1_12\n2,11\n", "line 2, column 'b'", "'1_12'"),
        ("a,b\n1,2\n2,?\n2,2\n", "line 3, column 'b'", "--missing '?'"),
        ("class,a,b\nu,1,-1\nu,2,-1\nv,1,-1\n", "column 'class'", "--drop class"),
        ("?,1\n2,2\n2,2\n", "line 1", "--header or --no-header"),
        ("0,1,2\n0,1,2\n1,1,2\n", "line 1", "--header or --no-header"),
        ("2,3,4,5\n0,1,2,2\n1,1,2,2\n1,0,3,1\n0,2,1,1\n", "line 1", "--header or --no-header"),
        ("gene,2,3,4\nx,1,2,1\ny,2,2,4\nz,1,3,2\nw,1,1,1\n", "line 1", "--header or --no-header"),
        ("0.5,1.0\n1,2\n2,1\n", "line 1", "--header"),
        ("2,3\nu,v\nu,w\n", "line 2", "--header"),
        ("class,a,b\nu,1,2\nu,1,1\nv,2,2\n", "column 'class'", "--id class"),
        ("1,1,1,1\n2,2,2,1\n", "2 rows and 4 columns", "--transpose"),
        ('a,b\n1,"2\n', "line 2", "correct the line"),
    ],
)
def test_a_mistake_in_a_file_says_where_and_what_to_do(tmp_path, content, place, remedy):
    with pytest.raises(InputError) as refusal:
        read(tmp_path, content)
    assert place in str(refusal.value)
    assert remedy in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_words_of_digits_stay_distinct(tmp_path):
    labels = read(tmp_path, "a,b\n1_12,٣\n11_2,x\n1_12,٣\n11_2,٤\n").values
    same_partitions(labels, [[0, 0], [1, 1], [0, 0], [1, 2]])


def test_features_are_complete_numbers(tmp_path):
    features, ids, names, *_ = read(tmp_path, "id,a,b\nx,0.5,1\ny,2,-1e3\n", read_features)
    np.testing.assert_array_equal(features, [[0.5, 1], [2, -1000]])
    assert (ids.tolist(), names) == (["x", "y"], ["a", "b"])
    assert read(tmp_path, "a,b\n-1,0.5\n2,-1\n", read_features).values.tolist() == [[-1, 0.5], [2, -1]]
    for content, what in (
        ("a,b\n1,\n2,3\n", "complete"),
        ("a,b\n1,null\n2,3\n", "complete"),
        ("a,b\n1,u\n2,3\n", "--drop b"),
        ("a,b\n1,1_0\n2,3\n", "--drop b"),
    ):
        with pytest.raises(InputError, match=f"line 2, column 'b'.*{what}"):
            read(tmp_path, content, read_features)


def test_several_matrices_need_a_name(tmp_path):
    path = tmp_path / "two.npz"
    np.savez(path, E=np.eye(5, dtype=int), F=np.ones((5, 2), dtype=int))
    with pytest.raises(InputError, match="--variable NAME; there is E, F"):
        read_labels(path, Layout())
    assert read_labels(path, Layout(variable="F")).values.shape == (5, 2)
    path = tmp_path / "one.npy"
    for bad in (np.arange(5), np.zeros((5, 2, 2)), np.full((500, 2), None), np.zeros((0, 2))):
        np.save(path, bad, allow_pickle=True)
        with pytest.raises(InputError, match=r"one.npy: no .*save a matrix"):
            read_labels(path, Layout())
    path.write_bytes(b"neither an array nor a pickle")
    with pytest.raises(InputError, match=r"one.npy: no .*save a matrix"):
        read_labels(path, Layout())
    for bad, content in (("x.npz", b"PK\x03\x04"), ("x.npy", b""), ("x.mat", b"MATLAB"), ("x.parquet", b"PAR1")):
        path = tmp_path / bad
        path.write_bytes(content)
        with pytest.raises(InputError, match="not readable as"):
            read_labels(path, Layout())


FLAGS = ("--header", "--no-header", "--transpose", "--no-transpose", "--id=a", "--drop=1", "--no-id", "--truth=1")
FORMS = ("--long", "--no-long", "--indicator", "--missing=0", "--missing=a", "--missing=1e999", "--decimal=,")
CELLS = st.sampled_from(
    [
        "0",
        "1",
        "2",
        "",
        "NA",
        "a",
        "b",
        "0.5",
        "1,5",
        "1e999",
        "9" * 16,
        "9" * 20,
        '"',
        "'",
        "\x00",
        "é",
        "-1",
        "-9",
        "#",
        " ",
    ]
)


@pytest.mark.long
@NO_FIXTURE_RESET
@given(
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=6),
    delimiter=st.sampled_from([",", "\t", ";", " "]),
    flags=st.lists(st.sampled_from(FLAGS + FORMS), max_size=3, unique=True),
)
def test_no_file_ends_in_a_traceback(tmp_path, rows, delimiter, flags):
    path = tmp_path / "any.csv"
    path.write_text("\n".join(delimiter.join(row) for row in rows), encoding="utf-8")
    done = CliRunner().invoke(main, ["consensus", str(path), "-k", "2", *flags], catch_exceptions=False)
    mistakes = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert (done.exit_code, len(mistakes)) in ((0, 0), (2, 1))
    assert done.stdout == "" if mistakes else done.stdout.startswith("id,label\n")


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(b"a,b\n1,\xff\n")
    result = CliRunner().invoke(main, ["consensus", str(path), "-k", "2"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "UTF-8" in result.stderr


@pytest.mark.parametrize("kind", ["uint8", "uint64", "Int64", "UInt16", "boolean", "bool", "int8"])
def test_integers_and_booleans_of_parquet(tmp_path, kind):
    path = tmp_path / "labels.parquet"
    frame = pd.DataFrame({"a": [1, 0, 1, 0, 1], "b": [0, 0, 1, 1, 1]}).astype(kind)
    expected = frame.to_numpy(dtype=int)
    np.testing.assert_array_equal(read_features_of(frame, path), expected)
    if kind in ("Int64", "UInt16", "boolean"):
        frame.loc[2, "b"] = pd.NA
        expected[2, 1] = -1
        with pytest.raises(InputError, match=r"row 3, column 'b'.*complete"):
            read_features_of(frame, path)
    frame.to_parquet(path)
    same_partitions(read_labels(path, Layout()).values, expected)


def read_features_of(frame, path):
    frame.to_parquet(path)
    return read_features(path, Layout()).values


def test_a_label_that_int64_does_not_hold_is_refused(tmp_path):
    path = tmp_path / "labels.npy"
    np.save(path, np.array([[0, 1], [1, 1], [2**64 - 1, 2]], dtype=np.uint64))
    with pytest.raises(InputError, match="row 3, column '1'"):
        read_labels(path, Layout())


def test_ids_that_are_not_in_the_first_column_are_seen(tmp_path):
    rows = "".join(f"{i % 3},{17 * i + 5},{i % 2}\n" for i in range(12))
    with pytest.raises(InputError, match=r"column 'patient'.*--id patient.*--drop patient"):
        read(tmp_path, "a,patient,b\n" + rows)
    labels, ids, names, *_ = read(tmp_path, "a,patient,b\n" + rows, ids="patient")
    assert (ids[1], names, labels.shape) == ("22", ["a", "b"], (12, 2))
