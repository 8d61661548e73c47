"""Means over groups of data sets, by the chosen start and by the mean of the starts."""

import pytest

from consclust_studies.config.paper import Claim
from consclust_studies.stages.selection import find_main_row
from small import planned, scores_of, source_of
from studies.ssce.exhibits.groups import Groups

KEYS = {
    **{"kind": "groups", "id": "groups", "title": "Groups", "metric": "ACC", "rival": "KC"},
    "groups": [{"title": "Both", "cases": ["iris", "wine"]}, {"title": "Wine", "cases": ["wine"]}],
}


def test_rows_are_means_over_the_data_sets_and_differences_in_points() -> None:
    study = planned(restarts="chosen", selection="default")
    scores = scores_of(study, means={"KC": 0.5, "EAC": 0.7, "RCE": 0.4})
    wine_is_better = (scores["method"] == "EAC") & (scores["case"] == "wine")
    scores.loc[wine_is_better, "value"] += 0.1
    start_is_lucky = (scores["method"] == "KC") & (scores["restart"] == "chosen")
    scores.loc[start_is_lucky, "value"] += 0.2
    frame = Groups(**KEYS).build(source_of(study, scores=scores)).frame
    assert frame["cases"].tolist() == ([2] * 4 + [1] * 4) * 2
    assert set(frame["selection"]) == {"fixed", "default"}
    rows = frame.set_index(["starts", "group", "method"])
    for starts in ("chosen", "mean"):
        for group, cases in (("Both", ["iris", "wine"]), ("Wine", ["wine"])):
            mine = scores[(scores["metric"] == "ACC") & (scores["restart"] == starts) & scores["case"].isin(cases)]
            mine = mine[(mine["method"] != "RCE") | (mine["point"] == 3)]
            means = mine.groupby(["method", "case"])["value"].mean().groupby("method").mean()
            for method in ("K-means", "KC", "EAC", "RCE"):
                row = rows.loc[starts, group, method]
                assert row["mean"] == pytest.approx(means[method])
                assert row["gain"] == pytest.approx(100 * (means[method] - means["KC"]))
    assert rows.loc[("chosen", "Both", "KC"), "mean"] > rows.loc[("mean", "Both", "KC"), "mean"] + 0.15


def test_tuned_methods_choose_their_parameters_in_each_way() -> None:
    """The best point of the one way is not that of the other."""
    study = planned(selection="oracle-common")
    scores = scores_of(study)
    for starts, point in (("mean", 0), ("chosen", 2)):
        best = (scores["restart"] == starts) & (scores["method"] == "RCE") & (scores["point"] == point)
        scores.loc[best, "value"] = 0.9
    frame = Groups(**KEYS).build(source_of(study, scores=scores)).frame
    tuned = frame[(frame["method"] == "RCE")]
    assert find_main_row(study, "RCE").selection == "oracle-common"
    assert tuned["mean"].tolist() == pytest.approx([0.9] * 4)


def test_a_table_for_each_way_has_methods_by_groups() -> None:
    shown = Groups(**KEYS).build(source_of(planned()))
    assert len(shown.blocks) == 2
    for starts, table in zip(("chosen", "mean"), shown.blocks, strict=True):
        assert table.header[1:] == ("Both (2 data sets)", "Wine (1 data set)")
        assert [row[0].text for row in table.rows] == ["K-means", "KC", "EAC", "RCE (oracle, per subset)"]
        rows = shown.frame.set_index(["starts", "group", "method"])
        assert table.rows[2][2].text == f"{rows.loc[(starts, 'Wine', 'EAC'), 'mean']:.3f}".lstrip("0")
        assert table.rows[1][1].below == "+0.0"


def test_groups_of_one_name_are_a_mistake() -> None:
    twice = Groups(**{**KEYS, "groups": [KEYS["groups"][1]] * 2})
    assert [key for key, _ in twice.mistakes(planned())] == ["groups"]
    assert not list(Groups(**KEYS).mistakes(planned()))


@pytest.mark.parametrize(
    ("question", "method", "against", "within", "holds"),
    [
        ("above", "EAC", ["KC", "RCE"], 0.02, True),
        ("above", "KC", ["EAC", "RCE"], 0.02, False),
        ("second", "KC", ["EAC", "RCE"], 0.02, True),
        ("second", "RCE", ["EAC", "KC"], 0.02, False),
        ("near", "KC", ["RCE"], 0.11, True),
        ("near", "KC", ["EAC"], 0.11, False),
    ],
)
def test_means_of_a_group_are_compared_for_a_claim(question, method, against, within, holds) -> None:
    study = planned(restarts="chosen", selection="default")
    source = source_of(study, scores=scores_of(study, means={"KC": 0.5, "EAC": 0.7, "RCE": 0.4}))
    asked = {"check": "counted", "by": {"exhibit": "groups", "question": question}, "within": within}
    claim = Claim.model_validate({"text": "-", "method": method, "against": against, "cases": ["wine"], **asked})
    assert Groups(**KEYS).count_for_claim(question, claim, source).holds == (holds, holds)
