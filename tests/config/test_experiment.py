import pytest
from pydantic import ValidationError

from consclust_studies.config.cases import CaseVariant
from consclust_studies.config.experiment import EnsembleProtocol, Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.race import Race

GIVEN = {
    "id": "mine",
    "cases": ["iris", {"id": "second", "dataset": "yale", "ensemble": "authors"}],
    "methods": ["KC", {"method": "RCE", "grid": {"lambda1": [1, 2]}, "default": {"lambda1": 1}}],
}
FEW = {"method": "KC", "id": "KC-once", "parameters": {"n_init": 1}, "of": "KC", "why": "restarts"}
FAR = {"dataset": "iris", "id": "far", "init": "k-means++", "of": "iris", "methods": ["RCE"], "why": "centres"}


def experiment(**changes):
    return Experiment.model_validate({**GIVEN, **changes})


def test_shorthands():
    study = experiment()
    assert [case.id for case in study.cases] == ["iris", "second"]
    assert study.method("KC").points == [{}]
    assert study.method("RCE").points == [{"lambda1": 1}, {"lambda1": 2}]
    assert study.n_subsets == 10


@pytest.mark.parametrize("ensembles", [["authors"], ["authors", "mixed"], ["authors", "kmeans"], ["minibatch"]])
def test_the_row_of_base_clusterings_is_named_after_their_making(ensembles):
    cases = [{"id": f"c{i}", "dataset": "yale", "ensemble": name} for i, name in enumerate(ensembles)]
    by_kmeans = not {"kmeans", "minibatch"}.isdisjoint(ensembles)
    assert experiment(cases=cases).base_clusterings == ("K-means" if by_kmeans else "Base clusterings")
    assert experiment(cases=cases, base_clusterings="Own").base_clusterings == "Own"


@pytest.mark.parametrize(
    "changes",
    [
        {"cases": []},
        {"methods": []},
        {"metrics": []},
        {"metrics": ["acc"]},
        {"id": "a/b"},
        {"cases": ["iris", "iris"]},
        {"only_in_table1": ["iris"]},
        {"methods": ["KC", "KC"]},
        {"base_clusterings": "KC"},
        {"base_clusterings": " "},
        {"variants": {"cases": [{**FAR, "methods": []}]}},
        {"variants": {"cases": [{**FAR, "id": "iris"}]}},
        {"variants": {"methods": [{**FEW, "why": ""}]}},
        {"cases": [{"dataset": "iris", "feature_share": 0}]},
        {"cases": [{"dataset": "iris", "n_clusters": 1}]},
        {"cases": [{"dataset": "iris", "n_clusters": True}]},
        {"ensemble": {"max_iter": True}},
        {"ensemble": {"draws": 3, "draw_seed": True}},
        {"cases": [{"dataset": "iris", "feature_share": True}]},
        {"cases": [{"dataset": "iris", "n_clusters": []}]},
        {"cases": [{"dataset": "iris", "n_clusters": [3, 10**12]}]},
        {"cases": [{"dataset": "iris", "title": "a" * 200_000}]},
        {"generalisation": {"methods": []}},
        {"generalisation": {"methods": ["KC"], "train_share": 1}},
        {"generalisation": {"methods": [{"method": "KC", "by": []}]}},
        {"generalisation": {"methods": ["KC", {"method": "RCE", "id": "KC"}]}},
        {"significance": {"alpha": float("nan")}},
    ],
)
def test_what_cannot_be_meant_is_refused(changes):
    with pytest.raises(ValidationError):
        experiment(**changes)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ({"grid": {"mu": [1, 2]}}, "default must give a value for each of mu"),
        ({"grid": {"mu": [1]}, "default": {"mu": 3}}, "add it to grid.mu"),
        ({"default": {"mu": 3}}, "add it to grid.mu"),
        ({"grid": {"mu": []}, "default": {"mu": 3}}, "grid.mu"),
        ({"grid": {"mu": [1.0, 2]}, "default": {"mu": True}}, "add it to grid.mu"),
        ({"grid": {"mu": [1, 2.0, 1.0]}, "default": {"mu": 1}}, "grid.mu has 1.0 twice"),
        ({"grid": {"mu": [1, 2, 1]}, "default": {"mu": 1}}, "grid.mu has 1 twice"),
        ({"grid": {x: list(range(1000)) for x in "abc"}, "default": dict.fromkeys("abc", 1)}, "1,000,000,000 points"),
    ],
)
def test_a_grid_has_its_default_and_an_end(method, words):
    with pytest.raises(ValidationError, match=words):
        MethodRun.model_validate({"method": "RCE", **method})


def test_the_default_is_a_point_of_the_grid_also_in_its_type():
    run = MethodRun.model_validate({"method": "RCE", "grid": {"mu": [0.5, 1.0]}, "default": {"mu": 1}})
    assert isinstance(run.default["mu"], float)
    assert run.default in run.points
    assert (
        MethodRun.model_validate({"method": "X", "grid": {"f": [1, True]}, "default": {"f": True}}).default["f"] is True
    )


@pytest.mark.parametrize(
    ("protocol", "n"), [({"runs": 200, "subset_size": 20}, 10), ({"runs": 9, "subset_size": 9, "draws": 4}, 4)]
)
def test_subsets_are_drawn_or_the_runs_are_split(protocol, n):
    assert EnsembleProtocol(**protocol).n_subsets == n
    assert experiment(ensemble=protocol, subsets=3).n_subsets == 3
    assert experiment(ensemble=protocol, subsets=50).n_subsets == n


@pytest.mark.parametrize(
    "protocol",
    [{"runs": 10, "subset_size": 4}, {"runs": 10, "subset_size": 14, "draws": 3}, {"runs": 10**12}, {"draws": 10**12}],
)
def test_subsets_that_cannot_be(protocol):
    with pytest.raises(ValidationError):
        EnsembleProtocol(**protocol)


def test_a_case_may_change_a_method():
    expensive = {"dataset": "iris", "parameters": {"RCE": {"n_init": 1}}}
    rce = {"method": "RCE", "parameters": {"n_init": 5, "mu": 0.1}}
    study = experiment(cases=[expensive, "wine"], methods=[rce])
    iris, wine = study.cases
    assert study.parameters(iris, study.methods[0]) == {"n_init": 1, "mu": 0.1}
    assert study.parameters(wine, study.methods[0]) == {"n_init": 5, "mu": 0.1}


def test_a_case_stands_for_another_one_of_its_data_set():
    cases = ["iris", "yale", {"id": "second", "dataset": "yale", "ensemble": "authors", "instead_of": "yale"}]
    study = experiment(cases=cases)
    assert [case.id for case in study.counted] == ["iris", "second"]
    alone = study.model_copy(update={"cases": study.cases[:2]})
    assert [case.id for case in alone.counted] == ["iris", "yale"]


@pytest.mark.parametrize("further", [{"seeds": 3}, {"instead_of": "iris"}], ids=str)
def test_keys_that_do_nothing_on_a_variant_are_refused(further):
    variant = {"id": "other", "dataset": "iris", "of": "iris", "why": "order", "methods": ["KC"]}
    assert CaseVariant(**variant).seeds == 1
    with pytest.raises(ValueError, match=rf"{next(iter(further))} is for the cases of a study"):
        CaseVariant(**variant, **further)


def test_methods_that_a_case_omits():
    study = experiment(cases=["iris", {"dataset": "wine", "without": ["KC"]}])
    assert [run.id for run in study.runs(study.case("wine"))] == ["RCE"]
    assert {method: [case.id for case in cases] for method, cases in study.absent().items()} == {"KC": ["wine"]}


def variants(study):
    return {e.cases[0].id: {run.id: run.points for run in e.methods} for e in study.split_variants()}


def test_variants_are_experiments_of_one_case_each():
    study = experiment(variants={"methods": [FEW], "cases": [FAR]})
    assert {case: [*runs] for case, runs in variants(study).items()} == {
        "iris": ["KC-once"],
        "second": ["KC-once"],
        "far": ["RCE"],
    }
    assert all(e.split_variants() == [] for e in study.split_variants())
    only = experiment(variants={"methods": [{**FEW, "cases": ["second"]}]})
    assert {case: [*runs] for case, runs in variants(only).items()} == {"second": ["KC-once"]}
    assert isinstance(study.case("far"), CaseVariant)


@pytest.mark.parametrize(("selection", "points"), [("default", 1), ("oracle-common", 2)])
def test_variants_run_at_the_default_point_alone_where_the_study_shows_that(selection, points):
    grid = {"grid": {"lambda1": [1, 2], "lambda2": [3]}, "default": {"lambda1": 2, "lambda2": 3}}
    pinned = {"id": "RCE-pin", "of": "RCE", "method": "RCE", **grid, "why": "w"}
    both = {"methods": [pinned], "cases": [{**FAR, "methods": ["KC", "RCE"]}]}
    study = experiment(methods=["KC", {"method": "RCE", **grid}], variants=both, selection=selection)
    found = variants(study)
    assert found["far"]["KC"] == [{}]
    assert found["far"]["RCE"] == found["iris"]["RCE-pin"] == study.method("RCE").points[-points:]
    assert study.runs(study.case("iris"))[1].points == study.method("RCE").points


DRAWN = {"runs": 20, "subset_size": 10, "draws": 4}


@pytest.mark.parametrize(
    ("changes", "shared"),
    [
        ({}, True),
        ({"init": "k-means++"}, False),
        ({"preprocessing": ["zscore"]}, False),
        ({"n_clusters": 4}, False),
        ({"feature_share": 0.5}, False),
        ({"parameters": {"RCE": {"n_init": 1}}}, False),
        ({"subset_size": None}, False),
    ],
)
def test_sizes_share_the_pool_of_their_case(changes, shared):
    size = {"id": "iris_m5", "dataset": "iris", "of": "iris", "why": "size", "methods": ["RCE"], "subset_size": 5}
    study = experiment(ensemble=DRAWN, variants={"cases": [{**size, **changes}]})
    variant = study.case("iris_m5")
    assert (study.size_variants(study.cases[0]) == [variant]) is shared
    assert study.pool(variant).id == ("iris" if shared else "iris_m5")
    assert study.subset_size(variant) == (changes.get("subset_size", 5) or 10)


def test_a_variant_may_run_on_the_first_subsets_alone():
    race = {"RCE": {"metric": "ACC", "subsets": 2, "points": 1}}
    size = {"dataset": "iris", "of": "iris", "why": "size", "methods": ["RCE"], "subset_size": 5, "races": race}
    cases = [{**size, "id": "two", "subsets": 2}, {**size, "id": "all"}]
    study = experiment(ensemble=DRAWN, variants={"cases": cases})
    two, every = study.variants.cases
    assert [study.n_subsets_of(case) for case in (study.cases[0], two, every)] == [4, 2, 4]
    assert {e.cases[0].id: e.n_subsets for e in study.split_variants()} == {"two": 2, "all": 4}
    run = study.method("RCE")
    assert (study.race(two, run), study.race(every, run)) == (None, every.races["RCE"])
    assert study.model_copy(update={"subsets": 1}).n_subsets_of(two) == 1


def test_a_variant_of_a_method_may_run_on_the_first_subsets_of_some_cases():
    few = {"id": "few", "of": "RCE", "method": "RCE", "why": "time", "subsets": {"iris": 2}}
    study = experiment(cases=["iris", "wine"], ensemble=DRAWN, variants={"methods": [few]})
    iris, wine = study.cases
    run = study.method("few")
    assert [study.n_subsets_of(iris, run), study.n_subsets_of(wine, run)] == [2, 4]
    assert study.n_subsets_of(iris, study.method("RCE")) == 4
    fewer = study.model_copy(update={"subsets": 1})
    assert fewer.n_subsets_of(iris, run) == 1
    raced = iris.model_copy(update={"races": {"few": Race(metric="ACC", subsets=2, points=1)}})
    assert study.race(raced, run) is None


def test_a_method_may_run_at_one_point_on_the_variants_of_a_case():
    point = {"lambda1": 2.0}
    race = {"RCE": {"metric": "ACC", "subsets": 2, "points": 1}}
    case = {"dataset": "iris", "points": {"RCE": point}, "races": race}
    family = {"of": ["iris", "wine"], "each": {"few": {"subset_size": 5}}, "why": "size", "methods": ["RCE"]}
    study = experiment(cases=[case, "wine"], ensemble=DRAWN, variants={"families": [family]})
    whole = study.method("RCE")
    assert study.run(study.case("iris"), "RCE") == whole
    assert study.run(study.case("wine_few"), "RCE") == whole
    run = study.run(study.case("iris_few"), "RCE")
    assert run.points == [{"lambda1": 2}]
    assert run.default_point == 0
    assert type(run.points[0]["lambda1"]) is type(whole.points[0]["lambda1"]), "written as on the grid"
    assert study.race(study.case("iris_few"), run) is None


def test_a_family_is_a_variant_of_each_case_for_each_suffix():
    """With all settings of its case, but for those of the family and of the suffix."""
    iris = {"dataset": "iris", "id": "own", "title": "Own", "init": "k-means++", "n_clusters": 4, "feature_share": 0.5}
    family = {"of": ["wine", "own"], "why": "size", "methods": ["RCE"], "subsets": 2, "n_clusters": 5}
    each = {"few": {"subset_size": 5}, "raw": {"preprocessing": [], "n_clusters": 6}}
    written = experiment(cases=[iris, "wine"], ensemble=DRAWN, variants={"families": [{**family, "each": each}]})
    alike = {"why": "size", "methods": ["RCE"], "subsets": 2}
    few, raw = {**alike, "n_clusters": 5, "subset_size": 5}, {**alike, "n_clusters": 6, "preprocessing": []}
    of_iris = {"dataset": "iris", "of": "own", "init": "k-means++", "feature_share": 0.5}
    cases = [
        {**few, "id": "wine_few", "dataset": "wine", "of": "wine"},
        {**raw, "id": "wine_raw", "dataset": "wine", "of": "wine"},
        {**few, **of_iris, "id": "own_few"},
        {**raw, **of_iris, "id": "own_raw"},
    ]
    assert written.case_variants == experiment(cases=[iris, "wine"], variants={"cases": cases}).variants.cases
    assert [view.cases[0].id for view in written.split_variants()] == ["wine_few", "wine_raw", "own_few", "own_raw"]


@pytest.mark.parametrize(
    ("methods", "subsets", "raced"), [(["RCE"], None, True), (["KC"], None, False), (["RCE"], 2, False)]
)
def test_a_family_has_the_races_of_its_methods_that_leave_a_subset(methods, subsets, raced):
    race = {"RCE": {"metric": "ACC", "subsets": 2, "points": 1}}
    family = {"of": ["iris"], "each": {"pp": {}}, "why": "w", "methods": methods, "subsets": subsets}
    study = experiment(cases=[{"dataset": "iris", "races": race}], ensemble=DRAWN, variants={"families": [family]})
    assert study.case("iris_pp").races == (study.cases[0].races if raced else {})


@pytest.mark.parametrize(
    ("family", "words"),
    [
        ({"each": {"pp": {}}, "of": ["iris", "wine"]}, ["two cases have the id 'iris_pp'"]),
        ({"each": {"a" * 58: {}}}, ["the id 'iris_a", "too long", "another suffix"]),
        ({"each": {}}, ["at least 1"]),
        ({"each": {"a b": {}}}, ["the id 'iris_a b'", "characters"]),
    ],
)
def test_ids_of_a_family(family, words):
    other = {"id": "iris_pp", "dataset": "iris", "of": "iris", "why": "w", "methods": ["RCE"]}
    with pytest.raises(ValidationError) as caught:
        experiment(
            variants={"cases": [other], "families": [{"of": ["iris"], "why": "w", "methods": ["RCE"], **family}]}
        )
    assert all(word in str(caught.value) for word in words), caught.value


def test_rows_and_cases_of_unseen_objects():
    plan = {"methods": [{"method": "KC", "by": ["NC", "own"]}, {"method": "RCE", "id": "R"}]}
    study = experiment(generalisation={**plan, "cases": ["iris"]})
    assert study.unseen_rows() == ["K-means-NC", "KC-NC", "KC", "R-NC"]
    assert [case.id for case in study.generalised()] == ["iris"]
    assert len(experiment(generalisation=plan).generalised()) == 2
    assert experiment().unseen_rows() == []
    assert experiment().generalised() == ()


def test_a_description_is_no_part_of_an_experiment():
    study = experiment(generalisation={"methods": ["KC"]}, variants={"methods": [FEW], "cases": [FAR]})
    assert "description" not in study.model_dump_json()
    assert Experiment.model_validate_json(study.model_dump_json()) == study


def test_no_steps_are_raw_data():
    raw, absent = ({"dataset": "iris", "preprocessing": steps} for steps in ([], None))
    assert experiment(cases=[raw]).cases[0].steps == ()
    assert experiment(cases=[raw]).cases[0].steps_word == "raw"
    assert experiment(cases=[absent]).cases[0].preprocessing is None
    both = {"dataset": "iris", "preprocessing": ["zscore", "unit_norm"]}
    assert experiment(cases=[both]).cases[0].steps_word == "zscore-unit_norm"
