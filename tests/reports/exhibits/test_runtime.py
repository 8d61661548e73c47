"""Runtimes are totals over the jobs of a case and method, beside the seconds of others."""

import pytest

from consclust.report.wording import DASH
from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.runtime import Runtime
from small import planned, source_of


def record(case: str, method: str, subsets: list[int], seconds: list[list[float]], peak: float = 50.0) -> dict:
    return {
        **{"spec": "{}", "study": "small", "case": case, "method": method, "subsets": subsets, "n": 150},
        "n_profiles": [10 * (subset + 1) for subset in subsets],
        **{"cpu_seconds": seconds, "wall_seconds": seconds, "peak_rss_mib": peak},
    }


@pytest.fixture
def shown():
    runtimes = [
        record(case, method, [0], [[1.0]])
        for case in ("iris", "wine")
        for method in ("KC", "EAC")
        if (case, method) != ("iris", "KC")
    ]
    runtimes += [
        record("iris", "KC", [0, 1], [[1.0], [2.0]], peak=80.0),
        record("iris", "KC", [2], [[6.0]]),
        record("iris", "RCE", [0], [[0.25, 0.5, 0.25, 1.0]]),
        record("iris", "KC-variant", [0], [[100.0]]),
    ]
    cases = [{"dataset": "iris", "title": "Iris"}, {"dataset": "wine", "title": "Wine", "without": ["RCE"]}]
    published = Published(
        scores={("iris", "ACC", "KC"): 0.5},
        seconds={("iris", "KC"): 12.0},
        program={("iris", "KC"): 0.5, ("wine", "EAC"): 7.0},
    )
    return Runtime(kind="runtime").build(source_of(planned(cases=cases), published=published, runtimes=runtimes))


def test_blocks_are_summed_in_the_order_of_the_study(shown):
    frame = shown.frame
    assert list(zip(frame["case"], frame["method"], strict=True)) == [
        *(("iris", method) for method in ("KC", "EAC", "RCE")),
        *(("wine", method) for method in ("KC", "EAC")),
    ]
    kc, rce = frame.iloc[0], frame.iloc[2]
    assert (kc["n"], kc["n_profiles"], kc["fits"]) == (150, 20, 3)
    assert (kc["cpu_seconds"], kc["cpu_seconds_per_fit"], kc["peak_rss_mib"]) == (9.0, 3.0, 80.0)
    assert (rce["fits"], rce["cpu_seconds_per_fit"]) == (4, 0.5)


def test_the_seconds_of_others_stand_beside_ours(shown):
    assert shown.frame["published_seconds"].tolist()[0] == 12.0
    assert shown.frame["published_seconds"].isna().sum() == 4
    assert shown.frame["program_seconds"].iloc[0] == 0.5


def test_one_table_for_each_column_that_is_known(shown):
    ours, published, program, memory = shown.blocks
    assert ours.header == ("Data set", "n", "n'", "KC", "EAC", "RCE")
    assert [cell.text for cell in ours.rows[0][:2]] == ["Iris", "150"]
    assert [cell.text for cell in ours.rows[0][3:]] == ["3 s", "1 s", "500 ms"]
    assert ours.rows[1][-1].text == DASH, "RCE does not run on wine"
    assert published.header[3:] == ("KC",)
    assert "KC" in program.header
    assert memory.rows[0][3].text == "80"
    assert not Runtime.reproducible
