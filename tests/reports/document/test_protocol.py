from consclust import scores as metrics
from consclust.methods import load
from consclust.report.references import References
from consclust_studies.document.protocol import DATA, list_protocol_items
from small import STUDY, planned


def tables(study) -> dict[str, list[tuple[str, ...]]]:
    items = list(list_protocol_items(study, References()))
    return {
        item["header"][0] + "/" + item["header"][1]: [tuple(cell["text"] for cell in row) for row in item["rows"]]
        for item in items
        if item["type"] == "table"
    }


def text(study) -> str:
    items = list(list_protocol_items(study, References()))
    return " ".join(item["text"] for item in items if item["type"] == "paragraph")


def with_cases(*cases, **changes):
    return planned(cases=[{**case, "preprocessing": []} for case in cases], **changes)


def test_works_are_numbered_in_the_order_of_their_citation() -> None:
    references = References()
    assert [references.cite(work) for work in ("a", "b", "a", "")] == [
        "\N{NO-BREAK SPACE}[1]",
        "\N{NO-BREAK SPACE}[2]",
        "\N{NO-BREAK SPACE}[1]",
        "",
    ]


def test_base_clusterings_are_described() -> None:
    settings = dict(tables(planned())["Setting/Value"])
    assert settings["Runs"] == "12"
    assert settings["Subsets"] == "3, each of 4 runs: the runs in their order"
    assert settings["Number of clusters k"] == "the number of classes"
    drawn = planned(ensemble={"runs": 12, "subset_size": 4, "draws": 5, "n_clusters": [2, 3, 4]}, subsets=2)
    settings = dict(tables(drawn)["Setting/Value"])
    assert settings["Subsets"].startswith("5, each of 4 runs: drawn from all runs at random, each anew (seed 1)")
    assert settings["Subsets"].endswith("only the first 2 in this run")
    assert settings["Number of clusters k"] == "2-4, taken in turn"


def test_only_data_sets_that_differ_are_listed() -> None:
    assert "Data set/Base clusterings" not in tables(planned())
    study = with_cases(
        {"dataset": "iris", "title": "Iris"},
        {"dataset": "wine", "ensemble": "mixed", "object_share": 0.9, "init": "k-means++", "title": "Wine"},
    )
    (row,) = tables(study)["Data set/Base clusterings"]
    assert row[0] == "Wine"
    assert "k-means++" in row[1]
    assert "90% of the objects" in row[1]
    assert "Ward" in text(study)


def test_very_many_data_sets_are_counted() -> None:
    cases = [{"dataset": "iris", "id": f"a{i}", "ensemble": "authors", "title": f"Set {i}"} for i in range(40)]
    (row,) = tables(with_cases({"dataset": "iris", "title": "Iris"}, *cases))["Data set/Base clusterings"]
    assert row[0].startswith("40 of 41 cases")
    (few,) = tables(with_cases({"dataset": "iris", "title": "Iris"}, *cases[:2]))["Data set/Base clusterings"]
    assert few[0] == "Set 0 and Set 1"


def test_ready_made_ensembles_have_no_settings_of_k_means() -> None:
    study = with_cases({"dataset": "iris", "ensemble": "authors"})
    assert [name for name, _ in tables(study)["Setting/Value"]] == ["Runs", "Subsets"]
    assert tables(study)["Data set/Base clusterings"] == [("iris", "not made here: the ready-made ensemble authors")]


def test_methods_say_what_they_do_and_their_grid() -> None:
    rows = {row[0]: row for row in tables(planned())["Method/What it does"]}
    assert list(rows) == ["KC", "EAC", "RCE"]
    assert load("RCE").summary in rows["RCE"][1]
    assert rows["RCE"][3] == "λ₁ ∈ {0.1, 1}, λ₂ ∈ {0.1, 1} (4 points)"
    assert rows["EAC"][2] == "linkage = average"


def test_long_grids_are_abridged() -> None:
    grid = {"lambda1": [10.0**i for i in range(-4, 5)]}
    study = planned(methods=[{"method": "RCE", "grid": grid, "default": {"lambda1": 1.0}}])
    ((*_, points),) = tables(study)["Method/What it does"]
    assert points == "λ₁ ∈ {0.0001, 0.001, …, 10000} (9 points)"


def test_parameters_off_their_default_are_listed_with_their_data_sets() -> None:
    default = load("KC").parameters()["n_init"]
    cases = [STUDY["cases"][0], {**STUDY["cases"][1], "parameters": {"KC": {"n_init": default + 7}}}]
    study = planned(cases=cases, methods=[{"method": "KC", "parameters": {"n_init": default}}])
    assert tables(study)["Method/Parameter"] == [("KC", "n_init", f"{default}", f"{default + 7}", "Wine")]


def test_methods_that_do_not_run_everywhere_are_named() -> None:
    cases = [STUDY["cases"][0], {**STUDY["cases"][1], "without": ["KC", "EAC"]}]
    assert "KC and EAC on Wine" in text(planned(cases=cases))


def test_selections_and_significance_are_only_there_where_they_apply() -> None:
    assert [row[0] for row in tables(planned())["Selection/Grid point"]] == [
        "oracle, per subset",
        "oracle, common",
        "default",
    ]
    untuned = planned(methods=["KC"], ensemble={"runs": 4, "subset_size": 4})
    assert "Selection/Grid point" not in tables(untuned)
    assert "p-value" in text(planned())
    assert "p-value" not in text(untuned)
    # a study that shows no main table says nothing of what stands in it
    without_main_table = planned(standard_exhibits=False)
    assert "Selection/Grid point" not in tables(without_main_table)
    assert "p-value" not in text(without_main_table)


def test_every_metric_has_a_definition() -> None:
    assert set(DATA["metrics"]) == {*metrics.METRICS, *metrics.FURTHER}


def test_the_metrics_of_the_study_are_defined_once() -> None:
    rows = tables(planned())["Metric/Name"]
    assert [(metric, name) for metric, name, _ in rows] == [
        ("ACC", "Accuracy"),
        ("NMI", "Normalised mutual information"),
    ]
    assert rows[0][2].endswith("]")
    generalised = planned(generalisation={"methods": ["KC"], "metric": "purity"})
    assert [row[0] for row in tables(generalised)["Metric/Name"]] == ["ACC", "NMI", "purity"]


def test_without_classes_there_are_no_metrics_but_settings_of_the_diagnosis() -> None:
    changes = {
        "ensemble": {"runs": 12, "subset_size": 12},
        "methods": ["KC"],
        "diagnosis": {"ks": [2, 3, 5], "draws": 7},
    }
    study = with_cases({"dataset": "iris", "title": "Iris", "ensemble": "mine", "k": 4}, **changes)
    found = tables(study)
    assert "Metric/Name" not in found
    settings = {name: value for name, value, _ in found["Setting/Value"]}
    assert settings["Numbers of clusters"] == "2-3, 5"
    assert settings["Bootstrap ensembles"] == "7"
    assert "4 on Iris" in text(study)
    assert "number of classes" not in text(study)
