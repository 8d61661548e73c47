import numpy as np
import pytest
from planted import CLASSES, labels

from consclust import diagnostics, plot
from consclust.diagnostics import Stability
from consclust.methods import RCE

FOUND = Stability(
    np.array([1, 0, 1, -1, 0]),
    np.array([0.5, 0.7, 1.0, np.nan, 0.9]),
    np.array([0.4, 0.6, 0.8, np.nan, 0.8]),
    np.array([0.6, 0.8, 1.0, np.nan, 1.0]),
)


def test_objects_are_ordered_by_group_cluster_and_membership() -> None:
    shares = np.array([[0.6, 0.4], [0.1, 0.9], [0.3, 0.7], [0.9, 0.1], [0.8, 0.2]])
    ax = plot.memberships(shares, ["b", "a", "a", "a", "b"])
    np.testing.assert_allclose(ax.collections[0].get_array(), shares[[3, 1, 2, 4, 0]].T)
    strip = ax.child_axes[0]
    assert np.asarray(strip.collections[0].get_array()).ravel().tolist() == [0, 0, 0, 1, 1]
    assert {text.get_text() for text in strip.get_xticklabels()} == {"a", "b"}
    with pytest.raises(ValueError, match="matrix"):
        plot.memberships([0.1, 0.9])


def test_of_a_bootstrap_only_the_cluster_of_an_object_has_a_share() -> None:
    drawn = np.ma.filled(plot.memberships(FOUND).collections[0].get_array(), np.nan)
    nan = np.nan
    np.testing.assert_equal(drawn, [[0.9, 0.7, nan, nan, nan], [nan, nan, 1.0, 0.5, nan]])


def test_stability_falls_inside_each_cluster() -> None:
    stairs = [patch.get_data() for patch in plot.stability(FOUND).patches]
    intervals, lines = stairs[::2], stairs[1::2]
    assert [line.values.tolist() for line in lines] == [[0.9, 0.7], [1.0, 0.5]]
    assert [line.edges.tolist() for line in lines] == [[0, 1, 2], [2, 3, 4]]
    assert [band.values.tolist() for band in intervals] == [[1.0, 0.8], [1.0, 0.6]]
    assert [band.baseline.tolist() for band in intervals] == [[0.8, 0.6], [0.8, 0.4]]


@pytest.mark.parametrize(("largest", "expected"), [(False, [4, 0, 2]), (True, [1, 2, 0])])
def test_the_objects_with_extreme_values_are_drawn_in_order(largest, expected) -> None:
    pictures = np.arange(5 * 6).reshape(5, 3, 2)
    values = [0.3, 0.9, 0.5, np.nan, 0.1]
    ax = plot.images(pictures, values, number=3, largest=largest, across=2)
    assert [np.asarray(image.get_array()).tolist() for image in ax.images] == pictures[expected].tolist()
    assert [text.get_text() for text in ax.texts] == [f"{values[i]:.2f}" for i in expected]
    corners = [(image.get_extent()[0], image.get_extent()[3]) for image in ax.images]
    assert corners[0][1] == corners[1][1] < corners[2][1], "two in a row"
    assert corners[0][0] == corners[2][0] < corners[1][0]
    (left, right, bottom, top) = ax.images[0].get_extent()
    assert (bottom - top) / (right - left) == pytest.approx(3 / 2)


def test_pictures_may_be_coloured_and_named() -> None:
    ax = plot.images(np.random.default_rng(0).random((2, 4, 4, 3)), [0.2, 0.1], names=["x", "y"])
    assert [text.get_text() for text in ax.texts] == ["y: 0.10", "x: 0.20"]
    with pytest.raises(ValueError, match="reshape"):
        plot.images(np.zeros((2, 16)), [0.2, 0.1])


def test_errors_of_rce_by_clustering_and_object() -> None:
    given = labels(missing=5)
    rce = RCE(n_clusters=4, lambda2=0.1, random_state=0).fit(given)
    errors = diagnostics.rce_errors(rce, given)
    ax = plot.rce_errors(rce, given, CLASSES[::-1])
    rows = [int(text.get_text()) for text in ax.get_yticklabels()]
    assert np.all(np.diff(np.nanmean(errors, axis=0)[rows]) <= 0)
    objects = [i for group in range(4) for i in range(60) if CLASSES[::-1][i] == group]
    np.testing.assert_allclose(np.ma.filled(ax.collections[0].get_array(), np.nan), errors[np.ix_(objects, rows)].T)
