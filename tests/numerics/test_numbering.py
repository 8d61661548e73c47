import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consclust.numerics.numbering import order_of_appearance, renumber

some_labels = hnp.arrays(
    st.sampled_from([np.int8, np.int16, np.int64]),
    hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=7),
    elements=st.integers(-1, 9),
)


def by_a_loop(row):
    numbers = {}
    return [-1 if label == -1 else numbers.setdefault(label, len(numbers)) for label in row.tolist()]


@settings(deadline=None)
@given(some_labels)
def test_clusters_are_numbered_in_the_order_of_their_first_objects(labels):
    before = labels.copy()
    found = renumber(labels)
    expected = np.apply_along_axis(by_a_loop, -1, labels)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == labels.dtype
    np.testing.assert_array_equal(renumber(found), found)
    np.testing.assert_array_equal(labels, before)


@pytest.mark.long
@settings(deadline=None)
@given(some_labels, st.randoms(use_true_random=False))
def test_equal_partitions_have_equal_numbers(labels, random):
    names = np.array([*random.sample(range(50, 100), 10), -1])
    np.testing.assert_array_equal(renumber(names[labels].astype(labels.dtype)), renumber(labels))


def test_numbers_with_gaps_need_no_table_of_all():
    labels = np.array([[2**62, 5, 2**62, -1, 7], [0, 1, 0, 1, 0]])
    assert renumber(labels).tolist() == [[0, 1, 0, -1, 2], [0, 1, 0, 1, 0]]


def test_cells_without_an_answer_stay():
    """As they are kept: (subsets, points, restarts, n)."""
    labels = np.full((2, 2, 3, 4), -1, dtype=np.int16)
    labels[0, 1, 0] = [1, 0, 0, 2]
    found = renumber(labels)
    assert found[0, 1, 0].tolist() == [0, 1, 1, 2]
    assert (np.delete(found.reshape(12, 4), 3, axis=0) == -1).all()


@settings(deadline=None)
@given(hnp.arrays(np.int64, st.integers(1, 20), elements=st.integers(-1, 6)))
def test_the_order_puts_what_is_indexed_by_cluster_into_the_new_order(labels):
    order = order_of_appearance(labels, 8)
    known = labels >= 0
    assert sorted(order) == list(range(8))
    np.testing.assert_array_equal(order[renumber(labels)[known]], labels[known])
    without = order[len(np.unique(labels[known])) :]
    assert (np.diff(without) > 0).all()
    assert not set(without) & set(labels[known])


@pytest.mark.parametrize(
    ("labels", "says"), [(np.array([0.0, 1.0]), "integers"), (np.array([0, -2]), "at least -1, got -2")]
)
def test_what_are_no_labels_is_refused(labels, says):
    with pytest.raises(ValueError, match=says):
        renumber(labels)
