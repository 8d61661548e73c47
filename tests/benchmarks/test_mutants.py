"""The tables of mutation testing, and its page."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import mutants

FOLDER = mutants.ROOT / "docs/mutants"
FIRST, SECOND, THIRD = list(mutants.MODULES)[:3]


def counts(module, changes):
    return mutants.Count(module, changes, changes, 0)


def test_the_rows_of_a_module_take_the_place_of_those_it_had(tmp_path):
    path = tmp_path / "modules.csv"
    path.write_text("module,changes,killed,survived\nsrc/gone.py,6,6,0\n")
    for module, changes in ((SECOND, 3), (FIRST, 4), (THIRD, 5), (FIRST, 7)):
        mutants.write_rows(path, module, [counts(module, changes)], mutants.Count._fields)
    rows = mutants.read_rows(path)
    assert [(row["module"], row["changes"]) for row in rows] == [(FIRST, "7"), (SECOND, "3"), (THIRD, "5")]
    mutants.write_rows(path, SECOND, [], mutants.Count._fields)
    assert [row["module"] for row in mutants.read_rows(path)] == [FIRST, THIRD]


@pytest.mark.parametrize("table", ["modules.csv", "survivors.csv", "explained.csv"])
def test_the_tables_are_of_the_modules_that_are_changed(table):
    assert {row["module"] for row in mutants.read_rows(FOLDER / table)} <= set(mutants.MODULES)


def test_each_survivor_is_explained_and_each_explanation_is_of_a_survivor():
    survivors = {mutants.key_of(row) for row in mutants.read_rows(FOLDER / "survivors.csv")}
    assert {mutants.key_of(row) for row in mutants.read_rows(FOLDER / "explained.csv")} == survivors


def test_the_page_is_that_of_the_tables(tmp_path):
    mutants.write_page(FOLDER, tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text() == (mutants.ROOT / "docs/mutation-testing.md").read_text()


def test_every_module_and_its_tests_are_there():
    for module, tests in mutants.MODULES.items():
        for path in (module, *tests):
            assert (mutants.ROOT / path).exists(), path
