"""What is left of a study where the configuration names some of it."""

import pytest

from consclust.errors import InputError
from consclust_studies.plan.restrict import LONGEST, name_run


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
    assert study.restriction.startswith("only datasets iris, wine; methods KC, SSCE")
    assert study.run_id == "mine.datasets-iris+wine.methods-KC+SSCE"


def test_without_restrictions_nothing_is_left_out(make_plan):
    study = only(make_plan())
    assert (study.run_id, study.restriction, study.left_out) == ("mine", "", ())
    assert ids(study.only_in_table1) == ["yale"]


def test_data_sets_that_are_only_described_stay_where_methods_are_named(make_plan):
    assert ids(only(make_plan(methods="KC")).only_in_table1) == ["yale"]


def runs(study):
    return {e.cases[0].id: ids(e.methods) for e in study.split_variants()}


EVERY = {
    "iris": ["KC-few"], "wine": ["KC-few"], "pool": ["KC-few"], "iris_5": ["KC", "RCE"], "iris_raw": ["KC", "RCE"],
}  # fmt: skip


def test_all_variants_go_with_what_they_vary(make_plan):
    assert runs(only(make_plan())) == EVERY
    assert runs(only(make_plan(subsets=2))) == EVERY
    assert runs(only(make_plan(methods="RCE", variants=True))) == {"iris_5": ["RCE"], "iris_raw": ["RCE"]}
    assert runs(only(make_plan(datasets="wine", variants=True))) == {"wine": ["KC-few"]}
    assert runs(only(make_plan(methods="SSCE", variants=True))) == {}


@pytest.mark.parametrize(
    "given", [{"methods": "KC,RCE"}, {"datasets": "iris"}, {"variants": False}, {"variants": False, "subsets": 2}]
)
def test_a_run_may_have_no_variants(make_plan, given):
    plan = make_plan(**given)
    study = only(plan)
    assert study.split_variants() == []
    assert study.restriction.endswith("without variants")
    wanted = {plan.prepared_file(case) for case in study.cases}
    assert {plan.prepared_file(case) for case in (*study.cases, *study.case_variants)} == wanted


@pytest.mark.parametrize(
    ("given", "cases", "methods", "variants"),
    [
        ({"datasets": "iris_5"}, ["iris"], ["KC", "RCE", "SSCE"], {"iris_5": ["KC", "RCE"]}),
        ({"datasets": "iris_5,wine", "methods": "RCE"}, ["iris", "wine"], ["RCE"], {"iris_5": ["RCE"]}),
        (
            {"methods": "KC-few"},
            ["iris", "wine", "pool"], ["KC"], {"iris": ["KC-few"], "wine": ["KC-few"], "pool": ["KC-few"]},
        ),
        ({"datasets": "wine", "methods": "RCE,KC-few"}, ["wine"], ["KC", "RCE"], {"wine": ["KC-few"]}),
        (
            {"datasets": "iris_5", "methods": "KC", "variants": True},
            ["iris"], ["KC"], {"iris": ["KC-few"], "iris_5": ["KC"], "iris_raw": ["KC"]},
        ),
    ],
)  # fmt: skip
def test_variants_that_are_named_run_beside_what_they_vary(make_plan, given, cases, methods, variants):
    study = only(make_plan(**given))
    assert ids(study.cases) == cases
    assert ids(study.methods) == methods
    assert runs(study) == variants
    assert "without variants" not in study.restriction


def test_runs_with_and_without_variants_have_folders_of_their_own(make_plan):
    settings = [{}, {"variants": False}, {"datasets": "iris"}, {"datasets": "iris", "variants": True}]
    names = [only(make_plan(**given)).run_id for given in settings]
    assert len({*names}) == 4
    assert "variants" in names[1]
    assert "variants" in names[3]
    assert only(make_plan(variants=True)).run_id == names[0]
    assert only(make_plan(datasets="iris", variants=False)).run_id == names[2]
    assert "with variants" in only(make_plan(datasets="iris", variants=True)).restriction


def test_a_study_without_variants_has_one_name(make_plan):
    def plain(study, data):
        del study["variants"]

    for given in ({"variants": False}, {"variants": True}, {}):
        study = only(make_plan(plain, **given))
        assert (study.run_id, study.restriction) == ("mine", "")
    assert only(make_plan(plain, datasets="iris", variants=True)).run_id == "mine.datasets-iris"
    assert only(make_plan(plain, datasets="iris")).restriction == "only datasets iris"


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
        ({"methods": "KC_few"}, ["methods = 'KC_few'", '"KC-few"']),
        ({"datasets": "mnist"}, ["datasets = 'mnist'", "choose from iris, pool, wine"]),
        ({"variants": "some"}, ["variants = 'some'"]),
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
        ({"datasets": "iris_5", "variants": False}, ["datasets = 'iris_5'", "variants = false", "leave"]),
        ({"datasets": "iris_5,wine", "methods": "SSCE"}, ["datasets = 'iris_5'", "variant", "methods"]),
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
    names = {name_run("mine", {"datasets": words[:n]}) for n in range(1, 10)}
    assert len(names) == 9
    assert all(len(name) <= LONGEST for name in names)
    assert name_run("mine", {}) == "mine"
