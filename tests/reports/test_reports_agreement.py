import math
from typing import Any

import pandas as pd
import pytest

from concord.config.protocol import EnsembleProtocol
from concord.config.study import Study
from concord.reports.agreement import (
    agreement_markdown,
    agreement_table,
    counted_cells,
    ranks_table,
    sentences,
    worst_cells,
)
from concord.reports.comparison import by_case_and_method
from concord.reports.tables import TABLE2

STUDY = Study.model_validate(
    {
        "id": "small",
        "title": "Small",
        "summary": "A test.",
        "cases": ["a", {"id": "a_own", "dataset": "a", "ensemble": "own", "instead_of": "a"}, "b"],
        "ensemble": {"runs": 8, "subset_size": 2},
        "methods": ["KC", "EAC", {"method": "RCE", "grid": {"lambda1": [1, 2]}, "default": {"lambda1": 1}}],
        "metrics": ["ACC"],
        "table2": ["ACC"],
    }
)
# method: (ours, printed); the standard error is 0.02 / sqrt(4) = 0.01
CELLS = {
    "a": {"K-means": (0.1, 0.9), "KC": (0.2, 0.8), "RCE": (0.3, 0.7)},
    "a_own": {"K-means": (0.50, 0.50), "KC": (0.60, 0.615), "RCE": (0.70, 0.65)},
    "b": {"K-means": (0.50, 0.40), "KC": (0.60, 0.39), "RCE": (0.60, 0.615)},
}


def row(case: str, method: str, reading: str, mean: float, printed: float) -> dict[str, Any]:
    values: dict[str, Any] = dict.fromkeys(TABLE2, "")
    difference = mean - printed
    return {
        **values,
        **{"case": case, "dataset": case.upper(), "metric": "ACC", "method": method, "reading": reading},
        **{"row": method, "mean": mean, "printed": printed, "difference": difference},
        "difference_se": difference / 0.01,
    }


def table2() -> pd.DataFrame:
    rows = [
        row(case, method, "oracle-per-subset" if method == "RCE" else "fixed", *pair)
        for case, cells in CELLS.items()
        for method, pair in cells.items()
    ]
    rows += [row(case, "EAC", "fixed", 0.9, math.nan) for case in CELLS]  # not printed
    rows += [row(case, "RCE", "default", 0.0, 0.5) for case in CELLS]  # another reading
    return pd.DataFrame(rows, columns=list(TABLE2))


def test_one_ensemble_has_no_standard_error() -> None:
    one = STUDY.model_copy(update={"ensemble": EnsembleProtocol(runs=8, subset_size=8)})
    table = table2().assign(difference_se=math.nan)
    found = agreement_table(one, table)
    first = next(iter(sentences(one, table, found)))
    assert first.startswith("The mean absolute difference is 0.")
    assert f"| B | ACC | 3 | {found['tau'].iloc[-1]:.2f} | \N{EN DASH} |" in agreement_markdown(
        one, table, found, ranks_table(one, table)
    )


def test_tau_compares_our_order_with_the_printed_one() -> None:
    table = agreement_table(STUDY, table2()).set_index("case")
    assert table.loc["a", "tau"] == -1
    assert table.loc["a_own", "tau"] == 1
    # b: of three pairs one is discordant, one concordant, one tied here: tau-b = 0
    assert table.loc["b", "tau"] == pytest.approx(0)
    assert table["methods"].tolist() == [3, 3, 3], "EAC is not printed, the default reading does not count"
    assert table["counted"].tolist() == [False, True, True]
    assert table["near"].tolist() == [0, 2, 1]
    assert table.loc["a_own", "mean_absolute"] == pytest.approx((0 + 0.015 + 0.05) / 3)


def test_two_cases_of_a_data_set_count_once() -> None:
    assert set(counted_cells(STUDY, table2())["case"]) == {"a_own", "b"}
    said = list(sentences(STUDY, table2(), agreement_table(STUDY, table2())))
    assert said[0].startswith("3 of 6 printed scores lie within 2 standard errors")
    assert "in ACC: mean 0.50 over 2 data sets, from 0.00 (B) to 1.00 (A_OWN)" in said[1]


def test_sums_of_ranks() -> None:
    ranks = ranks_table(STUDY, table2()).set_index("method")
    assert ranks["datasets"].tolist() == [2, 2, 2]
    assert ranks["rank_sum"].to_dict() == {"K-means": 6, "KC": 3.5, "RCE": 2.5}
    assert ranks["printed_rank_sum"].to_dict() == {"K-means": 5, "KC": 5, "RCE": 2}
    assert ranks["place"].tolist() == [3, 2, 1]
    assert ranks["printed_place"].tolist() == [2, 2, 1]


def test_a_data_set_without_a_score_of_a_method_is_in_no_sum() -> None:
    table = table2()
    table.loc[(table["case"] == "b") & (table["method"] == "KC"), "mean"] = math.nan
    ranks = ranks_table(STUDY, table).set_index("method")
    assert ranks["datasets"].tolist() == [1, 1, 1]
    assert ranks["rank_sum"].to_dict() == {"K-means": 3, "KC": 2, "RCE": 1}


def test_a_metric_without_a_data_set_that_has_every_method_has_no_ranks() -> None:
    acc, nmi = table2(), table2().assign(metric="NMI")
    for case, method in (("a_own", "KC"), ("b", "K-means")):
        nmi.loc[(nmi["case"] == case) & (nmi["method"] == method), "printed"] = math.nan
    table = pd.concat([acc, nmi], ignore_index=True)
    ranks, found = ranks_table(STUDY, table), agreement_table(STUDY, table)
    assert set(ranks["metric"]) == {"ACC"}
    text = agreement_markdown(STUDY, table, found, ranks)
    assert "Over the data sets on which every printed method has a score (ACC 2 data sets)." in text
    none = agreement_markdown(STUDY, nmi, found, ranks_table(STUDY, nmi))
    assert "Sums of ranks" not in none


def test_cells_stand_under_their_metric() -> None:
    table = pd.concat([table2(), table2().assign(metric="NMI")], ignore_index=True)
    table.loc[(table["metric"] == "NMI") & (table["case"] == "a"), "printed"] = math.nan
    table.loc[(table["metric"] == "ACC") & (table["method"] == "KC"), "printed"] = math.nan
    found = {"agreement": agreement_table(STUDY, table), "ranks": ranks_table(STUDY, table), "table2": table}
    said = by_case_and_method(STUDY, found, {"a": "A", "a_own": "A", "b": "B"})
    assert said["ranked"] == ["ACC", "NMI"]
    assert all(len(row["cells"]) == 2 for row in (*said["cases"], *said["methods"]))
    kc = next(row for row in said["methods"] if row["method"] == "KC")
    assert [cell["here"] for cell in kc["cells"]] == ["\N{EN DASH}", "3.5 (2)"]
    first = next(row for row in said["cases"] if row["dataset"] == "A")
    assert first["cells"][1]["near"] == "\N{EN DASH}"


def test_the_worst_cells_come_first() -> None:
    worst = worst_cells(STUDY, table2())
    assert worst[["case", "method"]].to_numpy().tolist()[:3] == [
        ["b", "KC"],
        ["b", "K-means"],
        ["a_own", "RCE"],
    ]


def test_markdown_and_no_print() -> None:
    table = table2()
    text = agreement_markdown(STUDY, table, agreement_table(STUDY, table), ranks_table(STUDY, table))
    assert "| A_OWN | ACC | 3 | 1.00 | 2 | 0.022 |" in text
    assert "| ACC | KC | 3.5 | 5 | 2 | 2 |" in text
    assert "| B | ACC | KC | 0.600 | 0.390 | +0.210 | +21.0 |" in text
    assert "each data set is taken once: a_own for a" in text
    table["printed"] = math.nan
    nothing = agreement_markdown(STUDY, table, agreement_table(STUDY, table), ranks_table(STUDY, table))
    assert "No score here has a printed value" in nothing
