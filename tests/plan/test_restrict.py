"""What is left of a study where the configuration names some of it."""

import pytest

from consclust.errors import InputError
from consclust_studies.plan.restrict import LONGEST, run_name


def only(plan):
    (study,) = plan.runs.values()
    return study


def ids(items):
    return [item.id for item in items]


def test_cases_and_methods_keep_the_order_of_the_study(make_plan):
    study = only(make_plan(datasets="wine,iris", methods=["SSCE", "KC"]))
    assert ids(study.cases) == ["iris", "wine"]
    assert ids(study.methods) == ["KC", "SSCE"]
    assert study.only_in_table1 == ()
    assert study.restriction == "datasets iris, wine; methods KC, SSCE"
    assert study.run_id == "mine.datasets-iris+wine.methods-KC+SSCE"


def test_without_restrictions_nothing_is_left_out(make_plan):
    study = only(make_plan())
    assert (study.run_id, study.restriction, study.left_out) == ("mine", "", ())
    assert ids(study.only_in_table1) == ["yale"]


def test_data_sets_that_are_only_described_stay_where_methods_are_named(make_plan):
    assert ids(only(make_plan(methods="KC")).only_in_table1) == ["yale"]


def runs(study):
    return {e.cases[0].id: ids(e.methods) for e in study.of_variants()}


def test_variants_go_with_what_they_vary(make_plan):
    assert runs(only(make_plan())) == {
        "iris": ["KC-few"], "wine": ["KC-few"], "pool": ["KC-few"], "iris_5": ["KC", "RCE"], "iris_raw": ["KC", "RCE"],
    }  # fmt: skip
    assert runs(only(make_plan(methods="RCE"))) == {"iris_5": ["RCE"], "iris_raw": ["RCE"]}
    assert runs(only(make_plan(datasets="wine"))) == {"wine": ["KC-few"]}
    assert runs(only(make_plan(methods="SSCE"))) == {}


def test_unseen_objects_go_with_their_cases_and_methods(make_plan):
    study = only(make_plan(methods="SSCE"))
    assert study.unseen_rows() == ["K-means-NC", "SSCE"]
    assert ids(study.generalised()) == ["iris", "wine"]
    assert ids(only(make_plan(datasets="iris")).generalised()) == ["iris"]
    assert only(make_plan(methods="RCE")).generalisation is None
    assert only(make_plan(datasets="pool", methods="KC")).generalised() == ()


def heatmap(study, data):
    figure = {"kind": "heatmap", "id": "f", "title": "A grid", "method": "RCE", "x": "lambda1", "y": "lambda2"}
    study["exhibits"] = [{**figure, "metrics": ["ACC"], "cases": ["iris", "wine"]}]


def test_exhibits_lose_what_is_not_run_and_go_with_what_they_need(make_plan):
    assert "A grid" not in only(make_plan(heatmap)).left_out
    assert only(make_plan(heatmap, datasets="wine")).exhibit("f").cases == ("wine",)
    for given in ({"methods": "KC"}, {"datasets": "pool"}):
        study = only(make_plan(heatmap, **given))
        assert "f" not in ids(study.exhibits)
        assert "A grid" in study.left_out


def test_the_first_subsets(make_plan):
    study = only(make_plan(subsets=2))
    assert (study.n_subsets, study.run_id) == (2, "mine.subsets-2")
    assert study.ensemble.draws == 4


def test_a_study_that_runs_some_subsets_keeps_to_them(make_plan):
    def fewer(study, data):
        study["subsets"] = 3

    assert only(make_plan(fewer)).n_subsets == 3
    assert only(make_plan(fewer, datasets="iris")).n_subsets == 3
    assert only(make_plan(fewer, subsets=2)).n_subsets == 2


def both(study, data):
    study["cases"][0] = {"dataset": "iris", "without": ["SSCE", "RCE"]}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"datasets": "yale"}, ["datasets = 'yale'", "no study"]),
        ({"datasets": "wyne"}, ["datasets = 'wyne'", '"wine"']),
        ({"methods": "rce"}, ["methods = 'rce'", '"RCE"']),
        ({"data_mirror": "/none/such"}, ["data_mirror = '/none/such'", "no such folder", "null"]),
    ],
)
def test_what_is_in_no_study_is_refused(make_plan, given, words):
    with pytest.raises(InputError) as caught:
        make_plan(**given)
    assert str(caught.value).startswith("config/config.yaml: ")
    assert "\n" not in str(caught.value)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"subsets": 5}, ["subsets = 5", "mine has 4", "lower"]),
        ({"datasets": "iris", "methods": "SSCE"}, ["datasets = iris", "methods = SSCE", "no fit", "without"]),
    ],
)
def test_a_study_says_why_it_cannot_be_run(make_plan, given, words):
    plan = make_plan(both, **given)
    assert plan.runs == {}
    assert plan.refused["mine"].startswith("config/config.yaml: ")
    assert all(word in plan.refused["mine"] for word in words), plan.refused


def test_titles_and_steps_are_those_of_the_registry_unless_a_case_has_its_own(make_plan):
    def own(study, data):
        study["cases"][0] = {"dataset": "iris", "title": "Flowers"}

    study = only(make_plan(own))
    assert (study.titles["iris"], study.titles["wine"]) == ("Flowers", "Wine")
    assert study.case("wine").steps == ("zscore",)
    assert study.case("iris_raw").steps == ()
    assert set(study.origins) >= {"iris", "wine", "pool", "yale"}


def test_names_of_runs_are_short_and_apart():
    words = tuple(f"a_long_name_of_a_data_set_{i}" for i in range(9))
    names = {run_name("mine", {"datasets": words[:n]}) for n in range(1, 10)}
    assert len(names) == 9
    assert all(len(name) <= LONGEST for name in names)
    assert run_name("mine", {}) == "mine"
