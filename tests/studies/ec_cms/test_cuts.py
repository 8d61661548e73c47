import numpy as np
import pytest

from consclust import similarity
from consclust.ensemble import Ensemble
from consclust.methods import EAC
from consclust.numerics.linkage import linkage_labels
from consclust.scores import score_all
from consclust_studies.config.published_tables import Published
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of
from studies.ec_cms.exhibits.cuts import Cuts


@pytest.fixture
def stored():
    rng, classes = np.random.default_rng(0), np.arange(24) % 3
    labels = np.where(rng.random((24, 12)) < 0.4, rng.integers(0, 5, (24, 12)), classes[:, None])
    return store.StoredEnsemble(labels, classes, store.split(12, 4))


@pytest.fixture
def source(stored):
    source = source_of(planned(), published=Published(scores={("wine", "ACC", "EAC"): 0.6}))
    source.__dict__["stored"] = {"wine": stored}.__getitem__
    return source


def test_a_cut_is_what_eac_finds_with_so_many_clusters(stored, source) -> None:
    keys = {"kind": "cuts", "id": "cuts", "title": "Cuts", "cases": ["wine"], "metrics": ["ACC"], "method": "EAC"}
    shown = Cuts(**keys, clusters=[2, 4], linkages=["average", "single"]).build(source)
    assert list(zip(shown.frame["method"], shown.frame["clusters"], strict=True)) == [
        ("average", 2), ("average", 4), ("single", 2), ("single", 4),
    ]  # fmt: skip
    for row in shown.frame.itertuples():
        fits = [EAC(n_clusters=row.clusters, linkage=row.method).fit(stored.subset(s)).labels_ for s in range(3)]
        scores = [score_all(stored.classes, found, ["ACC"])["ACC"] for found in fits]
        assert (row.mean, row.std, row.published) == pytest.approx((np.mean(scores), np.std(scores, ddof=1), 0.6))
    dashed = [line for line in shown.picture.axes[0].lines if line.get_linestyle() == "--"]
    assert [line.get_ydata()[0] for line in dashed] == [0.6]


def test_weak_similarities_count_as_zero(stored, source) -> None:
    keys = {"kind": "cuts", "id": "cuts", "title": "Cuts", "cases": ["wine"], "method": "EAC", "linkages": ["average"]}
    shown = Cuts(**keys, metrics=["ACC", "NMI"], clusters=[3], least=[0, 0.5, 1]).build(source)
    assert shown.frame["metric"].tolist() == ["ACC", "NMI"] * 3
    for least, rows in shown.frame.groupby("least"):
        scores = []
        for subset in range(3):
            ensemble = Ensemble(stored.subset(subset))
            matrix = similarity.co_occurrence(ensemble)
            matrix[np.rint(4 * matrix) < 4 * least] = 0
            labels = linkage_labels(matrix, ensemble.membership, 3, "average")
            scores.append(score_all(stored.classes, labels, ["ACC", "NMI"]))
        for row in rows.itertuples():
            assert row.mean == pytest.approx(np.mean([found[row.metric] for found in scores]))
    assert shown.frame.query("metric == 'ACC'")["mean"].nunique() > 1
    drawn = [line.get_label() for line in shown.picture.axes[0].lines]
    assert len(drawn) == 4  # three lines and the published level
    assert "Similarities below 0, 0.5 and 1 count as 0." in shown.caption
    assert "cuts.csv also has NMI." in shown.caption
