"""What the docstring of a method says of its parameters, for the command; numpydoc is not needed."""

import inspect
import re
from typing import NamedTuple

ROLE = re.compile(r":[a-z:]+:`~?(?:[\w.]*\.)?(\w+)`")
"""A reference such as :class:`~consclust.Ensemble`; its last word is shown."""
FORMULA = re.compile(r":math:`([^`]*)`")
END_OF_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`])")
SEE_BASE = "See "


class Described(NamedTuple):
    """What a docstring says of a parameter."""

    kind: str
    """Type and bounds, such as "float >= 0"."""
    text: str
    """What it does, on one line."""

    def shorten(self) -> str:
        """Return the first sentence of the text, and of a parameter with choices those that begin with a choice."""
        first, *others = END_OF_SENTENCE.split(self.text)
        return " ".join([first, *(sentence for sentence in others if sentence.startswith('"'))])


def describe_parameters(method: type, base: type) -> dict[str, Described]:
    """Return what is said of each parameter of a method; of those that it shares with others, what the base says.

    Empty without docstrings, as under ``python -OO``.
    """
    common = _read_parameters(base)
    own = _read_parameters(method)
    return {
        name: common.get(name, described) if described.text.startswith(SEE_BASE) or not described.text else described
        for name, described in own.items()
    }


def _read_parameters(cls: type) -> dict[str, Described]:
    """Return the section Parameters of the docstring of a class, as numpydoc lays it out."""
    text = inspect.cleandoc(cls.__doc__ or "")
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    found: dict[str, Described] = {}
    if section is None:
        return found
    for entry in re.split(r"\n(?=\S)", section[1].strip("\n")):
        head, _, body = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        described = Described(re.sub(r",? default .*$", "", kind), _write_plain(body))
        found |= dict.fromkeys(re.split(r",\s*", names), described)
    return found


def _write_plain(text: str) -> str:
    """Return a text on one line, without the marks of reStructuredText."""
    plain = " ".join(text.split()).replace("``", "")
    plain = FORMULA.sub(lambda formula: formula[1].replace("\\", ""), plain)
    return ROLE.sub(r"\1", plain)
