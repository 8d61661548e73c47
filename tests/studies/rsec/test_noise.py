from math import nan

import numpy as np
import pandas as pd
import pytest

from consclust.report.wording import point
from consclust_studies.config.paper import Claim
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of
from studies.rsec.exhibits.noise import LEVEL, Noise, auc, with_noise

CLASSES = np.repeat([0, 1, 2], 10)
KEYS = {"kind": "noise", "id": "noise", "title": "Noise", "method": "RSEC", "cases": ["wine"], "beside": ["KC"]}


@pytest.fixture(scope="module")
def source():
    rsec = {"method": "RSEC", "parameters": {"lambda1": 0.1, "lambda2": 0.1, "n_init": 2}}
    source = source_of(planned(methods=["KC", rsec], metrics=["ARI"], reported=["ARI"]), seed=7)
    labels = np.repeat(CLASSES[:, None], 12, axis=1)  # every base clustering is right
    source.__dict__["stored"] = {"wine": store.StoredEnsemble(labels, CLASSES, store.split(12, 4))}.__getitem__
    return source


def test_only_the_labels_of_the_objects_change_and_each_clustering_keeps_its_sizes() -> None:
    labels = np.random.default_rng(0).integers(0, 4, (30, 6))
    objects = np.array([3, 7, 8, 20, 21, 25])
    noisy = with_noise(labels, objects, np.random.default_rng(1))
    others = np.setdiff1d(np.arange(30), objects)
    np.testing.assert_array_equal(noisy[others], labels[others])
    np.testing.assert_array_equal(np.sort(noisy[objects], axis=0), np.sort(labels[objects], axis=0))
    moved = [np.flatnonzero(noisy[objects, j] != labels[objects, j]).tolist() for j in range(6)]
    assert len({*map(tuple, moved)}) > 1, "every base clustering has a permutation of its own"


def test_auc_is_a_probability_over_pairs() -> None:
    assert auc(np.array([3.0, 1.0, 2.0, 0.0]), np.array([0, 2])) == 1
    assert auc(np.array([3.0, 1.0, 2.0, 0.0]), np.array([0, 3])) == 0.5
    assert np.isnan(auc(np.arange(3.0), np.array([], dtype=int)))


def test_the_noise_of_right_clusterings_is_found_and_the_others_keep_their_classes(source) -> None:
    shown = Noise(**KEYS, shares=[0.2], points=[{}, {"lambda2": 0.2}], subsets=2).build(source)
    frame = shown.frame
    clean = frame[(frame["share"] == 0) & (frame["row"] != LEVEL)]
    assert (clean["mean"] == 1).all()
    assert clean["auc"].isna().all()
    noisy = frame[frame["share"] == 0.2]
    other = "RSEC, " + point({"lambda2": 0.2})
    assert noisy["row"].tolist() == [LEVEL, "RSEC", other, "KC"]
    assert shown.blocks[0].header[2:] == (LEVEL, "RSEC", other)
    assert noisy["n"].tolist() == [2] * 4
    assert noisy["parameters"].str.contains("0.2").tolist() == [False, False, True, False]
    assert noisy["auc"].iloc[0] > 0.95
    assert noisy["auc"].iloc[1] > 0.8
    assert noisy["auc"].iloc[3:].isna().all()


def test_it_draws_and_needs_every_fit(source) -> None:
    needs = Noise(**KEYS).needs(source.study)
    assert (needs.draws, needs.fits) == (True, (("wine", "RSEC"), ("wine", "KC")))


def test_a_method_without_errors_is_a_mistake(source) -> None:
    found = Noise(**{**KEYS, "method": "KC"}, points=[{"lambda3": 1}]).mistakes(source.study)
    assert [key for key, _ in found] == ["errors", "points[0]"]


def test_claims_count_pairs_of_a_data_set_and_a_share(source, monkeypatch) -> None:
    shares = (0.0, 0.1, 0.2)
    values = {LEVEL: ((nan, 0.7, 0.9), nan), "RSEC": ((nan, 0.8, 0.8), 0.6), "KC": ((nan,) * 3, 0.5)}
    rows = []
    for row, (aucs, ari) in values.items():
        about = {"case": "wine", "row": row, "method": row, "parameters": "", "subset": 0, "score": ari}
        rows += [{**about, "share": share, "auc": found} for share, found in zip(shares, aucs, strict=True)]
    monkeypatch.setattr(Noise, "_score_every", lambda self, source: pd.DataFrame(rows))
    for question, expected in (("found", (True, False)), ("better_clustered", (True, True))):
        assert Noise(**KEYS).count_for_claim(question, claim(question, "KC"), source).holds == expected


def test_a_claim_against_a_method_that_is_not_scored_is_a_mistake(source) -> None:
    for rival, wrong in (("KC", []), ("EAC", ["beside"])):
        study = source.study.model_copy(update={"claims": (claim("better_clustered", rival),)})
        assert [key for key, _ in Noise(**KEYS).mistakes(study)] == wrong


def claim(question: str, rival: str) -> Claim:
    by = {"exhibit": "noise", "question": question}
    keys = {"text": "-", "check": "counted", "by": by, "method": "RSEC", "against": [rival]}
    return Claim.model_validate(keys)
