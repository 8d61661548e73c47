from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from consclust.report import figures


@figures.style()
def picture():
    drawn, axes = figures.panels(4, 3, 1.5)
    palette = figures.colours(["KC", "a method with a long name"])
    for panel in axes[:-1]:
        rows = pd.DataFrame({"size": [1, 2] * 2, "mean": [0.1, 0.2, 0.4, 0.3], "std": [0.1, 0.1, np.nan, 0.0]})
        figures.curves(panel, rows.assign(method=np.repeat(list(palette), 2)), "size", "method", palette)
    mesh = figures.fine(axes[-1], np.eye(5), (0, 1))
    figures.colour_bar(drawn, mesh, axes, "entry")
    figures.label_outer(axes, "size", "mean ACC")
    figures.legend_below(drawn, figures.curve_handles(palette, dashed=["KC"]))
    return drawn, axes


@pytest.mark.long
def test_the_same_figure_gives_the_same_bytes_and_no_other_file(tmp_path) -> None:
    for folder in ("one", "two"):
        figures.save(picture()[0], tmp_path / folder, "figure")
    names = {f"figure.{suffix}" for suffix in figures.FORMATS}
    assert {path.name for path in (tmp_path / "one").iterdir()} == names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_curves_are_the_means_with_a_band_of_one_deviation() -> None:
    _, axes = picture()
    lines = axes[0].lines
    assert [line.get_ydata().tolist() for line in lines] == [[0.1, 0.2], [0.4, 0.3]]
    assert [band.get_datalim(axes[0].transData).height for band in axes[0].collections] == pytest.approx([0.3, 0.1])
    assert len({line.get_marker() for line in lines}) == 2


def test_a_method_that_stands_out_is_thick_in_panels_and_legend() -> None:
    rows = [("a", method, size, 0.5) for method in ("EAC", "RCE") for size in (10, 20)]
    frame = pd.DataFrame(rows, columns=["case", "method", "size", "mean"]).assign(std=0.0)
    drawn = figures.curves_by_case(frame, {"a": "A"}, "size", ("size", "ACC"), thick="RCE")
    widths = [line.get_linewidth() for line in drawn.axes[0].lines]
    assert widths == [figures.THIN, figures.THICK]
    (legend,) = drawn.legends
    assert [handle.get_linewidth() == figures.THICK for handle in legend.legend_handles] == [False, True]


@pytest.mark.long
def test_axes_are_named_once_and_spare_panels_are_hidden() -> None:
    drawn, axes = picture()
    assert [panel.get_xlabel() for panel in axes] == ["", "size", "size", "size"]
    assert [panel.get_ylabel() for panel in axes] == ["mean ACC", "", "", "mean ACC"]
    assert [panel.axison for panel in drawn.axes[:6]] == [True] * 4 + [False] * 2
    assert drawn.get_figwidth() == figures.PAGE


def test_a_legend_is_not_wider_than_the_picture() -> None:
    with figures.style():
        drawn, _ = figures.panels(1, 1, 2)
        figures.legend_below(drawn, figures.curve_handles(figures.colours([f"Method number {i}" for i in range(7)])))
        drawn.draw_without_rendering()
    box = drawn.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= drawn.bbox.x1


def test_labels_of_an_axis_leave_room_for_each_other() -> None:
    lambdas = [0.001, 0.01, 0.05, 0.1, 0.4, 1.0]
    assert figures.spaced_labels(lambdas, 0.3, log=True) == ["0.001", "0.01", "", "0.1", "", "1"]
    assert figures.spaced_labels(lambdas, 0.3, log=False) == ["0.001", "", "", "", "0.4", "1"]
    assert figures.spaced_labels([10, 20, 30, 40], 0.3, log=False) == ["10", "20", "30", "40"]
    assert figures.spaced_labels([5], 0.2, log=False) == ["5"]


def test_every_value_of_a_panel_has_a_tick_and_no_two_labels_touch() -> None:
    values = [0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 1.0, 10.0, 100.0]
    frame = pd.DataFrame({"value": values * 8, "mean": 0.5, "std": 0.1, "method": "EAC", "n": 20})
    frame["case"] = np.repeat(list("abcdefgh"), len(values))
    with figures.style():
        drawn = figures.curves_by_case(frame, {case: case for case in "abcdefgh"}, "value", ("lambda", "mean ARI"))
        drawn.canvas.draw()
    for panel in drawn.axes:
        assert panel.get_xticks().tolist() == values
        boxes = [label.get_window_extent() for label in panel.get_xticklabels() if label.get_text()]
        assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
