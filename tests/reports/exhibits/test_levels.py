import numpy as np
from small import planned, source_of

from concord.diagnostics import level_shares
from concord.ensemble import Ensemble
from concord.ensembles import store
from concord.reports.exhibits.levels import MEASURES, Levels


def test_the_frame_has_means_and_deviations_over_the_subsets() -> None:
    rng = np.random.default_rng(0)
    labels, classes = rng.integers(0, 3, (20, 12)), np.arange(20) % 2
    source = source_of(planned())
    stored = store.StoredEnsemble(labels, classes, store.split(12, 4))
    source.__dict__["stored"] = {"wine": stored}.__getitem__
    exhibit = Levels(kind="levels", id="levels", title="Levels", case="wine")
    assert exhibit.needs(source.study).ensembles == ("wine",)
    shown = exhibit.build(source)
    shares = np.stack([level_shares(Ensemble(stored.subset(s)), classes) for s in range(3)])
    for name, values in zip(MEASURES, shares.transpose(1, 0, 2), strict=True):
        np.testing.assert_allclose(shown.frame[name], values.mean(axis=0))
        np.testing.assert_allclose(shown.frame[f"{name}_std"], values.std(axis=0, ddof=1))
    assert shown.frame["coassociation"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    drawn = [line.get_ydata() for line in shown.picture.axes[0].lines]
    np.testing.assert_array_equal(drawn, shown.frame[["precision", "recall", "pairs"]].T)
