"""Labels that other code made: kept only where a run asks for it, and where a sample of the fits gives the same."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mill import answers, do, do_all, jobs, labels_of, make_plan, outputs, stays

from consclust.errors import InputError
from consclust.files import read_arrays, read_record, write_arrays
from consclust_studies import confirm
from consclust_studies.confirm import draw_sample, has_fewer_clusters
from consclust_studies.contents import read_marks
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.outlook import find_shares_to_confirm
from consclust_studies.runner import PREVIOUS
from consclust_studies.stages.consensus import ConsensusJob
from consclust_studies.stamps import Confirmation

pytestmark = pytest.mark.long

METHODS = {"EAC": 3, "RCE": 12, "SSCE": 3}
"""Fits of each method: subsets times grid points."""


@pytest.fixture
def made(fitted, project, edited):
    """A run whose methods have been edited since; the plan of now."""
    shutil.copytree(fitted, project, dirs_exist_ok=True)
    before = make_plan()
    jobs(before)  # a plan makes specs when they are asked for
    edited["consensus.fit_subsets"] = 1
    return before, make_plan()


def fits_of(plan, method):
    """The first job of the fits of a method."""
    return next(job for job in jobs(plan, ["consensus"]) if job.names["method"] == method)


def change(method, edit):
    """Edit the arrays of the kept labels of a method."""
    path = PREVIOUS / labels_of(method)
    arrays = read_arrays(path)
    edit(arrays)
    write_arrays(path, **arrays)


@pytest.mark.parametrize("method", METHODS)
def test_labels_that_a_sample_confirms_are_taken_over_with_what_was_confirmed(made, method):
    before, after = made
    old, new = fits_of(before, method), fits_of(after, method)
    labels = answers(labels_of(method))
    versions = read_marks(labels_of(method)).stamp.versions
    assert stays(do(new, confirm=True))
    assert answers(labels_of(method)) == labels
    for path in outputs(new):
        marks = read_marks(path)
        assert marks.spec == new.spec.json_text
        assert marks.stamp.versions == versions
        confirmed = marks.stamp.confirmed
        assert (confirmed.made_by, confirmed.of) == (old.spec.code, METHODS[method])
        assert 1 <= confirmed.fits <= METHODS[method]
    assert old.spec.code != new.spec.code


def test_labels_that_are_confirmed_again_are_still_of_the_code_that_made_them(made, edited):
    before, after = made
    do(fits_of(after, "EAC"), confirm=True)
    edited["consensus.fit_subsets"] = 2
    last = fits_of(make_plan(), "EAC")
    assert stays(do(last, confirm=True))
    marks = read_marks(labels_of("EAC"))
    assert marks.spec == last.spec.json_text
    assert marks.stamp.confirmed.made_by == fits_of(before, "EAC").spec.code


def test_nothing_is_taken_over_unless_it_is_asked_for(made):
    _, after = made
    said = do_all(after, ["consensus", "race"])
    assert not any(stays(words) for words in said.values())
    assert read_marks(labels_of("RCE")).stamp.confirmed is None


def test_other_kinds_of_jobs_are_computed(project, edited):
    do_all(make_plan(), ["prepare", "base_clusterings"])
    edited["prepare.prepare"] = 1
    edited["base_clusterings.make"] = 1
    said = do_all(make_plan(), ["prepare", "base_clusterings"], confirm=True)
    assert not any(stays(words) for words in said.values())


def test_a_race_is_chosen_anew(made):
    """Its spec is that of the fits, and it has none of its own."""
    _, after = made
    assert any("DREC" in path for path in do_all(after, ["consensus", "race"], confirm=True))
    (race,) = jobs(after, ["race"])
    assert not stays(do(race, confirm=True)) or read_marks(outputs(race)[0]).stamp.confirmed is None
    assert read_marks(outputs(race)[0]).stamp.confirmed is None


def test_the_estimate_of_a_run_counts_the_samples_alone(made):
    _, after = made
    assert find_shares_to_confirm(after, "small") == {}
    plan = make_plan(code="confirm")
    shares = find_shares_to_confirm(plan, "small")
    for method in ("EAC", "RCE"):
        assert shares[str(labels_of(method))] == 1 / METHODS[method]
    assert "results/small/ensembles/toy.npz" not in shares
    shutil.rmtree(PREVIOUS / labels_of("EAC").parent)
    assert str(labels_of("EAC")) not in find_shares_to_confirm(plan, "small")


def test_other_settings_are_computed(made):
    single = {"method": "EAC", "parameters": {"linkage": "single"}}
    plan = make_plan({"methods": [single], "cases": ["toy"]})
    assert not stays(do(fits_of(plan, "EAC"), confirm=True))


def relabel(arrays):
    """Another label of one object in the last fit."""
    arrays["labels"][-1, -1, 0, -1] = (arrays["labels"][-1, -1, 0, -1] + 1) % 3


DIFFERENCES = {
    "a label": relabel,
    "an exchange of two names": lambda arrays: arrays["labels"].__setitem__((-1, -1), 2 - arrays["labels"][-1, -1]),
    "more iterations": lambda arrays: arrays["iterations"].__setitem__((-1, -1), arrays["iterations"][-1, -1] + 1),
    "converged": lambda arrays: arrays["converged"].__setitem__((-1, -1), ~arrays["converged"][-1, -1]),
    "a failure": lambda arrays: arrays["labels"].__setitem__((-1, -1), -1),
    "a restart fewer": lambda arrays: arrays["labels"].__setitem__((-1, -1, -1), -1),
}


@pytest.mark.parametrize("edit", DIFFERENCES.values(), ids=DIFFERENCES)
def test_one_fit_of_the_sample_that_differs_makes_the_whole_job_anew(made, monkeypatch, edit):
    monkeypatch.setattr(confirm, "SHARE", 1.0)
    _, after = made
    labels = answers(labels_of("RCE"))
    change("RCE", edit)
    assert not stays(do(fits_of(after, "RCE"), confirm=True))
    assert answers(labels_of("RCE")) == labels
    assert read_marks(labels_of("RCE")).stamp.confirmed is None


def test_a_failure_that_is_one_again_is_the_same(made, monkeypatch):
    from consclust.errors import ConsensusFailure
    from consclust.methods import EAC

    def fail(self, *given):
        raise ConsensusFailure("no answer")

    before, after = made
    monkeypatch.setattr(EAC, "fit", fail)
    (PREVIOUS / labels_of("EAC")).unlink()
    do(fits_of(before, "EAC"))
    labels = answers(labels_of("EAC"))
    assert np.max(labels["labels"]) == -1
    assert stays(do(fits_of(after, "EAC"), confirm=True))
    assert answers(labels_of("EAC")) == labels


def test_the_fits_that_a_race_left_are_confirmed_and_counted_alone(made, monkeypatch):
    monkeypatch.setattr(confirm, "SHARE", 1.0)
    _, after = made
    first, second = (job for job in jobs(after, ["consensus"]) if job.names["method"] == "DREC")
    (race,) = jobs(after, ["race"])
    stay = len(read_record(outputs(race)[0])["points"])
    assert 1 <= stay < 3
    found = []
    for job in (first, race, second):
        assert stays(do(job, confirm=job is not race)) or job is race
        found.append(read_marks(outputs(job)[0]).stamp.confirmed)
    (code,) = {one.made_by for one in (found[0], found[2])}
    assert found[0] == Confirmation(made_by=code, fits=3, of=3)
    assert found[2] == Confirmation(made_by=code, fits=2 * stay, of=2 * stay)


def test_a_smallest_sample_is_one_fit_of_every_job(made, monkeypatch):
    monkeypatch.setattr(confirm, "SHARE", 0.0)
    _, after = made
    for job in (job for job in jobs(after, ["consensus"]) if job.names["method"] in METHODS):
        do(job, confirm=True)
        assert read_marks(outputs(job)[0]).stamp.confirmed.fits == 1


def test_fits_with_fewer_clusters_are_all_made_again_where_that_is_asked_for(made, monkeypatch):
    """One fit outside the sample has two clusters where three were asked for."""
    monkeypatch.setattr(confirm, "SHARE", 0.0)
    _, after = made
    job = fits_of(after, "RCE")
    labels = answers(labels_of("RCE"))
    runtime = read_record(labels_of("RCE").with_suffix(".runtime.json"))
    every = [confirm.Fit(row, row, point) for row in range(3) for point in range(4)]
    (drawn,) = draw_sample(job.spec, every, runtime)
    other = next(fit for fit in every if fit != drawn)
    place = other.row, other.point
    change("RCE", lambda arrays: arrays["labels"].__setitem__(place, arrays["labels"][place].clip(0, 1)))
    assert not stays(do(job, confirm=True, sorts=("fewer-clusters",)))
    assert answers(labels_of("RCE")) == labels
    # and a sample that does not aim at it overlooks it
    change("RCE", lambda arrays: arrays["labels"].__setitem__(place, arrays["labels"][place].clip(0, 1)))
    other_code = job.spec.model_copy(update={"code": "yet another"})
    assert stays(do(replace(job, spec=other_code), confirm=True))
    assert answers(labels_of("RCE"))["labels"] != labels["labels"]


def test_what_has_fewer_clusters():
    full, two, failed = [0, 1, 2, 0], [0, 1, 1, 0], [-1] * 4
    assert not has_fewer_clusters(np.array([full, full]), 3)
    assert has_fewer_clusters(np.array([full, two]), 3)
    assert not has_fewer_clusters(np.array([full, failed]), 3), "a restart that there is not"
    assert not has_fewer_clusters(np.array([failed]), 3), "a failure is no answer"
    assert has_fewer_clusters(np.array([[0, 1, -1, -1]]), 3), "a missing label is no cluster"


SPEC = ConsensusJob(study="s", case="c", method_id="m", method="RCE", parameters={}, seed=1, ensemble="e")


def drawn(seconds, **changes):
    """The fits of a sample by subset and point, where each took some seconds, (subsets, points)."""
    fits = [confirm.Fit(row, row + 5, point) for row in range(len(seconds)) for point in range(len(seconds[0]))]
    sample = draw_sample(SPEC.model_copy(update=changes), fits, {"cpu_seconds": seconds})
    assert len(set(sample)) == len(sample)
    return sample


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_takes_a_twentieth_of_the_seconds_and_no_more_fits_than_that_needs(seed):
    seconds = np.random.default_rng(seed).gamma(0.5, size=(40, 30)).tolist()
    sample = drawn(seconds, seed=seed)
    spent = [seconds[one.row][one.point] for one in sample]
    assert sum(spent) >= 0.05 * np.sum(seconds) > sum(spent[:-1])


def test_a_sample_is_drawn_by_seed_and_names_and_is_no_matter_of_time():
    """The order of the draw does not depend on the seconds: fits that were faster are as likely as others."""
    alike = [[1.0] * 30] * 40
    first = drawn(alike)
    assert drawn(alike) == first
    assert len(first) == 60
    changes = ({"seed": 2}, {"study": "t"}, {"case": "d"}, {"method_id": "n"})
    assert len({tuple(drawn(alike, **change)) for change in changes} | {tuple(first)}) == 5
    slow = [[3.0] * 30] * 40
    assert drawn(slow) == first


def test_seconds_that_are_zero_end_in_a_sample_of_one():
    assert len(drawn([[0.0] * 4] * 3)) == 1


@pytest.mark.parametrize("place", ["command line", "file"])
def test_an_unknown_sort_of_fits_is_refused_in_one_line(project, place):
    make_plan()
    config = {"seed": 1, "code": "confirm", "refit": "fewer-cluster"}
    with pytest.raises(InputError) as caught:
        load_plan(config, given={"refit": "fewer-cluster"} if place == "command line" else {})
    (line,) = str(caught.value).splitlines()
    assert line.startswith("--config: refit = " if place == "command line" else "config/config.yaml: refit = ")
    assert '"fewer-clusters"' in line


@pytest.mark.parametrize("given", ["fewer-clusters", ["fewer-clusters"]])
def test_sorts_of_fits_reach_the_jobs(project, given):
    plan = make_plan(code="confirm", refit=given)
    assert plan.settings.confirms
    assert plan.settings.refit == ("fewer-clusters",)
    assert not make_plan().settings.confirms


def test_the_sample_is_made_again_by_the_code_of_now(made, monkeypatch):
    """A method that has become another one is noticed on any fit."""
    from consclust.methods import EAC

    def other(self, ensemble, features=None):
        fitted = original(self, ensemble, features)
        fitted.restart_labels_ = (fitted.restart_labels_ + 1) % 3
        return fitted

    _, after = made
    original = EAC.fit
    labels = answers(labels_of("EAC"))
    monkeypatch.setattr(EAC, "fit", other)
    assert not stays(do(fits_of(after, "EAC"), confirm=True))
    assert answers(labels_of("EAC"))["labels"] != labels["labels"]


def test_labels_of_base_clusterings_of_other_content_are_not_confirmed(made):
    _, after = made
    ensemble = Path("results/ensembles/small/toy.npz")
    arrays = read_arrays(ensemble)
    write_arrays(ensemble, **{**arrays, "labels": arrays["labels"][::-1]})
    assert not stays(do(fits_of(after, "EAC"), confirm=True))
