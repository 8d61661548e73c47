"""The command: what it writes, what it prints, what it refuses."""

import csv
import io
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.io import loadmat

from consclust import methods
from consclust.cli import main
from consclust.diagnostics import choose_k
from consclust.docstrings import describe_parameters
from consclust.methods import EAC, RCE
from consclust.methods.base import ConsensusMethod

CLASSES = np.repeat([0, 1, 2], 10)


@pytest.fixture
def labels():
    """Ten clusterings of 30 objects, a fifth of the labels at random."""
    rng = np.random.default_rng(0)
    noise = rng.random((30, 10)) < 0.2
    return np.where(noise, rng.integers(0, 4, (30, 10)), CLASSES[:, None])


@pytest.fixture
def file(tmp_path, labels):
    path = tmp_path / "labels.csv"
    frame = pd.DataFrame(labels, index=[f"object {i}" for i in range(30)])
    frame.to_csv(path)
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_consensus_is_that_of_the_library(file, labels):
    done = run("consensus", file, "-k", 3, "--method", "RCE", "--set", "lambda1=0.5", "--set", "order=paper")
    header, *found = rows(done.stdout)
    expected = RCE(3, lambda1=0.5, order="paper", random_state=0).fit_predict(labels)
    assert (done.exit_code, header) == (0, ["id", "label"])
    assert found == [[f"object {i}", str(label)] for i, label in enumerate(expected)]


@pytest.mark.parametrize("repeated", [False, True])
def test_ids_that_repeat_are_kept_and_reported(labels, tmp_path, repeated):
    ids = [f"object {i % 29 if repeated else i}" for i in range(30)]
    path = tmp_path / "labels.csv"
    pd.DataFrame(labels, index=ids).to_csv(path)
    done = run("consensus", path, "-k", 3, "--method", "EAC")
    assert [name for name, _ in rows(done.stdout)[1:]] == ids
    assert ("ids occur" in done.stderr) == repeated


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".npz", ".mat", ".parquet"])
def test_every_output_has_ids_and_labels_and_the_same_bytes(file, labels, tmp_path, suffix):
    outs = [tmp_path / f"{name}{suffix}" for name in "ab"]
    for out in outs:
        assert run("consensus", file, "-k", 3, "--method", "EAC", "--out", out).exit_code == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()
    expected = EAC(3).fit_predict(labels)
    read = {
        ".csv": lambda path: pd.read_csv(path),
        ".tsv": lambda path: pd.read_csv(path, sep="\t"),
        ".npz": np.load,
        ".mat": lambda path: {
            name: value.ravel() for name, value in loadmat(path, chars_as_strings=True).items() if name[0] != "_"
        },
        ".parquet": pd.read_parquet,
    }[suffix]
    found = read(outs[0])
    np.testing.assert_array_equal(found["label"], expected)
    assert [str(np.squeeze(each)) for each in found["id"]] == [f"object {i}" for i in range(30)]


def test_methods_give_equal_partitions_equal_numbers(tmp_path):
    """The clusters that all base clusterings show, in any order of the objects."""
    truth = np.random.default_rng(0).permutation(np.arange(30) % 3)
    path, out = tmp_path / "labels.csv", tmp_path / "comparison"
    pd.DataFrame(np.column_stack([(truth + i) % 3 for i in range(6)])).to_csv(path)
    names = ["EAC", "LWEA", "MCLA", "RCE", "KC", "SpectralConsensus"]
    done = run("compare", path, "-k", 3, "--methods", ",".join(names), "--draws", 0, "--folds", 2, "--out", out)
    assert done.exit_code == 0
    found = pd.read_csv(out / "labels.csv", index_col=0)
    assert list(found) == names
    expected = pd.factorize(truth)[0]
    assert [name for name in found if found[name].tolist() != expected.tolist()] == []
    consensus = rows(run("consensus", path, "-k", 3, "--method", "MCLA").stdout)[1:]
    assert [label for _, label in consensus] == [str(label) for label in expected]


def test_compare_measures_each_method_and_survives_a_failure(tmp_path):
    """Two groups of objects, so that three clusters are refused by every method; the table says so."""
    path = tmp_path / "labels.csv"
    pd.DataFrame(np.tile(np.arange(20)[:, None] % 2, 6)).to_csv(path)
    out = tmp_path / "comparison"
    done = run("compare", path, "-k", 2, "--methods", "EAC,LWEA", "--draws", 3, "--out", out)
    table = pd.read_csv(out / "methods.csv").set_index("method")
    for column in ("ari", "nmi", "held_out_ari", "stability"):
        assert table[column].tolist() == pytest.approx([1, 1])
    assert (table["clusters"].tolist(), done.exit_code) == ([2, 2], 0)
    assert pd.read_csv(out / "agreement.csv", index_col=0).to_numpy().tolist() == [[1, 1], [1, 1]]
    assert pd.read_csv(out / "labels.csv")["EAC"].tolist() == [0, 1] * 10
    done = run("compare", path, "-k", 3, "--methods", "EAC,LWEA", "--out", tmp_path / "table.csv")
    table = pd.read_csv(tmp_path / "table.csv")
    assert done.exit_code == 0
    assert table["ari"].isna().all()
    assert table["note"].str.contains("2 groups").all()


def test_compare_names_the_members_of_coalitions(tmp_path):
    one = np.arange(60) // 20
    other = np.arange(60) % 3
    labels = pd.DataFrame({f"a{i}": one for i in range(4)} | {f"b{i}": other for i in range(3)})
    path = tmp_path / "labels.csv"
    labels.to_csv(path, index_label="id")
    done = run("compare", path, "-k", 3, "--methods", "EAC", "--draws", 0, "--folds", 2)
    assert "2 groups" in done.stdout
    assert "a0, a1, a2, a3" in done.stdout
    labels.filter(like="a").assign(a4=one, a5=one).to_csv(path, index_label="id")
    done = run("compare", path, "-k", 3, "--methods", "EAC", "--draws", 0, "--folds", 2)
    assert "no coalitions" in done.stdout


def test_fewer_clusters_than_requested_are_reported(tmp_path):
    """Clusterings of one or two clusters, of which MCLA makes no eight."""
    path = tmp_path / "labels.csv"
    labels = np.random.default_rng(0).integers(2, size=(30, 12)) * (np.arange(12) % 3 > 0)
    pd.DataFrame(labels).to_csv(path, index_label="id")
    done = run("consensus", path, "-k", 8, "--method", "MCLA")
    assert "fewer clusters" in done.stderr
    done = run("compare", path, "-k", 8, "--methods", "EAC,MCLA", "--draws", 0, "--out", tmp_path / "table.csv")
    noted = [line for line in done.stdout.splitlines() if "fewer clusters" in line]
    assert [line.split(":")[0] for line in noted] == ["MCLA"]
    notes = pd.read_csv(tmp_path / "table.csv").set_index("method")["note"].fillna("")
    assert notes.str.contains("fewer clusters").to_dict() == {"EAC": False, "MCLA": True}


@pytest.mark.long
def test_no_result_of_compare_depends_on_the_number_of_jobs(file):
    tables = []
    for jobs in (1, 2):
        out = file.parent / f"{jobs}"
        run("compare", file, "-k", 3, "--methods", "KC,EAC", "--draws", 2, "--out", out, "--jobs", jobs)
        tables.append(pd.read_csv(out / "methods.csv").drop(columns="seconds").to_csv())
    assert tables[0] == tables[1]


@pytest.mark.long
def test_choose_k_writes_the_tables_of_the_library(file, labels):
    few = ["--halves", 4, "--nulls", 4]
    out, again = file.parent / "diagnosis", file.parent / "again"
    done = run("choose-k", file, "--k", "2:4", *few, "--out", out)
    expected = choose_k(labels, range(2, 5), halves=4, nulls=4)
    pd.testing.assert_frame_equal(pd.read_csv(out / "criteria.csv"), expected)
    chosen = expected[expected["chosen"] & (expected["criterion"] == "silhouette")]["k"].item()
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(str(chosen))]
    assert "*" in line
    consensus = pd.read_csv(out / "consensus.csv")
    assert [consensus[f"k{k}"].nunique() for k in (2, 3, 4)] == [2, 3, 4]
    cdf = pd.read_csv(out / "cdf.csv")
    pac = cdf[cdf["k"] == 3].set_index("value")["share_at_most"]
    value = expected.query("criterion == 'PAC' and k == 3")["value"].item()
    assert pac[0.9] - pac[0.1] == pytest.approx(value)
    assert {path.suffix for path in out.iterdir()} == {".csv", ".png"}
    assert run("choose-k", file, "-k", "2:4", *few, "--out", again, "--jobs", 2).stdout == done.stdout
    assert all(path.read_bytes() == (again / path.name).read_bytes() for path in out.iterdir())
    (out / "notes.txt").write_text("")
    assert "notes.txt" in run("choose-k", file, "--k", "2:4", "--out", out).stderr


@pytest.mark.long
def test_features_are_clustered_first(tmp_path):
    features = np.random.default_rng(1).normal(size=(30, 2)) + 20 * np.eye(3)[CLASSES][:, :2]
    path = tmp_path / "features.csv"
    pd.DataFrame(features, columns=["x", "y"]).to_csv(path, index=False)
    done = run("consensus", path, "--features", "-k", 3, "--runs", 8, "--base-k", "3:5")
    found = [int(label) for _, label in rows(done.stdout)[1:]]
    assert (found, "8 base clusterings" in done.stderr) == (CLASSES.tolist(), True)
    done = run("consensus", path, "--features", "-k", 3, "--method", "SSCE", "--base-k", 3)
    assert done.exit_code == 0
    done = run("choose-k", path, "--features", "--k", "2", "--runs", 4, "--nulls", 0, "--method", "SSCE")
    assert done.exit_code == 0
    assert "p > 0.05" not in done.stdout, "nothing was tested"
    done = run("choose-k", path, "--features", "--k", "2:4", "--runs", 8, "--nulls", 4)
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "k",
        "1",
        "2",
        "3",
        "4",
        "*",
        "often",
        "Recommended:",
    ]


def test_methods_are_listed_with_their_parameters():
    listed = run("methods").stdout.splitlines()
    assert [line.split()[0] for line in listed if line.startswith(("EAC", "SSCE"))] == ["EAC", "SSCE"]
    assert "lambda1=1.0" in run("methods", "RCE").stdout


def test_each_parameter_of_each_method_is_explained():
    for name in methods.names():
        described = describe_parameters(methods.load(name), ConsensusMethod)
        for parameter in methods.load(name).parameters():
            text = described[parameter].text
            assert len(text) > 10, (name, parameter)
            assert not text.startswith("See "), (name, parameter)
            assert not re.search(r":\w+:`|``", text), (name, parameter)
    shown = " ".join(run("methods", "RCE").stdout.split())
    assert "lambda1=1.0 float >= 0. Weight of the errors' 1-norm" in shown
    assert '"paper": rounds of E-step' in shown, "every choice is explained"
    assert "n_init=10 int. Random starts" in shown, "what the methods share stands in their base"


def test_the_default_of_k_ends_at_the_number_of_objects(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("a,b\n0,1\n0,1\n1,1\n1,2\n2,2\n")
    done = run("choose-k", path, "--nulls", 0, "--halves", 2)
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "k",
        "1",
        "2",
        "3",
        "4",
        "5",
        "*",
        "often",
        "Recommended:",
    ]


def test_choose_k_says_in_one_line_what_it_cannot_compare(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("a,b\n" + "0,1\n" * 5)
    done = run("choose-k", path, "--k", "2,3", "--nulls", 2, "--halves", 2)
    columns, nulls = done.stderr.splitlines()
    assert columns.endswith("columns 'a', 'b': one cluster")
    assert nulls.startswith("note: nulls = 2")
    (reason,) = done.stdout.splitlines()
    assert "labels.csv: no criterion" in reason


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["consensus", "FILE"], "-k"),
        (["consensus", "FILE", "-k", "0"], "x>=1"),
        (["consensus", "FILE", "-k", "31"], "30 objects"),
        (["consensus", "FILE", "-k", "3", "--method", "RCEE"], 'did you mean "RCE"?'),
        (["consensus", "FILE", "-k", "3", "--method", "RCE", "--set", "lamda1=1"], 'did you mean "lambda1"?'),
        (["consensus", "FILE", "-k", "3", "--method", "RCE", "--set", "lambda1=many"], "a number in [0"),
        (["consensus", "FILE", "-k", "3", "--method", "RCE", "--set", "lambda1"], "NAME=VALUE"),
        (["consensus", "FILE", "-k", "3", "--set", "n_clusters=2"], "-k"),
        (["consensus", "FILE", "-k", "3", "--method", "SSCE"], "--features"),
        (["consensus", "FILE", "-k", "3", "--out", "FILE"], "another name"),
        (["consensus", "FILE", "-k", "3", "--out", "labels.xls"], ".parquet"),
        (["consensus", "FILE", "-k", "3", "--drop", "11"], "--drop names one"),
        (["consensus", "FILE", "-k", "3", "--features", "--base-k", "many"], "5:20"),
        (["consensus", "nowhere.csv", "-k", "3"], "nowhere.csv"),
        (["consensus", "FILE", "-k", "3", "--features", "--base-k", "5:3"], "--base-k 5:3"),
        (
            ["consensus", "FILE", "-k", "3", "--features", "--drop", "", "--base-k", "99"],
            "--base-k 99: 99 clusters are too many for the 30 objects",
        ),
        (["consensus", "FILE", "-k", "3", "--base-k", "5"], "--features"),
        (["compare", "FILE", "-k", "3", "--runs", "5"], "--features"),
        (["consensus", "FILE", "-k", "3", "--variable", "E"], "labels.csv: --variable"),
        (["consensus", "FILE", "-k", "3", "--method", "RCE", "--set", "lambda1=1", "--set", "lambda1=2"], "lambda1=2"),
        (["compare", "FILE", "-k", "3", "--folds", "11"], "--folds 11"),
        (["report", "FILE", "-k", "3", "--folds", "11", "--out", "new"], "--folds 11"),
        (["report", "FILE", "-k", "3", "--ks", "2:31", "--out", "new"], "--ks"),
        (["choose-k", "FILE", "--features", "--base-k", "5"], "--base-k"),
        (["choose-k", "FILE", "--features", "--halves", "5"], "--halves"),
        (["choose-k", "FILE", "--k", "5:2"], "smaller number first"),
        (["choose-k", "FILE", "--k", "1:3"], "from 2"),
        (["choose-k", "FILE", "--k", "a:3"], "2:12"),
        (["choose-k", "FILE", "--k", "2:31"], "from 2 to 30"),
        (["choose-k", "FILE", "--set", "tol=1"], "--method"),
        (["choose-k", "FILE", "--out", "FILE"], "name a folder"),
        (["compare", "FILE", "-k", "3", "--methods", "EAC,MCLAA"], 'did you mean "MCLA"?'),
        (["methods", "RCF"], 'did you mean "RCE"?'),
        (["consense"], "consensus"),
    ],
)
def test_a_mistake_is_one_line(file, arguments, what):
    before = file.read_bytes()
    done = run(*(str(file) if each == "FILE" else each for each in arguments))
    mistake = done.stderr.splitlines()[-1]
    assert (done.exit_code, done.stdout) == (2, "")
    assert mistake.startswith("Error: ")
    assert what in mistake
    assert sum(line.startswith("Error") for line in done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert file.read_bytes() == before


def test_the_entry_point_starts_without_the_numeric_packages(file):
    heavy = "{'numpy', 'scipy', 'sklearn', 'pandas', 'pydantic'}"
    start = "import sys; from consclust.cli import main; "
    code = f"{start}print({heavy} & {{*sys.modules}}); sys.argv[0] = 'consclust'; main()"
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "set()"
    assert done.stdout.splitlines()[1].startswith("consclust, version ")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "choose-k" in done.stderr + done.stdout


@pytest.mark.long
def test_the_command_is_also_a_module(file):
    command = [sys.executable, "-m", "consclust", "consensus", str(file), "-k", "3", "--method", "EAC"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == run("consensus", file, "-k", 3, "--method", "EAC").stdout
    done = subprocess.run([*command, "--drop", "none"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
