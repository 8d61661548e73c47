"""SpectralConsensus on the matrix of the specification."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import SpectralConsensus
from consclust.testing import L30_CLASSES, l30


@pytest.mark.parametrize("assign_labels", ["discretize", "kmeans"])
def test_spectral_consensus_finds_the_classes(assign_labels):
    labels = SpectralConsensus(3, assign_labels=assign_labels, random_state=0).fit_predict(l30())
    assert adjusted_rand_score(L30_CLASSES, labels) > 0.85, "object 13 alone sits between two classes"


@pytest.mark.parametrize("assign_labels", ["discretize", "kmeans"])
def test_without_the_matrix_as_with_it(assign_labels, monkeypatch):
    rng = np.random.default_rng(0)
    classes = rng.integers(4, size=300)
    columns = [np.where(rng.random(300) < 0.7, classes, rng.integers(5, size=300)) for _ in range(6)]
    ensemble = Ensemble(np.column_stack(columns)[rng.integers(300, size=600)])
    fits = []
    for tall in (True, False):
        monkeypatch.setattr(Ensemble, "is_tall", tall)
        fits.append(SpectralConsensus(4, assign_labels=assign_labels, random_state=0).fit(ensemble).restart_labels_)
        assert ("coassociation" in vars(ensemble)) is not tall
    assert np.array_equal(*fits)
