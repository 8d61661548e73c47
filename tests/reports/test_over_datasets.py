"""Statistics over data sets: against SciPy, published values, values of baycomp, and estimates by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from consclust_studies.results.over_datasets import (
    compare_with,
    compute_friedman,
    divide_variance,
    fill_worst,
    find_equivalence,
    judge_by_signed_ranks,
    measure_stability,
    rank_methods,
)

# Demšar: Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006, Table 6: AUC on 14 data
# sets. Its ranks are of scores with more digits: one .975 is above the other one.
AUC = """
.763 .768 .771 .798   .599 .591 .590 .569   .954 .971 .968 .967   .628 .661 .654 .657   .882 .888 .886 .898
.936 .931 .916 .931   .661 .668 .609 .685   .583 .583 .563 .625   .775 .838 .866 .875   1 1 1 1
.940 .962 .965 .962   .619 .666 .614 .669   .972 .981 .9751 .975  .957 .978 .946 .970
"""
DEMSAR = pd.DataFrame(np.reshape(list(map(float, AUC.split())), (14, 4)), columns=["C4.5", "m", "cf", "m+cf"])

# Differences on data sets, the region, and the probabilities by baycomp 1.0.3: SignedRankTest.sample with 50,000 draws.
BAYCOMP = [
    (
        [.051, -.003, -.039, .046, -.012, .053, .012, .043, .018, .032, .004, .075, .009, .02, .079, -.05, -.047, .043,
         -.043, .082, -.013, -.026, .081, .063, .079, .04, -.03, .08, -.007, .036],
        .02, (.77944, .22052, .00004),
    ),
    (
        [-.102, .026, .035, -.03, .091, -.058, .002, -.007, .061, .059, .006, .015, -.036, -.079, -.014, .006, .049,
         .048, -.015, -.012, -.042, -.057, -.068, .078, -.02, -.018, -.05, .031, -.065, -.009, -.036, .015, -.02, -.047,
         -.001, .017, .003, .012, -.025, -.015, -.027, -.014, -.033, -.069, .007, -.016, -.065, .019, -.036, .002, .029,
         .005, .046, -.049],
        .01, (.049, .0024, .9486),
    ),
    ([.066, .023, .015, .027, .038, .052, .003, .086, .069, -.011, .11, .126], .01, (.99946, .00054, 0)),
]  # fmt: skip


def test_ranks_are_those_of_the_published_example():
    means = rank_methods(DEMSAR).mean()
    assert means.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]


def test_a_method_without_a_score_is_last_and_has_the_lowest_one():
    table = pd.DataFrame({"a": [0.2, 0.5], "b": [np.nan, 0.1], "c": [0.2, np.nan]})
    assert rank_methods(table).to_numpy().tolist() == [[1.5, 3, 1.5], [1, 2, 3]]
    assert fill_worst(table).to_numpy().tolist() == [[0.2, 0.2, 0.2], [0.5, 0.1, 0.1]]
    below_zero = pd.DataFrame({"a": [-0.5], "b": [np.nan]})
    assert rank_methods(below_zero).to_numpy().tolist() == [[1, 2]]


def test_friedman_is_that_of_the_published_example():
    ranks = rank_methods(DEMSAR)
    found = compute_friedman(ranks)
    assert (found.datasets, found.methods) == (14, 4)
    assert found.statistic == pytest.approx(stats.friedmanchisquare(*DEMSAR.to_numpy().T).statistic)
    # without the correction for ties the paper has 9.28 and F = 3.69
    n, k = ranks.shape
    plain = 12 * n / (k * (k + 1)) * ((ranks.mean() ** 2).sum() - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.005)
    assert found.statistic > plain
    expected = (n - 1) * found.statistic / (n * (k - 1) - found.statistic)
    assert found.f == pytest.approx(expected)
    assert found.p == pytest.approx(stats.f.sf(expected, 3, 39))


def test_friedman_without_ties_has_the_f_of_iman_and_davenport():
    ranks = pd.DataFrame([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3], [1, 2, 3]])
    found = compute_friedman(ranks)
    # mean ranks 1.2, 2 and 2.8: 12 n / (k (k + 1)) times the sum of their squared distances from 2
    assert found.statistic == pytest.approx(12 * 5 / 12 * 2 * 0.8**2)
    assert found.f == pytest.approx(4 * 6.4 / (10 - 6.4))
    assert compute_friedman(pd.DataFrame([[1, 2, 3]] * 6)).p == 0


def test_friedman_of_equal_ranks_and_of_two_methods():
    equal = compute_friedman(pd.DataFrame([[2.0, 2.0, 2.0]] * 6))
    assert (equal.statistic, equal.f, equal.p) == (0, 0, 1)
    # equal on all data sets but one
    assert compute_friedman(pd.DataFrame([[2.0, 2.0, 2.0]] * 5 + [[1, 2, 3]])).p > 0.1
    assert np.isnan(compute_friedman(pd.DataFrame([[1, 2]] * 6)).p)


def test_comparisons_with_one_method():
    found = {one.method: one for one in compare_with(DEMSAR, "C4.5")}
    assert list(found) == ["m", "cf", "m+cf"]
    differences = DEMSAR["m"] - DEMSAR["C4.5"]
    expected = stats.wilcoxon(differences, zero_method="pratt", method="approx", correction=False).pvalue
    assert found["m"].p == pytest.approx(expected)
    assert found["m"].difference == pytest.approx(differences.mean())
    # above on 10, below on 2, equal on 2
    assert found["m"].better == pytest.approx((10 + 1) / 14)
    p = sorted(one.p for one in found.values())
    smallest = min(found.values(), key=lambda one: one.p)
    assert smallest.p_holm == pytest.approx(3 * p[0])


def test_only_data_sets_that_both_have_are_compared():
    table = DEMSAR.copy()
    table.loc[:8, "m"] = np.nan
    found = {one.method: one for one in compare_with(table, "C4.5")}
    assert found["m"].datasets == 5
    assert found["cf"].datasets == 14
    table.loc[9, "m"] = np.nan
    few = {one.method: one for one in compare_with(table, "C4.5")}["m"]
    assert np.isnan(few.p)
    assert np.isnan(few.p_holm)
    same = DEMSAR.assign(copy=DEMSAR["cf"])
    assert {one.method: one.p for one in compare_with(same, "cf")}["copy"] == 1


@pytest.mark.parametrize(("differences", "rope", "expected"), BAYCOMP)
def test_the_bayesian_signed_rank_test_is_that_of_baycomp(differences, rope, expected):
    found = judge_by_signed_ranks(np.array(differences), rope, np.random.default_rng(0), draws=20_000)
    assert sum(found) == pytest.approx(1)
    # three standard errors of the shares of draws, of ours and theirs
    for share, known in zip(found, expected, strict=True):
        error = np.sqrt(known * (1 - known) * (1 / 20_000 + 1 / 50_000)) + 1e-4
        assert share == pytest.approx(known, abs=3 * error)


def test_methods_that_differ_little_are_practically_equal():
    random = np.random.default_rng(0)
    found = judge_by_signed_ranks(np.array([0.002, -0.003, 0.001, 0.004] * 5), 0.01, random)
    assert found.equal > 0.99
    turned = judge_by_signed_ranks(-np.array([0.2] * 9), 0.01, random)
    assert turned.worse > 0.99


def test_equivalence_by_two_one_sided_tests():
    random = np.random.default_rng(1)
    a = random.normal(0.5, 0.1, 60)
    b = a + random.normal(0.001, 0.01, 60)
    differences = a - b
    error = differences.std(ddof=1) / np.sqrt(60)
    from_below = stats.t.sf((differences.mean() + 0.01) / error, 59)
    from_above = stats.t.sf((0.01 - differences.mean()) / error, 59)
    found = find_equivalence(a, b, 0.01)
    assert found.p == pytest.approx(max(from_below, from_above))
    assert found.p < 0.001
    assert find_equivalence(a, b + 0.02, 0.01).p > 0.5
    assert find_equivalence(a, a, 0.01).p == 0
    assert find_equivalence(a, a + 0.5, 0.01).p == 1


def test_stability_is_one_for_clear_ranks_and_near_zero_for_chance():
    random = np.random.default_rng(2)
    clear = pd.DataFrame(np.arange(8) + random.normal(0, 0.01, (40, 8))).rank(axis=1)
    assert measure_stability(clear, random, 50) == pytest.approx((1, 1, 1))
    chance = pd.DataFrame(random.normal(size=(40, 8))).rank(axis=1)
    found = measure_stability(chance, random, 300)
    assert found.low < 0
    assert abs(found.median) < 0.25
    assert found.high < 0.7


@pytest.mark.parametrize("n_datasets", [6, 7])
def test_stability_compares_the_mean_ranks_of_two_halves(n_datasets):
    ranks = pd.DataFrame(np.random.default_rng(3).permuted(np.tile(np.arange(5.0), (n_datasets, 1)), axis=1))
    drawn = np.random.default_rng(4)
    expected = []
    for _ in range(20):
        order = drawn.permutation(n_datasets)
        halves = [ranks.iloc[part].mean() for part in (order[: n_datasets // 2], order[n_datasets // 2 :])]
        expected.append(stats.kendalltau(*halves).statistic)
    found = measure_stability(ranks, np.random.default_rng(4), 20)
    assert found == pytest.approx((np.median(expected), *np.quantile(expected, [0.025, 0.975])))


@pytest.mark.long
def test_variance_components_are_those_of_balanced_analysis_of_variance():
    random = np.random.default_rng(3)
    shape = sets, kinds, ensembles, methods = (14, 2, 3, 4)
    deviations = {"data set": 0.2, "kind": 0.1, "ensemble": 0.05, "method": 0.08}
    y = random.normal(0, 0.03, shape) + np.arange(methods) * 0.01
    y += random.normal(0, deviations["data set"], (sets, 1, 1, 1)) + random.normal(0, 0.1, (sets, kinds, 1, 1))
    y += random.normal(0, 0.05, (sets, kinds, ensembles, 1)) + random.normal(0, 0.08, (sets, 1, 1, methods))
    y += 0.5
    places = np.indices(shape).reshape(4, -1)
    frame = pd.DataFrame(places.T, columns=["dataset", "kind", "ensemble", "method"]).assign(value=y.ravel())
    found = divide_variance(frame)
    # mean squares, and the components that solve their expectations
    of_sets = y.mean(axis=(1, 2, 3))
    of_kinds = y.mean(axis=(2, 3))
    of_ensembles = y.mean(axis=3)
    of_methods = y.mean(axis=(1, 2))
    method_means = y.mean(axis=(0, 1, 2))
    ms_sets = kinds * ensembles * methods * of_sets.var(ddof=1)
    ms_kinds = ensembles * methods * ((of_kinds - of_sets[:, None]) ** 2).sum() / (sets * (kinds - 1))
    ms_ensembles = methods * ((of_ensembles - of_kinds[..., None]) ** 2).sum() / (sets * kinds * (ensembles - 1))
    interaction = of_methods - of_sets[:, None] - method_means + y.mean()
    ms_methods = kinds * ensembles * (interaction**2).sum() / ((sets - 1) * (methods - 1))
    rest = y - of_ensembles[..., None] - (of_methods - of_sets[:, None])[:, None, None]
    freedom = y.size - sets * kinds * ensembles - sets * (methods - 1)
    ms_rest = (rest**2).sum() / freedom
    expected = {
        "rest": ms_rest,
        "method on the data set": (ms_methods - ms_rest) / (kinds * ensembles),
        "ensemble": (ms_ensembles - ms_rest) / methods,
        "kind": (ms_kinds - ms_ensembles) / (ensembles * methods),
        "data set": (ms_sets - ms_kinds - ms_methods + ms_rest) / (kinds * ensembles * methods),
    }
    assert min(expected.values()) > 0
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=0.02), name
