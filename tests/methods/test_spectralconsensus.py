"""SpectralConsensus on the matrix of the specification."""

import pytest
from sklearn.metrics import adjusted_rand_score

from concord.methods import SpectralConsensus
from concord.testing import L30_CLASSES, l30


@pytest.mark.parametrize("assign_labels", ["discretize", "kmeans"])
def test_spectral_consensus_finds_the_classes(assign_labels):
    labels = SpectralConsensus(3, assign_labels=assign_labels, random_state=0).fit_predict(l30())
    assert adjusted_rand_score(L30_CLASSES, labels) > 0.85, "object 13 alone sits between two classes"
