"""Every pair of rows is tested, for each data set and metric."""

import pytest

from consclust_studies.exhibits.pvalues import PValues
from consclust_studies.results.significance import PAIR_COLUMNS, compare_pairs
from small import planned, scores_of, source_of


def test_every_pair_of_rows_is_compared(study, source):
    shown = PValues(kind="pvalues").build(source)
    assert tuple(shown.frame.columns) == PAIR_COLUMNS
    assert len(shown.frame) == 2 * 2 * 15  # cases, metrics, pairs of K-means, KC, EAC and three selections of RCE
    assert shown.frame.equals(compare_pairs(study, source.selected))
    assert PValues(kind="pvalues").needs(study).selected


def rows_of(table) -> dict[tuple[str, str], list]:
    return {(row[0].text, row[1].text): list(row) for row in table.rows}


def test_a_table_for_each_data_set_has_every_row_against_one_row_of_each_method(study, source):
    iris, wine = PValues(kind="pvalues").build(source).blocks
    assert (iris.title, wine.title) == ("Iris", "Wine")
    assert iris.header[4:] == ("1", "2", "3", "4")
    rows = rows_of(wine)
    assert len(rows) == 2 * 6  # metrics, rows
    names = ["1 K-means", "2 KC", "3 EAC", "4 RCE (oracle, per subset)", "RCE (oracle, common)", "RCE (default)"]
    assert [name for metric, name in rows if metric == "NMI"] == names
    assert [rows["NMI", name][4 + n].text for n, name in enumerate(names[:4])] == [""] * 4, "none against itself"
    pairs = compare_pairs(study, source.selected).set_index(["case", "metric", "row_a", "row_b"])["p_paired"]
    expected = pairs["wine", "NMI", "EAC", "RCE [default]"]
    assert float(rows["NMI", "RCE (default)"][4 + 2].text) == pytest.approx(expected, abs=0.0006)


def test_only_the_row_with_the_significantly_higher_mean_is_bold() -> None:
    study = planned()
    source = source_of(study, scores=scores_of(study, means={"KC": 0.9}))
    rows = rows_of(PValues(kind="pvalues").build(source).blocks[0])
    assert [cell.bold for cell in rows["ACC", "2 KC"][4:]] == [True, False, True, True]
    assert not rows["ACC", "1 K-means"][5].bold
    assert rows["ACC", "1 K-means"][5].text == rows["ACC", "2 KC"][4].text != ""


def test_the_parameters_that_each_selection_took_are_named() -> None:
    study = planned()
    scores = scores_of(study)
    wins = {0: 1, 1: 1, 2: 3}
    rce = scores["method"] == "RCE"
    scores.loc[rce, "value"] = [
        0.9 if point == wins[subset] else 0.1
        for point, subset in zip(scores["point"][rce], scores["subset"][rce], strict=True)
    ]
    rows = rows_of(PValues(kind="pvalues").build(source_of(study, scores=scores)).blocks[0])
    assert rows["ACC", "4 RCE (oracle, per subset)"][2].text == "λ₁ = 0.1, λ₂ = 1 (2); λ₁ = 1, λ₂ = 1 (1)"
    assert rows["ACC", "RCE (oracle, common)"][2].text == "λ₁ = 0.1, λ₂ = 1"
    assert rows["ACC", "2 KC"][2].text == "\N{EN DASH}"


def test_one_subset_has_no_tables() -> None:
    assert PValues(kind="pvalues").build(source_of(planned(subsets=1))).blocks == ()
