import numpy as np
import pandas as pd
import pytest

from consclust.diagnostics import block_structure
from consclust.ensemble import Ensemble
from consclust.methods import RSEC
from consclust_studies.config.paper import Claim
from consclust_studies.stages import stored_ensembles as store
from small import planned, source_of
from studies.rsec.exhibits.blocks import MEASURES, Blocks

CLASSES = np.array([0, 2, 1] * 8)
PANELS = [
    {"title": "S", "similarity": "co_occurrence"},
    {"title": "Z", "method": "RSEC", "matrix": "representation"},
    {"title": "other Z", "method": "RSEC", "matrix": "representation", "parameters": {"lambda2": 1.0}},
]
KEYS = {"kind": "blocks", "id": "blocks", "title": "Blocks", "cases": ["wine"], "panels": PANELS, "subsets": 2}


@pytest.fixture
def source():
    source = source_of(planned(methods=["KC", {"method": "RSEC", "parameters": {"max_iter": 30, "n_init": 2}}]), seed=7)
    rng = np.random.default_rng(1)
    labels = np.where(rng.random((24, 12)) < 0.3, rng.integers(0, 4, (24, 12)), CLASSES[:, None])
    source.__dict__["stored"] = {"wine": store.StoredEnsemble(labels, CLASSES, store.split(12, 4))}.__getitem__
    return source


def test_measures_are_means_over_the_subsets(source) -> None:
    shown = Blocks(**KEYS).build(source)
    ensembles = [Ensemble(source.stored("wine").subset(subset)) for subset in range(2)]
    for lambda2, row in ((0.01, 1), (1.0, 2)):
        fits = [RSEC(3, lambda2=lambda2, max_iter=30, n_init=2, random_state=0).fit(one) for one in ensembles]
        expected = [block_structure(fit.representation(), CLASSES) for fit in fits]
        for name in MEASURES:
            assert shown.frame[name][row] == pytest.approx(np.mean([found[name] for found in expected]))
    assert shown.frame["pairs_in_classes"].tolist() == [pytest.approx(3 * 28 / 276)] * 3
    assert [table.header[1:] for table in shown.blocks] == [
        ("S", "Z", "other Z"),
        ("pairs", "S", "Z", "other Z"),
        ("S", "Z", "other Z"),
    ]


def test_it_needs_one_fit_of_each_method(source) -> None:
    assert Blocks(**KEYS).needs(source.study).fits == (("wine", "RSEC"),)


def test_a_method_that_does_not_run_on_a_case_is_a_mistake(source) -> None:
    cases = [{"dataset": "iris"}, {"dataset": "wine", "without": ["RSEC"]}]
    study = planned(methods=["KC", "RSEC"], cases=cases)
    wrong = {**KEYS, "panels": [{**PANELS[1], "matrix": "Z", "parameters": {"lambda3": 1}}]}
    assert [key for key, _ in Blocks(**wrong).mistakes(study)] == ["panels[0].matrix", "panels[0].parameters", "cases"]


def test_claims_compare_the_second_matrix_with_the_first_and_the_third(source, monkeypatch) -> None:
    cases = ["iris", "wine"]
    values = {("iris", "S"): 0.8, ("iris", "Z"): 0.9, ("iris", "other Z"): 0.9, ("wine", "S"): 0.9}
    values |= {("wine", "Z"): 0.7, ("wine", "other Z"): 0.6}
    rows = [{"case": case, "panel": panel, "auc": value} for (case, panel), value in values.items()]
    monkeypatch.setattr(Blocks, "_frame", lambda self, source: pd.DataFrame(rows))
    exhibit = Blocks(**{**KEYS, "cases": cases})
    for question, expected in (("second_above_first", (True, False)), ("second_above_third", (False, True))):
        assert exhibit.count_for_claim(question, claim(question), source).holds == expected


def test_the_fits_that_several_claims_count_are_made_once(source, monkeypatch) -> None:
    fitted = []
    fit = type(source).fit
    monkeypatch.setattr(
        type(source), "fit", lambda self, *given, **named: fitted.append(named) or fit(self, *given, **named)
    )
    exhibit = Blocks(**KEYS)
    holds = [exhibit.count_for_claim("second_above_first", claim("second_above_first"), source).holds for _ in range(3)]
    # two panels of fits on two subsets
    assert len(fitted) == 4
    assert holds[0] == holds[1] == holds[2]
    # with other panels, or on other cases, it is another computation
    Blocks(**{**KEYS, "subsets": 1}).count_for_claim("second_above_first", claim("second_above_first"), source)
    assert len(fitted) == 6


def test_a_claim_needs_three_matrices(source) -> None:
    study = source.study.model_copy(update={"claims": (claim("second_above_third"),)})
    assert list(Blocks(**KEYS).mistakes(study)) == []
    assert [key for key, _ in Blocks(**{**KEYS, "panels": PANELS[:2]}).mistakes(study)] == ["panels"]


def claim(question: str) -> Claim:
    by = {"exhibit": "blocks", "question": question}
    return Claim.model_validate({"text": "-", "check": "counted", "by": by, "method": "RSEC"})
