import math

import pandas as pd
import pytest

from consclust.report.wording import DASH, MINUS
from consclust_studies.config.paper import Claim
from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.scores import WITHOUT_OTHERS, Scores
from consclust_studies.results.main_table import build_scores_frame
from consclust_studies.stages.selection import select
from small import planned, scores_of, source_of

MEANS = {"KC": 0.6, "EAC": 0.7, "RCE": 0.9}
NOTES = ["case", "method", "subset", "point", "note"]
FAILURES = [*NOTES[:-1], "reason"]
VARIANTS = {
    "methods": [
        {"id": "KC-few", "of": "KC", "method": "KC", "why": "restarts", "cases": ["wine"]},
        {"id": "KC-most", "of": "KC", "method": "KC", "why": "restarts"},
    ]
}


def table(**keys) -> Scores:
    return Scores(kind="scores", **keys)


def at(frame: pd.DataFrame, case: str, row: str, metric: str = "ACC") -> pd.Series:
    return frame[(frame["case"] == case) & (frame["row"] == row) & (frame["metric"] == metric)].iloc[0]


def cell(shown, case: str, row: str, block: int = 0):
    found = shown.blocks[block]
    line = next(line for line in found.rows if line[0].text == case)
    return line[found.header.index(row)]


def test_mean_deviation_and_difference_from_the_published_score() -> None:
    study = planned()
    published = Published(scores={("iris", "ACC", "KC"): 0.7, ("wine", "ACC", "RCE"): 0.5})
    source = source_of(study, scores=scores_of(study, means=MEANS), published=published)
    frame = build_scores_frame(source)
    assert len(frame) == 2 * 2 * 6
    values = source.selected.query("case == 'iris' and method == 'KC' and metric == 'ACC'")["value"]
    kc = at(frame, "iris", "KC")
    assert (kc["mean"], kc["std"], kc["n"]) == (pytest.approx(values.mean()), pytest.approx(values.std()), 3)
    assert kc["difference"] == pytest.approx(values.mean() - 0.7)
    assert kc["difference_se"] == pytest.approx(kc["difference"] / (values.std() / math.sqrt(3)))
    assert math.isnan(at(frame, "wine", "KC")["published"])
    assert at(frame, "wine", "RCE (default)")["published"] == 0.5
    assert at(frame, "wine", "RCE (default)")["parameters"] == '{"lambda1":1.0,"lambda2":1.0}'
    assert at(frame, "wine", "RCE (oracle, per subset)")["parameters"] == ""


def test_the_cells_of_the_table() -> None:
    study = planned()
    source = source_of(study, published=Published(scores={("iris", "ACC", "KC"): 0.7}))
    frame, shown = build_scores_frame(source), table().build(source)
    assert [block.title for block in shown.blocks] == ["ACC", "NMI"]
    assert shown.blocks[0].header[:3] == ("Data set", "K-means", "KC")
    kc = at(frame, "iris", "KC")
    mean, std = (f"{kc[column]:.3f}".lstrip("0") for column in ("mean", "std"))
    assert cell(shown, "Iris", "KC").text == f"{mean} ± {std}"
    assert cell(shown, "Iris", "KC").below == f".700 ({MINUS}{abs(kc['difference']):.3f})".replace("0.", ".")
    below = [cell.below for block in shown.blocks for row in block.rows for cell in row if cell.below]
    assert below == [cell(shown, "Iris", "KC").below], "nothing else is published"
    assert not any(cell.below for row in table().build(source_of(study)).blocks[0].rows for cell in row)


def test_a_dash_stands_below_where_the_paper_has_the_data_set_and_the_method_but_not_both() -> None:
    published = Published(scores={("iris", "ACC", "KC"): 0.7, ("wine", "ACC", "EAC"): 0.6})
    shown = table().build(source_of(planned(), published=published))
    below = {(case, method): cell(shown, case, method).below for case in ("Iris", "Wine") for method in ("KC", "EAC")}
    assert [case for case, text in below.items() if text == DASH] == [("Iris", "EAC"), ("Wine", "KC")]
    assert all(below.values())
    assert not any(cell.below for row in shown.blocks[0].rows for cell in (row[1], *row[4:]))
    assert not any(cell.below for row in shown.blocks[1].rows for cell in row), "no NMI is published"


def test_more_than_nine_rows_stand_one_below_the_other() -> None:
    study = planned(methods=[{"id": f"KC{i}", "method": "KC"} for i in range(9)])
    block = table().build(source_of(study)).blocks[0]
    assert block.header == ("Method", "Iris", "Wine")
    assert len(block.rows) == 10


def test_a_tuned_method_has_one_row_and_all_selections_are_in_the_numbers() -> None:
    shown = table().build(source_of(planned()))
    assert shown.blocks[0].header == ("Data set", "K-means", "KC", "EAC", "RCE (oracle, per subset)")
    assert set(shown.frame["selection"]) == {"fixed", "oracle-per-subset", "oracle-common", "default"}


def test_the_best_is_bold_only_if_significantly_better() -> None:
    study = planned(methods=["KC", "EAC"])
    source = source_of(study, scores=scores_of(study, means={**MEANS, "EAC": 0.95}))
    shown = table().build(source)
    assert cell(shown, "Iris", "EAC").bold
    assert not cell(shown, "Iris", "KC").bold
    equal = source_of(study, scores=scores_of(study, means={"KC": 0.6, "EAC": 0.601}))
    best = [cell for cell in table().build(equal).blocks[0].rows[0][1:] if cell.mark == "*"]
    assert len(best) == 1
    assert not best[0].bold


def test_the_best_is_judged_among_the_methods_of_the_paper() -> None:
    study = planned(methods=["KC", "EAC"])
    published = Published(scores={("iris", "ACC", "KC"): 0.7})
    source = source_of(study, scores=scores_of(study, means={"KC": 0.7, "EAC": 0.9}), published=published)
    shown = table().build(source)
    kc = at(shown.frame, "iris", "KC")
    assert (kc["bold"], kc["paper_bold"]) == (False, True)
    assert (cell(shown, "Iris", "KC").bold, cell(shown, "Iris", "KC").mark) == (True, WITHOUT_OTHERS)
    assert cell(shown, "Iris", "EAC").bold, "it beats all of the paper's methods"
    known = planned(methods=["KC", "EAC"], unpublished=["EAC"])
    shown = table().build(source_of(known, scores=source.scores, published=published))
    assert (cell(shown, "Iris", "KC").bold, cell(shown, "Iris", "KC").mark) == (False, "")


def test_failures_and_remarks_are_footnotes() -> None:
    study = planned()
    scores = scores_of(study)
    failed = (scores["method"] == "KC") & (scores["case"] == "iris") & (scores["subset"] == 1)
    scores.loc[failed | (scores["method"] == "EAC"), "value"] = math.nan
    failures = pd.DataFrame([("iris", "KC", 1, 0, "no graph")], columns=FAILURES)
    remarks = [("iris", "KC", s, 0, "cut by hand") for s in range(3)] + [("wine", "KC", 1, 0, "by hand")]
    notes = pd.DataFrame(remarks, columns=NOTES)
    shown = table().build(source_of(study, scores=scores, failures=failures, notes=notes))
    assert at(shown.frame, "iris", "KC")["n"] == 2
    of_acc, of_nmi = shown.blocks
    assert dict(of_nmi.notes) == {
        "a": "failed on 1 of 3 subsets: no graph; cut by hand",
        "b": "failed on 3 of 3 subsets: no score",
        "c": "by hand (on 1 of 3 subsets)",
    }
    assert not of_acc.notes, "each footnote stands once, below the last table"
    assert [cell(shown, "Iris", row).mark[-1:] for row in ("KC", "EAC")] == ["a", "b"]
    assert cell(shown, "Iris", "EAC").text == DASH


def test_a_method_that_a_case_is_without_has_not_failed() -> None:
    cases = [{"dataset": "iris", "preprocessing": [], "without": ["KC"]}]
    study = planned(cases=cases)
    scores = scores_of(study)
    scores.loc[scores["method"] == "KC", "value"] = math.nan
    assert at(build_scores_frame(source_of(study, scores=scores)), "iris", "KC")["note"] == ""


def test_some_methods_with_variants_on_the_cases_on_which_any_runs() -> None:
    study = planned(variants=VARIANTS)
    exhibit = table(id="few", title="Few", methods=["KC-few"], metrics=["NMI"])
    assert exhibit.needs(study).variants
    assert not table(methods=["KC"]).needs(study).variants
    assert [case.id for case in exhibit.seen(study).cases] == ["wine"]
    assert [case.id for case in table(methods=["KC-few", "KC"]).seen(study).cases] == ["iris", "wine"]
    few = exhibit.seen(study)
    variants = select(few, scores_of(few, means={"KC-few": 0.8}))
    mean = variants[(variants["method"] == "KC-few") & (variants["metric"] == "NMI")]["value"].mean()
    published = Published(scores={("wine", "NMI", "KC-few"): round(mean, 3), ("wine", "NMI", "K-means"): 0.1})
    shown = exhibit.build(source_of(study, variants=variants, published=published))
    assert shown.frame["row"].tolist() == ["K-means", "KC-few"]
    assert shown.blocks[-1].text.startswith("1 of 2 published means equal ours")


def test_of_a_tuned_method_the_studys_selection_counts_among_equal_means() -> None:
    study = planned(selection="oracle-common")
    published = Published(scores={("iris", "ACC", "RCE"): 0.5})
    shown = table(methods=["RCE"], metrics=["ACC"]).build(source_of(study, published=published))
    assert shown.frame["published"].notna().sum() == 3
    assert shown.blocks[-1].text.startswith("0 of 1 published means")


def test_on_other_data_the_table_is_called_after_the_papers() -> None:
    source = source_of(planned(other_data="They are lost."))
    assert table(title="Table 2").build(source).blocks[0].title == "After Table 2: ACC"
    assert table(methods=["KC"], metrics=["ACC"]).build(source).blocks[0].title == "ACC"


def test_a_few_methods_have_all_metrics_side_by_side_without_the_base_clusterings() -> None:
    source = source_of(planned())
    (joined,) = table(methods=["EAC", "KC"]).build(source).blocks
    assert joined.header == ("Data set", "ACC: EAC", "ACC: KC", "NMI: EAC", "NMI: KC")
    apart = table(methods=["KC"], metrics=["NMI"]).build(source).blocks[0]
    assert [row[4].text for row in joined.rows] == [row[1].text for row in apart.rows]


def test_one_subset_allows_no_test() -> None:
    shown = table().build(source_of(planned(subsets=1)))
    assert not any(cell.bold for row in shown.blocks[0].rows for cell in row)
    assert all("±" not in cell.text for row in shown.blocks[0].rows for cell in row)


def test_scores_near_one_are_counted_in_all_metrics() -> None:
    scores = scores_of(planned(), means={"KC": 0.96, "EAC": 0.5})
    high = (scores["method"] == "KC") & (scores["metric"] == "ACC") & (scores["case"] == "iris")
    scores.loc[high, "value"] = 0.985
    table = Scores(kind="scores", id="t", title="T", methods=["KC", "EAC"])
    question = {"exhibit": "t", "question": "near_one"}
    keys = {"text": "It.", "check": "counted", "by": question, "method": "KC", "within": 0.02}
    source = source_of(planned(), scores=scores)
    found = table.count_for_claim("near_one", Claim.model_validate({**keys, "cases": ["iris"]}), source)
    assert found.holds == (True, False)
    assert found.remarks[0].startswith("ACC .985, NMI .9")
    assert len(table.count_for_claim("near_one", Claim.model_validate(keys), source).holds) == 4
