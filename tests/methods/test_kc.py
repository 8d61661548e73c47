"""KC against the specification's reference numbers."""

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.methods import KC
from consclust.testing import l30

SIX = [[1, 1, 2], [1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 2, 1], [2, 1, 1]]


def test_kc_reaches_the_known_inertia():
    assert KC(2, n_init=50, random_state=0).fit(SIX).inertia_ == pytest.approx(8 / 9, abs=1e-12)
    assert KC(2, n_init=50, random_state=0).fit(SIX).labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])
    assert KC(3, n_init=200, random_state=0).fit(l30()).inertia_ == pytest.approx(16.444491792929, abs=1e-9)


def test_kc_on_profiles_has_the_inertia_of_the_objects():
    labels = l30()[np.random.default_rng(0).integers(12, size=40)]
    kc = KC(3, random_state=0).fit(labels)
    rows = Ensemble(labels).expand(Ensemble(labels).coassociation)
    centres = np.stack([rows[kc.labels_ == c].mean(axis=0) for c in range(3)])
    assert kc.inertia_ == pytest.approx(((rows - centres[kc.labels_]) ** 2).sum(), rel=1e-10)
    assert KC(3, random_state=0).fit(np.repeat([[0], [1], [2]], 4, axis=0)).inertia_ == pytest.approx(0)
