import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from concord import validation
from concord.config.__main__ import JSON_SCHEMA, SCHEMAS
from concord.config.files import load_config, load_study
from concord.config.protocol import EnsembleProtocol
from concord.config.restrictions import check_restrictions, restrict
from concord.config.study import Study
from concord.datasets.registry import load_registry
from concord.errors import InputError

ROOT = Path(__file__).parent.parent
REGISTRY = load_registry(ROOT / "config/datasets.yaml")
STUDY = {
    "id": "mine",
    "title": "t",
    "summary": "s",
    "cases": ["iris", {"id": "second", "dataset": "yale", "ensemble": "authors"}],
    "methods": ["KC", {"method": "RCE", "grid": {"lambda1": [1, 2]}, "default": {"lambda1": 1}}],
}


def write(folder, changes, name="mine.yaml"):
    path = folder / name
    path.write_text(yaml.safe_dump({**STUDY, **changes}))
    return path


def messages(folder, changes, name="mine.yaml"):
    with pytest.raises(InputError) as error:
        load_study(write(folder, changes, name), REGISTRY)
    return str(error.value).splitlines()


@pytest.mark.parametrize("path", sorted((ROOT / "config/studies").glob("*.yaml")), ids=lambda p: p.stem)
def test_the_studies_are_valid(path):
    assert load_study(path, REGISTRY).id == path.stem


def test_the_configuration_is_valid():
    loaded = load_config(yaml.safe_load((ROOT / "config/config.yaml").read_text()))
    assert loaded.datasets is None


@pytest.mark.parametrize(("name", "model"), SCHEMAS.items())
def test_the_schemas_are_in_step(name, model):
    """Renew with: python -m concord.config"""
    written = json.loads((ROOT / f"workflow/schemas/{name}.schema.json").read_text())
    assert written == {**model.model_json_schema(), "$schema": JSON_SCHEMA}


@pytest.mark.parametrize("path", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda p: p.stem)
def test_the_schemas_accept_the_files(path):
    kind = "study" if path.parent.name == "studies" else path.stem
    schema = json.loads((ROOT / f"workflow/schemas/{kind}.schema.json").read_text())
    content = yaml.safe_load(path.read_text())
    jsonschema.validate(content, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "no such key": 1}, schema)


def test_shorthands():
    study = Study.model_validate(STUDY)
    assert [case.id for case in study.cases] == ["iris", "second"]
    assert study.method("KC").points == [{}]
    assert study.method("RCE").points == [{"lambda1": 1}, {"lambda1": 2}]
    assert study.blocks(study.cases[0], 4) == [(0, 4), (4, 8), (8, 10)]


def test_numbers_that_yaml_takes_for_text_are_numbers(tmp_path):
    text = yaml.safe_dump(STUDY).replace("- 1\n", "- 1e-4\n").replace("lambda1: 1", "lambda1: 1e-4")
    (tmp_path / "mine.yaml").write_text(text)
    assert load_study(tmp_path / "mine.yaml", REGISTRY).method("RCE").points[0] == {"lambda1": 1e-4}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"metric": ["ACC"]}, "metric = ['ACC']: unknown key; did you mean \"metrics\"?"),
        ({"id": "other"}, "id = 'other': the id must be the file's name; write id: mine"),
        ({"cases": ["irsi"]}, "cases[0].dataset = 'irsi': not known here; did you mean \"iris\"?"),
        ({"cases": ["iris", "iris"]}, "two cases have the id 'iris'"),
        ({"only_in_table1": ["iris"]}, "two cases have the id 'iris'"),
        ({"only_in_table1": ["wines"]}, "only_in_table1[0].dataset = 'wines': not known here"),
        ({"cases": [{"dataset": "yale", "ensemble": "author"}]}, 'did you mean "authors"?'),
        ({"cases": [{"dataset": "iris", "preprocessing": ["zscor"]}]}, 'did you mean "zscore"?'),
        ({"methods": ["rce"]}, "methods[0].method = 'rce': not known here; did you mean \"RCE\"?"),
        (
            {"cases": [{"dataset": "iris", "parameters": {"RCE": {"inner_tol": -1}}}]},
            "cases[0].parameters.RCE.inner_tol = -1: refused by RCE: inner_tol = -1",
        ),
        (
            {"cases": [{"dataset": "iris", "parameters": {"RCA": {}}}]},
            "cases[0].parameters = 'RCA': not known here",
        ),
        (
            {
                "readings": {
                    "cases": [{"dataset": "wine", "id": "w", "of": "wyne", "why": "?", "methods": ["RCE"]}]
                }
            },
            "readings.cases[0].of = 'wyne': not known here",
        ),
        (
            {"readings": {"methods": [{"method": "KC", "id": "KC2", "of": "KX", "why": "?"}]}},
            "readings.methods[0].of = 'KX': not known here",
        ),
        ({"methods": [{"method": "RCE", "parameters": {"lamda1": 1}}]}, 'did you mean "lambda1"?'),
        ({"methods": [{"method": "RCE", "parameters": {"random_state": 1}}]}, "no such parameter of RCE"),
        (
            {"methods": [{"method": "RCE", "grid": {"mu": [1, 0]}, "default": {"mu": 1}}]},
            "methods[0].grid.mu = 0: refused by RCE: mu = 0: must be a number > 0",
        ),
        (
            {"methods": [{"method": "RCE", "grid": {"mu": [1, 2]}}]},
            "default must give a value for each of mu",
        ),
        (
            {"methods": [{"method": "RCE", "grid": {"mu": [1]}, "default": {"mu": 3}}]},
            "default mu = 3 is not on the grid; add it to grid.mu",
        ),
        ({"ensemble": {"runs": 10, "subset_size": 4}}, "runs = 10 is not a multiple of subset_size = 4"),
        (
            {"ensemble": {"runs": 10, "subset_size": 14, "draws": 3}},
            "subset_size = 14 is more than runs = 10",
        ),
        (
            {"cases": [{"dataset": "iris", "subset_size": 5}]},
            "cases[0].subset_size = 5: the runs are split, so that every case has as many subsets; set "
            "ensemble.draws, or remove it",
        ),
        (
            {"cases": [{"dataset": "iris", "without": ["KX"]}]},
            "cases[0].without = 'KX': not known here",
        ),
        (
            {
                "readings": {
                    "methods": [{"id": "x", "of": "KC", "method": "KC", "why": "y", "cases": ["irs"]}]
                }
            },
            "readings.methods[0].cases = 'irs': not known here; did you mean \"iris\"?",
        ),
        (
            {"cases": [{"dataset": "iris", "object_share": 0.9}]},
            "cases[0].object_share = 0.9: of a 'mixed' ensemble only; write ensemble: mixed, or remove it",
        ),
        (
            {"cases": [{"dataset": "iris", "ensemble": "mixd"}]},
            "ensemble = 'mixd': not known here; did you mean \"mixed\"?",
        ),
        ({"ensemble": {"run": 10}}, 'ensemble.run = 10: unknown key; did you mean "runs"?'),
        ({"metrics": ["ACC"], "table2": ["ARI"]}, "table2 metric 'ARI' is not in metrics; add it there"),
        ({"metrics": ["acc"]}, "metrics[0] = 'acc': input should be 'ACC'"),
        ({"base_clusterings": "KC"}, "'KC' names both the base clusterings and a method"),
        (
            {"figure1": {"method": "RCE", "x": "lambda1", "y": "lambda3", "cases": ["iris"]}},
            "figure1.y = 'lambda3': not known here",
        ),
        (
            {"claims": [{"text": "t", "check": "best", "method": "RC", "metric": "ACC"}]},
            "claims.method = 'RC'",
        ),
    ],
)
def test_a_mistake_is_a_line_with_file_key_value_and_remedy(tmp_path, changes, expected):
    (line,) = messages(tmp_path, changes)
    assert line.startswith(f"{tmp_path}/mine.yaml: ")
    assert expected in line


def test_every_mistake_is_told_at_once(tmp_path):
    assert len(messages(tmp_path, {"id": "x", "cases": ["a", "b"], "methods": ["c"]})) == 4


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("ecoli_pool", "cases[0].ensemble = 'kmeans': ecoli_pool has no features for it; write {dataset: "),
        (
            {"dataset": "ecoli_pool", "ensemble": "author"},
            "ensemble = 'author': not known here; did you mean \"authors\"?",
        ),
        (
            {"dataset": "ecoli_pool", "ensemble": "authors", "preprocessing": ["zscore"]},
            "cases[0].preprocessing = ('zscore',): ecoli_pool has no features; remove it",
        ),
    ],
)
def test_a_case_without_features_takes_its_own_ensemble(tmp_path, case, expected):
    (line,) = messages(tmp_path, {"cases": [case]})
    assert expected in line
    load_study(write(tmp_path, {"cases": [{"dataset": "ecoli_pool", "ensemble": "authors"}]}), REGISTRY)


def test_a_method_that_needs_features_is_told_where_there_are_none(tmp_path):
    methods = ["KC", {"method": "SSCE", "grid": {"lambda1": [1, 2]}, "default": {"lambda1": 1}}]
    pool = {"dataset": "ecoli_pool", "ensemble": "authors"}
    (line,) = messages(tmp_path, {"cases": [pool], "methods": methods})
    assert (
        "cases[0].dataset = 'ecoli_pool': no features, SSCE needs some; add SSCE to cases[0].without" in line
    )
    load_study(write(tmp_path, {"cases": [{**pool, "without": ["SSCE"]}], "methods": methods}), REGISTRY)
    pseudo = {"method": "SSCE", "parameters": {"features": "pseudo"}}
    load_study(write(tmp_path, {"cases": [pool], "methods": ["KC", pseudo]}), REGISTRY)
    figure = {"id": "f", "title": "t", "kind": "paths", "method": "SSCE", "cases": ["iris"]}
    figure |= {"path": "objective_path_", "labels": ["F"]}
    (line,) = messages(tmp_path, {"methods": methods, "figures": [figure]})
    assert "figures[0] names 'SSCE': it needs features, which figures do not read" in line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id: [", "not valid YAML"),
        ("a: b: c", "line 1, not valid YAML"),
        ("", "dictionary"),
        ("- 1", "dictionary"),
    ],
)
def test_a_file_that_is_no_mapping(tmp_path, text, expected):
    (tmp_path / "mine.yaml").write_text(text)
    with pytest.raises(InputError, match=expected):
        load_study(tmp_path / "mine.yaml", REGISTRY)


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml: no such file"):
        validation.read_yaml(tmp_path / "none.yaml")


READINGS = {
    "methods": [{"method": "KC", "id": "KC-once", "parameters": {"n_init": 1}, "of": "KC", "why": "?"}],
    "cases": [
        {"dataset": "iris", "id": "far", "init": "k-means++", "of": "iris", "methods": ["RCE"], "why": "?"}
    ],
}


def test_readings_add_runs_and_go_with_what_they_read():
    study = Study.model_validate({**STUDY, "readings": READINGS})
    runs = [(case.id, run.id) for case, run in study.reading_runs()]
    assert runs == [("iris", "KC-once"), ("second", "KC-once"), ("far", "RCE")]
    only_kc = restrict(study, load_config({"seed": 1, "methods": "KC", "datasets": "second"}))
    assert only_kc is not None
    assert [(case.id, run.id) for case, run in only_kc.reading_runs()] == [("second", "KC-once")]
    only_rce = restrict(study, load_config({"seed": 1, "methods": "RCE"}))
    assert only_rce is not None
    assert [(case.id, run.id) for case, run in only_rce.reading_runs()] == [("far", "RCE")]


def test_a_case_may_change_a_method_and_the_size_of_its_jobs():
    costly = {"dataset": "iris", "subsets_per_job": 3, "parameters": {"RCE": {"n_init": 1}}}
    rce = {"method": "RCE", "parameters": {"n_init": 5, "mu": 0.1}}
    study = Study.model_validate({**STUDY, "cases": [costly, "wine"], "methods": [rce]})
    iris, wine = study.cases
    assert study.blocks(iris, 10) == [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert study.blocks(iris, 2) == study.blocks(wine, 2)
    assert study.parameters(iris, study.methods[0]) == {"n_init": 1, "mu": 0.1}
    assert study.parameters(wine, study.methods[0]) == {"n_init": 5, "mu": 0.1}


def test_restrictions():
    study = Study.model_validate(STUDY)
    loaded = load_config({"seed": 1, "datasets": "second, iris", "methods": ["KC"]})
    small = restrict(study, loaded)
    assert small is not None
    assert [case.id for case in small.cases] == ["iris", "second"]
    assert [run.id for run in small.methods] == ["KC"]
    assert restrict(study, load_config({"seed": 1, "datasets": ["elsewhere"]})) is None
    described = study.model_copy(update={"only_in_table1": study.cases[:1]})
    assert restrict(described, load_config({"seed": 1, "methods": "KC"})).only_in_table1 == study.cases[:1]
    assert restrict(described, loaded).only_in_table1 == ()
    with pytest.raises(InputError, match=r'datasets = .secnd.: in no study; did you mean "second"\?'):
        check_restrictions([study], load_config({"seed": 1, "datasets": "secnd"}))
    other = study.model_copy(update={"cases": study.cases[:1], "methods": study.methods[:1]})
    third = study.model_copy(update={"cases": study.cases[1:], "methods": study.methods[1:]})
    without = {"id": "second", "dataset": "yale", "without": ["RCE"]}
    left_out = Study.model_validate({**STUDY, "cases": ["iris", without]})
    for studies, case in (([other, third], "iris"), ([left_out], "second")):
        with pytest.raises(InputError, match="no study runs that"):
            check_restrictions(studies, load_config({"seed": 1, "datasets": case, "methods": "RCE"}))


@pytest.mark.parametrize(
    ("protocol", "fewer"),
    [
        ({"runs": 200, "subset_size": 20}, {"runs": 40, "subset_size": 20}),
        ({"runs": 100, "subset_size": 20, "draws": 20}, {"runs": 100, "subset_size": 20, "draws": 2}),
    ],
)
def test_the_first_subsets_of_a_study(protocol, fewer):
    figures = [{"id": f"v{s}", "kind": "vat", "cases": ["iris"], "title": "?", "subset": s} for s in (2, 3)]
    study = Study.model_validate({**STUDY, "ensemble": protocol, "figures": figures})
    small = restrict(study, load_config({"seed": 1, "subsets": 2}))
    assert small is not None
    assert small.ensemble == EnsembleProtocol(**fewer)
    assert [figure.id for figure in small.figures] == ["v2"]
    assert restrict(study, load_config({"seed": 1, "subsets": 50})) == restrict(
        study, load_config({"seed": 1})
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, "seed: missing; add this key"),
        ({"seed": -1}, "seed = -1"),
        ({"seed": 1.5}, "seed = 1.5"),
        ({"seed": 1, "subsets_per_job": 0}, "subsets_per_job = 0"),
        ({"seed": 1, "subsets": 0}, "subsets = 0"),
        ({"seed": 1, "data_miror": "x"}, 'did you mean "data_mirror"?'),
    ],
)
def test_the_configuration_is_checked(value, expected):
    with pytest.raises(InputError) as error:
        load_config(value)
    assert expected in str(error.value)
    assert str(error.value).startswith("config/config.yaml: ")


def test_a_case_stands_for_another_one_of_its_data_set_where_both_are_run(tmp_path):
    cases = ["iris", "yale", {"id": "second", "dataset": "yale", "ensemble": "authors", "instead_of": "yale"}]
    study = load_study(write(tmp_path, {"cases": cases}), REGISTRY)
    assert [case.id for case in study.counted] == ["iris", "second"]
    alone = restrict(study, load_config({"seed": 1, "datasets": "yale, iris"}))
    assert alone is not None
    assert [case.id for case in alone.counted] == ["iris", "yale"]
    cases[2]["instead_of"] = "iris"
    assert "cases[2].instead_of = 'iris': not known here" in messages(tmp_path, {"cases": cases})[0]


def test_readings_are_studies_of_one_case_each(tmp_path):
    readings = {
        "methods": [{"id": "KC-few", "of": "KC", "method": "KC", "parameters": {"n_init": 2}, "why": "w"}],
        "cases": [{"id": "pp", "dataset": "iris", "of": "iris", "why": "w", "methods": ["RCE"]}],
    }
    study = load_study(write(tmp_path, {"readings": readings}), REGISTRY)
    found = {s.cases[0].id: [run.id for run in s.methods] for s in study.readings_by_case()}
    assert found == {"iris": ["KC-few"], "second": ["KC-few"], "pp": ["RCE"]}
    assert all(s.readings_by_case() == [] for s in study.readings_by_case())
    without = restrict(study, load_config({"seed": 1, "methods": "KC"}))
    assert without is not None
    assert [s.cases[0].id for s in without.readings_by_case()] == ["iris", "second"]


def test_readings_run_at_no_other_point_than_the_default_where_the_study_shows_that(tmp_path):
    grid = {"grid": {"lambda1": [1, 2], "lambda2": [3]}, "default": {"lambda1": 2, "lambda2": 3}}
    methods = ["KC", {"method": "RCE", **grid}]
    readings = {
        "methods": [{"id": "RCE-pin", "of": "RCE", "method": "RCE", **grid, "why": "w"}],
        "cases": [{"id": "pp", "dataset": "iris", "of": "iris", "why": "w", "methods": ["KC", "RCE"]}],
    }
    content = {"methods": methods, "readings": readings}
    for reading, points in (("default", 1), ("oracle-common", 2)):
        study = load_study(write(tmp_path, {**content, "reading": reading}), REGISTRY)
        found = {(case.id, run.id): run.points for case, run in study.reading_runs()}
        assert found["pp", "KC"] == [{}]
        assert found["pp", "RCE"] == found["iris", "RCE-pin"] == study.method("RCE").points[-points:]
        assert [run.points for run in study.runs(study.case("iris"))][1] == study.method("RCE").points


def test_rivals_of_a_claim_are_checked(tmp_path):
    claim = {"text": "It is so.", "check": "best", "method": "RCE", "metric": "ACC", "against": ["KD"]}
    assert "claims.against = 'KD': not known here" in messages(tmp_path, {"claims": [claim]})[0]
    wrong = {**claim, "check": "above_base", "against": ["KC"]}
    assert "against = ['KC'] goes with check: best" in messages(tmp_path, {"claims": [wrong]})[0]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"against": ["KC"]}, "needs one method in against, and the printed percent"),
        ({"percent": 5.7}, "needs one method in against, and the printed percent"),
        ({"against": ["KC"], "percent": 5.7, "check": "best"}, "unseen and percent go with check: improves"),
        ({"against": ["KC-NC"], "percent": 5.7}, "claims.against = 'KC-NC': not known here"),
        ({"against": ["KC"], "percent": 5.7, "unseen": True}, "claims.against = 'KC': not known here"),
        (
            {"against": ["K-means-NC"], "percent": 5.7, "unseen": True, "metric": "NMI", "method": "KC-NC"},
            "claims.metric = 'NMI': unseen objects have another; write ACC",
        ),
    ],
)
def test_an_improvement_names_its_rival_and_the_print(tmp_path, changes, said):
    claim = {"text": "It is so.", "check": "improves", "method": "RCE", "metric": "ACC", **changes}
    plan = {"methods": ["KC"], "cases": ["iris"]}
    found = messages(tmp_path, {"claims": [claim], "generalisation": plan})
    assert any(said in line for line in found)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"methods": ["KD"]}, "generalisation.methods = 'KD': not known here"),
        ({"cases": ["irs"]}, "generalisation.cases = 'irs': not known here"),
        (
            {"cases": []},
            "generalisation.cases = 'second': its base clusterings are not by k-means; name",
        ),
        ({"beside": "KC"}, "generalisation.beside = 'KC': not known here"),
        (
            {"methods": [{"method": "KC", "by": ["NC", "Infer"]}]},
            "generalisation.methods[0].by = 'Infer': KC cannot predict from labels; write NC",
        ),
        (
            {"methods": [{"method": "KC", "by": ["own"]}]},
            "generalisation.methods[0].by = 'own': KC cannot predict from features; write NC",
        ),
        ({"methods": ["KC", {"method": "RCE", "id": "KC"}]}, "two rows are named 'KC-NC'"),
        ({"methods": [{"method": "KC", "by": []}]}, "generalisation.methods[0].by = []"),
        ({"train_share": 1}, "generalisation.train_share"),
    ],
)
def test_a_study_of_generalisation_is_checked(tmp_path, changes, said):
    plan = {"methods": ["KC"], "cases": ["iris"], **changes}
    found = messages(tmp_path, {"generalisation": plan})
    assert any(said in line for line in found), found


@pytest.mark.parametrize(("features", "refused"), [("original", False), ("pseudo", True)])
def test_only_a_method_learned_from_features_maps_them(tmp_path, features, refused):
    content = {
        "cases": ["iris"],
        "methods": [{"method": "SSCE", "parameters": {"features": features}}],
        "generalisation": {"methods": [{"method": "SSCE", "by": ["own"]}]},
    }
    if refused:
        said = "generalisation.methods[0].by = 'own': SSCE cannot predict from features; write NC"
        assert said in messages(tmp_path, content)[0]
    else:
        assert load_study(write(tmp_path, content), REGISTRY).unseen_rows() == ["K-means-NC", "SSCE"]


def test_what_unseen_objects_depend_on_is_a_study_of_its_own(tmp_path):
    plan = {"methods": [{"method": "RCE"}], "cases": ["iris"], "beside": "RCE-NC"}
    content = {"generalisation": plan, "reading": "default", "other_data": "They are others."}
    study = load_study(write(tmp_path, content), REGISTRY)
    alone = study.on_unseen_objects(study.case("iris"))
    assert Study.model_validate_json(alone.model_dump_json()) == alone
    assert [run.id for run in alone.methods] == ["RCE"]
    assert alone.ensemble == study.ensemble
    assert alone.unseen_rows() == study.unseen_rows()
    retold = {
        **content,
        "title": "Another",
        "reading": "oracle-common",
        "other_data": None,
        "table2": ["NMI"],
    }
    other = load_study(write(tmp_path, retold), REGISTRY)
    assert other.on_unseen_objects(other.case("iris")) == alone


def test_a_study_of_generalisation_is_restricted(tmp_path):
    plan = {"methods": ["KC", {"method": "RCE"}], "cases": ["iris"]}
    study = load_study(write(tmp_path, {"generalisation": plan}), REGISTRY)
    assert study.unseen_rows() == ["K-means-NC", "KC-NC", "RCE-NC"]
    assert [case.id for case in study.generalised()] == ["iris"]
    fewer = restrict(study, load_config({"seed": 1, "methods": ["RCE"]}))
    assert fewer is not None
    assert fewer.unseen_rows() == ["K-means-NC", "RCE-NC"]
    elsewhere = restrict(study, load_config({"seed": 1, "datasets": ["second"]}))
    assert elsewhere is not None
    assert elsewhere.generalisation is None
    assert elsewhere.generalised() == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"methods": ["KC"]}, "figures[0].methods: their grids are not of one parameter: KC (none)"),
        ({"methods": ["KD"]}, "figures[0].methods = 'KD': not known here"),
        ({"beside": ["RCE"]}, "figures[0].beside = 'RCE': not known here"),
        ({"cases": ["irs"]}, "figures[0].cases = 'irs': not known here"),
        ({"metric": "NMI-mean"}, "figures[0].metric = 'NMI-mean': not known here"),
    ],
)
def test_a_figure_over_one_parameter_is_checked(tmp_path, changes, said):
    figure = {"id": "line", "kind": "grid_line", "title": "t", "metric": "ACC", "methods": ["RCE"], **changes}
    assert said in messages(tmp_path, {"figures": [figure]})[0]


def test_both_figures_are_checked(tmp_path):
    figure = {"method": "RCE", "x": "lambda1", "y": "lambda3"}
    for key in ("figure1", "figure2"):
        assert f"{key}.y = 'lambda3': not known here" in messages(tmp_path, {key: figure})[0]


PANEL = {"title": "C", "method": "RCE"}
SIZED = {
    "id": "iris_m5",
    "dataset": "iris",
    "of": "iris",
    "why": "size",
    "methods": ["RCE"],
    "subset_size": 5,
}
DRAWN = {
    "ensemble": {"runs": 20, "subset_size": 10, "draws": 4},
    "readings": {"cases": [SIZED]},
}
FIGURES = {
    "sizes": {"id": "f", "title": "t", "kind": "sizes", "metric": "ARI"},
    "matrices": {"id": "f", "title": "t", "kind": "matrices", "case": "iris", "panels": [PANEL]},
    "levels": {"id": "f", "title": "t", "kind": "levels", "case": "iris"},
    "paths": {
        "id": "f", "title": "t", "kind": "paths", "method": "RCE", "path": "objective_path_", "labels": ["J"],
    },
    "objects": {"id": "f", "title": "t", "kind": "objects", "cases": ["iris"]},
    "vat": {"id": "f", "title": "t", "kind": "vat", "cases": ["iris"]},
    "bars": {
        "id": "f", "title": "t", "kind": "bars", "metrics": ["ACC"],
        "groups": [{"title": "g", "cases": ["iris"]}],
    },
}  # fmt: skip


def figure(kind, **changes):
    return {**DRAWN, "figures": [{**FIGURES[kind], **changes}]}


def panel(**changes):
    return figure("matrices", panels=[{**PANEL, **changes}])


@pytest.mark.parametrize("kind", FIGURES)
def test_further_figures_are_read(tmp_path, kind):
    study = load_study(write(tmp_path, figure(kind)), REGISTRY)
    assert study.figure("f").kind == kind
    assert not any(part.figures for part in study.readings_by_case())


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (figure("sizes", metric="purity") | {"metrics": ["ACC", "NMI"]}, ".metric = 'purity': not known"),
        (figure("sizes", cases=["irsi"]), ".cases = 'irsi': not known here; did you mean \"iris\"?"),
        (figure("sizes", cases=["second"]), ".cases = 'second': it has no other sizes; add readings.cases"),
        (figure("sizes") | {"readings": {}}, ".cases = (): no case has other sizes; add readings.cases"),
        (figure("sizes", methods=["RCF"]), ".methods = 'RCF': not known here; did you mean \"RCE\"?"),
        (figure("sizes", bars=True), ".bars = True: unknown key"),
        (figure("matrices", case="irsi"), ".case = 'irsi': not known here"),
        (figure("matrices", subset=5), ".subset = 5: there are 4; choose one of them"),
        (figure("matrices", scale=[1, 0]), ".scale = [1, 0]: the lower end comes first"),
        (figure("matrices", order="sorted"), ".order = 'sorted': input should be 'class'"),
        (panel(method="RC"), ".panels[0].method = 'RC': not known here; did you mean \"RCE\"?"),
        (panel(matrix="consensus"), ".matrix = 'consensus': not known here; did you mean \"consensus_matrix"),
        (panel(method="KC"), ".matrix = 'consensus_matrix': not known here; there is none"),
        (panel(parameters={"lamda1": 1}), ".parameters.lamda1 = 1: no such parameter of RCE"),
        (panel(parameters={"lambda1": -1}), ".parameters.lambda1 = -1: refused by RCE"),
        (panel(similarity="lwca"), "write either similarity or method"),
        (
            panel(method=None, similarity="lwca", parameters={"teta": 1}),
            ".panels[0].parameters = 'teta': not known here; did you mean \"theta\"?",
        ),
        (panel(method=None, similarity="lwcA"), ".panels[0].similarity = 'lwcA': input should be 'classes'"),
        (figure("levels", case="wine"), ".case = 'wine': not known here"),
        (figure("paths", method="RC"), ".method = 'RC': not known here"),
        (figure("paths", path="path_"), ".path = 'path_': not known here; "),
        (figure("paths", labels=["a", "b"]), ".labels = ['a', 'b']: objective_path_ has 1 columns; name"),
        (figure("paths", cases=["irsi"]), ".cases = 'irsi': not known here"),
        (figure("paths", parameters={"tol": -1}), ".parameters.tol = -1: refused by RCE"),
        (figure("objects", cases=["irsi"]), ".cases = 'irsi': not known here; did you mean \"iris\"?"),
        (figure("vat", subset=5), ".subset = 5: there are 4; choose one of them"),
        (figure("bars", groups=[{"title": "g", "cases": ["irsi"]}]), ".cases = 'irsi': not known here"),
        (figure("bars", methods=["RC"]), ".methods = 'RC': not known here; did you mean \"RCE\"?"),
        (figure("bars", metrics=["purity"]) | {"metrics": ["ACC", "NMI"]}, ".metrics = 'purity': not known"),
        (DRAWN | {"starts": {"title": "t", "methods": ["RC"]}}, "starts.methods = 'RC': not known here"),
        (DRAWN | {"starts": {"title": "t", "methods": ["RCE"], "cases": ["x"]}}, "starts.cases = 'x': not"),
        (
            {"claims": [{"text": "t", "check": "best", "method": "KC", "metric": "ACC", "cases": ["x"]}]},
            "claims.cases = 'x': not known here",
        ),
        (figure("levels", id="starts"), "figures: the id 'starts' names a file of the report; choose"),
        (figure("levels", id="table2"), "figures: the id 'table2' names a file of the report; choose"),
        (DRAWN | {"figures": [FIGURES["levels"]] * 2}, "two figures have the id 'f'"),
        (DRAWN | {"figures": [{"kind": "level"}]}, "figures[0] = {'kind': 'level'}: "),
    ],
)  # fmt: skip
def test_a_mistake_in_a_figure_is_a_line(tmp_path, changes, expected):
    (line,) = messages(tmp_path, changes)
    assert line.startswith(f"{tmp_path}/mine.yaml: ")
    assert expected in line
