"""Mean ranks by our scores and by the published ones, and what Nemenyi's test joins."""

import pandas as pd
import pytest

from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.rank_diagram import RankDiagram, critical_difference
from consclust_studies.results.main_table import rank_scores
from small import STUDY, planned, scores_of, source_of

NAMES = [f"d{n}" for n in range(8)]
STUDY8 = planned(
    cases=[{"dataset": name, "title": name, "preprocessing": []} for name in NAMES],
    origins=dict.fromkeys(NAMES, STUDY["origins"]["iris"]),
    metrics=["ACC"],
    reported=["ACC"],
)


def built(published: Published):
    scores = scores_of(STUDY8, means={"K-means": 0.2, "KC": 0.4, "EAC": 0.6, "RCE": 0.8})
    return RankDiagram(kind="rank_diagram").build(source_of(STUDY8, scores=scores, published=published))


def test_it_is_wanted_where_there_are_enough_data_sets() -> None:
    assert not RankDiagram(kind="rank_diagram").wanted(planned())
    assert RankDiagram(kind="rank_diagram").wanted(STUDY8)


def test_ranks_of_our_scores() -> None:
    shown = built(Published())
    assert shown.frame.set_index("method")["mean_rank"].to_dict() == {"K-means": 4, "KC": 3, "EAC": 2, "RCE": 1}
    assert set(shown.frame["scores"]) == {"ours"}
    assert set(shown.frame["datasets"]) == {8}
    assert shown.frame["p_friedman"].iloc[0] < 0.001
    (panel,) = shown.picture.axes
    said = " ".join(text.get_text() for text in panel.texts)
    assert all(f"{name} ({rank}.0)" in said or f"({rank}.0) {name}" in said for name, rank in (("RCE", 1), ("KC", 3)))


def test_several_ensembles_of_a_data_set_are_one_data_set() -> None:
    """Their scores are averaged, so that 16 cases of 8 data sets have the critical difference of 8."""
    twice = [{**case.model_dump(), "id": f"{case.id}_{i}"} for case in STUDY8.cases for i in (1, 2)]
    study = STUDY8.model_validate({**STUDY8.model_dump(), "cases": twice})
    study = study.model_copy(update={"origins": dict.fromkeys([case["id"] for case in twice], STUDY8.origins["d0"])})
    scores = scores_of(study, means={"K-means": 0.2, "KC": 0.4, "EAC": 0.6, "RCE": 0.8})
    best = scores["case"].str.endswith("_2") & (scores["method"] == "KC")
    scores.loc[best, "value"] += 0.3  # ahead of EAC in the second case of each, behind it on average
    shown = RankDiagram(kind="rank_diagram").build(source_of(study, scores=scores, published=Published()))
    assert set(shown.frame["datasets"]) == {8}
    assert shown.frame.set_index("method")["mean_rank"]["EAC"] == 2
    assert "16 cases are 8 data sets" in shown.caption
    assert "cases are" not in built(Published()).caption


def test_without_a_significant_difference_there_are_no_bars() -> None:
    even = scores_of(STUDY8, means={"RCE": 0.47})  # tuned, so that it is ahead of methods with an equal mean
    shown = RankDiagram(kind="rank_diagram").build(source_of(STUDY8, scores=even, published=Published()))
    assert shown.frame["p_friedman"].iloc[0] > 0.05
    bars = [line for line in shown.picture.axes[0].lines if line.get_linewidth() > 2]
    assert bars
    assert not any(bar.get_visible() for bar in bars)
    assert "Friedman p" in shown.picture.axes[0].get_title(loc="left")
    assert all(bar.get_visible() for bar in built(Published()).picture.axes[0].lines)


def test_bars_run_from_the_lowest_rank_to_the_highest() -> None:
    (panel,) = built(Published()).picture.axes
    bars = [list(line.get_xdata()) for line in panel.lines if len(set(line.get_ydata())) == 1]
    assert bars == [[1, 2], [2, 3], [3, 4]]


def test_where_scores_are_published_their_methods_are_compared_by_both() -> None:
    values = {"KC": 0.9, "EAC": 0.5, "RCE": 0.7}
    published = Published(scores={(name, "ACC", method): v for name in NAMES for method, v in values.items()})
    found = built(published).frame.set_index(["scores", "method"])["mean_rank"].to_dict()
    ours, theirs = {"KC": 3, "EAC": 2, "RCE": 1}, {"KC": 1, "EAC": 3, "RCE": 2}
    assert found == {
        (side, name): rank for side, of in (("ours", ours), ("published", theirs)) for name, rank in of.items()
    }


def test_two_published_methods_are_too_few_to_compare_alone() -> None:
    published = Published(scores={(name, "ACC", method): 0.5 for name in NAMES for method in ("KC", "EAC")})
    frame = built(published).frame
    assert set(frame["method"]) == {"K-means", "KC", "EAC", "RCE"}
    assert set(frame["scores"]) == {"ours"}


def test_scores_that_differ_by_rounding_share_a_rank() -> None:
    table = pd.DataFrame({"A": [0.1 + 0.2, 0.5], "B": [0.3, 0.4], "C": [0.2, 0.6]})
    assert rank_scores(table).to_numpy().tolist() == [[1.5, 1.5, 3], [2, 3, 1]]


@pytest.mark.parametrize(("methods", "datasets", "expected"), [(5, 30, 1.113), (10, 15, 3.498)])
def test_the_critical_difference_is_that_of_demsar(methods: int, datasets: int, expected: float) -> None:
    """Janez Demsar (JMLR 2006): q = 2.728 for five classifiers, 3.164 for ten, times sqrt(k (k + 1) / 6 N)."""
    assert critical_difference(datasets, methods) == pytest.approx(expected, abs=2e-3)
