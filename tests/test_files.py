"""A bit that flips in a file of results is noticed, or changes nothing that is read."""

import contextlib
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consclust.cli.own_files import read_labels
from consclust.errors import InputError
from consclust.files import read_arrays, read_record, write_arrays, write_record, write_text, written_whole
from consclust.readers.layout import Layout
from consclust_studies.specs import digest_spec
from consclust_studies.stages.score_tables import read_table, write_table
from flipped import flip_bit

FILES = int(os.environ.get("CONSCLUST_FILES", "150"))
SPEC = '{"seed":1}'
LABELS = np.random.default_rng(0).integers(5, size=(40, 6)).astype(np.int16)


def _arrays(path: Path) -> object:
    read = read_arrays(path, "labels", "spec")
    return {key: (value.dtype.str, value.tolist()) for key, value in read.items()}


def _table(path: Path) -> object:
    frame, texts = read_table(path, digest_spec(SPEC))
    return frame.to_dict("list"), texts["spec"]


COLUMNS = {"case": ["iris"] * 5, "value": [0.1, 0.2, 0.3, 0.4, 0.5]}
WRITE = {
    "labels.npz": lambda path: write_arrays(path, labels=LABELS, spec=SPEC),
    "scores.parquet": lambda path: write_table(COLUMNS, path, {"spec": SPEC}),
    "runtime.json": lambda path: write_record(path, {"spec": SPEC, "cpu_seconds": [[0.25, 1e-6]], "n": 150}),
}
READ = {"labels.npz": _arrays, "scores.parquet": _table, "runtime.json": read_record}


@pytest.mark.long
@pytest.mark.parametrize("name", WRITE)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_flipped_bit_is_noticed_or_changes_nothing(tmp_path_factory, name, data):
    path = tmp_path_factory.mktemp("flip") / name
    WRITE[name](path)
    expected = READ[name](path)
    path.write_bytes(flip_bit(path.read_bytes(), data))
    with contextlib.suppress(InputError):
        assert READ[name](path) == expected


@pytest.mark.parametrize("name", WRITE)
def test_a_truncated_file_is_refused_with_its_name(tmp_path, name):
    path = tmp_path / name
    WRITE[name](path)
    content = path.read_bytes()
    for length in range(0, len(content) - 1, max(1, len(content) // 50)):
        path.write_bytes(content[:length])
        with pytest.raises(InputError, match=name):
            READ[name](path)


def npy(shape: str) -> bytes:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(64)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("shape", ["(1000000000000,)", "(1000000, 1000000)"])
def test_an_array_larger_than_its_file_is_refused_before_it_is_made(tmp_path, method, shape):
    for path in (tmp_path / "labels.npz", tmp_path / "labels.npy"):
        if path.suffix == ".npz":
            with zipfile.ZipFile(path, "w", method) as archive:
                archive.writestr("labels.npy", npy(shape))
        else:
            path.write_bytes(npy(shape))
        for read in (read_arrays, lambda path: read_labels(path, Layout())):
            with pytest.raises(InputError, match="announced"):
                read(path)


@pytest.mark.parametrize("size", [2**40, 2**31 - 1])
def test_a_member_that_claims_to_be_larger_than_the_archive_is_refused(tmp_path, size):
    path = tmp_path / "labels.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("labels.npy", npy(f"({size},)"))
    content = bytearray(path.read_bytes())
    place = content.rindex(b"PK\x01\x02") + 20  # sizes in the directory, packed and unpacked
    content[place : place + 8] = (2**32 - 2).to_bytes(4, "little") * 2
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not a readable \.npz"):
        read_arrays(path)


@pytest.mark.long
@settings(max_examples=FILES, deadline=None)
@given(data=st.data())
def test_a_damaged_file_of_arrays_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("damaged") / "labels.npz"
    write_arrays(path, labels=LABELS)
    content = path.read_bytes()
    cut, garbage = data.draw(st.integers(0, len(content))), data.draw(st.binary(max_size=16))
    path.write_bytes(content[:cut] + garbage + data.draw(st.sampled_from([b"", content[cut + len(garbage) :]])))
    for read in (read_arrays, lambda path: read_labels(path, Layout())):
        said = ""
        try:
            read(path)
        except InputError as mistake:
            said = str(mistake)
        assert "\n" not in said


def test_a_file_that_cannot_be_made_is_named_without_its_temporary_name(tmp_path):
    path = tmp_path / f"{'x' * 300}.txt"
    with pytest.raises(OSError, match=path.name) as refusal:
        write_text(path, "")
    assert refusal.value.filename == str(path)


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_a_new_file_has_the_mode_of_the_umask(tmp_path, umask):
    write_text(tmp_path / "new.csv", "a")
    assert mode(tmp_path / "new.csv") == 0o666 & ~umask
    write_arrays(tmp_path / "new.npz", a=[1])
    assert mode(tmp_path / "new.npz") == 0o666 & ~umask


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o666, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, umask, kept):
    path = tmp_path / "patients.csv"
    path.touch()
    path.chmod(kept)
    with written_whole(path) as temporary:
        assert mode(temporary) == (kept | 0o600) & ~umask, "nobody else reads it while it is written"
        temporary.write_text("a")
    assert (mode(path), path.read_text()) == (kept, "a")
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_written_through(tmp_path, exists):
    target = tmp_path / "scratch/labels.csv"
    target.parent.mkdir()
    if exists:
        target.write_text("old")
        target.chmod(0o600)
    link = tmp_path / "home/labels.csv"
    link.parent.mkdir()
    link.symlink_to("../scratch/labels.csv")
    write_text(link, "new")
    assert link.is_symlink()
    assert (target.is_symlink(), target.read_text()) == (False, "new")
    assert mode(target) == 0o600 or not exists
    assert [*target.parent.iterdir()] == [target]


def test_nothing_is_left_and_the_old_file_stays_where_writing_fails(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("old")

    def write_half():
        with written_whole(path) as temporary:
            temporary.write_text("half")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        write_half()
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]
