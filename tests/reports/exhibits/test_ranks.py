import math

import pandas as pd

from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.agreement import Ranks, ranks_frame
from consclust_studies.results.main_table import COLUMNS
from small import planned, source_of

STUDY = planned()
# method: (ours, published)
CELLS = {
    "iris": {"K-means": (0.50, 0.50), "KC": (0.60, 0.615), "RCE": (0.70, 0.65)},
    "wine": {"K-means": (0.50, 0.40), "KC": (0.60, 0.39), "RCE": (0.60, 0.615)},
}


def scores(metric: str = "ACC") -> pd.DataFrame:
    rows = [
        {
            **dict.fromkeys(COLUMNS, ""),
            **{"case": case, "metric": metric, "method": method, "mean": mean, "published": published},
            **{
                "selection": "oracle-per-subset" if method == "RCE" else "fixed",
                "difference": 0.0,
                "difference_se": 0.0,
            },
        }
        for case, cells in CELLS.items()
        for method, (mean, published) in cells.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_sums_and_places() -> None:
    ranks = ranks_frame(STUDY, scores()).set_index("method")
    assert ranks["datasets"].tolist() == [2, 2, 2]
    assert ranks["rank_sum"].to_dict() == {"K-means": 6, "KC": 3.5, "RCE": 2.5}
    assert ranks["published_rank_sum"].to_dict() == {"K-means": 5, "KC": 5, "RCE": 2}
    assert ranks["place"].tolist() == [3, 2, 1]
    assert ranks["published_place"].tolist() == [2, 2, 1]


def test_a_data_set_without_a_score_of_a_method_is_in_no_sum() -> None:
    table = scores()
    table.loc[(table["case"] == "wine") & (table["method"] == "KC"), "mean"] = math.nan
    ranks = ranks_frame(STUDY, table).set_index("method")
    assert ranks["datasets"].tolist() == [1, 1, 1]
    assert ranks["rank_sum"].to_dict() == {"K-means": 3, "KC": 2, "RCE": 1}


def test_a_metric_without_a_data_set_that_has_every_method_has_no_ranks() -> None:
    nmi = scores("NMI")
    for case, method in (("iris", "KC"), ("wine", "K-means")):
        nmi.loc[(nmi["case"] == case) & (nmi["method"] == method), "published"] = math.nan
    assert set(ranks_frame(STUDY, pd.concat([scores(), nmi], ignore_index=True))["metric"]) == {"ACC"}
    assert ranks_frame(STUDY, nmi).empty


def test_the_table_and_nothing_published() -> None:
    published = Published(scores={(case, "ACC", m): 0.5 for case in ("iris", "wine") for m in ("KC", "EAC")})
    shown = Ranks(kind="ranks").build(source_of(STUDY, published=published))
    assert [[cell.text for cell in row[:3]] for row in shown.blocks[0].rows] == [
        ["ACC", "KC", "2"],
        ["ACC", "EAC", "2"],
    ]
    assert [row[4].text for row in shown.blocks[0].rows] == ["3", "3"]
    assert not Ranks(kind="ranks").build(source_of(STUDY)).blocks
    assert not Ranks(kind="ranks").wanted(STUDY)
