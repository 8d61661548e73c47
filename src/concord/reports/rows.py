"""The rows of Table 2: every method in every reading of its grid, and how they are printed."""

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from concord.config import Study

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
