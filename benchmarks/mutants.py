"""Change the code in small ways and see whether its tests notice; `make mutants` runs this.

    python benchmarks/mutants.py --python .venv/bin/python --out docs/mutants --page docs/mutation-testing.md

It runs in an environment with cosmic-ray (envs/mutation.lock), the tests in that of the project, which ``--python``
names. Each module of ``MODULES`` is changed in as many places as ``--places`` says. Places and changes are drawn with a
seed, so that a second run makes the same ones. A change is *killed* if one of the module's tests fails, and else it
*survived*. All changes are made in copies of the project, one for each process.

The folder gets modules.csv, with the counts, and survivors.csv. The rows of a module are written when it is finished,
so that a run that is stopped loses no other; ``--only`` measures the modules that are left, or some of them again.
After tests were added, ``--survivors`` makes only the changes that survived; the others count as before. The page is
written from the tables and from explained.csv beside them, which is written by hand: why a change survives.
``--page-only`` writes the page anew without a run.
"""

import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from pages import read_rows

ROOT = Path(__file__).parents[1]
NUMERICS = "src/consclust/numerics"
KERNELS = f"{NUMERICS}/kernels"
STUDIES = "src/consclust_studies"
SEED = 0
UNITS = (
    *("simplex", "spectral", "subspace", "lowrank", "eigen", "krylov", "leading", "partition", "components", "tcut"),
    *("rceproblem", "splitting", "bisection", "gram", "points"),
)
MODULES: dict[str, tuple[str, ...]] = {
    "src/consclust/scores.py": ("tests/scores/test_metrics.py", "tests/scores/test_adjusted_for_chance.py"),
    "src/consclust/inference.py": ("tests/test_inference.py",),
    f"{STUDIES}/stages/selection.py": ("tests/scores/test_selection.py",),
    f"{STUDIES}/results/significance.py": ("tests/scores/test_significance.py",),
    f"{STUDIES}/results/verdicts.py": ("tests/reports/exhibits/test_claims.py",),
    f"{STUDIES}/results/over_datasets.py": ("tests/reports/test_over_datasets.py",),
    f"{STUDIES}/results/published_scores.py": ("tests/reports/test_published_scores.py",),
    **{f"{NUMERICS}/{name}.py": (f"tests/numerics/test_{name}.py",) for name in UNITS},
    f"{NUMERICS}/clusterspace.py": ("tests/numerics/test_clusterspace.py",),
    f"{NUMERICS}/linkage.py": ("tests/numerics/test_linkage.py",),
    f"{NUMERICS}/separation.py": ("tests/numerics/test_separation.py",),
    f"{KERNELS}/simplex_kernels.py": ("tests/numerics/test_simplex.py",),
    f"{KERNELS}/linkage_kernels.py": ("tests/numerics/test_linkage.py",),
    f"{KERNELS}/clusterspace_kernels.py": ("tests/numerics/test_clusterspace.py",),
    f"{KERNELS}/pair_kernels.py": ("tests/numerics/test_pair_kernels.py",),
    f"{KERNELS}/rce_kernels.py": ("tests/numerics/kernels/test_rce_kernels.py", "tests/methods/test_rce.py"),
}
"""The modules that are changed, and the tests that must notice it."""

EXCHANGES = (
    "Lt_LtE Lt_Gt LtE_Lt LtE_Gt Gt_GtE Gt_Lt GtE_Gt GtE_Lt Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is",
    "Add_Sub Sub_Add Mul_Div Div_Mul Pow_Mul FloorDiv_Mul Mod_FloorDiv",
)
OPERATORS = {
    *(f"core/ReplaceComparisonOperator_{pair}" for pair in EXCHANGES[0].split()),
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in EXCHANGES[1].split()),
    *("core/ReplaceUnaryOperator_Delete_USub", "core/ReplaceUnaryOperator_Delete_Not"),
    *("core/ReplaceAndWithOr", "core/ReplaceOrWithAnd", "core/ReplaceTrueWithFalse", "core/ReplaceFalseWithTrue"),
    *("core/ReplaceBreakWithContinue", "core/ReplaceContinueWithBreak", "core/AddNot"),
    *("core/NumberReplacer", "core/ZeroIterationForLoop"),
}
"""Cosmic-ray's changes that are made; the others are mostly of a kind that any test notices, such as + to **."""

SELECTED_TESTS = "not workflow and not mirror and not long"
PATIENCE = 4
"""A change that makes the tests take so many times as long, and half a minute at least, counts as killed."""

INTRODUCTION = """# Mutation testing

`make mutants` measures whether the tests would notice a mistake in the code. It changes the code in small ways, one at
a time, and runs the tests of the changed module. A comparison is replaced by another one, a sum by a difference, a
product by a quotient, a number by one more or one less, a condition by its opposite, or a loop is left out. A change is
killed if a test fails or takes much longer; otherwise it survives. The places are drawn with a seed, {places} in each
module or all that it has. [Cosmic-ray](https://cosmic-ray.readthedocs.io) makes the changes, in a copy of the project.
It has an environment of its own (`envs/mutation.lock`), which `make env` does not install.

A change that survives is either a gap in the tests or no mistake at all: the program does the same with it, or what it
changes is not promised.

{total}

{table}

## Changes that survived

Each is explained here, by hand in `docs/mutants/explained.csv`."""


class Mutation(NamedTuple):
    """A change at a place of a module."""

    module: str
    operator: str
    occurrence: int
    function: str


class Outcome(NamedTuple):
    """A change, the line before and after it, and whether a test noticed it."""

    module: str
    function: str
    before: str
    after: str
    survived: bool


Key = tuple[str, str, str]
"""What tells a change from others, whatever its line number: the module, and the line before and after."""
SURVIVOR_COLUMNS = ("module", "function", "before", "after")


class Count(NamedTuple):
    """The changes of a module."""

    module: str
    changes: int
    killed: int
    survived: int


def list_mutations(module: str, places: int) -> list[Mutation]:
    """Return changes of a module, one for each drawn place, in random order; the same ones in each run."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.ast.ast_query import ASTQuery
    from cosmic_ray.plugins import get_operator

    tree = get_ast((ROOT / module).read_text(encoding="utf-8"))
    by_place: dict[tuple[tuple[int, int], tuple[int, int]], list[Mutation]] = {}
    for operator in sorted(OPERATORS):
        change = get_operator(operator)()
        found = [(node, *place) for node in ast_nodes(tree) for place in change.mutation_positions(node)]
        for occurrence, (node, start, end) in enumerate(found):
            function = ASTQuery(node).get_definition_name() or "(module)"
            by_place.setdefault((start, end), []).append(Mutation(module, operator, occurrence, function))
    draw = random.Random(f"{SEED} {module}")
    drawn = draw.sample(sorted(by_place), min(places, len(by_place)))
    return [draw.choice(by_place[place]) for place in drawn]


def copy_project(folder: Path) -> None:
    """Copy the files that git knows; neither results nor compiled code."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["xargs", "-0", "cp", "--parents", "-t", str(folder)], input=names, cwd=ROOT, check=True)


def command_of(module: str, python: str) -> list[str]:
    """Return the command that runs the tests of a module."""
    options = ["-q", "-x", "--no-header", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", SELECTED_TESTS]
    return [python, "-m", "pytest", *options, *MODULES[module]]


def try_mutations(module: str, places: int, python: str, chosen: Container[Key] | None) -> list[Outcome]:
    """Make the changes of a module one after the other in a copy of the project; those not chosen count as killed."""
    with tempfile.TemporaryDirectory() as folder:
        copy_project(Path(folder))
        os.chdir(folder)
        os.environ["PYTHONPATH"] = str(Path(folder, "src"))
        command = command_of(module, python)
        start = time.monotonic()
        unchanged = subprocess.run(command, capture_output=True, text=True)
        if unchanged.returncode:
            sys.exit(f"{module}: its tests fail without any change:\n{unchanged.stdout}")
        limit = max(30.0, PATIENCE * (time.monotonic() - start))
        outcomes = [try_mutation(mutation, command, limit, chosen) for mutation in list_mutations(module, places)]
        os.chdir(ROOT)
        return outcomes


def try_mutation(mutation: Mutation, command: Sequence[str], limit: float, chosen: Container[Key] | None) -> Outcome:
    """Make a change, run the tests if it is chosen, and undo it."""
    from cosmic_ray.mutating import use_mutation
    from cosmic_ray.plugins import get_operator
    from cosmic_ray.testing import run_tests
    from cosmic_ray.work_item import TestOutcome

    operator = get_operator(mutation.operator)()
    with use_mutation(Path(mutation.module), operator, mutation.occurrence) as (original, changed):
        before, after = first_difference(original, changed)
        survived = chosen is None or (mutation.module, before, after) in chosen
        if survived:
            result, _ = run_tests(" ".join(quote(word) for word in command), limit)
            survived = result == TestOutcome.SURVIVED
    return Outcome(mutation.module, mutation.function, before, after, survived)


def quote(word: str) -> str:
    """Return a word of a command as a shell reads it."""
    return "'" + word.replace("'", "'\"'\"'") + "'"


def first_difference(original: str, changed: str) -> tuple[str, str]:
    """Return the first line that differs, in both forms."""
    for before, after in zip(original.splitlines(), changed.splitlines(), strict=False):
        if before != after:
            return before.strip(), " ".join(after.split())
    return "", ""


def run(
    modules: Iterable[str], places: int, python: str, processes: int, folder: Path, chosen: Container[Key] | None
) -> None:
    """Make the changes of the modules; write the counts and the survivors of each one when it is finished."""
    start = time.monotonic()
    # a process for each module, because its environment is that of the process
    with ProcessPoolExecutor(processes, max_tasks_per_child=1) as pool:
        jobs = {pool.submit(try_mutations, module, places, python, chosen): module for module in modules}
        for job in as_completed(jobs):
            module = jobs[job]
            outcomes = job.result()
            survivors = [outcome for outcome in outcomes if outcome.survived]
            counts = Count(module, len(outcomes), len(outcomes) - len(survivors), len(survivors))
            write_rows(folder / "modules.csv", module, [counts], Count._fields)
            write_rows(folder / "survivors.csv", module, survivors, SURVIVOR_COLUMNS)
            seconds = time.monotonic() - start
            print(f"{seconds:5.0f} s  {module}: {counts.survived} of {counts.changes} survived", flush=True)


def write_rows(path: Path, module: str, rows: Iterable[NamedTuple], columns: Sequence[str]) -> None:
    """Write the rows of a module into a table, instead of those that it had; modules have the order of ``MODULES``."""
    others = [row for row in read_rows(path) if row["module"] in MODULES and row["module"] != module]
    ours = [{name: str(getattr(row, name)) for name in columns} for row in rows]
    order = list(MODULES)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*others, *ours], key=lambda row: order.index(row["module"])))


def write_page(folder: Path, page: Path) -> None:
    """Write the page from the tables of the folder."""
    counts = read_rows(folder / "modules.csv")
    survivors = read_rows(folder / "survivors.csv")
    explained = {key_of(row): row["why"] for row in read_rows(folder / "explained.csv")}
    lines = ["| module | changes | killed | survived |", "|---|---|---|---|"]
    for row in counts:
        name = row["module"].removeprefix("src/")
        lines.append(f"| `{name}` | {row['changes']} | {row['killed']} | {row['survived']} |")
    places = max(int(row["changes"]) for row in counts)
    text = INTRODUCTION.format(places=places, total=describe_total(counts), table="\n".join(lines))
    page.write_text("\n".join([text, *describe(survivors, explained)]).rstrip("\n") + "\n", encoding="utf-8")


def describe_total(counts: Iterable[dict[str, str]]) -> str:
    """Say how many changes were made, and how many were killed."""
    rows = list(counts)
    made = sum(int(row["changes"]) for row in rows)
    killed = sum(int(row["killed"]) for row in rows)
    return f"{killed} of {made} changes are killed, {made - killed} survive."


def describe(survivors: Iterable[dict[str, str]], explained: dict[Key, str]) -> Iterator[str]:
    """Yield the lines on the changes that survived, under the names of their modules."""
    module = ""
    for row in survivors:
        if row["module"] != module:
            module = row["module"]
            yield f"\n### `{module.removeprefix('src/')}`\n" if module else ""
        why = explained.get(key_of(row), "Not explained yet.")
        yield f"* `{row['function']}`: `{row['before']}` becomes `{row['after']}`. {why}"


def key_of(row: dict[str, str]) -> Key:
    """Return the key of a change that is a row of a table."""
    return row["module"], row["before"], row["after"]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the Python that runs the tests")
    parser.add_argument("--places", type=int, default=15, help="places that are changed in each module")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=(), help="parts of paths; other modules keep their rows")
    parser.add_argument("--survivors", action="store_true", help="make only the changes that survived before")
    parser.add_argument("--out", type=Path, required=True, help="folder of the tables")
    parser.add_argument("--page", type=Path, required=True, help="the page of the documentation")
    parser.add_argument("--page-only", action="store_true", help="write the page from the tables, without a run")
    given = parser.parse_args()
    modules = [module for module in MODULES if not given.only or any(part in module for part in given.only)]
    if not given.page_only:
        # an absolute path, as tests run in another folder; not resolved, as that would leave the environment
        python = str(Path(given.python).absolute())
        chosen = {key_of(row) for row in read_rows(given.out / "survivors.csv")} if given.survivors else None
        run(modules, given.places, python, given.processes, given.out, chosen)
    write_page(given.out, given.page)


if __name__ == "__main__":
    main()
