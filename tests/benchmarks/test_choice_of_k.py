"""The design of the measurements of the choice of k, and the page that is made of them."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import choice_of_k  # noqa: E402


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
    assert Counter(one.k for one in sets if one.part == "labels") == {1: 100, **dict.fromkeys(range(2, 11), 20)}


def test_a_part_of_the_design_has_some_sets_of_each_cell():
    sets = choice_of_k.list_sets(100, 20, real=False)
    first = Counter((one.part, one.k if one.part != "shape" else one.kind) for one in sets[: len(sets) // 5])
    assert len(first) == 9 + 9 + 10
    assert min(first.values()) >= 3


@pytest.mark.parametrize("kind", ["line", "random"])
def test_the_nearest_centres_are_as_far_apart_as_the_set_says(kind):
    centres = choice_of_k.place_centres(5, 4.0, kind, np.random.default_rng(0))
    distances = np.linalg.norm(centres[:, None] - centres[None], axis=2)[np.triu_indices(5, 1)]
    assert distances.min() == pytest.approx(4)


def test_prediction_strength_of_groups_far_apart_is_their_number():
    rng = np.random.default_rng(0)
    X = np.repeat([0, 30, 60], 20)[:, None] + rng.normal(size=(60, 2))
    assert choice_of_k.measure_prediction_strength(X, rng) == 3


def test_the_page_has_the_tables_of_the_choices(tmp_path):
    page = tmp_path / "page.md"
    page.write_text((ROOT / "docs/choice-of-k.md").read_text(encoding="utf-8"))
    choice_of_k.write_page(ROOT / "docs/choice-of-k/choices.csv", page)
    assert page.read_text(encoding="utf-8") == (ROOT / "docs/choice-of-k.md").read_text(encoding="utf-8")
