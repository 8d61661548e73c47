"""The files of the report: the PDF, the page, the labels, and the numbers and pictures of every section."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from consclust import __version__, methods
from consclust.files import sha256, write_csv, write_text
from consclust.report import figures, markup
from consclust.report import typst_pdf as typst
from consclust.report.blocks import Block, Picture, Shown
from consclust.report.diagnosis import Diagnosis
from consclust.report.items import Item, block_items, heading, number_items, paragraph, table
from consclust.report.references import References
from consclust.report.sections import TITLES
from consclust.report.shown import ALL_CHAPTERS, abstract, choose_chapters
from consclust.report.wording import file_name
from consclust.versions import versions

FORMATS = (".csv", *(f".{each}" for each in figures.FORMATS))
DIAGNOSTICS = ("monti", "senbabaoglu", "john")
"""Works that are cited, by their keys in the protocol."""


def files() -> list[str]:
    """Return the names of all files that a report may have."""
    sections = [section for chapter in ALL_CHAPTERS.values() for section in chapter]
    return ["report.pdf", "report.html", *(f"{each}{suffix}" for each in sections for suffix in FORMATS)]


def write_report(found: Diagnosis, source: Path, title: str, settings: Mapping[str, str], folder: Path) -> None:
    """Write all files of the report of a diagnosis into a folder; ``settings`` are shown in its last chapter."""
    references = References()
    chapters: dict[str, list[Item]] = {}
    with figures.style():
        for name, sections in choose_chapters(found).items():
            chapters[name] = []
            for section, show in sections.items():
                chapters[name] += _write_section(name, section, show(found), folder)
    chapters["How this was computed"] = list(_describe_computation(found, source, settings, references))
    pictures = [folder / item["file"] for items in chapters.values() for item in items if item["type"] == "picture"]
    about = {"title": title, "study": file_name(source), "abstract": abstract(found, file_name(source))}
    write_documents(about | {"references": list(references.works)}, chapters, pictures, folder)


def write_documents(
    about: Mapping[str, Any], chapters: Mapping[str, Sequence[Item]], pictures: Sequence[Path], folder: Path
) -> None:
    """Write report.pdf and report.html of somebody's own labels or method.

    ``about`` has title, study (what it is about) and abstract, and may have ``restricted``, a warning on its first
    lines, and references. ``pictures`` are SVG files, which have a PNG file beside them.
    """
    content: dict[str, Any] = {
        "kind": "file",
        "version": __version__,
        "relation": "",
        "paper": "",
        "restricted": "",
        "tones": {},
        "references": [],
        **about,
        "chapters": [
            {"title": name, "number": f"{number}", "items": number_items(items, f"{number}")}
            for number, (name, items) in enumerate(chapters.items(), start=1)
        ],
    }
    typst.write_pdf(content, pictures, folder / "report.pdf")
    write_text(folder / "report.html", markup.page(content, pictures))


def _write_section(chapter: str, section: str, shown: Shown, folder: Path) -> list[Item]:
    """Write numbers and picture of a section; return what the report says of it."""
    blocks: tuple[Block, ...] = shown.blocks
    write_csv(folder / f"{section}.csv", shown.frame)
    if shown.picture is not None:
        width, height = shown.picture.get_size_inches()
        blocks += (Picture(width=width, height=height),)
        figures.save(shown.picture, folder, section)
    title = TITLES[section]
    items = block_items(section, title, shown.caption, blocks)
    return items if title == chapter else [heading(title), *items]


def _compute_checksum(source: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of the names and checksums of its files."""
    if not source.is_dir():
        return sha256(source)
    lines = [f"{sha256(path)}  {path.name}\n" for path in sorted(source.iterdir()) if path.is_file()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _describe_computation(
    found: Diagnosis, source: Path, settings: Mapping[str, str], references: References
) -> Iterator[Item]:
    """Yield the methods with their references, the settings, the input by its checksum, and the versions."""
    names = dict.fromkeys([found.settings.name, *found.settings.others])
    cited = {name: references.cite(methods.load(name).reference) for name in names}
    for work in DIAGNOSTICS:
        references.cite(work)
    yield table(("Method", "What it does"), [(name, f"{methods.load(name).summary}{cited[name]}") for name in names])
    if found.settings.choices:
        choices = "; ".join(found.settings.choices)
        yield paragraph(f"Chosen because of the size of the data: {choices}.")
    known = ", ".join(f"{name} {version}" for name, version in versions().items() if version)
    facts = {**settings, "SHA-256 of the file": _compute_checksum(source), "Versions": known}
    yield table(("Setting", "Value"), list(facts.items()))
    yield paragraph(
        "The same file, settings and versions give the same files, to the byte, on processors of one kind. Another "
        "kind may change last digits, and rarely labels."
    )
