import csv
from pathlib import Path

import pytest

from concord import cluster
from concord.config.files import load_study
from concord.datasets.registry import load_registry

ROOT = Path(__file__).parent.parent
DATASETS = load_registry(ROOT / "config/datasets.yaml")
RCE = load_study(ROOT / "config/studies/rce.yaml", DATASETS)
UNPUBLISHED = RCE.model_copy(update={"published": None})

with (ROOT / "reports/published/rce/runtime.csv").open(newline="") as table:
    RUNTIMES = list(csv.DictReader(table))

SNAKEMAKES_MB = 3 * 170


def shape(case):
    return DATASETS[case.dataset].shape


@pytest.fixture(autouse=True)
def _root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("study", [RCE, UNPUBLISHED], ids=["published", "unpublished"])
@pytest.mark.parametrize("row", RUNTIMES, ids=lambda row: f"{row['case']}-{row['method']}")
def test_estimates_are_upper_bounds_of_the_published_run(study, row):
    case, run = study.case(row["case"]), study.method(row["method"])
    need = cluster.consensus(study, case, run, shape(case), study.ensemble.n_subsets)
    assert need.mb >= SNAKEMAKES_MB + 1.05 * float(row["peak_rss_mib"])
    assert need.minutes * 60 >= 1.5 * float(row["cpu_seconds"])
    assert int(row["n_profiles"]) < cluster.n_profiles(study, case, shape(case)) <= int(row["n"])


# measured: distinct profiles of 20 k-means clusterings
@pytest.mark.parametrize(
    ("dataset", "profiles"), [("coil20", 363), ("wap", 384), ("medical", 450), ("mnist_4000", 1191)]
)
def test_profiles_of_the_larger_data_sets_are_bounded(dataset, profiles):
    case = RCE.case(dataset)
    assert profiles <= cluster.n_profiles(UNPUBLISHED, case, shape(case))


def test_a_published_case_asks_for_less_time_than_an_unknown_one():
    case, run = RCE.case("hitech"), RCE.method("RCE")
    known, unknown = (cluster.consensus(s, case, run, shape(case), 10) for s in (RCE, UNPUBLISHED))
    assert known.minutes < unknown.minutes / 4


def test_a_job_of_fewer_subsets_asks_for_less_time():
    case, run = RCE.case("orl"), RCE.method("RCE")
    one, ten = (cluster.consensus(RCE, case, run, shape(case), n) for n in (1, 10))
    assert ten.minutes > 5 * one.minutes


def test_a_case_that_replaces_the_number_of_clusters_asks_by_its_own():
    case = UNPUBLISHED.case("mnist_4000")
    need, profiles = [], []
    for k in (None, 40, "random"):
        other = case.model_copy(update={"n_clusters": k})
        need.append(cluster.ensembles(UNPUBLISHED, other, (4_000_000, 784, 10)).minutes)
        profiles.append(cluster.n_profiles(UNPUBLISHED, other, (4_000_000, 784, 10)))
    for of_classes, of_forty, of_random in (need, profiles):
        assert of_classes < of_forty < of_random


def test_a_method_without_a_measurement_is_taken_for_the_dearest():
    case, run = RCE.case("orl"), RCE.method("KC")
    new = run.model_copy(update={"method": "MyOwn"})
    costs = [cluster.consensus(RCE, case, r, shape(case), 10).minutes for r in (run, new)]
    assert costs[0] < costs[1]


def test_a_job_that_is_repeated_asks_for_twice_as_much():
    need = cluster.Need(900, 10)
    assert [need.of_attempt(n) for n in (1, 2, 3)] == [(900, 10), (1800, 20), (3600, 40)]
