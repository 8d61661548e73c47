"""How rows, parameters and numbers are written: one way in all tables, captions and figures."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from consclust.plurals import count as count

if TYPE_CHECKING:
    from pathlib import Path

    from pandas import DataFrame

DASH = "\N{EN DASH}"
"""Stands where there is no value."""
MINUS = "\N{MINUS SIGN}"
GREEK = ("alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "lambda", "mu", "rho", "sigma", "tau")
_LETTERS = "αβγδεηθλμρστ"
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def paragraph(*sentences: str | bool) -> str:
    """Join the sentences that are not empty or False."""
    return " ".join(f"{sentence}" for sentence in sentences if sentence)


def file_name(path: Path) -> str:
    """Return the name of a file, with a question mark for each byte that is no text."""
    return path.name.encode("utf-8", "replace").decode("utf-8")


def score(value: float) -> str:
    """Write a score with three decimals and without the zero before the point; a dash for NaN."""
    return number(value, "z.3f").replace("0.", ".", 1)


def signed(value: float) -> str:
    """Write a difference of scores, with its sign; a dash for NaN."""
    return number(value, "+.3f").replace("0.", ".", 1)


def number(value: float, form: str = "g") -> str:
    """Write a number in a format; a dash for NaN."""
    return DASH if math.isnan(value) else format(value, form).replace("-", MINUS)


def seconds(value: float) -> str:
    """Write a duration with its unit; a dash for NaN."""
    if math.isnan(value):
        return DASH
    if value >= 3600:
        return f"{value / 3600:.1f} h"
    if value >= 100:
        return f"{value:.0f} s"
    return f"{value:.3g} s" if value >= 1 else f"{value * 1000:.3g} ms"


def spanned(numbers: Collection[int], noun: str, form: str = "") -> str:
    """Write the range of some numbers with its noun: "1 cluster", "3 clusters", "2 to 5 clusters"."""
    low, high = min(numbers), max(numbers)
    return count(high, noun, form) if low == high else f"{low:{form}} to {count(high, noun, form)}"


def sentence(text: str) -> str:
    """Return a text with its full stop, if it has none."""
    return text if text.rstrip("\"')").endswith((".", "!", "?")) else f"{text}."


def conjunction(parts: Sequence[str]) -> str:
    """Write a list: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def numbers(values: int | str | tuple[int, ...]) -> str:
    """Write numbers with runs of them drawn together: "3-10, 15, 20"; a word as it is."""
    if not isinstance(values, tuple):
        return f"{values}"
    groups = groupby(enumerate(values), lambda pair: pair[1] - pair[0])  # the same in a run
    spans = [[value for _, value in group] for _, group in groups]
    return ", ".join(f"{span[0]}-{span[-1]}" if len(span) > 1 else f"{span[0]}" for span in spans)


def symbol(parameter: str, *, tex: bool = False) -> str:
    """Return a parameter as the papers write it: ``lambda1`` as λ₁ (or as TeX); other names stay."""
    match = re.fullmatch(rf"({'|'.join(GREEK)})_?(\d*)", parameter)
    if not match:
        return parameter
    word, digits = match.groups()
    if tex:
        return rf"$\{word}_{{{digits}}}$" if digits else rf"$\{word}$"
    return _LETTERS[GREEK.index(word)] + digits.translate(_SUBSCRIPTS)


def symbols(text: str) -> str:
    """Write the parameters in a sentence as symbols."""
    return re.sub(rf"\b({'|'.join(GREEK)})_?\d*\b", lambda word: symbol(word.group()), text)


def point(parameters: Mapping[str, object]) -> str:
    """Write a grid point: "λ₁ = 1, λ₂ = 0.1"."""
    texts = {name: f"{value:g}" if isinstance(value, float) else f"{value}" for name, value in parameters.items()}
    return ", ".join(f"{symbol(name)} = {text}" for name, text in texts.items())


def untex(text: str) -> str:
    """Return a title of a picture for running text: "S - SZ" for "$S - SZ$"."""
    return re.sub(r"[$\\]", "", text)


def records(columns: str, rows: Iterable[tuple[Any, ...]]) -> DataFrame:
    """Return a frame with these columns, their names separated by spaces."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=columns.split())
