"""A label matrix in pieces: each job, and all of them through Snakemake."""

import csv

import numpy as np
import pandas as pd
import pytest
from pyarrow import table
from pyarrow.parquet import read_table, write_table

from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust.methods import EAC
from consclust_studies.stages.pieces import (
    LabelsJob,
    MergeJob,
    ProfilesJob,
    SizesJob,
    count_sizes,
    find_consensus,
    find_profiles,
    label_piece,
    merge_profiles,
)
from job_files_of import files_of

PIECES = {"a": slice(0, 70), "b": slice(70, 71), "c": slice(71, 120)}


def matrix():
    """120 objects in three groups, 5 clusterings with some errors, names of clusters that are no 0..k-1."""
    rng = np.random.default_rng(0)
    labels = np.repeat([10, 3, 77], 40)[:, None] + np.zeros((1, 5), dtype=np.int64)
    wrong = rng.random(labels.shape) < 0.1
    labels[wrong] = rng.choice([10, 3, 500], wrong.sum())
    labels[5, 0] = -1
    return labels[rng.permutation(120)]


def write_pieces(folder, labels):
    folder.mkdir(parents=True)
    for name, rows in PIECES.items():
        columns = {f"run{i}": column[rows] for i, column in enumerate(labels.T)}
        write_table(table(columns), folder / f"{name}.parquet")


def of_pieces(folder):
    return np.concatenate([read_table(folder / f"{name}.parquet")["label"].to_numpy() for name in PIECES])


def expected(labels, k=3):
    return EAC(k).fit(labels).labels_


def same_partition(one, other):
    return len({*zip(one.tolist(), other.tolist(), strict=True)}) == len({*one.tolist()}) == len({*other.tolist()})


PROFILES = ProfilesJob(code="p")
MERGE = MergeJob(pieces=tuple(PIECES), profiles=PROFILES.digest)
LABELS = LabelsJob(matrix="toy", merged=MERGE.digest, method="EAC", n_clusters=3, seed=1)


def write_profiles(piece, out):
    return find_profiles(PROFILES, files_of({"piece": piece}, {"profiles": out}))


def merge_all(job, pieces, out):
    return merge_profiles(job, files_of({"profiles": pieces}, {"merged": out}))


@pytest.fixture
def merged(tmp_path):
    write_pieces(tmp_path / "toy", matrix())
    for name in PIECES:
        write_profiles(tmp_path / f"toy/{name}.parquet", tmp_path / f"{name}.npz")
    merge_all(MERGE, [tmp_path / f"{name}.npz" for name in PIECES], tmp_path / "profiles.npz")
    return tmp_path


def find(folder, job):
    find_consensus(job, files_of({"merged": folder / "profiles.npz"}, {"consensus": folder / "found.npz"}))


def test_the_profiles_of_all_pieces_are_those_of_the_matrix(merged):
    whole = Ensemble(matrix())
    with np.load(merged / "profiles.npz") as stored:
        rows = {tuple(row): weight for row, weight in zip(stored["profiles"].tolist(), stored["weights"], strict=True)}
    given = matrix()
    assert len(rows) == whole.n_profiles
    assert rows == {row: (given == row).all(axis=1).sum() for row in {*map(tuple, given.tolist())}}


def test_the_labels_of_all_pieces_are_those_of_the_matrix(merged):
    find(merged, LABELS)
    (merged / "out").mkdir()
    for name in PIECES:
        inputs = {
            "consensus": merged / "found.npz",
            "merged": merged / "profiles.npz",
            "profiles": merged / f"{name}.npz",
        }
        label_piece(LABELS, files_of(inputs, {"labels": merged / f"out/{name}.parquet"}))
    found = of_pieces(merged / "out")
    assert same_partition(found, expected(matrix()))
    labelled = [merged / f"out/{name}.parquet" for name in PIECES]
    count_sizes(SizesJob(labels=LABELS.digest), files_of({"labels": labelled}, {"sizes": merged / "sizes.csv"}))
    with (merged / "sizes.csv").open() as file:
        sizes = {int(row["cluster"]): int(row["objects"]) for row in csv.DictReader(file)}
    assert sizes == dict(enumerate(np.bincount(found)))


@pytest.mark.parametrize(
    "changes", [{"method": "HGPA", "n_clusters": 7}, {"n_clusters": 100}, {"merged": "another"}], ids=str
)
def test_what_has_no_answer_names_the_matrix(merged, changes):
    with pytest.raises(InputError, match="toy|profiles.npz".replace(".", r"\.")):
        find(merged, LABELS.model_copy(update=changes))


def test_a_piece_that_is_no_parquet_file_is_named(tmp_path):
    (tmp_path / "bad.parquet").write_text("x")
    with pytest.raises(InputError, match="bad"):
        write_profiles(tmp_path / "bad.parquet", tmp_path / "o.npz")
    assert not (tmp_path / "o.npz").exists()


OF_OTHER_COLUMNS = {
    "order": ({"a": [1, 2], "b": [1, 1]}, {"b": [1, 1], "a": [1, 2]}, "'b'"),
    "fewer": ({"a": [1, 2], "b": [1, 1]}, {"a": [1, 2]}, "'b'"),
    "more": ({"a": [1, 2]}, {"a": [1, 2], "b": [1, 1]}, "'b'"),
    "other": ({"a": [1, 2]}, {"z": [1, 2]}, "'a'"),
}


@pytest.mark.parametrize(("first", "second", "column"), OF_OTHER_COLUMNS.values(), ids=OF_OTHER_COLUMNS)
def test_pieces_with_other_columns_are_refused(tmp_path, first, second, column):
    made = []
    for name, columns in {"p1": first, "p2": second}.items():
        write_table(table(columns), tmp_path / f"{name}.parquet")
        made.append(tmp_path / f"mine/profiles/{name}.npz")
        write_profiles(tmp_path / f"{name}.parquet", made[-1])
    job = MergeJob(pieces=("p1", "p2"), profiles=PROFILES.digest)
    with pytest.raises(InputError, match=rf"mine/p2\.parquet: .*{column}"):
        merge_all(job, made, tmp_path / "m.npz")


def test_the_index_of_a_frame_is_no_clustering(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, 2], "b": [1, 1, 2]})
    frame[frame.a == 2].to_parquet(tmp_path / "p.parquet")
    write_profiles(tmp_path / "p.parquet", tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz") as stored:
        assert stored["profiles"].tolist() == [[2, 1], [2, 2]]
