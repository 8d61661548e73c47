"""What the report of a study says, as plain data for the templates of the PDF and of the page."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import count as count_from
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pandas as pd

from consclust import __version__
from consclust.errors import InputError
from consclust.files import write_text
from consclust.report import text
from consclust.report import typst_pdf as typst
from consclust.report.items import Item, block_items, heading, paragraph
from consclust.report.references import References
from consclust.report.wording import sentence, symbol
from consclust_studies import paths
from consclust_studies.config.study import PlannedStudy
from consclust_studies.contents import OF_MAKERS, read_marks
from consclust_studies.document.discussion import discussion_items
from consclust_studies.document.protocol import protocol
from consclust_studies.document.provenance import provenance, provenance_items, sha256sums
from consclust_studies.exhibits.stored import SUFFIXES, Stored, checked, read_exhibit
from consclust_studies.makers import Makers
from consclust_studies.results.source import Source
from consclust_studies.results.verdicts import VERDICTS
from consclust_studies.stages.score_tables import read_table

Frames = Mapping[str, pd.DataFrame]
"""The numbers of each exhibit, by its id."""
AGREEMENT = "Agreement with the published values"
FURTHER, BEYOND = "Further results", "Beyond the paper"
PAPER = ("Coverage", "Results", "Claims", "Discussion")
APPENDICES = ("Data", "Protocol", AGREEMENT, FURTHER, BEYOND, "Runtime", "Provenance")
TONES = dict(zip(VERDICTS, (*("good", "mixed", "bad") * 3, "open"), strict=True))
"""How the verdicts on claims are coloured."""


def content(
    study: PlannedStudy, exhibits: Sequence[Stored], record: Mapping[str, Any], discussion: str, frames: Frames
) -> dict[str, Any]:
    """Return what the report says.

    ``exhibits`` are in the order of the study, their numbers in ``frames``; ``record`` is that of their provenance.
    ``discussion`` is the text of the study's ``discussion.md``: :class:`InputError` if it cannot be set.
    """
    references = References()
    shown = [exhibit for exhibit in exhibits if exhibit.blocks]
    files = [(f"{e.id}.csv", f"{e.title}. {e.caption}") for e in exhibits if not e.blocks]
    paper = study.paper and f"{study.paper.authors}: {study.paper.title}. {study.paper.venue} {study.paper.year}."
    absent = f"; not shown: {', '.join(study.left_out)}" if study.left_out else ""
    title_page = {
        **{"title": study.title, "kind": "study", "study": study.id, "version": __version__},
        "relation": "A re-run of" if study.published else "After",
        "paper": f"{paper}{references.cite(paper)}" if paper else "",
        "restricted": f"Restricted run: {study.restriction}{absent}." if study.restriction else "",
        "abstract": _abstract(study, exhibits),
    }
    chapters: dict[str, list[Item]] = {name: [] for name in (*PAPER, *APPENDICES)}
    for exhibit in shown:
        chapters[chapter_of(exhibit)] += exhibit_items(exhibit)
    chapters["Protocol"] += protocol(study, references)
    if discussion:
        file = paths.DISCUSSION.format(study=study.id)
        chapters["Discussion"] += discussion_items(discussion, frames, file, bool(study.restriction))
    sklearn, snakemake = references.cite("sklearn"), references.cite("snakemake")
    made = paragraph(f"consclust uses scikit-learn{sklearn}; Snakemake{snakemake} runs its jobs.")
    chapters["Provenance"] += [made, *provenance_items(record, study.titles, files)]
    parts = [{"title": title, "items": items} for title, items in chapters.items() if items]
    numbers = {PAPER: map(str, count_from(1)), APPENDICES: iter(ascii_uppercase)}
    for part in parts:
        part["number"] = next(numbers[PAPER if part["title"] in PAPER else APPENDICES])
    return {**title_page, "tones": TONES, "chapters": parts, "references": list(references.works)}


def chapter_of(exhibit: Stored) -> str:
    """Return the chapter in which an exhibit stands."""
    if exhibit.part == "beyond":
        return BEYOND
    if exhibit.part == "paper":
        return exhibit.chapter if exhibit.chapter in PAPER else "Results"
    return FURTHER if exhibit.chapter == "Results" else exhibit.chapter


def exhibit_items(exhibit: Stored) -> list[Item]:
    """Return the heading and the blocks of an exhibit.

    No heading repeats that of the chapter. Where the PDF leaves out the tables, it has the caption and says where they
    are.
    """
    items = [] if exhibit.title == chapter_of(exhibit) else [heading(exhibit.title)]
    whole = exhibit.part == "paper"
    blocks = block_items(exhibit.id, exhibit.title, exhibit.caption, exhibit.blocks, whole=whole)
    if exhibit.in_pdf:
        return [*items, *blocks]
    tables_elsewhere = paragraph(exhibit.caption, f"The tables are in report.html and {exhibit.id}.tex.")
    in_html = [item | {"only": "html"} if item["type"] in ("table", "picture") else item for item in blocks]
    return [*items, tables_elsewhere | {"only": "pdf"}, *in_html]


def write_document(source: Source, files: Mapping[str, Path]) -> None:
    """Write the report, and remove the files of exhibits that it no longer shows.

    ``files`` are report.pdf, report.html, provenance.json and SHA256SUMS. :class:`InputError` if an exhibit or a file
    of one is damaged or was made for another spec, or if the discussion cannot be set.
    """
    study, seed = source.study, source.seed
    assert seed is not None
    stored = {item.key: read_exhibit(path, item.spec) for item, path in source.of("exhibit")}
    made = [(item.key, checked(path, stored[item.key])) for item, path in source.of("file")]
    frames = {key: pd.read_csv(path) for key, path in made if path.suffix == ".csv"}
    pictures = [path for _, path in made if path.suffix == ".svg"]
    discussion = "".join(_read(path) for _, path in source.of("discussion"))
    spent = sum(float(frame["cpu_seconds"].sum()) for frame in frames.values() if "cpu_seconds" in frame)
    record = provenance(study, spent, seed, source.folder, find_makers(source))
    said = content(study, list(stored.values()), record, discussion, frames)
    typst.write_pdf(said, pictures, files["report.pdf"])
    write_text(files["report.html"], text.page(said, pictures))
    write_text(files["provenance.json"], json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    write_text(files["SHA256SUMS"], sha256sums(path for key, path in made if study.exhibit(key).reproducible))
    for folder in {path.parent for _, path in source.of("exhibit")}:
        _remove_others(folder, {*stored, *(path.stem for path in files.values())}, files["report.pdf"].parent)


def find_makers(source: Source) -> Makers:
    """Return what made the labels of a study, by its tables of scores; without classes, by the records of its jobs."""
    tables = [read_table(path, item.spec)[1] for item, path in (*source.of("selected"), *source.of("variants"))]
    records = [(item.key.replace("/", ": "), read_marks(path)) for item, path in source.of("runtimes")]
    of_records = Makers.of((job, marks.stamp) for job, marks in records if marks)
    return Makers.joined([*(texts[OF_MAKERS] for texts in tables), of_records.json_text])


def _remove_others(records: Path, shown: set[str], report: Path) -> None:
    """Remove the records of exhibits that are not shown, and their files in the folder of the report."""
    for record in (record for record in records.glob("*.json") if record.stem not in shown):
        for path in (*(report / f"{record.stem}{suffix}" for suffix in SUFFIXES), record):
            path.unlink(missing_ok=True)


def _read(discussion: Path) -> str:
    try:
        return discussion.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{discussion}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def _abstract(study: PlannedStudy, exhibits: Sequence[Stored]) -> str:
    sentences = [re.sub(r"\b[a-z]+\d\b", lambda word: symbol(word.group()), sentence(study.summary))]
    if study.without_classes:
        sentences.append("The data have no classes: nothing here says that the clusters are the true ones.")
    if study.other_data:
        sentences.append(f"The data sets are not the paper's: {sentence(study.other_data)}")
    sentences += [exhibit.abstract for exhibit in exhibits if exhibit.abstract]
    return " ".join(sentences)
