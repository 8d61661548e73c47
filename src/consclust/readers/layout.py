"""What a file of labels or features cannot say about itself, and how the user of each door says it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

TEXT_SUFFIXES = (".csv", ".dat", ".tsv", ".txt")
ARRAY_SUFFIXES = (".mat", ".npy", ".npz")
SUFFIXES = (*TEXT_SUFFIXES, *ARRAY_SUFFIXES, ".parquet")
MISSING_LABEL = -1


@dataclass(frozen=True)
class Layout:
    """What a file cannot say about itself; None: seen in the file."""

    header: bool | None = None
    """Whether the first line of a text file has names."""
    ids: str | None = None
    """Name of the column with the ids of the objects."""
    no_ids: bool = False
    """Whether no column has ids: none is looked for."""
    drop: Sequence[str] = ()
    """Names of columns to leave out."""
    transposed: bool | None = None
    """Whether the objects are in columns; None: in rows, and fewer rows than columns are refused."""
    variable: str | None = None
    """Which of several arrays in the file."""
    classes: str | None = None
    """Column, or variable of an ``.npz`` or ``.mat`` file, with the class of each object."""
    missing: int = MISSING_LABEL
    """Label of an object that is missing from a clustering; so is an empty cell, NA, NaN or None."""
    codes: Sequence[str] = ()
    """Further labels of objects that are missing from a clustering, as text, such as 0 or ?."""
    indicator: bool = False
    """Whether adjacent columns of 0 and 1 are the clusters of one clustering."""
    long: bool | None = None
    """Whether each row has an object, a clustering and a label; None: not so."""
    comments: bool = False
    """Whether leading lines of a text file that begin with # are comments, or names after a #."""
    decimal: str = "."
    """What stands before the decimals of a number in a text file."""
    all_have_classes: bool = True
    """Whether an object without a class is refused."""
    names_expected: bool = False
    """Whether numbers in the first line of a text file are taken for names where they may be that."""


def _unchanged(name: str) -> str:
    return name


@dataclass(frozen=True)
class Remedies:
    """The settings of a door, as its user writes them; "{}" stands for a name, "" for a setting that it lacks."""

    header: str = ""
    no_header: str = ""
    ids: str = ""
    no_ids: str = ""
    drop: str = ""
    transposed: str = ""
    not_transposed: str = ""
    variable: str = ""
    classes: str = ""
    features: str = ""
    missing: str = ""
    indicator: str = ""
    long: str = ""
    not_long: str = ""
    decimal: str = ""
    scale: str = ""
    least: int = 1
    """Number of clusterings that must be left where columns are taken out."""
    where: str = ""
    """The file that has the settings."""
    quote: Callable[[str], str] = _unchanged
    """How a name is written."""

    def key(self, setting: str) -> str:
        """Return a setting without its value: --id, ids."""
        template: str = getattr(self, setting)
        return template.partition("{")[0].rstrip(" :=[")

    def use(self, *names: str, **purposes: str) -> str:
        """Return a remedy: the settings that the door has, each with its purpose; "" if it has none of them.

        Several names are for settings that take several.

        >>> Remedies(ids="--id {}", drop="--drop {}").use("a", ids="if these are ids", drop="to leave this column out")
        'use --id a if these are ids, or --drop a to leave this column out'
        >>> Remedies(drop="--drop {}").use("a", "b", drop="to leave them out")
        'use --drop a --drop b to leave them out'
        """
        choices = []
        for setting, purpose in purposes.items():
            if template := getattr(self, setting):
                choices.append(f"{self._fill(template, names)} {purpose}".rstrip())
        if not choices:
            return ""
        separator = ", or " if any(purposes.values()) else " or "
        return f"use {separator.join(choices)}{self.where and f' in {self.where}'}"

    def _fill(self, template: str, names: Sequence[str]) -> str:
        """Return a setting with names: in its list if it has one, else once for each."""
        quoted = [self.quote(name) for name in names]
        if "{}" not in template or "[{}]" in template:
            return template.format(", ".join(quoted))
        return " ".join(template.format(name) for name in quoted)
