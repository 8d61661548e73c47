import numpy as np
import pytest

from consclust_studies.config.paper import Claim
from small import planned, scores_of, source_of
from studies.ec_cms.exhibits.slices import Slices

MORE = {
    "id": "RCE-more", "of": "RCE", "method": "RCE", "why": "more points", "cases": ["iris"],
    "parameters": {"lambda2": 0.1}, "grid": {"lambda1": [10.0, 0.01]}, "default": {"lambda1": 10.0},
}  # fmt: skip
KEYS = {
    "kind": "slices", "id": "slices", "title": "Slices", "metric": "ACC", "method": "RCE", "x": "lambda1",
    "at": {"lambda2": 0.1}, "further": ["RCE-more"], "beside": ["EAC"],
}  # fmt: skip


@pytest.fixture
def source():
    study = planned(variants={"methods": [MORE]})
    (further,) = study.split_variants()
    variants = scores_of(study.model_copy(update={"cases": further.cases, "methods": further.methods}), seed=1)
    return source_of(study, variant_scores=variants[variants["method"] == "RCE-more"])


@pytest.mark.long
def test_points_of_the_grid_and_of_variants_are_one_line(source) -> None:
    shown = Slices(**KEYS).build(source)
    iris = shown.frame[(shown.frame["case"] == "iris") & (shown.frame["method"] == "RCE")]
    assert iris["value"].tolist() == [0.01, 0.1, 1.0, 10.0]
    wanted = {0.01: source.variant_scores, 0.1: source.scores, 1.0: source.scores, 10.0: source.variant_scores}
    for row in iris.itertuples():
        scores = wanted[row.value]
        run = source.study.method("RCE" if scores is source.scores else "RCE-more")
        number = run.points.index({"lambda1": row.value} | ({"lambda2": 0.1} if run.id == "RCE" else {}))
        mine = scores[(scores["case"] == "iris") & (scores["metric"] == "ACC") & (scores["restart"] == "mean")]
        values = mine[(mine["method"] == run.id) & (mine["point"] == number)]["value"]
        assert (row.n, row.mean, row.std) == (3, pytest.approx(values.mean()), pytest.approx(values.std()))
    wine = shown.frame[(shown.frame["case"] == "wine") & (shown.frame["method"] == "RCE")]
    assert wine["value"].tolist() == [0.1, 1.0]
    level = shown.frame[shown.frame["method"] == "EAC"]
    assert np.isnan(level["value"]).all()
    assert len(level) == 2


def test_it_needs_the_scores_of_variants_only_for_further_points(source) -> None:
    assert Slices(**KEYS).needs(source.study).variant_scores
    assert not Slices(**{**KEYS, "further": []}).needs(source.study).variant_scores


def test_a_slice_names_every_parameter(source) -> None:
    wrong = Slices(**{**KEYS, "x": "lambda3", "at": {}, "beside": ["RCE"]})
    assert [key for key, _ in wrong.mistakes(source.study)] == ["x", "at", "beside"]
    assert not list(Slices(**KEYS).mistakes(source.study))


def test_the_caption_of_one_subset() -> None:
    source = source_of(planned(subsets=1))
    assert "mean over 1 subset;" in Slices(**{**KEYS, "further": []}).build(source).caption


def test_the_other_parameter_may_be_at_its_best_value_for_each_data_set() -> None:
    """On iris the best point has lambda2 = 1, on wine .1."""
    study = planned()
    scores = scores_of(study)
    points = study.method("RCE").points
    for case, best in (("iris", {"lambda1": 0.1, "lambda2": 1.0}), ("wine", {"lambda1": 1.0, "lambda2": 0.1})):
        here = (scores["case"] == case) & (scores["method"] == "RCE") & (scores["point"] == points.index(best))
        scores.loc[here, "value"] = 0.95
    exhibit = Slices(**{**KEYS, "at": {"lambda2": "best"}, "further": []})
    assert not list(exhibit.mistakes(study))
    frame = exhibit.build(source_of(study, scores=scores)).frame
    for case, lambda2, top in (("iris", 1.0, 0.1), ("wine", 0.1, 1.0)):
        curve = frame[(frame["case"] == case) & (frame["method"] == "RCE")].set_index("value")["mean"]
        assert curve.idxmax() == top
        assert curve[top] == pytest.approx(0.95)
        (other,) = set(curve.index) - {top}
        number = points.index({"lambda1": other, "lambda2": lambda2})
        mine = (scores["case"] == case) & (scores["method"] == "RCE") & (scores["point"] == number)
        of_metric = scores[mine & (scores["metric"] == "ACC") & (scores["restart"] == "mean")]
        assert curve[other] == pytest.approx(of_metric["value"].mean())


CURVE = [(0.01, 0.50), (0.1, 0.70), (1.0, 0.69), (10.0, 0.55)]
"""The means of RCE by lambda1; EAC has .60."""


@pytest.mark.parametrize(
    ("question", "keys", "within", "holds"),
    [
        ("best", {"best": {"wine": 0.1}}, 0.02, (True,)),
        ("best", {"best": {"wine": 1.0}}, 0.02, (True,)),  # within the standard error of .02
        ("best", {"best": {"wine": 10.0}}, 0.02, (False,)),
        ("best", {"best": {"iris": 0.1}}, 0.02, ()),
        ("ahead", {"ahead": (0.1, 1.0)}, 0.02, (True,)),
        ("ahead", {"ahead": (0.1, 10.0)}, 0.02, (False,)),
        ("near", {"near_from": 10.0}, 0.05, (True,)),
        ("near", {"near_from": 10.0}, 0.04, (False,)),
        ("near", {"near_from": 100.0}, 0.04, ()),
    ],
)
def test_curves_are_judged_for_a_claim(source, monkeypatch, question, keys, within, holds) -> None:
    rows = [("wine", "RCE", "ACC", "lambda1", x, 4, mean, 0.04) for x, mean in CURVE]
    rows.append(("wine", "EAC", "ACC", "", float("nan"), 4, 0.60, 0.04))
    monkeypatch.setattr(Slices, "_score_case", lambda self, source, case: rows)
    by = {"exhibit": "slices", "question": question}
    claim = {"text": "-", "check": "counted", "by": by, "method": "RCE", "cases": ["wine"], "within": within}
    exhibit = Slices(**{**KEYS, **keys})
    assert exhibit.count_for_claim(question, Claim.model_validate(claim), source).holds == holds
