"""The plan of a study in which one job fits all methods of a case."""

from pathlib import Path

import pytest

from consclust.errors import InputError
from consclust_studies.code.job_code import read_source
from consclust_studies.stages import methods_of_case
from consclust_studies.stages.methods_of_case import MethodsJob
from consclust_studies.stages.score_methods import MethodsScoreJob

METHODS = ["KC", {"id": "KC-few", "method": "KC", "parameters": {"n_init": 2}}, "SSCE"]
CASES = [
    "iris",
    {"id": "iris-random", "dataset": "iris", "n_clusters": "random"},
    {"id": "pool", "dataset": "ecoli_pool", "ensemble": "authors", "without": ["SSCE"]},
]


def board(study, datasets, **changes):
    for key in ("only_in_table1", "variants", "generalisation", "claims"):
        study.pop(key)
    study |= {"cases": CASES, "methods": METHODS, "one_job_a_case": True, "restarts": "chosen"}
    study |= {"ensemble": {"runs": 20, "subset_size": 10}, "standard_exhibits": False, "metrics": ["ARI", "PSI"]}
    study |= {"reported": ["ARI"], **changes}
    datasets["iris"]["shuffle"] = 3


@pytest.fixture
def plan(make_plan):
    return make_plan(board)


def by_case(plan, kind):
    return {job.names["case"]: job for job in plan.list_jobs("mine") if job.kind == kind}


def test_one_job_fits_the_methods_of_a_case(plan):
    jobs = by_case(plan, "methods")
    methods = {case: [one.method_id for one in job.spec.jobs] for case, job in jobs.items()}
    assert methods == {
        "iris": ["KC", "KC-few", "SSCE"],
        "iris-random": ["KC", "KC-few", "SSCE"],
        "pool": ["KC", "KC-few"],
    }
    assert {case: job.spec.shuffle for case, job in jobs.items()} == {"iris": 3, "iris-random": 3, "pool": None}
    assert all(isinstance(job.spec, MethodsJob) for job in jobs.values())
    # only where a method reads features are they an input
    assert ["prepared" in jobs[case].inputs for case in ("iris", "pool")] == [True, False]
    assert not [job for job in plan.list_jobs("mine") if job.kind in ("consensus", "score")]


def test_the_code_behind_the_job_is_that_of_each_of_its_methods(plan):
    source = read_source()
    spec = by_case(plan, "methods")["iris"].spec
    whole, modules = source.find(spec.code_behind())
    assert whole == spec.code
    behind = [source.find(job.code_behind()) for job in spec.jobs]
    assert {name for _, own in behind for name in own} | {methods_of_case.__name__} <= set(modules)
    fewer = spec.model_copy(update={"jobs": spec.jobs[:-1]})
    assert source.find(fewer.code_behind())[0] != whole


def test_the_scores_of_a_case_are_of_its_methods(plan):
    scores = by_case(plan, "score_methods")
    labels = by_case(plan, "methods")
    for case, job in scores.items():
        assert isinstance(job.spec, MethodsScoreJob)
        assert job.inputs["labels"] == labels[case].outputs["labels"]
        assert job.spec.labels == labels[case].spec.digest
    assert scores["pool"].spec.methods == {"KC": 0, "KC-few": 1}
    # k-means with many restarts is run once for a data set with features
    assert [bool(scores[case].spec.data) for case in ("iris", "iris-random", "pool")] == [True, False, False]


def test_another_method_changes_no_fit_of_the_others(make_plan):
    before = by_case(make_plan(board), "methods")["iris"].spec
    more = [*METHODS, "LWEA"]
    after = by_case(make_plan(lambda study, datasets: board(study, datasets, methods=more)), "methods")["iris"].spec
    assert after.digest != before.digest
    assert after.jobs[: len(before.jobs)] == before.jobs


def test_a_fit_depends_on_the_code_of_its_method(plan):
    kc, few, ssce = by_case(plan, "methods")["iris"].spec.jobs
    assert len({"", kc.code, few.code, ssce.code}) == 4


def test_a_restricted_run_shares_the_fits_of_all_methods(make_plan):
    whole = by_case(make_plan(board), "methods")["iris"]
    plan = make_plan(board, methods=["KC-few"], datasets=["iris"])
    (run,) = plan.runs
    (score,) = (job for job in plan.list_jobs(run) if job.kind == "score_methods")
    assert score.spec.methods == {"KC-few": 1}
    assert score.spec.labels == whole.spec.digest


def test_only_the_listed_exhibits_are_shown(make_plan):
    assert not make_plan(board).runs["mine"].exhibits
    listed = [{"kind": "coverage"}]
    assert make_plan(lambda s, d: board(s, d, standard_exhibits=True)).runs["mine"].exhibits
    with pytest.raises(InputError, match="kind"):
        make_plan(lambda s, d: board(s, d, exhibits=[{"kind": "no such kind"}, *listed]))


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"restarts": "mean"}, "write restarts: chosen"),
        ({"methods": ["KC", {"method": "RCE", "grid": {"lambda1": [1.0]}, "default": {"lambda1": 1.0}}]}, "RCE"),
        ({"variants": {"methods": [{"id": "b", "of": "KC", "method": "KC", "why": "c"}]}}, "variants"),
        ({"one_job_a_case": False}, "PSI goes with one_job_a_case"),
    ],
)
def test_what_does_not_go_with_it_is_refused(make_plan, changes, wrong):
    with pytest.raises(InputError) as caught:
        make_plan(lambda study, datasets: board(study, datasets, **changes))
    assert wrong in str(caught.value)


def test_the_leaderboard_has_the_cases_that_its_script_writes(tmp_path, monkeypatch):
    import importlib.util

    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    script = root / "studies/leaderboard/make_study.py"
    spec = importlib.util.spec_from_file_location("make_study", script)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    entries = made.list_data_sets()
    cases = [case for name, entry in entries.items() for case, _ in made.list_kinds(name, entry)]
    assert len(entries) == 156
    assert len(cases) == 309
    for name in ("head.yaml", "study.yaml", "left_out.csv"):
        (tmp_path / name).write_bytes((script.parent / name).read_bytes())
    monkeypatch.setattr(made, "FOLDER", tmp_path)
    made.main()
    for name in ("study.yaml", "left_out.csv"):
        assert (tmp_path / name).read_text() == (script.parent / name).read_text(), "run make_study.py again"
