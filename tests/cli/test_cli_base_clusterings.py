"""Base clusterings that the command makes of features, by a choice of algorithms."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from consclust import ensembles
from consclust.cli import main
from consclust.diagnostics import signatures
from consclust.methods import EAC

X = np.random.default_rng(0).normal(size=(24, 3)) + np.array([[6, 0, 0]]) * (np.arange(24)[:, None] // 12)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "features.csv"
    pd.DataFrame(X, columns=["far", "u", "v"]).to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def test_the_options_are_those_of_the_library(file):
    options = ["--base", "agglomerative,pam", "--distance", "manhattan", "--linkage", "complete"]
    shares = ["--object-fraction", 0.8, "--feature-fraction", 0.7, "--base-k", "2:4", "--runs", 6]
    done = run("consensus", file, "--features", "-k", 2, "--method", "EAC", *options, *shares)
    base = ensembles.from_algorithms(
        X,
        ["agglomerative", "pam"],
        6,
        range(2, 5),
        linkage="complete",
        metric="manhattan",
        object_fraction=0.8,
        feature_fraction=0.7,
    )
    expected = EAC(2).fit_predict(base)
    assert [int(line.split(",")[1]) for line in done.stdout.splitlines()[1:]] == expected.tolist()


def test_k_means_on_parts_of_the_objects_is_that_of_the_library(file):
    done = run("consensus", file, "--features", "-k", 2, "--method", "EAC", "--object-fraction", 0.5, "--runs", 5)
    expected = EAC(2).fit_predict(ensembles.kmeans(X, 5, object_fraction=0.5))
    assert [int(line.split(",")[1]) for line in done.stdout.splitlines()[1:]] == expected.tolist()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--base", "agglomerate", "--features"], "--base = 'agglomerate'"),
        (["--base", "pam"], "--base is for features, which need --features"),
        (["--linkage", "single", "--features"], "--linkage is for --base agglomerative"),
        (["--distance", "cosine", "--features", "--base", "gmm"], "--distance is for --base agglomerative or pam"),
        (["--base", "pam", "--features"], "give more numbers of clusters (--base-k), or an --object-fraction"),
    ],
)
def test_options_that_do_not_go_together_are_refused(file, options, what):
    done = run("consensus", file, "-k", 2, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert what in done.stderr


def test_a_warning_of_repeated_runs_names_the_options(file):
    done = run("consensus", file, "--features", "-k", 2, "--base", "pam", "--base-k", "2:5")
    (line,) = (line for line in done.stderr.splitlines() if "runs repeat an earlier one" in line)
    assert line.startswith(f"note: {file}: pam draws nothing")
    assert line.endswith("(--base-k), or an --object-fraction or --feature-fraction below 1")


@pytest.mark.parametrize("option", [["--base", "pam"], ["--object-fraction", "0.8"]])
def test_choose_k_makes_its_own_clusterings_of_features(file, option):
    done = run("choose-k", file, "--features", *option)
    assert done.exit_code == 2
    assert f"{option[0]}: with --features, k-means runs at each --k" in done.stderr


@pytest.mark.long
def test_the_report_says_which_features_separate_the_clusters(file, tmp_path):
    few = ["--ks", "2:3", "--draws", "2", "--halves", "2", "--nulls", "2", "--folds", "2", "--methods", "KC"]
    base = ["--features", "--base", "agglomerative", "--base-k", "2:6", "--runs", "5"]
    done = run("report", file, "-k", 2, "--method", "EAC", *base, *few, "--out", tmp_path / "report")
    assert done.exit_code == 0
    found = pd.read_csv(tmp_path / "report" / "signatures.csv")
    labels = pd.read_csv(tmp_path / "report" / "consensus.csv")["label"]
    pd.testing.assert_frame_equal(found, signatures(X, labels, ["far", "u", "v"]), rtol=1e-9)
    assert found["feature"].iloc[0] == "far"
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "agglomerative, 5 runs, k: 2:6, average linkage, euclidean distance" in page
