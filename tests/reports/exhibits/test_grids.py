import math

import numpy as np
import pandas as pd
import pytest

from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.grids import Grids, ranges
from small import planned, scores_of, source_of

EXHIBIT = Grids(kind="grids")
GRID = {'{"lambda1":0.1}': 0.5, '{"lambda1":1.0}': 0.6, '{"lambda1":10.0}': 0.4}
STUDY = planned(
    methods=["KC", {"method": "RCE", "grid": {"lambda1": [0.1, 1.0, 10.0]}, "default": {"lambda1": 1.0}}],
    metrics=["ACC"],
    reported=["ACC"],
    published=["table2"],
)
PUBLISHED = Published(scores={("iris", "ACC", "RCE"): 0.49, ("wine", "ACC", "RCE"): 0.7})


def scores() -> pd.DataFrame:
    """The values of the grid on both data sets, .01 higher and lower on two of three subsets."""
    table = scores_of(STUDY)
    values = [*GRID.values()]
    of_points = np.where(table["method"] == "RCE", np.take(values, table["point"], mode="clip"), 0.5)
    table["value"] = of_points + (table["subset"] - 1) * 0.01
    return table


def texts(shown, start: str) -> list[list[str]]:
    block = next(block for block in shown.blocks if block.title.startswith(start))
    return [[cell.text for cell in row] for row in block.rows]


def test_it_is_wanted_where_a_method_has_a_grid() -> None:
    assert EXHIBIT.wanted(STUDY)
    assert not EXHIBIT.wanted(planned(methods=["KC"]))


def test_ranges_and_the_single_point_nearest_to_the_published_values() -> None:
    shown = EXHIBIT.build(source_of(STUDY, scores=scores(), published=PUBLISHED))
    assert len(shown.frame) == 2 * 3
    iris = shown.frame[shown.frame["case"] == "iris"].set_index("parameters")
    assert iris["mean"].to_dict() == pytest.approx(GRID)
    assert iris.loc['{"lambda1":0.1}', "difference"] == pytest.approx(0.01)
    assert texts(shown, "Range")[0] == ["RCE", "ACC", "Iris", ".400", ".500", ".600", ".490"]
    # distances from .49 and .7: of 0.1 .01 and .2, of 1.0 .11 and .1, of 10.0 .09 and .3
    summary = texts(shown, "Width")[0]
    assert summary[2:4] == [".200", ".200 (Iris)"]
    assert summary[4:7] == ["1", "1", "0"], "inside on iris, above on wine"
    assert summary[7:] == ["λ₁ = 0.1", ".105", ".105"]


def test_the_range_of_a_race_is_over_the_subsets_on_which_all_points_ran() -> None:
    race = {"RCE": {"metric": "ACC", "subsets": 1, "points": 1}}
    raced = STUDY.model_copy(update={"cases": planned(cases=[{"dataset": "iris", "races": race}, "wine"]).cases})
    table = scores()
    table = table[(table["case"] == "wine") | (table["subset"] == 0) | (table["point"] == 1)]
    table.loc[table["subset"] > 0, "value"] += 0.2
    shown = EXHIBIT.build(source_of(raced, scores=table, published=PUBLISHED))
    assert texts(shown, "Range")[0][3:6] == [".390", ".490", ".590"], "the first subset is .01 below"
    assert texts(shown, "Range")[1][3:6] == [".533", ".633", ".733"]


def test_a_race_of_a_method_that_is_not_in_the_run_changes_nothing() -> None:
    """A variant races on a case, and the run has no variants."""
    race = {"RCE-wide": {"metric": "ACC", "subsets": 1, "points": 1}}
    raced = STUDY.model_copy(update={"cases": planned(cases=[{"dataset": "iris", "races": race}, "wine"]).cases})
    frames = [EXHIBIT.build(source_of(study, scores=scores(), published=PUBLISHED)).frame for study in (STUDY, raced)]
    assert frames[0]["mean"].tolist() == frames[1]["mean"].tolist()


def test_the_gain_of_the_oracle_and_the_distance_of_each_selection() -> None:
    table = scores()
    better = (table["method"] == "RCE") & (table["point"] == 0) & (table["subset"] == 0)
    table.loc[better, "value"] += 0.3
    shown = EXHIBIT.build(source_of(STUDY, scores=table, published=PUBLISHED))
    # .79, .6, .61 per subset; means of the points .6, .6, .4: the first is taken in common
    assert texts(shown, "Gain") == [["RCE", "ACC", "2", "+.067", "+.000"]]
    assert texts(shown, "Mean |difference|") == [["RCE", ".105", ".105", ".105"]]


def test_a_grid_point_that_failed_on_a_subset_has_no_mean() -> None:
    table = scores()
    failed = (table["point"] == 1) & (table["subset"] == 1)
    table.loc[failed, "value"] = math.nan
    shown = EXHIBIT.build(source_of(STUDY, scores=table, published=PUBLISHED))
    assert ranges(shown.frame)["highest"].tolist() == pytest.approx([0.5, 0.5])
    assert "Default's |difference|" not in shown.blocks[2].header, "the default failed"


def test_without_published_values_there_are_no_such_columns() -> None:
    shown = EXHIBIT.build(source_of(STUDY, scores=scores()))
    assert [len(block.header) for block in shown.blocks] == [4, 6, 4, 5]


def test_every_selection_of_a_tuned_method_has_its_scores() -> None:
    (rows,) = [block for block in EXHIBIT.build(source_of(STUDY, scores=scores())).blocks if "Every" in block.title]
    assert rows.header == ("Data set", "RCE (oracle, per subset)", "RCE (oracle, common)", "RCE (default)")
