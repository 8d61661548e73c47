"""Rules without classes look at base clusterings and gaps alone; regret and gain are differences of mean scores."""

from types import SimpleNamespace

import numpy as np
import pytest
from beyond import study_of, table_of, variant

from consclust.scores import ari
from small import source_of
from studies.rce.exhibits.choice import Choice

KEYS = {"kind": "choice", "id": "choice", "title": "Choice", "method": "RCE"}
STUDY = study_of(variant("certified", {"certify": True}, subsets={"iris": 1}, cases=["iris"]))
EXHIBIT = Choice(**KEYS, variants=["certified"])
SCORES = {
    "iris": np.array([[0.5, 0.1, 0.1], [0.2, 0.4, 0.3], [0.1, 0.1, 0.6], [0.3, 0.3, 0.3]]),
    "wine": np.array([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.9, 0.9, 0.9], [0.3, 0.3, 0.3]]),
}
"""By grid point and subset; the default is the last point."""
GAPS = [0.2, 0.3, 1e-7, 1e-3]
HALF, THIRD, ODD = np.repeat([0, 1], 6), np.repeat([0, 1, 2], 4), np.tile([0, 1], 6)
# Four base clusterings in each of three subsets: the first subset says halves, the others say thirds
BASE = np.column_stack([HALF] * 4 + [THIRD] * 8)
MEMBERS = np.arange(12).reshape(3, 4)
LABELS = np.stack([ODD, HALF, THIRD, ODD])
"""Of the chosen restart, by grid point; the other restart would say the reverse."""


def block() -> SimpleNamespace:
    labels = np.stack([LABELS[[0, 2, 1, 3]], LABELS], axis=1)  # points, restarts, objects
    return SimpleNamespace(
        subsets=[0, 1, 2],
        labels=np.stack([labels] * 3),
        chosen=np.ones((3, 4), dtype=int),
        answered=np.ones((3, 4), dtype=bool),
        notes=[],
    )


def certified() -> SimpleNamespace:
    notes = [
        SimpleNamespace(subset=0, point=point, text=f"the relative duality gap is {gap:.1e}")
        for point, gap in enumerate(GAPS)
    ]
    return SimpleNamespace(notes=notes)


@pytest.fixture
def source(monkeypatch):
    def formula(case, method, point, subset):
        return SCORES[case][point, subset] if method == "RCE" else 0.5

    source = source_of(STUDY, scores=table_of(STUDY, formula), variant_scores=table_of(STUDY, formula, variants=True))
    stored = SimpleNamespace(labels=BASE, members=MEMBERS)
    monkeypatch.setattr(type(source), "stored", lambda self, case: stored)
    monkeypatch.setattr(
        type(source), "blocks", lambda self, case, method: [certified() if method == "certified" else block()]
    )
    return source


@pytest.fixture
def means(source):
    return EXHIBIT.build(source).frame.set_index(["case", "rule"])["mean"]


def test_the_agreement_decides_with_own_or_with_held_out_clusterings(means):
    # own: halves (point 1) on the first subset, thirds (point 2) on the others
    assert means["iris", "own"] == pytest.approx((0.2 + 0.1 + 0.6) / 3)
    # held out: thirds on the first subset; on the others four halves and four thirds, in favour of the thirds
    tied = [(ari(labels, HALF) + ari(labels, THIRD)) / 2 for labels in LABELS]
    assert np.argmax(tied) in (1, 2)
    chosen = int(np.argmax(tied))
    expected = (0.1 + SCORES["iris"][chosen, 1] + SCORES["iris"][chosen, 2]) / 3
    assert means["iris", "held-out"] == pytest.approx(expected)


def test_the_least_gap_is_taken_on_all_subsets_where_there_are_certified_fits(means):
    assert means["iris", "gap"] == pytest.approx(SCORES["iris"][2].mean())
    assert ("wine", "gap") not in means.index


def test_rules_with_classes(means):
    assert means["iris", "oracle"] == pytest.approx(0.5)
    assert means["iris", "common"] == pytest.approx(0.3)
    assert means["iris", "default"] == pytest.approx(0.3)
    # the best point of wine is the third one, that of iris the second one (of equal means, the first)
    assert means["iris", "others"] == pytest.approx(SCORES["iris"][2].mean())
    assert means["wine", "others"] == pytest.approx(SCORES["wine"][1].mean())


def test_regret_and_gain(source):
    frame = EXHIBIT.build(source).frame.set_index(["case", "rule"])
    own = frame.loc[("iris", "own")]
    assert own["regret"] == pytest.approx(0.5 - 0.3)
    assert own["gain"] == pytest.approx(0.0, abs=1e-12)
    assert own["points"] == 2
    assert frame.loc[("wine", "own"), "gain"] == pytest.approx((0.2 + 0.9 + 0.9) / 3 - 0.3)
    assert (frame["n"] == 3).all()


def test_the_summary_is_over_the_data_sets(source):
    shown = EXHIBIT.build(source)
    rows = {row[1].text: [cell.text for cell in row[3:]] for row in shown.blocks[0].rows}
    assert rows["default"][:4] == ["2", ".300", ".400", "+.000"]
    assert rows["oracle, per subset"][:5] == ["2", ".700", ".000", "+.400", "2 : 0"]
    assert rows["least gap"][0] == "1"
    assert [row[0].text for row in shown.blocks[1].rows] == ["Iris", "Wine"]


def test_a_point_without_an_answer_is_not_chosen(source, monkeypatch):
    failed = block()
    failed.answered[:, 2] = False
    monkeypatch.setattr(
        type(source), "blocks", lambda self, case, method: [certified() if method == "certified" else failed]
    )
    means = EXHIBIT.build(source).frame.set_index(["case", "rule"])["mean"]
    assert means["iris", "own"] == pytest.approx(SCORES["iris"][1].mean())


@pytest.mark.long
def test_a_panel_has_a_row_for_each_data_set(source):
    (panel,) = EXHIBIT.build(source).picture.axes
    assert [tick.get_text() for tick in panel.get_yticklabels()] == ["Wine", "Iris"]
    heights = [height for points in panel.collections for _, height in points.get_offsets().tolist()]
    # six rules on iris, one fewer on wine, and no two at one place
    assert [sum(round(height) == row for height in heights) for row in (1, 0)] == [6, 5]
    assert len(set(heights)) == 11


def test_it_reads_labels_of_the_method_and_of_the_certified_fits():
    needs = EXHIBIT.needs(STUDY)
    assert set(needs.labels) == {("iris", "RCE"), ("wine", "RCE"), ("iris", "certified")}
    assert needs.ensembles == ("iris", "wine")
