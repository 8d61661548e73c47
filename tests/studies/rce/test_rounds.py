"""Fewer rounds and the optimum are compared with all rounds at the same points, subset by subset."""

import numpy as np
import pytest
from beyond import SPLITTING, study_of, table_of, variant

from consclust.report.wording import signed
from consclust_studies.config.paper import Claim
from small import source_of
from studies.rce.exhibits.rounds import BESIDE, Rounds

KEYS = {"kind": "rounds", "id": "rounds", "title": "Rounds", "method": "RCE", "start": "KC"}
STUDY = study_of(
    variant("five", {"max_outer": 5}),
    variant("two", {"max_outer": 2}, cases=["iris"]),
    variant("least", SPLITTING, subsets={"iris": 2, "wine": 2}, cases=["iris"]),
)
STAGES = ["0", "2", "5", "optimum"]
EXHIBIT = Rounds(**KEYS, variants=["five", "two"], optimum="least")
# By grid point and subset; the default is the last point
TABLES = {
    "RCE": np.array([[0.5, 0.1, 0.1], [0.1, 0.4, 0.1], [0.1, 0.1, 0.6], [0.3, 0.3, 0.3]]),
    "five": np.array([[0.4, 0.9, 0.1], [0.1, 0.2, 0.1], [0.1, 0.1, 0.5], [0.2, 0.1, 0.3]]),
    "two": np.array([[0.2, 0.1, 0.1], [0.1, 0.1, 0.1], [0.8, 0.1, 0.1], [0.1, 0.1, 0.1]]),
    "least": np.array([[0.6, 0.1], [0.1, 0.7], [0.1, 0.1], [0.5, 0.4]]),
    "KC": np.array([[0.45, 0.45, 0.5]]),
}


def formula(case, method, point, subset):
    return TABLES[method][point, subset] if method in TABLES else 0.5


@pytest.fixture
def source():
    return source_of(STUDY, scores=table_of(STUDY, formula), variant_scores=table_of(STUDY, formula, variants=True))


def test_stages_are_in_the_order_of_their_rounds():
    assert [stage.name for stage in EXHIBIT.list_stages(STUDY)] == ["0", "2", "5", "optimum"]


def test_changes_at_the_points_that_are_selected_for_the_whole_method(source):
    frame = EXHIBIT.build(source).frame
    iris = frame[frame["case"] == "iris"].set_index(["at", "stage"])
    selected = iris.loc["selected"]
    assert selected.index.tolist() == [*STAGES, BESIDE]
    selected = selected.loc[STAGES]
    assert selected["n"].tolist() == [3, 3, 3, 2]
    # of the points 0, 1, 2 on the three subsets; the optimum on the first two
    assert selected["whole"].tolist() == pytest.approx([0.5, 0.5, 0.5, 0.45])
    changes = [1.4 / 3 - 0.5, 0.4 / 3 - 0.5, 1.1 / 3 - 0.5, 0.65 - 0.45]
    assert selected["change"].tolist() == pytest.approx(changes)
    assert iris.loc["default"].loc[STAGES, "change"].tolist() == pytest.approx([1.4 / 3 - 0.3, -0.2, -0.1, 0.15])
    # each stage at its own best points; round 0 has none
    assert iris.loc["own"].index.tolist() == ["2", "5", "optimum"]
    assert iris.loc["own", "change"].tolist() == pytest.approx(
        [(0.8 + 0.1 + 0.1) / 3 - 0.5, 1.8 / 3 - 0.5, 0.65 - 0.45]
    )


def test_a_stage_stands_only_where_it_runs(source):
    frame = EXHIBIT.build(source).frame
    assert set(frame.loc[frame["case"] == "wine", "stage"]) == {"0", "5"}


def test_p_values_are_of_the_paired_test_and_adjusted_within_a_table(source):
    from scipy import stats

    frame = EXHIBIT.build(source).frame
    rows = frame[frame["at"] == "default"]
    two = rows[(rows["case"] == "iris") & (rows["stage"] == "5")].iloc[0]
    expected = stats.ttest_rel(TABLES["five"][3], TABLES["RCE"][3]).pvalue
    assert two["p"] == pytest.approx(expected)
    # no variance of the differences of two rounds: p = 0, so that Holm's p is 0 too
    assert rows.loc[rows["stage"] == "2", ["p", "p_holm"]].to_numpy().tolist() == [[0, 0]]
    tested = rows.dropna(subset="p")
    assert (tested["p_holm"] >= tested["p"]).all()
    assert (tested["p_holm"] > tested["p"]).any()


def test_significant_changes_are_bold_and_have_their_p(source):
    shown = EXHIBIT.build(source)
    (table,) = [block for block in shown.blocks if block.title == "ACC, at the default parameters"]
    iris = dict(zip(table.header, table.rows[0], strict=True))
    assert (iris["2"].text, iris["2"].bold) == ("\N{MINUS SIGN}.200", True)
    assert iris["2"].below.startswith("p = ")
    assert not iris["5"].bold
    wine = dict(zip(table.header, table.rows[1], strict=True))
    assert wine["optimum"].text == "\N{EN DASH}"


def test_the_summary_counts_data_sets(source):
    summary = EXHIBIT.build(source).blocks[0]
    rows = {tuple(cell.text for cell in row[:3]): [cell.text for cell in row[3:]] for row in summary.rows}
    assert rows["at the default parameters", "ACC", "2"] == ["1", "\N{MINUS SIGN}.200", "0 (0)", "1 (1)"]
    assert rows["at the default parameters", "ACC", "0"][0] == "2"


def test_the_abstract_has_the_changes_at_the_selected_parameters(source):
    abstract = EXHIBIT.build(source).abstract
    # round 0 and the optimum on iris, and there on the subsets of the optimum
    frame = EXHIBIT.build(source).frame
    beside = frame[(frame["at"] == "selected") & (frame["stage"] == BESIDE)]
    assert beside["case"].tolist() == ["iris"]
    assert beside["n"].tolist() == [2]
    assert beside["whole"].tolist() == pytest.approx([0.45])
    assert beside["p"].isna().all()
    assert f"{signed(beside['change'].iloc[0])} without any round (KC)" in abstract
    assert "+.200 near the optimum" in abstract


def test_claims_are_counted(source):
    by = {"exhibit": "rounds", "question": "optimum_ahead"}
    claim = Claim.model_validate({"text": "-", "check": "counted", "by": by, "method": "RCE", "metric": "ACC"})
    found = EXHIBIT.count_for_claim("optimum_ahead", claim, source)
    assert (found.holds, found.remarks) == ((True,), ("on average +0.200",))
    # round 0 is worse by .05, -.05 and .1: not significantly
    assert EXHIBIT.count_for_claim("start_as_good", claim, source).holds == (True, True)
    worse = source.scores.copy()
    worse.loc[(worse["method"] == "KC") & (worse["case"] == "wine"), "value"] -= 9.0
    source.__dict__["scores"] = worse
    assert EXHIBIT.count_for_claim("start_as_good", claim, source).holds == (True, False)
    without_start = STUDY.model_copy(update={"methods": tuple(run for run in STUDY.methods if run.id != "KC")})
    object.__setattr__(source, "study", without_start)
    assert EXHIBIT.count_for_claim("optimum_ahead", claim, source).holds == (True,)


def test_mistakes():
    assert list(EXHIBIT.mistakes(STUDY)) == []
    assert [key for key, _ in EXHIBIT.model_copy(update={"start": "RCE"}).mistakes(STUDY)] == ["start"]
    far = variant("far", SPLITTING, grid={"lambda1": [7.0], "lambda2": [1.0]}, default={"lambda1": 7.0, "lambda2": 1.0})
    study = study_of(variant("five", {"max_outer": 5}), variant("two", {"max_outer": 2}), far)
    assert [key for key, _ in EXHIBIT.model_copy(update={"optimum": "far"}).mistakes(study)] == ["optimum"]
    one = variant("one", SPLITTING, grid={"lambda1": [1.0], "lambda2": [1.0]})
    study = study_of(variant("five", {"max_outer": 5}), variant("two", {"max_outer": 2}), one)
    assert [key for key, _ in EXHIBIT.model_copy(update={"optimum": "one"}).mistakes(study)] == ["optimum"]
