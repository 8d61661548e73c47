from itertools import product

import numpy as np
import pandas as pd
import pytest

from consclust_studies.exhibits.heatmap import Heatmap, tick_label
from small import planned, source_of

GRID = {"lambda1": [0.1, 1.0, 10.0], "lambda2": [0.01, 1.0], "max_outer": [1, 2]}
DEFAULT = {"lambda1": 1.0, "lambda2": 1.0, "max_outer": 2}
KEYS = {"kind": "heatmap", "id": "map", "title": "Map", "method": "RCE", "x": "lambda1", "y": "lambda2"}
COLUMNS = ["study", "case", "subset", "method", "point", "restart", "metric", "value"]


def heatmap(**keys) -> Heatmap:
    return Heatmap(**{**KEYS, **keys})


def value(case: str, x: float, y: float, last: int = 2) -> float:
    return 0.3 + 0.1 * np.log10(x) + 0.01 * np.log10(y) + 0.2 * (case == "wine") + 0.3 * (last == 1) + 0.02


@pytest.fixture
def study():
    return planned(methods=["KC", {"method": "RCE", "grid": GRID, "default": DEFAULT}])


@pytest.fixture
def scores(study) -> pd.DataFrame:
    rows = [
        ("small", case, s, "RCE", number, restart, metric,
         value(case, *p.values()) + 0.02 * (s - 1) + (restart == "chosen"))
        for case, (number, p), s, metric, restart in product(
            ("iris", "wine"), enumerate(study.method("RCE").points), range(3), ("ACC", "NMI"), ("mean", "chosen")
        )
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def titled(picture):
    return {axes.get_title(): axes for axes in picture.axes if axes.get_title()}


@pytest.mark.long
def test_cells_are_means_over_subsets_at_the_default_of_other_parameters(study, scores) -> None:
    frame = heatmap().build(source_of(study, scores=scores, selected=scores)).frame
    assert list(frame.columns) == ["case", "metric", "lambda1", "lambda2", "mean"]
    assert len(frame) == 2 * 2 * 6
    expected = [value(row.case, row.lambda1, row.lambda2) for row in frame.itertuples()]
    np.testing.assert_allclose(frame["mean"], expected)


@pytest.mark.long
def test_a_point_that_failed_on_a_subset_has_no_mean(study, scores) -> None:
    points = study.method("RCE").points
    failed = [number for number, point in enumerate(points) if (point["lambda1"], point["lambda2"]) == (10.0, 0.01)]
    hit = scores["point"].isin(failed) & (scores["subset"] == 1)
    scores.loc[hit, "value"] = np.nan
    for scale in ("own", "shared", "best"):
        shown = heatmap(scale=scale, cases=["iris"]).build(source_of(study, scores=scores, selected=scores))
        assert shown.frame["mean"].isna().tolist() == [False, False, True, False, False, False] * 2


@pytest.mark.long
def test_a_grid_in_a_race_has_means_over_the_subsets_on_which_all_of_it_ran(study, scores) -> None:
    """On iris the other subsets have one point alone, with higher scores; wine has no race."""
    race = {"RCE": {"metric": "ACC", "subsets": 2, "points": 1}}
    cases = planned(cases=[{"dataset": "iris", "races": race}, "wine"]).cases
    raced = study.model_copy(update={"cases": cases})
    late = (scores["case"] == "iris") & (scores["subset"] == 2)
    scores.loc[late, "value"] += 0.4
    scores = scores[~late | (scores["point"] == study.method("RCE").points.index(DEFAULT))]
    shown = heatmap().build(source_of(raced, scores=scores, selected=scores))
    expected = [
        value(row.case, row.lambda1, row.lambda2) - 0.01 * (row.case == "iris") for row in shown.frame.itertuples()
    ]
    np.testing.assert_allclose(shown.frame["mean"], expected)
    captions = [heatmap().build(source_of(one, scores=scores, selected=scores)).caption for one in (raced, study)]
    assert ["race" in str(caption) for caption in captions] == [True, False]


@pytest.mark.long
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", ["own", "shared", "best"])
def test_a_method_that_always_failed_is_drawn_without_a_best_point(study, scores, scale) -> None:
    source = source_of(study, scores=scores.assign(value=np.nan), selected=scores)
    shown = heatmap(scale=scale).build(source)
    assert shown.frame["mean"].isna().all()
    assert len(shown.picture.axes[0].patches) == 2, "the default point alone, black on white"
    shown.picture.draw_without_rendering()


@pytest.mark.long
def test_one_colour_scale_per_metric_values_in_the_cells_and_frames(study, scores) -> None:
    picture = heatmap(scale="shared").build(source_of(study, scores=scores, selected=scores)).picture
    panels = titled(picture)
    assert list(panels) == ["Iris, ACC", "Wine, ACC", "Iris, NMI", "Wine, NMI"]
    limits = [panel.collections[0].get_clim() for panel in panels.values()]
    assert limits[0] == limits[1] == pytest.approx((value("iris", 0.1, 0.01), value("wine", 10, 1)))
    panel = panels["Wine, ACC"]
    black = [patch for patch in panel.patches if patch.get_edgecolor()[:3] == (0, 0, 0)]
    frames = {patch.get_label(): [int(corner) for corner in patch.get_xy()] for patch in black}
    assert frames == {"default parameters": [1, 1], "best mean": [2, 1]}
    texts = {text.get_position(): text.get_text() for text in panel.texts}
    assert texts[2.5, 1.5] == f"{value('wine', 10, 1):.3f}".removeprefix("0")
    assert len(texts) == 6
    bottom, top = panel.get_ylim()
    assert bottom < top, "the larger values of y stand above"
    assert [tick.get_text() for tick in panel.get_xticklabels()] == ["$10^{-1}$", "$10^{0}$", "$10^{1}$"]


@pytest.mark.long
def test_each_panel_has_a_colour_scale_of_its_own(study, scores) -> None:
    panels = titled(heatmap().build(source_of(study, scores=scores, selected=scores)).picture)
    limits = {name: panel.collections[0].get_clim() for name, panel in panels.items()}
    for case in ("iris", "wine"):
        assert limits[f"{case.title()}, ACC"] == pytest.approx((value(case, 0.1, 0.01), value(case, 10, 1)))
    assert limits["Iris, ACC"] != limits["Wine, ACC"]


def test_the_colours_of_a_small_panel_span_more_than_rounding() -> None:
    flat = heatmap(scale="best")._scale(pd.Series([0.7, 0.7 - 1e-9, 0.7]))
    assert flat == {"vmin": pytest.approx(0.695), "vmax": 0.7}


@pytest.mark.long
def test_small_panels_are_coloured_from_a_low_quantile_to_the_best_of_each(study, scores) -> None:
    picture = heatmap(scale="best").build(source_of(study, scores=scores, selected=scores)).picture
    panels = list(titled(picture).values())
    for case, panel in zip(("iris", "wine"), panels, strict=True):
        means = np.array([value(case, x, y) for y in (0.01, 1) for x in (0.1, 1, 10)])
        mesh = panel.collections[0]
        np.testing.assert_allclose(mesh.get_array().ravel(), means)
        high = means.max()
        low = min(np.quantile(means, 0.05), high - 0.005)
        assert mesh.get_clim() == pytest.approx((low, high))
        words = [f"{score:.3f}".removeprefix("0") for score in (low, high)]
        assert panel.get_title() == f"{case.title()}: {words[0]} to {words[1]}"
    bars = [axes for axes in picture.axes if axes.get_label() == "<colorbar>"]
    for bar in bars:
        assert [label.get_text() for label in bar.get_yticklabels()] == ["low", "best"]
    assert bars


@pytest.mark.long
def test_a_variant_has_its_own_scores_and_subsets(scores) -> None:
    keys = {"of": "RCE", "method": "RCE", "grid": GRID, "default": DEFAULT, "why": "-", "subsets": {"iris": 2}}
    methods = ["KC", {"method": "RCE", "grid": GRID, "default": DEFAULT}]
    study = planned(methods=methods, variants={"methods": [{"id": "other", **keys}]})
    of_variant = scores[(scores["case"] == "wine") | (scores["subset"] < 2)]
    of_variant = of_variant.assign(method="other", value=of_variant["value"] + 0.2)
    exhibit = heatmap(method="other")
    assert exhibit.needs(study).variant_scores
    assert not exhibit.needs(study).scores
    shown = exhibit.build(source_of(study, scores=scores, selected=scores, variant_scores=of_variant))
    assert "2 to 3 subsets" in shown.caption
    expected = [
        value(row.case, row.lambda1, row.lambda2) + 0.2 - 0.01 * (row.case == "iris")
        for row in shown.frame.itertuples()
    ]
    np.testing.assert_allclose(shown.frame["mean"], expected)


def test_axes_that_are_not_in_the_grid_are_mistakes(study) -> None:
    assert list(heatmap().mistakes(study)) == []
    [(key, message)] = heatmap(x="lambda3").mistakes(study)
    assert key == "x"
    assert 'did you mean "lambda' in message
    assert [key for key, _ in heatmap(x="lambda2").mistakes(study)] == ["y"]
    assert heatmap().needs(study).scores


@pytest.mark.parametrize(("given", "label"), [(1, "$10^{0}$"), (1e-4, "$10^{-4}$"), (3, "3"), (0, "0"), ("x", "x")])
def test_powers_of_ten_are_written_as_such(given, label) -> None:
    assert tick_label(given) == label
