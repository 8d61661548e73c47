"""Counts with their nouns, for messages of every part of the library."""


def count(n: int, noun: str, form: str = "") -> str:
    """Write a count with its noun, in a format such as ``","``: "1 fit", "2 fits", "2,000 fits"."""
    return f"{n:{form}} {noun}" if n == 1 else f"{n:{form}} {noun}s"
