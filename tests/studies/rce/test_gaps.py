"""The gap of each grid point is that of the note; selected points count as often as they are selected."""

import numpy as np
import pytest
from beyond import block_of, study_of, table_of, variant

from small import source_of
from studies.rce.exhibits.gaps import LOWEST, Gaps, _median_of_selected, _weigh
from studies.rce.exhibits.grid_scores import count_selections

KEYS = {"kind": "gaps", "id": "gaps", "title": "Gaps", "method": "RCE", "x": "lambda1", "y": "lambda2"}
NAMED = {"grid": {"lambda1": [1.0], "lambda2": [0.1, 1.0]}}
STUDY = study_of(
    variant("certified", {"certify": True}, cases=["iris"], subsets={"iris": 2}),
    variant("named", {"certify": True}, cases=["wine"], **NAMED),
    ensemble={"runs": 8, "subset_size": 4},
)
EXHIBIT = Gaps(**KEYS, variants=["certified", "named"])
GAPS = {"iris": [0.3, 2e-3, 5e-5, 1e-12], "wine": [0.05, 1e-3]}
"""By grid point, lambda2 fastest."""


@pytest.fixture
def shown(tmp_path, monkeypatch):
    # on other subsets the gaps are others, which do not count
    notes = {(0, point): gap for point, gap in enumerate(GAPS["iris"])} | {(1, point): 0.9 for point in range(4)}
    blocks = {
        "iris": block_of(tmp_path / "iris.npz", notes),
        "wine": block_of(tmp_path / "wine.npz", {(0, point): gap for point, gap in enumerate(GAPS["wine"])}),
    }
    taken = {"iris": [1, 2], "wine": [0, 3]}
    # on each subset the point that is taken has the best score
    scores = table_of(STUDY, lambda case, method, point, subset: float(point == taken[case][subset]))
    source = source_of(STUDY, scores=scores, variant_scores=scores[:0])
    monkeypatch.setattr(type(source), "blocks", lambda self, case, method: [blocks[case]])
    return EXHIBIT.build(source)


def test_each_certified_point_has_its_gap_on_the_first_subset(shown):
    frame = shown.frame.set_index("case")
    assert frame.loc["iris", "gap"].tolist() == pytest.approx(GAPS["iris"])
    assert frame.loc["iris", ["lambda1", "lambda2"]].to_numpy().tolist() == [[0.1, 0.1], [0.1, 1], [1, 0.1], [1, 1]]
    assert frame.loc["wine", "gap"].tolist() == pytest.approx(GAPS["wine"])
    assert frame.loc["wine", "lambda1"].tolist() == [1.0, 1.0]


@pytest.mark.long
def test_points_count_as_often_as_they_are_selected(shown):
    assert shown.frame["selected"].tolist() == [0, 1, 1, 0, 0, 1]
    (table,) = shown.blocks
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[0] for row in rows] == ["Iris", "Wine"]
    # of iris both are below a hundredth and one below 1e-4; of wine one of the two has a certified fit
    assert [row[-4:] for row in rows] == [
        ["2 of 2", "1.0e\N{MINUS SIGN}03", "100%", "50%"],
        ["1 of 2", "1.0e\N{MINUS SIGN}03", "100%", "0%"],
    ]
    assert "100%" in shown.abstract
    assert "3 of 4" in shown.abstract


def test_points_that_are_equally_good_share_a_selection():
    values = np.array([[0.5, 0.2], [0.5 + 1e-15, 0.2], [0.1, 0.9]])
    assert count_selections(values, "oracle-per-subset", 2).tolist() == [0.5, 0.5, 1]
    assert count_selections(values, "oracle-common", 2).tolist() == [0, 0, 2]
    assert count_selections(np.full((2, 3), 0.4), "oracle-common", 1).tolist() == [1.5, 1.5]
    assert count_selections(values, "default", 1).tolist() == [0, 2, 0]


def test_a_fit_without_a_gap_is_no_fit_far_from_the_optimum(shown):
    frame = shown.frame.copy()
    frame.loc[(frame["case"] == "iris") & (frame["selected"] == 1), "gap"] = [2e-3, np.nan]
    assert _weigh(frame[frame["case"] == "iris"], 1e-2) == 1
    assert _median_of_selected(frame[frame["case"] == "iris"]) == 2e-3


def test_the_default_has_its_own_column(shown):
    (table,) = shown.blocks
    place = table.header.index("Default")
    assert [row[place].text for row in table.rows] == ["1.0e\N{MINUS SIGN}12", "1.0e\N{MINUS SIGN}03"]


@pytest.mark.long
def test_a_panel_for_each_data_set(shown):
    panels = {axes.get_title(): axes for axes in shown.picture.axes if axes.get_title()}
    assert list(panels) == ["Iris", "Wine"]
    drawn = panels["Iris"].collections[0].get_array().ravel()
    # x is the last parameter but one, so that rows are lambda2
    np.testing.assert_allclose(drawn, [0.3, 5e-5, 2e-3, LOWEST])
    assert np.ma.getmaskarray(panels["Wine"].collections[0].get_array()).ravel().tolist() == [True, False] * 2


def test_it_reads_the_labels_of_the_cases_of_each_variant():
    needs = EXHIBIT.needs(STUDY)
    assert needs.labels == (("iris", "certified"), ("wine", "named"))
    assert needs.scores


def test_mistakes():
    assert list(EXHIBIT.mistakes(STUDY)) == []
    assert [key for key, _ in EXHIBIT.model_copy(update={"x": "lambda3"}).mistakes(STUDY)] == ["x"]
    other = study_of(
        variant("certified", {}, grid={**NAMED["grid"], "mu": [1.0]}, default={"lambda1": 1, "lambda2": 1, "mu": 1})
    )
    exhibit = EXHIBIT.model_copy(update={"variants": ("certified",)})
    assert [key for key, _ in exhibit.mistakes(other)] == ["variants"]
    on_none = study_of(variant("certified", {}, cases=["iris"]), cases=[{"dataset": "wine", "preprocessing": []}])
    assert [key for key, _ in exhibit.mistakes(on_none)] == ["variants"]
    assert next(key for key, _ in exhibit.model_copy(update={"method": "KC"}).mistakes(STUDY)) == "method"
