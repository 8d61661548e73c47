from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd
import pytest

from concord.config.study import Claim, Study
from concord.reports.claims import (
    VERDICTS,
    Count,
    Finding,
    Material,
    claims_markdown,
    claims_table,
    judge,
    verdict,
    with_others,
)
from concord.reports.published import Published
from concord.scores.summary import summarise

CASES = ("a", "b", "c", "d")
POINTS = ('{"lambda1":0.1}', '{"lambda1":1.0}')


def study(**changes: Any) -> Study:
    value: dict[str, Any] = {
        "id": "small",
        "title": "Small",
        "summary": "A test.",
        "paper": {"authors": "A", "title": "T", "venue": "V", "year": 2000},
        "cases": list(CASES),
        "ensemble": {"runs": 4, "subset_size": 2},
        "methods": ["KC", {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}}],
        "metrics": ["ACC"],
        "table2": ["ACC"],
    }
    return Study.model_validate(value | changes)


def material(
    rce: dict[str, float],
    *,
    bold: tuple[str, ...] = (),
    grid: dict[str, tuple[float, float]] | None = None,
    published: Published | None = None,
    names: dict[str, str] | None = None,
    n: int = 2,
    **changes: Any,
) -> Material:
    """K-means has .5, KC .6 everywhere; RCE what is given (reading "default": .99, a trap)."""
    rows = []
    for case in CASES:
        rows += [(case, "ACC", "K-means", "fixed", 0.5, 0.1, n, False, False)]
        rows += [(case, "ACC", "KC", "fixed", 0.6, 0.1, n, False, False)]
        if case in rce:
            rows += [(case, "ACC", "RCE", "oracle-per-subset", rce[case], 0.1, n, True, case in bold)]
            rows += [(case, "ACC", "RCE", "default", 0.99, 0.1, n, True, True)]
    summary = pd.DataFrame(
        rows, columns=["case", "metric", "method", "reading", "mean", "std", "n", "best", "bold"]
    )
    scores = pd.DataFrame(
        [
            ("small", case, s, "RCE", POINTS[p], "mean", "ACC", values[p])
            for case, values in (grid or {}).items()
            for p, s in product((0, 1), (0, 1))
        ],
        columns=["study", "case", "subset", "method", "parameters", "restart", "metric", "value"],
    )
    return Material(study(**changes), summary, scores, published or Published(), names or {})


def check(kind: str, here: Material, **more: Any) -> Finding:
    claim = {"text": "It is so.", "check": kind, "method": "RCE", "metric": "ACC", **more}
    return judge(Claim.model_validate(claim), here)


PRINT = Published(
    scores={
        (case, "ACC", method): value
        for case in CASES
        for method, value in (("K-means", 0.5), ("KC", 0.4), ("RCE", 0.9 if case != "d" else 0.1))
    }
)
NAMES = {case: case for case in CASES}


@pytest.mark.parametrize(
    ("holds", "printed", "expected"),
    [
        (3, Count(3, 4), "reproduced"),
        (2, Count(3, 4), "partly reproduced"),
        (1, Count(3, 4), "not reproduced"),
        (1, Count(1, 4), "reproduced"),
        (3, None, "reproduced"),
        (2, None, "partly reproduced"),
        (1, None, "not reproduced"),
    ],
)
def test_verdict_by_shares(holds: int, printed: Count | None, expected: str) -> None:
    assert verdict(Count(holds, 4), printed) == expected


def test_a_claim_may_speak_of_some_data_sets_only() -> None:
    """The print holds on a, b and c; here on a and d."""
    scores = {"a": 0.7, "b": 0.55, "c": 0.55, "d": 0.7}
    here = material(scores, published=PRINT, names=NAMES)
    assert "on 2 of 4 data sets here; printed: 3 of 4 data sets" in check("best", here).evidence
    some = check("best", here, cases=("a", "b"))
    assert some.evidence == "Best in ACC on 1 of 2 data sets here; printed: 2 of 2 data sets."
    stable = check("stable", material(scores, grid=dict.fromkeys(CASES, (0.5, 0.5))), cases=("a",))
    assert "on 1 of 1 data set here" in stable.evidence
    assert check("best", here, cases=("x",)).verdict == "not testable here"


def test_second_allows_one_rival_that_is_not_lower() -> None:
    found = check("second", material({"a": 0.7, "b": 0.6, "c": 0.55, "d": 0.4}, published=PRINT, names=NAMES))
    assert found.evidence == "Best or second in ACC on 3 of 4 data sets here; printed: 3 of 4 data sets."


def test_grows_looks_at_the_means_over_all_sizes() -> None:
    sizes = {"a": (0.5, 0.6, 0.7), "b": (0.5, 0.6, 0.55), "c": (0.6, 0.6, 0.6)}
    cases = [
        {
            "id": f"{case}_{size}",
            "of": case,
            "dataset": case,
            "subset_size": size,
            "methods": ["KC"],
            "why": "?",
        }
        for case in sizes
        for size in (1, 4)
    ]
    changes = {"readings": {"cases": cases}, "ensemble": {"runs": 4, "subset_size": 2, "draws": 2}}
    others = pd.DataFrame(
        [
            (f"{case}_{size}", "KC", "fixed", "ACC", subset, mean + 0.1 * subset - 0.05)
            for case, (one, _, four) in sizes.items()
            for size, mean in ((1, one), (4, four))
            for subset in (0, 1)
        ],
        columns=["case", "method", "reading", "metric", "subset", "value"],
    )
    of = replace(material({}, **changes), others=others)  # KC has .6 with the study's own size, 2
    found = check("grows", of, method="KC", printed=2, of=3)
    assert found.verdict == "reproduced"
    assert found.evidence.startswith("Mean ACC never lower with a larger ensemble on 2 of 3 data sets here")
    assert check("grows", material({})).verdict == "not testable here"


def test_best_reads_the_reading_of_the_study_and_counts_the_print() -> None:
    three = {"a": 0.7, "b": 0.7, "c": 0.7, "d": 0.6}  # a tie in d does not count
    finding = check("best", material(three, published=PRINT, names=NAMES))
    assert finding.verdict == "reproduced"
    assert finding.evidence == "Best in ACC on 3 of 4 data sets here; printed: 3 of 4 data sets."
    two = {"a": 0.7, "b": 0.7, "c": 0.3, "d": 0.3}
    assert check("best", material(two, published=PRINT, names=NAMES)).verdict == "partly reproduced"
    one = {"a": 0.7, "b": 0.3, "c": 0.3, "d": 0.3}
    assert check("best", material(one, published=PRINT, names=NAMES)).verdict == "not reproduced"


def test_the_claims_own_printed_count_goes_before_the_printed_table() -> None:
    finding = check("best", material(dict.fromkeys(CASES, 0.7), published=PRINT, names=NAMES), printed=4)
    assert "printed: 4 of 4 data sets" in finding.evidence


def test_other_data_and_absent_rivals_are_said() -> None:
    more = Published(scores={**PRINT.scores, ("a", "ACC", "CSPA"): 0.2})
    finding = check("best", material({"a": 0.7}, published=more, names={}))
    assert "these are not the paper's data sets" in finding.evidence
    assert "printed rivals not in this run: CSPA" in finding.evidence
    assert (
        "1 of the 4 data sets"
        in check("best", material({"a": 0.7}, published=PRINT, names={"a": "a"})).evidence
    )


def test_best_against_the_rivals_that_the_claim_speaks_of() -> None:
    scores = {"a": 0.55, "b": 0.55, "c": 0.7, "d": 0.4}
    finding = check("best", material(scores, published=PRINT, names=NAMES), against=["K-means"])
    assert finding.evidence == "Above K-means in ACC on 3 of 4 data sets here; printed: 3 of 4 data sets."
    lower = {key: 0.2 if key[2] == "K-means" else value for key, value in PRINT.scores.items()}
    mixed = Published(scores=lower | {("d", "ACC", "RCE"): 0.3})
    of = material(scores, published=mixed, names=NAMES)
    assert "printed: 4 of 4" in check("best", of, against=["K-means"]).evidence
    assert "printed: 3 of 4" in check("best", of).evidence
    finding = check("best", material(scores), against=["HGPA"])
    assert (finding.verdict, finding.counted) == ("not testable here", "HGPA is not in this run")
    assert "the study has no printed table" in check("best", material(scores)).evidence


def test_two_ensembles_of_one_data_set_are_counted_as_cases() -> None:
    cases = ["a", "b", "c", {"id": "d", "dataset": "a"}]
    assert "4 of 4 cases" in check("best", material(dict.fromkeys(CASES, 0.7), cases=cases)).evidence


def test_significant_counts_bold() -> None:
    all_best = dict.fromkeys(CASES, 0.7)
    assert check("significant", material(all_best, bold=("a", "b", "c"))).verdict == "reproduced"
    assert check("significant", material(all_best, bold=("a", "b"))).verdict == "partly reproduced"
    assert check("significant", material(all_best, bold=("a",))).verdict == "not reproduced"
    assert check("significant", material(all_best, bold=("a",), n=1)).verdict == "not testable here"


def test_above_base_counts_the_cells_of_every_method() -> None:
    finding = check(
        "above_base", material({"a": 0.7, "b": 0.4, "c": 0.5, "d": 0.2}, published=PRINT, names=NAMES)
    )
    assert finding.evidence == "Above K-means in ACC on 5 of 8 cells here; printed: 3 of 8 cells."
    assert finding.verdict == "reproduced"


def test_stable_looks_at_the_whole_grid() -> None:
    flat, steep = (0.80, 0.79), (0.80, 0.60)
    grid = {"a": flat, "b": flat, "c": flat, "d": steep}
    finding = check("stable", material({}, grid=grid), share=1.0)
    assert finding.verdict == "reproduced"
    assert "3 of 4 data sets" in finding.evidence
    assert "(50% to 100%, median 100% of the grid)" in finding.evidence
    assert (
        check("stable", material({}, grid=dict.fromkeys(CASES, steep)), share=1.0).verdict == "not reproduced"
    )
    assert check("stable", material({}, grid=dict.fromkeys(CASES, steep)), share=0.5).verdict == "reproduced"


def test_a_point_that_failed_on_a_subset_is_not_near_the_best() -> None:
    of = material({}, grid=dict.fromkeys(CASES, (0.8, 0.8)))
    assert check("stable", of, share=0.6).verdict == "reproduced"
    failed = of.scores["parameters"].eq(POINTS[0]) & of.scores["subset"].eq(1)
    of.scores.loc[failed, "value"] = float("nan")
    assert check("stable", of, share=0.6).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("kind", "more", "reason"),
    [
        ("best", {"method": "CSPA"}, "CSPA is not in this run"),
        ("best", {"metric": "NMI"}, "NMI is not among the metrics"),
        ("best", {}, "no data set has scores of RCE"),
        ("stable", {"method": "KC"}, "KC has no grid"),
        ("stable", {}, "no data set has scores of RCE"),
    ],
)
def test_not_testable_says_why(kind: str, more: dict[str, str], reason: str) -> None:
    finding = check(kind, material({}), **more)
    assert finding.verdict == "not testable here"
    assert reason in finding.evidence


def test_claims_table_and_markdown() -> None:
    claims = [{"text": "It is | so.", "check": "best", "method": "RCE", "metric": "ACC"}]
    of = material({"a": 0.7}, claims=claims)
    table = claims_table(of, of)
    assert table["verdict"].tolist() == ["reproduced"]
    assert set(table["verdict"]) <= set(VERDICTS)
    assert "| It is \\| so. | **reproduced** |" in claims_markdown(of.study, table)
    none = material({})
    assert "states none" in claims_markdown(none.study, claims_table(none, none))


def test_of_two_cases_of_a_data_set_the_one_that_stands_for_the_other_counts() -> None:
    cases = ["a", "b", "c", {"id": "d", "dataset": "a", "instead_of": "a"}]
    three = {"a": 0.7, "b": 0.7, "c": 0.7, "d": 0.1}
    for kind, expected in (("best", "2 of 3 data sets"), ("above_base", "5 of 6 cells")):
        assert expected in check(kind, material(three, cases=cases)).evidence
    assert "1 of 3 data sets" in check("significant", material(three, cases=cases, bold=("a", "b"))).evidence
    flat = dict.fromkeys(CASES, (0.8, 0.8))
    assert "3 of 3 data sets" in check("stable", material({}, grid=flat, cases=cases)).evidence
    claims = [{"text": "It is so.", "check": "best", "method": "RCE", "metric": "ACC"}]
    of = material(three, cases=cases, claims=claims)
    assert "each data set is taken once: d for a" in claims_markdown(of.study, claims_table(of, of))


def test_a_claim_is_judged_among_the_papers_methods_and_once_more_with_the_others() -> None:
    text = "RCE is best."
    claims = [
        {"text": text, "check": check, "method": "RCE", "metric": "ACC"} for check in ("best", "stable")
    ]
    grid = dict.fromkeys(CASES, (0.8, 0.8))
    whole = material({"a": 0.7, "b": 0.55, "c": 0.55, "d": 0.55}, claims=claims, grid=grid)  # KC has .6
    of_paper = whole.study.model_copy(update={"methods": whole.study.methods[1:]})
    papers = replace(whole, study=of_paper, summary=whole.summary[whole.summary["method"] != "KC"])
    table = claims_table(whole, papers)
    best, stable = table.iloc[0], table.iloc[1]
    assert best["verdict"] == "reproduced"
    assert "4 of 4 data sets" in best["evidence"]
    assert best["verdict_with_others"] == "not reproduced"
    assert with_others(best) == (
        "With KC, which the paper does not have: not reproduced (best in ACC on 1 of 4 data sets here)."
    )
    assert with_others(stable) == "", "a grid has no rivals"
    assert with_others(best) in claims_markdown(whole.study, table)


def gains(reading: str = "oracle-per-subset", **changes: Any) -> Material:
    """K-means .5; RCE .54 and .52 where it is tuned, .99 at its default."""
    return material({"a": 0.54, "b": 0.52}, reading=reading, **changes)


def improves(percent: float, here: Material, **more: Any) -> Finding:
    return check("improves", here, against=["K-means"], percent=percent, **more)


def test_an_improvement_is_the_mean_over_the_data_sets_in_points() -> None:
    found = improves(3.0, gains())
    assert found.verdict == "reproduced"
    assert found.evidence == (
        "Mean ACC of RCE over 2 data sets differs from that of K-means by +3.0 points, +6.0 % of the latter, "
        "here; printed: 3 %; +49.0 points at the default grid point; the study has no printed table."
    )
    assert improves(1.0, material({"a": 0.51}, reading="default")).counted.endswith(
        "+98.0 % of the latter, here"
    )


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
def test_an_improvement_has_the_printed_percentage_for_a_yardstick(percent, expected, relatively) -> None:
    found = improves(percent, gains())
    assert found.verdict == expected
    assert (f"taken as percent of K-means: {relatively}" in found.evidence) == (relatively is not None)
    assert ("taken as percent" in found.evidence) == (relatively is not None)


def test_a_loss_is_no_improvement() -> None:
    found = improves(1.0, material({"a": 0.4, "b": 0.49}))
    assert found.verdict == "not reproduced"
    assert "by -5.5 points" in found.evidence
    assert improves(1.0, material({})).verdict == "not testable here"


UNSEEN = pd.DataFrame(
    [
        *((case, "K-means-NC", "fixed", 0.5) for case in CASES),
        *((case, "RCE", "oracle-training", 0.6) for case in CASES),
        *((case, "RCE", "default", 0.52) for case in CASES),
    ],
    columns=["case", "row", "reading", "mean"],
)


def test_an_improvement_on_unseen_objects() -> None:
    plan = {"methods": [{"method": "RCE", "by": ["own"]}]}
    here = replace(gains(generalisation=plan), unseen=UNSEEN)
    claim = {"against": ["K-means-NC"], "percent": 8, "unseen": True}
    found = check("improves", here, **claim)
    assert found.verdict == "reproduced"
    assert (
        "on unseen objects over 4 data sets differs from that of K-means-NC by +10.0 points" in found.evidence
    )
    assert "+2.0 points at the default grid point" in found.evidence
    untuned = replace(gains("default", generalisation=plan), unseen=UNSEEN)
    assert check("improves", untuned, **claim).verdict == "not reproduced"
    assert check("improves", replace(here, unseen=None), **claim).verdict == "not testable here"
    assert check("improves", gains(), **claim).evidence == "RCE is not in this run."


def test_verdicts_of_a_study_on_other_data_say_so() -> None:
    other = {"other_data": "they are not told."}
    verdicts = [improves(percent, gains(**other)).verdict for percent in (3, 5, 13)]
    assert verdicts == [
        "not the same data: holds",
        "not the same data: holds in part",
        "not the same data: does not hold",
    ]
    found = improves(5, gains(**other))
    assert "taken as percent of K-means: not the same data: holds;" in found.evidence
    assert found.evidence.endswith("these are not the paper's data sets.")
    claims = [
        {
            "text": "Up.",
            "check": "improves",
            "method": "RCE",
            "metric": "ACC",
            "percent": 3,
            "against": ["KC"],
        }
    ]
    here = gains(**other, claims=claims)
    text = claims_markdown(here.study, claims_table(here, here))
    assert "The data sets are not the paper's: they are not told. So nothing is reproduced" in text


def test_significant_among_the_rivals_that_a_claim_speaks_of() -> None:
    """RCE beats KC on both subsets of all data sets, BCE beats both."""
    rows = []
    for case in CASES:
        for method, reading, level in (
            *(("K-means", "fixed", 0.3), ("KC", "fixed", 0.5), ("BCE", "fixed", 0.9)),
            *(("RCE", "oracle-per-subset", 0.7), ("RCE", "oracle-common", 0.6), ("RCE", "default", 0.6)),
        ):
            rows += [("small", case, method, reading, "ACC", s, "{}", level + 0.001 * s) for s in (0, 1)]
    names = ["study", "case", "method", "reading", "metric", "subset", "parameters", "value"]
    selected = pd.DataFrame(rows, columns=names)
    rce = {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}}
    here = study(methods=["KC", "BCE", rce])
    of = Material(here, summarise(here, selected), selected, Published(), {}, selected=selected)
    assert check("significant", of).counted == "significantly best in ACC on 0 of 4 data sets here"
    found = check("significant", of, against=["KC"], printed=3, of=4)
    assert found.verdict == "reproduced"
    assert found.counted == "significantly above KC in ACC on 4 of 4 data sets here"
