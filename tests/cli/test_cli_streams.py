"""``consclust consensus`` on files that are read in passes."""

import csv
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow
import pytest
from click.testing import CliRunner
from pyarrow.parquet import read_table, write_table

from consclust import stream
from consclust.cli import main
from consclust.diagnostics import agreement_with, consensus_values
from consclust.methods import HBGF, SpectralConsensus, Voting
from consclust.scores import ari


def labels_of(n=900):
    rng = np.random.default_rng(3)
    labels = (np.repeat(np.arange(3), n // 3)[:, None] + np.arange(6)) % 3
    is_wrong = rng.random(labels.shape) < 0.2
    labels[is_wrong] = rng.integers(3, size=is_wrong.sum())
    return labels[rng.permutation(n)]


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch):
    monkeypatch.setattr(stream, "MOST_IN_MEMORY", 100)
    monkeypatch.setattr(stream, "ROWS", 128)


@pytest.fixture
def matrix(tmp_path):
    frame = pd.DataFrame(labels_of(), columns=[f"run {i}" for i in range(6)])
    frame.to_parquet(tmp_path / "labels.parquet")
    frame.assign(id=[f"object {i}" for i in range(900)])[["id", *frame]].to_parquet(
        tmp_path / "named.parquet", row_group_size=200
    )
    np.save(tmp_path / "labels.npy", frame.to_numpy())
    return tmp_path


def run(*arguments):
    done = CliRunner().invoke(main, ["consensus", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.output


def read(path):
    """Ids and labels."""
    if path.suffix == ".npy":
        return None, np.load(path)
    if path.suffix == ".parquet":
        table = read_table(path)
        return table["id"].to_pylist(), table["label"].to_numpy()
    with path.open() as text:
        rows = list(csv.DictReader(text, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [row["id"] for row in rows], np.array([int(row["label"]) for row in rows])


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".npy", ".parquet"])
@pytest.mark.parametrize("given", ["labels.parquet", "labels.npy"])
def test_labels_are_written_block_by_block(matrix, given, suffix):
    out = matrix / f"out{suffix}"
    said = run(matrix / given, "-k", 3, "--method", "HBGF", "--out", out)
    ids, labels = read(out)
    assert np.array_equal(labels, HBGF(3, random_state=0).fit(labels_of()).labels_)
    assert ids is None or [int(one) for one in ids] == list(range(1, 901))
    assert "900 objects, 6 base clusterings of 3 clusters, 0 labels missing" in said
    sizes = np.bincount(labels)
    assert f"HBGF: 3 clusters of {sizes.min()} to {sizes.max()} objects" in said
    assert f"mean ARI with the base clusterings {agreement_with(labels_of(), labels).mean():.3f}" in said
    assert "2 passes over 900 objects" in said


@pytest.mark.parametrize("options", [(), ("--id", "id")])
def test_ids_go_with_their_labels(matrix, options):
    out = matrix / "out.parquet"
    run(matrix / "named.parquet", "-k", 3, "--method", "SpectralConsensus", "--out", out, *options)
    ids, labels = read(out)
    assert ids == [f"object {i}" for i in range(900)]
    assert np.array_equal(labels, SpectralConsensus(3, random_state=0).fit(labels_of()).labels_)


@pytest.mark.parametrize("kind", ["index", "large_string", "category"])
def test_ids_may_be_the_index_of_a_frame_or_text_of_any_kind(matrix, kind):
    frame = pd.DataFrame(labels_of(), columns=[f"run {i}" for i in range(6)])
    names = [f"object {i}" for i in range(900)]
    if kind == "index":
        table = pyarrow.Table.from_pandas(frame.set_axis(names))
    else:
        text = pyarrow.array(names).dictionary_encode() if kind == "category" else pyarrow.array(names, kind)
        table = pyarrow.Table.from_pandas(frame).add_column(0, "cell", text)
    write_table(table, matrix / "named.parquet", row_group_size=200)
    said = run(matrix / "named.parquet", "-k", 3, "--method", "HBGF", "--out", matrix / "out.parquet")
    assert "6 base clusterings" in said
    assert read(matrix / "out.parquet")[0] == names


@pytest.mark.filterwarnings("ignore::consclust.errors.MissingLabelsWarning")
def test_where_missing_labels_are_refused_the_remedy_works(matrix):
    labels = labels_of()
    labels[::7, 2] = -1
    np.save(matrix / "labels.npy", labels)
    given = ["consensus", str(matrix / "labels.npy"), "-k", "3", "--out", str(matrix / "out.npy")]
    done = CliRunner().invoke(main, [*given, "--method", "Voting"])
    assert done.exit_code != 0
    remedy = re.search("such as ([A-Za-z]+)", done.output)[1]
    assert CliRunner().invoke(main, [*given, "--method", remedy]).exit_code == 0
    done = compare(matrix / "labels.npy", "-k", 3, "--methods", "HBGF,Voting")
    assert f"such as {remedy}" in done.output


def test_a_column_with_the_name_of_classes_is_named(matrix):
    frame = pd.DataFrame(labels_of(), columns=[*(f"run {i}" for i in range(5)), "cell_type"])
    frame.to_parquet(matrix / "labels.parquet")
    given = (matrix / "labels.parquet", "-k", 3, "--method", "HBGF", "--out", matrix / "out.npy")
    said = run(*given)
    assert "column 'cell_type'" in said
    assert "--drop cell_type" in said
    assert "cell_type" not in run(*given, "--drop", "cell_type")


def test_columns_are_left_out(matrix):
    out = matrix / "out.npy"
    said = run(matrix / "named.parquet", "-k", 3, "--method", "HBGF", "--drop", "run 0", "--out", out)
    assert "5 base clusterings" in said
    assert np.array_equal(np.load(out), HBGF(3, random_state=0).fit(labels_of()[:, 1:]).labels_)


@pytest.mark.parametrize(
    "arguments",
    [("--method", "MCLA", "--missing", "0"), ("--method", "EAC"), ("--method", "HBGF", "--out", "out.npz")],
    ids=str,
)
def test_what_needs_the_whole_file_is_read_whole(matrix, monkeypatch, arguments):
    monkeypatch.chdir(matrix)
    out = () if "--out" in arguments else ("--out", "out.npy")
    assert "passes over" not in run("labels.npy", "-k", 3, *arguments, *out)


def test_mistakes_are_those_of_a_file_that_is_read_whole(matrix):
    for arguments in (("--drop", "no"), ("--id", "no")):
        done = CliRunner().invoke(
            main,
            ["consensus", str(matrix / "labels.parquet"), "-k", "3", "--method", "HBGF", "--out", "x.csv", *arguments],
        )
        assert done.exit_code == 2
        assert "no columns named 'no'" in done.output
    (matrix / "bad.parquet").write_text("x")
    done = CliRunner().invoke(
        main, ["consensus", str(matrix / "bad.parquet"), "-k", "3", "--method", "HBGF", "--out", "x.csv"]
    )
    assert done.exit_code == 2
    assert "not readable" in done.output


def test_a_column_of_ids_without_a_name_of_ids_is_refused_in_a_line(matrix, monkeypatch):
    monkeypatch.setattr("consclust.numerics.gram.MOST_CLUSTERS", 500)
    frame = pd.read_parquet(matrix / "labels.parquet").assign(cell=np.arange(900))
    frame.to_parquet(matrix / "cells.parquet")
    done = CliRunner().invoke(
        main, ["consensus", str(matrix / "cells.parquet"), "-k", "3", "--method", "HBGF", "--out", "x.csv"]
    )
    assert done.exit_code == 2
    assert "in clustering 6 (from 0)" in done.output


def compare(*arguments):
    done = CliRunner().invoke(main, ["compare", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done


def test_methods_are_compared_in_passes(matrix):
    out = matrix / "comparison"
    done = compare(matrix / "labels.parquet", "-k", 3, "--methods", "HBGF,Voting", "--out", out)
    labels = {"HBGF": HBGF(3, random_state=0).fit(labels_of()).labels_, "Voting": Voting(3).fit(labels_of()).labels_}
    table = pd.read_csv(out / "methods.csv").set_index("method")
    for name, own in labels.items():
        for measure in ("ARI", "NMI"):
            expected = agreement_with(labels_of(), own, measure).mean()
            assert table.loc[name, measure.lower()] == pytest.approx(expected, rel=1e-12)
        assert "passes over 900 objects" in table.loc[name, "note"]
    assert table["clusters"].tolist() == [3, 3]
    assert table["held_out_ari"].isna().all()
    agreement = pd.read_csv(out / "agreement.csv", index_col=0)
    assert agreement.loc["HBGF", "Voting"] == pytest.approx(ari(*labels.values()), rel=1e-12)
    assert "nothing held out" in done.stderr
    pac = consensus_values(labels_of()).pac()
    assert f"PAC of the base clusterings {pac:.4f}, standard error 0.0000" in done.stdout


def test_the_pac_of_many_objects_is_an_estimate(matrix, monkeypatch):
    monkeypatch.setattr("consclust.numerics.gram.EXACT", 100)
    monkeypatch.setattr("consclust.numerics.gram.SAMPLE", 50)
    monkeypatch.setattr("consclust.diagnostics.stability.n_pairs", lambda n: 10**12)
    done = compare(matrix / "labels.npy", "-k", 3, "--methods", "MCLA", "--out", matrix / "table.csv")
    values = consensus_values(labels_of(), most_pairs=0)
    error = values.standard_error(values.pac())
    assert error > 0
    assert f"PAC of the base clusterings {values.pac():.4f}, standard error {error:.4f}" in done.stdout
    assert pd.read_csv(matrix / "table.csv")["method"].tolist() == ["MCLA"]


def test_a_method_without_an_answer_is_a_row_of_the_comparison(matrix):
    labels = labels_of()
    labels[0, 0] = -1
    np.save(matrix / "missing.npy", labels)
    done = compare(matrix / "missing.npy", "-k", 3, "--methods", "HBGF,SpectralConsensus")
    assert "SpectralConsensus on a stream: with missing labels (1)" in done.stdout
    assert "MCLA: MCLA on a stream" in compare(matrix / "missing.npy", "-k", 3).stdout


@pytest.mark.long
@pytest.mark.parametrize("option", [("--methods", "EAC"), ("--draws", 0), ("--folds", 2), ("--objects", 200)], ids=str)
def test_what_needs_all_labels_is_compared_whole(matrix, option):
    done = compare(
        matrix / "labels.parquet", "-k", 3, *(() if "--methods" in option else ("--methods", "HBGF")), *option
    )
    assert "read in passes" not in done.stderr
    assert "PAC" not in done.stdout


SLOW = """
import sys, time
from consclust import stream
from consclust.cli import main
stream.MOST_IN_MEMORY, stream.ROWS = 100, 32
read = stream._read_matrices
def slowly(matrices):
    for columns in read(matrices):
        print("block", file=sys.stderr, flush=True)
        time.sleep({pause})
        yield columns
stream._read_matrices = slowly
main()
"""


@pytest.mark.long
def test_after_kills_the_same_command_gives_the_same_bytes(matrix):
    """Killed in the first pass, and again in the last one."""

    def start(pause, out):
        command = [sys.executable, "-c", SLOW.format(pause=pause), "consensus", str(matrix / "labels.npy"), "-k", "3"]
        return subprocess.Popen([*command, "--method", "HBGF", "--out", str(out)], stderr=subprocess.PIPE, text=True)

    out = matrix / "out.parquet"
    for n_blocks in (3, 40):
        process = start(0.05, out)
        seen = 0
        while seen < n_blocks:
            seen += process.stderr.readline() == "block\n"
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        time.sleep(0.1)
        assert not out.exists()
    for each in (out, matrix / "fresh.parquet"):
        process = start(0, each)
        process.communicate()
        assert process.returncode == 0
    assert out.read_bytes() == (matrix / "fresh.parquet").read_bytes()
