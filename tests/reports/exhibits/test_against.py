"""Pictures of ours against published: points, bars, and the order of the differences."""

import math

import pytest

from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.against import Against, Differences
from small import planned, scores_of, source_of

SCORES = {
    ("iris", "ACC", "KC"): 0.7,
    ("wine", "ACC", "KC"): 0.48,
    ("wine", "ACC", "RCE"): 0.1,
    ("iris", "NMI", "EAC"): 0.5,
}
PUBLISHED = Published(
    scores=SCORES,
    deviations={("iris", "ACC", "KC"): 0.02},
    starts={("wine", "ACC", "RCE"): {"mean": 0.1, "std": 0.03}, ("iris", "NMI", "EAC"): {"mean": 0.5}},
)


def built(cls, kind: str, **results):
    study = planned()
    return cls(kind=kind).build(source_of(study, scores=scores_of(study), **results))


def test_they_are_wanted_where_there_are_published_scores() -> None:
    assert not Against(kind="against").wanted(planned())
    assert Differences(kind="differences").wanted(planned(published=["table2"]))


@pytest.mark.long
def test_a_point_has_our_mean_and_the_published_score_with_both_deviations_where_known() -> None:
    shown = built(Against, "against", published=PUBLISHED)
    cells = shown.frame.set_index(["case", "metric", "method"])
    assert len(cells) == 4
    assert cells["published_std"].to_dict() == {
        ("iris", "ACC", "KC"): 0.02,
        ("iris", "NMI", "EAC"): pytest.approx(math.nan, nan_ok=True),
        ("wine", "ACC", "KC"): pytest.approx(math.nan, nan_ok=True),
        ("wine", "ACC", "RCE"): 0.03,
    }
    acc, nmi = shown.picture.axes
    assert (acc.get_title(), nmi.get_title()) == ("ACC", "NMI")
    drawn = sorted(map(tuple, acc.collections[-1].get_offsets().tolist()))
    assert drawn == sorted(
        (row.published, pytest.approx(row.mean)) for row in cells.loc[(slice(None), "ACC"), :].itertuples()
    )
    assert acc.get_xlim() == acc.get_ylim()


def test_differences_are_in_the_order_of_their_size() -> None:
    acc, _ = built(Differences, "differences", published=PUBLISHED).picture.axes
    names = [label.get_text() for label in acc.get_yticklabels()]
    assert names == ["Wine, RCE", "Iris, KC", "Wine, KC"]
    assert acc.get_ylim()[0] > acc.get_ylim()[1], "the first stands above"
    sizes = [abs(x) for x, _ in acc.collections[-1].get_offsets().tolist()]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(("cls", "kind"), [(Against, "against"), (Differences, "differences")])
def test_without_a_published_score_of_this_run_it_says_so(cls, kind: str) -> None:
    shown = built(cls, kind)
    assert (len(shown.frame), shown.picture is not None) == (0, True)
    assert "No score" in shown.caption
