"""The one graph of jobs: each file is made by one job, each job waits for those that make what it reads."""

import re
from pathlib import Path

import pytest

from consclust import methods
from consclust.datasets.preprocessing import module_of
from consclust.validation import read_yaml
from consclust_studies import paths
from consclust_studies.code.job_code import read_source
from consclust_studies.config.settings import CONFIG_FILE
from consclust_studies.kinds import KINDS
from consclust_studies.plan import costs
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import MADE_BY, Plan
from consclust_studies.stages.consensus import fit_subsets

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
RULES = "\n".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
RACE = {"metric": "ACC", "subsets": 2, "points": 1}


@pytest.fixture(scope="module")
def project():
    """The plan of the project's own studies, and the jobs of each run, in the project's folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        plan = load_plan(read_yaml(CONFIG_FILE))
        yield plan, {run: plan.list_jobs(run) for run in plan.runs}


def outputs(job):
    return [path for files in job.outputs.values() for path in files]


def test_every_study_of_the_project_is_in_the_plan(project):
    plan, jobs = project
    assert {path.parent.name for path in (ROOT / "studies").glob("*/study.yaml")} == set(plan.run_of)
    assert all(jobs.values())


def test_every_file_is_made_by_one_job(project):
    _, jobs = project
    makers: dict[str, set[tuple]] = {}
    for job in (job for of_run in jobs.values() for job in of_run):
        for path in outputs(job):
            makers.setdefault(path, set()).add((job.rule, *sorted(job.names.items())))
    assert {path: found for path, found in makers.items() if len(found) > 1} == {}


def test_every_input_is_made_before_it_is_read_or_is_a_file_of_data(project):
    plan, jobs = project
    raw = {file for name, entry in plan.registry.items() for file in plan.list_raw_files(name, entry.raw_files)}
    for of_run in jobs.values():
        made: set[str] = set()
        for job in of_run:
            assert set(job.given) - raw <= made, job.title
            assert not {file for files in job.project.values() for file in files if not (ROOT / file).is_file()}
            made |= set(outputs(job))


def test_the_plan_finds_the_job_of_every_file(project):
    plan, jobs = project
    for of_run in jobs.values():
        for job in of_run:
            assert {id(plan.find_maker(path)) for path in outputs(job)} == {id(job)}, job.title
    assert plan.find_maker("studies/rce/discussion.md") is None
    assert plan.find_maker("data/raw/yale/yale.mat") is None


def test_every_job_has_a_kind_a_log_a_title_and_a_need(project):
    _, jobs = project
    logs: dict[str, str] = {}
    for job in (job for of_run in jobs.values() for job in of_run):
        assert KINDS[job.kind].load_spec() is type(job.spec)
        assert "{" not in job.log
        assert logs.setdefault(job.log, job.first_output) == job.first_output, "two jobs write one log"
        assert job.title
        assert min(job.need.mb, job.need.minutes) > 0
        assert job.spec.code, job.title


def test_the_costs_count_every_job_of_a_run(project):
    plan, jobs = project
    for run, of_run in jobs.items():
        counted = costs.list_jobs(plan, run)
        assert [job.name for job in counted] == [job.first_output for job in of_run]
        assert all(job.seconds > 0 for job in counted)


def raced(study, _):
    study["cases"][0] = {"dataset": "iris", "races": {"RCE": RACE}}


def test_the_costs_count_races_and_what_waits_for_them(make_plan):
    plan = make_plan(raced, subsets_per_job=1)
    jobs = {job.name: job for job in costs.list_jobs(plan, "mine")}
    race = jobs["results/mine/races/iris/RCE.json"]
    folder = "results/mine/consensus/iris/RCE"
    assert {f"{folder}/0-0.npz", f"{folder}/1-1.npz"} <= set(race.after)
    assert race.name in jobs[f"{folder}/2-2.npz"].after
    assert race.name not in jobs[f"{folder}/1-1.npz"].after


@pytest.mark.parametrize(
    ("method", "rules"),
    [
        ("EAC", ["profiles", "profiles", "merge", "consensus_of_labels", "label", "label", "sizes_of_clusters"]),
        ("HBGF", ["summary", "summary", "consensus_of_labels", "label", "label", "sizes_of_clusters"]),
    ],
)
def test_labels_in_pieces_are_jobs_of_the_graph(make_plan, tmp_path, method, rules):
    plan = make_plan()
    folder = tmp_path / "data/labels/mine"
    folder.mkdir(parents=True)
    for piece in ("a", "b"):
        (folder / f"{piece}.parquet").touch()
    jobs = plan.list_jobs_behind([paths.SIZES.format(matrix="mine", method=method, k="3")])
    assert [job.rule for job in jobs] == rules
    made: set[str] = set()
    for job in jobs:
        pieces = {path for path in job.given if path.startswith("data/labels/")}
        assert set(job.given) - pieces <= made
        made |= set(outputs(job))
        assert KINDS[job.kind].load_spec() is type(job.spec)
        assert plan.find_maker(job.first_output) is job


def test_a_file_of_no_job_and_a_matrix_without_pieces(make_plan):
    plan = make_plan()
    for path in ("results/mine/consensus/iris/KC.npz", "results/yours/scores.csv", "reports/mine/other.csv", "x"):
        assert plan.find_maker(path) is None


# ---------------------------------------------------------------- the code behind the jobs


def name_of(function):
    return function.__module__, function.__qualname__


def functions_of(job, known):
    """Module and name of the definitions that count as the code of a job; ``known`` has those that were found."""
    code = job.spec.code_behind()
    key = f"{code}"
    if key not in known:
        known[key] = read_source().fingerprints.functions(*code.entries, parameters=code.options)
    return known[key]


def test_what_builds_an_exhibit_is_code_of_its_job(project):
    plan, _ = project
    seen = set()
    known: dict[str, set] = {}
    for run, study in plan.runs.items():
        for exhibit in study.exhibits:
            if type(exhibit) not in seen:
                job = plan.job("figure", run=run, figure=exhibit.id) if exhibit.drawn else plan.job("tables", run=run)
                assert name_of(type(exhibit).build) in functions_of(job, known), exhibit.kind
            seen.add(type(exhibit))
    assert len(seen) > 20


def test_what_fits_a_method_is_code_of_its_job(project):
    _, jobs = project
    known: dict[str, set] = {}
    seen = set()
    for job in (job for of_run in jobs.values() for job in of_run):
        if job.kind == "consensus" and job.spec.method not in seen:
            seen.add(job.spec.method)
            cls = methods.load(job.spec.method)
            fit = next(vars(base)["_fit"] for base in cls.__mro__ if "_fit" in vars(base))
            assert {name_of(fit), name_of(fit_subsets)} <= functions_of(job, known), job.spec.method
    assert len(seen) > 15


def test_what_reads_and_scales_data_is_code_of_their_job(project):
    _, jobs = project
    known: dict[str, set] = {}
    seen = set()
    for job in (job for of_run in jobs.values() for job in of_run):
        if job.kind == "prepare" and (key := (type(job.spec.recipe.reader), job.spec.recipe.steps)) not in seen:
            seen.add(key)
            steps = {(module_of(step), step) for step in job.spec.recipe.steps}
            read = {name_of(type(job.spec.recipe.reader).read)} if job.spec.recipe.reader else set()
            assert steps | read <= functions_of(job, known), job.title
    assert len(seen) > 5


# ---------------------------------------------------------------- the rules of the workflow


def rules():
    """The text of each rule of the workflow by its name; that of the tables has one for each run."""
    parts = re.split(r"^ *rule ?(\w*):\n", RULES, flags=re.MULTILINE)
    return {name or "tables": text for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_the_rules_are_those_of_the_plan():
    planned = {name.removeprefix("plan_") for name in vars(Plan) if name.startswith("plan_")}
    assert set(rules()) == planned == set(paths.LOGS)
    assert set(MADE_BY.values()) - {"exhibits"} < planned, "exhibits are made by the rules of tables and figures"


def test_a_rule_takes_everything_from_the_job_of_its_name():
    for name, text in rules().items():
        asked = re.findall(
            r'(?:list_inputs|find_spec|find_versions|write_job_file|megabytes|minutes|longest_first)\("(\w+)"', text
        )
        assert {*asked} == {name}
        assert f'paths.LOGS["{name}"]' in text
        for needed in ("spec=find_spec(", "job=write_job_file("):
            assert needed in text, f"{name}: {needed}"
        assert "DO_JOB" in text


def test_the_results_of_the_kinds_that_are_kept_have_their_versions_as_a_param():
    """Without it --config versions=rerun would leave them."""
    for name, text in rules().items():
        kind = {"tables": "exhibits", "figure": "exhibits"}.get(name, name)
        assert ("versions=find_versions(" in text) is KINDS[kind].keeps_results, name


def test_a_rule_makes_the_files_that_the_plan_expects_of_it():
    constants = {value: name for name, value in vars(paths).items() if isinstance(value, str) and name.isupper()}
    texts = rules()
    of_reports = ("document", "exhibits")  # whose rules list the files one by one
    for pattern, rule in MADE_BY.items():
        if rule not in of_reports:
            assert f"named(paths.{constants[pattern]})" in texts[rule], pattern
    for name in paths.DOCUMENTS:
        assert f'named("{paths.REPORT.format(run="{run}", document=name)}")' in texts["document"]
    for suffix in paths.FIGURE_SUFFIXES:
        assert f"reports/{{run}}/{{figure}}.{suffix}" in texts["figure"].replace("{{", "{").replace("}}", "}")
