import gc
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from consclust_studies.results.significance import (
    PAIR_COLUMNS,
    adjust_holm,
    compare_pairs,
    compare_rows,
    compute_p_values,
)
from consclust_studies.results.summary import SUMMARY_COLUMNS, summarise
from consclust_studies.stages.selection import SELECTED_COLUMNS, list_rows

NAN = np.nan
NOISE = np.array([0.01, -0.01, 0.005, -0.005])


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def one(a, b, test):
    return compute_p_values(np.array([a]), np.array([b]), test).item()


def test_paired_by_hand():
    # Differences 1, 2, 3: mean 2, standard error 1/sqrt(3), t = 3.4641 with 2 degrees of freedom.
    p = one([1.0, 2.0, 3.0], [0.0, 0.0, 0.0], "paired")
    assert p == pytest.approx(0.07417990022744853)
    assert one([1.0, 2.0, 3.0, 9.0], [0.0, 0.0, 0.0, NAN], "paired") == pytest.approx(p)


def test_welch_uses_its_own_degrees_of_freedom():
    a, b = np.array([0.1, 0.5, 0.9, 0.4]), np.array([0.5, 0.51, 0.52, 0.6])
    var_a, var_b = a.var(ddof=1) / 4, b.var(ddof=1) / 4
    t = (a.mean() - b.mean()) / np.sqrt(var_a + var_b)
    df = (var_a + var_b) ** 2 / (var_a**2 / 3 + var_b**2 / 3)
    assert one(a, b, "welch") == pytest.approx(2 * stats.t.sf(abs(t), df))
    # Both tests use the subsets that both rows have.
    assert one([*a, NAN], [*b, 0.0], "welch") == pytest.approx(one(a, b, "welch"))


@pytest.mark.parametrize("test", ["paired", "welch"])
@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        ([0.3, 0.3, 0.3], [0.3, 0.3, 0.3], 1.0),
        ([0.3, 0.3, 0.3], [0.1 + 0.2, 0.3, 0.3], 1.0),
        ([0.4, 0.4, 0.4], [0.3, 0.3, 0.3], 0.0),
        ([0.4, NAN, NAN], [0.3, 0.2, 0.1], NAN),
        ([0.4, NAN, 0.1], [NAN, 0.2, 0.1], NAN),
        ([NAN, NAN, NAN], [0.3, 0.2, 0.1], NAN),
    ],
)
def test_defined_outcomes(a, b, p, test):
    assert one(a, b, test) == pytest.approx(p, nan_ok=True)


def test_constant_difference_is_no_variance_for_the_paired_test_only():
    a = np.array([0.1, 0.2, 0.3, 0.5])
    assert one(a, a - 0.05, "paired") == 0.0
    assert one(a, a - 0.05, "welch") > 0.5


def test_many_at_once_equal_one_by_one():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 20, 10))
    a[3, :4], b[7, 2:], a[9] = NAN, NAN, NAN
    for test in ("paired", "welch"):
        assert_allclose(compute_p_values(a, b, test), [one(x, y, test) for x, y in zip(a, b, strict=True)], rtol=1e-12)


@pytest.mark.parametrize("test", ["paired", "welch"])
@pytest.mark.parametrize("size", [10, 150, 4000])
def test_scores_of_data_sets_of_any_size_have_the_p_values_of_scipy(test, size):
    rng = np.random.default_rng(size)
    for n_subsets in (2, 3, 10, 40):
        found = rng.integers(0, size + 1, (60, 1))
        a, b = np.clip(found + rng.integers(-5, 6, (2, 60, n_subsets)), 0, size) / size
        a[rng.random(a.shape) < 0.1], b[rng.random(b.shape) < 0.1] = NAN, NAN
        for x, y, p in zip(a, b, compute_p_values(a, b, test), strict=True):
            common = ~(np.isnan(x) | np.isnan(y))
            assert_allclose(p, expected_p(x[common], y[common], test), rtol=1e-10)


def expected_p(x, y, test):
    """The p-value of SciPy for scores without missing ones, where it has one."""
    if len(x) < 2:
        return NAN
    spread = np.std(x - y) if test == "paired" else max(np.std(x), np.std(y))
    if spread < 1e-12:
        return 1.0 if abs(x.mean() - y.mean()) < 1e-12 else 0.0
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Precision loss")  # where one side is constant
        tested = stats.ttest_rel(x, y) if test == "paired" else stats.ttest_ind(x, y, equal_var=False)
    return tested.pvalue


@pytest.mark.parametrize("missing", [0, 7, 50])
def test_holm_by_its_definition(missing):
    """The i-th smallest of n p-values is multiplied by n - i + 1, and none is below a smaller one (Holm 1979)."""
    p = np.random.default_rng(missing).random(50).round(2) ** 3
    p[:missing] = NAN
    adjusted = np.full(50, NAN)
    largest = 0.0
    for i, j in enumerate(sorted(range(missing, 50), key=lambda j: p[j])):
        largest = max(largest, min(1.0, p[j] * (50 - missing - i)))
        adjusted[j] = largest
    assert_array_equal(adjust_holm(p), adjusted)
    assert gc.get_freeze_count() == 0, "what was kept out of the garbage collection is back in it"


def test_holm_by_hand():
    # Sorted .01 .02 .03 .04: times 4, 3, 2, 1 = .04 .06 .06 .04, made monotone.
    assert_allclose(adjust_holm(np.array([0.04, 0.01, 0.03, 0.02])), [0.06, 0.04, 0.06, 0.06])
    assert_allclose(adjust_holm(np.array([0.5, NAN, 0.01])), [0.5, NAN, 0.02])
    assert_allclose(adjust_holm(np.array([0.6, 0.7])), [1.0, 1.0])
    assert_array_equal(adjust_holm(np.array([NAN, NAN])), [NAN, NAN])


# Rows: K-means, KC, RCE [oracle-per-subset], RCE [oracle-common], RCE [default].
def outcomes(study, *means, **cells):
    values = np.array([mean + NOISE * (i + 1) for i, mean in enumerate(means)])
    for place, value in cells.items():
        i, s = map(int, place[1:].split("_"))
        values[i, s] = value
    found = compare_rows(study, values)
    return [o.is_best for o in found], [o.is_bold for o in found], found


def test_each_selection_is_judged_against_the_baselines(study):
    best, bolds, _ = outcomes(study, 0.5, 0.6, 0.9, 0.8, 0.55)
    assert best == bolds == [False, False, True, True, False]


def test_mean_std_and_count(study):
    _, _, found = outcomes(study, 0.5, 0.6, 0.9, 0.8, 0.55, r0_1=NAN)
    assert (found[0].mean, found[0].n) == (pytest.approx(0.5 + 0.01 / 3), 3)
    assert found[0].std == pytest.approx(np.std([0.01, 0.005, -0.005], ddof=1))
    assert found[1].std == pytest.approx(np.std(2 * NOISE, ddof=1))


def test_a_baseline_meets_a_tuned_method_in_the_selection_of_the_study(study):
    scores = (0.5, 0.7, 0.9, 0.8, 0.6)
    assert outcomes(study, *scores)[1] == [False, False, True, True, False]
    default = study.model_copy(update={"selection": "default"})
    assert outcomes(default, *scores)[1] == [False, True, True, True, False]


def test_two_tuned_methods_meet_in_the_same_selection(study):
    data = study.model_dump()
    data["methods"] = [*data["methods"], data["methods"][1] | {"id": "RSEC"}]
    two = type(study).model_validate(data)
    #                      K-means KC   RCE: per, common, default   RSEC: per, common, default
    best, bolds, _ = outcomes(two, 0.1, 0.2, 0.9, 0.7, 0.8, 0.6, 0.85, 0.5)
    assert best == bolds == [False, False, True, False, True, False, True, False]


def test_best_but_not_significant(study):
    values = np.array([[0.5] * 4, [0.5, 0.6, 0.5, 0.6], [0.9, 0.4, 0.8, 0.3], [0.4] * 4, [0.3] * 4])
    best, bolds = zip(*[(o.is_best, o.is_bold) for o in compare_rows(study, values)], strict=True)
    assert best == (False, False, True, False, False)
    assert not any(bolds)


def test_a_tie_at_the_top_leaves_nobody_bold(study):
    values = np.array([[0.1] * 4, [0.1 + 0.2] * 4, [0.3] * 4, [0.2] * 4, [0.2] * 4])
    best, bolds = zip(*[(o.is_best, o.is_bold) for o in compare_rows(study, values)], strict=True)
    assert best == (False, True, True, False, False)
    assert not any(bolds)


def test_equal_selections_of_one_method_are_no_tie(study):
    values = np.array([[0.1] * 4, [0.2] * 4, [0.3] * 4, [0.3] * 4, [0.3] * 4])
    assert [o.is_bold for o in compare_rows(study, values)] == [False, False, True, True, True]


def test_the_test_of_the_study_decides(study):
    spread = np.array([0.0, 0.2, 0.4, 0.6])
    values = np.array([spread, spread + 0.01, spread + 0.1 + NOISE, spread - 0.1, spread - 0.2])
    welch = study.model_copy(update={"significance": study.significance.model_copy(update={"test": "welch"})})
    assert [o.is_bold for o in compare_rows(study, values)] == [False, False, True, False, False]
    assert not any(o.is_bold for o in compare_rows(welch, values))


def test_alpha_of_the_study_decides(study):
    strict = study.model_copy(update={"significance": study.significance.model_copy(update={"alpha": 1e-9})})
    assert not any(outcomes(strict, 0.5, 0.6, 0.9, 0.8, 0.55)[1])


def test_a_row_with_a_missing_cell_is_never_best(study):
    best, bolds, _ = outcomes(study, 0.5, 0.6, 0.9, 0.8, 0.7, r2_0=NAN)
    assert best[2] is bolds[2] is False
    assert bolds[3] is True
    # KC meets RCE in the selection of the study, which has a hole and is higher where it has scores.
    assert best[1] is True
    assert bolds[1] is False


def test_a_rival_that_failed_everywhere_does_not_count(study):
    holes = {f"r1_{s}": NAN for s in range(4)}
    best, bolds, found = outcomes(study, 0.5, 0.6, 0.9, 0.8, 0.7, **holes)
    assert bolds == best == [False, False, True, True, True]
    assert found[1].n == 0
    assert np.isnan([found[1].mean, found[1].std]).all()


def test_nobody_is_bold_without_a_comparison(study):
    values = np.full((5, 4), NAN)
    values[2] = 0.9
    assert [o.is_best for o in compare_rows(study, values)] == [False, False, True, False, False]
    assert not any(o.is_bold for o in compare_rows(study, values))


@pytest.mark.parametrize(("of_kmeans", "of_kc", "is_bold"), [(1, 1, False), (2, 2, True), (4, 1, True)])
def test_rivals_with_two_subsets_in_common_are_compared(study, of_kmeans, of_kc, is_bold):
    """A rival with one subset does not count where another can be compared."""
    values = np.repeat([[0.5], [0.6], [0.9], [0.9], [0.9]], 4, axis=1)
    values[0, of_kmeans:] = NAN
    values[1, of_kc:] = NAN
    assert [o.is_bold for o in compare_rows(study, values)] == [False, False, is_bold, is_bold, is_bold]


def selected_of(study):
    """K-means .5, KC .6, RCE .9/.8/.7 on iris; KC best on wine."""
    records = []
    for case in study.cases:
        means = (0.5, 0.6, 0.9, 0.8, 0.7) if case.id == "iris" else (0.5, 0.95, 0.9, 0.8, 0.7)
        for i, (row, mean) in enumerate(zip(list_rows(study), means, strict=True)):
            for metric in study.metrics:
                records += [(study.id, case.id, *row, metric, s, "{}", mean + (i + 1) * NOISE[s]) for s in range(4)]
    return pd.DataFrame(records, columns=list(SELECTED_COLUMNS))


def test_summary_has_the_rows_of_the_study_in_order(study):
    selected = selected_of(study).sample(frac=1, random_state=0)
    table = summarise(study, selected)
    assert tuple(table.columns) == SUMMARY_COLUMNS
    assert len(table) == 2 * 5 * 5
    iris = table[(table["case"] == "iris") & (table["metric"] == "NMI")]
    assert list(zip(iris["method"], iris["selection"], strict=True)) == [tuple(row) for row in list_rows(study)]
    assert list(iris["mean"]) == pytest.approx([0.5, 0.6, 0.9, 0.8, 0.7])
    assert list(iris["bold"]) == [False, False, True, True, True]
    wine = table[(table["case"] == "wine") & (table["metric"] == "F")]
    assert list(wine["best"]) == [False, True, False, False, False]
    assert table["best"].dtype == table["bold"].dtype == bool


def test_pairwise_has_every_pair_once(study):
    selected = selected_of(study)
    table = compare_pairs(study, selected)
    assert tuple(table.columns) == PAIR_COLUMNS
    assert len(table) == 2 * 5 * 10
    first = table.iloc[0]
    assert (first["case"], first["metric"], first["row_a"], first["row_b"]) == ("iris", "ACC", "K-means", "KC")
    assert (first["mean_a"], first["mean_b"], first["n"]) == (pytest.approx(0.5), pytest.approx(0.6), 4)
    expected = stats.ttest_rel(0.5 + NOISE, 0.6 + 2 * NOISE).pvalue
    assert first["p_paired"] == pytest.approx(expected)
    assert first["p_holm"] >= first["p_paired"]
    group = table[(table["case"] == "iris") & (table["metric"] == "ACC")]
    assert_allclose(group["p_holm"], adjust_holm(group["p_paired"].to_numpy()))
    assert not table[["row_a", "row_b", "case", "metric"]].duplicated().any()


def test_pairwise_with_missing_cells_compares_the_common_subsets(study):
    selected = selected_of(study)
    hole = (selected["method"] == "KC") & (selected["subset"] == 0)
    first = compare_pairs(study, selected[~hole]).iloc[0]
    assert first["n"] == 3
    assert first["mean_a"] == pytest.approx(0.5 + NOISE[1:].mean())
