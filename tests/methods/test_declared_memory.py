"""What methods declare that a fit holds, beside what it holds."""

import tracemalloc

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.errors import MemoryNeeded
from consclust.methods import BCE, CEHM, DREC, GPMGLA, LCE, PEACE, PTA, RCE, RMSC, RSEC, SDGCA, SPCE, TRCE, WEAC

pytestmark = pytest.mark.long

N = 300
FITS = [
    BCE(10, n_init=2, random_state=0),
    CEHM(n_clusters=10),
    DREC(10, n_init=2, random_state=0),
    GPMGLA(10),
    LCE(n_clusters=10),
    LCE(n_clusters=10, similarity="srs"),
    PEACE(10, n_init=2, max_iter=9, random_state=0),
    PTA(10),
    RCE(10, max_outer=2, max_inner=7, n_init=2, random_state=0),
    RCE(10, max_outer=2, max_inner=7, n_init=2, random_state=0, certify=True),
    RCE(10, solver="splitting", max_iter=6, n_init=2, random_state=0),
    RMSC(10, rho=30, max_iter=8, n_init=2, random_state=0),
    RSEC(10, rho=3, max_iter=5, n_init=2, random_state=0),
    SDGCA(10, max_iter=5),
    SPCE(10),
    TRCE(10, max_iter=2),
    WEAC(10),
]


def ensemble_of(n_clusters):
    """Return 20 noisy clusterings of N objects, few of which share a profile."""
    rng = np.random.default_rng(0)
    classes, noise = rng.integers(n_clusters, size=(N, 1)), rng.integers(n_clusters, size=(N, 20))
    ensemble = Ensemble(np.where(rng.random((N, 20)) < 0.35, noise, classes))
    assert ensemble.n_profiles > 0.9 * N
    return ensemble


@pytest.mark.parametrize("method", FITS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("n_clusters", [2, 10, 60])
def test_is_enough_and_not_much_more(method, n_clusters, monkeypatch):
    """Lets LAPACK's own workspace out: it is not traced."""
    bytes_ = []
    monkeypatch.setattr(type(method), "_require_memory", lambda self, doubles, *_: bytes_.append(8 * doubles))
    method.fit(ensemble_of(n_clusters))
    ensemble = ensemble_of(n_clusters)
    tracemalloc.start()
    try:
        method.fit(ensemble)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert bytes_[0] / 2.5 < peak < bytes_[0] + 2**20


@pytest.mark.parametrize("method", FITS, ids=lambda method: type(method).__name__)
def test_a_fit_that_has_too_little_is_refused_before_it_starts(method, monkeypatch):
    monkeypatch.setattr("consclust.methods.base.FREE", 0)
    monkeypatch.setattr("consclust.methods.base.available", lambda: 1000)
    monkeypatch.setattr(type(method), "_fit", lambda *_: pytest.fail("the fit has started"))
    with pytest.raises(MemoryNeeded, match=f"^{type(method).__name__}: its matrices need"):
        method.fit(ensemble_of(10))
