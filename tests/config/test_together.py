"""Methods that are fitted together."""

from consclust_studies.config.experiment import Experiment

H, Z = ({"id": f"RSEC-{v}", "method": "RSEC", "parameters": {"variant": v, "rho": 1.2}} for v in "HZ")
TOGETHER = [{**H, "together": "RSEC"}, {**Z, "together": "RSEC"}]


def experiment(methods, **more):
    return Experiment.model_validate({"id": "mine", "cases": ["iris"], "methods": methods, **more})


def test_what_is_fitted_has_a_grid_point_for_each_method():
    study = experiment([*TOGETHER, "EAC"])
    for method in study.methods[:2]:
        fitted = study.fitted(method)
        assert (fitted.id, fitted.parameters, fitted.grid) == ("RSEC", {"rho": 1.2}, {"variant": ("H", "Z")})
        assert study.run(study.cases[0], "RSEC") == fitted
    assert study.fitted(study.methods[2]) is study.methods[2]
    assert [run.id for run in study.runs(study.cases[0])] == ["RSEC-H", "RSEC-Z", "EAC"]


def test_a_variant_can_be_fitted_together_with_its_method():
    variant = {**TOGETHER[1], "of": "RSEC-H", "why": "what is clustered"}
    study = experiment([TOGETHER[0], "EAC"], variants={"methods": [variant]})
    assert study.fitted(study.methods[0]).grid == {"variant": ("H", "Z")}


def test_what_is_fitted_together_keeps_its_setting_of_missing_labels():
    study = experiment([{**method, "missing_labels": "ignored"} for method in TOGETHER])
    assert study.fitted(study.methods[0]).missing_labels == "ignored"
