"""The table of unseen objects: selections, tests against the row beside, missing scores."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from consclust.report.blocks import Shown
from consclust.report.wording import DASH
from consclust_studies.exhibits.unseen import BETTER, WORSE, Unseen
from consclust_studies.results.unseen_scores import DEFAULT, ORACLE, pick_means
from consclust_studies.stages.selection import FIXED
from small import planned, source_of

LOW, HIGH = 0, 1
"""Grid points of SSCE, below."""
PLAN = {
    "splits": 3,
    "repetitions": 2,
    "beside": "SSCE",
    "cases": ["iris"],
    "methods": ["KC", {"method": "BCE", "by": ["Infer"]}, {"method": "SSCE", "by": ["own"]}],
}
GRID = {"method": "SSCE", "grid": {"lambda1": [0.1, 10.0]}, "default": {"lambda1": 0.1}}


def scores() -> pd.DataFrame:
    """Per ensemble: KC about .5, BCE-Infer about .9; SSCE .7 at the default point, .9 at the other, which is
    the better one on the training objects in the first split only."""
    rows = []
    for split in range(3):
        for repetition in range(2):
            where, near = ("iris", split, repetition), 0.01 * split + 0.001 * repetition
            rows += [
                (*where, "K-means-NC", 0, 0.4, 0.4 + near, ""),
                (*where, "KC-NC", 0, 0.5, 0.5 + near, ""),
                (*where, "BCE-Infer", 0, 0.9, 0.9 - near, ""),
                (*where, "SSCE", LOW, 0.7, 0.7 + 2 * near, ""),
                (*where, "SSCE", HIGH, 0.9 if split == 0 else 0.6, 0.9, ""),
            ]
    names = ["case", "split", "repetition", "row", "point", "training", "value", "reason"]
    return pd.DataFrame(rows, columns=names)


def show(found: pd.DataFrame | None = None, **changes: Any) -> Shown:
    study = planned(methods=["KC", "BCE", GRID], generalisation={**PLAN, **changes})
    source = source_of(study, unseen=scores() if found is None else found)
    return Unseen(kind="unseen").build(source)


def frame(found: pd.DataFrame | None = None, **changes: Any) -> pd.DataFrame:
    return show(found, **changes).frame.set_index(["row", "selection"])


def test_a_grid_point_is_chosen_on_the_training_objects():
    made = frame()
    low = scores().query("row == 'SSCE' and point == @LOW")["value"]
    assert made.loc[("SSCE", DEFAULT), "mean"] == pytest.approx(low.mean())
    expected = [0.9, 0.9, *low.iloc[2:]]
    assert made.loc[("SSCE", ORACLE), "mean"] == pytest.approx(np.mean(expected))
    assert made.loc[("SSCE", ORACLE), "std"] == pytest.approx(np.std(expected, ddof=1))
    assert list(made["n"]) == [6] * 5
    rows = [("K-means-NC", FIXED), ("KC-NC", FIXED), ("BCE-Infer", FIXED), ("SSCE", ORACLE), ("SSCE", DEFAULT)]
    assert list(made.index) == rows
    assert list(made[made["best"]].index) == [("BCE-Infer", FIXED)]


def test_claims_read_the_mean_in_the_selection_of_the_study():
    shown = show().frame
    made = shown.set_index(["row", "selection"])["mean"]
    assert pick_means(shown, "SSCE", "oracle-common").to_dict() == {"iris": made["SSCE", ORACLE]}
    assert pick_means(shown, "SSCE", "default").to_dict() == {"iris": made["SSCE", DEFAULT]}
    assert pick_means(shown, "KC-NC", "default").to_dict() == {"iris": made["KC-NC", FIXED]}


def test_the_others_are_tested_over_the_splits_against_the_row_beside():
    made = frame()
    by_split = scores().groupby(["row", "point", "split"])["value"].mean()
    expected = stats.ttest_rel(by_split["KC-NC", 0], by_split["SSCE", LOW]).pvalue
    assert made.loc[("KC-NC", FIXED), "p_value"] == pytest.approx(expected)
    assert made["p_value"].isna().tolist() == [False, False, False, True, True]
    assert frame(beside=None)["p_value"].isna().all()


def test_cells_show_the_best_and_what_differs():
    (table,) = show().blocks
    cells = dict(zip(table.header, table.rows[0], strict=True))
    assert cells["Data set"].text == "Iris"
    assert (cells["KC-NC"].mark, cells["BCE-Infer"].mark, cells["SSCE (default)"].mark) == (BETTER, WORSE, "")
    assert [name for name, cell in cells.items() if cell.bold] == ["BCE-Infer"]
    assert cells["BCE-Infer"].text == ".889 ± .009"


def test_a_method_that_fails_has_no_score_there():
    found = scores()
    found.loc[(found["row"] == "SSCE") & (found["split"] == 0), ["training", "value"]] = np.nan
    assert list(frame(found)["n"]) == [6, 6, 6, 4, 4]
    found.loc[found["row"] == "KC-NC", ["training", "value"]] = np.nan
    (table,) = show(found).blocks
    assert table.rows[0][table.header.index("KC-NC")].text == DASH


def test_it_is_wanted_where_the_study_has_unseen_objects():
    assert not Unseen(kind="unseen").wanted(planned())
    study = planned(methods=["KC", "BCE", GRID], generalisation=PLAN)
    assert Unseen(kind="unseen").wanted(study)
    assert Unseen(kind="unseen").needs(study).unseen == ("iris",)
