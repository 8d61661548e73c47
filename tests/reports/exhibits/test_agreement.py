import math

import pandas as pd
import pytest

from consclust_studies.exhibits.agreement import Agreement, agreement_frame
from consclust_studies.results.main_table import COLUMNS, compute_expected_near, find_counted_cells
from small import planned, source_of

CASES = [
    {"id": "a", "dataset": "iris", "title": "A", "preprocessing": []},
    {"id": "own", "dataset": "iris", "title": "A_OWN", "preprocessing": [], "instead_of": "a"},
    {"id": "b", "dataset": "wine", "title": "B", "preprocessing": [], "doubt": "a sample"},
]
ORIGINS = {case["id"]: {"title": case["title"], "source": "x", "licence": "y"} for case in CASES}
STUDY = planned(cases=CASES, origins=ORIGINS, metrics=["ACC"], reported=["ACC"], published=["table2"])
# method: (ours, published); the standard error is 0.01
CELLS = {
    "a": {"K-means": (0.1, 0.9), "KC": (0.2, 0.8), "RCE": (0.3, 0.7)},
    "own": {"K-means": (0.50, 0.50), "KC": (0.60, 0.615), "RCE": (0.70, 0.65)},
    "b": {"K-means": (0.50, 0.40), "KC": (0.60, 0.39), "RCE": (0.60, 0.615)},
}


def row(case: str, method: str, selection: str, mean: float, published: float) -> dict:
    difference = mean - published
    name = f"{method} (default)" if selection == "default" else method
    return {
        **dict.fromkeys(COLUMNS, ""),
        **{"case": case, "dataset": STUDY.titles[case], "metric": "ACC", "method": method, "row": name},
        **{"selection": selection, "mean": mean, "published": published, "difference": difference},
        "difference_se": difference / 0.01,
    }


def scores() -> pd.DataFrame:
    rows = [
        row(case, method, "oracle-per-subset" if method == "RCE" else "fixed", *pair)
        for case, cells in CELLS.items()
        for method, pair in cells.items()
    ]
    rows += [row(case, "EAC", "fixed", 0.9, math.nan) for case in CELLS]  # not published
    rows += [row(case, "RCE", "default", 0.0, 0.5) for case in CELLS]  # another selection
    return pd.DataFrame(rows, columns=list(COLUMNS))


@pytest.fixture
def shown(monkeypatch):
    def build(study=STUDY, table=None):
        given = scores() if table is None else table
        monkeypatch.setattr("consclust_studies.exhibits.agreement.build_scores_frame", lambda source: given)
        return Agreement(kind="agreement").build(source_of(study))

    return build


def test_the_abstract_says_how_near_the_counted_scores_are(shown):
    # of one case of each data set: near are 2 of 3 and 1 of 3; the differences are 0, .015, .05, .1, .21 and .015
    expected = round(6 * compute_expected_near(STUDY.n_subsets))
    assert shown().abstract == (
        "3 of the 6 published scores lie within two standard errors of our mean; "
        f"about {expected} would if only the random numbers differed. The mean absolute difference is .065."
    )


def test_with_the_papers_own_subsets_equal_scores_are_counted(shown):
    """Of those that count, K-means has .50 and .50; a score that is off by .0004 is equal to the third decimal."""
    table = scores()
    near = (table["case"] == "b") & (table["method"] == "KC")
    table.loc[near, ["published", "difference"]] = 0.6004, -0.0004
    abstract = shown(STUDY.model_copy(update={"same_subsets": True}), table).abstract
    assert (
        "2 of all 6 equal ours to the third decimal, most often K-means 1 of 2, KC 1 of 2 and RCE 0 of 2." in abstract
    )
    assert "if only the random numbers" not in abstract


def texts(shown, start: str) -> list[list[str]]:
    block = next(block for block in shown.blocks if block.title.startswith(start))
    return [[cell.text for cell in line] for line in block.rows]


def test_it_is_wanted_where_scores_are_published() -> None:
    assert Agreement(kind="agreement").wanted(STUDY)
    assert not Agreement(kind="agreement").wanted(planned())


def test_tau_compares_our_order_with_the_published_one() -> None:
    table = agreement_frame(STUDY, scores()).set_index("case")
    assert table.loc["a", "tau"] == -1
    assert table.loc["own", "tau"] == 1
    # b: of three pairs one is discordant, one consclustant, one tied here: tau-b = 0
    assert table.loc["b", "tau"] == pytest.approx(0)
    assert table["methods"].tolist() == [3, 3, 3], "EAC is not published, the default does not count"
    assert table["counted"].tolist() == [False, True, True]
    assert table["near"].tolist() == [0, 2, 1]
    assert table.loc["own", "mean_absolute"] == pytest.approx((0 + 0.015 + 0.05) / 3)


def test_two_cases_of_a_data_set_count_once(shown) -> None:
    assert set(find_counted_cells(STUDY, scores())["case"]) == {"own", "b"}
    assert texts(shown(), "By metric") == [["ACC", "6", "3", "3", ".065", "2", ".500", ".000", "1.000"]]


def test_differences_by_row(shown) -> None:
    rows = texts(shown(), "By row")
    assert rows[1] == ["KC", "ACC", "2", "1", "+.097", ".112", "+.210", "B"]
    assert len(rows) == 3, "of a method with a grid the selection of the study"
    assert [line[0] for line in texts(shown(), "By row, in every selection")][3:] == ["RCE (default)"]


def test_the_base_clusterings_and_doubtful_data(shown) -> None:
    found = shown()
    assert texts(found, "The base clusterings") == [
        ["A_OWN", "ACC", ".500", ".500", "+.000", "+0.0", "yes"],
        ["B", "ACC", ".500", ".400", "+.100", "+10.0", "no"],
    ]
    assert [line[1:] for line in texts(found, "Where the data are doubtful")] == [
        ["2", ".032"],  # methods where the base clusterings are near: own
        ["2", ".112"],  # not near: b
        ["3", ".108"],  # b, whose data are in doubt
        ["3", ".022"],
    ]
    doubtful = next(block for block in found.blocks if block.title.startswith("Where the data are doubtful"))
    assert doubtful.notes == (("a", "a sample"),)


def test_one_subset_has_no_standard_error(shown) -> None:
    one = planned(**{**STUDY.model_dump(include={"cases", "origins", "metrics", "reported"}), "subsets": 1})
    found = shown(one, scores().assign(difference_se=math.nan))
    assert all("Near" not in block.header for block in found.blocks)
    assert found.frame["near"].isna().all()
    assert len(texts(found, "Where the data are doubtful")) == 2


def test_without_published_scores_there_is_no_table(shown) -> None:
    found = shown(table=scores().assign(published=math.nan))
    assert found.frame.empty
    assert not found.blocks
