"""A restricted run leaves out the items and claims that it cannot have, and says what the other items lack."""

import pytest

SIZE = {"id": "f5", "kind": "sizes", "metric": "ACC", "title": "Sizes"}
GRID = {"id": "f1", "kind": "heatmap", "title": "A grid", "method": "RCE", "x": "lambda1", "y": "lambda2"}
ITEMS = {
    "A1": {"shown": ["table2"]},
    "A2": {"shown": ["f1"], "unjudged": "a figure"},
    "A3": {"shown": ["f5"], "cases": ["iris"], "methods": ["KC", "RCE", "SSCE"], "unjudged": "a figure"},
    "A4": {"shown": ["claims"]},
    "A5": {"missing": "it is not at hand"},
}
BEST = {"text": "RCE is best.", "check": "best", "method": "RCE", "metric": "ACC"}
CLAIMS = [
    {**BEST, "item": "A1", "against": ["KC"]},
    {**BEST, "item": "A1", "against": ["KC", "SSCE"]},
    {**BEST, "item": "A4", "check": "grows", "cases": ["iris"]},
    {**BEST, "item": "A4", "cases": ["pool"]},
]


def ledger(study, data):
    study["exhibits"] = [SIZE, {**GRID, "metrics": ["ACC"], "cases": ["iris", "wine"]}]
    study["ledger"] = [{"id": name, "place": "4", "text": "It.", **item} for name, item in ITEMS.items()]
    study["claims"] = CLAIMS


@pytest.fixture
def run(make_plan):
    def restrict(**given):
        (study,) = make_plan(ledger, **given).runs.values()
        return study

    return restrict


def test_the_whole_study_lacks_only_what_no_exhibit_of_an_item_has(run):
    study = run()
    assert (study.items_left_out, study.claims_left_out) == ((), 0)
    lacking = {item: parts for item, parts in study.lacking.items() if parts}
    assert lacking == {"A3": ("without SSCE",)}, "SSCE does not run at other sizes"


def test_items_that_are_not_shown_and_claims_that_cannot_be_judged_are_left_out(run):
    study = run(datasets="wine")
    assert [item.id for item in study.ledger] == ["A1", "A2", "A5"]
    assert study.items_left_out == ("A3", "A4")
    assert len(study.claims) == 2
    assert study.claims_left_out == 2
    assert study.lacking["A1"] == ("without iris and pool",)
    assert study.lacking["A2"] == ("without iris",)
    assert study.lacking["A5"] == ()


def test_a_claim_needs_every_rival_that_it_names(run):
    study = run(methods="KC,RCE")
    assert [(claim.item, claim.against) for claim in study.claims] == [("A1", ("KC",)), ("A4", ())]
    assert study.lacking["A1"] == ("without SSCE",)


def test_what_grows_needs_several_sizes(run):
    assert "grows" in [claim.check for claim in run().claims]
    assert "grows" not in [claim.check for claim in run(variants=False).claims]


def test_an_item_without_the_claims_that_judge_it_says_so(run):
    study = run(methods="KC")
    (item, _) = study.ledger
    assert (item.id, item.shown) == ("A1", ("table2",))
    assert item.unjudged
    assert "claims" not in [exhibit.kind for exhibit in study.exhibits], "no claim is left"


def test_names_of_an_item_are_those_of_the_study(make_plan):
    def wrong(study, data):
        ledger(study, data)
        study["ledger"][2]["cases"] = ["irish"]

    with pytest.raises(Exception, match=r"ledger\[2\].cases\[0\] = 'irish'"):
        make_plan(wrong)
