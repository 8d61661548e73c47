"""How many clusters: several criteria over a range of k, beside those of data without clusters, so that it may be 1.

At each k there are clusterings that are resampled at this k, their co-association matrix M, and a consensus of k
clusters (:mod:`consclust.diagnostics.resampling`). The criteria are in :mod:`consclust.diagnostics.criteria`; one
number of clusters is recommended.
"""

# pandas is imported where needed: what does without starts faster

import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import ceil, isnan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.diagnostics.criteria import (
    DISPERSION,
    SILHOUETTE,
    Values,
    average_known,
    compare_with_nulls,
    compute_criteria,
    compute_p_of_one_cluster,
    compute_silhouettes,
    find_largest,
    find_tested,
    list_criteria,
    measure_spread,
)
from consclust.diagnostics.pairs import n_pairs, require_at_least
from consclust.diagnostics.parallel import run_tasks
from consclust.diagnostics.resampling import ResampledKMeans, Source, make_source
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.extras import needs
from consclust.methods.base import ConsensusMethod
from consclust.seeds import generator

COLUMNS = (
    "criterion", "k", "value", "null_mean", "null_sd", "score", "p", "best", "chosen", "recommended", "halves"
)  # fmt: skip
CHANCE = 2.0
"""Standard deviations of the draws by which a gap of the dispersion may be chance."""


def choose_k(
    labels: npt.ArrayLike | Ensemble | None = None,
    ks: Iterable[int] = range(2, 11),
    *,
    features: npt.ArrayLike | None = None,
    recipe: ResampledKMeans | None = None,
    method: ConsensusMethod | None = None,
    halves: int = 20,
    nulls: int = 19,
    level: float = 0.05,
    seed: int = 0,
    n_jobs: int = 1,
    watch: Callable[[Iterable[FloatArray]], Iterable[FloatArray]] = iter,
) -> Any:
    r"""Compare numbers of clusters by several criteria at once, and with data that have no clusters.

    Parameters
    ----------
    labels : array-like of int, shape (n, m), or Ensemble
        Base clusterings; -1 marks a missing object.
    ks : ints >= 2
        Numbers of clusters to compare.
    features : array-like, shape (n, d), in place of ``labels``
        They are clustered by ``recipe``.
    recipe : ResampledKMeans
        Default: 50 runs on 80 % of the objects.
    method : ConsensusMethod, optional
        Fitted as a copy at each k, whatever its ``n_clusters``. Default: average linkage of the co-association matrix,
        whose tree is cut at each k. It takes 24 n'^2 bytes, with n' = n for the null reference; for many objects give
        the labels of a thousand that are drawn at random, as the command does.
    halves : int
        Random halves of the clusterings of a label matrix.
    nulls : int
        Draws of the null reference; 0 for none.
    level : float
        Level of the test of k = 1.
    seed : int
    n_jobs : int
        Processes, which share the data and the draws of the null reference; the result does not depend on it.
    watch : callable
        Progress bar, such as tqdm: it is given an iterable of 1 + ``nulls`` items and yields them.

    Returns
    -------
    pandas.DataFrame
        A row for each criterion and k, and one with k = 1 for each criterion. Columns:

        * ``value``. "PAC", "delta area", "cophenetic": of the resampled clusterings. "silhouette" (mean on 1 - M),
          "cluster consensus" (mean by the sizes of the clusters), "agreement" (mean ARI with the clusterings): of the
          consensus, with the clusterings of the label matrix, or those of the features at this k. "dispersion", of
          features alone: log of the share of the sum of squares that lies within the clusters of k-means. NaN where the
          method has no answer with k clusters, and for delta area after a wider step of k than the narrowest one.
        * ``null_mean``, ``null_sd``: mean and standard deviation over the null reference.
        * ``score``: how much better the value is than ``null_mean``. For PAC it is :math:`\log_2` of their ratio, the
          relative cluster stability index of M3C, with half a pair added to both; for the others their difference, as
          in the gap statistic (Tibshirani, Walther, Hastie: J. R. Stat. Soc. B 63, 2001), which is that of the
          dispersion.
        * ``p``: Monte Carlo p-value, (1 + draws at least as good) / (1 + draws). In the row of k = 1 it is that of the
          best k: :math:`-\log_2` of the distance to the perfect value, plus half a pair, is standardised over data and
          draws at each k, and the largest ones over k compared. Dispersion and delta area, whose values do not end at a
          perfect one, are standardised as they are. Of features the larger one of the criterion's own deviation and
          that of the dispersion counts.
        * ``best``: the k with the best value; for delta area the last k with an increase of at least 10 %. Never 1.
        * ``chosen``: the k with the best score, for delta area the last increase of at least 10 % with a p-value of at
          most ``level``; 1 if the p-value in the row of k = 1 exceeds ``level``. Without a null reference it is
          ``best``. Of equal ones the smallest k.
        * ``recommended``: the one k to take, in the rows of all criteria: see the notes.
        * ``halves``: share of the random halves, of the clusterings and of the draws, in which this k is recommended;
          NaN if k = 1 is.

    Raises
    ------
    ValueError
        Unless one of ``labels`` and ``features`` is given; for invalid ones, a single clustering, k outside 2..n, a
        negative number of draws, or a recipe with fewer objects in a run than k.
    ExtraNeeded
        Without pandas, which comes with ``consclust[plot]``.

    Notes
    -----
    The null reference of features is Gaussian along their principal components (John, Watson, Barnes, Pitzalis, Lewis:
    M3C, Scientific Reports 10, 2020). Each draw has exactly the mean and the covariance of the features, as in rotation
    tests (Langsrud: Statistics and Computing 15, 2005), so that the level is exact for Gaussian features. The null
    reference of a label matrix permutes the labels of each clustering on their own among the objects that it contains.
    It tests less: clusterings of data without clusters also agree with each other, because the data have a shape, and
    k = 1 is rejected for that alone.
    Where there are features, pass them instead: their null reference has the shape of the data.

    The recommendation is 1 unless one cluster is rejected at the level, by the dispersion (features) or the silhouette
    (label matrix). Otherwise it is the k with the largest silhouette adjusted for chance, (S - E) / (1 - E) with the
    mean E of the draws, of features times the square of the score of the dispersion less two standard deviations of
    the draws, negative ones taken for 0. How often that is right is measured in docs/choice-of-k.md. The same is
    computed for random halves of the clusterings, each beside a random half of the draws. The next smaller k is taken,
    and so on, while it is as good as the best one within the noise: as long as the difference is at most the standard
    deviation of this difference over the halves.

    Takes (1 + ``nulls``) (1 + ``halves``) fits for each k from labels, or (1 + ``nulls``) ``runs`` runs of k-means and
    a fit for each k from features, and ``halves`` fits for each k for the recommendation; with the default method
    O(n'^2) for each tree.

    Examples
    --------
    >>> from consclust.diagnostics import choose_k
    >>> from consclust.testing import l30  # 8 clusterings of 3 classes of 10 objects
    >>> table = choose_k(l30(), range(2, 5), halves=4, nulls=0)
    >>> list(table.columns)
    ['criterion', 'k', 'value', 'null_mean', 'null_sd', 'score', 'p', 'best', 'chosen', 'recommended', 'halves']
    >>> table.loc[table["recommended"], "k"].unique()
    array([3])
    """
    with needs("plot"):
        import pandas  # noqa: F401 - of a later use, where it would be missed after all the work
    require_at_least(0, "nulls", nulls)
    if 0 < nulls < (enough := ceil(1 / level) - 1):
        warnings.warn(
            f"nulls = {nulls}: no p-value can be as small as level = {level:g}, so k = 1 is chosen; "
            f"take at least {enough}, or 0 for no null reference",
            stacklevel=2,
        )
    data, numbers = make_source(labels, ks, features, recipe, method, halves, seed)
    return make_table(measure_values(data, numbers, nulls, n_jobs, watch), level)


def measure_values(
    data: Source,
    ks: Sequence[int],
    nulls: int,
    n_jobs: int = 1,
    watch: Callable[[Iterable[FloatArray]], Iterable[FloatArray]] = iter,
) -> Values:
    """Return the values of all criteria, for data and draws; the parameters are those of :func:`choose_k`."""
    tasks = ((source, ks) for source in chain([data], map(data.null, range(nulls))))
    values, *drawn = watch(run_tasks(compute_criteria, tasks, 1 + nulls, n_jobs))
    of_nulls = np.array(drawn).reshape(nulls, *values.shape)
    half_pair = 0.5 / n_pairs(data.n_objects())
    return Values(list_criteria(data), ks, values, of_nulls, compute_silhouettes(data, ks), half_pair)


def make_table(values: Values, level: float) -> Any:
    """Return the table of :func:`choose_k` for given values of the criteria."""
    import pandas as pd

    table = pd.DataFrame(compare_with_nulls(values, level), columns=list(COLUMNS[: -len(Recommendation._fields)]))
    found = recommend(values, level)
    return table.assign(recommended=table["k"] == found.recommended, halves=table["k"].map(found.halves))


class Recommendation(NamedTuple):
    """The number of clusters to take, and how sure it is."""

    recommended: int | None
    """None if no criterion has a value."""
    halves: dict[int, float]
    """Share of the halves of clusterings and draws in which a k is recommended; empty for one cluster."""


def recommend(values: Values, level: float) -> Recommendation:
    """Return the recommendation, as the notes of :func:`choose_k` define it."""
    silhouettes = values.pool(SILHOUETTE)
    if np.isnan(silhouettes[0]).all():
        return Recommendation(None, {})
    if len(values.nulls) and not compute_p_of_one_cluster(values) <= level:
        return Recommendation(1, {})
    merits = _judge(values, silhouettes[0], np.arange(len(values.nulls)))
    rng = generator(0, "choose k", "halves of the draws")
    of_halves = np.array([_judge(values, half, _draw_half(len(values.nulls), rng)) for half in values.halves])
    noise = _measure_noise(of_halves)
    # without a null reference, silhouettes have no value by chance that they must exceed
    least = 0.0 if len(values.nulls) else -np.inf
    picks = [_pick(values.ks, half, noise, least) for half in of_halves]
    known = [k for k in picks if k is not None]
    shares = {k: known.count(k) / len(known) for k in values.ks} if known else {}
    return Recommendation(_pick(values.ks, merits, noise, least), shares)


def _draw_half(n: int, rng: np.random.Generator) -> IntArray:
    """Return a random half of n draws, rounded up."""
    return rng.permutation(n)[: ceil(n / 2)]


def _judge(values: Values, silhouette: FloatArray, draws: IntArray) -> FloatArray:
    """Return how good each k is, (k's,), by some silhouettes, (k's,), beside those of some draws."""
    # without a null reference the values themselves count
    if not len(draws):
        return silhouette
    expected = average_known(values.pool(SILHOUETTE)[1 + draws])
    adjusted = (silhouette - expected) / (1.0 - expected + values.half_pair)
    if DISPERSION not in values.names:
        return np.asarray(adjusted)
    dispersions = values.pool(DISPERSION)
    drawn = dispersions[1 + draws]
    gap = average_known(drawn) - dispersions[0] - CHANCE * measure_spread(drawn)
    return np.asarray(np.maximum(adjusted, 0.0) * np.square(np.maximum(gap, 0.0)))


def _measure_noise(of_halves: FloatArray) -> FloatArray:
    """Return the standard deviation, over the halves, of the difference of any two k's, (k's, k's).

    ``of_halves`` has shape (halves, k's). 0 where fewer than two halves have a value.
    """
    return measure_spread(of_halves[:, :, None] - of_halves[:, None])


def _pick(ks: Sequence[int], merits: FloatArray, noise: FloatArray, least: float) -> int | None:
    """Return the smallest k of those next to each other that are as good as the best one within the noise.

    None where no merit is above the ``least``.
    """
    best = find_largest(ks, merits)
    if best is None or not merits[ks.index(best)] > least:
        return None
    place = ks.index(best)
    smallest = place
    while smallest > 0 and merits[place] - merits[smallest - 1] <= noise[place, smallest - 1]:
        smallest -= 1
    return ks[smallest]


def describe_recommendation(table: Any) -> str:
    """Say in a few sentences which number of clusters is recommended, why, and how sure that is.

    Parameters
    ----------
    table : pandas.DataFrame
        What :func:`choose_k` returns.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from consclust.diagnostics import choose_k, describe_recommendation
    >>> labels = np.repeat([[0, 0, 0], [1, 1, 1], [2, 2, 2]], 5, axis=0)
    >>> print(describe_recommendation(choose_k(labels, [2, 3], halves=4, nulls=0)))
    Recommended: k = 3, where the silhouette is best within the noise; so it is in all halves of the clusterings.
    """
    recommended = table[table["recommended"]]
    if not len(recommended):
        silhouettes = table[table["criterion"] == SILHOUETTE]["value"]
        if silhouettes.isna().all():
            return "No number of clusters is recommended: no criterion has a value."
        return "No number of clusters is recommended: no k is better than on data without clusters by all criteria."
    k = int(recommended["k"].iloc[0])
    tested = find_tested(set(table["criterion"]))
    one_cluster = table[(table["criterion"] == tested) & (table["k"] == 1)]
    p = float(one_cluster["p"].iloc[0])
    if k == 1:
        return f"Recommended: k = 1. The {tested} is that of data without clusters (p = {p:.2g})."
    has_nulls = not isnan(p)
    what = "silhouette and dispersion together are" if tested == DISPERSION and has_nulls else "the silhouette is"
    than = f" One cluster is rejected by the {tested} (p = {p:.2g})." if has_nulls else ""
    parts = "halves of the clusterings and of the draws" if has_nulls else "halves of the clusterings"
    share = recommended["halves"].iloc[0]
    of_halves = table.drop_duplicates("k").set_index("k")["halves"].dropna()
    others = of_halves[(of_halves > 0) & (of_halves.index != k)].sort_values(ascending=False, kind="stable")
    if of_halves.empty:
        sure = ""
    elif others.empty:
        sure = f"; so it is in {'all' if share == 1 else f'{share:.0%} of the'} {parts}"
    else:
        listed = ", ".join(f"{other} in {part:.0%}" for other, part in others.items())
        sure = f"; {parts} disagree, as other seeds may: it is {k} in {share:.0%} of them, {listed}"
    return f"Recommended: k = {k}, where {what} best within the noise{sure}.{than}"
