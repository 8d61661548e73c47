import numpy as np
import pytest

from consclust.methods import EAC
from consclust.scores import score_all
from consclust_studies.config.published_tables import Published
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of
from studies.ec_cms.exhibits.cuts import Cuts


def test_a_cut_is_what_eac_finds_with_so_many_clusters() -> None:
    rng, classes = np.random.default_rng(0), np.arange(24) % 3
    labels = np.where(rng.random((24, 12)) < 0.4, rng.integers(0, 5, (24, 12)), classes[:, None])
    stored = store.StoredEnsemble(labels, classes, store.split(12, 4))
    source = source_of(planned(), published=Published(scores={("wine", "ACC", "EAC"): 0.6}))
    source.__dict__["stored"] = {"wine": stored}.__getitem__
    keys = {"kind": "cuts", "id": "cuts", "title": "Cuts", "cases": ["wine"], "metric": "ACC", "method": "EAC"}
    shown = Cuts(**keys, clusters=[2, 4], linkages=["average", "single"]).build(source)
    assert list(zip(shown.frame["method"], shown.frame["clusters"], strict=True)) == [
        ("average", 2), ("average", 4), ("single", 2), ("single", 4),
    ]  # fmt: skip
    for row in shown.frame.itertuples():
        fits = [EAC(n_clusters=row.clusters, linkage=row.method).fit(stored.subset(s)).labels_ for s in range(3)]
        scores = [score_all(classes, found, ["ACC"])["ACC"] for found in fits]
        assert (row.mean, row.std, row.published) == pytest.approx((np.mean(scores), np.std(scores, ddof=1), 0.6))
    dashed = [line for line in shown.picture.axes[0].lines if line.get_linestyle() == "--"]
    assert [line.get_ydata()[0] for line in dashed] == [0.6]
