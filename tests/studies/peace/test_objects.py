import numpy as np
import pytest

from consclust.datasets.prepared import Dataset
from consclust.errors import InputError
from small import planned, source_of
from studies.peace.exhibits.objects import Objects

KEYS = {"kind": "objects", "id": "sets", "title": "Sets", "cases": ["iris", "wine"]}


def source_with(d: int = 2):
    rng = np.random.default_rng(0)
    data = {case: Dataset(rng.random((6, d)), np.array([0, 2, 1] * 2), ("a", "b", "c")) for case in ("iris", "wine")}
    source = source_of(planned())
    source.__dict__["dataset"] = data.__getitem__
    return source, data


def test_objects_are_those_of_the_prepared_data() -> None:
    source, data = source_with()
    shown = Objects(**KEYS).build(source)
    wine = shown.frame[shown.frame["case"] == "wine"]
    np.testing.assert_array_equal(wine[["x", "y"]], data["wine"].X)
    assert wine["class"].tolist() == ["a", "c", "b"] * 2
    assert wine["object"].tolist() == list(range(6))
    panel = shown.picture.axes[1]
    assert panel.get_title() == "Wine"
    np.testing.assert_array_equal(panel.collections[0].get_offsets(), data["wine"].X)
    assert len({tuple(colour) for colour in panel.collections[0].get_facecolors()}) == 3


def test_other_than_two_features_are_refused() -> None:
    with pytest.raises(InputError, match=r"^iris: 4 features, but a figure of objects shows two"):
        Objects(**KEYS).build(source_with(4)[0])
