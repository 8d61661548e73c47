"""The rows of Table 2: every method in every reading of its grid, and how they are printed."""

import inspect
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from concord.config.protocol import Case, MethodRun
from concord.config.study import Study

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec

READINGS = {
    "fixed": "",
    "oracle-per-subset": "oracle, per subset",
    "oracle-common": "oracle, common",
    "default": "default",
}
"""How a reading is printed behind the method's name; "fixed" is a method without a grid."""

GREEK = ("alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "lambda", "mu", "rho", "sigma", "tau")
_LETTERS = "αβγδεηθλμρστ"
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Titled(Protocol):
    """A registered data set, of which only the title matters here."""

    @property
    def title(self) -> str:
        """How the papers print its name."""


class Row(NamedTuple):
    """A method in one reading."""

    method: str
    reading: str

    @property
    def name(self) -> str:
        """Name as printed: "RCE (oracle, common)"; the bare method where there is no grid."""
        return f"{self.method} ({READINGS[self.reading]})" if READINGS[self.reading] else self.method


def counted_rows(study: Study, table: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rows of the cases that count: no data set twice."""
    return table[table["case"].isin([case.id for case in study.counted])]


def study_rows(study: Study) -> list[Row]:
    """Rows in the order of the tables: the base clusterings, then the methods, each in its readings."""
    rows = [Row(study.base_clusterings, "fixed")]
    for run in study.methods:
        readings = [r for r in READINGS if (r != "fixed") == bool(run.grid)]
        rows += [Row(run.id, reading) for reading in readings]
    return rows


def main_row(study: Study, method: str) -> Row:
    """Return the row that speaks for a method in claims: its reading is the study's if it has a grid."""
    if method != study.base_clusterings and study.method(method).grid:
        return Row(method, study.reading)
    return Row(method, "fixed")


def main_rows(study: Study) -> list[Row]:
    """Return one row for each method, and one for the base clusterings: what claims and ranks look at."""
    return [
        main_row(study, method) for method in (study.base_clusterings, *(run.id for run in study.methods))
    ]


def default_parameters(method: str) -> dict[str, Any]:
    """Return what a method takes where nothing is set, but for what the workflow sets; empty if not known."""
    from concord.methods import registry

    if method not in registry.available():
        return {}
    signature = inspect.signature(registry.load(method)).parameters.values()
    return {p.name: p.default for p in signature if p.name not in {"n_clusters", "random_state"}}


def all_parameters(run: MethodRun) -> dict[str, Any]:
    """Return the parameters of a run, set or left at the method's own defaults; a grid counts as a value."""
    return {"method": run.method, **default_parameters(run.method), **run.parameters, **run.grid}


def steps_text(case: Case, spec: "DatasetSpec") -> str:
    """Return the preprocessing of a case in words: its own steps, else those of its data set."""
    return ", ".join(case.steps(spec)) or "none"


def numbers_text(n_clusters: int | str | tuple[int, ...]) -> str:
    """Return numbers with runs of them drawn together: "3-10, 15, 20"; a word as it is."""
    if not isinstance(n_clusters, tuple):
        return f"{n_clusters}"
    spans: list[list[int]] = []
    for number in n_clusters:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(f"{span[0]}-{span[-1]}" if len(span) > 1 else f"{span[0]}" for span in spans)


def case_titles(study: Study, registry: Mapping[str, Titled]) -> dict[str, str]:
    """Return the printed name of every case: its own title, or that of its data set.

    Data sets that are not in the study are there too, under their id: a restricted run says what is left out.
    """
    titles = {dataset: spec.title for dataset, spec in registry.items()}
    return titles | {case.id: case.title or registry[case.dataset].title for case in study.described}


def symbol(parameter: str, *, tex: bool = False) -> str:
    """Return a parameter as the papers write it: ``lambda1`` as λ₁ (or as TeX); other names stay."""
    match = re.fullmatch(rf"({'|'.join(GREEK)})_?(\d*)", parameter)
    if not match:
        return parameter
    word, digits = match.groups()
    if tex:
        return rf"$\{word}_{{{digits}}}$" if digits else rf"$\{word}$"
    return _LETTERS[GREEK.index(word)] + digits.translate(_SUBSCRIPTS)


def point_text(parameters: Mapping[str, object]) -> str:
    """Return a grid point as text: "λ₁ = 1, λ₂ = 0.1"."""
    return ", ".join(
        f"{symbol(name)} = {value:g}" if isinstance(value, float) else f"{symbol(name)} = {value}"
        for name, value in parameters.items()
    )
