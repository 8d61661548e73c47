"""The exhibits of the study robustness, on scores and ensembles made by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from consclust.ensembles import spoil
from consclust_studies.config.harms import Harms
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.spoiled_subsets import add_spoiled_subsets
from small import planned, source_of
from studies.robustness.exhibits.breakdown import Breakdown
from studies.robustness.exhibits.found_harm import (
    AGREEMENT,
    FoundCoalitions,
    FoundErrors,
    FoundMembers,
    measure_auc,
    separate_scores,
)
from studies.robustness.exhibits.harm_curves import HarmCurves
from studies.robustness.exhibits.spoiled_means import SpoiledMeans
from studies.robustness.exhibits.spoiled_scores import (
    CLEAN,
    find_breakdown,
    list_curves,
    list_spoiled_scores,
    measure_area,
)

HARMS = {"kinds": ["coalition", "labels"], "shares": [0.25, 0.5]}
KEYS = {"id": "one", "title": "One"}


def study_of(methods=("KC", "EAC"), size=4, harms=HARMS):
    return planned(
        methods=list(methods),
        metrics=["ARI"],
        reported=["ARI"],
        paper=None,
        ensemble={"runs": 3 * size, "subset_size": size, "harms": harms},
    )


STUDY = study_of()


def score(case, method, repetition, kind, share):
    """KC loses as much as is spoiled, EAC nothing but all at half a coalition; wine is .1 below iris."""
    level = 0.8 - 0.1 * (case == "wine") + 0.01 * repetition
    if method == STUDY.base_clusterings:
        return level - 0.3
    if method == "KC":
        return level - share * (1.2 if case == "iris" else 1.0)
    return 0.0 if (kind, share) == ("coalition", 0.5) else level


def scores(without=()):
    harms = STUDY.ensemble.harms
    rows = []
    for case in ("iris", "wine"):
        for method in (STUDY.base_clusterings, "KC", "EAC"):
            for subset in range(STUDY.n_subsets):
                if (case, method, subset) in without:
                    continue
                value = score(case, method, *harms.describe(subset))
                rows += [("small", case, subset, method, 0, word, "ARI", value) for word in ("mean", "chosen")]
    return pd.DataFrame(rows, columns=["study", "case", "subset", "method", "point", "restart", "metric", "value"])


@pytest.fixture(scope="module")
def source():
    return source_of(STUDY, scores=scores(), selected=pd.DataFrame(), variants=pd.DataFrame())


def test_a_curve_has_the_mean_over_the_data_sets_and_starts_clean(source):
    shown = HarmCurves(kind="harm_curves", methods=["KC", STUDY.base_clusterings], **KEYS).build(source)
    frame = shown.frame.set_index(["kind", "method", "share"])
    for kind in HARMS["kinds"]:
        means = frame.loc[(kind, "KC")]["mean"]
        assert means.to_dict() == pytest.approx({0.0: 0.76, 0.25: 0.485, 0.5: 0.21})
    row = frame.loc[("labels", "KC", 0.25)]
    # wine loses .25 at a share of .25, iris .05 more
    assert [row["high"] - row["mean"], row["mean"] - row["low"]] == pytest.approx([12.706 * 0.025] * 2, rel=1e-4)
    assert row["n"] == 2
    start = frame.loc[("labels", "KC", 0.0)]
    assert start["low"] == start["high"] == start["mean"]
    assert len(shown.picture.axes) == 2
    assert "2 data sets (of 3 repetitions each)" in shown.caption


def test_methods_are_compared_on_the_repetitions_that_all_have(source):
    first = [("iris", "KC", subset) for subset in range(5, 15)]
    few = source_of(STUDY, scores=scores(first), selected=pd.DataFrame(), variants=pd.DataFrame())
    shown = HarmCurves(kind="harm_curves", methods=["KC", "EAC"], cases=["iris"], **KEYS).build(few)
    assert "1 repetition each" in shown.caption
    frame = shown.frame.set_index(["kind", "method", "share"])
    assert frame.loc[("labels", "EAC", 0.0), "mean"] == pytest.approx(0.8)


def test_a_fit_without_an_answer_counts_zero(source):
    given = scores()
    mine = (given["method"] == "KC") & (given["subset"] == 1)
    broken = source_of(STUDY, scores=given.assign(value=given["value"].mask(mine)), selected=given, variants=given)
    found = list_spoiled_scores(broken, "ARI", ["iris"])
    cell = found[(found["method"] == "KC") & (found["repetition"] == 0) & found["kind"].isin(["coalition", CLEAN])]
    assert cell.set_index("share")["value"].to_dict() == pytest.approx({0.0: 0.8, 0.25: 0.0, 0.5: 0.2})
    for exhibit in (HarmCurves(kind="harm_curves", methods=["KC"], **KEYS), Breakdown(kind="breakdown", **KEYS)):
        # one on each of two data sets
        assert "KC 2." in exhibit.build(broken).caption


def test_a_clean_fit_without_an_answer_is_counted_once(source):
    given = scores()
    mine = (given["method"] == "KC") & (given["subset"] == 0) & (given["case"] == "iris")
    broken = source_of(STUDY, scores=given.assign(value=given["value"].mask(mine)), selected=given, variants=given)
    assert "KC 1." in Breakdown(kind="breakdown", **KEYS).build(broken).caption


def test_means_over_the_repetitions_have_the_clean_ensembles_once(source):
    frame = SpoiledMeans(kind="spoiled_means", metrics=["ARI"], **KEYS).build(source).frame
    found = frame.set_index(["case", "method", "kind", "share"])
    assert found.index.is_unique
    assert set(frame["kind"]) == {"clean", *HARMS["kinds"]}
    assert found.loc[("wine", "EAC", "clean", 0.0), "ARI"] == pytest.approx(0.71)
    assert found.loc[("iris", "KC", "labels", 0.5), "ARI"] == pytest.approx(0.21)
    assert set(frame["repetitions"]) == {3}


def test_area_and_breakdown_of_each_method(source):
    frame = Breakdown(kind="breakdown", **KEYS).build(source).frame.set_index(["method", "kind"])
    assert frame.loc[("KC", "labels"), "area"] == pytest.approx((0.76 + 2 * 0.485 + 0.21) / 4)
    # KC loses its lead of .3 over the clean base clusterings at shares of .25 on iris and .3 on wine
    assert frame.loc[("KC", "labels"), "breakdown"] == pytest.approx(0.275)
    assert frame.loc[("EAC", "labels"), "breakdown"] == np.inf
    assert 0.25 < frame.loc[("EAC", "coalition"), "breakdown"] < 0.5
    assert frame.loc[("KC", "coalition"), "rank"] == 2
    assert frame.loc[("EAC", "coalition"), "rank"] == 1
    shown = Breakdown(kind="breakdown", **KEYS).build(source)
    texts = [cell.text for row in shown.blocks[1].rows for cell in row]
    assert "> 0.5" in texts


def test_two_methods_are_compared_over_the_data_sets(source):
    shown = Breakdown(kind="breakdown", compared=("EAC", "KC"), **KEYS).build(source)
    scores = list_spoiled_scores(source, "ARI", ())
    means = list_curves(scores, STUDY.ensemble.harms)
    curves = means.set_index(["method", "case", "kind", "share"])["value"].unstack("share")
    areas = curves.apply(lambda row: measure_area(row.index.to_numpy(float), row.to_numpy()), axis=1)
    wide = areas.groupby(level=["method", "case"]).mean().unstack("method")
    differences = (wide["EAC"] - wide["KC"]).to_numpy()
    low, high = stats.t.interval(0.95, len(differences) - 1, differences.mean(), stats.sem(differences))
    for value in (differences.mean(), low, high):
        assert f"{abs(value):.3f}".removeprefix("0") in shown.abstract
    assert ("no significant difference" in shown.abstract) is bool(low <= 0 <= high)
    assert "EAC has rank" not in Breakdown(kind="breakdown", **KEYS).build(source).abstract


def test_a_kind_of_which_a_restricted_run_lacks_shares_is_left_out():
    harms = STUDY.ensemble.harms
    lacks = {
        (case, method, subset)
        for case in ("iris", "wine")
        for method in (STUDY.base_clusterings, "KC", "EAC")
        for subset in range(STUDY.n_subsets)
        if harms.describe(subset)[1:] == ("labels", 0.5)
    }
    assert lacks
    given = source_of(STUDY, scores=scores(lacks), selected=pd.DataFrame(), variants=pd.DataFrame())
    frame = Breakdown(kind="breakdown", **KEYS).build(given).frame
    assert set(frame["kind"]) == {"coalition"}
    of_none = scores().query("subset == 0")
    alone = source_of(STUDY, scores=of_none, selected=pd.DataFrame(), variants=pd.DataFrame())
    assert not Breakdown(kind="breakdown", **KEYS).build(alone).blocks


def test_the_breakdown_point_is_where_a_curve_stays_below():
    shares = np.array([0, 0.2, 0.4])
    assert find_breakdown(shares, np.array([1.0, 0.2, 0.8]), 0.5) == np.inf
    assert find_breakdown(shares, np.array([1.0, 0.6, 0.4]), 0.5) == pytest.approx(0.3)
    assert find_breakdown(shares, np.array([0.4, 0.3, 0.2]), 0.5) == 0
    assert measure_area(shares, np.array([1.0, 0.5, 0.0])) == pytest.approx(0.5)


SIZE = 12
CLASSES = np.repeat([0, 1, 2], 20)
EVERY = {"kinds": ["random-members", "labels", "coalition"], "shares": [0.25, 0.5]}


@pytest.fixture(scope="module")
def ensembles():
    """A source whose clean base clusterings are nearly right."""
    rce = {"method": "RCE", "parameters": {"max_outer": 5, "n_init": 2}}
    study = study_of(["GWCA", rce], SIZE, EVERY)
    rng = np.random.default_rng(0)
    shape = (60, 3 * SIZE)
    clean = np.where(rng.random(shape) < 0.2, rng.integers(3, size=shape), CLASSES[:, None])
    spoiled = add_spoiled_subsets(clean, store.split(3 * SIZE, SIZE), Harms.model_validate(EVERY), 1, ("small", "iris"))
    source = source_of(study, seed=1)
    stored = store.StoredEnsemble(spoiled.labels, CLASSES, spoiled.members)
    source.__dict__["stored"] = {"iris": stored, "wine": stored}.__getitem__
    return source


def test_weights_find_random_members_and_not_a_coalition_of_half(ensembles):
    exhibit = FoundMembers(kind="found_members", cases=["iris"], weights={"GWCA": "weights_"}, **KEYS)
    frame = exhibit.build(ensembles).frame.set_index(["method", "kind", "share"])["auc"]
    assert set(frame.index.get_level_values("kind")) == {"random-members", "coalition"}
    assert frame[(AGREEMENT, "random-members", 0.25)] == 1
    # copies of one partition agree better with each other than the clean members do
    assert frame[(AGREEMENT, "coalition", 0.5)] < 0.5
    assert 0 <= frame.min() <= frame.max() <= 1
    assert exhibit.needs(ensembles.study).fits == (("iris", "GWCA"),)


def test_the_errors_of_rce_find_changed_labels(ensembles):
    exhibit = FoundErrors(kind="found_errors", method="RCE", cases=["iris"], **KEYS)
    frame = exhibit.build(ensembles).frame.set_index(["kind", "share"])["auc"]
    assert frame[("labels", 0.25)] > 0.75
    assert frame[("random-members", 0.25)] > 0.75


def test_coalitions_are_found_and_nothing_else(ensembles):
    exhibit = FoundCoalitions(kind="found_coalitions", repetitions=2, **KEYS)
    frame = exhibit.build(ensembles).frame.set_index(["kind", "share"])
    assert frame.loc["coalition", "found"].tolist() == [1, 1]
    assert frame.loc[[kind != "coalition" for kind, _ in frame.index], "found"].tolist() == [0] * 5
    # the clean ensembles of all three repetitions on two data sets, the spoiled ones of two
    assert frame.loc[("clean", 0.0), "n"] == 6
    assert frame.loc[("labels", 0.25), "n"] == 4
    assert frame.loc[("clean", 0.0), "auc"] == 1
    assert np.isnan(frame.loc[("coalition", 0.25), "auc"])


def test_spoiled_subsets_of_the_fixture_are_those_of_spoil(ensembles):
    stored = ensembles.stored("iris")
    expected = spoil(stored.subset(7), "coalition", 0.5, 1, ("small", "iris", 1))
    assert np.array_equal(stored.subset(13), expected.labels)


def test_auc_is_a_probability_over_pairs():
    assert measure_auc(np.array([3.0, 1.0, 2.0, 0.0]), [True, False, True, False]) == 1
    assert measure_auc(np.array([3.0, np.nan, 2.0, 0.0]), [True, True, False, True]) == 0.5
    assert np.isnan(measure_auc(np.arange(3.0), [True, True, True]))
    assert separate_scores(np.array([0.9, 0.4]), np.array([0.5, 0.1])) == 0.75


@pytest.mark.parametrize(
    ("cls", "keys"),
    [
        (HarmCurves, {"kind": "harm_curves", "methods": ["KC"]}),
        (Breakdown, {"kind": "breakdown"}),
        (SpoiledMeans, {"kind": "spoiled_means", "metrics": ["ARI"]}),
        (FoundCoalitions, {"kind": "found_coalitions"}),
        (FoundMembers, {"kind": "found_members", "cases": ["iris"], "weights": {"KC": "weights_"}}),
    ],
)
def test_a_study_without_spoiled_subsets_is_refused(cls, keys):
    plain = planned(methods=["KC"], metrics=["ARI"], reported=["ARI"])
    assert any("ensemble.harms" in message for _, message in cls(**keys, **KEYS).mistakes(plain))


def test_only_rce_has_errors():
    exhibit = FoundErrors(kind="found_errors", method="KC", cases=["iris"], **KEYS)
    assert [key for key, _ in exhibit.mistakes(STUDY)] == ["method"]
