"""The row of an own method beside those of the accepted leaderboard, on scores made by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from consclust.errors import InputError
from consclust_studies.bench.comparison import BASE, METRICS, compare_all, compare_with_each, join, list_sets
from consclust_studies.bench.contract import Outcome
from consclust_studies.bench.ensembles import EnsemblesOfCase
from consclust_studies.bench.fits import CaseResult
from consclust_studies.bench.report import summarise, write_report
from consclust_studies.results.boards import AS_CLASSES, RANDOM, REAL, Facts

SETS = [f"set{i}" for i in range(7)]
OTHERS = {"LWEA": 0.4, "EAC": 0.3, "KC": 0.6}


def make_cells() -> pd.DataFrame:
    """Scores of three methods and the base clusterings on seven data sets and two kinds."""
    random = np.random.default_rng(0)
    rows = []
    for kind in (AS_CLASSES, RANDOM):
        for place, dataset in enumerate(SETS):
            for method, level in {BASE: 0.2, **OTHERS}.items():
                facts = {"domain": "medical", "synthetic": False, "unclusterable": False, "suspect": False}
                value = level + 0.02 * place + 0.05 * random.random()
                scores = dict.fromkeys(METRICS, value)
                seconds = np.nan if method == BASE else 0.5
                sizes = {"n": 50, "n_profiles": 30, "order": 0.0, "seconds": seconds}
                rows.append({"dataset": dataset, "kind": kind, "method": method, **scores, **facts, **sizes})
    return pd.DataFrame(rows)


def make_cases() -> list[EnsemblesOfCase]:
    return [
        EnsemblesOfCase(f"{dataset}{suffix}", dataset, kind, "", "", "", "", True, 1, 2, 0)
        for kind, suffix in ((AS_CLASSES, ""), (RANDOM, "-random"))
        for dataset in SETS
    ]


CELLS, CASES = make_cells(), make_cases()
FACTS = dict.fromkeys(SETS, Facts())


def find_score(case: EnsemblesOfCase, method: str) -> float:
    mine = CELLS[(CELLS["dataset"] == case.dataset) & (CELLS["kind"] == case.kind) & (CELLS["method"] == method)]
    return float(mine["ARI"].iloc[0])


def make_results(like: str, plus: float = 0.0) -> dict[str, CaseResult]:
    """Results of a method with the scores of another one, and a constant more."""
    results = {}
    for case in CASES:
        value = find_score(case, like) + plus
        base = find_score(case, BASE)
        scores = {metric: [value - 0.01, value + 0.01] for metric in METRICS}
        results[case.case] = CaseResult(case.case, scores, [base - 0.1, base + 0.1], [1.0, 1.0], 0.25)
    return results


def test_a_method_with_the_scores_of_another_shares_its_rank():
    board = join("Mine", CELLS, CASES, make_results("EAC"), FACTS)
    for part, rows in compare_all(board, "ARI"):
        table = rows.set_index("method")
        assert table.loc["Mine", "rank"] == table.loc["EAC", "rank"]
        assert table.loc["Mine", "mean"] == pytest.approx(table.loc["EAC", "mean"])
        assert table.loc["Mine", "order"] == pytest.approx(0.25)
        assert table.loc["Mine", "seconds"] == 1.0
        beside = compare_with_each(board, part).set_index("method")
        assert beside.loc["EAC", "difference"] == pytest.approx(0)
        assert beside.loc["EAC", "better"] == 0.5
        assert beside.loc["EAC", "seconds"] == 2.0


def test_differences_and_tests_have_the_right_side():
    board = join("Mine", CELLS, CASES, make_results("LWEA", plus=0.1), FACTS)
    part = board.make_parts("ARI")[0]
    assert (part.kind, part.group) == (AS_CLASSES, REAL)
    beside = compare_with_each(board, part).set_index("method")
    assert beside.loc["LWEA", "difference"] == pytest.approx(0.1)
    assert beside.loc["LWEA", "better"] == 1
    assert beside.loc["KC", "difference"] < 0
    p = [
        stats.wilcoxon(part.table["Mine"] - part.table[name], zero_method="pratt", method="approx").pvalue
        for name in ("LWEA", "EAC", "KC", BASE)
    ]
    # all are equally sure, with seven signs that agree: Holm's correction multiplies each by four
    assert beside["p"].tolist() == pytest.approx([min(1, 4 * min(p))] * 4)
    rows = dict(compare_all(board, "ARI")[0][1].set_index("method")["bayes_better"])
    assert rows["Mine"] > 0.9
    assert "place 2 of 4" in summarise(board, compare_all(board, "ARI")[:1])


def test_other_ensembles_are_left_out():
    results = make_results("EAC")
    results["set0"] = replace(results["set0"], base_scores=[0.5, 0.5])
    board = join("Mine", CELLS, CASES, results, FACTS)
    assert board.different == ["set0"]
    assert "set0" not in board.make_parts("ARI")[0].table.index
    # the other kind of the same data set stays
    assert "set0" in board.make_parts("ARI")[-1].table.index
    results = {name: replace(found, base_scores=[9.0]) for name, found in results.items()}
    with pytest.raises(InputError, match="leaderboard"):
        join("Mine", CELLS, CASES, results, FACTS)


def test_a_name_that_is_taken_gets_a_star():
    board = join("EAC", CELLS, CASES, make_results("KC"), FACTS)
    assert board.name == "EAC*"
    table = board.make_parts("ARI")[0].table
    assert table["EAC*"].tolist() == pytest.approx(table["KC"].tolist())


def test_a_failed_fit_counts_as_the_worst_of_its_set():
    results = make_results("KC", plus=0.1)
    results["set3"] = replace(results["set3"], failures=["ensemble 1: KeyError: 'x'"])
    board = join("Mine", CELLS, CASES, results, FACTS)
    part, rows = compare_all(board, "ARI")[0]
    mine = rows.set_index("method").loc["Mine"]
    assert mine["datasets"] == len(SETS) - 1
    worst = part.table.drop(columns="Mine").loc["set3"].min()
    expected = (part.table["Mine"].sum() + worst) / len(SETS)
    assert mine["mean_worst"] == pytest.approx(expected)
    # first on six sets, last of five on the other
    assert mine["rank"] == pytest.approx((6 * 1 + 5) / 7)
    sets = list_sets(board, "ARI")
    assert sets["difference"].isna().sum() == 1


def test_wins_and_losses_are_those_of_the_scores():
    board = join("Mine", CELLS, CASES, make_results("LWEA", plus=0.05), FACTS)
    sets = list_sets(board, "ARI")
    assert len(sets) == len(CASES)
    assert sets["difference"].tolist() == pytest.approx([0.05] * len(CASES))
    assert set(sets["best"]) == {"KC"}
    assert set(sets["rank"]) <= {1.0, 2.0}


@pytest.mark.long
def test_the_report_says_first_what_fails(tmp_path):
    board = join("Mine", CELLS, CASES, make_results("EAC"), FACTS)
    outcomes = [Outcome("objects in another order", True, "Mine scores 0"), Outcome("missing", False, "")]
    write_report(board, outcomes, [("set0", "KeyError")], {"Method": "mine.py"}, tmp_path)
    page = (tmp_path / "report.html").read_text()
    body = page[page.index("<main") :]
    assert body.index("objects in another order") < body.index("Beside each method")
    for words in ("Mine scores 0", "KeyError", "place 3 of 4"):
        assert words in body
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    written = pd.read_csv(tmp_path / "board.csv")
    assert set(written["method"]) == {"Mine", BASE, *OTHERS}
