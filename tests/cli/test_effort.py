"""What a command estimates and chooses before it computes, and what is kept when it is interrupted."""

import os
import signal
import subprocess
import sys
from math import inf

import click
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from consclust.cli import effort, main, progress
from consclust.cli.options import Data
from consclust.diagnostics.efforts import Budget, choose_size, draw_objects, estimate_choice, permute_labels
from consclust.ensemble import Ensemble
from consclust.methods import EAC, KC, LWEA, LWGP, MCLA, RCE
from consclust.methods.base import Need

NO_LIMIT = Budget(inf, inf)


@pytest.fixture(scope="module")
def labels():
    """Eight clusterings of 700 objects in four classes, a quarter of the labels at random."""
    rng = np.random.default_rng(0)
    noise = rng.random((700, 8)) < 0.25
    return np.where(noise, rng.integers(0, 6, (700, 8)), np.arange(700)[:, None] % 4)


@pytest.fixture(scope="module")
def ensemble(labels):
    return Ensemble(labels)


@pytest.fixture(scope="module")
def file(tmp_path_factory, labels):
    path = tmp_path_factory.mktemp("effort") / "labels.csv"
    pd.DataFrame(labels, index=[f"object {i}" for i in range(700)]).to_csv(path)
    return path


@pytest.fixture
def command():
    """Enter the context of a command whose options have their defaults."""
    with click.Context(click.Command("compare")) as context:
        yield context


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def chosen(done):
    return [line for line in done.stderr.splitlines() if line.startswith("chosen: ")]


def test_a_linear_method_is_estimated_by_its_labels_and_others_by_their_matrices():
    few, many = (Ensemble(np.random.default_rng(0).integers(9, size=(n, 10))) for n in (2_000, 8_000))
    growth = {type(m): m.estimate(many).seconds / m.estimate(few).seconds for m in (LWEA(9), LWGP(9), MCLA(9))}
    assert growth[LWEA] == pytest.approx(16, rel=0.1)
    assert growth[LWGP] < 4.1
    assert growth[MCLA] < 4.1
    assert LWEA(9).estimate(many).bytes >= 2 * 8 * many.n_profiles**2
    assert LWGP(9).estimate(many).bytes < many.n_profiles**2


def test_with_missing_labels_a_method_that_then_needs_matrices_is_estimated_by_these():
    labels = np.random.default_rng(0).integers(9, size=(3_000, 10))
    complete = KC(9).estimate(Ensemble(labels))
    labels[::7, 0] = -1
    incomplete = KC(9).estimate(Ensemble(labels))
    assert incomplete.bytes > 10 * complete.bytes
    assert incomplete.seconds > complete.seconds


@pytest.mark.parametrize("allowed", [0.5, 10, 700, 3_000, 10**7])
def test_the_size_is_the_largest_that_is_within_the_budget(allowed):
    size = choose_size(5_500, lambda n: Need(n, 0.0), Budget(allowed, inf))
    assert size == {0.5: 500, 10: 500, 700: 600, 3_000: 3_000, 10**7: 5_500}[allowed]
    assert choose_size(40, lambda n: Need(n, 0.0), Budget(allowed, inf)) == 40


def test_the_memory_limits_the_size_too():
    assert choose_size(5_500, lambda n: Need(0.0, 8 * n**2), Budget(inf, 8e6)) == 1_000


def test_a_sample_has_different_objects_and_depends_on_the_seed():
    first = draw_objects(1_000, 600, 0)
    assert len(set(first.tolist())) == 600
    assert (np.diff(first) > 0).all()
    assert first.min() >= 0
    assert first.max() < 1_000
    np.testing.assert_array_equal(first, draw_objects(1_000, 600, 0))
    assert (first != draw_objects(1_000, 600, 1)).any()


def test_permuted_labels_keep_the_sizes_of_clusters_and_what_is_missing(labels):
    given = np.array(labels)
    given[:50, 1] = -1
    permuted = permute_labels(Ensemble(given)).given
    for before, after in zip(given.T, permuted.T, strict=True):
        np.testing.assert_array_equal(np.bincount(before + 1), np.bincount(after + 1))
    np.testing.assert_array_equal(given == -1, permuted == -1)
    assert (given != permuted).any()


def test_the_null_reference_counts_in_the_estimate(ensemble):
    without, few, many = (estimate_choice(ensemble, 5, 10, nulls).seconds for nulls in (0, 19, 39))
    assert few > 10 * without
    assert many - few == pytest.approx(few / 20 * 20, rel=0.1)


def test_the_usual_method_is_taken_within_the_budget_alone(ensemble):
    usual = LWEA(4, random_state=0)
    assert effort.choose_method(usual, ensemble, NO_LIMIT, 0) == (usual, [])
    seconds = usual.estimate(ensemble).seconds
    found, (why,) = effort.choose_method(usual, ensemble, Budget(seconds / 2, inf), 0)
    assert type(found).__name__ in effort.LINEAR
    assert found.n_clusters == 4
    assert "in place of LWEA" in why
    assert "--method LWEA" in why


def test_without_any_method_within_the_budget_the_cheapest_is_taken(ensemble):
    found, _ = effort.choose_method(LWEA(4), ensemble, Budget(0, 0), 0)
    costs = {name: effort.make_method(name, 4, (), 0, False).estimate(ensemble).seconds for name in effort.LINEAR}
    assert type(found).__name__ == min(costs, key=costs.get)


@pytest.mark.usefixtures("command")
def test_expensive_methods_of_the_default_are_replaced_and_named_ones_are_not(ensemble):
    usual = [EAC(4), MCLA(4), RCE(4)]
    repeats = effort.Repeats(folds=5, draws=20)
    limit = Budget(60.0, inf)
    plan = effort.plan_comparison(usual, False, ensemble, None, repeats, limit, 0)
    names = [type(each).__name__ for each in plan.methods]
    assert len(names) == len(set(names)) == 3
    assert "RCE" not in names
    assert names[:2] == ["EAC", "MCLA"]
    assert any("RCE (about" in line for line in plan.choices)
    named = effort.plan_comparison(usual, True, ensemble, None, repeats, limit, 0)
    assert named.methods == usual
    assert len(named.objects) == 500
    assert any(line.startswith("500 of 700 objects") for line in named.choices)
    free = effort.plan_comparison(usual, False, ensemble, None, repeats, NO_LIMIT, 0)
    assert (free.methods, free.objects, free.draws, free.choices) == (usual, None, 20, [])


@pytest.mark.usefixtures("command")
def test_fewer_draws_are_the_last_choice(ensemble):
    plan = effort.plan_comparison([RCE(4)], True, ensemble, None, effort.Repeats(5, 20), Budget(1.0, inf), 0)
    assert len(plan.objects) == 500
    assert plan.draws == effort.FEWER_DRAWS[-1]
    assert any("--draws" in line for line in plan.choices)


@pytest.mark.usefixtures("command")
def test_objects_that_the_user_wants_are_taken(ensemble):
    plan = effort.plan_comparison([EAC(4)], True, ensemble, 123, effort.Repeats(5, 20), NO_LIMIT, 0)
    assert len(plan.objects) == 123
    every = effort.plan_comparison([EAC(4)], True, ensemble, 9_999, effort.Repeats(5, 20), Budget(0, 0), 0)
    assert every.objects is None


@pytest.mark.usefixtures("command")
def test_numbers_of_clusters_are_compared_on_a_sample_then_with_fewer_halves():
    def estimate(size, halves):
        return Need(size * halves, 0.0)

    def plan(seconds, ks=(2, 3)):
        return effort.plan_choice(4_000, estimate, ks, None, 20, Budget(seconds, inf), 0)

    assert plan(80_000)[:3] == (None, 20, [])
    some = plan(20_000)
    assert (len(some.objects), some.halves, len(some.choices)) == (1_000, 20, 1)
    fewer = plan(6_000)
    assert (len(fewer.objects), fewer.halves, len(fewer.choices)) == (500, 10, 2)
    assert plan(1.0).halves == effort.FEWER_HALVES[-1]
    many = plan(6_000, ks=(2, 90))
    assert len(many.objects) == 90 * effort.LEAST_OF_CLUSTER, "each of the most clusters has some objects"
    wanted = effort.plan_choice(4_000, estimate, (2, 90), 123, 20, NO_LIMIT, 0)
    assert len(wanted.objects) == 123, "the number that the user gave is kept"


def test_consensus_names_the_method_that_it_chose(file, tmp_path):
    done = run("consensus", file, "-k", 4, "--seconds", 0.001, "--out", tmp_path / "c.csv")
    (line,) = chosen(done)
    assert "in place of LWEA" in line
    again = run("consensus", file, "-k", 4, "--method", line.split()[1], "--out", tmp_path / "d.csv")
    assert chosen(again) == []
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "d.csv").read_bytes()
    assert chosen(run("consensus", file, "-k", 4, "--method", "LWEA", "--seconds", 0.001)) == []


@pytest.mark.long
def test_choose_k_on_a_sample_is_choose_k_of_these_objects(file, labels, tmp_path):
    few = ["--k", "3:4", "--nulls", 0, "--halves", 2]
    done = run("choose-k", file, *few, "--objects", 90, "--out", tmp_path / "some")
    assert len(chosen(done)) == 1
    some = draw_objects(700, 90, 0)
    path = tmp_path / "some.csv"
    pd.DataFrame(labels[some], index=[f"object {i}" for i in some]).to_csv(path)
    run("choose-k", path, *few, "--out", tmp_path / "all")
    for name in ("criteria.csv", "consensus.csv", "cdf.csv"):
        assert (tmp_path / "some" / name).read_text() == (tmp_path / "all" / name).read_text()


def test_compare_on_a_sample_writes_the_labels_of_these_objects(file, tmp_path):
    named = ["--methods", "EAC,MCLA", "--draws", 0, "--folds", 2]
    done = run("compare", file, "-k", 4, *named, "--objects", 80, "--out", tmp_path / "some")
    assert len(chosen(done)) == 1
    found = pd.read_csv(tmp_path / "some" / "labels.csv")
    assert found["id"].tolist() == [f"object {i}" for i in draw_objects(700, 80, 0)]
    assert found["EAC"].nunique() == 4


@pytest.fixture(scope="module")
def sparse_file(tmp_path_factory, labels):
    """The same, and a clustering second that has none of the objects of a sample."""
    path = tmp_path_factory.mktemp("effort") / "sparse.csv"
    frame = pd.DataFrame(labels, index=[f"object {i}" for i in range(700)], columns=list("abcdefgh"))
    few = np.full(700, -1)
    few[np.setdiff1d(np.arange(700), draw_objects(700, 80, 0))[:9]] = [0, 1, 2] * 3
    frame.insert(1, "few", few)
    frame.to_csv(path)
    return path


def test_of_a_sample_the_clusterings_keep_their_names(labels):
    given = np.column_stack([labels[:, 0], np.where(np.arange(700) < 9, 1, -1), labels[:, 1]])
    data = Data(Ensemble(given, "ignored"), None, np.arange(700), ["a", "few", "b"]).keep(np.arange(600, 700))
    assert data.names == ["a", "b"]
    assert (data.ensemble.n_clusterings, data.ensemble.missing) == (2, "ignored")


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "-k", 4, "--methods", "EAC", "--draws", 0, "--folds", 9],
        ["choose-k", "--k", "3:4", "--halves", 2, "--nulls", 0],
        pytest.param(["report", "-k", 4, "--nulls", 0, "--ks", "3:4", "--draws", 2], marks=pytest.mark.long),
    ],
)
@pytest.mark.filterwarnings("ignore::consclust.errors.MissingLabelsWarning")
def test_a_clustering_may_contain_no_object_of_a_sample(sparse_file, tmp_path, command):
    done = run(command[0], sparse_file, *command[1:], "--objects", 80, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output


class Terminal:
    """Whether the standard error is a terminal."""

    def __init__(self, stream, is_terminal):
        self._stream = stream
        self._is_terminal = is_terminal

    def isatty(self):
        return self._is_terminal

    def __getattr__(self, name):
        return getattr(self._stream, name)


def test_in_batch_there_is_a_line_for_what_takes_long_alone(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", Terminal(sys.stderr, is_terminal=False))
    times = iter([0.0, 4.0, 11.0, 12.0, 30.0])
    assert list(progress.watched("abcd", 4, "methods", lambda: next(times))) == list("abcd")
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == ["methods: 2 of 4", "methods: 4 of 4"]
    assert list(progress.watched("ab", 2, "methods", lambda: 0.0)) == ["a", "b"]
    assert capsys.readouterr().err == ""


def test_a_finished_method_is_in_the_table_before_the_next_one(file, tmp_path, monkeypatch):
    """The second method is interrupted."""
    out = tmp_path / "comparison"

    def interrupted(self, ensemble):
        assert pd.read_csv(out / "methods.csv")["method"].tolist() == ["EAC"]
        raise KeyboardInterrupt

    monkeypatch.setattr(MCLA, "_fit", interrupted)
    named = ["--methods", "EAC,MCLA", "--draws", 0, "--folds", 2, "--objects", 60]
    done = run("compare", file, "-k", 4, *named, "--out", out)
    assert done.exit_code == 130
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == f"interrupted; {out} has what was finished: EAC"
    assert pd.read_csv(out / "labels.csv").columns.tolist() == ["id", "EAC"]
    done = run("compare", file, "-k", 4, *named)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["method", "EAC"]
    assert (done.exit_code, "EAC" in done.stderr.splitlines()[-1]) == (130, True)


def test_interrupted_choose_k_keeps_the_values_of_what_is_finished(file, tmp_path, monkeypatch):
    """The second draw of the null reference is interrupted."""
    from consclust.diagnostics import choice

    compute = choice.compute_criteria
    made = []

    def compute_some(source, ks):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(compute(source, ks))
        return made[-1]

    monkeypatch.setattr(choice, "compute_criteria", compute_some)
    out = tmp_path / "diagnosis"
    done = run("choose-k", file, "--k", "3:4", "--halves", 2, "--objects", 60, "--out", out)
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1].startswith(f"interrupted; {out / 'criteria.csv'} has the values")
    table = pd.read_csv(out / "criteria.csv")
    values = table.pivot(index="criterion", columns="k", values="value")
    assert "recommended" not in table
    expected = pd.DataFrame(made[0], index=table["criterion"].unique(), columns=[3, 4])
    pd.testing.assert_frame_equal(values, expected.sort_index(), check_names=False)
    means = table.pivot(index="criterion", columns="k", values="null_mean")
    expected = pd.DataFrame(made[1], index=table["criterion"].unique(), columns=[3, 4])
    pd.testing.assert_frame_equal(means, expected.sort_index(), check_names=False)
    assert len(pd.read_csv(out / "consensus.csv")) == 60


@pytest.mark.long
def test_ctrl_c_is_one_line(file, tmp_path):
    """A signal while two processes start or work."""
    out = tmp_path / "report"
    command = [sys.executable, "-m", "consclust", "report", str(file), "-k", "4", "--jobs", "2", "--out", str(out)]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # tests that run in the background ignore the signal, and so would the command
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (out / "clusters.csv").exists():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert errors.splitlines()[-1].startswith("interrupted; ")


def test_base_clusterings_of_many_features_are_estimated(tmp_path, monkeypatch):
    path = tmp_path / "features.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(30, 2)), delimiter=",")
    given = ["consensus", path, "--features", "--no-header", "-k", "2", "--runs", "3"]
    assert "estimate" not in run(*given).stderr
    monkeypatch.setattr(effort, "LONG", 0.0)
    for base_k in ("sqrt", "4", "2:5"):
        lines = run(*given, "--base-k", base_k).stderr.splitlines()
        assert lines[0].startswith("estimate: k-means, 3 runs, takes about")


@pytest.mark.parametrize(
    ("seconds", "n_bytes", "text"),
    [
        (0.1, 0.0, "about 1.0 s and 0 MB"),
        (38.4, 3.1e9, "about 38 s and 3.1 GB"),
        (90, 2e7, "about 1.5 min and 20 MB"),
        (4 * 3600, 9.6e10, "about 4.0 h and 96 GB"),
        (4e10, 1.4e13, "about 1,268 years and 14 TB"),
    ],
)
def test_what_something_takes_is_written_in_units(seconds, n_bytes, text):
    assert effort.describe_need(Need(seconds, n_bytes)) == text
