import itertools

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from consclust_studies.stages.selection import SELECTED_COLUMNS, list_main_rows, list_rows, select, take_points

NAN = np.nan


def test_common_point_has_the_best_mean():
    cells = np.array([[0.1, 0.9, 0.2], [0.5, 0.5, 0.5], [0.3, 0.3, 0.6]])
    assert_array_equal(take_points(cells, "oracle-common"), [1, 1, 1])
    assert_array_equal(take_points(cells, "oracle-per-subset"), [1, 0, 2])
    assert_array_equal(take_points(cells, "default", 2), [2, 2, 2])


def test_ties_go_to_the_first_point_also_within_rounding():
    cells = np.array([[0.2, 0.2], [0.1 + 0.2, 0.7], [0.3, 0.7]])
    assert cells[1, 0] > cells[2, 0]
    assert_array_equal(take_points(cells[::-1], "oracle-common"), [0, 0])
    assert_array_equal(take_points(cells[::-1], "oracle-per-subset"), [0, 0])
    assert_array_equal(take_points(cells, "oracle-common"), [1, 1])


def test_a_point_that_failed_is_not_eligible_while_another_never_did():
    cells = np.array([[0.9, 0.9, NAN], [0.1, 0.1, 0.1]])
    assert_array_equal(take_points(cells, "oracle-common"), [1, 1, 1])
    assert_array_equal(take_points(cells, "oracle-per-subset"), [0, 0, 1])


def test_if_every_point_failed_those_with_fewest_failures_are_eligible():
    cells = np.array([[0.9, NAN, NAN], [0.2, NAN, 0.2], [0.3, 0.2, NAN]])
    assert_array_equal(take_points(cells, "oracle-common"), [2, 2, 2])


def test_all_failed():
    cells = np.full((3, 2), NAN)
    for selection in ("oracle-common", "oracle-per-subset"):
        assert_array_equal(take_points(cells, selection), [0, 0])


def scores_of(study, cell):
    """Tidy scores with value = cell(case, method, point, subset, restart, metric)."""
    records = []
    for case, method in itertools.product(study.cases, [study.base_clusterings, "KC", "RCE"]):
        points = range(len(study.list_points(method)))
        for point, subset, restart, metric in itertools.product(points, range(4), ("mean", "chosen"), study.metrics):
            value = cell(case.id, method, point, subset, restart, metric)
            records.append((study.id, case.id, subset, method, point, restart, metric, value))
    columns = ["study", "case", "subset", "method", "point", "restart", "metric", "value"]
    return pd.DataFrame(records, columns=columns)


def cell(case, method, point, subset, restart, metric):
    if method != "RCE":
        return 0.5
    best = {"ACC": 3, "NMI": 1}.get(metric, 0) if case == "iris" else 2
    bonus = 0.2 * (subset == 2 and point == 0) + 0.01 * (restart == "chosen")
    return 0.6 + 0.1 * (point == best) + bonus


def test_rows_are_in_the_order_of_the_tables(study):
    assert [row.label for row in list_rows(study)] == [
        "K-means", "KC", "RCE [oracle-per-subset]", "RCE [oracle-common]", "RCE [default]",
    ]  # fmt: skip


def test_a_row_in_a_table_says_its_selection_where_the_method_has_a_grid(study):
    assert [row.name for row in list_rows(study)] == [
        "K-means", "KC", "RCE (oracle, per subset)", "RCE (oracle, common)", "RCE (default)",
    ]  # fmt: skip


@pytest.mark.parametrize("selection", ["oracle-common", "default"])
def test_a_tuned_method_is_represented_by_the_selection_of_the_study(study, selection):
    rows = list_main_rows(study.model_copy(update={"selection": selection}))
    assert rows == [("K-means", "fixed"), ("KC", "fixed"), ("RCE", selection)]


def test_select_takes_each_selection_by_each_metric(study):
    scores = scores_of(study, cell).sample(frac=1, random_state=0)  # the order of the rows does not matter
    selected = select(study, scores)
    assert tuple(selected.columns) == SELECTED_COLUMNS
    assert len(selected) == 2 * 5 * 5 * 4

    by = selected.set_index(["case", "method", "selection", "metric", "subset"]).sort_index()
    assert list(by.loc[("iris", "RCE", "oracle-common", "ACC"), "point"]) == [3] * 4
    assert list(by.loc[("iris", "RCE", "oracle-common", "NMI"), "point"]) == [1] * 4
    assert list(by.loc[("wine", "RCE", "oracle-common", "NMI"), "point"]) == [2] * 4
    per_subset = by.loc[("iris", "RCE", "oracle-per-subset", "ACC")]
    assert list(per_subset["point"]) == [3, 3, 0, 3]
    assert list(per_subset["value"]) == pytest.approx([0.7, 0.7, 0.8, 0.7])
    default = by.loc[("iris", "RCE", "default", "ACC")]
    (point,) = set(default["point"])
    assert study.method("RCE").points[point] == {"lambda1": 1.0, "lambda2": 1.0}
    assert list(default["value"]) == pytest.approx([0.6] * 4)
    assert set(by.loc[("iris", "KC", "fixed", "ACC"), "point"]) == {0}


def test_one_metric_may_choose_for_all(study):
    """NMI and ACC have their best points elsewhere on iris."""
    scores = scores_of(study, cell)
    selected = select(study.model_copy(update={"selected_by": "NMI"}), scores)
    by = selected.set_index(["case", "method", "selection", "metric", "subset"]).sort_index()
    for metric in ("ACC", "NMI"):
        assert list(by.loc[("iris", "RCE", "oracle-common", metric), "point"]) == [1] * 4
        assert list(by.loc[("iris", "RCE", "oracle-per-subset", metric), "point"]) == [1, 1, 0, 1]
    assert list(by.loc[("iris", "RCE", "oracle-common", "ACC"), "value"]) == pytest.approx([0.6] * 4)
    assert list(by.loc[("iris", "RCE", "oracle-common", "NMI"), "value"]) == pytest.approx([0.7] * 4)


def test_restarts_of_the_study_count(study):
    chosen = select(study.model_copy(update={"restarts": "chosen"}), scores_of(study, cell))
    default = chosen[(chosen["selection"] == "default") & (chosen["metric"] == "ACC") & (chosen["subset"] == 0)]
    assert list(default["value"]) == pytest.approx([0.61, 0.71])


def test_absent_cells_are_nan(study):
    scores = scores_of(study, cell)
    lost = (scores["method"] == "KC") & (scores["subset"] == 1) & (scores["case"] == "wine")
    selected = select(study, scores[~lost])
    missing = selected[selected["value"].isna()]
    assert set(zip(missing["case"], missing["method"], missing["subset"], strict=True)) == {("wine", "KC", 1)}
    assert len(missing) == 5
