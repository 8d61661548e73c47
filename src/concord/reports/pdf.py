"""The PDF: content as JSON beside the template, compiled by typst, offline and without system fonts."""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from concord.errors import InputError
from concord.files import written_whole

TIMESTAMP = 0
"""Date in the PDF's metadata: with any other than a fixed one the same content gives other bytes."""


def write_pdf(content: Mapping[str, Any], figures: Sequence[Path], out: Path) -> None:
    """Set the report and write it to ``out``.

    Parameters
    ----------
    content: as :func:`concord.reports.document.document` returns it.
    figures: SVG files that it shows.
    """
    import typst

    with tempfile.TemporaryDirectory() as folder:
        source = typeset_folder(content, figures, Path(folder))
        pdf: bytes = typst.compile(
            str(source), root=folder, format="pdf", ignore_system_fonts=True, timestamp=TIMESTAMP
        )
    with written_whole(out) as temporary:
        temporary.write_bytes(pdf)


def typeset_folder(content: Mapping[str, Any], figures: Sequence[Path], folder: Path) -> Path:
    """Put the template, its content and the figures into ``folder``; return the template's copy."""
    source = folder / "report.typ"
    source.write_bytes((resources.files("concord.reports") / "templates" / "report.typ").read_bytes())
    (folder / "document.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    for figure in figures:
        if not figure.is_file():
            raise InputError(f"{figure}: no such file; run `python -m concord reports figures` first")
        shutil.copyfile(figure, folder / figure.name)
    return source
