"""What follows from choices that the paper leaves open: restarts, grids, other readings."""

import math
from itertools import product

import pandas as pd
import pytest

from concord.config.protocol import Readings
from concord.config.study import Study
from concord.reports import grids, readings, restarts
from concord.reports.comparison import other_readings
from concord.reports.published import Published
from concord.reports.rows import study_rows
from concord.reports.tables import TABLE2
from concord.scores.selection import select

STUDY = Study.model_validate(
    {
        "id": "small",
        "title": "Small",
        "summary": "A test.",
        "cases": ["iris", "wine"],
        "ensemble": {"runs": 4, "subset_size": 2},
        "methods": [
            "KC",
            {"method": "RCE", "grid": {"lambda1": [0.1, 1.0, 10.0]}, "default": {"lambda1": 1.0}},
        ],
        "metrics": ["ACC"],
        "table2": ["ACC"],
        "readings": {
            "methods": [
                {"id": "KC-few", "of": "KC", "method": "KC", "parameters": {"n_init": 2}, "why": "restarts"}
            ],
            "cases": [
                {"id": "wine_pp", "dataset": "wine", "of": "wine", "init": "k-means++",
                 "why": "first centres", "methods": ["KC", "RCE"]}
            ],
        },
    }
)  # fmt: skip
COLUMNS = ["study", "case", "subset", "method", "parameters", "restart", "metric", "value"]
GRID = {'{"lambda1":0.1}': 0.5, '{"lambda1":1.0}': 0.6, '{"lambda1":10.0}': 0.4}
MEANS = {"K-means": {"{}": 0.3}, "KC": {"{}": 0.55}, "RCE": GRID}


def tidy(values: dict[tuple[str, str, str, str], float]) -> pd.DataFrame:
    """Two subsets, +-0.01 around the value given for (case, method, parameters, restart)."""
    rows = [
        ("small", case, s, method, point, restart, "ACC", value + (-1) ** s * 0.01)
        for (case, method, point, restart), value in values.items()
        for s in (0, 1)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def scores(gain: float = 0.02) -> pd.DataFrame:
    """The best restart is better by ``gain`` for KC, and by nothing that three decimals show for RCE."""
    more = {"K-means": 0.0, "KC": gain, "RCE": 0.0001}
    return tidy(
        {
            (case, method, point, restart): value + (restart == "chosen") * more[method]
            for case, (method, points) in product(("iris", "wine"), MEANS.items())
            for point, value in points.items()
            for restart in ("mean", "chosen")
        }
    )


def table2(printed: dict[tuple[str, str], float]) -> pd.DataFrame:
    rows = [
        {"case": case, "dataset": case.title(), "metric": "ACC", "method": row.method, "reading": row.reading,
         "row": row.name, "printed": printed.get((case, row.method), math.nan)}
        for case in ("iris", "wine")
        for row in study_rows(STUDY)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(TABLE2))


def test_restarts_lists_only_what_differs_in_the_decimals_of_the_tables() -> None:
    table = restarts.restarts_table(STUDY, scores(), table2({("iris", "KC"): 0.58, ("wine", "KC"): 0.5}))
    assert table[["case", "row"]].to_numpy().tolist() == [["iris", "KC"], ["wine", "KC"]]
    assert table["mean_of_restarts"].tolist() == pytest.approx([0.55, 0.55])
    assert table["best_of_restarts"].tolist() == pytest.approx([0.57, 0.57])
    assert table["nearer"].tolist() == ["best_of_restarts", "mean_of_restarts"]
    assert restarts.sentences(STUDY, table) == [
        "KC: the best restart is nearer to the print on 1 of the 2 printed scores where the two differ, the "
        "mean on 1 (mean absolute difference 0.040 and 0.040)."
    ]
    assert "| KC | 0.570 (+0.020) | 0.570 (+0.020) |" in restarts.restarts_markdown(STUDY, table)


def test_restarts_that_agree_are_no_table() -> None:
    table = restarts.restarts_table(STUDY, scores(0.0), table2({}))
    assert table.empty
    assert "No score differs." in restarts.restarts_markdown(STUDY, table)


def test_nearer_knows_ties_and_what_is_not_printed() -> None:
    cells = pd.DataFrame({"own": [0.4, 0.5, 0.6], "other": [0.6, 0.4, 0.1], "printed": [0.5, math.nan, 0.2]})
    assert restarts.nearer(cells, "own", "other").tolist() == ["equal", "", "other"]


def test_grids_spread_and_the_single_point_nearest_to_the_print() -> None:
    table = grids.grids_table(STUDY, scores(), table2({("iris", "RCE"): 0.49, ("wine", "RCE"): 0.7}))
    assert len(table) == 2 * 3
    assert set(table["method"]) == {"RCE"}
    iris = table[table["case"] == "iris"].set_index("parameters")
    assert iris["mean"].to_dict() == pytest.approx(GRID)
    assert iris.loc['{"lambda1":0.1}', "difference"] == pytest.approx(0.01)
    spread = grids.spreads(table).set_index("case")
    assert spread.loc["iris", ["lowest", "median", "highest"]].tolist() == pytest.approx([0.4, 0.5, 0.6])
    # 0.1: .01 and .2, 1.0: .11 and .1, 10: .09 and .3
    assert grids.sentences(STUDY, table) == [
        "Over its grid the mean ACC of RCE spreads by 0.200 on average over 2 data sets, by 0.200 on Iris; "
        "the print lies inside this range on 1, above it on 1, below it on 0. Of all single points λ₁ = 0.1 "
        "is nearest to the print, 0.105 away on average (default λ₁ = 1: 0.105)."
    ]
    assert "| RCE | ACC | Iris | 0.400 | 0.500 | 0.600 | 0.490 |" in grids.grids_markdown(STUDY, table)


def test_a_grid_point_that_failed_on_a_subset_has_no_mean() -> None:
    broken = scores()
    hit = broken["parameters"].eq('{"lambda1":1.0}') & broken["subset"].eq(1)
    broken.loc[hit, "value"] = math.nan
    table = grids.grids_table(STUDY, broken, table2({}))
    assert grids.spreads(table)["highest"].tolist() == pytest.approx([0.5, 0.5])


class Title:
    def __init__(self, title: str) -> None:
        self.title, self.preprocessing = title, ["zscore"]


REGISTRY = {"iris": Title("Iris"), "wine": Title("Wine")}
PRINT = Published(
    scores={("iris", "ACC", "KC"): 0.6, ("wine", "ACC", "KC"): 0.5, ("wine", "ACC", "RCE"): 0.65}
)


def read(published: Published = PRINT) -> pd.DataFrame:
    others = {("iris", "KC-few", "{}", "mean"): 0.57, ("wine", "KC-few", "{}", "mean"): 0.57}
    others |= {("iris", "K-means", "{}", "mean"): 0.9, ("wine", "K-means", "{}", "mean"): 0.9}
    others |= {("wine_pp", "K-means", "{}", "mean"): 0.32, ("wine_pp", "KC", "{}", "mean"): 0.51}
    others |= {("wine_pp", "RCE", point, "mean"): value + 0.03 for point, value in GRID.items()}
    table = tidy(others)
    selected = pd.concat([select(study, table) for study in STUDY.readings_by_case()], ignore_index=True)
    return readings.readings_table(STUDY, REGISTRY, published, select(STUDY, scores()), selected)  # type: ignore[arg-type]


def test_readings_stand_beside_the_rows_that_they_read_otherwise() -> None:
    table = read()
    keys = ["reading", "case", "method", "chosen"]
    assert table[keys].to_numpy().tolist() == [
        ["KC-few", "iris", "KC", "fixed"],
        ["KC-few", "wine", "KC", "fixed"],
        ["wine_pp", "wine", "K-means", "fixed"],
        ["wine_pp", "wine", "KC", "fixed"],
        ["wine_pp", "wine", "RCE", "oracle-per-subset"],
    ]
    assert table["own"].tolist() == pytest.approx([0.55, 0.55, 0.3, 0.55, 0.6])
    assert table["other"].tolist() == pytest.approx([0.57, 0.57, 0.32, 0.51, 0.63])
    assert table["nearer"].tolist() == ["other", "own", "", "other", "other"]
    assert table["differs"].unique().tolist() == ["n_init: 20 → 2", "first centres: random → k-means++"]
    assert table["n"].tolist() == [2] * 5


def test_a_reading_that_the_paper_prints_as_a_row_of_its_own_is_no_rival_of_the_row_it_differs_from() -> None:
    both = Published(scores={**PRINT.scores, ("iris", "ACC", "KC-few"): 0.57})
    table = read(both).set_index("reading")
    assert table.loc["KC-few", "printed"].isna().all()
    assert (table.loc["KC-few", "nearer"] == "").all()
    assert table.loc["wine_pp", "nearer"].tolist() == ["", "other", "other"]
    said = readings.sentences(readings.summary(STUDY, read(both)))[0]
    assert said.endswith("(+0.020 to +0.020); there is no print that both could be held against.")


def test_a_study_without_a_print_says_nothing_of_one() -> None:
    none = read(Published())
    assert readings.sentences(readings.summary(STUDY, none))[0].endswith("on average (+0.020 to +0.020).")
    assert not other_readings(STUDY, {"readings": none})["printed"]
    assert other_readings(STUDY, {"readings": read()})["printed"]


def test_what_a_ready_made_ensemble_has_no_word_for_is_told_without_an_arrow() -> None:
    made = STUDY.readings.cases[0]
    cases = (STUDY.cases[0], STUDY.cases[1].model_copy(update={"ensemble": "authors"}))
    said = readings._differs(STUDY.model_copy(update={"cases": cases}), REGISTRY, made)  # type: ignore[arg-type]
    assert said.startswith(
        "base clusterings: authors → kmeans, first centres: random → k-means++, clusters: "
    )
    assert "None" not in said


def test_a_question_is_summed_up_in_a_sentence() -> None:
    summed = readings.summary(STUDY, read()).set_index("why")
    first = summed.loc["first centres"]
    assert (first["scores"], first["cells"], first["own_nearer"], first["other_nearer"]) == (3, 2, 0, 2)
    assert first["own_distance"] == pytest.approx((0.05 + 0.05) / 2)
    assert first["other_distance"] == pytest.approx((0.01 + 0.02) / 2)
    assert readings.sentences(readings.summary(STUDY, read()))[1] == (
        "First centres (first centres: random → k-means++): the other reading changes 3 scores by +0.003 on "
        "average (-0.040 to +0.030); it is nearer to the print on 2 of 2, the study's own on 0; mean "
        "absolute difference from the print 0.015, the study's own 0.050."
    )
    text = readings.readings_markdown(STUDY, read())
    assert (
        "| wine_pp | first centres: random → k-means++ | Wine | KC | ACC | 0.550 | 0.510 | 0.500 | other |"
        in text
    )


def test_a_case_is_summed_up_unless_the_one_that_stands_for_it_is_read_otherwise_too() -> None:
    cases = (STUDY.cases[0].model_copy(update={"instead_of": "wine"}), STUDY.cases[1])
    summed = readings.summary(STUDY.model_copy(update={"cases": cases}), read())
    assert summed["scores"].tolist() == [1, 3], "KC-few on iris, wine_pp on wine"


def test_a_study_without_readings_says_so() -> None:
    bare = STUDY.model_copy(update={"readings": Readings()})
    assert bare.readings_by_case() == []
    empty = read().iloc[:0]
    assert "The study has none." in readings.readings_markdown(bare, empty)
