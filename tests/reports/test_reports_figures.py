import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from concord.config.figures import GridFigure
from concord.config.study import Study
from concord.reports.figures import FORMATS, caption, draw, grid_means, save, tick_label

STUDY = Study.model_validate(
    {
        "id": "small",
        "title": "Small",
        "summary": "A test.",
        "cases": ["a", "b"],
        "ensemble": {"runs": 4, "subset_size": 2},
        "methods": [
            {
                "method": "RCE",
                "grid": {"lambda1": [0.1, 1.0, 10.0], "lambda2": [0.01, 1.0], "mu": [1, 2]},
                "default": {"lambda1": 1.0, "lambda2": 1.0, "mu": 2},
            }
        ],
        "metrics": ["ACC", "NMI"],
        "figure1": {"method": "RCE", "x": "lambda1", "y": "lambda2", "cases": ["a", "b"]},
    }
)
TITLES = {"a": "Data A", "b": "Data B"}


def value(case: str, x: float, y: float, mu: int, subset: int) -> float:
    return (
        0.3 + 0.1 * np.log10(x) + 0.01 * np.log10(y) + 0.2 * (case == "b") + 0.5 * (mu == 1) + 0.02 * subset
    )


SCORES = pd.DataFrame(
    [
        ("small", case, s, "RCE", json.dumps(p, sort_keys=True, separators=(",", ":")), restart, metric,
         value(case, p["lambda1"], p["lambda2"], p["mu"], s) + (restart == "chosen"))
        for case in "ab"
        for p in STUDY.methods[0].points
        for s in (0, 1)
        for metric in ("ACC", "NMI")
        for restart in ("mean", "chosen")
    ],
    columns=["study", "case", "subset", "method", "parameters", "restart", "metric", "value"],
)  # fmt: skip


def test_grid_means_are_means_over_subsets_at_the_default_of_other_parameters() -> None:
    assert STUDY.figure1
    means = grid_means(STUDY, STUDY.figure1, SCORES, "a", "ACC")
    expected = [[value("a", x, y, 2, 0) + 0.01 for x in (0.1, 1.0, 10.0)] for y in (0.01, 1.0)]
    np.testing.assert_allclose(means, expected)


def test_a_point_that_failed_on_a_subset_has_no_mean() -> None:
    assert STUDY.figure1
    broken = SCORES.copy()
    hit = broken["parameters"].eq('{"lambda1":10.0,"lambda2":0.01,"mu":2}') & broken["subset"].eq(1)
    broken.loc[hit, "value"] = np.nan
    means = grid_means(STUDY, STUDY.figure1, broken, "a", "ACC")
    assert np.isnan(means).tolist() == [[False, False, True], [False, False, False]]
    draw(STUDY, TITLES, broken)


def test_one_colour_scale_per_metric_and_marks_in_their_places() -> None:
    picture = draw(STUDY, TITLES, SCORES)
    panels = [a for a in picture.axes if a.get_title()]
    assert [p.get_title() for p in panels] == ["Data A, ACC", "Data B, ACC", "Data A, NMI", "Data B, NMI"]
    limits = [p.collections[0].get_clim() for p in panels]
    assert limits[0] == limits[1]
    assert limits[0] == pytest.approx((value("a", 0.1, 0.01, 2, 0) + 0.01, value("b", 10, 1, 2, 0) + 0.01))
    black = [patch for patch in panels[1].patches if patch.get_edgecolor()[:3] == (0, 0, 0)]
    frames = {patch.get_label(): [int(corner) for corner in patch.get_xy()] for patch in black}
    assert frames == {"default parameters": [1, 1], "best mean": [2, 1]}, (
        "lambda1 = 1, lambda2 = 1; lambda1 = 10"
    )
    texts = {tuple(text.get_position()): text.get_text() for text in panels[1].texts}
    assert texts[(2.5, 1.5)] == f"{value('b', 10, 1, 2, 0) + 0.01:.3f}".removeprefix("0")
    assert len(texts) == 6
    assert [t.get_text() for t in panels[0].get_xticklabels()] == ["$10^{-1}$", "$10^{0}$", "$10^{1}$"]


def test_bytes_are_reproducible(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        save(draw(STUDY, TITLES, SCORES), tmp_path / folder)
    for suffix in FORMATS:
        first, second = ((tmp_path / folder / f"figure1.{suffix}").read_bytes() for folder in ("one", "two"))
        assert first == second
        assert len(first) > 1000


def test_caption_says_what_was_measured_and_what_is_missing() -> None:
    text = caption(STUDY, TITLES)
    assert "ACC and NMI of RCE over its grid of λ₁ and λ₂, with mu" not in text
    assert "with μ = 2" in text
    assert "mean over 2 subsets of 2 base clusterings" in text
    assert "Not in this run" not in text
    restricted = STUDY.model_copy(update={"cases": STUDY.cases[:1]})
    assert "Not in this run: Data B." in caption(restricted, TITLES)


def test_nothing_to_draw_still_gives_the_files(tmp_path: Path) -> None:
    other = STUDY.model_copy(update={"cases": (STUDY.cases[0].model_copy(update={"id": "c"}),)})
    save(draw(other, TITLES, SCORES), tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {f"figure1.{suffix}" for suffix in FORMATS}
    assert caption(other, TITLES).startswith("Nothing to draw.")


@pytest.mark.parametrize(
    ("given", "label"), [(1, "$10^{0}$"), (1e-4, "$10^{-4}$"), (3, "3"), (0, "0"), ("x", "x")]
)
def test_tick_labels(given: object, label: str) -> None:
    assert tick_label(given) == label


def test_small_panels_show_every_data_set_below_its_own_best(tmp_path: Path) -> None:
    figure = {"method": "RCE", "x": "lambda1", "y": "lambda2"}
    study = STUDY.model_copy(update={"figure2": GridFigure.model_validate(figure)})
    picture = draw(study, TITLES, SCORES, "figure2")
    panels = [a for a in picture.axes if a.get_title()]
    best = {case: f"{value(case, 10, 1, 2, 0) + 0.01:.3f}".replace("0.", ".", 1) for case in "ab"}
    assert [p.get_title() for p in panels] == [f"Data A: {best['a']}", f"Data B: {best['b']}"] * 2
    colours = panels[0].collections[0]
    drawn = colours.get_array().reshape(2, 3)
    means = [[value("a", x, y, 2, 0) for x in (0.1, 1.0, 10.0)] for y in (0.01, 1.0)]
    np.testing.assert_allclose(drawn, np.minimum(np.array(means) - np.max(means), -2e-5))
    steps = colours.norm.boundaries
    assert steps[-1] == 0
    np.testing.assert_allclose(np.diff(steps), 0.02)
    assert colours.norm(drawn[1, 2]) == colours.norm(-0.019), "the best is in the last step"
    for folder in ("one", "two"):
        save(draw(study, TITLES, SCORES, "figure2"), tmp_path / folder, "figure2")
    for suffix in FORMATS:
        files = [(tmp_path / folder / f"figure2.{suffix}").read_bytes() for folder in ("one", "two")]
        assert files[0] == files[1]
    assert "Data A, Data B" in caption(study, TITLES, "figure2")
    assert caption(STUDY, TITLES, "figure2") == ""
