"""Hashes of numbers and of rows."""

import numpy as np
import pytest

from consclust.hashing import hash_numbers, hash_rows


def test_hashes_of_different_numbers_differ():
    hashes = hash_numbers(np.arange(10**5))
    assert len(np.unique(hashes)) == 10**5
    assert hashes.dtype == np.uint64
    assert (hashes >> np.uint64(63)).mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_rows_have_one_hash_each_whatever_the_integers_are(kind):
    """All rows of three labels from -1 to 9: also those with the same labels in another order."""
    rows = np.stack(np.meshgrid(*[np.arange(-1, 10)] * 3), axis=-1).reshape(-1, 3)
    hashes = hash_rows(rows.astype(kind))
    assert len(np.unique(hashes)) == 11**3
    assert np.array_equal(hashes, hash_rows(rows))
    assert np.array_equal(hash_rows(rows[::-1]), hashes[::-1])
