from dataclasses import replace

import pytest

from consclust_studies.config.published_tables import Published
from small import planned, source_of
from studies.ec_cms.exhibits.ratios import Ratios

KEYS = {"kind": "ratios", "id": "table9", "title": "Seconds", "methods": ["EAC", "KC"], "to": "KC", "counted": ["EAC"]}


def record(case, method, seconds):
    return {"case": case, "method": method, "n": 9, "n_profiles": [5], "cpu_seconds": [seconds], "peak_rss_mib": 1.0}


@pytest.fixture
def source():
    seconds = {("iris", "EAC"): [2.0, 4.0], ("iris", "KC"): [1.0, 0.5], ("wine", "EAC"): [1.0], ("wine", "KC"): [4.0]}
    records = [record(*key, values) for key, values in seconds.items()]
    published = Published(
        scores={("iris", "ACC", "KC"): 0.5, ("wine", "ACC", "KC"): 0.5},
        seconds={("iris", "EAC"): 6.0, ("iris", "KC"): 2.0, ("wine", "EAC"): 3.0},
    )
    study = planned(methods=["KC", {"method": "EAC", "parameters": {"linkage": "average"}}])
    return source_of(study, runtimes=records, published=published)


def test_ratios_are_those_of_seconds_a_fit(source) -> None:
    shown = Ratios(**KEYS).build(source)
    rows = shown.frame.set_index(["case", "method"])
    assert rows["ratio"].to_dict() == pytest.approx(
        {("iris", "EAC"): 4.0, ("iris", "KC"): 1.0, ("wine", "EAC"): 0.25, ("wine", "KC"): 1.0}
    )
    assert rows.loc[("iris", "EAC"), "published_ratio"] == 3.0
    assert rows["published_ratio"].isna().tolist() == [False, False, True, True]
    order = shown.blocks[-1]
    assert [[cell.text for cell in row] for row in order.rows] == [["KC", "1 of 2", "0 of 1", "1 of 1", "reproduced"]]


def test_the_order_of_two_methods_is_reproduced_only_where_it_is_the_same_everywhere(source) -> None:
    published = {("iris", "EAC"): 1.0, ("iris", "KC"): 2.0, ("wine", "EAC"): 1.0, ("wine", "KC"): 2.0}
    source.__dict__["published"] = replace(source.published, seconds=published)
    order = Ratios(**KEYS).build(source).blocks[-1]
    assert [cell.text for cell in order.rows[0]] == ["KC", "1 of 2", "2 of 2", "1 of 2", "not reproduced"]


def test_the_divisor_is_one_of_the_methods(source) -> None:
    found = Ratios(**{**KEYS, "methods": ["EAC"]}).mistakes(source.study)
    assert [key for key, _ in found] == ["methods"]
