"""Comparisons of methods over many data sets, which are the replicates of every test.

A *table* has the scores of methods in columns, higher is better, of data sets in rows; NaN is a cell without a score.
"""

# SciPy, pandas and statsmodels are imported where needed, so that what does without them starts faster

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from consclust.ensemble import FloatArray
from consclust_studies.results.significance import adjust_holm

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 5
"""Data sets below which nothing is tested."""
LEAST_METHODS = 3
"""Methods that Friedman's test needs."""


def fill_worst(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which a method without a score has the lowest one of the data set."""
    return table.apply(lambda row: row.fillna(row.min()), axis=1)


def rank_methods(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rank of each method on each data set, 1 the best; equal scores share their mean rank.

    A method without a score is the last one, behind those with the lowest.
    """
    lowest = float(np.nanmin(table.to_numpy(dtype=float), initial=0.0))
    return table.round(12).fillna(lowest - 1).rank(axis=1, ascending=False)


def find_interval(values: FloatArray) -> tuple[float, float]:
    """Return the 95 % interval of the mean by Student's t; no interval, (NaN, NaN), of a single value."""
    from statsmodels.stats.weightstats import DescrStatsW

    if len(values) < 2:
        return float("nan"), float("nan")
    low, high = DescrStatsW(values).tconfint_mean()
    return float(low), float(high)


class FriedmanTest(NamedTuple):
    """A test of whether all methods have the same mean rank."""

    statistic: float
    """Friedman's, distributed as chi squared."""
    f: float
    """Iman's and Davenport's, distributed as F; inf where all data sets have the same ranks."""
    p: float
    """Of the second."""
    datasets: int
    methods: int


def compute_friedman(ranks: pd.DataFrame) -> FriedmanTest:
    """Test by Friedman's test with the correction of Iman and Davenport whether mean ranks differ.

    ``ranks`` has data sets in rows, methods in columns. Source: Iman, Davenport: Approximations of the critical region
    of the Friedman statistic. Communications in Statistics 9, 1980; with ties as SciPy's ``friedmanchisquare``. NaN for
    fewer than three methods, of which the test compares none; p is 1 where all ranks are equal.
    """
    from scipy import stats

    n, k = ranks.shape
    if k < LEAST_METHODS:
        return FriedmanTest(np.nan, np.nan, np.nan, n, k)
    if (ranks.nunique(axis=1) == 1).all():
        return FriedmanTest(0.0, 0.0, 1.0, n, k)
    statistic = float(stats.friedmanchisquare(*ranks.to_numpy().T).statistic)
    rest = n * (k - 1) - statistic
    f = (n - 1) * statistic / rest if rest > 0 else np.inf
    p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return FriedmanTest(statistic, float(f), p, n, k)


class Comparison(NamedTuple):
    """A method beside another one, over the data sets on which both have a score."""

    method: str
    other: str
    datasets: int
    difference: float
    """Mean of the scores of the method minus those of the other one."""
    p: float
    """Of Wilcoxon's signed rank test; NaN with too few data sets, 1 where no score differs."""
    p_holm: float
    """Adjusted for the number of methods that are compared with the other one."""
    better: float
    """P(A > B): the share of data sets with a higher score of the method, equal ones counted as half."""


def compare_with(table: pd.DataFrame, other: str) -> list[Comparison]:
    """Compare every other method of a table with one by Wilcoxon's signed rank test, adjusted by Holm's method."""
    found = []
    for method in table.columns:
        if method == other:
            continue
        differences = (table[method] - table[other]).dropna().to_numpy(dtype=float)
        differences = np.where(np.abs(differences) < 1e-12, 0.0, differences)
        better = float(np.mean((np.sign(differences) + 1) / 2)) if len(differences) else np.nan
        mean = float(differences.mean()) if len(differences) else np.nan
        p = _test_signed_ranks(differences)
        found.append(Comparison(str(method), other, len(differences), mean, p, np.nan, better))
    adjusted = adjust_holm(np.array([comparison.p for comparison in found]))
    return [comparison._replace(p_holm=float(p)) for comparison, p in zip(found, adjusted, strict=True)]


def _test_signed_ranks(differences: FloatArray) -> float:
    """Return the two-sided p-value of Wilcoxon's test, with differences of zero as Pratt treats them."""
    from scipy import stats

    if len(differences) < FEWEST:
        return np.nan
    if not differences.any():
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of SciPy, where nearly all differences are zero
        return float(stats.wilcoxon(differences, zero_method="pratt", method="approx", correction=False).pvalue)


class Posterior(NamedTuple):
    """The probabilities that a method is better, practically equal, or worse."""

    better: float
    equal: float
    worse: float


def judge_by_signed_ranks(
    differences: FloatArray, rope: float, random: np.random.Generator, draws: int = 5000, prior: float = 0.5
) -> Posterior:
    """Return the posterior of the Bayesian signed rank test with a region of practical equivalence.

    ``differences`` of the scores of two methods, shape (data sets,), count as equal within ``rope``. The prior is a
    Dirichlet process of weight ``prior`` at a difference of 0. The probabilities are the shares of ``draws`` in which
    each of the three has the most weight, as in ``baycomp`` (MIT), which is not a dependency.

    Source: Benavoli, Corani, Mangili, Zaffalon, Ruggeri: A Bayesian Wilcoxon signed-rank test based on the Dirichlet
    process. ICML 2014. Benavoli, Corani, Demšar, Zaffalon: Time for a change. Journal of Machine Learning Research 18,
    2017, section 4.2.
    """
    given = np.concatenate([[0.0], differences])
    sums = given[:, None] + given
    above = _step(sums - 2 * rope)
    below = _step(-sums - 2 * rope)
    weights = np.ones(len(given))
    weights[0] = prior
    drawn = random.dirichlet(weights, draws)
    better = np.einsum("di,ij,dj->d", drawn, above, drawn, optimize=True)
    worse = np.einsum("di,ij,dj->d", drawn, below, drawn, optimize=True)
    most = np.argmax(np.stack([better, 1 - better - worse, worse]), axis=0)
    shares = np.bincount(most, minlength=3) / draws
    return Posterior(*map(float, shares))


def _step(values: FloatArray) -> FloatArray:
    """Return 1 above zero, 0 below, and a half at zero."""
    step: FloatArray = np.heaviside(values, 0.5)
    return step


class Equivalence(NamedTuple):
    """Two one-sided tests of whether two methods differ by less than a bound."""

    difference: float
    p: float
    """Of the larger of the two; below .05 the methods are equivalent within the bound."""


def find_equivalence(a: FloatArray, b: FloatArray, bound: float) -> Equivalence:
    """Test by two one-sided paired t-tests whether two methods have the same mean score within a bound.

    ``a`` and ``b`` are scores on the same data sets, shape (data sets,). Source: Schuirmann 1987, by statsmodels.
    """
    from statsmodels.stats.weightstats import ttost_paired

    differences = a - b
    mean = float(differences.mean())
    if np.ptp(differences) < 1e-12:  # no spread: the mean difference is known
        return Equivalence(mean, float(abs(mean) >= bound))
    return Equivalence(mean, float(ttost_paired(a, b, -bound, bound)[0]))


class Stability(NamedTuple):
    """Kendall's tau between the mean ranks on two random halves of the data sets."""

    median: float
    low: float
    """The 2.5 % quantile over the halvings."""
    high: float
    """The 97.5 % quantile."""


def measure_stability(ranks: pd.DataFrame, random: np.random.Generator, halvings: int = 1000) -> Stability:
    """Return how stable the order of the methods is, over random halvings of the data sets.

    ``ranks`` has data sets in rows, methods in columns.
    """
    from scipy import stats

    values = ranks.to_numpy(dtype=float)
    taus = []
    for _ in range(halvings):
        order = random.permutation(len(values))
        first, second = order[: len(order) // 2], order[len(order) // 2 :]
        taus.append(stats.kendalltau(values[first].mean(axis=0), values[second].mean(axis=0)).statistic)
    low, median, high = np.quantile(taus, [0.025, 0.5, 0.975])
    return Stability(float(median), float(low), float(high))


COMPONENTS = ("data set", "kind", "ensemble", "method on the data set", "rest")


def divide_variance(scores: pd.DataFrame) -> dict[str, float]:
    """Return the components of the variance of scores by a mixed model: :data:`COMPONENTS`, as variances.

    ``scores`` has the columns dataset, kind (of ensembles), ensemble, method and value; no value is missing. The means
    of the methods are fixed. Random are the data set, the kind within a data set, the ensemble within a kind, and how a
    method deviates on a data set; the rest is that of single fits. Fitted by restricted likelihood, by statsmodels.
    """
    from statsmodels.regression.mixed_linear_model import MixedLM

    parts = {"kind": "0 + C(kind)", "ensemble": "0 + C(kind):C(ensemble)", "method": "0 + C(method)"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a component of zero lies on the boundary, of which statsmodels warns
        model = MixedLM.from_formula(
            "value ~ 0 + C(method)", groups="dataset", re_formula="1", vc_formula=parts, data=scores
        )
        fitted = model.fit(reml=True, method=["lbfgs", "powell"])
    of_parts = dict(zip(model.exog_vc.names, fitted.vcomp, strict=True))
    found = (fitted.cov_re.iloc[0, 0], of_parts["kind"], of_parts["ensemble"], of_parts["method"], fitted.scale)
    return dict(zip(COMPONENTS, map(float, found), strict=True))
