"""Mean ranks by our scores and by the published ones, and what Nemenyi's test joins."""

import pandas as pd
import pytest

from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.rank_diagram import RankDiagram, critical_difference
from consclust_studies.results.main_table import rank_scores
from small import STUDY, planned, scores_of, source_of

NAMES = [f"d{n}" for n in range(8)]
STUDY8 = planned(
    cases=[{"id": name, "dataset": "iris", "title": name, "preprocessing": []} for name in NAMES],
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
