"""Whether a method does better where the co-association is more blockwise."""

import numpy as np
import pandas as pd
import pytest

from consclust_studies.config.paper import Claim
from consclust_studies.stages import stored_ensembles as store
from small import STUDY, planned, scores_of, source_of
from studies.peace.exhibits.structure import Structure

CASES = ("clean", "noisy", "noisiest")
ORIGIN = dict.fromkeys(CASES, STUDY["origins"]["iris"])
CLASSES = np.repeat([0, 1, 2], 8)
KEYS = {"kind": "structure", "id": "s", "title": "S", "method": "KC", "rival": "EAC", "metric": "ACC"}


def source_with(kc: tuple[float, ...], eac: tuple[float, ...]):
    study = planned(cases=[{"id": case, "dataset": case, "preprocessing": []} for case in CASES], origins=ORIGIN)
    parts = []
    for case, one, other in zip(CASES, kc, eac, strict=True):
        scores = scores_of(study, means={"KC": one, "EAC": other})
        parts.append(scores[scores["case"] == case])
    source = source_of(study, scores=pd.concat(parts))
    rng = np.random.default_rng(0)
    stored = {}
    for case, wrong in zip(CASES, (0.0, 0.3, 0.7), strict=True):
        labels = np.where(rng.random((24, 12)) < wrong, rng.integers(0, 3, (24, 12)), CLASSES[:, None])
        stored[case] = store.StoredEnsemble(labels, CLASSES, store.split(12, 4))
    source.__dict__["stored"] = stored.__getitem__
    return source


def count(source, question: str, **more):
    keys = {"text": "It.", "check": "counted", "by": {"exhibit": "s", "question": question}, "method": "KC", **more}
    return Structure(**KEYS).count_for_claim(question, Claim.model_validate(keys), source).holds


def test_the_most_blockwise_case_comes_first_with_score_and_lead() -> None:
    source = source_with((0.9, 0.6, 0.3), (0.5, 0.5, 0.6))
    frame = Structure(**KEYS).build(source).frame
    assert frame["case"].tolist() == list(CASES)
    assert frame["silhouette"].iloc[0] == pytest.approx(1)
    assert frame["silhouette"].is_monotonic_decreasing
    assert frame["score"].tolist() == pytest.approx([0.9, 0.6, 0.3], abs=0.06)
    assert frame["lead"].tolist() == pytest.approx([0.4, 0.1, -0.3], abs=0.1)


def test_pairs_of_cases_are_counted_by_score_and_by_lead() -> None:
    assert count(source_with((0.9, 0.6, 0.3), (0.5, 0.5, 0.5)), "score_follows") == (True, True, True)
    reverse = source_with((0.9, 0.6, 0.3), (0.9, 0.3, 0.1))  # leads 0, .3, .2
    assert count(reverse, "score_follows") == (True, True, True)
    assert count(reverse, "lead_follows") == (False, False, True)
    assert count(reverse, "lead_follows", cases=["clean", "noisy"]) == (False,)
