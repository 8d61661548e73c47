import numpy as np
import pandas as pd
import pytest

from consclust_studies.config.paper import Claim
from consclust_studies.exhibits.sizes import Sizes
from consclust_studies.stages.selection import select
from small import planned, scores_of, source_of

OTHER = {"of": "iris", "dataset": "iris", "preprocessing": [], "why": "size", "methods": ["EAC", "RCE"]}
CASES = [
    {"id": "iris_8", **OTHER, "subset_size": 8},
    {"id": "iris_2", **OTHER, "subset_size": 2, "methods": ["EAC"]},
    {"id": "iris_pp", **OTHER, "subset_size": 6, "init": "k-means++"},
]
ENSEMBLE = {"runs": 12, "subset_size": 4, "draws": 3}


@pytest.fixture
def study():
    return planned(ensemble=ENSEMBLE, variants={"cases": CASES})


@pytest.fixture
def source(study):
    parts = [select(part, scores_of(part, seed=7)) for part in study.split_variants()]
    return source_of(study, variants=pd.concat(parts))


def sizes(**keys) -> Sizes:
    return Sizes(**{"kind": "sizes", "id": "sizes", "title": "Sizes", "metric": "ACC", **keys})


def test_means_at_every_size_of_the_variants_that_differ_in_size_alone(source) -> None:
    shown = sizes().build(source)
    rows = {(row.method, row.size): row for row in shown.frame.itertuples()}
    assert list(rows) == [("EAC", 2), ("EAC", 4), ("EAC", 8), ("RCE", 4), ("RCE", 8)]
    both = pd.concat([source.selected, source.variants])
    for (method, size), row in rows.items():
        selection = {"EAC": "fixed", "RCE": "oracle-per-subset"}[method]
        case = {2: "iris_2", 4: "iris", 8: "iris_8"}[size]
        key = {"case": case, "method": method, "selection": selection, "metric": "ACC"}
        values = both[(both[list(key)] == pd.Series(key)).all(axis=1)]["value"]
        assert (row.n, row.mean, row.std) == (3, pytest.approx(values.mean()), pytest.approx(np.std(values, ddof=1)))
    lines = shown.picture.axes[0].lines
    assert [line.get_xdata().tolist() for line in lines] == [[2, 4, 8], [4, 8]]
    np.testing.assert_array_equal(np.concatenate([line.get_ydata() for line in lines]), shown.frame["mean"])


def test_a_failed_subset_is_counted_and_said(source) -> None:
    variants = source.variants.copy()
    hit = (variants["case"] == "iris_8") & (variants["method"] == "EAC") & (variants["subset"] == 1)
    variants.loc[hit, "value"] = np.nan
    source.__dict__["variants"] = variants
    shown = sizes().build(source)
    assert shown.frame["n"].tolist() == [3, 3, 2, 3, 3]
    assert "EAC on Iris, size 8 (2)" in shown.caption


def test_a_size_on_the_first_subsets_alone_has_not_failed_on_the_others() -> None:
    cases = [CASES[0], {**CASES[1], "subsets": 2}]
    study = planned(ensemble=ENSEMBLE, variants={"cases": cases})
    parts = [select(part, scores_of(part)) for part in study.split_variants()]
    shown = sizes().build(source_of(study, variants=pd.concat(parts)))
    of_eac = shown.frame[shown.frame["method"] == "EAC"]
    assert of_eac[["size", "n", "subsets"]].to_numpy().tolist() == [[2, 2, 2], [4, 3, 3], [8, 3, 3]]
    assert "EAC with 2 base clusterings on Iris: the first 2 subsets only" in shown.caption
    assert "failed" not in shown.caption


def test_a_race_at_a_size_is_said() -> None:
    race = {"metric": "ACC", "subsets": 1, "points": 1}
    study = planned(ensemble=ENSEMBLE, variants={"cases": [{**CASES[0], "races": {"RCE": race}}, CASES[1]]})
    parts = [select(part, scores_of(part)) for part in study.split_variants()]
    shown = sizes().build(source_of(study, variants=pd.concat(parts)))
    raced = shown.frame[["method", "size", "raced"]].to_numpy().tolist()
    assert raced == [["EAC", 2, 0], ["EAC", 4, 0], ["EAC", 8, 0], ["RCE", 4, 0], ["RCE", 8, 1]]
    assert "RCE with 8 base clusterings on Iris: a race, its grid points chosen on the first subset." in shown.caption


def test_a_method_at_one_point_with_the_other_sizes_is_said() -> None:
    point = {"RCE": {"lambda1": 1.0, "lambda2": 1.0}}
    study = planned(ensemble=ENSEMBLE, variants={"cases": [{**CASES[0], "points": point}, CASES[1]]})
    parts = [select(part, scores_of(part)) for part in study.split_variants()]
    source = source_of(study, variants=pd.concat(parts))
    said = "RCE with the other sizes: at one grid point for each data set."
    assert said in sizes().build(source).caption
    assert [len(part.methods[-1].points) for part in study.split_variants()] == [1, 1]
    other = planned(ensemble=ENSEMBLE, variants={"cases": CASES[:2]})
    parts = [select(part, scores_of(part)) for part in other.split_variants()]
    assert said not in sizes().build(source_of(other, variants=pd.concat(parts))).caption


def test_a_point_that_is_not_the_best_one_here_is_said() -> None:
    best = {"lambda1": 0.1, "lambda2": 1.0}
    for given, said in ((best, ""), ({"lambda1": 1.0, "lambda2": 1.0}, "the best point is λ₁ = 0.1, λ₂ = 1.")):
        cases = [{**CASES[0], "points": {"RCE": given}}]
        study = planned(ensemble=ENSEMBLE, selection="oracle-common", variants={"cases": cases})
        scores = scores_of(study)
        at_best = (scores["method"] == "RCE") & (scores["point"] == study.method("RCE").points.index(best))
        scores.loc[at_best, "value"] = 0.9
        parts = [select(part, scores_of(part)) for part in study.split_variants()]
        caption = sizes().build(source_of(study, scores=scores, variants=pd.concat(parts))).caption
        assert said in caption
        assert ("but the best point" in caption) is bool(said)


def test_a_method_that_a_case_leaves_out_has_not_failed_there(study) -> None:
    one, *others = study.cases
    study = study.model_copy(update={"cases": (one.model_copy(update={"without": ("RCE",)}), *others)})
    scores = scores_of(study)
    scores = scores[(scores["case"] != one.id) | (scores["method"] != "RCE")]
    parts = [select(part, scores_of(part)) for part in study.split_variants()]
    shown = sizes().build(source_of(study, scores=scores, variants=pd.concat(parts)))
    assert shown.frame[shown.frame["method"] == "RCE"]["size"].tolist() == [8]
    assert "RCE on" not in shown.caption


def test_cases_without_other_sizes_are_mistakes(study) -> None:
    assert list(sizes().mistakes(study)) == []
    assert [key for key, _ in sizes().mistakes(planned())] == ["kind"]


def curves_of(**means: dict[tuple[str, int], float]) -> pd.DataFrame:
    frame = pd.DataFrame(means)
    frame.index = pd.MultiIndex.from_tuples(frame.index, names=["case", "size"])
    return frame.rename_axis(columns="method")


MEANS = curves_of(
    A={("iris", 10): 0.5, ("iris", 40): 0.8, ("wine", 10): 0.6, ("wine", 40): 0.5},
    B={("iris", 10): 0.4, ("iris", 40): 0.45, ("wine", 10): 0.7, ("wine", 40): 0.4},
    C={("iris", 10): 0.1, ("iris", 40): 0.2, ("wine", 10): 0.1, ("wine", 40): 0.3},
)


@pytest.fixture
def counted(study, monkeypatch):
    def count(question: str, method: str, *against: str, cases=()):
        long = MEANS.stack().rename("mean").reset_index()
        monkeypatch.setattr(Sizes, "_frame", lambda self, source: long)
        claim = {"text": "It.", "check": "counted", "by": {"exhibit": "sizes", "question": question}}
        claim = Claim.model_validate({**claim, "method": method, "against": against, "cases": cases})
        return sizes().count_for_claim(question, claim, source_of(study))

    return count


def test_methods_that_improve_have_a_higher_mean_with_the_largest_subsets(counted) -> None:
    found = counted("improve", "A")
    assert (found.holds, found.unit) == ((True, False, True), "methods")
    assert found.remarks == ("not B",)
    assert counted("improve", "A", cases=("iris",)).holds == (True, True, True)
    assert counted("improve", "A", "B").holds == (True, False)


def test_a_method_falls_if_it_falls_on_any_data_set(counted) -> None:
    found = counted("fall", "B", "C")
    assert found.holds == (True, False)
    assert found.remarks == ("B on 1 of 2 data sets", "C on 0 of 2 data sets")


def test_ahead_counts_data_sets_and_sizes(counted) -> None:
    found = counted("ahead", "A", "B", "C")
    assert found.holds == (True, True, False, True)
    assert found.remarks == ("not on wine at 10",)


def test_a_small_ensemble_is_compared_with_the_largest_of_the_others(counted) -> None:
    assert counted("small_ahead", "A", "B", "C").holds == (True, True)
    assert counted("small_ahead", "B", "A").holds == (False, True)
