"""What files contain, apart from spec and stamp: the digest of it, and the same content under other marks."""

import contextlib
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consclust.errors import InputError
from consclust.files import read_arrays, read_record, write_arrays, write_record
from consclust_studies.contents import Marks, digest_content, marks_of, read_marks, write_again
from consclust_studies.stages.score_tables import read_table, write_table
from flipped import flip_bit
from job_files_of import STAMP

OTHER = STAMP.model_copy(update={"versions": {"numpy": "3.0"}, "inputs": "f" * 16})
SPEC = '{"seed":1}'
LABELS = np.arange(12).reshape(3, 4)


def write_npz(path, marks, labels=LABELS):
    write_arrays(path, labels=labels, notes="[]", **marks)


def write_parquet(path, marks, labels=LABELS):
    texts = {"failures": "[]", "made": json.dumps([f"{len(marks)}"])}
    write_table({"case": ["a", "b"], "value": [0.5, float(labels.ravel()[-1])]}, path, marks, texts)


def write_json(path, marks, labels=LABELS):
    write_record(path, {**marks, "points": labels.ravel().tolist()})


WRITE = {"a.npz": write_npz, "a.parquet": write_parquet, "a.json": write_json}


@pytest.fixture(params=WRITE)
def file(request, tmp_path):
    """A file with spec and stamp, and what writes it."""
    write = WRITE[request.param]
    path = tmp_path / request.param
    write(path, marks_of(SPEC, STAMP))
    return path, write


def test_spec_and_stamp_are_read(file):
    path, _ = file
    assert read_marks(path) == Marks(SPEC, STAMP)


def test_the_digest_is_that_of_the_content_alone(file):
    path, write = file
    before = digest_content(path)
    write(path, marks_of('{"seed":2}', OTHER))
    assert digest_content(path) == before
    write(path, marks_of(SPEC, STAMP), LABELS + 1)
    assert digest_content(path) != before


def test_the_same_content_under_other_marks_has_the_bytes_of_a_file_written_with_them(file, tmp_path):
    path, write = file
    again = tmp_path / f"again{path.suffix}"
    write_again(path, again, Marks('{"seed":2}', OTHER))
    assert digest_content(again) == digest_content(path)
    assert read_marks(again) == Marks('{"seed":2}', OTHER)
    expected = tmp_path / f"expected{path.suffix}"
    write(expected, marks_of('{"seed":2}', OTHER))
    read = {".npz": read_arrays, ".parquet": read_table, ".json": read_record}[path.suffix]
    assert str(read(again)) == str(read(expected))
    if path.suffix != ".npz":  # the order of arrays in an archive is that of their writing
        assert again.read_bytes() == expected.read_bytes()


def test_arrays_differ_by_their_name_type_and_shape_too(tmp_path):
    path = tmp_path / "a.npz"
    found = set()
    for arrays in (
        {"a": np.arange(4)},
        {"b": np.arange(4)},
        {"a": np.arange(4, dtype=np.int32)},
        {"a": np.arange(4).reshape(2, 2)},
        {"a": np.arange(4)[:2], "b": np.arange(4)[2:]},
    ):
        write_arrays(path, **arrays, **marks_of(SPEC, STAMP))
        found.add(digest_content(path))
    assert len(found) == 5


def test_what_made_the_labels_is_no_content_of_a_table(tmp_path):
    """It is read by itself: only those who report it depend on it."""
    path = tmp_path / "a.parquet"
    found = []
    for made, failures in (("x", "[]"), ("y", "[]"), ("x", "[1]")):
        write_table({"value": [1.0]}, path, marks_of(SPEC, STAMP), {"made": made, "failures": failures})
        found.append(digest_content(path))
    assert found[0] == found[1] != found[2]


PLACED = {
    "labels.parquet": lambda path: pd.DataFrame({"run1": [1, 2]}).to_parquet(path),
    "labels.npz": lambda path: np.savez(path, labels=LABELS),
    "objects.npz": lambda path: np.savez(path, X=np.array([{}], dtype=object)),
    "data.json": lambda path: path.write_text('{"a": 1}'),
    "data.csv": lambda path: path.write_text("a,b\n1,2\n"),
    "empty.npz": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize("name", PLACED)
def test_of_a_file_that_the_user_placed_all_bytes_count(tmp_path, name):
    path = tmp_path / name
    PLACED[name](path)
    assert read_marks(path) is None
    before = digest_content(path)
    assert digest_content(path) == before
    path.write_bytes(path.read_bytes() + b" ")
    assert digest_content(path) != before


def test_an_output_that_carries_no_marks_is_copied(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("a,b\n1,2\n")
    write_again(path, tmp_path / "copy/scores.csv", Marks(SPEC, STAMP))
    assert (tmp_path / "copy/scores.csv").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".json", ".csv"])
def test_a_file_that_is_not_there_is_named(tmp_path, suffix):
    path = tmp_path / f"gone{suffix}"
    assert read_marks(path) is None
    with pytest.raises(InputError, match=rf"gone\{suffix}: no such file"):
        digest_content(path)


@pytest.mark.long
@pytest.mark.parametrize("name", WRITE)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_never_taken_for_another_content(tmp_path_factory, name, data):
    path = tmp_path_factory.mktemp("flip") / name
    WRITE[name](path, marks_of(SPEC, STAMP))
    whole = digest_content(path)
    content = flip_bit(path.read_bytes(), data)
    path.write_bytes(content[: data.draw(st.sampled_from([len(content), len(content) // 2]))])
    assert read_marks(path) in (None, Marks(SPEC, STAMP))
    found = None
    with contextlib.suppress(InputError):
        found = digest_content(path)
    if found == whole:  # a bit that no reader looks at
        assert read_marks(path) == Marks(SPEC, STAMP)
