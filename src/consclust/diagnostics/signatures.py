"""Which features separate the clusters of a consensus."""

# SciPy and pandas are imported where needed, so that what does without them starts faster

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, FloatArray
from consclust.extras import needs

if TYPE_CHECKING:
    from pandas import DataFrame


@needs("plot")
def signatures(features: npt.ArrayLike, labels: npt.ArrayLike, names: Sequence[Any] | None = None) -> "DataFrame":
    """Compare the clusters in each feature: effect size, Kruskal-Wallis test, mean of each cluster.

    Where the clusters were made from the same features, the p-values are no test of whether there are clusters: any
    division of the objects by their features separates some of these (Gao, Bien, Witten 2024). They rank features; the
    effect sizes say how much a feature separates the clusters.

    Parameters
    ----------
    features : array-like, shape (n, d)
    labels : array-like of int, shape (n,)
        Clusters; objects with -1 are left out.
    names : sequence, shape (d,), optional
        Of the features. Default: 1 to d.

    Returns
    -------
    DataFrame
        A row for each feature, the largest effect first: ``feature``; ``eta_squared``, the share of the sum of squares
        that lies between the clusters; ``kruskal_h`` and ``p`` of the Kruskal-Wallis test; ``p_adjusted`` by Benjamini
        and Hochberg over the features; and for each cluster ``mean_<cluster>``, its mean in standard deviations of the
        feature from the mean of all objects. NaN for a constant feature.

    Raises
    ------
    ValueError
        For features that are no finite matrix, labels of another length, or fewer than two clusters.

    References
    ----------
    Kruskal, Wallis: Use of ranks in one-criterion variance analysis. Journal of the American Statistical Association
    47, 1952. Benjamini, Hochberg: Controlling the false discovery rate. Journal of the Royal Statistical Society B 57,
    1995. Gao, Bien, Witten: Selective inference for hierarchical clustering. Journal of the American Statistical
    Association 119, 2024.

    Examples
    --------
    >>> from consclust.diagnostics import signatures
    >>> table = signatures([[0, 5], [1, 3], [9, 4], [8, 4]], [0, 0, 1, 1], ["length", "width"])
    >>> table["feature"].tolist(), table["eta_squared"].round(3).tolist()
    (['length', 'width'], [0.985, 0.0])
    """
    import pandas as pd
    from scipy.stats import false_discovery_control, kruskal

    values, clusters = _check(features, labels)
    present = np.unique(clusters)
    means, eta_squared = _compare_means(values, clusters, present)
    varies = ~np.isnan(eta_squared)
    h, p, p_adjusted = (np.full(values.shape[1], np.nan) for _ in range(3))
    if varies.any():
        found = kruskal(*(values[clusters == cluster][:, varies] for cluster in present), axis=0)
        h[varies] = found.statistic
        p[varies] = found.pvalue
        p_adjusted[varies] = false_discovery_control(p[varies], method="bh")
    table = pd.DataFrame(
        {
            "feature": [str(j + 1) for j in range(values.shape[1])] if names is None else list(names),
            "eta_squared": eta_squared,
            "kruskal_h": h,
            "p": p,
            "p_adjusted": p_adjusted,
            **{f"mean_{cluster}": row for cluster, row in zip(present, means, strict=True)},
        }
    )
    return table.sort_values("eta_squared", ascending=False, kind="stable", ignore_index=True)


def _check(features: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[FloatArray, npt.NDArray[Any]]:
    """Return the features and the clusters of the objects that have one; ValueError for what cannot be compared."""
    values = np.asarray(features, dtype=float)
    clusters = np.asarray(labels)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ValueError(f"features must be a matrix of finite numbers, got shape {values.shape}; complete them")
    if clusters.shape != values.shape[:1]:
        raise ValueError(f"labels must have shape ({len(values)},), one for each object, got {clusters.shape}")
    known = clusters != MISSING
    if len(np.unique(clusters[known])) < 2:
        raise ValueError("labels hold fewer than two clusters, which nothing separates")
    return values[known], clusters[known]


def _compare_means(
    values: FloatArray, clusters: npt.NDArray[Any], present: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray]:
    """Return the means of the clusters in standard deviations, (K, d), and eta squared, (d,).

    NaN for a constant feature.
    """
    largest = np.abs(values).max(axis=0)
    values = values / np.where(largest > 0, largest, 1)  # squares of the largest and the smallest numbers are none
    deviations = values.std(axis=0)
    constant = np.ptp(values, axis=0) == 0
    deviations[constant] = np.nan
    scaled = (values - values.mean(axis=0)) / deviations
    means = np.array([scaled[clusters == cluster].mean(axis=0) for cluster in present])
    shares = np.array([(clusters == cluster).mean() for cluster in present])
    # the features have the variance 1, so that the sum of squares between clusters is a share
    return means, shares @ means**2
