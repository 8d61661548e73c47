import numpy as np
import pytest

from small import planned, scores_of, source_of
from studies.peace.exhibits.bars import Bars

KEYS = {
    **{"kind": "bars", "id": "bars", "title": "Bars", "metrics": ["ACC", "NMI"]},
    "groups": [{"title": "E1", "cases": ["iris"]}, {"title": "E2", "cases": ["wine"]}],
}


def test_bars_are_means_and_the_table_counts_who_is_ahead() -> None:
    study = planned()
    scores = scores_of(study, means={"KC": 0.9, "EAC": 0.6, "RCE": 0.2})
    source = source_of(study, scores=scores)
    shown = Bars(**KEYS).build(source)
    frame = shown.frame
    assert frame["group"].tolist() == ["E1"] * 6 + ["E2"] * 6
    assert frame["method"].tolist() == ["KC", "EAC", "RCE"] * 4
    assert set(frame["selection"]) == {"fixed", "oracle-per-subset"}
    kc = source.selected[(source.selected["method"] == "KC") & (source.selected["metric"] == "NMI")]
    expected = kc[kc["case"] == "wine"]["value"]
    row = frame[(frame["case"] == "wine") & (frame["metric"] == "NMI") & (frame["method"] == "KC")].iloc[0]
    assert (row["mean"], row["std"], row["n"]) == (pytest.approx(expected.mean()), pytest.approx(expected.std()), 3)
    assert [[cell.text for cell in line] for line in shown.blocks[0].rows] == [
        [group, method, *count] for group in ("E1, 1 case", "E2, 1 case") for method, count in
        [("KC", ["1 (1)"] * 2), ("EAC", ["0 (0)"] * 2), ("RCE", ["0 (0)"] * 2)]
    ]  # fmt: skip
    assert frame["alone"].tolist() == frame["highest"].tolist() == [True, False, False] * 4
    heights = [bar.get_height() for bar in shown.picture.axes[3].patches]
    assert heights == pytest.approx(frame[(frame["case"] == "wine") & (frame["metric"] == "NMI")]["mean"].tolist())
    assert [label.get_text() for label in shown.picture.axes[3].get_xticklabels()] == ["Wine"]
    spans = [line.get_ydata()[[0, -1]] for line in shown.picture.axes[3].lines]
    rows = frame[(frame["case"] == "wine") & (frame["metric"] == "NMI")]
    assert np.ravel(spans) == pytest.approx(np.ravel([(r.mean - r.std, r.mean + r.std) for r in rows.itertuples()]))


def test_equal_means_count_for_both() -> None:
    study = planned()
    source = source_of(study)
    source.__dict__["selected"] = source.selected.assign(value=0.5)
    shown = Bars(**KEYS).build(source)
    assert {cell.text for line in shown.blocks[0].rows for cell in line[2:]} == {"0 (1)"}
    assert shown.frame["highest"].all()
    assert not shown.frame["alone"].any()
