import numpy as np
import pandas as pd
import pytest

from consclust.report.wording import DASH
from consclust_studies.config.published_tables import Published
from consclust_studies.exhibits.alternatives import Alternatives, differs
from consclust_studies.stages.selection import select
from small import planned, scores_of, source_of

EXHIBIT = Alternatives(kind="alternatives")
GRID = {0.1: 0.5, 1.0: 0.6, 10.0: 0.4}
"""The score of RCE at each value of lambda1."""
STUDY = planned(
    methods=["KC", {"method": "RCE", "grid": {"lambda1": [0.1, 1.0, 10.0]}, "default": {"lambda1": 1.0}}],
    metrics=["ACC"],
    reported=["ACC"],
    variants={
        "methods": [{"id": "KC-few", "of": "KC", "method": "KC", "parameters": {"n_init": 2}, "why": "restarts"}],
        "cases": [
            {
                **{"id": "wine_pp", "dataset": "wine", "of": "wine", "init": "k-means++"},
                **{"preprocessing": ["zscore"], "why": "first centres", "methods": ["KC", "RCE"]},
            }
        ],
    },
)
OWN = {"K-means": 0.3, "KC": 0.55}
OTHERS = {"wine_pp": {"K-means": 0.32, "KC": 0.51}}
PUBLISHED = Published(scores={("iris", "ACC", "KC"): 0.6, ("wine", "ACC", "KC"): 0.5, ("wine", "ACC", "RCE"): 0.65})


def given(study, values) -> pd.DataFrame:
    """The selected scores where (case, method, lambda1 of the grid point) has a value, .01 apart on the subsets."""
    table = scores_of(study)
    rows = zip(table["case"], table["method"], table["point"], strict=True)
    found = [values(case, method, study.list_points(method)[point].get("lambda1")) for case, method, point in rows]
    table["value"] = found + (table["subset"] - 1) * 0.01
    return table


def built(published=PUBLISHED, study=STUDY):
    def other(case: str, method: str, lambda1: float | None) -> float:
        if method == "KC-few":
            return 0.57
        return OTHERS.get(case, {}).get(method, GRID.get(lambda1, 0.87) + 0.03)

    scores = given(study, lambda case, method, lambda1: OWN.get(method) or GRID[lambda1])
    variants = pd.concat(select(one, given(one, other)) for one in study.split_variants())
    return EXHIBIT.build(source_of(study, scores=scores, variants=variants, published=published))


def texts(shown, block: int) -> list[list[str]]:
    return [[cell.text for cell in row] for row in shown.blocks[block].rows]


def test_without_published_tables_a_variant_is_no_interpretation_of_a_paper() -> None:
    assert "interpretation of the paper" not in built().caption
    assert "interpretation of the paper" in built(study=STUDY.model_copy(update={"published": ("table2",)})).caption


def test_it_is_wanted_where_there_are_variants() -> None:
    assert EXHIBIT.wanted(STUDY)
    assert not EXHIBIT.wanted(planned())


def test_variants_for_other_exhibits_are_left_out() -> None:
    few = {**STUDY.variants.methods[0].model_dump(), "beyond": True}
    study = STUDY.model_copy(update={"variants": STUDY.variants.model_validate({"methods": [few]})})
    assert not EXHIBIT.wanted(study)
    both = [few, {**few, "id": "KC-others", "beyond": False}]
    study = planned(metrics=["ACC"], reported=["ACC"], methods=["KC"], variants={"methods": both})
    assert EXHIBIT.wanted(study)
    scores = given(study, lambda case, method, lambda1: 0.55)
    variants = pd.concat(select(one, given(one, lambda *_: 0.57)) for one in study.split_variants())
    frame = EXHIBIT.build(source_of(study, scores=scores, variants=variants)).frame
    assert set(frame["variant"]) == {"KC-others"}


def test_variants_stand_beside_the_rows_that_they_differ_from() -> None:
    table = built().frame
    keys = ["variant", "case", "method", "selection"]
    assert table[keys].to_numpy().tolist() == [
        ["KC-few", "iris", "KC", "fixed"],
        ["KC-few", "wine", "KC", "fixed"],
        ["wine_pp", "wine", "K-means", "fixed"],
        ["wine_pp", "wine", "KC", "fixed"],
        ["wine_pp", "wine", "RCE", "oracle-per-subset"],
    ]
    assert table["own"].tolist() == pytest.approx([0.55, 0.55, 0.3, 0.55, 0.6])
    assert table["other"].tolist() == pytest.approx([0.57, 0.57, 0.32, 0.51, 0.63])
    assert table["nearer"].tolist() == ["other", "own", "", "other", "other"]
    assert table["differs"].unique().tolist() == ["n_init: 20 → 2", "first centres: random → k-means++"]
    assert table["n"].tolist() == [3] * 5
    # scores of .01 apart on three subsets: two standard errors are .0115
    assert table["own_near"].tolist() == pytest.approx([0, 0, np.nan, 0, 0], nan_ok=True)
    assert table["other_near"].tolist() == pytest.approx([0, 0, np.nan, 1, 0], nan_ok=True)


def test_a_variant_on_the_first_subsets_is_compared_on_these() -> None:
    few = {**STUDY.variants.methods[0].model_dump(), "subsets": {"iris": 1}}
    study = planned(metrics=["ACC"], reported=["ACC"], methods=["KC"], variants={"methods": [few]})
    scores = given(study, lambda case, method, lambda1: 0.55)
    variants = pd.concat(select(one, given(one, lambda *_: 0.57)) for one in study.split_variants())
    variants = variants[(variants["case"] == "wine") | (variants["subset"] < 1) | (variants["method"] == "K-means")]
    frame = EXHIBIT.build(source_of(study, scores=scores, variants=variants)).frame.set_index("case")
    assert frame["n"].to_dict() == {"iris": 1, "wine": 3}
    # the score of the first subset is .01 below the mean of the three
    assert frame["own"].tolist() == pytest.approx([0.54, 0.55])
    assert frame["change"].tolist() == pytest.approx([0.02, 0.02])


def test_another_pool_of_base_clusterings_is_no_interpretation() -> None:
    pool = {"id": "pool2", "dataset": "wine", "of": "wine", "preprocessing": ["zscore"], "why": "-", "methods": ["KC"]}
    study = planned(metrics=["ACC"], reported=["ACC"], variants={"cases": [pool]})
    variants = select(study.split_variants()[0], scores_of(study.split_variants()[0]))
    assert EXHIBIT.build(source_of(study, variants=variants)).frame.empty


def test_a_question_is_summed_up_in_a_row() -> None:
    rows = texts(built(), 0)
    assert rows[0][1:] == ["2", "+.020 (+.020 to +.020)", "2", "1 : 1", "0 : 0", ".050 : .050"]
    assert rows[1][1:] == ["3", "+.003 (\N{MINUS SIGN}.040 to +.030)", "2", "0 : 2", "0 : 1", ".050 : .015"]


def test_a_question_names_three_interpretations_and_counts_the_others() -> None:
    few = [
        {"id": f"KC-{n}", "of": "KC", "method": "KC", "parameters": {"n_init": n}, "why": "starts"} for n in range(1, 6)
    ]
    study = STUDY.model_copy(update={"variants": planned(variants={"methods": few}).variants})
    (row,) = texts(built(study=study), 0)
    assert row[0].endswith("n_init: 20 → 1; n_init: 20 → 2; n_init: 20 → 3; and 2 more")


def test_the_scores_of_the_largest_changes_come_first() -> None:
    assert [row[6] for row in texts(built(), 1)] == ["\N{MINUS SIGN}.040", "+.030", "+.020", "+.020", "+.020"]


def test_a_variant_with_published_scores_of_its_own_is_no_rival_of_the_row_it_differs_from() -> None:
    shown = built(Published(scores={**PUBLISHED.scores, ("iris", "ACC", "KC-few"): 0.57}))
    table = shown.frame.set_index("variant")
    assert table.loc["KC-few", "published"].isna().all()
    assert table.loc["wine_pp", "nearer"].tolist() == ["", "other", "other"]
    assert texts(shown, 0)[0][-4:] == ["0", DASH, DASH, DASH]


def test_a_variant_of_another_experiment_is_compared_with_no_published_value() -> None:
    """A point of a figure, and ensembles of another size, are not what the row of the main table was published for."""
    methods = [run.model_copy(update={"other_experiment": True}) for run in STUDY.variants.methods]
    size = {"id": "wine_2", "dataset": "wine", "of": "wine", "why": "size", "methods": ["KC"], "subset_size": 2}
    variants = {"methods": methods, "cases": [{**size, "preprocessing": ["zscore"]}]}
    study = planned(
        methods=STUDY.methods, metrics=["ACC"], reported=["ACC"], variants=variants,
        ensemble={"runs": 12, "subset_size": 4, "draws": 3},
    )  # fmt: skip
    table = built(study=study).frame.set_index("variant")
    assert table["published"].isna().all()
    assert set(table.index) == {"KC-few", "wine_2"}
    assert not built().frame["published"].isna().all()


def test_without_published_scores_there_are_no_such_columns() -> None:
    assert [len(block.header) for block in built(Published()).blocks] == [3, 7]
    assert [len(block.header) for block in built().blocks] == [7, 9]


def test_a_case_is_summed_up_unless_the_variant_of_the_one_that_stands_for_it_is_there_too() -> None:
    cases = (STUDY.cases[0].model_copy(update={"instead_of": "wine"}), STUDY.cases[1])
    rows = texts(built(study=STUDY.model_copy(update={"cases": cases})), 0)
    assert [row[1] for row in rows] == ["1", "3"], "KC-few on iris, wine_pp on wine"


def test_what_a_ready_made_ensemble_has_no_word_for_has_no_arrow() -> None:
    cases = (STUDY.cases[0], STUDY.cases[1].model_copy(update={"ensemble": "authors"}))
    text = differs(STUDY.model_copy(update={"cases": cases}), STUDY.variants.cases[0])
    assert text.startswith("base clusterings: authors → kmeans, first centres: random → k-means++, clusters: ")
    assert "None" not in text


def test_parameters_that_a_variant_of_a_case_sets_are_named() -> None:
    own, variant = STUDY.case("wine"), STUDY.variants.cases[0]
    few = {"parameters": {"KC": {"n_init": 3}}}
    study = STUDY.model_copy(update={"cases": (own.model_copy(update=few),)})
    assert differs(STUDY, variant.model_copy(update=few)).endswith(", n_init of KC: 20 → 3")
    assert differs(study, variant).endswith(", n_init of KC: 3 → 20")
    assert "KC" not in differs(study, variant.model_copy(update=few))
