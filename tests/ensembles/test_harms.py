"""Spoiled ensembles: how much is spoiled, that it stays so at larger shares, and that the rest is whole."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust.ensembles import spoil
from consclust.ensembles.harms import HARMS

N, M = 90, 20
RNG = np.random.default_rng(0)
TRUTH = np.arange(N) % 5
LABELS = np.where(RNG.random((N, M)) < 0.1, RNG.integers(5, size=(N, M)), TRUTH[:, None]) + 3
OF_MEMBERS = ("random-members", "coalition", "wrong-k")
SHARES = (0.2, 0.4, 0.6, 0.8)


@pytest.mark.parametrize("harm", HARMS)
def test_what_is_not_spoiled_stays_as_it_was(harm):
    found = spoil(LABELS, harm, 0.4, 1)
    assert found.labels.shape == LABELS.shape
    assert np.array_equal(found.labels[~found.cells], LABELS[~found.cells])
    assert (found.labels != LABELS).any()
    assert np.array_equal(spoil(LABELS, harm, 0, 1).labels, LABELS)


@pytest.mark.parametrize("harm", HARMS)
def test_what_is_spoiled_at_a_share_is_so_in_the_same_way_at_larger_ones(harm):
    small, large = (spoil(LABELS, harm, share, 1, ("data", 3)) for share in (0.2, 0.6))
    assert small.cells.sum() < large.cells.sum()
    assert not (small.cells & ~large.cells).any()
    assert np.array_equal(small.labels[small.cells], large.labels[small.cells])
    assert not (small.members & ~large.members).any()
    assert not (small.objects & ~large.objects).any()


@pytest.mark.parametrize("harm", HARMS)
def test_seed_and_names_choose_what_is_spoiled(harm):
    def spoiled(*arguments):
        return spoil(LABELS, harm, 0.4, *arguments).labels

    assert np.array_equal(spoiled(1, ("a", 0)), spoiled(1, ("a", 0)))
    for other in ((2, ("a", 0)), (1, ("a", 1)), (1, ("b", 0))):
        assert not np.array_equal(spoiled(1, ("a", 0)), spoiled(*other))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("harm", HARMS)
def test_the_share_is_exact(harm, share):
    found = spoil(LABELS, harm, share)
    assert found.members.sum() == (round(share * M) if harm in OF_MEMBERS else 0)
    assert found.objects.sum() == (round(share * N) if harm == "outliers" else 0)
    if harm == "missing":
        assert found.cells.mean() == pytest.approx(share, abs=0.01)
    else:
        assert found.cells.mean() == pytest.approx(share)


def test_random_members_keep_their_sizes_and_agree_with_nobody():
    found = spoil(LABELS, "random-members", 0.5)
    for member in np.flatnonzero(found.members):
        assert np.array_equal(np.bincount(found.labels[:, member]), np.bincount(LABELS[:, member]))
        assert abs(adjusted_rand_score(TRUTH, found.labels[:, member])) < 0.1
    of_two = found.labels[:, found.members][:, :2].T
    assert abs(adjusted_rand_score(*of_two)) < 0.1


def test_labels_are_replaced_on_other_objects_in_each_member():
    found = spoil(LABELS, "labels", 0.3)
    assert (found.cells.sum(axis=0) == round(0.3 * N)).all()
    assert not np.array_equal(found.cells[:, 0], found.cells[:, 1])
    # drawn from the member itself
    for before, after in zip(LABELS.T, found.labels.T, strict=True):
        assert set(after) <= set(before)


def test_members_of_a_coalition_agree_with_each_other_and_not_with_the_truth():
    found = spoil(LABELS, "coalition", 0.4)
    copies = found.labels[:, found.members].T
    between = [adjusted_rand_score(a, b) for i, a in enumerate(copies) for b in copies[:i]]
    assert min(between) > 0.5
    assert max(between) < 1
    assert max(abs(adjusted_rand_score(TRUTH, copy)) for copy in copies) < 0.1


def test_members_have_half_or_twice_as_many_clusters():
    found = spoil(LABELS, "wrong-k", 0.5)
    numbers = sorted(len(set(found.labels[:, member])) for member in np.flatnonzero(found.members))
    assert numbers == [2] * 5 + [10] * 5
    for member in np.flatnonzero(found.members):
        pairs = set(zip(LABELS[:, member], found.labels[:, member], strict=True))
        # clusters are merged whole, or divided and not mixed
        assert len(pairs) == max(5, len(set(found.labels[:, member])))


def test_two_clusters_are_divided():
    found = spoil(LABELS % 2, "wrong-k", 1.0)
    assert {len(set(column)) for column in found.labels.T} == {4}


def test_outliers_are_the_same_objects_in_all_members():
    found = spoil(LABELS, "outliers", 0.4)
    assert (found.cells == found.objects[:, None]).all()
    first, second = found.labels[found.objects][:, :2].T
    assert abs(adjusted_rand_score(first, second)) < 0.3


@pytest.mark.parametrize("share", [0.5, 0.8, 1.0])
def test_every_object_and_every_member_keeps_a_label(share):
    found = spoil(LABELS[:, :3], "missing", share)
    assert np.array_equal(found.labels == -1, found.cells)
    assert not found.cells.all(axis=0).any()
    assert not found.cells.all(axis=1).any()


@pytest.mark.parametrize(
    ("labels", "harm", "share", "word"),
    [
        (LABELS, "noise", 0.2, "random-members"),
        (LABELS, "labels", 1.2, "share = 1.2"),
        (LABELS, "labels", float("nan"), "share = nan"),
        ([[0, -1], [1, 0]], "labels", 0.2, "missing"),
    ],
)
def test_what_cannot_be_spoiled_is_refused(labels, harm, share, word):
    with pytest.raises(ValueError, match=word):
        spoil(labels, harm, share)
