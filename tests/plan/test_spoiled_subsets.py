"""A study with spoiled subsets: its jobs, methods on the first repetitions, and the hours that it may take."""

import pytest

from consclust.errors import InputError
from consclust_studies.plan.costs import check_budget

HARMS = {"kinds": ["coalition", "outliers"], "shares": [0.5]}


def spoiled(**changes):
    """Change the study: two clean subsets, each with two spoiled ones; RCE on the first repetition alone."""

    def change(study, datasets):
        study["ensemble"] = {"runs": 20, "subset_size": 10, "harms": HARMS}
        study["cases"] = ["iris", "wine"]
        study["variants"] = {}
        study["methods"][1]["subsets"] = {"iris": 3, "wine": 3}
        study.update(changes)

    return change


def test_the_harms_are_in_the_specs_of_base_clusterings_and_scores_where_there_are_any(make_plan):
    def without(study, datasets):
        spoiled()(study, datasets)
        del study["ensemble"]["harms"], study["methods"][1]["subsets"]

    plain = make_plan(without)
    with_harms = make_plan(spoiled())
    assert "harms" not in plain.ensemble("mine", "iris").json_text
    assert "some_objects" not in plain.score("mine", "", "iris").json_text
    assert with_harms.ensemble("mine", "iris").harms.kinds == ("coalition", "outliers")
    assert with_harms.score("mine", "", "iris").some_objects
    assert with_harms.score("mine", "", "iris").n_subsets == 6


def test_a_method_that_takes_long_runs_on_the_first_repetitions(make_plan):
    plan = make_plan(spoiled())
    study = plan.runs["mine"]
    ranges = {}
    for run in study.methods:
        (file,) = plan.list_label_files("mine", study.case("iris"), run)
        ranges[run.id] = file.rpartition("/")[2]
    assert ranges == {"KC": "0-5.npz", "RCE": "0-2.npz", "SSCE": "0-5.npz"}
    assert [method.subsets for method in plan.score("mine", "", "iris").methods] == [None, 3, None]


def test_what_cannot_be_spoiled_or_is_not_there_is_refused(make_plan):
    cases = ["iris", {"id": "pool", "dataset": "ecoli_pool", "ensemble": "authors", "without": ["SSCE"]}]
    with pytest.raises(InputError, match=r"cases\[1\].ensemble = 'authors': ensemble.harms"):
        make_plan(spoiled(cases=cases, methods=["KC", "SSCE"], generalisation=None))
    with pytest.raises(InputError, match=r"methods\[0\].subsets.iris = 7: there are 6"):
        make_plan(spoiled(methods=[{"method": "KC", "subsets": {"iris": 7}}, "SSCE"]))


def test_a_study_that_takes_longer_than_its_budget_is_refused(make_plan):
    check_budget(make_plan(spoiled()), "mine")
    check_budget(make_plan(spoiled(budget_hours=1000)), "mine")
    with pytest.raises(InputError, match=r"budget_hours = 0.001: the plan of mine takes .* CPU hours"):
        check_budget(make_plan(spoiled(budget_hours=0.001)), "mine")
