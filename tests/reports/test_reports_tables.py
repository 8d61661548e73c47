import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from concord.config.figures import View
from concord.config.study import Study
from concord.datasets.registry import DatasetSpec
from concord.errors import InputError
from concord.reports.published import Published, load_published, only_printed, printed_methods, printed_names
from concord.reports.rows import Row, main_row, point_text, study_rows, symbol
from concord.reports.tables import (
    DASH,
    TAKEN,
    Footnotes,
    marks,
    table1,
    table1_markdown,
    table2,
    table2_markdown,
    view_markdown,
    write_csv,
)


def spec(title: str, shape: tuple[int, int, int]) -> DatasetSpec:
    return DatasetSpec.model_validate(
        {
            "title": title,
            "shape": shape,
            "reader": {"format": "sklearn", "loader": "iris"},
            "preprocessing": ["zscore"],
            "licence": "free",
            "source": "hand",
        }
    )


REGISTRY = {"one": spec("One", (4, 2, 2)), "two": spec("Two", (6, 3, 3))}
STUDY = Study.model_validate(
    {
        "id": "small",
        "title": "Small",
        "summary": "A test.",
        "cases": ["one", {"id": "two_b", "dataset": "two", "title": "Two (again)"}],
        "ensemble": {"runs": 8, "subset_size": 2},
        "methods": [
            "KC",
            {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}},
        ],
        "metrics": ["ACC"],
        "table2": ["ACC"],
    }
)
PRINT = Published(
    {"one": (4, 2, 2), "two": (7, 3, 3)}, {("one", "ACC", "KC"): 0.7, ("two", "ACC", "RCE"): 0.5}
)
SELECTED = pd.DataFrame(
    [("one", "RCE", "oracle-common", "ACC", 0, '{"lambda1":0.1}', 0.9)],
    columns=["case", "method", "reading", "metric", "subset", "parameters", "value"],
)


def summary(**changes: object) -> pd.DataFrame:
    """One mean per row of the study: 0.5, 0.6, 0.7, ... in case one; all 0.5 in case two_b."""
    rows = []
    for case in ("one", "two_b"):
        for i, row in enumerate(study_rows(STUDY)):
            mean = 0.5 + 0.1 * i * (case == "one")
            rows.append((case, "ACC", *row, mean, 0.04, 4, i == 2 and case == "one", False))
    columns = ["case", "metric", "method", "reading", "mean", "std", "n", "best", "bold"]
    frame = pd.DataFrame(rows, columns=columns)
    for column, value in changes.items():
        frame.loc[(frame.case == "one") & (frame.method == "KC"), column] = value
    return frame


NO_FAILURES = pd.DataFrame(columns=["case", "method", "subset", "parameters", "reason"])
NO_NOTES = pd.DataFrame(columns=["case", "method", "subset", "parameters", "note"])


def cell(frame: pd.DataFrame, case: str, row: str) -> pd.Series:
    return frame[(frame["case"] == case) & (frame["row"] == row)].iloc[0]


def test_a_method_of_the_paper_whose_numbers_are_not_at_hand_is_one_of_its_own() -> None:
    print_of_rce = Published({}, {("two", "ACC", "RCE"): 0.5})
    assert [run.id for run in only_printed(STUDY, print_of_rce).methods] == ["RCE"]
    with_kc = STUDY.model_copy(update={"unprinted": ("KC",)})
    assert [run.id for run in only_printed(with_kc, print_of_rce).methods] == ["KC", "RCE"]


def test_rows_of_the_study_and_their_names() -> None:
    assert [row.name for row in study_rows(STUDY)] == [
        "K-means",
        "KC",
        "RCE (oracle, per subset)",
        "RCE (oracle, common)",
        "RCE (default)",
    ]
    assert main_row(STUDY, "RCE") == Row("RCE", "oracle-per-subset")
    assert main_row(STUDY, "KC") == Row("KC", "fixed")


def test_symbols() -> None:
    assert symbol("lambda1") == "λ₁"
    assert symbol("lambda1", tex=True) == r"$\lambda_{1}$"
    assert symbol("n_init") == "n_init"
    assert point_text({"lambda1": 1.0, "linkage": "single"}) == "λ₁ = 1, linkage = single"


def test_a_case_with_its_own_title_matches_the_print_through_its_data_set() -> None:
    assert printed_names(STUDY, REGISTRY, PRINT) == {"one": "one", "two_b": "two"}


def test_a_second_run_of_a_method_is_not_compared_with_the_print_of_the_first() -> None:
    def names(*ids: str, published: Published = PRINT) -> dict[str, str]:
        runs = tuple(STUDY.methods[1].model_copy(update={"id": i}) for i in ids)
        return printed_methods(STUDY.model_copy(update={"methods": runs}), published)

    assert names("x")["x"] == "RCE"
    assert names("RCE", "RCE_box")["RCE_box"] == "RCE_box"
    of_its_own = Published(scores={("one", "ACC", "x"): 0.5})
    assert names("x", published=of_its_own)["x"] == "x"


def test_a_view_is_a_table_of_its_methods_on_the_cases_that_have_one() -> None:
    study = Study.model_validate(
        {
            **STUDY.model_dump(),
            "cases": ["one", {"dataset": "two", "without": ["KC"]}, {"id": "two_b", "dataset": "two"}],
            "readings": {
                "methods": [
                    {"id": "KC-few", "of": "KC", "method": "KC", "why": "restarts", "cases": ["one"]},
                    {"id": "KC-most", "of": "KC", "method": "KC", "why": "restarts"},
                ]
            },
            "views": [{"id": "few", "title": "Few", "methods": ["KC-few", "KC"]}],
        }
    )
    runs = [(case.id, run.id) for case, run in study.reading_runs()]
    assert runs == [("one", "KC-few"), *((case, "KC-most") for case in ("one", "two", "two_b"))]
    seen = study.seen(study.views[0])
    assert [case.id for case in seen.cases] == ["one", "two_b"]
    assert seen.absent() == {"KC-few": (study.cases[2],)}
    assert [row.name for row in study_rows(seen)] == ["K-means", "KC-few", "KC"]
    printed = Published(scores={("one", "ACC", "KC"): 0.7, ("one", "ACC", "KC-few"): 0.5})
    mean = {"K-means": 0.5, "KC": 0.70049, "KC-few": 0.501}
    rows = [("one", "ACC", name, "fixed", value, 0.1, 4, False, False) for name, value in mean.items()]
    summed = pd.DataFrame(rows, columns=summary().columns)
    table = table2(seen, REGISTRY, printed, summed, summed, SELECTED, NO_FAILURES, NO_NOTES)
    assert cell(table, "one", "KC-few")["printed"] == 0.5
    said = view_markdown(seen, table)
    assert "1 of the 2 printed means are ours to their last digit, the third decimal.\n" in said


def test_a_view_counts_the_printed_digits_of_the_studys_reading_alone() -> None:
    study = STUDY.model_copy(update={"reading": "oracle-common"})
    seen = study.seen(View.model_validate({"id": "tuned", "title": "Tuned", "methods": ["RCE"]}))
    means = {"oracle-per-subset": 0.6, "oracle-common": 0.5, "default": 0.4}
    rows = [("two_b", "ACC", "RCE", reading, mean, 0.1, 4, False, False) for reading, mean in means.items()]
    summed = pd.DataFrame(rows, columns=summary().columns)
    table = table2(seen, REGISTRY, PRINT, summed, summed, SELECTED, NO_FAILURES, NO_NOTES)
    assert table["printed"].notna().sum() == 3
    assert "1 of the 1 printed means are ours to their last digit" in view_markdown(seen, table)
    assert "the third decimal (oracle, common)." in view_markdown(seen, table)


def test_a_method_that_a_case_is_without_has_not_failed() -> None:
    cases = (STUDY.cases[0].model_copy(update={"without": ("KC",)}), STUDY.cases[1])
    without = STUDY.model_copy(update={"cases": cases})
    missing = summary(mean=float("nan"), std=float("nan"), n=0)
    table = table2(without, REGISTRY, PRINT, missing, missing, SELECTED, NO_FAILURES, NO_NOTES)
    assert cell(table, "one", "KC")["note"] == ""
    table = table2(STUDY, REGISTRY, PRINT, missing, missing, SELECTED, NO_FAILURES, NO_NOTES)
    assert cell(table, "one", "KC")["note"].startswith("failed on 4 of 4 subsets")


def test_table2_numbers() -> None:
    table = table2(STUDY, REGISTRY, PRINT, summary(), summary(), SELECTED, NO_FAILURES, NO_NOTES)
    assert len(table) == 2 * 5
    kc = cell(table, "one", "KC")
    assert kc["printed"] == 0.7
    assert kc["difference"] == pytest.approx(-0.1)
    assert kc["difference_se"] == pytest.approx(-0.1 / (0.04 / 2))  # n = 4
    assert math.isnan(cell(table, "two_b", "KC")["printed"])
    assert cell(table, "two_b", "RCE (default)")["printed"] == 0.5
    assert cell(table, "one", "RCE (oracle, common)")["parameters"] == '{"lambda1":0.1}'
    assert cell(table, "one", "KC")["parameters"] == ""


def test_table2_markdown_marks_best_bold_and_failures() -> None:
    failures = pd.DataFrame([("one", "KC", 0, "{}", "no graph")], columns=NO_FAILURES.columns)
    bold = summary(bold=True, n=3)
    bold.loc[(bold["case"] == "two_b") & (bold["method"] == "K-means"), ["mean", "std", "n"]] = [
        math.nan,
        math.nan,
        0,
    ]
    table = table2(STUDY, REGISTRY, PRINT, bold, bold, SELECTED, failures, NO_NOTES)
    text = table2_markdown(STUDY, table)
    line = next(line for line in text.splitlines() if line.startswith("| One"))
    cells = [c.strip() for c in line.strip("|").split("|")]
    assert cells[1] == "0.500 ± 0.040<br>\N{EN DASH}"
    assert cells[2] == "**0.600** ± 0.040 [a]<br>0.700 (-0.100)"
    assert cells[3] == "0.700\\* ± 0.040<br>\N{EN DASH}"
    assert "[a] failed on 1 of 4 subsets: no graph" in text
    again = next(line for line in text.splitlines() if line.startswith("| Two (again)"))
    assert again.split("|")[2].strip() == "- [b]<br>\N{EN DASH}"
    assert "[b] failed on 4 of 4 subsets: no score" in text


def test_table2_without_a_print_has_no_second_line() -> None:
    table = table2(STUDY, REGISTRY, Published(), summary(), summary(), SELECTED, NO_FAILURES, NO_NOTES)
    text = table2_markdown(STUDY, table)
    assert "<br>" not in text
    assert "printed" not in text


def test_equal_notes_share_a_letter() -> None:
    notes = Footnotes()
    assert [notes.mark(n) for n in ("x", "y", "x", "", math.nan)] == ["a", "b", "a", "", ""]
    assert [Footnotes.mark(notes, str(i)) for i in range(26)][-1] == "ab"


def prepared(path: Path, X: np.ndarray, classes: np.ndarray) -> Path:
    names = np.array([str(c) for c in np.unique(classes)])
    np.savez(path, X=X, classes=classes.astype(np.int64), class_names=names)
    return path


def test_table1_counts_the_prepared_file_and_compares_with_the_print(tmp_path: Path) -> None:
    files = {
        "one": prepared(tmp_path / "one.npz", np.ones((4, 2)), np.array([0, 0, 0, 1])),
        "two_b": prepared(tmp_path / "two.npz", np.ones((6, 3)), np.array([0, 1, 2, 0, 1, 2])),
    }
    table = table1(STUDY, REGISTRY, PRINT, files)
    one, two = table.iloc[0], table.iloc[1]
    assert (one["objects"], one["features"], one["classes"], one["verdict"]) == (4, 2, 2, "match")
    assert (one["class_sizes"], one["stored_as"], one["preprocessing"]) == (
        "1\N{EN DASH}3",
        "dense",
        "zscore",
    )
    assert (two["objects"], two["printed_objects"], two["verdict"]) == (6, 7, "differs")
    assert "| Two (again) | 6 (printed 7) | 3 | 3 |" in table1_markdown(STUDY, table)
    assert set(table1(STUDY, REGISTRY, Published(), files)["verdict"]) == {"not printed"}
    write_csv(table, tmp_path / "a.csv")
    write_csv(table1(STUDY, REGISTRY, PRINT, files), tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_table1_without_features_compares_the_rest(tmp_path: Path) -> None:
    files = {
        "one": prepared(tmp_path / "one.npz", np.ones((4, 0)), np.array([0, 0, 0, 1])),
        "two_b": prepared(tmp_path / "two.npz", np.ones((6, 0)), np.array([0, 1, 2, 0, 1, 2])),
    }
    table = table1(STUDY, REGISTRY, PRINT, files)
    assert table["verdict"].tolist() == ["match", "differs"]
    assert table["stored_as"].tolist() == ["no features"] * 2
    assert f"| One | 4 | {DASH} (printed 2) | 2 |" in table1_markdown(STUDY, table)


def test_table1_names_the_case_without_a_file() -> None:
    with pytest.raises(InputError, match="'two_b'"):
        table1(STUDY, REGISTRY, PRINT, {"one": Path("x.npz")})


def test_published_files(tmp_path: Path) -> None:
    study = STUDY.model_copy(update={"published": "p"})
    with pytest.raises(InputError, match=r"table1.csv: no such file"):
        load_published(study, tmp_path)
    home = tmp_path / "p"
    home.mkdir()
    (home / "table1.csv").write_text("dataset,instances,features,classes\nOne,4,2,2\n")
    (home / "table2.csv").write_text("dataset,metric,method,value\nOne,ACC,KC,0.7\nOne,ACC,RCE,0.8\n")
    published = load_published(study, tmp_path)
    assert published.scores["one", "ACC", "RCE"] == 0.8
    assert published.methods("ACC") == ["KC", "RCE"]
    (home / "table2.csv").write_text("dataset,metric,method,value\nOne,ACC,KC,seven\n")
    with pytest.raises(InputError, match=r"line 2, value = 'seven'"):
        load_published(study, tmp_path)


def test_a_data_set_that_is_not_clustered_is_in_table_1_only(tmp_path: Path) -> None:
    study = STUDY.model_copy(update={"cases": STUDY.cases[:1], "only_in_table1": STUDY.cases[1:]})
    files = {
        "one": prepared(tmp_path / "one.npz", np.ones((4, 2)), np.array([0, 0, 0, 1])),
        "two_b": prepared(tmp_path / "two.npz", np.ones((6, 3)), np.array([0, 1, 2, 0, 1, 2])),
    }
    table = table1(study, REGISTRY, PRINT, files)
    assert table["base_clusterings"].tolist() == ["8 k-means", "not clustered here"]
    assert table["verdict"].tolist() == ["match", "differs"]
    assert list(printed_names(study, REGISTRY, PRINT)) == ["one"], "it has no scores to be compared"


def test_bold_is_meant_among_the_papers_methods() -> None:
    """KC is bold in the paper's company, RCE (not in this print) takes that away."""
    printed = Published(scores={("one", "ACC", "KC"): 0.7})
    assert [run.id for run in only_printed(STUDY, printed).methods] == ["KC"]
    assert only_printed(STUDY, Published()) is STUDY
    papers = summary(bold=True, best=True)
    papers = papers[papers["method"] != "RCE"]
    table = table2(STUDY, REGISTRY, printed, summary(), papers, SELECTED, NO_FAILURES, NO_NOTES)
    kc, rce = cell(table, "one", "KC"), cell(table, "one", "RCE (oracle, per subset)")
    assert (kc["bold"], kc["paper_bold"]) == (False, True)
    assert rce["paper_best"] == rce["best"] == True  # noqa: E712
    assert marks(kc) == (True, TAKEN)
    assert marks(rce) == (False, "*")
    text = table2_markdown(STUDY, table)
    assert f"| **0.600**{TAKEN} ± 0.040<br>0.700 (-0.100) |" in text
    assert f"{TAKEN} bold only as long as RCE is left out" in text


def test_what_a_method_remarks_is_a_footnote() -> None:
    cells = [("one", "KC", s, "{}", "cut by hand") for s in range(4)] + [("two_b", "KC", 1, "{}", "by hand")]
    notes = pd.DataFrame(cells, columns=NO_NOTES.columns)
    table = table2(STUDY, REGISTRY, PRINT, summary(), summary(), SELECTED, NO_FAILURES, notes)
    assert cell(table, "one", "KC")["note"] == "cut by hand"
    assert cell(table, "two_b", "KC")["note"] == "by hand (on 1 of 4 subsets)"
    assert cell(table, "one", "K-means")["note"] == ""
    text = table2_markdown(STUDY, table)
    assert "0.600 ± 0.040 [a]" in text
    assert "[a] cut by hand" in text
