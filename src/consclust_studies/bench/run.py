"""The steps of ``consclust bench``: checks, ensembles, fits, comparison, report."""

# pandas is imported where needed, so that what does without it starts faster

from collections.abc import Callable, Iterable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

from consclust import __version__
from consclust.cli.output import check_folder, kept_for_one
from consclust.errors import InputError
from consclust.files import write_text
from consclust.plurals import count
from consclust_studies.bench import contract, ensembles, fits
from consclust_studies.bench.comparison import METRICS, join
from consclust_studies.bench.own_method import OwnMethod, compute_key, load
from consclust_studies.bench.report import FILES, PAGE_OF_ALL, write_report
from consclust_studies.results.boards import find_facts

FITS = "fits"
"""The folder, in that of the report, of what is kept of finished cases."""
MAKE_PAGE = Path("studies/leaderboard/make_page.py")

Watch = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Shows how many of some steps are done."""


class Request(NamedTuple):
    """What is asked for."""

    own: OwnMethod
    name: str
    sets: str
    limit: float
    jobs: int
    out: Path
    accepted: Path
    """The scores of all methods, ``cells.csv`` of the leaderboard."""

    def check(self) -> None:
        """Raise InputError where the folder of the report or the accepted scores cannot be used."""
        if not self.accepted.is_file():
            raise InputError(f"{self.accepted}: not there; run `snakemake --cores N leaderboard` and keep its report")
        given = self.own.path or self.accepted
        check_folder(self.out, (*FILES, FITS), given)


def check_method(request: Request, say: Callable[[str], None]) -> list[contract.Outcome]:
    """Run the contract checks on a method; say what each found."""
    outcomes = contract.check_contract(load(request.own))
    for one in outcomes:
        say(f"{one.word}: {one.title}" + (f": {one.problem}" if one.problem else ""))
    return outcomes


def run_comparison(request: Request, outcomes: Sequence[contract.Outcome], watch: Watch) -> str:
    """Fit a method to the ensembles of the chosen data sets and write the report; return its abstract."""
    import pandas as pd

    accepted = pd.read_csv(request.accepted)
    plan = ensembles.read_plan()
    datasets = ensembles.choose_sets(plan, request.sets)
    cases = ensembles.list_cases(plan, datasets)
    facts = {dataset: find_facts(plan.registry[dataset].card) for dataset in datasets}
    key = f"{compute_key(request.own)} {request.name}"
    ensembles.make_ensembles(cases, request.jobs)
    with kept_for_one(request.out, FILES):
        tasks = [fits.Task(request.own, request.name, case, METRICS) for case in cases]
        store = fits.Store(request.out / FITS, key)
        found = watch(fits.fit_all(tasks, store, request.jobs, request.limit), len(tasks), f"fits of {request.name}")
        results = {result.case: result for result in found}
        board = join(request.name, accepted, cases, results, facts)
        settings = {
            "Method": str(request.own.path or request.own.program),
            "SHA-256 of its code": key.split()[0],
            "Data sets": f"{request.sets} ({len(datasets)})",
            "Ensembles": count(sum(case.n_ensembles for case in cases), "ensemble"),
            "Seconds of a fit at most": f"{request.limit:g}",
            "consclust": __version__,
        }
        summary = write_report(board, outcomes, fits.collect_failures(results), settings, request.out)
        write_text(request.out / PAGE_OF_ALL, make_page_of_all(request.out / "cells.csv"))
    return summary


def make_page_of_all(cells: Path) -> str:
    """Return the page of the leaderboard with the user's method."""
    spec = spec_from_file_location("leaderboard_page", MAKE_PAGE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.make_page(cells))
