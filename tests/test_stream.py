"""Base clusterings that are read block by block: files, arrays, iterators, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from pyarrow import array, int8, table, uint8, uint64
from pyarrow.parquet import write_table

from consclust import stream as stream_module
from consclust.ensemble import Ensemble
from consclust.methods import HBGF
from consclust.stream import StreamedEnsemble


def labels_of(n=500, high=40):
    rng = np.random.default_rng(0)
    labels = rng.integers(high, size=(n, 4))
    labels[rng.random(labels.shape) < 0.1] = -1
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    return labels


def codes_of(stream):
    """The codes of all objects, (n, m), in a pass after the first one."""
    for _ in stream.blocks():
        pass
    blocks = list(stream.blocks())
    assert [block.first for block in blocks] == np.cumsum([0, *(block.n_objects for block in blocks[:-1])]).tolist()
    return np.concatenate([block.codes.T for block in blocks])


def check(stream, labels):
    """Codes and names are those of an ensemble of all labels."""
    ensemble = Ensemble(labels)
    assert np.array_equal(codes_of(stream), ensemble.labels)
    for own, other in zip(stream.cluster_names, ensemble.cluster_names, strict=True):
        assert np.array_equal(own, other)


def write_parquet(path, labels, **options):
    columns = {f"run {i}": pd.array(column, dtype="Int16").copy() for i, column in enumerate(labels.T)}
    for column in columns.values():
        column[np.asarray(column) == -1] = pd.NA
    pd.DataFrame(columns).to_parquet(path, index=False, **options)
    return path


@pytest.mark.parametrize("rows", [3, 100, 2**17])
def test_a_parquet_file_is_read_in_blocks(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(stream_module, "ROWS", rows)
    labels = labels_of()
    check(StreamedEnsemble.from_parquet(write_parquet(tmp_path / "labels.parquet", labels, row_group_size=70)), labels)


def test_parquet_files_lie_one_below_the_other_and_columns_can_be_chosen(tmp_path):
    labels = labels_of()
    paths = [write_parquet(tmp_path / f"{i}.parquet", part) for i, part in enumerate(np.split(labels, [100, 101]))]
    check(StreamedEnsemble.from_parquet(paths), labels)
    check(StreamedEnsemble.from_parquet(paths, ["run 2", "run 0"]), labels[:, [2, 0]])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64])
def test_arrays_and_npy_files_of_any_integers(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(stream_module, "ROWS", 64)
    labels = labels_of()
    labels = np.maximum(labels, 0).astype(kind) if np.dtype(kind).kind == "u" else labels.astype(kind)
    np.save(tmp_path / "labels.npy", labels)
    check(StreamedEnsemble.from_npy(tmp_path / "labels.npy"), labels)
    check(StreamedEnsemble.from_blocks([labels]), labels)
    check(StreamedEnsemble.from_blocks(lambda: iter(np.split(labels, 5))), labels)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_labels_of_every_size_have_the_same_codes(kind):
    labels = labels_of(2000, 120)
    labels = np.maximum(labels, 0).astype(kind) if np.dtype(kind).kind == "u" else labels.astype(kind)
    check(StreamedEnsemble.from_blocks(np.split(labels, [3, 300, 1000])), labels)
    later = labels.copy()
    later[150, 2] = 126
    given = iter([labels, later])
    stream = StreamedEnsemble.from_blocks(lambda: [next(given)])
    with pytest.raises(ValueError, match="label 126, which was not there"):
        codes_of(stream)


@pytest.mark.parametrize("kind", [np.int8, np.int32])
def test_a_code_for_a_missing_label_is_refused(kind):
    labels = labels_of().astype(kind)
    labels[77, 1] = -9
    with pytest.raises(ValueError, match="got -9"):
        codes_of(StreamedEnsemble.from_blocks([labels]))


def test_bytes_above_127_are_labels():
    labels = np.random.default_rng(0).integers(120, 256, size=(3000, 2)).astype(np.uint8)
    check(StreamedEnsemble.from_blocks([labels[:5], labels[5:]]), labels)
    few = np.where(labels > 200, 255, 130).astype(np.uint8)
    check(StreamedEnsemble.from_blocks([few[:5], few[5:]]), few)


@pytest.mark.parametrize("high", [40, 300])
def test_kept_codes_are_read_in_place_of_labels(high):
    labels = labels_of(2000, high)
    n_reads = []

    def read():
        n_reads.append(1)
        return np.split(labels, [10, 700])

    stream = StreamedEnsemble.from_blocks(read).read_clusters()
    stream.keep_codes(2000)
    next(stream.blocks())  # a pass that ends early keeps nothing
    given = [list(stream.blocks()) for _ in range(3)]
    assert len(n_reads) == 3
    stream.forget_codes()
    given.append(list(stream.blocks()))
    assert len(n_reads) == 4
    for blocks in given:
        assert [block.first for block in blocks] == [0, 10, 700]
        codes = np.concatenate([block.codes.T for block in blocks])
        assert np.array_equal(codes, Ensemble(labels).labels)
        assert codes.dtype == blocks[0].codes.dtype


def test_no_codes_are_kept_where_the_disk_is_nearly_full(monkeypatch):
    usage = stream_module.shutil.disk_usage(".")
    monkeypatch.setattr(stream_module.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    n_reads = []
    stream = StreamedEnsemble.from_blocks(lambda: n_reads.append(1) or [labels_of()]).read_clusters()
    stream.keep_codes(500)
    for _ in range(2):
        list(stream.blocks())
    assert len(n_reads) == 3


def test_what_can_be_iterated_once_only_is_kept_in_a_file():
    labels = labels_of()
    check(StreamedEnsemble.from_blocks(part for part in np.split(labels, [10, 300])), labels)


def test_lists_frames_and_whole_floats_are_labels_too():
    stream = StreamedEnsemble.from_blocks([[[0.0, 1.0], [2.0, -1.0]], pd.DataFrame({"a": [2], "b": [1]})])
    check(stream, [[0, 1], [2, -1], [2, 1]])


def test_labels_beyond_a_table_are_found_by_search():
    rng = np.random.default_rng(0)
    labels = rng.integers(30, size=(300, 2)) * 10**15
    labels[rng.random(300) < 0.2, 1] = -1
    small_first = np.concatenate([[[5, 6]], labels, [[5, 10**9]]])
    check(StreamedEnsemble.from_blocks(np.split(small_first, [1, 2, 100])), small_first)


def test_many_clusters_take_wider_integers():
    labels = np.column_stack([np.arange(1000), np.arange(1000) % 3])
    stream = StreamedEnsemble.from_blocks(np.split(labels, 10))
    check(stream, labels)
    assert {block.codes.dtype for block in stream.blocks()} == {np.dtype(np.int16)}


def test_clusters_of_a_whole_are_those_of_its_parts(tmp_path):
    labels = labels_of()
    whole = StreamedEnsemble.from_blocks([labels])
    codes = codes_of(whole)
    part = StreamedEnsemble.from_blocks([labels[200:]]).use_clusters(whole.cluster_names)
    assert np.array_equal(codes_of(part), codes[200:])


@pytest.mark.parametrize(
    ("blocks", "says"),
    [
        ([], "no object"),
        ([np.array([[0, 1]]), np.array([[0, 1, 2]])], "3 clusterings, those before it 2"),
        ([np.array([[0, 1]]), np.array([[-1, 1], [-1, -1]])], "object 2 has no label"),
        ([np.array([[0, -2]])], "got -2"),
        ([np.array([[0, 2**63]], dtype=np.uint64)], "64 bits"),
        ([np.array([[0.5, 1.0]])], "fractions"),
        ([np.array([["x"]])], "integers"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_no_label_is_refused(blocks, says):
    with pytest.raises(ValueError, match=says):
        codes_of(StreamedEnsemble.from_blocks(blocks))


def test_labels_that_change_between_passes_are_refused():
    labels = np.array([[0], [1]])
    stream = StreamedEnsemble.from_blocks([labels])
    codes_of(stream)
    labels[1] = 7
    with pytest.raises(ValueError, match="label 7, which was not there"):
        codes_of(stream)


def test_another_missing_is_refused():
    with pytest.raises(ValueError, match="missing = 'no'"):
        StreamedEnsemble.from_blocks([[[0]]], "no")


def test_parquet_files_that_are_no_label_matrices_are_named(tmp_path):
    write_table(table({"a": array([0, 1], int8())}), tmp_path / "a.parquet")
    write_table(table({"b": array([0, 1], int8())}), tmp_path / "b.parquet")
    write_table(table({"a": array([0.5, 1])}), tmp_path / "c.parquet")
    write_table(table({"a": array(["x", "y"])}), tmp_path / "d.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet.*no column 'a'"):
        codes_of(StreamedEnsemble.from_parquet([tmp_path / "a.parquet", tmp_path / "b.parquet"]))
    for name in "cd":
        with pytest.raises(ValueError, match=rf"{name}\.parquet, column a: labels must be integers"):
            codes_of(StreamedEnsemble.from_parquet(tmp_path / f"{name}.parquet"))


def test_small_unsigned_integers_are_not_widened(tmp_path):
    write_table(table({"a": array([200, None, 3], uint8()), "b": array([1, 1, 1], uint8())}), tmp_path / "a.parquet")
    check(StreamedEnsemble.from_parquet(tmp_path / "a.parquet"), [[200, 1], [-1, 1], [3, 1]])


FRAMES = [pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 1]}), pd.DataFrame({"b": [0, 1, 1], "a": [0, 0, 1]})]


@pytest.mark.parametrize("make", [iter, list, lambda frames: lambda: iter(frames)])
def test_data_frames_with_other_columns_are_refused(make):
    for frames in (FRAMES, [FRAMES[0], FRAMES[1][["b"]]]):
        with pytest.raises(ValueError, match=r"block 1 \(from 0\): (column 'b' stands where|no column 'a', which) the"):
            codes_of(StreamedEnsemble.from_blocks(make(frames)))


def test_a_method_refuses_a_stream_of_data_frames_with_other_columns():
    with pytest.raises(ValueError, match="column 'b' stands where the first data frame has 'a'"):
        HBGF(2).fit(iter(FRAMES))


def test_data_frames_with_equal_columns_are_read():
    check(StreamedEnsemble.from_blocks([FRAMES[0], FRAMES[1][["a", "b"]]]), np.vstack([FRAMES[0], FRAMES[0]]))


@pytest.mark.parametrize("labels", [[2**63, 0], [2**64 - 1, None]])
def test_labels_beyond_64_bits_are_refused_by_column(tmp_path, labels):
    write_table(table({"a": array(labels, uint64())}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"labels must be integers of 64 bits|column a: Integer value 184467440"):
        codes_of(StreamedEnsemble.from_parquet(tmp_path / "a.parquet"))
