"""The spread between pools is that of their means, whatever the subsets of each vary."""

import numpy as np
import pandas as pd
import pytest

from consclust.report.blocks import Shown
from consclust.report.wording import DASH
from consclust_studies.config.published_tables import Published
from consclust_studies.stages.selection import select
from small import planned, scores_of, source_of
from studies.rce.exhibits.pools import Pools

EXHIBIT = Pools(kind="pools")
MEANS = {"iris": 0.50, "second": 0.56, "third": 0.53}
ALIKE = {"dataset": "iris", "of": "iris", "preprocessing": [], "why": "another pool", "methods": ["KC"]}
OTHERS = [
    {"id": "second", **ALIKE},
    {"id": "third", **ALIKE},
    {"id": "plus", **ALIKE, "init": "k-means++"},
    {"id": "scaled", **ALIKE, "preprocessing": ["zscore"]},
]


def show(published: float | None = None) -> Shown:
    study = planned(methods=["KC"], metrics=["ACC"], reported=["ACC"], variants={"cases": OTHERS})
    known = {} if published is None else {("iris", "ACC", "KC"): published}
    again = selected(study)
    again = again[again["method"] == study.base_clusterings]  # as in the table of a variant of a method
    variants = pd.concat([again, *(selected(one) for one in study.split_variants())])
    return EXHIBIT.build(
        source_of(study, selected=selected(study), variants=variants, published=Published(scores=known))
    )


def selected(study) -> pd.DataFrame:
    """Scores .02 apart on the three subsets, around the mean of the pool."""
    scores = scores_of(study)
    scores["value"] = scores["case"].map(MEANS).fillna(0.1) + (scores["subset"] - 1) * 0.02
    return select(study, scores)


def test_the_pools_are_the_cases_with_the_same_settings() -> None:
    for method in ("KC", "K-means"):
        row = show().frame.set_index("method").loc[method]
        assert (row["case"], row["pools"]) == ("iris", 3)
        assert row["mean"] == pytest.approx(0.53)
        assert row["between"] == pytest.approx(0.03)
        assert row["within"] == pytest.approx(0.02)
        assert row["expected"] == pytest.approx(0.02 / np.sqrt(3))
        assert (row["lowest"], row["highest"]) == pytest.approx((0.50, 0.56))


@pytest.mark.parametrize(("published", "inside"), [(0.55, True), (0.675, True), (0.685, False), (0.37, False)])
def test_a_published_score_is_inside_where_a_further_pool_would_be(published, inside) -> None:
    row = show(published).frame.set_index("method").loc["KC"]
    reach = 4.3027 * 0.03 * np.sqrt(4 / 3)  # Student's t with two degrees of freedom
    assert (row["low"], row["high"]) == pytest.approx((0.53 - reach, 0.53 + reach), abs=1e-4)
    assert row["inside"] == inside
    table = show(published).blocks[1]
    assert [cells[-1].text for cells in table.rows] == [DASH, "yes" if inside else "no"]
    assert [cell.text for cell in show(published).blocks[0].rows[0]][:4] == ["Iris", "ACC", "3", f"{inside:d} of 1"]


def test_one_pool_of_each_case_leaves_nothing_to_show() -> None:
    assert EXHIBIT.build(source_of(planned())).frame.empty
