"""What an exhibit may name of the methods that are fitted for it."""

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from concord.validation import did_you_mean

if TYPE_CHECKING:
    from concord.config.experiment import MethodRun

Mistakes = Iterator[tuple[str, str]]
"""Pairs of a key inside the exhibit and " = value: message"."""


def unknown(key: str, words: Iterable[str], choices: Collection[str]) -> Mistakes:
    """Yield a mistake for each word that is no choice."""
    for word in words:
        if word not in choices:
            yield key, f" = {word!r}: not known here; {did_you_mean(word, list(choices))}"


def of_fit(run: "MethodRun", key: str) -> Mistakes:
    """Yield a mistake if a method needs features: figures read base clusterings only."""
    from concord import methods

    if methods.needs_features(run.method, run.parameters, [run.default]):
        yield f"{key}method", f" = {run.id!r}: it needs features, which figures do not read; name another"
