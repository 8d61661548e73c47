"""A study of data sets without classes: its plan, and what it cannot have."""

import json

import pytest
import yaml

from consclust.errors import InputError
from consclust_studies.plan.load import load_plan

pytestmark = pytest.mark.long

SURVEY = {
    "title": "Survey", "classes": False, "shape": [60, 0, 0], "licence": "mine", "source": "made here",
    "ensembles": {"mine": {"file": {"name": "survey.csv"}}},
}  # fmt: skip
STUDY = {
    "id": "survey",
    "title": "Survey",
    "summary": "No classes.",
    "cases": [{"dataset": "survey", "ensemble": "mine", "k": 3}],
    "ensemble": {"runs": 40, "subset_size": 40},
    "methods": ["EAC", "RCE"],
}
SECOND = {"id": "second", "dataset": "survey", "ensemble": "mine", "k": 4}
GRID = {"method": "RCE", "grid": {"lambda1": [1.0, 2.0]}, "default": {"lambda1": 1.0}}
CLAIM = {"text": "t", "check": "best", "method": "EAC", "metric": "ACC"}
FAMILY = {
    "of": ["survey"],
    "each": {"single": {"parameters": {"EAC": {"linkage": "single"}}}},
    "why": "w",
    "methods": ["EAC"],
}


@pytest.fixture
def plan_of(make_plan, tmp_path):
    """Make the plan of a study without classes, with some changes; the project's other study has classes."""

    def make(changes=None, **config):
        make_plan(lambda study, datasets: datasets.update(survey=SURVEY))
        path = tmp_path / "studies/survey/study.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({**STUDY, **(changes or {})}))
        return load_plan({"seed": 1, **config})

    return make


def specs(plan, run="survey"):
    """The spec of every job."""
    study = plan.runs[run]
    found = {"prepare": plan.prepare("survey", "raw"), "ensemble": plan.ensemble("survey", study.cases[0].id)}
    found |= {run.id: plan.consensus("survey", study.cases[0].id, run.id) for run in study.methods}
    found |= {e.id: plan.exhibits(run, e.id) for e in study.exhibits if e.drawn}
    return {key: job.json_text for key, job in found.items()}


@pytest.mark.long
def test_the_report_has_diagnostics_and_no_scores(plan_of):
    plan = plan_of()
    kinds = {exhibit.kind for exhibit in plan.runs["survey"].exhibits}
    assert kinds == {"datasets", "consensus", "diagnosis", "diagnosis_figure", "runtime"}
    inputs = plan.job("document", run="survey").given
    needed = plan.job("tables", run="survey").given
    assert not [file for file in (*inputs, *needed) if "scores" in file or "selected" in file]
    assert "results/survey/consensus/survey/RCE/0-0.npz" in needed
    assert "scores" in {exhibit.kind for exhibit in plan.runs["mine"].exhibits}


def test_k_changes_the_labels_and_what_is_shown_of_them(plan_of):
    before = specs(plan_of())
    after = specs(plan_of({"cases": [{**STUDY["cases"][0], "k": 4}]}))
    changed = {key for key in before if before[key] != after[key]}
    assert changed == set(before) - {"prepare", "ensemble"}
    assert json.loads(after["RCE"])["n_clusters"] == 4


def test_settings_of_the_diagnosis_change_no_label(plan_of):
    before, after = specs(plan_of()), specs(plan_of({"diagnosis": {"ks": [2, 3], "method": "RCE", "draws": 9}}))
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {e.id for e in plan_of().runs["survey"].exhibits if e.drawn}


def test_every_case_has_its_sections(plan_of):
    exhibits = plan_of({"cases": [*STUDY["cases"], SECOND]}).runs["survey"].exhibits
    of_case = {case: {e.shows for e in exhibits if getattr(e, "case", "") == case} for case in ("survey", "second")}
    assert of_case["survey"] == of_case["second"] >= {"clusters", "methods", "base", "matrix", "criteria"}
    assert "matrix-second" in {exhibit.id for exhibit in exhibits}


def test_a_section_that_is_listed_stands_once_with_its_own_title(plan_of):
    own = {"kind": "diagnosis_figure", "id": "matrix", "title": "Own", "case": "survey", "shows": "matrix"}
    exhibits = plan_of({"exhibits": [own]}).runs["survey"].exhibits
    assert [e.title for e in exhibits if getattr(e, "shows", "") == "matrix"] == ["Own"]


def test_a_restricted_run_diagnoses_a_method_that_is_left(plan_of):
    plan = plan_of(
        {"diagnosis": {"method": "RCE"}, "cases": [*STUDY["cases"], SECOND]}, methods=["EAC"], datasets=["second"]
    )
    run = plan.runs[plan.run_of["survey"]]
    assert run.diagnosis.method is None
    assert {e.case for e in run.exhibits if hasattr(e, "case")} == {"second"}


def test_jobs_are_sized_by_k_where_there_are_no_classes(plan_of):
    few, many = (plan_of({"cases": [{**STUDY["cases"][0], "k": k}]}) for k in (2, 50))
    assert few.job("consensus", study="survey", case="survey", method="RCE", block="0-0").need.mb > 0
    sizes = [plan.sized(plan.studies["survey"], "survey")[2] for plan in (few, many)]
    assert sizes == [(60, 0, 2), (60, 0, 50)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cases": [{"dataset": "survey", "ensemble": "mine"}]}, ["cases[0].k", "missing", "survey", "k: 5"]),
        ({"cases": [{**SECOND, "k": 1}]}, ["cases[0].k = 1", "2"]),
        ({"cases": [{**SECOND, "k": 61}]}, ["cases[0].k = 61", "60 objects", "lower"]),
        ({"cases": [STUDY["cases"][0], "iris"]}, ["cases", "survey has no classes", "iris has", "study of its own"]),
        ({"cases": ["survey"]}, ["cases[0].ensemble", "no features", "ensemble: mine"]),
        ({"metrics": ["ACC", "NMI"]}, ["metrics", "classes", "survey", "remove"]),
        ({"reported": ["NMI"]}, ["reported", "classes", "remove"]),
        ({"selection": "oracle-common"}, ["selection", "classes", "remove"]),
        ({"methods": ["EAC", GRID]}, ["methods[1].grid", "no classes", "write parameters"]),
        ({"claims": [CLAIM]}, ["claims[0]", "classes", "remove"]),
        ({"published": ["table2"]}, ["published: needs classes", "remove"]),
        ({"generalisation": {"methods": ["EAC"]}}, ["generalisation", "classes", "remove"]),
        ({"variants": {"methods": [{"id": "e", "of": "EAC", "method": "EAC", "why": "w"}]}}, ["variants", "remove"]),
        ({"variants": {"families": [FAMILY]}}, ["variants: needs classes", "remove"]),
        ({"variants": {"families": [FAMILY]}}, ["variants"]),  # and no second line
        ({"ensemble": {"runs": 40, "subset_size": 10}}, ["ensemble.subset_size = 10", "subset_size: 40"]),
        ({"ensemble": {"runs": 40, "subset_size": 40, "draws": 2}}, ["ensemble.draws = 2", "remove"]),
        ({"exhibits": [{"kind": "scores", "id": "s", "title": "t"}]}, ["exhibits[", "'scores'", "classes", "remove"]),
        ({"exhibits": [{"kind": "restarts"}]}, ["exhibits[", "'restarts'", "classes", "remove"]),
        ({"diagnosis": {"method": "rce"}}, ["diagnosis.method = 'rce'", '"RCE"']),
        ({"diagnosis": {"ks": [3, 2]}}, ["diagnosis.ks", "[2, 3]"]),
        ({"diagnosis": {"ks": [2, 70]}}, ["cases[0].dataset", "60 objects", "diagnosis.ks has 70"]),
        ({"diagnosis": {"k": 3}}, ["diagnosis.k = 3", "unknown key"]),
        ({"methods": ["SSCE", "EAC"]}, ["cases[0].dataset", "SSCE", "without"]),
    ],
)  # fmt: skip
def test_what_needs_classes_is_one_line(plan_of, changes, words):
    with pytest.raises(InputError) as caught:
        plan_of(changes)
    lines = [line for line in str(caught.value).splitlines() if all(word in line for word in words)]
    assert len(lines) == 1, caught.value
    assert lines[0].startswith("studies/survey/study.yaml: ")
    assert len(str(caught.value).splitlines()) <= 2


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("cases", [{"dataset": "iris", "k": 3}], ["cases[0].k = 3", "iris has classes", "remove"]),
        ("exhibits", [{"kind": "consensus"}], ["exhibits[", "'consensus'", "remove"]),
        ("variants", {"cases": [{**SECOND, "of": "iris", "why": "w", "methods": ["KC"]}]}, ["variants.cases[0].k"]),
        (
            "variants",
            {
                "cases": [
                    {"id": "s", "dataset": "survey", "ensemble": "mine", "of": "iris", "why": "w", "methods": ["KC"]}
                ]
            },
            ["variants.cases[0].dataset = 'survey'", "no classes"],
        ),
    ],
)
def test_a_study_with_classes_refuses_what_is_for_data_without(make_plan, key, value, words):
    with pytest.raises(InputError) as caught:
        make_plan(lambda study, datasets: (datasets.update(survey=SURVEY), study.update({key: value})))
    lines = [line for line in str(caught.value).splitlines() if all(word in line for word in words)]
    assert len(lines) == 1, caught.value


def test_a_study_with_classes_may_show_a_diagnosis(make_plan):
    own = {"kind": "diagnosis", "id": "base", "title": "Base", "case": "iris", "shows": "base"}
    plan = make_plan(lambda study, datasets: study.update(exhibits=[own]))
    assert plan.exhibits("mine", "base").seed == 1
    inputs = [
        file for _, files in plan.list_exhibit_inputs("mine", plan.runs["mine"].exhibit("base")) for file in files
    ]
    assert "results/ensembles/mine/iris.npz" in inputs
