"""Tables of the documents: ranks of methods, and which method for how many objects."""

import importlib.util
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tables():
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs/_ext/tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_cases_of_a_data_set_count_once(tables):
    cases = ["yale", {"id": "yale_authors", "dataset": "yale"}, {"dataset": "orl"}]
    of_cases = tables.datasets_of_cases(cases)
    assert of_cases == {"yale": "yale", "yale_authors": "yale", "orl": "orl"}
    means = {("A", "yale"): 0.9, ("A", "yale_authors"): 0.9, ("A", "orl"): 0.1}
    means |= {("B", case): 0.5 for case in of_cases}
    rows = [
        {"row": method, "method": method, "case": case, "metric": "ACC", "mean": mean, "selection": "fixed"}
        for (method, case), mean in means.items()
    ]
    scores = pd.DataFrame(rows)
    scores["dataset"] = scores["case"].map(of_cases)
    # A is first on Yale, twice, and second on ORL: by data set the means are equal
    assert tables.mean_ranks(scores)["ACC"].tolist() == [1.5, 1.5]


def test_methods_are_sorted_into_limits_of_seconds(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in ("report", "speedup"):  # modules of this folder
        monkeypatch.delitem(sys.modules, name, raising=False)
    import report

    measured = pd.DataFrame(
        {
            "method": ["slow", "fast", "middle", "absent"],
            "n": [1000, 1000, 1000, 1000],
            "seconds": [30.0, 0.5, 1.5, None],
            "MB": [100.0, 80.0, 2500.0, None],
        }
    )
    *_, row = report.choose_by_size(measured).splitlines()
    assert [cell.strip() for cell in row.strip("|").split("|")] == ["1,000", "fast", "middle", "slow", "2,500"]


@pytest.mark.parametrize("page", ["README.md", "docs/compare-packages.md"])
def test_the_speeds_beside_other_packages_are_the_measured_ones(page):
    measured = pd.read_csv(ROOT / "docs/performance/peers.csv")
    same = measured[measured["relation"] == "same method"].dropna(subset="ratio")
    text = (ROOT / page).read_text(encoding="utf-8")
    for peer in ("ClusterEnsembles", "PCE"):
        ratios = same.loc[same["peer"] == peer, "ratio"]
        assert f"{ratios.min():.1f} to {ratios.max():,.0f} times, median {ratios.median():.1f}" in text, peer
