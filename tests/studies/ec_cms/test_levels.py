import numpy as np
import pandas as pd
import pytest

from consclust.diagnostics import level_shares
from consclust.ensemble import Ensemble
from consclust_studies.config.paper import Claim
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of
from studies.ec_cms.exhibits.levels import MEASURES, Levels

KEYS = {"kind": "levels", "id": "levels", "title": "Levels", "case": "wine"}


def test_the_frame_has_means_and_deviations_over_the_subsets() -> None:
    rng = np.random.default_rng(0)
    labels, classes = rng.integers(0, 3, (20, 12)), np.arange(20) % 2
    source = source_of(planned())
    stored = store.StoredEnsemble(labels, classes, store.split(12, 4))
    source.__dict__["stored"] = {"wine": stored}.__getitem__
    exhibit = Levels(**KEYS)
    assert exhibit.needs(source.study).ensembles == ("wine",)
    shown = exhibit.build(source)
    shares = np.stack([level_shares(Ensemble(stored.subset(s)), classes) for s in range(3)])
    for name, values in zip(MEASURES, shares.transpose(1, 0, 2), strict=True):
        np.testing.assert_allclose(shown.frame[name], values.mean(axis=0))
        np.testing.assert_allclose(shown.frame[f"{name}_std"], values.std(axis=0, ddof=1))
    assert shown.frame["coassociation"].tolist() == [0, 0.25, 0.5, 0.75, 1]
    drawn = [line.get_ydata() for line in shown.picture.axes[0].lines]
    np.testing.assert_array_equal(drawn, shown.frame[["precision", "recall", "pairs"]].T)


def test_shares_by_value_belong_to_the_pairs_at_a_level() -> None:
    rng = np.random.default_rng(0)
    labels, classes = rng.integers(0, 3, (20, 4)), np.arange(20) % 2
    source = source_of(planned(ensemble={"runs": 4, "subset_size": 4}))
    source.__dict__["stored"] = {"wine": store.StoredEnsemble(labels, classes, store.split(4, 4))}.__getitem__
    shown = Levels(**KEYS, pairs="at").build(source)
    drawn = [line.get_ydata() for line in shown.picture.axes[0].lines]
    np.testing.assert_array_equal(drawn, shown.frame[["precision_at", "recall_at", "pairs_at"]].T)
    above = np.triu_indices(20, 1)
    level = (labels[:, None] == labels).sum(axis=2)[above]
    together = (classes[:, None] == classes)[above]
    for row in shown.frame.itertuples():
        here = level == row.level
        shares = together[here].mean(), together[here].sum() / together.sum(), here.mean()
        assert (row.precision_at, row.recall_at, row.pairs_at) == pytest.approx(shares)


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("precision_grows", (True, True, False, True)),
        ("recall_falls", (True, False, True, True)),
        ("precision_near_one", (False, True)),
    ],
)
def test_steps_and_levels_are_counted_for_a_claim(monkeypatch, question: str, holds: tuple[bool, ...]) -> None:
    frame = pd.DataFrame(
        {
            "coassociation": [0, 0.25, 0.5, 0.8, 1.0],
            "precision_at": [0.1, 0.3, 0.8, 0.7, 0.96],
            "recall_at": [0.5, 0.1, 0.2, 0.1, 0.05],
        }
    )
    monkeypatch.setattr(Levels, "_measure_levels", lambda self, source: frame)
    by = {"exhibit": "levels", "question": question}
    claim = Claim.model_validate({"text": "-", "check": "counted", "by": by, "method": "EC-CMS", "within": 0.05})
    assert Levels(**KEYS).count_for_claim(question, claim, source_of(planned())).holds == holds
