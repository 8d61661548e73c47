"""A piece of a label matrix, which is read some rows at a time, has the labels that every other door reads."""

import numpy as np
import pandas as pd
import pytest

from consclust.cli.own_files import read_labels
from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust.readers.label_matrix import read_label_blocks
from consclust.readers.layout import Layout, Remedies


def read(path, frame, block=2):
    """Names of the columns, and the labels of all blocks."""
    frame.to_parquet(path)
    names, blocks = zip(*read_label_blocks(path, Layout(), Remedies(), block), strict=True)
    assert all(len(labels) <= block for labels in blocks)
    assert all(name == names[0] for name in names)
    return names[0], np.concatenate(blocks)


NUMBERS = pd.Series([3, None, 5, 3, 5], dtype="Int64")
COLUMNS = {
    "nullable": NUMBERS,
    "unsigned": NUMBERS.astype("UInt8"),
    "float": NUMBERS.astype("float64"),
    "text": NUMBERS.astype("string").fillna("NA"),
    "categories": NUMBERS.astype("category"),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_blocks_have_the_labels_that_the_command_reads(tmp_path, kind):
    frame = pd.DataFrame({"id": list("vwxyz"), "a": COLUMNS[kind], "b": [1, 1, 2, 2, 1]})
    names, labels = read(tmp_path / "p.parquet", frame)
    assert names == ["a", "b"]
    assert labels.tolist() == [[3, 1], [-1, 1], [5, 2], [3, 2], [5, 1]]
    whole = read_labels(tmp_path / "p.parquet", Layout())
    np.testing.assert_array_equal(whole.values, labels)
    assert whole.ids.tolist() == list("vwxyz")


def test_labels_that_number_the_rows_of_a_piece_stay_a_clustering(tmp_path):
    """Pieces must have the same columns, however few objects a piece has."""
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2]})
    names, labels = read(tmp_path / "p.parquet", frame)
    assert names == ["a", "b"]
    assert labels.tolist() == [[1, 1], [2, 1], [3, 2]]


def test_the_index_of_a_frame_is_no_clustering(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 2], "b": [1, 1, 2]})
    names, labels = read(tmp_path / "p.parquet", frame[frame.a == 2])
    assert names == ["a", "b"]
    assert Ensemble(labels).given.tolist() == [[2, 1], [2, 2]]


@pytest.mark.parametrize("wrong", ["u", "1.5", "1_0"])
def test_words_and_fractions_name_the_row_in_the_file(tmp_path, wrong):
    frame = pd.DataFrame({"b": [1, 1, 2, 2], "a": ["1", "1", "2", wrong]})
    with pytest.raises(InputError, match=r"p\.parquet, row 4, column 'a': .*; (number the clusters|correct the file)$"):
        read(tmp_path / "p.parquet", frame)


def test_a_file_without_clusterings_is_refused(tmp_path):
    with pytest.raises(InputError, match="no column of labels"):
        read(tmp_path / "p.parquet", pd.DataFrame({"id": [1, 2]}))
    (tmp_path / "q.parquet").write_text("x")
    with pytest.raises(InputError, match=r"q\.parquet: not readable as Parquet"):
        list(read_label_blocks(tmp_path / "q.parquet", Layout(), Remedies()))
