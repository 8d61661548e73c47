"""What the report of a study says, as plain data for the templates of the PDF and of the page."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import count as count_from
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import pandas as pd

from consclust import __version__
from consclust.errors import InputError
from consclust.files import write_text
from consclust.report import markup
from consclust.report import typst_pdf as typst
from consclust.report.items import NUMBERED, Item, block_items, heading, number_items, paragraph
from consclust.report.references import References
from consclust.report.wording import count, sentence, symbol
from consclust_studies import paths
from consclust_studies.config.study import PlannedStudy
from consclust_studies.contents import OF_MAKERS, read_marks
from consclust_studies.document.discussion import make_discussion_items
from consclust_studies.document.protocol import list_protocol_items
from consclust_studies.document.provenance import provenance, provenance_items, sha256sums
from consclust_studies.exhibits.stored import SUFFIXES, Stored, checked, read_exhibit
from consclust_studies.makers import Makers
from consclust_studies.results.source import Source
from consclust_studies.results.verdicts import VERDICTS
from consclust_studies.stages.score_tables import read_table

Frames = Mapping[str, pd.DataFrame]
"""The numbers of each exhibit, by its id."""
AGREEMENT = "Agreement with the published values"
FURTHER = "Further results"
BEYOND = "Beyond the paper"
FURTHER_EXPERIMENTS = "Further experiments"
"""The same in a study that re-runs no paper."""
PAPER = ("Coverage", "Claims", "Results", "Discussion")
APPENDICES = ("Data", "Protocol", AGREEMENT, FURTHER, BEYOND, "Runtime", "Provenance")
TONES = dict(zip(VERDICTS, [*["good", "mixed", "bad"] * 3, "open"], strict=True))
"""How the verdicts on claims are coloured: three wordings of three verdicts, and one where nothing can be tested."""


def build_content(
    study: PlannedStudy, exhibits: Sequence[Stored], record: Mapping[str, Any], discussion: str, frames: Frames
) -> dict[str, Any]:
    """Return what the report says.

    ``exhibits`` are in the order of the study, their numbers in ``frames``; ``record`` is that of their provenance.
    ``discussion`` is the text of the study's ``discussion.md``: :class:`InputError` if it cannot be set.
    """
    references = References()
    # works are numbered in the order of their first citation: first the paper, then those of the protocol
    title_page = _make_title_page(study, exhibits, references)
    chapters: dict[str, list[Item]] = {name: [] for name in (*PAPER, *APPENDICES)}
    for exhibit in exhibits:
        if exhibit.blocks:
            chapters[find_chapter(exhibit)] += make_exhibit_items(exhibit)
    chapters["Protocol"] += list_protocol_items(study, references)
    if discussion:
        file = paths.DISCUSSION.format(study=study.id)
        chapters["Discussion"] += make_discussion_items(discussion, frames, file, bool(study.restriction))
    chapters["Provenance"].append(_cite_programs(references))
    chapters["Provenance"] += provenance_items(record, study.titles, _list_other_files(exhibits))
    # without published values and claims of a paper there is none to go beyond
    beyond = BEYOND if study.published or _has_claims_of_paper(study) else FURTHER_EXPERIMENTS
    named = {beyond if title == BEYOND else title: items for title, items in chapters.items()}
    return {**title_page, "tones": TONES, "chapters": _number_chapters(named), "references": list(references.works)}


def _make_title_page(study: PlannedStudy, exhibits: Sequence[Stored], references: References) -> dict[str, Any]:
    paper = ""
    if study.paper:
        cited = f"{study.paper.authors}: {study.paper.title}. {study.paper.venue} {study.paper.year}."
        paper = f"{cited}{references.cite(cited)}"
    return {
        "title": study.title,
        "kind": "study",
        "study": study.id,
        "version": __version__,
        "relation": _relate_to_paper(study),
        "paper": paper,
        "restricted": _describe_restriction(study),
        "abstract": _write_abstract(study, exhibits),
    }


def _relate_to_paper(study: PlannedStudy) -> str:
    """Return the words before the paper on the first page; a study without claims of the paper reproduces nothing."""
    if study.published:
        return "A re-run of"
    return "After" if _has_claims_of_paper(study) else "A study of the method of"


def _has_claims_of_paper(study: PlannedStudy) -> bool:
    return any(claim.item for claim in study.claims)


def _describe_restriction(study: PlannedStudy) -> str:
    """Say in one sentence what a run is restricted to, and what it leaves out; empty if it is whole."""
    if not study.restriction:
        return ""
    parts = [f"Restricted run: {study.restriction}"]
    if study.left_out:
        parts.append(f"not shown: {', '.join(study.left_out)}")
    if study.items_left_out:
        parts.append(f"items of the paper without a result here: {', '.join(study.items_left_out)}")
    if study.claims_left_out:
        parts.append(f"{count(study.claims_left_out, 'claim')} that this run cannot judge")
    return f"{'; '.join(parts)}."


def _cite_programs(references: References) -> Item:
    sklearn = references.cite("sklearn")
    snakemake = references.cite("snakemake")
    return paragraph(f"consclust uses scikit-learn{sklearn}; Snakemake{snakemake} runs its jobs.")


def _list_other_files(exhibits: Sequence[Stored]) -> list[tuple[str, str]]:
    """Return the files of numbers that no chapter shows, and what is in them."""
    return [(f"{each.id}.csv", f"{each.title}. {each.caption}") for each in exhibits if not each.blocks]


def _number_chapters(chapters: Mapping[str, Sequence[Item]]) -> list[dict[str, Any]]:
    """Return the chapters that have something: 1, 2, ... those on the paper, A, B, ... the appendices."""
    numbers = map(str, count_from(1))
    letters = iter(ascii_uppercase)
    parts = []
    for title, items in chapters.items():
        if items:
            number = next(numbers) if title in PAPER else next(letters)
            parts.append({"title": title, "items": number_items(items, number), "number": number})
    return parts


def find_chapter(exhibit: Stored) -> str:
    """Return the chapter in which an exhibit stands."""
    if exhibit.part == "beyond":
        return BEYOND
    if exhibit.part == "paper":
        return exhibit.chapter if exhibit.chapter in PAPER else "Results"
    return FURTHER if exhibit.chapter == "Results" else exhibit.chapter


def make_exhibit_items(exhibit: Stored) -> list[Item]:
    """Return the heading and the blocks of an exhibit.

    No heading repeats that of the chapter. Where the PDF leaves out all tables, it has the caption.
    """
    title = [] if exhibit.title == find_chapter(exhibit) else [heading(exhibit.title)]
    whole = exhibit.part == "paper"
    blocks = block_items(exhibit.id, exhibit.title, exhibit.caption, exhibit.blocks, whole=whole)
    if exhibit.in_pdf:
        return [*title, *blocks]
    in_html = [item | {"only": "html"} if item["type"] in NUMBERED else item for item in blocks]
    return [*title, paragraph(exhibit.caption) | {"only": "pdf"}, *in_html]


def write_document(source: Source, files: Mapping[str, Path]) -> None:
    """Write the report, and remove the files of exhibits that it no longer shows.

    ``files`` are report.pdf, report.html, provenance.json and SHA256SUMS. :class:`InputError` if an exhibit or a file
    of one is damaged or was made for another spec, or if the discussion cannot be set.
    """
    study = source.study
    exhibits = _read_exhibits(source)
    record = provenance(study, exhibits.cpu_seconds, _find_seed(source), source.folder, find_makers(source))
    discussion = "".join(_read_discussion(path) for _, path in source.list_inputs("discussion"))
    said = build_content(study, list(exhibits.stored.values()), record, discussion, exhibits.frames)
    pictures = [path for _, path in exhibits.files if path.suffix == ".svg"]
    # the PDF first: if it cannot be set, no other file is written
    typst.write_pdf(said, pictures, files["report.pdf"])
    write_text(files["report.html"], markup.page(said, pictures))
    write_text(files["provenance.json"], json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    reproducible = [path for key, path in exhibits.files if study.exhibit(key).reproducible]
    write_text(files["SHA256SUMS"], sha256sums(reproducible))
    shown = {*exhibits.stored, *(path.stem for path in files.values())}
    for folder in {path.parent for _, path in source.list_inputs("exhibit")}:
        _remove_others(folder, shown, files["report.pdf"].parent)


class _Exhibits(NamedTuple):
    """What the jobs of the exhibits wrote."""

    stored: dict[str, Stored]
    """By id, in the order of the study."""
    files: list[tuple[str, Path]]
    """Their files, each after the id of its exhibit."""
    frames: dict[str, pd.DataFrame]

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of all fits."""
        return sum(float(frame["cpu_seconds"].sum()) for frame in self.frames.values() if "cpu_seconds" in frame)


def _read_exhibits(source: Source) -> _Exhibits:
    stored = {item.key: read_exhibit(path, item.spec) for item, path in source.list_inputs("exhibit")}
    files = [(item.key, checked(path, stored[item.key])) for item, path in source.list_inputs("file")]
    frames = {key: pd.read_csv(path) for key, path in files if path.suffix == ".csv"}
    return _Exhibits(stored, files, frames)


def _find_seed(source: Source) -> int:
    assert source.seed is not None, "the job of a document has the seed of the configuration"
    return source.seed


def find_makers(source: Source) -> Makers:
    """Return what made the labels of a study, by its tables of scores; without classes, by the records of its jobs."""
    of_tables = []
    for item, path in (*source.list_inputs("selected"), *source.list_inputs("variants")):
        _, texts = read_table(path, item.spec)
        of_tables.append(texts[OF_MAKERS])
    stamps = []
    for item, path in source.list_inputs("runtimes"):
        marks = read_marks(path)
        if marks:
            stamps.append((item.key.replace("/", ": "), marks.stamp))
    return Makers.joined([*of_tables, Makers.of(stamps).json_text])


def _remove_others(records: Path, shown: set[str], report: Path) -> None:
    """Remove the records of exhibits that are not shown, and their files in the folder of the report."""
    for record in records.glob("*.json"):
        if record.stem not in shown:
            for suffix in SUFFIXES:
                (report / f"{record.stem}{suffix}").unlink(missing_ok=True)
            record.unlink(missing_ok=True)  # last: without it, nothing says what its files were


def _read_discussion(discussion: Path) -> str:
    try:
        return discussion.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{discussion}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def _write_abstract(study: PlannedStudy, exhibits: Sequence[Stored]) -> str:
    # names of parameters in the summary, such as lambda1, become symbols
    summary = re.sub(r"\b[a-z]+\d\b", lambda word: symbol(word.group()), sentence(study.summary))
    sentences = [summary]
    if study.without_classes:
        sentences.append("The data have no classes: nothing here says that the clusters are the true ones.")
    if study.other_data:
        sentences.append(f"The data sets are not the paper's: {sentence(study.other_data)}")
    sentences += [exhibit.abstract for exhibit in exhibits if exhibit.abstract]
    return " ".join(sentences)
