import numpy as np
import pytest
from planted import CLASSES, labels

from consclust import plot
from consclust.ensemble import MISSING
from consclust.plot import drawing

pytestmark = pytest.mark.long


def entries(ax) -> np.ndarray:
    return np.ma.filled(ax.collections[0].get_array(), np.nan)


def brute(given: np.ndarray) -> np.ndarray:
    """The co-association matrix by its definition."""
    there = given != MISSING
    joined = ((given[:, None] == given) & there[:, None] & there).sum(axis=2)
    return joined / np.maximum((there[:, None] & there).sum(axis=2), 1)


@pytest.mark.parametrize("missing", [0, 7])
def test_objects_are_in_the_order_of_the_groups_and_as_given_inside(missing) -> None:
    given = labels(missing=missing)
    groups = np.array([i % 3 for i in range(60)])
    ax = plot.coassociation(given, groups)
    order = [i for group in range(3) for i in range(60) if i % 3 == group]
    np.testing.assert_allclose(entries(ax), brute(given)[np.ix_(order, order)])
    across = [line[0, 1] for line in ax.collections[1].get_segments()]
    assert across == [20, 40], "lines where a group ends"
    names = ax.child_axes[0].get_yticklabels()
    assert [text.get_text() for text in names] == ["0", "1", "2"]
    assert ax.get_xlabel() == "objects"


def test_objects_are_in_the_order_of_the_leaves_of_the_tree() -> None:
    from scipy.cluster.hierarchy import average
    from scipy.spatial.distance import squareform

    shuffle = np.random.default_rng(0).permutation(60)
    given = labels(0.1)[shuffle]
    ax = plot.coassociation(given, strip=CLASSES[shuffle])
    tree, strip = ax.child_axes[:2]
    colours = np.asarray(strip.collections[0].get_array()).ravel()
    assert (np.diff(colours) != 0).sum() == 3, "each class is one block"
    similar = brute(given)
    order = drawing.Tree.make(1 - similar).leaves
    np.testing.assert_allclose(entries(ax), similar[np.ix_(order, order)])
    assert colours.tolist() == CLASSES[shuffle][order].tolist()
    heights = [line[1][0] for line in tree.collections[0].get_segments()]
    np.testing.assert_allclose(heights, average(squareform(1 - similar, checks=False))[:, 2])


def test_the_tree_joins_what_is_side_by_side() -> None:
    similar = np.array([[1, 0.1, 0.9, 0.2], [0.1, 1, 0.1, 0.6], [0.9, 0.1, 1, 0.2], [0.2, 0.6, 0.2, 1]])
    tree = drawing.Tree.make(1 - similar)
    assert set(tree.leaves[:2]) in ({0, 2}, {1, 3})
    ax = plot.matrix(similar)
    np.testing.assert_allclose(entries(ax), similar[np.ix_(tree.leaves, tree.leaves)])
    ends = ax.child_axes[0].collections[0].get_segments()
    place = {leaf: i + 0.5 for i, leaf in enumerate(tree.leaves)}
    first = sorted([place[0], place[2]])
    assert sorted([ends[0][0][1], ends[0][3][1]]) == first
    np.testing.assert_allclose(sorted([ends[2][0][1], ends[2][3][1]]), [1, 3], err_msg="the middles of both pairs")


def test_one_object_is_a_matrix_of_one_entry() -> None:
    assert entries(plot.coassociation(np.array([[0, 1, 2]]))).tolist() == [[1.0]]


def test_of_many_objects_evenly_spaced_ones_are_drawn() -> None:
    given = np.tile(labels(), (2000, 1))
    given[:, 1] = MISSING
    given[1::2, 1] = given[1::2, 2]
    groups = np.tile(CLASSES, 2000)
    ax = plot.coassociation(given, groups, most=40)
    order = np.argsort(groups, kind="stable")[::3000]
    np.testing.assert_allclose(entries(ax), brute(given[order]))
    assert ax.get_xlabel() == "40 of 120000 objects"


def test_a_matrix_with_negative_entries_has_colours_that_part_at_0() -> None:
    mesh = plot.matrix(np.array([[0.0, -3.0], [1.0, 0.0]]), [0, 1]).collections[0]
    assert mesh.get_clim() == (-3, 3)
    assert plot.matrix(np.eye(3), [0, 0, 1]).collections[0].get_clim() == (0, 1)
    assert plot.matrix(np.eye(3), [0, 0, 1], limits=(0, 5)).collections[0].get_clim() == (0, 5)


@pytest.mark.parametrize(
    ("values", "groups", "wrong"), [(np.eye(3)[:2], None, "shape"), (np.eye(3), [0, 1], "label for each of 3")]
)
def test_what_does_not_fit_is_refused(values, groups, wrong) -> None:
    with pytest.raises(ValueError, match=wrong):
        plot.matrix(values, groups)


def test_names_of_small_groups_do_not_lie_on_those_of_large_ones() -> None:
    codes = np.repeat([0, 1, 2, 3], [50, 1, 1, 48])
    groups = drawing.Groups(np.array(["a", "b", "c", "d"]), codes)
    places, names = groups.ticks()
    assert dict(zip(names, places, strict=True)) == {"a": 25, "d": 76, "b": 50.5}


def test_colours_differ() -> None:
    for n in (10, 25, 40):
        assert len(set(drawing.colours(range(n)).values())) == n


@pytest.mark.parametrize(("n", "step"), [(1, 1), (800, 1), (801, 2), (1700, 3)])
def test_no_more_than_the_most_objects_are_drawn(n, step) -> None:
    assert drawing.step_of(n) == step
    assert len(range(n)[::step]) <= drawing.MOST
