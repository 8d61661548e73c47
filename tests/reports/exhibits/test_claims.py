"""Verdicts are counted as the module of verdicts says, and judged among the paper's methods."""

from itertools import product
from typing import Any

import pandas as pd
import pytest

from consclust_studies.config.exhibit import Counted
from consclust_studies.config.paper import Claim
from consclust_studies.config.published_tables import Published
from consclust_studies.config.study import PlannedStudy
from consclust_studies.exhibits.claims import Claims
from consclust_studies.results.verdicts import (
    CHECKS,
    VERDICTS,
    Finding,
    Material,
    compare_shares,
    judge,
    judge_at_default,
    judge_same_choice,
)
from small import planned, source_of

CASES = ("a", "b", "c", "d")
RCE = {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}}
PUBLISHED = Published(
    scores={
        (case, "ACC", method): value
        for case in CASES
        for method, value in (("K-means", 0.5), ("KC", 0.4), ("RCE", 0.9 if case != "d" else 0.1))
    }
)
OTHERS = Published(scores={("x", metric, method): value for (_, metric, method), value in PUBLISHED.scores.items()})


def study(**changes: Any) -> PlannedStudy:
    origin = {"source": "-", "licence": "-"}
    value = {
        "cases": list(CASES),
        "ensemble": {"runs": 4, "subset_size": 2},
        "methods": ["KC", RCE],
        "metrics": ["ACC"],
        "reported": ["ACC"],
        "origins": {case: {"title": case, **origin} for case in CASES},
    }
    return planned(**(value | changes))


def selected_of(means: dict[str, dict[tuple[str, str], float]], step: float = 0.001) -> pd.DataFrame:
    """Scores of two subsets about a mean, by case and row."""
    rows = [
        ("small", case, *row, "ACC", subset, 0, mean + step * (subset - 0.5))
        for case, of in means.items()
        for row, mean in of.items()
        for subset in (0, 1)
    ]
    columns = ["study", "case", "method", "selection", "metric", "subset", "point", "value"]
    return pd.DataFrame(rows, columns=columns)


def material(
    rce: dict[str, float],
    *,
    grid: dict[str, tuple[float, float]] | None = None,
    published: Published = PUBLISHED,
    step: float = 0.001,
    **changes: Any,
) -> Material:
    """K-means has .5, KC .6 everywhere; RCE what is given (by default .99, a trap)."""
    means: dict[str, dict[tuple[str, str], float]] = {}
    for case in CASES:
        means[case] = {("K-means", "fixed"): 0.5, ("KC", "fixed"): 0.6}
        if case in rce:
            means[case] |= {("RCE", "oracle-per-subset"): rce[case], ("RCE", "default"): 0.99}
    scores = pd.DataFrame(
        [
            ("small", case, subset, "RCE", point, "mean", "ACC", values[point])
            for case, values in (grid or {}).items()
            for point, subset in product((0, 1), (0, 1))
        ],
        columns=["study", "case", "subset", "method", "point", "restart", "metric", "value"],
    )
    here = study(**changes)
    source = source_of(here, scores=scores, selected=selected_of(means, step), published=published)
    return Material(here, source)


def claim_of(kind: str, **more: Any) -> Claim:
    method = "K-means" if kind == "above_base" else "RCE"
    given = {"text": "It is so.", "item": "R1", "check": kind, "method": method, "metric": "ACC", **more}
    return Claim.model_validate(given)


def check(kind: str, here: Material, **more: Any) -> Finding:
    return judge(claim_of(kind, **more), here)


@pytest.mark.parametrize(
    ("here", "published", "expected"),
    [
        (0.75, 0.75, "reproduced"),
        (0.5, 0.75, "partly reproduced"),
        (0.25, 0.75, "not reproduced"),
        (0.0, 0.0, "reproduced"),
        (0.75, None, "reproduced"),
        (0.5, None, "partly reproduced"),
        (0.25, None, "not reproduced"),
        (0.75 - 1e-9, 0.75, "partly reproduced"),
        (0.375 + 1e-9, 0.75, "partly reproduced"),
        (0.375, 0.75, "not reproduced"),
        (0.5 + 1e-9, None, "reproduced"),
        (0.25 + 1e-9, None, "partly reproduced"),
        (-1e-9, 0.0, "not reproduced"),
    ],
)
def test_verdict_by_shares(here: float, published: float | None, expected: str) -> None:
    assert compare_shares(here, published) == expected


def test_every_check_of_a_claim_is_there() -> None:
    assert set(CHECKS) == set(Claim.model_fields["check"].annotation.__args__)


def test_best_takes_the_selection_of_the_study_and_counts_the_published_table() -> None:
    three = check("best", material({"a": 0.7, "b": 0.7, "c": 0.7, "d": 0.6}))  # a tie in d does not count
    assert three.verdict == "reproduced"
    assert "3 of 4 data sets here; published: 3 of 4 data sets." in three.evidence
    assert check("best", material({"a": 0.7, "b": 0.7, "c": 0.3, "d": 0.3})).verdict == "partly reproduced"
    assert check("best", material({"a": 0.7, "b": 0.3, "c": 0.3, "d": 0.3})).verdict == "not reproduced"
    given = check("best", material(dict.fromkeys(CASES, 0.7)), published=4)
    assert "published: 4 of 4" in given.evidence


def test_second_allows_one_rival_that_is_not_lower() -> None:
    found = check("second", material({"a": 0.7, "b": 0.6, "c": 0.55, "d": 0.4}))
    assert "3 of 4 data sets here; published: 3 of 4" in found.evidence


def test_an_average_is_compared_once() -> None:
    """RCE is best on three of four data sets, and on average second."""
    scores = {"a": 0.65, "b": 0.65, "c": 0.65, "d": 0.1}
    assert check("best", material(scores)).verdict == "reproduced"
    found = check("best", material(scores), average=True, says="all")
    assert found.verdict == "not reproduced"
    assert "0 of 1 average here" in found.evidence
    assert check("second", material(scores), average=True, says="all").verdict == "reproduced"
    with pytest.raises(ValueError, match="average goes with"):
        claim_of("stable", average=True)


@pytest.mark.parametrize(
    ("best_on", "published", "expected"),
    [(1, 1, "reproduced"), (0, 1, "reproduced"), (2, 1, "partly reproduced"), (3, 1, "not reproduced"),
     (0, 0, "reproduced"), (1, 0, "partly reproduced")],
)  # fmt: skip
def test_a_sentence_may_say_on_how_many_data_sets_at_most(best_on: int, published: int, expected: str) -> None:
    scores = {case: 0.7 if i < best_on else 0.1 for i, case in enumerate(CASES)}
    found = check("best", material(scores), says="at_most", published=published, of=4)
    assert found.verdict == expected
    assert f"{best_on} of 4 data sets here; published: {published} of 4" in found.evidence
    with pytest.raises(ValueError, match="at_most needs the published count"):
        claim_of("best", says="at_most")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.56, 0.57, 0.58, 0.59), "reproduced"),
        ((0.56, 0.57, 0.58, 0.47), "partly reproduced"),
        ((0.56, 0.57, 0.48, 0.41), "not reproduced"),
        ((0.50, 0.50, 0.50, 0.50), "not reproduced"),
        ((0.44, 0.43, 0.42, 0.41), "not reproduced"),
    ],
)
def test_a_mean_is_clearly_above_by_two_standard_errors(scores: tuple[float, ...], expected: str) -> None:
    """K-means has .5; the mean difference of the second row is .045 with a standard error of .0247."""
    found = check("clearly_above", material(dict(zip(CASES, scores, strict=True))), against=["K-means"])
    assert found.verdict == expected
    higher, lower = (sum(s > 0.5 for s in scores), sum(s < 0.5 for s in scores))
    assert f"higher on {higher}, lower on {lower} of 4 data sets" in found.evidence
    with pytest.raises(ValueError, match="clearly_above needs one method in against"):
        claim_of("clearly_above")


def test_two_means_may_be_near_on_average_and_on_no_data_set() -> None:
    apart = material({"a": 0.6, "b": 0.4, "c": 0.6, "d": 0.4})
    assert check("near", apart, against=["K-means"]).verdict == "not reproduced"
    on_average = check("near", apart, against=["K-means"], average=True)
    assert on_average.verdict == "reproduced"
    assert "mean ACC of RCE minus that of K-means: +0.0 ± 5.8 points (standard error)" in on_average.evidence
    assert "standard error" not in check("near", apart, against=["K-means"]).evidence


def test_a_claim_may_speak_of_some_data_sets_only() -> None:
    """Published, it holds on a, b and c; here on a and d."""
    scores = {"a": 0.7, "b": 0.55, "c": 0.55, "d": 0.7}
    assert "2 of 4 data sets here; published: 3 of 4" in check("best", material(scores)).evidence
    some = check("best", material(scores), cases=("a", "b"))
    assert "1 of 2 data sets here; published: 2 of 2 data sets." in some.evidence
    stable = check("stable", material(scores, grid=dict.fromkeys(CASES, (0.5, 0.5))), cases=("a",))
    assert "1 of 1 data set here" in stable.evidence
    assert check("best", material(scores), cases=("x",)).verdict == "not testable here"


def test_best_against_the_rivals_that_the_claim_speaks_of() -> None:
    scores = {"a": 0.55, "b": 0.55, "c": 0.7, "d": 0.4}
    found = check("best", material(scores), against=["K-means"])
    assert "3 of 4 data sets here; published: 3 of 4" in found.evidence
    lower = {key: 0.2 if key[2] == "K-means" else value for key, value in PUBLISHED.scores.items()}
    mixed = Published(scores=lower | {("d", "ACC", "RCE"): 0.3})
    assert "published: 4 of 4" in check("best", material(scores, published=mixed), against=["K-means"]).evidence
    assert "published: 3 of 4" in check("best", material(scores, published=mixed)).evidence


def test_remarks_on_other_data_and_absent_rivals() -> None:
    more = Published(scores={**PUBLISHED.scores, ("a", "ACC", "CSPA"): 0.2})
    assert "published rivals not in this run: CSPA" in check("best", material({"a": 0.7}, published=more)).evidence
    assert "not the paper's data sets" in check("best", material({"a": 0.7}, published=OTHERS)).evidence
    of_a = Published(scores={key: value for key, value in PUBLISHED.scores.items() if key[0] == "a"})
    assert "1 of the 4 data sets here" in check("best", material({"a": 0.7}, published=of_a)).evidence
    assert "no published table" in check("best", material({"a": 0.7}, published=Published())).evidence


def test_two_ensembles_of_one_data_set_are_counted_as_cases() -> None:
    cases = ["a", "b", "c", {"id": "d", "dataset": "a"}]
    assert "4 of 4 cases" in check("best", material(dict.fromkeys(CASES, 0.7), cases=cases)).evidence


def test_of_two_cases_of_a_data_set_the_one_that_stands_for_the_other_counts() -> None:
    cases = ["a", "b", "c", {"id": "d", "dataset": "a", "instead_of": "a"}]
    three = material({"a": 0.7, "b": 0.7, "c": 0.7, "d": 0.1}, cases=cases, grid=dict.fromkeys(CASES, (0.8, 0.8)))
    for kind, expected in (
        ("best", "2 of 3"),
        ("above_base", "5 of 6"),
        ("significant", "2 of 3"),
        ("stable", "3 of 3"),
    ):
        assert f"{expected} " in check(kind, three).evidence, kind


def test_a_grid_in_a_race_is_stable_by_the_subsets_on_which_all_of_it_ran() -> None:
    """Points that left the race have no score on the second subset, and are not failures."""
    raced = {"id": "a", "dataset": "a", "races": {"RCE": {"metric": "ACC", "subsets": 1, "points": 1}}}
    for cases, expected in ((["a"], "0 of 1"), ([raced], "1 of 1")):
        here = material({"a": 0.8}, cases=cases, grid={"a": (0.8, 0.8)})
        scores = here.source.scores
        scores.loc[(scores["subset"] == 1) & (scores["point"] == 0), "value"] = float("nan")
        assert f"{expected} " in check("stable", here, share=0.6).evidence


def test_significant_counts_bold() -> None:
    """With the trap out of the way; a constant difference is significant, two equal subsets are not."""
    assert "4 of 4" in check("significant", material(dict.fromkeys(CASES, 0.7))).evidence
    two = check("significant", material({"a": 0.7, "b": 0.7, "c": 0.5, "d": 0.5}))
    assert two.verdict == "partly reproduced"
    one = material({"a": 0.7}, ensemble={"runs": 2, "subset_size": 2})
    assert check("significant", one).verdict == "not testable here"


def test_significant_among_the_rivals_that_a_claim_speaks_of() -> None:
    rows = {("K-means", "fixed"): 0.3, ("KC", "fixed"): 0.5, ("BCE", "fixed"): 0.9}
    rows |= {("RCE", "oracle-per-subset"): 0.7, ("RCE", "oracle-common"): 0.6, ("RCE", "default"): 0.6}
    here = study(methods=["KC", "BCE", RCE])
    of = Material(here, source_of(here, selected=selected_of(dict.fromkeys(CASES, rows))))
    assert "0 of 4" in check("significant", of).fact
    found = check("significant", of, against=["KC"], published=3, of=4)
    assert found.verdict == "reproduced"
    assert "4 of 4 data sets here; published: 3 of 4" in found.evidence
    # the base clusterings are a rival where they are named
    rows[("K-means", "fixed")] = 0.8
    above = Material(here, source_of(here, selected=selected_of(dict.fromkeys(CASES, rows))))
    assert "4 of 4" in check("significant", above, against=["KC"]).fact
    assert "0 of 4" in check("significant", above, against=["KC", "K-means"]).fact


def test_above_base_counts_the_cells_of_every_method() -> None:
    found = check("above_base", material({"a": 0.7, "b": 0.4, "c": 0.5, "d": 0.2}))
    assert "5 of 8 cells here; published: 3 of 8 cells." in found.evidence
    assert found.verdict == "reproduced"


def test_stable_looks_at_the_whole_grid() -> None:
    flat, steep = (0.80, 0.79), (0.80, 0.60)
    found = check("stable", material({}, grid={"a": flat, "b": flat, "c": flat, "d": steep}), share=1.0)
    assert found.verdict == "reproduced"
    assert "3 of 4 data sets" in found.evidence
    assert "50% to 100%, median 100%" in found.evidence
    all_steep = material({}, grid=dict.fromkeys(CASES, steep))
    assert check("stable", all_steep, share=1.0).verdict == "not reproduced"
    assert check("stable", all_steep, share=0.5).verdict == "reproduced"


def test_a_point_that_failed_on_a_subset_is_not_near_the_best() -> None:
    of = material({}, grid=dict.fromkeys(CASES, (0.8, 0.8)))
    assert check("stable", of, share=0.6).verdict == "reproduced"
    scores = of.source.scores
    scores.loc[scores["point"].eq(0) & scores["subset"].eq(1), "value"] = float("nan")
    assert check("stable", of, share=0.6).verdict == "not reproduced"


def test_grows_looks_at_the_means_over_all_sizes() -> None:
    """KC has .6 with the study's own size, 2."""
    sizes = {"a": {1: 0.5, 4: 0.7}, "b": {1: 0.5, 4: 0.55}, "c": {1: 0.6, 4: 0.6}}
    cases = [
        {"id": f"{case}_{size}", "of": case, "dataset": case, "subset_size": size, "methods": ["KC"], "why": "?"}
        for case, size in product(sizes, (1, 4))
    ]
    changes: dict[str, Any] = {"variants": {"cases": cases}, "ensemble": {"runs": 4, "subset_size": 2, "draws": 2}}
    of = material({}, **changes)
    means = {f"{c}_{size}": {("KC", "fixed"): mean} for c, of_c in sizes.items() for size, mean in of_c.items()}
    of.source.__dict__["variants"] = selected_of(means, step=0.1)
    found = check("grows", of, method="KC", published=2, of=3)
    assert found.verdict == "reproduced"
    assert "2 of 3 data sets here" in found.evidence
    assert check("grows", material({})).verdict == "not testable here"


@pytest.mark.parametrize(
    ("kind", "more", "reason"),
    [
        ("best", {"method": "CSPA"}, "CSPA is not in this run"),
        ("best", {"against": ["HGPA"]}, "HGPA is not in this run"),
        ("best", {"metric": "NMI"}, "NMI"),
        ("best", {}, "RCE"),
        ("significant", {}, "RCE"),
        ("stable", {"method": "KC"}, "KC has no grid"),
        ("stable", {}, "RCE"),
        ("improves", {"against": ["KC"], "percent": 1}, "RCE"),
        ("improves", {"against": ["KC-NC"], "percent": 1, "unseen": True}, "RCE is not in this run"),
    ],
)
def test_not_testable_says_why(kind: str, more: dict[str, Any], reason: str) -> None:
    found = check(kind, material({}), **more)
    assert found.verdict == "not testable here"
    assert reason in found.evidence


def improves(percent: float, here: Material, **more: Any) -> Finding:
    return check("improves", here, against=["K-means"], percent=percent, **more)


def gains(**changes: Any) -> Material:
    """K-means .5; RCE .54 and .52 where it is tuned, .99 at its default."""
    return material({"a": 0.54, "b": 0.52}, **changes)


def test_an_improvement_is_the_mean_over_the_data_sets_in_points() -> None:
    found = improves(3.0, gains())
    assert found.verdict == "reproduced"
    for part in ("+3.0 points", "+6.0 %", "2 data sets", "published: 3 %", "+49.0 points at the default"):
        assert part in found.evidence
    assert "+98.0 %" in improves(1.0, gains(selection="default")).evidence
    assert "+4.0 points" in improves(1.0, gains(), cases=("a",)).evidence


@pytest.mark.parametrize(
    ("percent", "expected", "relatively"),
    [
        (2.9, "reproduced", None),
        (5.0, "partly reproduced", "reproduced"),
        (5.9, "partly reproduced", "reproduced"),
        (7.0, "not reproduced", "partly reproduced"),
        (13.0, "not reproduced", None),
    ],
)
def test_an_improvement_is_compared_with_the_published_percentage(
    percent: float, expected: str, relatively: str | None
) -> None:
    found = improves(percent, gains())
    assert found.verdict == expected
    assert ("as percent of K-means" in found.evidence) == (relatively is not None)
    assert f"as percent of K-means: {relatively}" in found.evidence or relatively is None


def test_a_loss_is_no_improvement() -> None:
    found = improves(1.0, material({"a": 0.4, "b": 0.49}))
    assert found.verdict == "not reproduced"
    assert "\N{MINUS SIGN}5.5 points" in found.evidence


def test_an_improvement_on_unseen_objects() -> None:
    """RCE has .6 at the point that is best on the training objects, .52 at the default; the rival .5."""
    plan = {"splits": 2, "repetitions": 1, "methods": [{"method": "RCE", "by": ["own"]}]}
    rows = [
        (case, split, 0, row, point, training, value, "")
        for case, split in product(CASES, (0, 1))
        for row, point, training, value in (("K-means-NC", 0, 0.5, 0.5), ("RCE", 0, 0.9, 0.6), ("RCE", 1, 0.1, 0.52))
    ]
    columns = ["case", "split", "repetition", "row", "point", "training", "value", "reason"]
    claim = {"against": ["K-means-NC"], "percent": 8, "unseen": True}
    here, untuned = gains(generalisation=plan), gains(generalisation=plan, selection="default")
    for of in (here, untuned):
        of.source.__dict__["unseen"] = pd.DataFrame(rows, columns=columns)
    found = check("improves", here, **claim)
    assert found.verdict == "reproduced"
    assert "+10.0 points" in found.evidence
    assert "+2.0 points at the default grid point" in found.evidence
    assert check("improves", untuned, **claim).verdict == "not reproduced"


def test_verdicts_of_a_study_on_other_data_say_so() -> None:
    other = gains(other_data="they are not known.")
    assert [improves(percent, other).verdict for percent in (3, 5, 13)] == [
        "not the same data: holds",
        "not the same data: holds in part",
        "not the same data: does not hold",
    ]
    assert "as percent of K-means: not the same data: holds;" in improves(5, other).evidence
    assert "not the paper's data sets" in improves(5, other).evidence


def exhibit() -> Claims:
    return Claims(kind="claims")


def test_the_exhibit_judges_among_the_papers_methods_and_once_more_with_the_others() -> None:
    claims = [claim_of(kind).model_dump() for kind in ("best", "stable")]
    published = Published(scores={key: value for key, value in PUBLISHED.scores.items() if key[2] != "KC"})
    grid = dict.fromkeys(CASES, (0.8, 0.8))
    whole = material({"a": 0.7, "b": 0.55, "c": 0.55, "d": 0.55}, claims=claims, grid=grid, published=published)
    shown = exhibit().build(whole.source)
    best, stable = shown.frame.iloc[0], shown.frame.iloc[1]
    assert best["verdict"] == "reproduced"
    assert "4 of 4 data sets" in best["evidence"]
    assert (best["other_methods"], best["verdict_with_others"]) == ("KC", "not reproduced")
    assert "1 of 4 data sets" in best["evidence_with_others"]
    assert stable["verdict_with_others"] == "", "a grid has no rivals"
    (table,) = shown.blocks
    assert table.header[4] == "With KC"
    assert [row[2].text for row in table.rows] == ["reproduced", "reproduced"]
    assert table.rows[0][4].text == "not reproduced"


def test_the_abstract_counts_the_verdicts_on_claims_and_on_questions_apart() -> None:
    item = {"id": "R1", "place": "4", "text": "RCE is best.", "missing": "-"}
    of_paper = claim_of("best"), claim_of("best", method="KC"), claim_of("no_worse")
    claims = [claim.model_dump() for claim in (*of_paper, claim_of("best", item=None))]
    whole = material(dict.fromkeys(CASES, 0.9), claims=claims, ledger=[item])
    shown = exhibit().build(whole.source)
    assert shown.frame["verdict"].tolist() == ["reproduced", "not reproduced", "reproduced", "holds"]
    assert "Claims of the paper: reproduced (2), not reproduced (1)." in shown.abstract
    assert shown.abstract.endswith("Questions beyond the paper: holds (1).")


@pytest.mark.parametrize("published", [["table2"], []])
def test_a_study_without_published_tables_does_not_speak_of_them(published) -> None:
    own = claim_of("best", item=None).model_dump()
    whole = material(dict.fromkeys(CASES, 0.9), claims=[own], published=Published())
    whole.source.__dict__["study"] = whole.study.model_copy(update={"published": tuple(published)})
    shown = exhibit().build(whole.source)
    assert ("no published count" in shown.frame["evidence"][0]) is bool(published)
    assert shown.abstract == "Questions: holds (1)."
    assert shown.blocks[0].title == "Questions"


def test_a_claim_about_a_method_that_the_paper_does_not_have_is_judged_among_all() -> None:
    claims = [claim_of("best", against=["KC"]).model_dump(), claim_of("best", method="KC").model_dump()]
    published = Published(scores={key: value for key, value in PUBLISHED.scores.items() if key[2] != "KC"})
    whole = material({"a": 0.7, "b": 0.7, "c": 0.7, "d": 0.55}, claims=claims, published=published)
    shown = exhibit().build(whole.source)
    assert shown.frame["verdict"].tolist() == ["reproduced", "not reproduced"]
    assert "3 of 4 data sets" in shown.frame["evidence"][0]
    assert "1 of 4 data sets" in shown.frame["evidence"][1]


def test_the_exhibit_without_other_methods_has_no_column_for_them() -> None:
    whole = material({"a": 0.7}, claims=[claim_of("best", published=3).model_dump()])
    shown = exhibit().build(whole.source)
    assert shown.frame["published"].tolist() == [3]
    assert set(shown.frame["verdict"]) <= set(VERDICTS)
    assert shown.blocks[0].header == ("Item", "Claim", "Verdict", "Evidence", "Default parameters")


def test_it_is_wanted_with_claims_and_needs_unseen_objects_only_for_claims_about_them() -> None:
    plan = {"methods": [{"method": "RCE", "by": ["own"]}]}
    unseen = claim_of("improves", against=["K-means-NC"], percent=1, unseen=True).model_dump()
    assert not exhibit().wanted(study())
    with_claim = study(claims=[unseen], generalisation=plan)
    assert exhibit().wanted(with_claim)
    assert exhibit().needs(with_claim).unseen == CASES
    assert exhibit().needs(study(claims=[claim_of("best").model_dump()], generalisation=plan)).unseen == ()


@pytest.mark.parametrize(
    ("given", "verdict_of_sentence", "by_count"),
    [
        ({"published": 4}, "reproduced", "partly reproduced"),
        ({"published": 4, "says": "count"}, "partly reproduced", ""),
        ({"kind": "above_base"}, "reproduced", "reproduced"),
    ],
)
def test_a_sentence_and_its_table_have_a_verdict_each(given: dict[str, Any], verdict_of_sentence: str, by_count: str):
    """RCE is best on three of four data sets."""
    found = judge(claim_of(**{"kind": "best"} | given), material({"a": 0.7, "b": 0.7, "c": 0.7, "d": 0.55}))
    assert (found.verdict, found.counted) == (verdict_of_sentence, by_count)


def test_a_question_of_ours_is_answered_not_reproduced():
    item = {"id": "R1", "place": "4", "text": "RCE is best.", "missing": "-"}
    whole = material({"a": 0.7, "b": 0.55, "c": 0.55, "d": 0.55}, ledger=[item])
    assert judge(claim_of("best", item=None), whole).verdict == "does not hold"
    assert judge(claim_of("best"), whole).verdict == "not reproduced"
    claims = [claim_of("best").model_dump(), claim_of("best", item=None).model_dump()]
    shown = exhibit().build(material({"a": 0.7}, ledger=[item], claims=claims).source)
    assert list(shown.frame["ours"]) == [False, True]
    assert [len(block.rows) for block in shown.blocks] == [1, 1]


def test_near_and_no_worse_count_ties():
    scores = {"a": 0.6, "b": 0.62, "c": 0.7, "d": 0.55}
    fact = judge(claim_of("no_worse", against=["KC"]), material(scores)).fact
    assert fact.endswith("3 of 4 data sets here")
    assert "KC" in fact
    assert "KC" not in judge(claim_of("no_worse", against=[]), material(scores)).fact
    near = claim_of("near", against=["KC"], within=0.03)
    assert judge(near, material(scores)).fact.endswith("2 of 4 data sets here")


def test_a_claim_may_name_a_variant_of_a_method():
    variant = {"id": "KC-other", "of": "KC", "method": "KC", "why": "w", "parameters": {"n_init": 3}}
    whole = material({"a": 0.7, "b": 0.7}, variants={"methods": [variant]})
    rows = selected_of({case: {("KC-other", "fixed"): 0.65} for case in CASES})
    source = source_of(whole.study, selected=whole.source.selected, variants=rows, published=PUBLISHED)
    claim = Claim(text="t", check="best", method="KC-other", against=["KC"], metric="ACC")
    assert judge(claim, Material(whole.study, source)).fact.endswith("4 of 4 data sets here")
    beside = Claim(text="t", check="best", method="RCE", against=["KC-other"], metric="ACC")
    assert judge(beside, Material(whole.study, source)).fact.endswith("2 of 2 data sets here")


def test_an_improvement_is_in_points_or_relative():
    """RCE is .06 above KC's .6: 6 points, 10 %."""
    whole = material(dict.fromkeys(CASES, 0.66))
    for relative, verdict_of_it in ((False, "partly reproduced"), (True, "reproduced")):
        claim = claim_of("improves", against=["KC"], percent=9, relative=relative)
        assert judge(claim, whole).verdict == verdict_of_it


@pytest.mark.parametrize("wrong", [{"published": True}, {"published": 10**30}, {"published": 3, "of": True}])
def test_counts_that_are_none_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(reversed(wrong))):
        claim_of("best", **wrong)


def test_an_improvement_is_above_nothing() -> None:
    with pytest.raises(ValueError, match="percent"):
        claim_of("improves", against=["KC"], percent=-1)


BELOW, EQUAL, ABOVE = "below", "equal", "above"
STEPS = {BELOW: (-1e-6, -2e-12), EQUAL: (-1e-13, 0.0, 1e-13), ABOVE: (2e-12, 1e-6)}
"""Distances from a threshold; scores that differ by less than 1e-12 are equal."""


@pytest.mark.parametrize("side", STEPS)
@pytest.mark.parametrize(
    ("kind", "threshold", "more", "holding"),
    [
        ("best", 0.6, {}, {ABOVE}),
        ("best", 0.5, {"against": ["K-means"]}, {ABOVE}),
        ("no_worse", 0.6, {}, {EQUAL, ABOVE}),
        ("no_worse", 0.5, {"against": ["K-means"]}, {EQUAL, ABOVE}),
        ("second", 0.5, {}, {ABOVE}),  # one mean, KC's, is higher
        ("second", 0.6, {}, {BELOW, EQUAL, ABOVE}),
        ("significant", 0.6, {}, {ABOVE}),
        ("near", 0.63, {"against": ["KC"], "within": 0.03}, {BELOW, EQUAL}),
        ("near", 0.57, {"against": ["KC"], "within": 0.03}, {EQUAL, ABOVE}),
        ("near", 0.6, {"against": ["KC"], "within": 0}, {EQUAL}),
    ],
)
def test_a_score_at_the_threshold_of_a_check_and_one_step_beside_it(
    kind: str, threshold: float, more: dict[str, Any], holding: set[str], side: str
) -> None:
    for distance in STEPS[side]:
        found = check(kind, material({"a": threshold + distance}, cases=["a"]), **more)
        assert found.fact.endswith(f"{int(side in holding)} of 1 data set here"), (side, distance)


@pytest.mark.parametrize(("side", "cells"), [(BELOW, 1), (EQUAL, 1), (ABOVE, 2)])
def test_a_score_equal_to_that_of_the_base_clusterings_is_not_above_it(side: str, cells: int) -> None:
    for distance in STEPS[side]:
        found = check("above_base", material({"a": 0.5 + distance}, cases=["a"]))
        assert found.fact.endswith(f"{cells} of 2 cells here"), distance


@pytest.mark.parametrize(("side", "holds"), [(BELOW, False), (EQUAL, True), (ABOVE, True)])
def test_a_mean_that_stays_equal_with_a_larger_ensemble_never_falls(side: str, holds: bool) -> None:
    larger = {"id": "a_4", "of": "a", "dataset": "a", "subset_size": 4, "methods": ["KC"], "why": "?"}
    ensemble = {"runs": 4, "subset_size": 2, "draws": 2}
    for distance in STEPS[side]:
        of = material({}, cases=["a"], variants={"cases": [larger]}, ensemble=ensemble)
        of.source.__dict__["variants"] = selected_of({"a_4": {("KC", "fixed"): 0.6 + distance}})
        assert check("grows", of, method="KC").fact.endswith(f"{int(holds)} of 1 data set here"), distance


@pytest.mark.parametrize(
    ("lower", "share", "holds"),
    [
        (0.5, 1.0, True),  # at ``within`` below the best point
        (0.5 - 1e-9, 1.0, False),
        (0.25, 0.5, True),  # the best point alone is half of the grid
        (0.25, 0.5 + 1e-9, False),
    ],
)
def test_a_grid_point_at_the_bound_is_near_and_a_share_at_the_bound_suffices(
    lower: float, share: float, holds: bool
) -> None:
    of = material({}, grid={"a": (0.75, lower)}, cases=["a"])
    assert check("stable", of, within=0.25, share=share).fact.endswith(f"{int(holds)} of 1 data set here")


@pytest.mark.parametrize(
    ("percent", "expected"),
    [(25, "reproduced"), (25 + 1e-9, "partly reproduced"), (50 - 1e-9, "partly reproduced"), (50, "not reproduced")],
)
@pytest.mark.parametrize("relative", [False, True])
def test_an_improvement_at_the_published_percentage_and_at_half_of_it(
    percent: float, expected: str, relative: bool
) -> None:
    """RCE is a quarter above K-means' .5: 25 points, 50 %. The step between subsets is exact in binary."""
    of = material(dict.fromkeys(CASES, 0.75), step=2**-10)
    assert improves(percent * (1 + relative), of, relative=relative).verdict == expected


@pytest.mark.parametrize(
    ("holding", "given", "expected"),
    [
        (3, {}, "reproduced"),
        (2, {}, "partly reproduced"),  # half is not "most"
        (1, {}, "not reproduced"),  # a quarter is not more than half of "most"
        (2, {"published": 2, "says": "count"}, "reproduced"),
        (1, {"published": 2, "says": "count"}, "not reproduced"),
        (2, {"published": 3, "says": "count"}, "partly reproduced"),
        (2, {"published": 4, "says": "count"}, "not reproduced"),
        (2, {"published": 1, "of": 2, "says": "count"}, "reproduced"),
        (2, {"published": 3, "of": 5, "says": "count"}, "partly reproduced"),
    ],
)
def test_as_many_data_sets_as_the_sentence_says_are_enough_and_half_as_many_are_too_few(
    holding: int, given: dict[str, Any], expected: str
) -> None:
    scores = {case: 0.7 if i < holding else 0.55 for i, case in enumerate(CASES)}
    assert check("best", material(scores), **given).verdict == expected


PATHS = {"kind": "paths", "id": "ends", "title": "-", "method": "RCE", "path": "objective_path_", "labels": ["J"]}
BY = {"exhibit": "ends", "question": "never_rises"}


def counting(monkeypatch: pytest.MonkeyPatch, holds: tuple[bool, ...], **changes: Any) -> Material:
    """A study with an exhibit that counts; it is asked on the cases that count."""
    here = material(dict.fromkeys(CASES, 0.9), exhibits=[PATHS], **changes)
    kind = type(here.study.exhibit("ends"))

    def count_for_claim(self: Any, question: str, claim: Claim, source: Any) -> Counted:
        assert (self.id, question) == ("ends", "never_rises")
        return Counted(f"asked of {len(source.study.cases)} cases:", holds, "fits", ("a remark",))

    monkeypatch.setattr(kind, "count_for_claim", count_for_claim)
    return here


@pytest.mark.parametrize(
    ("right", "says", "verdict"),
    [
        (4, "all", "reproduced"),
        (3, "all", "partly reproduced"),
        (3, "most", "reproduced"),
        (2, "all", "not reproduced"),
        (2, "most", "partly reproduced"),
    ],
)
def test_an_exhibit_counts_for_a_claim(monkeypatch, right: int, says: str, verdict: str) -> None:
    here = counting(monkeypatch, (True,) * right + (False,) * (4 - right))
    claim = Claim.model_validate(
        {"text": "-", "item": "R8", "check": "counted", "by": BY, "method": "RCE", "says": says}
    )
    found = judge(claim, here)
    assert found.verdict == verdict
    assert found.fact == f"asked of 4 cases: {right} of 4 fits here"
    assert "a remark" in found.evidence


def test_a_claim_is_not_testable_in_a_run_without_the_exhibit_that_counts() -> None:
    claim = Claim.model_validate({"text": "-", "item": "R8", "check": "counted", "by": BY, "method": "RCE"})
    found = judge(claim, material(dict.fromkeys(CASES, 0.9)))
    assert found.verdict == "not testable here"
    assert "ends" in found.fact


def test_the_exhibit_needs_what_the_exhibits_need_that_count() -> None:
    claim = {"text": "-", "item": "R8", "check": "counted", "by": BY, "method": "RCE"}
    here = study(exhibits=[PATHS], claims=[claim])
    needs = exhibit().needs(here)
    assert needs.fits == here.exhibit("ends").needs(here).fits != ()
    assert needs.scores
    assert exhibit().needs(study(claims=[claim])).fits == (), "the exhibit is not in this run"


@pytest.mark.parametrize(("like", "verdict"), [(["a"], "not reproduced"), (["b"], "reproduced")])
def test_as_stable_as_on_other_data_sets_takes_their_share_of_the_grid(like: list[str], verdict: str) -> None:
    """On a both points are near the best one, on the others one of two."""
    grid = {"a": (0.8, 0.8), "b": (0.8, 0.1), "c": (0.8, 0.1), "d": (0.1, 0.8)}
    whole = material({"a": 0.8}, grid=grid)
    found = judge(claim_of("stable", like=like, cases=["c", "d"], share=0.95), whole)
    assert found.verdict == verdict
    assert judge(claim_of("stable", cases=["c", "d"], share=0.95), whole).verdict == "not reproduced"


def test_tuned_methods_are_judged_once_more_with_default_parameters() -> None:
    """RCE is last after the choice, and first by default."""
    whole = material(dict.fromkeys(CASES, 0.4))
    assert judge(claim_of("best"), whole).verdict == "not reproduced"
    found = judge_at_default(claim_of("best"), whole)
    assert found is not None
    assert found.verdict == "reproduced"
    assert judge_at_default(claim_of("best", method="KC", against=["K-means"]), whole) is None, "neither is tuned"
    assert judge_at_default(claim_of("stable"), material({"a": 0.4}, grid={"a": (0.8, 0.8)})) is None


def test_a_tuned_and_an_untuned_method_are_compared_after_the_same_choice(monkeypatch) -> None:
    here = counting(monkeypatch, (True, False, False, False))
    claim = claim_of("best", against=["KC"])
    assert judge(claim, here).verdict == "reproduced"
    assert judge_same_choice(claim, here) is None, "nobody says what the same choice gives"
    found = judge_same_choice(claim_of("best", against=["KC"], same_choice=BY), here)
    assert found is not None
    assert found.verdict == "not reproduced"


def test_both_choices_stand_beside_the_verdict(monkeypatch) -> None:
    claims = [claim_of("best", against=["KC"], same_choice=BY).model_dump()]
    here = counting(monkeypatch, (True, False, False, False), claims=claims)
    shown = exhibit().build(here.source)
    (row,) = shown.frame.to_dict("records")
    assert (row["verdict"], row["default_verdict"], row["same_choice_verdict"]) == (
        "reproduced",
        "reproduced",
        "not reproduced",
    )
    assert shown.blocks[0].header[-2:] == ("Default parameters", "Same choice for all")
    assert [cell.text for cell in shown.blocks[0].rows[0][-2:]] == ["reproduced", "not reproduced"]


def test_the_abstract_names_what_failed_and_what_has_no_verdict() -> None:
    ledger = [
        {"id": "R1", "place": "4", "text": "RCE is best.", "missing": "-"},
        {"id": "R2", "place": "5", "text": "A table.", "shown": ["table2"], "unjudged": "a table"},
    ]
    lost = claim_of("best", method="KC").model_copy(update={"text": "KC is the best."})
    whole = material(
        dict.fromkeys(CASES, 0.9), claims=[claim_of("best").model_dump(), lost.model_dump()], ledger=ledger
    )
    abstract = exhibit().build(whole.source).abstract
    assert "KC is the best" in abstract
    assert "R2" in abstract


@pytest.mark.parametrize(
    "wrong",
    [
        {"check": "best"},  # without a metric
        {"check": "counted"},
        {"check": "best", "metric": "ACC", "by": BY},
        {"check": "best", "metric": "ACC", "like": ["a"]},
    ],
)
def test_keys_that_do_not_go_with_the_check_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"check|metric"):
        Claim.model_validate({"text": "-", "method": "RCE", **wrong})
