import csv
from pathlib import Path

import pytest

from consclust import methods
from consclust.datasets.registry import load_registry
from consclust.methods.base import ConsensusMethod
from consclust_studies.plan import needs
from consclust_studies.plan.load import load_study

ROOT = Path(__file__).parents[2]
DATASETS = load_registry(ROOT / "config/datasets.yaml")
RCE = load_study(ROOT / "studies/rce/study.yaml", DATASETS)
UNACCEPTED = RCE.model_copy(update={"id": "another"})

with (ROOT / "reports/accepted/rce/runtime.csv").open(newline="") as table:
    RUNTIMES = list(csv.DictReader(table))

SNAKEMAKES_MB = 3 * 170


def shape(case):
    return DATASETS[case.dataset].shape


@pytest.fixture(autouse=True)
def _root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("study", [RCE, UNACCEPTED], ids=["accepted", "unaccepted"])
@pytest.mark.parametrize("row", RUNTIMES, ids=lambda row: f"{row['case']}-{row['method']}")
def test_estimates_are_upper_bounds_of_the_accepted_run(study, row):
    case, run = study.case(row["case"]), study.method(row["method"])
    need = needs.estimate_consensus(study, case, shape(case), run, 0, study.ensemble.n_subsets - 1)
    assert need.mb >= SNAKEMAKES_MB + 1.05 * float(row["peak_rss_mib"])
    assert need.minutes * 60 >= 1.5 * float(row["cpu_seconds"])
    assert int(row["n_profiles"]) < needs.bound_profiles(study, case, shape(case)) <= int(row["n"])


# measured: distinct profiles of 20 k-means clusterings
@pytest.mark.parametrize(
    ("dataset", "profiles"), [("coil20", 363), ("wap", 384), ("medical", 450), ("mnist_4000", 1191)]
)
def test_profiles_of_the_larger_data_sets_are_bounded(dataset, profiles):
    case = RCE.case(dataset)
    assert profiles <= needs.bound_profiles(UNACCEPTED, case, shape(case))


def test_an_accepted_case_requests_less_time_than_an_unknown_one():
    case, run = RCE.case("hitech"), RCE.method("RCE")
    known, unknown = (needs.estimate_consensus(s, case, shape(case), run, 0, 9) for s in (RCE, UNACCEPTED))
    assert known.minutes < unknown.minutes / 4


def test_a_job_of_fewer_subsets_requests_less_time():
    case, run = RCE.case("orl"), RCE.method("RCE")
    one, ten = (needs.estimate_consensus(RCE, case, shape(case), run, 0, last) for last in (0, 9))
    assert ten.minutes > 5 * one.minutes


def test_a_job_takes_as_many_subsets_as_fit_into_its_time():
    sizes = []
    for case in UNACCEPTED.cases:
        for run in UNACCEPTED.runs(case):
            size = needs.count_subsets_per_job(UNACCEPTED, case, shape(case), run, 0)
            seconds = needs._estimate_fit(UNACCEPTED, case, shape(case), run).seconds * len(run.points)
            assert size * seconds <= needs.JOB_SECONDS or size == 1
            assert (size + 1) * seconds > needs.JOB_SECONDS
            sizes.append(size)
    assert min(sizes) == 1 < UNACCEPTED.n_subsets < max(sizes)


def test_a_case_that_replaces_the_number_of_clusters_requests_by_its_own():
    case = UNACCEPTED.case("mnist_4000")
    need, profiles = [], []
    for k in (None, 40, "random"):
        other = case.model_copy(update={"n_clusters": k})
        need.append(needs.estimate_ensembles(UNACCEPTED, other, (4_000_000, 784, 10)).minutes)
        profiles.append(needs.bound_profiles(UNACCEPTED, other, (4_000_000, 784, 10)))
    for of_classes, of_forty, of_random in (need, profiles):
        assert of_classes < of_forty < of_random


@pytest.mark.parametrize("n", [100, 1000, 4000])
def test_a_method_that_declares_no_cost_is_taken_for_the_slowest_on_profiles(n):
    costs = [methods.load(name).cost for name in methods.names()]
    assert all(ConsensusMethod.cost.seconds(n) >= cost.seconds(n) for cost in costs if not cost.matrices)


def test_every_point_of_a_grid_counts():
    case, run = RCE.case("orl"), RCE.method("RCE")
    single = run.model_copy(update={"grid": {}, "default": {}})
    minutes = [needs.estimate_consensus(RCE, case, shape(case), r, 0, 9).minutes for r in (single, run)]
    assert minutes[1] > 10 * minutes[0]


def test_parameters_change_what_a_fit_requests():
    case, run = RCE.case("orl"), RCE.method("RCE")

    def estimate(**parameters):
        changed = run.model_copy(update={"parameters": run.parameters | parameters})
        return needs.estimate_consensus(RCE, case, shape(case), changed, 0, 9)

    whole = estimate()
    assert estimate(max_outer=5).seconds < 0.3 * whole.seconds
    certified = estimate(certify=True)
    assert certified.seconds > 1.2 * whole.seconds
    assert certified.mb > whole.mb
    few, many = (estimate(solver="splitting", max_iter=n).seconds for n in (300, 600))
    assert whole.seconds < few < many


def test_unseen_objects_are_fitted_for_every_split_and_repetition():
    study = load_study(ROOT / "studies/ssce/study.yaml", DATASETS)
    plan, case = study.generalisation, study.generalised()[0]
    fewer = study.model_copy(update={"generalisation": plan.model_copy(update={"splits": 1, "repetitions": 1})})
    many, one = (needs.estimate_unseen(s, case, shape(case)).minutes - needs.START_MINUTES for s in (study, fewer))
    assert many > one > 0


def test_a_figure_that_fits_requests_the_memory_of_its_matrices():
    case, run = RCE.case("mnist_4000"), RCE.method("RCE")
    plain, fitted = (needs.estimate_report(RCE, fits) for fits in ((), [(case, shape(case), run)]))
    assert fitted.minutes > plain.minutes
    assert fitted.mb >= 8 * needs.FIGURE_MATRICES * 4000**2 / 1e6
    assert needs.estimate_score(RCE, case, shape(case)).mb > needs.INTERPRETER_MB


def test_a_job_that_is_repeated_requests_twice_as_much():
    need = needs.Need(900, 10, 60.0)
    assert [need.for_attempt(n) for n in (1, 2, 3)] == [(900, 10, 60), (1800, 20, 60), (3600, 40, 60)]
