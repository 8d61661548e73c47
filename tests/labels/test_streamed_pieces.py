"""A label matrix in pieces that is read in passes: the same labels as of one stream."""

from itertools import pairwise

import numpy as np
import pytest
from pyarrow import table
from pyarrow.parquet import read_table, write_table

from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust.methods import HBGF, LWGP, MCLA, SpectralConsensus
from consclust.stream import StreamedEnsemble
from consclust_studies.stages.streamed_pieces import (
    StreamLabelsJob,
    SummaryJob,
    find_stream_consensus,
    label_stream_piece,
    summarise_piece,
)
from job_files_of import files_of

BOUNDS = {"a": (0, 200), "b": (200, 201), "c": (201, 380), "d": (380, 600)}


def matrix(missing=0.0):
    """600 objects in three groups that follow each other, 6 clusterings of 6 clusters with some errors."""
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2], 200)
    labels = 10 * (2 * groups[:, None] + rng.integers(2, size=(600, 6)))
    is_wrong = rng.random(labels.shape) < 0.2
    labels[is_wrong] = 10 * rng.integers(6, size=is_wrong.sum())
    is_absent = rng.random(labels.shape) < missing
    is_absent[:, 3] = False
    labels[is_absent] = -1
    return labels


def write_pieces(folder, labels):
    for name, (first, last) in BOUNDS.items():
        write_table(table({f"run{i}": c[first:last] for i, c in enumerate(labels.T)}), folder / f"{name}.parquet")
    return [folder / f"{name}.parquet" for name in BOUNDS]


def summarise_all(folder, pieces):
    jobs = []
    made = []
    for number, piece in enumerate(pieces):
        jobs.append(SummaryJob(before=tuple(BOUNDS)[:number]))
        made.append(folder / f"{piece.stem}.npz")
        summarise_piece(jobs[-1], files_of({"piece": piece, "before": pieces[:number]}, {"summary": made[-1]}))
    return jobs, made


def label_all(folder, labels, method):
    """The labels of all pieces, one below the other."""
    pieces = write_pieces(folder, labels)
    summaries, made = summarise_all(folder, pieces)
    job = make_job(summaries, method)
    consensus = folder / "consensus.npz"
    find_stream_consensus(job, files_of({"summaries": made, "pieces": pieces}, {"consensus": consensus}))
    (folder / "out").mkdir()
    for piece in pieces:
        files = files_of({"consensus": consensus, "piece": piece}, {"labels": folder / "out" / piece.name})
        label_stream_piece(job, files)
    return np.concatenate([read_table(folder / "out" / piece.name)["label"].to_numpy() for piece in pieces])


def make_job(summaries, method):
    digests = tuple(job.digest for job in summaries)
    given = {"matrix": "toy", "method": method, "n_clusters": 3, "seed": 5}
    return StreamLabelsJob(pieces=tuple(BOUNDS), summaries=digests, **given)


@pytest.mark.parametrize("cls", [HBGF, LWGP, MCLA, SpectralConsensus])
def test_pieces_have_the_labels_of_one_stream(tmp_path, cls):
    labels = matrix()
    found = label_all(tmp_path, labels, cls.__name__)
    stream = StreamedEnsemble.from_parquet([tmp_path / f"{name}.parquet" for name in BOUNDS], most_in_memory=0)
    of_stream = cls(3, random_state=5).fit(stream).labels_
    assert found.tobytes() == of_stream.tobytes()
    assert np.array_equal(found, cls(3, random_state=5).fit(labels).labels_)
    # the second and third group first appear in later pieces
    assert found[0] == 0
    assert {*found} == {0, 1, 2}


@pytest.mark.filterwarnings("ignore::consclust.errors.MissingLabelsWarning")
def test_missing_labels_count_as_expected(tmp_path):
    labels = matrix(missing=0.3)
    assert np.array_equal(label_all(tmp_path, labels, "HBGF"), HBGF(3, random_state=5).fit(Ensemble(labels)).labels_)


def test_what_has_no_answer_names_method_and_matrix(tmp_path):
    with pytest.raises(InputError, match=r"SpectralConsensus on toy: .*use HBGF"):
        label_all(tmp_path, matrix(missing=0.3), "SpectralConsensus")


def test_pieces_with_other_columns_and_other_counts_are_refused(tmp_path):
    pieces = write_pieces(tmp_path, matrix())
    write_table(table({"other": [1, 2]}), pieces[-1])
    summaries, made = summarise_all(tmp_path, pieces)
    files = files_of({"summaries": made, "pieces": pieces}, {"consensus": tmp_path / "consensus.npz"})
    with pytest.raises(InputError, match=r"toy/d\.parquet: no column 'run0'"):
        find_stream_consensus(make_job(summaries, "HBGF"), files)
    with pytest.raises(InputError, match=r"b\.npz"):
        find_stream_consensus(make_job([summaries[0]] * 4, "HBGF"), files)


def test_a_piece_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "bad.parquet").write_text("x")
    files = files_of({"piece": tmp_path / "bad.parquet", "before": []}, {"summary": tmp_path / "bad.npz"})
    with pytest.raises(InputError, match="bad"):
        summarise_piece(SummaryJob(before=()), files)
    assert not (tmp_path / "bad.npz").exists()


def test_ids_in_the_first_column_are_no_clustering(tmp_path):
    write_table(table({"id": [7, 8, 9], "a": [0, 0, 1]}), tmp_path / "p.parquet")
    files = files_of({"piece": tmp_path / "p.parquet", "before": []}, {"summary": tmp_path / "p.npz"})
    summarise_piece(SummaryJob(before=()), files)
    with np.load(tmp_path / "p.npz") as stored:
        assert stored["columns"].tolist() == ["a"]
        assert stored["sizes"].tolist() == [2, 1]


def test_bounds_follow_each_other():
    assert all(last == first for (_, last), (first, _) in pairwise(BOUNDS.values()))
