"""What the best of g grid points is expected to score."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.source import Source
from studies.tuning.exhibits.best_of_points import BestOfPoints, expect_best

GRID = [0.1, 0.2, 0.3, 0.4]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6))
def test_the_expected_maximum_is_the_mean_over_all_draws(scores):
    found = expect_best(np.array(scores))
    expected = [np.mean([max(drawn) for drawn in combinations(scores, g)]) for g in range(1, len(scores) + 1)]
    assert found == pytest.approx(expected, abs=1e-12)


def make_study(**second):
    methods = [
        {"method": "LWEA", "grid": {"theta": GRID}, "default": {"theta": 0.2}},
        {"method": "LWGP", "grid": {"theta": GRID}, "default": {"theta": 0.4}} | second,
    ]
    cases = [{"dataset": "iris"}, {"id": "iris-random", "dataset": "iris", "n_clusters": "random"}, {"dataset": "wine"}]
    origins = {case.get("id", case["dataset"]): {"title": "x", "source": "x", "licence": "x"} for case in cases}
    return PlannedStudy.model_validate(
        {
            "id": "tuning",
            "run_id": "tuning",
            "title": "T",
            "summary": "S.",
            "cases": cases,
            "ensemble": {"runs": 8, "subset_size": 4},
            "methods": methods,
            "restarts": "chosen",
            "selection": "default",
            "metrics": ["ARI"],
            "reported": ["ARI"],
            "origins": origins,
        }
    )


def make_source():
    """LWEA scores .1 to .4 by its points, LWGP .5 at each; ensembles differ by .02, data sets by .1."""
    rows = []
    for case, of_case in (("iris", 0.0), ("iris-random", 0.3), ("wine", 0.1)):
        for subset in range(2):
            for point in range(4):
                rows.append((case, subset, "LWEA", point, 0.1 * (point + 1) + of_case + 0.02 * subset))
                rows.append((case, subset, "LWGP", point, 0.5 + of_case + 0.02 * subset))
    scores = pd.DataFrame(rows, columns=["case", "subset", "method", "point", "value"])
    found = Source(make_study(), seed=1)
    chosen = scores.assign(metric="ARI", restart="chosen")
    # the means over restarts, which the study does not show, are others
    mean = scores.assign(metric="ARI", restart="mean", value=-1.0)
    vars(found).update(scores=pd.concat([chosen, mean], ignore_index=True))
    return found


def test_curves_begin_at_a_random_point_and_end_at_the_best():
    shown = BestOfPoints(kind="best_of_points", id="b", title="B").build(make_source())
    frame = shown.frame.set_index(["kind", "method", "points"])["mean"]
    # the means of iris and wine are .06 above those of the first ensemble of iris
    assert frame["k = classes", "LWEA", 1] == pytest.approx(0.25 + 0.06)
    assert frame["k = classes", "LWEA", 4] == pytest.approx(0.40 + 0.06)
    assert frame["k = classes", "LWEA", 0] == pytest.approx(0.20 + 0.06)
    assert frame["random k", "LWEA", 4] == pytest.approx(0.40 + 0.31)
    assert frame["k = classes", "LWGP"].tolist() == pytest.approx([0.56] * 5)
    first = {row[0].text: [cell.text for cell in row[1:]] for row in shown.blocks[0].rows}
    assert first["LWEA"][-2:] == ["+.200", "[+.200, +.200]"]
    assert first["LWGP"][-2] == "+.000"
    assert len(shown.picture.axes) == 2
    assert "No fit is without an answer." in shown.caption


def test_a_gain_has_the_interval_of_students_t_and_a_failed_fit_counts_zero():
    source = make_source()
    scores = source.scores
    # the best point of LWEA on wine has no answer in either ensemble
    lost = (scores["case"] == "wine") & (scores["method"] == "LWEA") & (scores["point"] == 3)
    vars(source).update(scores=scores.assign(value=scores["value"].mask(lost)))
    shown = BestOfPoints(kind="best_of_points", id="b", title="B").build(source)
    row = shown.frame.set_index(["kind", "method", "points"]).loc[("k = classes", "LWEA", 4)]
    assert row["gain"] == pytest.approx(0.15)
    # gains of .2 and .1
    assert [row["low"], row["high"]] == pytest.approx(stats.t.interval(0.95, 1, 0.15, 0.05))
    assert "LWEA 2." in shown.caption


def test_budgets_of_different_size_are_refused():
    exhibit = BestOfPoints(kind="best_of_points", id="b", title="B")
    assert list(exhibit.mistakes(make_study())) == []
    larger = make_study(grid={"theta": [*GRID, 0.5]})
    ((_, problem),) = exhibit.mistakes(larger)
    assert "LWEA has 4 grid points, LWGP has 5" in problem
