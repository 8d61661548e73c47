import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from planted import CLASSES, labels
from sklearn.metrics import adjusted_rand_score

from consclust import diagnostics, plot
from consclust.extras import ExtraNeeded
from consclust.methods import RCE


def test_similar_methods_are_side_by_side() -> None:
    other = np.arange(60) % 3
    nearly = CLASSES.copy()
    nearly[:4] = 1
    almost = other.copy()
    almost[:6] = 0
    found = {"A": CLASSES, "B": other, "C": nearly, "D": almost}
    ax = plot.agreement(found)
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert {frozenset(names[:2]), frozenset(names[2:])} == {frozenset("AC"), frozenset("BD")}
    expected = [[adjusted_rand_score(found[a], found[b]) for b in names] for a in names]
    np.testing.assert_allclose(ax.collections[0].get_array(), expected)
    assert [text.get_text() for text in ax.get_xticklabels()] == names
    assert len(ax.texts) == 16


def test_variation_of_information_is_a_distance() -> None:
    ax = plot.agreement({"A": CLASSES, "B": np.arange(60) % 3, "C": CLASSES}, "VI")
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names.index("A") - names.index("C") in (1, -1)
    mesh = ax.collections[0]
    assert mesh.get_clim() == (0, mesh.get_array().max())


def test_one_clustering_agrees_with_none() -> None:
    with pytest.raises(ValueError, match="at least 2 clusterings, got 1; add"):
        plot.agreement({"A": CLASSES})


def test_of_many_clusterings_no_names_are_drawn() -> None:
    ax = plot.agreement(labels(m=50))
    assert ax.collections[0].get_array().shape == (50, 50)
    assert not ax.get_yticklabels()
    assert not ax.texts
    assert ax.get_xlabel() == "50 clusterings"


def test_each_pair_of_clusterings_is_a_point() -> None:
    given = labels(0.4, m=5)
    points = plot.diversity(given, CLASSES).collections[0].get_offsets()
    expected = []
    for i in range(5):
        for j in range(i + 1, 5):
            quality = [adjusted_rand_score(CLASSES, given[:, c]) for c in (i, j)]
            expected.append((adjusted_rand_score(given[:, i], given[:, j]), np.mean(quality)))
    np.testing.assert_allclose(points, expected)


RANDOM = labels(0.4)
VALUES = {k: diagnostics.consensus_values(labels(k / 10)) for k in (2, 3)}
SIGNATURES = diagnostics.signatures([[0, 5], [1, 3], [9, 4], [8, 4]], [0, 0, 1, 1], ["length", "width"])
CALLS = {
    "agreement": lambda ax: plot.agreement(RANDOM, ax=ax),
    "coassociation": lambda ax: plot.coassociation(RANDOM, ax=ax),
    "consensus_cdf": lambda ax: plot.consensus_cdf(VALUES, ax=ax),
    "delta_area": lambda ax: plot.delta_area(VALUES, ax=ax),
    "diversity": lambda ax: plot.diversity(RANDOM, CLASSES, ax=ax),
    "images": lambda ax: plot.images(np.zeros((3, 2, 2)), [0, 1, 2], ax=ax),
    "matrix": lambda ax: plot.matrix(np.eye(4), [0, 0, 1, 1], ax=ax),
    "memberships": lambda ax: plot.memberships(np.eye(3), [0, 0, 1], ax=ax),
    "rce_errors": lambda ax: plot.rce_errors(RCE(n_clusters=2).fit(RANDOM), RANDOM, ax=ax),
    "signatures": lambda ax: plot.signatures(SIGNATURES, ax=ax),
    "stability": lambda ax: plot.stability(diagnostics.Stability(CLASSES, *np.ones((3, 60))), ax=ax),
    "tracking": lambda ax: plot.tracking({2: CLASSES % 2, 4: CLASSES}, ax=ax),
}


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(plot.__all__) - {"criteria"}))
def test_a_function_draws_into_given_axes_and_changes_no_settings(name, monkeypatch) -> None:
    monkeypatch.setattr(plt, "show", lambda *_: pytest.fail("shown"))
    before = plt.rcParams.copy()
    picture = Figure(figsize=(8, 3))
    axes = picture.subplots(1, 2)
    assert CALLS[name](axes[1]) is axes[1]
    assert not plt.get_fignums(), "no further figure"
    assert not axes[0].has_data()
    own = CALLS[name](None)
    assert plt.get_fignums() == [own.figure.number]
    assert plt.rcParams == before


@pytest.mark.parametrize("name", sorted(plot.__all__))
@pytest.mark.parametrize("package", ["matplotlib.pyplot", "seaborn"])
def test_without_the_extra_a_function_names_it(name, package, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    call = CALLS.get(name, lambda _: plot.criteria(None))
    with pytest.raises(ExtraNeeded, match=r"consclust\[plot\]"):
        call(None)
