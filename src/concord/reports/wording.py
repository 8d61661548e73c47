"""Numbers and lists as the report writes them."""

from collections.abc import Sequence

from concord.reports.tables import number_text

MINUS = "\N{MINUS SIGN}"


def conjunction(parts: Sequence[str]) -> str:
    """Write a list: "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def score_text(value: float) -> str:
    """Three decimals without the leading zero, as the papers' tables have it."""
    return f"{value:z.3f}".replace("0.", ".", 1).replace("-", MINUS)


def signed_text(value: float) -> str:
    """Return a difference of scores with its sign, as :func:`score_text` writes scores."""
    return f"{value:+.3f}".replace("0.", ".", 1).replace("-", MINUS)


def errors_text(value: float) -> str:
    """Return a difference in standard errors."""
    return number_text(value, "+.1f").replace("-", MINUS)
