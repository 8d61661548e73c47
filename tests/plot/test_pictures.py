"""Every picture, compared with the one in baseline/; `pytest --mpl-generate-path tests/plot/baseline` makes these."""

import numpy as np
import pytest
from planted import CLASSES, labels

from consclust import plot
from consclust.diagnostics import Stability, bootstrap_stability, choose_k, consensus_values, rce_error_matrix
from consclust.diagnostics.resampling import average_linkage_labels
from consclust.ensemble import Ensemble
from consclust.methods import EAC, LWEA, RCE

pytestmark = pytest.mark.long

picture = pytest.mark.mpl_image_compare(savefig_kwargs={"dpi": 50})


def values():
    """Consensus values at three k's, of consensus clusterings of random halves."""
    rng, every = np.random.default_rng(0), labels(m=20)
    halves = [rng.choice(20, 10, replace=False) for _ in range(12)]
    return {
        k: consensus_values(np.column_stack([EAC(n_clusters=k).fit_predict(every[:, half]) for half in halves]))
        for k in (2, 4, 6)
    }


@picture
def test_coassociation_by_groups():
    return plot.coassociation(labels(), CLASSES, strip=LWEA(n_clusters=4).fit_predict(labels())).figure


@picture
def test_coassociation_by_linkage():
    return plot.coassociation(labels(), strip=CLASSES).figure


@picture
def test_matrix_of_errors():
    rce = RCE(n_clusters=4, lambda1=1.0, lambda2=0.1, random_state=0).fit(labels())
    return plot.matrix(rce_error_matrix(rce, labels(), 0), CLASSES, label="error").figure


@picture
def test_consensus_cdf():
    return plot.consensus_cdf(values()).figure


@picture
def test_delta_area():
    return plot.delta_area(values()).figure


@picture
def test_tracking():
    return plot.tracking(average_linkage_labels(Ensemble(labels(0.35)), range(2, 8))).figure


@pytest.mark.long
@picture
def test_criteria():
    return plot.criteria(choose_k(labels(m=6), range(2, 6), halves=4, nulls=3, level=0.3))[0].figure


@picture
def test_memberships():
    shares = np.random.default_rng(0).dirichlet([0.2] * 4, 60)
    return plot.memberships(shares, np.array(["ant", "bee", "cat", "dog"])[CLASSES]).figure


@picture
def test_memberships_by_bootstrap():
    return plot.memberships(bootstrap_stability(labels(0.5), EAC(n_clusters=4), draws=10), CLASSES).figure


@picture
def test_stability():
    share = np.linspace(0.3, 1, 60)
    return plot.stability(Stability(CLASSES, share, share - 0.1, np.minimum(share + 0.05, 1))).figure


@picture
def test_images():
    rows, columns = np.mgrid[:6, :4]
    pictures = [(rows + i) % 6 * (columns + 1) for i in range(11)]
    return plot.images(pictures, np.linspace(0, 1, 11), names=list("abcdefghijk"), number=10, across=4).figure


@picture
def test_agreement():
    methods = {"EAC": EAC(n_clusters=4), "LWEA": LWEA(n_clusters=4), "two clusters": LWEA(n_clusters=2)}
    found = {name: method.fit_predict(labels(0.4)) for name, method in methods.items()}
    return plot.agreement({**found, "classes": CLASSES}).figure


@picture
def test_diversity():
    return plot.diversity(labels(m=12), CLASSES, name="the classes").figure


@picture
def test_rce_errors():
    given = labels(missing=5)
    given[:, 3] = np.random.default_rng(0).integers(0, 4, 60)
    return plot.rce_errors(RCE(n_clusters=4, lambda2=0.1, random_state=0).fit(given), given, CLASSES).figure
