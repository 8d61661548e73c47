"""How exhibits become files: one form in which they are stored, and a renderer for each format."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from consclust.errors import InputError
from consclust.files import RERUN, read_record, sha256, write_csv, write_record, write_text
from consclust.report.blocks import Block, Chapter, Part, Picture, Shown
from consclust.validation import Strict
from consclust_studies.exhibits.base import Exhibit
from consclust_studies.specs import check_made_for

SUFFIXES = (".csv", ".md", ".tex", ".html", ".svg", ".pdf", ".png")
"""Of the files of an exhibit in the folder of the report."""


class Stored(Strict):
    """An exhibit as its job leaves it for the report."""

    id: str
    title: str
    chapter: Chapter
    part: Part = "paper"
    in_pdf: bool = True
    caption: str
    abstract: str = ""
    blocks: tuple[Block, ...]
    checksums: dict[str, str]
    """SHA-256 of its files by suffix."""


def write_shown(exhibit: Exhibit, shown: Shown, marks: Mapping[str, str], files: Mapping[str, Path]) -> None:
    """Write what an exhibit shows in every format.

    ``marks`` are spec and stamp of the job. ``files`` are, by suffix, ".json" (:class:`Stored`), ".csv" and
    ".tex"; of a table ".md" and ".html"; of a figure ".svg", ".pdf" and ".png" in one folder. Of the texts those are
    written that are among the files.
    """
    from consclust.report import figures, markup

    shown = replace(shown, caption=" ".join(filter(None, (exhibit.caption, shown.caption))))
    blocks: tuple[Block, ...] = shown.blocks
    if shown.picture is not None:
        width, height = shown.picture.get_size_inches()
        blocks += (Picture(width=width, height=height),)
    digits = "%.6g" if exhibit.drawn else "%.6f"
    write_csv(files[".csv"], shown.frame, digits if blocks else "%.10g")
    if exhibit.drawn:
        figures.save(shown.picture, files[".svg"].parent, exhibit.id)
    for suffix, render in ((".md", markup.markdown), (".tex", markup.latex), (".html", markup.fragment)):
        if suffix in files:
            write_text(files[suffix], render(exhibit.id, exhibit.title, shown.caption, blocks))
    checksums = {suffix: sha256(path) for suffix, path in files.items() if suffix != ".json"}
    stored = Stored(
        id=exhibit.id,
        title=exhibit.title,
        chapter=exhibit.chapter,
        part=exhibit.part,
        in_pdf=exhibit.in_pdf and not exhibit.page_only,
        caption=shown.caption,
        abstract=shown.abstract,
        blocks=blocks,
        checksums=checksums,
    )
    write_exhibit(files[".json"], stored, marks)


def write_exhibit(path: Path | str, stored: Stored, marks: Mapping[str, str]) -> None:
    """Write an exhibit as a record with a checksum, atomically, with spec and stamp, the ``marks``."""
    write_record(path, {"exhibit": stored.model_dump_json(), **marks})


def read_exhibit(path: Path, planned_digest: str) -> Stored:
    """Return an exhibit; :class:`InputError` if it is missing, damaged, or not of the spec with the planned digest."""
    try:
        record = read_record(path)
        stored = Stored.model_validate_json(record["exhibit"])
        spec = str(record["spec"])
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path}: not a stored exhibit, or damaged; {RERUN}") from None
    check_made_for(path, spec, planned_digest)
    return stored


def checked(path: Path, stored: Stored) -> Path:
    """Return the path of a file of an exhibit; :class:`InputError` if it is missing or not as it was written."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; run the same command again")
    if sha256(path) != stored.checksums.get(path.suffix):
        raise InputError(f"{path}: damaged, or changed since it was written; {RERUN}")
    return path
