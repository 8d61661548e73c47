"""The distribution over the subsets, a panel for each data set."""

import pytest

from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.spread import Spread
from small import planned, scores_of, source_of


def test_it_is_wanted_where_there_are_enough_subsets() -> None:
    assert Spread(kind="spread").wanted(planned(ensemble={"runs": 10, "subset_size": 2}))
    assert not Spread(kind="spread").wanted(planned(ensemble={"runs": 10, "subset_size": 2}, subsets=4))


def test_every_subset_of_one_row_of_each_method_is_drawn_beside_the_published_score() -> None:
    study = planned()
    source = source_of(study, published=Published(scores={("wine", "ACC", "KC"): 0.7}))
    shown = Spread(kind="spread").build(source)
    assert set(shown.frame["metric"]) == {"ACC"}
    assert len(shown.frame) == 2 * 4 * 3  # cases, methods, subsets
    assert set(shown.frame["selection"]) == {"fixed", "oracle-per-subset"}
    known = shown.frame.dropna(subset="published")
    assert known[["case", "method", "published"]].drop_duplicates().to_numpy().tolist() == [["wine", "KC", 0.7]]
    iris, wine = shown.picture.axes[:2]
    assert (iris.get_title(), wine.get_title()) == ("Iris", "Wine")
    assert wine.collections[-1].get_offsets().tolist() == [[0.7, 1]]
    values = sorted(shown.frame.loc[(shown.frame["case"] == "iris") & (shown.frame["method"] == "KC"), "value"])
    assert sorted(x for x, _ in iris.collections[1].get_offsets().tolist()) == pytest.approx(values)


def test_each_metric_has_panels_of_its_own() -> None:
    study = planned()
    shown = Spread(kind="spread", metrics=["NMI", "ACC"]).build(source_of(study, scores=scores_of(study)))
    titles = {axis.get_title() for axis in shown.picture.axes if axis.axison}
    assert titles == {f"{case}, {metric}" for case in ("Iris", "Wine") for metric in ("ACC", "NMI")}
