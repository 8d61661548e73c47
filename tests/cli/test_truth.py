"""Known classes beside the base clusterings: scores and pictures, from a column or from a file of classes."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from consclust.cli import main
from consclust.cli.own_files import read_known_classes
from consclust.errors import InputError
from consclust.known_classes import KnownClasses
from consclust.methods import EAC
from consclust.scores import accuracy, ari, nmi

CLASSES = np.repeat(["B cell", "T cell", "none"], 8)


@pytest.fixture
def labels():
    rng = np.random.default_rng(0)
    return np.where(rng.random((24, 6)) < 0.2, rng.integers(0, 3, (24, 6)), np.arange(24)[:, None] // 8)


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def write_table(path, labels, **more):
    frame = pd.DataFrame(labels, columns=[f"run {j}" for j in range(6)], index=[f"c{i}" for i in range(24)])
    frame.assign(**more).to_csv(path)
    return path


def write_scores(classes, labels):
    """Return the line that a command writes."""
    values = {"ACC": accuracy(classes, labels), "NMI": nmi(classes, labels), "ARI": ari(classes, labels)}
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


def test_consensus_reports_the_scores_of_the_objects_whose_class_is_known(tmp_path, labels):
    kinds = CLASSES.copy()
    kinds[[0, 9]] = ["", "NA"]
    known = np.delete(np.arange(24), [0, 9])
    path = write_table(tmp_path / "labels.csv", labels, kind=kinds)
    done = run("consensus", path, "-k", 3, "--method", "EAC", "--truth", "kind", "--out", tmp_path / "out.csv")
    consensus = EAC(3).fit_predict(labels)
    assert write_scores(CLASSES[known], consensus[known]) in done.stderr
    assert "3 classes of 22 objects" in done.stderr
    means = np.mean([accuracy(CLASSES[known], column[known]) for column in labels.T])
    assert f"mean of the base clusterings: ACC {means:.3f}" in done.stderr


def test_a_file_of_classes_is_matched_by_the_ids(tmp_path, labels):
    path = write_table(tmp_path / "labels.csv", labels)
    rows = np.random.default_rng(1).permutation(24)
    classes = pd.DataFrame({"cell": [f"c{i}" for i in rows], "kind": CLASSES[rows]})
    classes.to_csv(tmp_path / "classes.csv", index=False)
    done = run("consensus", path, "-k", 3, "--method", "EAC", "--truth", tmp_path / "classes.csv")
    assert write_scores(CLASSES, EAC(3).fit_predict(labels)) in done.stderr


@pytest.mark.parametrize("name", ["classes.csv", "classes.npy", "classes.tsv", "counted.csv"])
def test_a_file_without_ids_has_the_classes_in_the_order_of_the_rows(tmp_path, name):
    path = tmp_path / name
    codes = np.repeat([2, 0, 1], 8)
    if name == "classes.npy":
        np.save(path, codes)
    else:
        frame = pd.DataFrame({"kind": codes})
        frame.to_csv(path, index=name == "counted.csv", sep="\t" if name.endswith(".tsv") else ",")
    ids = np.array([f"c{i}" for i in range(24)])
    assert read_known_classes(path, ids) == [str(code) for code in codes]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("id,kind\n" + "".join(f"x{i},A\n" for i in range(24)), "no class of object 'c0'"),
        ("id,kind\n" + "".join(f"c{i},A\n" for i in [*range(24), 3]), "'c3' occurs more than once"),
        ("kind\n" + "A\nB\n" * 10, "20 classes for 24 objects"),
        ("id,kind,other\n" + "".join(f"c{i},A,B\n" for i in range(24)), "2 columns beside the ids"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path, content, what):
    path = tmp_path / "classes.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=what):
        read_known_classes(path, np.array([f"c{i}" for i in range(24)]))


def test_compare_has_the_scores_of_each_method(tmp_path, labels):
    path = write_table(tmp_path / "labels.csv", labels, kind=CLASSES)
    out = tmp_path / "table.csv"
    done = run("compare", path, "-k", 3, "--methods", "EAC", "--draws", 0, "--truth", "kind", "--out", out)
    table = pd.read_csv(out)
    consensus = EAC(3).fit_predict(labels)
    assert table.columns[-1] == "note"
    found = table[["truth_acc", "truth_nmi", "truth_ari"]].iloc[0]
    np.testing.assert_allclose(found, [score(CLASSES, consensus) for score in (accuracy, nmi, ari)])
    assert "truth_acc" in done.stdout
    assert "truth_acc" not in run("compare", path, "-k", 3, "--methods", "EAC", "--drop", "kind", "--draws", 0).stdout


@pytest.mark.long
def test_the_report_has_a_chapter_of_the_known_classes(tmp_path, labels):
    path = write_table(tmp_path / "labels.csv", labels, kind=CLASSES)
    few = ["--ks", "2:3", "--draws", "2", "--halves", "2", "--nulls", "2", "--folds", "2", "--methods", "KC"]
    done = run("report", path, "-k", 3, "--method", "EAC", "--truth", "kind", *few, "--out", tmp_path / "report")
    assert done.exit_code == 0
    scores = pd.read_csv(tmp_path / "report" / "truth.csv").set_index("clustering")
    consensus = EAC(3).fit_predict(labels)
    np.testing.assert_allclose(scores.loc["consensus (EAC)", "ARI"], ari(CLASSES, consensus))
    base = [ari(CLASSES, column) for column in labels.T]
    np.testing.assert_allclose(scores.loc["base clusterings, mean", "ARI"], np.mean(base))
    crossed = pd.read_csv(tmp_path / "report" / "classes.csv").set_index("class")
    expected = [np.bincount(consensus[kind == CLASSES], minlength=3) for kind in crossed.index]
    np.testing.assert_array_equal(crossed, expected)
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "Known classes" in page
    assert "No classes were used" not in page


@pytest.mark.long
@pytest.mark.parametrize("features", [False, True])
@pytest.mark.parametrize(("name", "is_named"), [("class", True), ("true.label", True), ("classic", False)])
def test_a_column_named_like_classes_is_named_once(tmp_path, labels, name, is_named, features):
    path = write_table(tmp_path / "labels.csv", labels, **{name: np.repeat([1, 2, 3], 8)})
    option = ["--features", "--scale"] if features else []
    done = run("consensus", path, "-k", 3, "--method", "EAC", *option)
    assert done.stderr.count("named like classes") == is_named
    assert (f"--truth {name}" in done.stderr) == is_named
    for others in (["--truth", name], ["--drop", name]):
        assert "named like classes" not in run("consensus", path, "-k", 3, "--method", "EAC", *option, *others).stderr


def test_scores_without_a_common_object_are_missing():
    classes = KnownClasses.make(["a", "", "b"], "column 'kind'")
    assert np.isnan(list(classes.score(np.array([-1, 0, -1])).values())).all()
    assert np.isnan(list(classes.score(None).values())).all()
    assert classes.score_mean(np.array([[-1, 0], [0, 0], [-1, 1]]))["ACC"] == 1
