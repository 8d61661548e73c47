"""Clusters that are components, and profiles that give way to their objects."""

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.numerics.components import SplitProfileError, component_labels, solved


def test_profiles_that_do_not_suffice_give_way_to_their_objects():
    ensemble = Ensemble([[0, 0], [0, 0], [1, 0], [2, 2], [2, 2]])
    sizes = []

    def solve(given):
        sizes.append(given.n_profiles)
        if given.n_profiles == 3:
            raise SplitProfileError(np.array([0]))
        assert given.weights.tolist() == [1, 2, 1, 1]
        return given.coassociation

    similarity, membership = solved(solve, ensemble)
    assert sizes == [3, 4]
    assert similarity[np.ix_(membership, membership)] == pytest.approx(ensemble.expand(ensemble.coassociation))
    assert membership[3] == membership[4]
    assert ensemble.n_profiles == 3
    assert solved(lambda given: given.coassociation, ensemble)[0].shape == (3, 3)


def test_labels_are_components():
    similarity = np.array([[1, 0, 0.2, 0], [0, 1, 0, 0], [0.2, 0, 1, 1e-9], [0, 0, 1e-9, 1]])
    assert component_labels(similarity).tolist() == [0, 1, 0, 0]
