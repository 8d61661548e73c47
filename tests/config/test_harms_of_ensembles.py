"""Which subset is spoiled how, by its number."""

import pytest
from pydantic import ValidationError

from consclust_studies.config.experiment import EnsembleProtocol
from consclust_studies.config.harms import Harms


def test_subsets_are_numbered_by_repetition_then_kind_then_share():
    harms = Harms(kinds=("labels", "missing"), shares=(0.2, 0.6))
    found = [harms.describe(subset) for subset in range(10)]
    assert [each.repetition for each in found] == [0] * 5 + [1] * 5
    assert [each.kind for each in found] == [None, "labels", "labels", "missing", "missing"] * 2
    assert [each.share for each in found] == [0.0, 0.2, 0.6, 0.2, 0.6] * 2


def test_the_number_of_subsets_counts_the_spoiled_ones():
    protocol = EnsembleProtocol.model_validate({"runs": 40, "subset_size": 20, "harms": {}})
    assert protocol.n_subsets == 2 * (1 + 6 * 4)
    assert EnsembleProtocol(runs=40, subset_size=20).n_subsets == 2


@pytest.mark.parametrize(
    ("given", "word"),
    [({"kinds": ["noise"]}, "coalition"), ({"shares": [0]}, "greater"), ({"shares": [0.2, 0.2]}, "twice")],
)
def test_other_kinds_and_shares_are_refused(given, word):
    with pytest.raises(ValidationError, match=word):
        Harms.model_validate(given)
