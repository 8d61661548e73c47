"""Agreement of a consensus with held-out clusterings, and its memberships under a bootstrap."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from statsmodels.stats.proportion import proportion_confint

from consclust.diagnostics import bootstrap_stability, choose_k, compare_methods, held_out_agreement
from consclust.diagnostics.cautions import find_closer_method
from consclust.ensemble import Ensemble
from consclust.methods import EAC
from consclust.methods.base import ConsensusMethod

TRUTH = np.arange(30) % 3


def planted(missing=False):
    """Twelve clusterings of three clusters, of which each object but the first two keeps its own in all."""
    rng = np.random.default_rng(0)
    labels = np.tile(TRUTH[:, None], 12)
    labels[0] = rng.integers(0, 3, 12)
    labels[1, :6] = 2
    if missing:
        labels[rng.random(labels.shape) < 0.2] = -1
    return labels


@pytest.mark.parametrize("missing", [False, True])
def test_a_good_consensus_agrees_with_clusterings_it_has_not_seen(missing) -> None:
    labels = planted(missing)
    noise = np.random.default_rng(1).integers(0, 3, 30)
    found = held_out_agreement(np.column_stack([labels, noise]), EAC(3), folds=4)
    assert found[:-1].min() > 0.7
    assert abs(found[-1]) < 0.3


def test_the_consensus_has_not_seen_what_it_is_compared_with() -> None:
    noise = np.random.default_rng(2).integers(0, 5, (40, 2))
    found = held_out_agreement(noise, EAC(5), folds=2)  # of one clustering the consensus is that clustering
    assert found == pytest.approx([adjusted_rand_score(*noise.T)] * 2)


@pytest.mark.parametrize("missing", [False, True])
def test_objects_that_clusterings_disagree_on_are_less_stable(missing) -> None:
    found = bootstrap_stability(planted(missing), EAC(3), draws=40)
    assert found.share[2:].min() > 0.9
    assert found.share[:2].max() < found.share[2:].min()
    assert (found.low <= found.share).all()
    assert (found.share <= found.high).all()
    if not missing:
        assert adjusted_rand_score(found.labels[2:], TRUTH[2:]) == 1
        low, high = proportion_confint(found.share * 40, 40, method="wilson")
        np.testing.assert_allclose([found.low, found.high], [low, high])


@pytest.mark.parametrize("draws", range(15, 29))
def test_an_interval_of_a_share_is_a_part_of_0_to_1(draws) -> None:
    found = bootstrap_stability(np.repeat([[0, 0], [1, 1]], 3, axis=0), EAC(2), draws=draws)
    assert (found.share == 1).all()
    assert (found.high == 1).all()
    assert (found.low > 0.7).all()


def test_the_method_is_left_as_it_was() -> None:
    method = EAC(3)
    bootstrap_stability(planted(), method, draws=2)
    held_out_agreement(planted(), method)
    assert not hasattr(method, "labels_")


@dataclass(repr=False, eq=False)
class ByFeature(ConsensusMethod):
    """Clusters of equal features, whatever the clusterings."""

    needs_features = True

    def _fit(self, ensemble) -> None:
        labels = np.unique(self._features[:, 0], return_inverse=True)[1]
        self._set_only_labels(labels, np.arange(len(labels)))


class Counting(EAC):
    """Notes what the missing labels of its ensembles count as."""

    counted: list[str] = []

    def _fit(self, ensemble) -> None:
        self.counted.append(ensemble.missing)
        super()._fit(ensemble)


@pytest.mark.parametrize("missing", ["expected", "ignored"])
def test_fits_count_missing_labels_as_the_ensemble_does(missing) -> None:
    ensemble, method = Ensemble(planted(missing=True), missing), Counting(3)
    Counting.counted.clear()
    held_out_agreement(ensemble, method, folds=2)
    bootstrap_stability(ensemble, method, draws=2)
    compare_methods(ensemble, {"EAC": method}, draws=1, folds=2)
    choose_k(ensemble, ks=[2, 3], method=method, halves=2, nulls=1)
    find_closer_method(ensemble, np.zeros(12), EAC(3), [method])
    assert set(Counting.counted) == {missing}
    assert len(Counting.counted) > 10


def test_methods_are_given_the_features_of_their_objects() -> None:
    labels, features = planted(), TRUTH[:, None].astype(float)
    labels[4, 1:] = -1
    found = bootstrap_stability(labels, ByFeature(3), draws=20, features=features)
    assert (found.share == 1).all()
    assert held_out_agreement(labels, ByFeature(3), folds=12, features=features)[1:].min() > 0.7


def test_an_object_that_no_draw_contains_has_no_share() -> None:
    labels = planted()
    labels[5, 1:] = -1
    found = bootstrap_stability(labels, EAC(3), draws=1, random_state=4)
    drawn = 0 in np.random.default_rng(4).integers(12, size=12)
    assert np.isnan(found.share[5]) == (not drawn)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: held_out_agreement(planted(), EAC(3), folds=1), "folds"),
        (lambda: held_out_agreement(planted(), EAC(3), folds=13), "folds"),
        (lambda: bootstrap_stability(planted(), EAC(3), draws=0), "draws"),
        (lambda: bootstrap_stability(planted(), EAC(3), confidence=1), "confidence"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
