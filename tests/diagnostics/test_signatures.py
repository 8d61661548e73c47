"""Which features separate the clusters: sizes of effects, tests, means."""

import numpy as np
import pytest
from scipy import stats

from consclust.diagnostics import signatures

LABELS = np.repeat([0, 1, 4, -1], [6, 5, 7, 2])
X = np.random.default_rng(0).normal(size=(20, 4)) + np.array([[0, 0, 1, 0]]) * LABELS[:, None]
X[:, 3] = 2.5
NAMES = ["a", "b", "c", "constant"]


def test_each_feature_has_the_statistics_of_scipy():
    table = signatures(X, LABELS, NAMES).set_index("feature")
    groups = [X[cluster == LABELS] for cluster in (0, 1, 4)]
    p = []
    for j, name in enumerate(NAMES[:3]):
        expected = stats.kruskal(*(group[:, j] for group in groups))
        row = table.loc[name]
        np.testing.assert_allclose((row["kruskal_h"], row["p"]), (expected.statistic, expected.pvalue))
        of_all = X[LABELS >= 0, j]
        between = sum(len(group) * (group[:, j].mean() - of_all.mean()) ** 2 for group in groups)
        np.testing.assert_allclose(row["eta_squared"], between / ((of_all - of_all.mean()) ** 2).sum())
        means = [(group[:, j].mean() - of_all.mean()) / of_all.std() for group in groups]
        np.testing.assert_allclose(row[["mean_0", "mean_1", "mean_4"]].astype(float), means)
        p.append(expected.pvalue)
    # Benjamini and Hochberg by hand: the least of p m / rank over this and larger p
    order = np.argsort(p)
    adjusted = np.minimum.accumulate((np.array(p)[order] * 3 / np.array([1, 2, 3]))[::-1])[::-1]
    np.testing.assert_allclose(table["p_adjusted"].loc[np.array(NAMES)[order]], np.minimum(adjusted, 1))


def test_the_largest_effect_is_first_and_a_constant_feature_last_without_values():
    table = signatures(X, LABELS, NAMES)
    assert table["feature"].iloc[0] == "c"
    assert table["feature"].iloc[-1] == "constant"
    assert table.iloc[-1].drop("feature").isna().all()
    assert table["eta_squared"].dropna().is_monotonic_decreasing


@pytest.mark.parametrize(
    ("features", "labels", "what"),
    [
        ([[1.0, np.nan], [2.0, 3.0]], [0, 1], "finite"),
        ([[1.0], [2.0]], [0, 1, 1], "one for each object"),
        ([[1.0], [2.0]], [0, 0], "fewer than two clusters"),
        ([[1.0], [2.0]], [0, -1], "fewer than two clusters"),
    ],
)
def test_what_cannot_be_compared_is_refused(features, labels, what):
    with pytest.raises(ValueError, match=what):
        signatures(features, labels)


@pytest.mark.parametrize("factor", [2.0**600, 2.0**-600])
def test_no_number_depends_on_the_unit_of_the_features(factor):
    expected, found = signatures(X[:, :3], LABELS), signatures(X[:, :3] * factor, LABELS)
    np.testing.assert_allclose(found.drop(columns="feature"), expected.drop(columns="feature"), rtol=1e-9)
