"""Texts in the page that ``snakemake --report`` writes."""

import html


def write_as_label(text: str) -> str:
    """Return a text as a label, which Snakemake fills in wildcards of, and puts into its page as HTML."""
    return html.escape(text).replace("{", "{{").replace("}", "}}")
