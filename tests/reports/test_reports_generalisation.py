"""The table of unseen objects: readings, marks, and what is printed."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from concord.config.study import Study
from concord.reports import generalisation
from concord.reports.generalisation import (
    DEFAULT,
    FIXED,
    ORACLE,
    generalisation_markdown,
    generalisation_table,
)
from concord.reports.tables import DASH

LOW, HIGH = '{"lambda1":0.1}', '{"lambda1":10}'


def study(**changes: Any) -> Study:
    return Study.model_validate(
        {
            "id": "small",
            "title": "Small",
            "summary": "s",
            "cases": [{"id": "a", "dataset": "iris"}],
            "ensemble": {"runs": 8, "subset_size": 4},
            "methods": [
                "KC",
                "BCE",
                {"method": "SSCE", "grid": {"lambda1": [0.1, 10]}, "default": {"lambda1": 0.1}},
            ],
            "metrics": ["ACC"],
            "table2": ["ACC"],
            "generalisation": {
                "splits": 3,
                "repetitions": 2,
                "beside": "SSCE",
                "methods": ["KC", {"method": "BCE", "by": ["Infer"]}, {"method": "SSCE", "by": ["own"]}],
                **changes,
            },
        }
    )


def scores(**changes: Any) -> pd.DataFrame:
    """Per ensemble: KC about .5, BCE-Infer about .9; SSCE .7 at the default point, .9 at the other, which
    is the better one on the training objects in the first split only."""
    rows = []
    for split in range(3):
        for repetition in range(2):
            where, near = ("a", split, repetition), 0.01 * split + 0.001 * repetition
            rows += [
                (*where, "K-means-NC", "{}", 0.4, 0.4 + near, ""),
                (*where, "KC-NC", "{}", 0.5, 0.5 + near, ""),
                (*where, "BCE-Infer", "{}", 0.9, 0.9 - near, ""),
                (*where, "SSCE", LOW, 0.7, 0.7 + 2 * near, ""),
                (*where, "SSCE", HIGH, 0.9 if split == 0 else 0.6, 0.9, ""),
            ]
    names = ["case", "split", "repetition", "row", "parameters", "training", "value", "reason"]
    return pd.DataFrame(rows, columns=names)


def table(found: pd.DataFrame | None = None, **changes: Any) -> pd.DataFrame:
    made = generalisation_table(study(**changes), {"a": "Aa"}, scores() if found is None else found)
    return made.set_index(["row", "reading"])


def test_a_grid_point_is_chosen_on_the_training_objects():
    made = table()
    low = scores()[scores()["parameters"] == LOW]["value"]
    assert made.loc[("SSCE", DEFAULT), "mean"] == pytest.approx(low.mean())
    expected = [0.9, 0.9, *low.iloc[2:]]
    assert made.loc[("SSCE", ORACLE), "mean"] == pytest.approx(np.mean(expected))
    assert made.loc[("SSCE", ORACLE), "std"] == pytest.approx(np.std(expected, ddof=1))
    assert list(made["n"]) == [6] * 5
    assert list(made.index) == [
        ("K-means-NC", FIXED),
        ("KC-NC", FIXED),
        ("BCE-Infer", FIXED),
        ("SSCE", ORACLE),
        ("SSCE", DEFAULT),
    ]
    assert list(made[made["best"]].index) == [("BCE-Infer", FIXED)]


def test_the_others_are_tested_over_the_splits_against_the_row_beside():
    from scipy import stats

    made = table()
    by_split = scores().groupby(["row", "parameters", "split"])["value"].mean()
    expected = stats.ttest_rel(by_split["KC-NC", "{}"], by_split["SSCE", LOW]).pvalue
    assert made.loc[("KC-NC", FIXED), "p_value"] == pytest.approx(expected)
    assert made["p_value"].isna().tolist() == [False, False, False, True, True]
    (block,) = generalisation.cells(study(), table().reset_index())
    marks = {cell["row"]: cell["mark"] for cell in block["cells"]}
    assert marks["KC-NC"] == generalisation.BETTER
    assert marks["BCE-Infer"] == generalisation.WORSE
    assert marks["SSCE (default)"] == ""
    assert table(beside=None)["p_value"].isna().all()


def test_a_method_that_fails_has_no_score_there():
    found = scores()
    failed = (found["row"] == "SSCE") & (found["split"] == 0)
    found.loc[failed, ["training", "value"]] = np.nan
    made = table(found)
    assert made.loc[("SSCE", ORACLE), "n"] == 4
    assert made.loc[("SSCE", DEFAULT), "n"] == 4
    found.loc[found["row"] == "KC-NC", ["training", "value"]] = np.nan
    text = generalisation_markdown(study(), table(found).reset_index())
    assert f"| Aa | 0.411 ± 0.009 • | {DASH} |" in text


def test_the_table_for_people_says_what_it_shows():
    text = generalisation_markdown(study(), table().reset_index())
    header = "| Data set | K-means-NC | KC-NC | BCE-Infer | SSCE (oracle, training) | SSCE (default) |"
    assert header in text
    assert "**0.889** ± 0.009" in text
    assert "3 splits (60% training objects) x 2 ensembles of 4 base clusterings" in text
    assert "nearest centroid of each base clustering" in text
    other = generalisation_markdown(study(base_labels="kmeans-on-test"), table().reset_index())
    assert "k-means on the unseen objects" in other
