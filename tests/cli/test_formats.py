"""Formats that are converted: compressed files, workbooks, folders, R and MATLAB v7.3."""

import bz2
import gzip
import lzma

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from consclust.cli import main
from consclust.cli.own_files import read_features, read_known_classes, read_labels
from consclust.errors import InputError
from consclust.readers.layout import Layout

LABELS = np.array([[0, 2, 1], [0, 2, 2], [1, 0, 1], [1, 1, -1]])
IDS = ["u", "v", "w", "x"]
FRAME = pd.DataFrame(LABELS, index=IDS, columns=["a", "b", "c"])


def check(path, layout=None):
    found = read_labels(path, layout or Layout())
    assert found.ids.tolist() == IDS
    assert found.names == ["a", "b", "c"]
    np.testing.assert_array_equal(found.values, LABELS)


@pytest.mark.parametrize(("suffix", "module"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma)])
def test_compressed_text_is_read_as_text(tmp_path, suffix, module):
    path = tmp_path / f"labels.csv{suffix}"
    path.write_bytes(module.compress(FRAME.to_csv().encode()))
    check(path)


def test_a_mistake_in_a_compressed_file_names_it_and_the_line(tmp_path):
    path = tmp_path / "labels.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n0\t1\n0\n"))
    with pytest.raises(InputError, match=rf"^{path}, line 3: 1 cells"):
        read_labels(path, Layout())
    path.write_bytes(gzip.compress(b"a\tb\n0\t1\n")[:-9])
    with pytest.raises(InputError, match=r"labels\.tsv\.gz: not readable as \.gz"):
        read_labels(path, Layout())
    unnamed = tmp_path / "labels.gz"
    unnamed.write_bytes(gzip.compress(b"a\tb\n0\t1\n"))
    with pytest.raises(InputError, match=r"end its name in \.csv\.gz"):
        read_labels(unnamed, Layout())


def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("consclust.files.MOST_UNPACKED", 1000)
    path = tmp_path / "labels.csv.gz"
    path.write_bytes(gzip.compress(b"0,1\n" * 1000))
    with pytest.raises(InputError, match="unpacks to more than 1,000 bytes"):
        read_labels(path, Layout(no_ids=True))


def test_a_sheet_of_a_workbook(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "labels.xlsx"
    with pd.ExcelWriter(path) as book:
        FRAME.astype(float).where(LABELS >= 0).to_excel(book, sheet_name="labels")
    check(path)
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"other": [1]}).to_excel(book, sheet_name="first")
        FRAME.to_excel(book, sheet_name="second")
    check(path, Layout(variable="second"))
    with pytest.raises(InputError, match="2 sheets; use --variable NAME; there is first, second"):
        read_labels(path, Layout())
    with pytest.raises(InputError, match="no sheet 'third'"):
        read_labels(path, Layout(variable="third"))


def test_features_of_a_workbook_keep_their_decimals(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "features.xlsx"
    values = np.array([[0.1, 3.0], [1e-7, -2.5], [1 / 3, 1e9]])
    pd.DataFrame(values, columns=["a", "b"]).to_excel(path, index=False)
    np.testing.assert_array_equal(read_features(path, Layout()).values, values)


@pytest.mark.parametrize("with_ids", [False, True])
def test_a_folder_with_a_file_for_each_clustering(tmp_path, with_ids):
    folder = tmp_path / "runs"
    folder.mkdir()
    FRAME[["a"]].to_csv(folder / "a.csv", index=with_ids)
    (folder / "b.tsv.gz").write_bytes(gzip.compress(FRAME[["b"]].to_csv(index=with_ids, sep="\t").encode()))
    FRAME[["c"]].to_csv(folder / "c.txt", index=with_ids)
    (folder / ".hidden").write_text("")
    if with_ids:
        check(folder)
    else:
        np.testing.assert_array_equal(read_labels(folder, Layout()).values, LABELS)
    done = CliRunner().invoke(main, ["consensus", str(folder), "-k", "2", "--method", "EAC"], catch_exceptions=False)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 5


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("1\n1\n\n2\n3\n", [1, 1, -1, 2, 3]),
        ("run\n\n1\n2\n2\n3\n", [-1, 1, 2, 2, 3]),
        ('""\n1\n2\n2\n""\n', [-1, 1, 2, 2, -1]),
        ('run\n""\n1\n2\n2\n""\n\n\n', [-1, 1, 2, 2, -1]),
        ("run\r\r\n1\r\r\n1\r\r\n2\r\r\n2\r\r\n2\r\r\n", [1, 1, 2, 2, 2]),
    ],
)
def test_an_empty_line_of_one_column_is_an_object_without_a_label(tmp_path, content, labels):
    (tmp_path / "a.csv").write_text("0\n0\n1\n1\n1\n")
    (tmp_path / "b.csv").write_text(content, newline="")
    np.testing.assert_array_equal(read_labels(tmp_path, Layout()).values[:, 1], labels)


def test_a_sheet_ends_with_its_last_label(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for label in ("run", 1, None, 2, 2):
        book.active.append([label])
    book.active["A9"].number_format = "0"  # Excel counts the row, though nothing is in it
    book.save(tmp_path / "a.xlsx")
    (tmp_path / "b.csv").write_text("1\n1\n2\n2\n")
    np.testing.assert_array_equal(read_labels(tmp_path, Layout()).values[:, 0], [1, -1, 2, 2])


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("b.csv", "id,b\nv,0\nu,1\nw,0\nx,1\n", "other ids, or in another order, than in a.csv"),
        ("b.csv", "id,b\nu,0\nv,1\n", "2 objects, but 4 in a.csv"),
        ("b.csv", "id,b,c\nu,0,1\nv,1,2\nw,1,2\nx,1,2\n", "2 columns of labels; in a folder each file has one"),
        ("notes.docx", "", "no file of labels"),
    ],
)
def test_a_folder_whose_files_do_not_fit_is_refused(tmp_path, name, content, what):
    FRAME[["a"]].to_csv(tmp_path / "a.csv", index_label="id")
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=what):
        read_labels(tmp_path, Layout())


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="the folder is empty"):
        read_labels(tmp_path, Layout())


@pytest.mark.filterwarnings("ignore:.*words, beside columns")
def test_data_frames_matrices_and_lists_of_r(tmp_path, monkeypatch):
    rdata = pytest.importorskip("rdata")
    path = tmp_path / "labels.rds"
    words = pd.DataFrame({"b": [2.0, 2.0, 0.0, np.nan], "a": pd.Categorical(["p", "p", "q", "q"])})
    rdata.write_rds(path, words)
    np.testing.assert_array_equal(read_labels(path, Layout()).values, [[2, 0], [2, 0], [0, 1], [-1, 1]])
    with monkeypatch.context() as patched:  # rdata does not write names of rows
        patched.setattr(rdata, "read_rds", lambda _: words.set_index(pd.Index(IDS)))
        found = read_labels(path, Layout())
    assert found.ids.tolist() == IDS
    np.testing.assert_array_equal(found.values, [[2, 0], [2, 0], [0, 1], [-1, 1]])
    for stored in (LABELS.astype(np.int32), {name: FRAME[name].to_numpy(np.int32) for name in FRAME}):
        rdata.write_rds(path, stored)
        np.testing.assert_array_equal(read_labels(path, Layout()).values, LABELS)
    rdata.write_rds(path, {"a": np.zeros(4, np.int32), "b": np.zeros(3, np.int32)})
    with pytest.raises(InputError, match="no vectors of one length"):
        read_labels(path, Layout())
    path.write_bytes(b"no R")
    with pytest.raises(InputError, match=r"labels\.rds: not readable as \.rds"):
        read_labels(path, Layout())


def write_hdf5(path, **arrays):
    """Write a file as MATLAB does: its header, arrays with the columns first, text as cells of characters."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as content:
        for name, values in arrays.items():
            if np.asarray(values).dtype.kind == "U":
                cells = []
                for i, text in enumerate(values):
                    part = content.create_dataset(f"#refs#/{name}{i}", data=np.array([[ord(c)] for c in text], "u2"))
                    part.attrs["MATLAB_class"] = np.bytes_("char")
                    cells.append(part.ref)
                stored = content.create_dataset(name, data=np.array([cells], dtype=h5py.ref_dtype))
                stored.attrs["MATLAB_class"] = np.bytes_("cell")
            else:
                stored = content.create_dataset(name, data=np.asarray(values, dtype=float).T)
                stored.attrs["MATLAB_class"] = np.bytes_("double")
    header = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    with path.open("r+b") as content:
        content.write(header)


def test_matlab_of_version_7_3(tmp_path):
    path = tmp_path / "labels.mat"
    write_hdf5(path, E=LABELS, y=["dog", "dog", "cat", "cat"])
    np.testing.assert_array_equal(read_labels(path, Layout()).values, LABELS)
    found = read_labels(path, Layout(variable="E", classes="y", all_have_classes=False))
    assert list(found.classes) == ["dog", "dog", "cat", "cat"]
    write_hdf5(path, E=LABELS, F=LABELS)
    with pytest.raises(InputError, match=rf"^{path}: 2 matrices; use --variable NAME"):
        read_labels(path, Layout())


def test_classes_in_a_compressed_file(tmp_path):
    path = tmp_path / "classes.csv.gz"
    path.write_bytes(gzip.compress(b"id,kind\nx,D\nw,C\nv,B\nu,A\n"))
    assert read_known_classes(path, np.array(IDS)) == ["A", "B", "C", "D"]
