"""Texts of people's files on a terminal, which takes some characters for commands."""

import unicodedata

UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def make_printable(text: str) -> str:
    """Return a text whose control characters, but for tabs and ends of lines, are replaced.

    An id or the name of a file could else change colours, clear the screen or write into a clipboard.
    """
    return "".join(UNKNOWN if unicodedata.category(each) == "Cc" and each not in "\t\n" else each for each in text)
