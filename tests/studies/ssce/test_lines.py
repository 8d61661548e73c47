import numpy as np
import pytest

from small import planned, scores_of, source_of
from studies.ssce.exhibits.lines import Lines

TUNED = {"method": "RCE", "grid": {"lambda1": [0.1, 1.0, 100.0]}, "default": {"lambda1": 1.0}}
KEYS = {"kind": "lines", "id": "line", "title": "Line", "metric": "ACC", "methods": ["RCE"], "beside": ["EAC"]}


@pytest.fixture
def study():
    return planned(
        methods=["KC", "EAC", TUNED, {"id": "RCE-two", **TUNED, "grid": {"lambda2": [1]}, "default": {"lambda2": 1}}]
    )


def test_a_line_is_the_mean_at_every_grid_point(study) -> None:
    scores = scores_of(study)
    failed = (scores["case"] == "wine") & (scores["method"] == "RCE") & (scores["subset"] == 1)
    scores.loc[failed, "value"] = np.nan
    shown = Lines(**KEYS).build(source_of(study, scores=scores))
    mine = scores[(scores["metric"] == "ACC") & (scores["restart"] == study.restarts)]
    means = mine.groupby(["case", "method", "point"])["value"].mean()
    points = [("RCE", 0), ("RCE", 1), ("RCE", 2), ("EAC", 0)]
    expected = [means[case, *point] for case in ("iris", "wine") for point in points]
    assert shown.frame["mean"].tolist() == pytest.approx(expected)
    assert shown.frame["value"].fillna(-1).tolist() == [0.1, 1, 100, -1] * 2
    assert shown.frame["n"].tolist() == [3, 3, 3, 3, 2, 2, 2, 3]
    panel = shown.picture.axes[0]
    assert panel.get_title() == "Iris"
    assert panel.get_xscale() == "log"
    line, level = panel.lines
    assert line.get_xdata().tolist() == [0.1, 1, 100]
    assert line.get_ydata().tolist() == pytest.approx(expected[:3])
    assert level.get_ydata()[0] == pytest.approx(expected[3])
    assert "RCE on Wine (2)" in shown.caption


def test_grids_of_several_parameters_are_mistakes(study) -> None:
    assert list(Lines(**KEYS).mistakes(study)) == []
    for methods in (["RCE", "RCE-two"], ["EAC"]):
        assert [key for key, _ in Lines(**{**KEYS, "methods": methods}).mistakes(study)] == ["methods"]
    assert [key for key, _ in Lines(**{**KEYS, "beside": ["RCE-two"]}).mistakes(study)] == ["beside"]
