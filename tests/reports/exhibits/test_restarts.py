import math

import pandas as pd
import pytest

from consclust.report.wording import DASH
from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.restarts import Restarts
from consclust_studies.results.published_scores import find_nearer
from small import planned, scores_of, source_of

EXHIBIT = Restarts(kind="restarts")
STUDY = planned(methods=["KC", "EAC"], metrics=["ACC"], reported=["ACC"])


def scores(gain: float) -> pd.DataFrame:
    """KC is .55 on every subset, its best restart better by ``gain``; the others do not differ."""
    table = scores_of(STUDY)
    kc, chosen = table["method"] == "KC", table["restart"] == "chosen"
    table["value"] = 0.5
    table.loc[kc, "value"] = 0.55
    table.loc[kc & chosen, "value"] = 0.55 + gain
    return table


def test_it_lists_only_what_differs_in_three_decimals() -> None:
    published = Published(scores={("iris", "ACC", "KC"): 0.58, ("wine", "ACC", "KC"): 0.5})
    shown = EXHIBIT.build(source_of(STUDY, scores=scores(0.02), published=published))
    assert shown.frame[["case", "row"]].to_numpy().tolist() == [["iris", "KC"], ["wine", "KC"]]
    assert shown.frame["mean_of_restarts"].tolist() == pytest.approx([0.55, 0.55])
    assert shown.frame["best_of_restarts"].tolist() == pytest.approx([0.57, 0.57])
    assert shown.frame["nearer"].tolist() == ["best_of_restarts", "mean_of_restarts"]
    summary, cells = shown.blocks
    assert (cells.rows[0][1].text, cells.rows[0][1].below) == (".570", "+.020")
    assert [[cell.text for cell in row] for row in summary.rows] == [["KC", "2", "1", "1", ".040", ".040"]]
    assert (summary.in_pdf, cells.in_pdf) == (True, False)


def test_a_cell_that_agrees_is_a_dash() -> None:
    table = scores(0.02)
    same = (table["case"] == "wine") & (table["method"] == "KC") | (table["method"] == "EAC")
    table.loc[same, "value"] = 0.5
    table.loc[(table["method"] == "EAC") & (table["case"] == "wine") & (table["restart"] == "mean"), "value"] = 0.4
    shown = EXHIBIT.build(source_of(STUDY, scores=table))
    assert [[cell.text for cell in row[1:]] for row in shown.blocks[0].rows] == [[".570", DASH], [DASH, ".500"]]
    assert [block.in_pdf for block in shown.blocks] == [True], "nothing is published, so there is no summary"


def test_restarts_that_agree_are_no_table() -> None:
    shown = EXHIBIT.build(source_of(STUDY, scores=scores(0.0001)))
    assert shown.frame.empty
    assert not shown.blocks


def test_nearer_knows_ties_and_what_is_not_published() -> None:
    cells = pd.DataFrame({"own": [0.4, 0.5, 0.6], "other": [0.6, 0.4, 0.1], "published": [0.5, math.nan, 0.2]})
    assert find_nearer(cells, "own", "other").tolist() == ["equal", "", "other"]
