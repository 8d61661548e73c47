"""The design of the measurements of the choice of k, and the page that is made of them."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import load_iris

from consclust.diagnostics import ResampledKMeans, choose_k, describe_recommendation
from consclust.diagnostics.choice import measure_values, recommend
from consclust.diagnostics.resampling import make_source

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import choice_of_k  # noqa: E402
from compiled_kmeans import CompiledKMeans, average  # noqa: E402

pytestmark = pytest.mark.long


def test_every_cell_of_the_tables_has_enough_sets():
    sets = choice_of_k.list_sets(100, 20, real=True)
    assert len(set(sets)) == len(sets)
    of_shapes = Counter(one.kind for one in sets if one.part == "shape")
    assert all(of_shapes[shape] == 100 for shape in choice_of_k.GAUSSIAN)
    assert set(of_shapes) == set(choice_of_k.SHAPES)
    planted = Counter(
        (one.k, title)
        for one in sets
        if one.part == "planted"
        for title, distances in choice_of_k.SEPARATIONS.items()
        if float(one.separation) in distances
    )
    assert len(planted) == 27
    assert set(planted.values()) == {20}
    assert Counter(one.k for one in sets if one.part == "default") == dict.fromkeys(range(2, 11), 4)
    assert Counter(one.k for one in sets if one.part == "labels") == {1: 100, **dict.fromkeys(range(2, 11), 20)}


def test_a_part_of_the_design_has_some_sets_of_each_cell():
    sets = choice_of_k.list_sets(100, 20, real=False)
    first = Counter((one.part, one.k if one.part != "shape" else one.kind) for one in sets[: len(sets) // 5])
    assert len(first) == 9 + 9 + 10
    assert min(first.values()) >= 3


@pytest.mark.parametrize("kind", choice_of_k.ARRANGEMENTS)
def test_the_nearest_centres_are_as_far_apart_as_the_set_says(kind):
    centres = choice_of_k.place_centres(5, 4.0, kind, np.random.default_rng(0))
    assert pdist(centres).min() == pytest.approx(4)


def test_every_part_of_the_sets_of_a_cell_has_the_factors_that_alternate():
    """The rule is chosen on the even ones and reported on the odd ones."""
    sets = choice_of_k.list_sets(100, 20, real=False)
    for parity in (0, 1):
        some = [one for one in sets if one.repeat % 2 == parity]
        planted = Counter((one.kind, one.balance, one.separation) for one in some if one.part == "planted")
        assert len(planted) == 3 * 2 * 6
        assert min(planted.values()) > 0
        assert len(Counter((one.balance, one.separation) for one in some if one.part == "labels" and one.k > 1)) == 6


def test_prediction_strength_of_groups_far_apart_is_their_number():
    rng = np.random.default_rng(0)
    X = np.repeat([0, 30, 60], 20)[:, None] + rng.normal(size=(60, 2))
    strength = choice_of_k.measure_prediction_strength(X, range(2, 7), rng)
    assert strength[1] == 1
    assert strength[2:].max() < 0.8


@pytest.mark.parametrize("starts", [1, 3])
def test_compiled_k_means_is_that_of_scikit_learn(starts):
    """With the same random numbers, also where clusters become empty and objects are equal in a feature."""
    rng = np.random.default_rng(1)
    for n, d, k in [(30, 1, 12), (80, 2, 3), (100, 5, 9), (60, 3, 6)]:
        X = rng.normal(size=(n, d)) + 6 * rng.integers(0, 3, size=(n, 1))
        expected, found = (
            recipe.fit(X, k, np.random.default_rng(7), starts) for recipe in (ResampledKMeans(), CompiledKMeans())
        )
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        assert found.inertia_ == pytest.approx(expected.inertia_)


def test_the_criteria_of_the_recommendation_alone_have_the_same_values():
    X = np.random.default_rng(0).normal(size=(40, 3))
    data, ks = make_source(None, range(2, 5), X, CompiledKMeans(5), None, 3, 0)
    names = ["silhouette", "dispersion"]
    some = choice_of_k.measure_some(data, ks, names)
    every = measure_values(data, ks, choice_of_k.DRAWS)
    for name in names:
        np.testing.assert_array_equal(some.pool(name), every.pool(name))
    np.testing.assert_array_equal(some.halves, every.halves)
    assert recommend(some, 0.05) == recommend(every, 0.05)


def test_an_empty_cluster_takes_the_object_that_is_farthest_away():
    X = np.array([[0.0], [1.0], [9.0]])
    centres = average(X, np.array([0, 0, 0]), np.array([1.0, 4.0, 5.0]), 2)
    np.testing.assert_array_equal(centres, [[0.5], [9.0]])


@pytest.mark.long
@pytest.mark.parametrize("is_standardised", [False, True])
def test_seeds_agree_on_iris_or_say_that_they_may_disagree(is_standardised):
    """With the default settings, which this k-means makes bearable. One seed of three may be sure of what two share."""
    X = load_iris().data
    if is_standardised:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    tables = [choose_k(features=X, ks=range(2, 6), recipe=CompiledKMeans(), seed=seed) for seed in range(3)]
    picked = [int(table.loc[table["recommended"], "k"].iloc[0]) for table in tables]
    warned = ["disagree" in describe_recommendation(table) for table in tables]
    common = max(picked, key=picked.count)
    if len(set(picked)) > 1:
        assert sum(warned) >= 2
        assert all(is_warned for k, is_warned in zip(picked, warned, strict=True) if k != common)


def test_what_is_kept_of_a_set_gives_its_recommendation(tmp_path):
    """Rounding, the file, and the order of its numbers change nothing."""
    few = {"RUNS": 4, "HALVES": 3, "N_OBJECTS": 40, "MANY": range(2, 5), "FEW": range(2, 4)}
    sets = [
        choice_of_k.Set("planted", "line", 3, "equal", "10", 0),
        choice_of_k.Set("planted", "line", 4, "equal", "10", 9),
        choice_of_k.Set("labels", "", 2, "equal", "0.1", 0),
        choice_of_k.Set("shape", "ring", 1, "", "", 50),
    ]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in few.items():
            patch.setattr(choice_of_k, name, value)
        choice_of_k.run(sets, tmp_path / "values.parquet", 1)
        picks = choice_of_k.read_picks(tmp_path / "values.parquet").set_index("k")
        # of a shape it is measured whether there are several clusters, and not how many
        assert picks["recommended"].to_dict() == {3: 3, 4: 4, 2: 2, 1: np.inf}
        assert picks["PAC"].isna().to_dict() == {3: False, 4: True, 2: False, 1: True}
        before = (tmp_path / "values.parquet").read_bytes()
        choice_of_k.run(sets, tmp_path / "values.parquet", 1)
        assert (tmp_path / "values.parquet").read_bytes() == before, "nothing was missing"


def test_the_page_has_the_tables_of_the_choices(tmp_path):
    page = tmp_path / "page.md"
    page.write_text((ROOT / "docs/choice-of-k.md").read_text(encoding="utf-8"))
    choice_of_k.write_page(ROOT / "docs/choice-of-k/values.parquet", page)
    assert page.read_text(encoding="utf-8") == (ROOT / "docs/choice-of-k.md").read_text(encoding="utf-8")
