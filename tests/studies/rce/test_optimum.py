"""Optimum and authors' steps are compared on the same subsets and grid points, and fits that got there are counted."""

import numpy as np
import pytest
from beyond import SPLITTING, block_of, study_of, table_of, variant

from consclust_studies.config.paper import Claim
from consclust_studies.config.published_tables import Published
from small import source_of
from studies.rce.exhibits.optimum import Optimum

KEYS = {"kind": "optimum", "id": "optimum", "title": "Optimum", "method": "RCE"}
NAMED = {"grid": {"lambda1": [1.0], "lambda2": [0.1, 1.0]}}
STUDY = study_of(
    variant("whole", SPLITTING, cases=["iris"], subsets={"iris": 2}),
    variant("named", {**SPLITTING, "tol": 1e-3}, cases=["wine"], subsets={"wine": 2}, **NAMED),
)
EXHIBIT = Optimum(**KEYS, variants=["whole", "named"])
# By grid point and subset; the third subset has only scores of the authors' steps
STEPS = np.array([[0.50, 0.10, 0.9], [0.30, 0.40, 0.9], [0.20, 0.20, 0.9], [0.10, 0.30, 0.9]])
WHOLE = np.array([[0.10, 0.10], [0.45, 0.20], [0.20, 0.55], [0.35, 0.25]])
NAMES = np.array([[0.7, 0.1], [0.2, 0.3]])
RIVALS = {"KC": 0.49, "EAC": 0.2}


def formula(case, method, point, subset):
    tables = {"RCE": STEPS, "whole": WHOLE, "named": NAMES}
    return tables[method][point, subset] if method in tables else RIVALS[method] + (subset == 2)


@pytest.fixture
def source(tmp_path, monkeypatch):
    blocks = {
        "iris": block_of(tmp_path / "iris.npz", {(0, 1): 2e-4, (1, 3): 5e-5}),
        "wine": block_of(tmp_path / "wine.npz", {(0, 0): 2e-3}),
    }
    source = source_of(
        STUDY,
        scores=table_of(STUDY, formula),
        variant_scores=table_of(STUDY, formula, variants=True),
        published=Published(scores={("iris", "ACC", "RCE"): 0.6}),
    )
    monkeypatch.setattr(type(source), "blocks", lambda self, case, method: [blocks[case]])
    return source


def test_both_take_their_own_points_on_the_same_subsets(source):
    frame = EXHIBIT.build(source).frame.set_index(["case", "selection"])
    oracle, default = (frame.loc[("iris", word)] for word in ("oracle-per-subset", "default"))
    assert (oracle["subsets"], oracle["points"], oracle["variant"]) == (2, 4, "whole")
    assert oracle["own"] == pytest.approx((0.5 + 0.4) / 2)
    assert oracle["optimum"] == pytest.approx((0.45 + 0.55) / 2)
    assert oracle["change"] == pytest.approx(0.05)
    assert (default["own"], default["optimum"]) == pytest.approx((0.2, 0.3))
    assert oracle["published"] == 0.6
    assert 0 < oracle["p"] < 1


def test_where_the_variant_has_named_points_the_authors_steps_have_no_others(source):
    frame = EXHIBIT.build(source).frame.set_index(["case", "selection"])
    oracle = frame.loc[("wine", "oracle-per-subset")]
    assert oracle["points"] == 2
    # the best of lambda1 = 1 alone, though lambda1 = 0.1 has .5 and .4
    assert oracle["own"] == pytest.approx((0.2 + 0.3) / 2)
    assert oracle["optimum"] == pytest.approx((0.7 + 0.3) / 2)
    assert frame.loc[("wine", "default"), "own"] == pytest.approx((0.1 + 0.3) / 2)


def test_fits_that_reached_their_gap_are_counted(source):
    shown = EXHIBIT.build(source)
    ended = shown.frame.set_index(["case", "selection"])[["fits", "reached", "largest"]]
    assert ended.loc[("iris", "default")].tolist() == [8, 6, 2e-4]
    assert ended.loc[("wine", "default")].tolist() == [8, 7, 2e-3]
    assert "13 of 16 fits" in shown.caption
    gaps = shown.blocks[-1]
    place = gaps.header.index("Wanted gap")
    assert [row[place].text for row in gaps.rows] == ["1e\N{MINUS SIGN}06", "0.001"]


def claim(**keys):
    by = {"exhibit": "optimum", "question": "best"}
    return Claim.model_validate({"text": "-", "check": "counted", "by": by, "method": "RCE", "metric": "ACC", **keys})


def test_rivals_are_met_on_the_subsets_of_the_optimum(source):
    # on iris .5 against .49; the third subset would give KC .82. Wine has another variant
    assert EXHIBIT.count_for_claim("best", claim(against=["KC"]), source).holds == (True,)
    assert EXHIBIT.count_for_claim("best", claim(), source).holds == (True,)
    better = source_of(STUDY, scores=source.scores.replace({"value": {0.49: 0.51}}))
    source.__dict__["scores"] = better.scores
    assert EXHIBIT.count_for_claim("best", claim(against=["KC", "EAC"]), source).holds == (False,)
    assert EXHIBIT.count_for_claim("best", claim(against=["EAC"]), source).holds == (True,)
    assert EXHIBIT.count_for_claim("best", claim(cases=["wine"]), source).holds == ()


@pytest.mark.parametrize(("within", "share", "holds"), [(0.08, 0.75, True), (0.08, 0.8, False), (0.01, 0.5, False)])
def test_the_share_of_the_grid_near_the_best_point_decides(source, within, share, holds):
    # means over the two subsets: .1, .325, .375, .3
    found = EXHIBIT.count_for_claim("stable", claim(within=within, share=share), source)
    assert found.holds == (holds,)


def test_a_point_without_a_score_is_not_near(source):
    scores = source.variant_scores
    scores.loc[(scores["point"] == 1) & (scores["subset"] == 1), "value"] = np.nan
    assert EXHIBIT.count_for_claim("stable", claim(within=0.08, share=0.75), source).holds == (False,)
    assert EXHIBIT.count_for_claim("stable", claim(within=0.08, share=0.5), source).holds == (True,)


def test_it_reads_the_labels_of_the_variants():
    needs = EXHIBIT.needs(STUDY)
    assert needs.labels == (("iris", "whole"), ("wine", "named"))
    assert (needs.scores, needs.variant_scores, needs.published) == (True, True, True)


def test_a_variant_that_is_not_by_splitting_is_a_mistake():
    assert list(EXHIBIT.mistakes(STUDY)) == []
    study = study_of(variant("whole", {}), variant("named", SPLITTING, **NAMED))
    assert [key for key, _ in EXHIBIT.mistakes(study)] == ["variants"]
