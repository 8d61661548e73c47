"""How numbers are written."""

import numpy as np
import pytest

from consclust.report.wording import spanned


@pytest.mark.parametrize(
    ("numbers", "written"), [([1, 1], "1 cluster"), ([3, 3], "3 clusters"), (np.array([5, 1, 2]), "1 to 5 clusters")]
)
def test_a_range_names_two_numbers_only_where_they_differ(numbers, written):
    assert spanned(numbers, "cluster") == written


def test_large_numbers_have_separators_where_they_are_wanted():
    assert spanned([101_881, 140_344], "object", ",") == "101,881 to 140,344 objects"
    assert spanned([20_000, 20_000], "object", ",") == "20,000 objects"
