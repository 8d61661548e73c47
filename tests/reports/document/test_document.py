import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from consclust.errors import InputError
from consclust.files import write_record
from consclust.report.blocks import Cell, Picture, Table, Text, leave_out_of_pdf
from consclust_studies.contents import OF_MAKERS, marks_of
from consclust_studies.document.document import TONES, build_content, make_exhibit_items, write_document
from consclust_studies.document.provenance import provenance
from consclust_studies.exhibits.exhibits_job import ExhibitJob
from consclust_studies.exhibits.stored import Stored, write_exhibit
from consclust_studies.makers import Makers
from consclust_studies.results.source import Item, Source
from consclust_studies.results.verdicts import VERDICTS
from consclust_studies.specs import digest_spec
from consclust_studies.stages.score_tables import write_table
from job_files_of import MARKS, STAMP, marks
from report_contents import Page, Pdf
from small import planned

PLANNED = digest_spec(MARKS["spec"])
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="72pt"><path d="M0 0L9 9" stroke="black"/></svg>'
TABLE = Table(title="ACC", header=("A", "B"), rows=((Cell(text="x"), Cell(text=".5")),))


def stored(name: str, chapter: str = "Results", blocks=(TABLE,), **changes) -> Stored:
    fixed = {"id": name, "title": name.title(), "caption": f"About {name}.", "checksums": {}}
    return Stored(**{**fixed, "chapter": chapter, "blocks": blocks, **changes})


def said(study, *exhibits: Stored, discussion: str = "", **frames: pd.DataFrame):
    given = {exhibit.id: frames.get(exhibit.id, pd.DataFrame()) for exhibit in exhibits}
    return build_content(study, exhibits, provenance(study, 0.0, 1, Path("/"), Makers()), discussion, given)


def titles(found) -> list[str]:
    return [chapter["title"] for chapter in found["chapters"]]


def items(found, chapter: str):
    return next(c["items"] for c in found["chapters"] if c["title"] == chapter)


def headings(found, chapter: str) -> list[str]:
    return [item["text"] for item in items(found, chapter) if item["type"] == "heading"]


def test_what_the_paper_shows_comes_first_and_the_rest_is_an_appendix() -> None:
    agreement = "Agreement with the published values"
    exhibits = [stored("b"), stored("runtime", "Runtime", part="appendix"), stored("table1", "Data")]
    exhibits += [stored("table9", "Runtime"), stored("claims", "Claims"), stored("coverage", "Coverage")]
    exhibits += [stored("grids", part="appendix"), stored("agreement", agreement, part="appendix")]
    exhibits += [stored("ours", part="beyond"), stored("more", agreement, part="beyond")]
    found = said(planned(published=["table2"]), *exhibits, discussion="Some words.")
    main, appendices = ["Coverage", "Claims", "Results", "Discussion"], ["Protocol", agreement, "Further results"]
    appendices += ["Beyond the paper", "Runtime", "Provenance"]
    assert titles(found) == main + appendices
    assert [chapter["number"] for chapter in found["chapters"]] == [*"1234", *"ABCDEF"]
    assert headings(found, "Results") == ["B", "Table1", "Table9"]
    assert headings(found, "Beyond the paper") == ["Ours", "More"]
    assert "Further experiments" in titles(said(planned(), *exhibits)), "the study re-runs no paper"


def test_tables_that_only_the_page_has_leave_a_note_in_the_pdf() -> None:
    heading, note, table = make_exhibit_items(stored("pvalues", in_pdf=False))
    assert (note["only"], table["only"]) == ("pdf", "html")
    assert "only" not in heading
    assert note["text"].startswith("About pvalues.")
    assert table["caption"] == "About pvalues."


def test_only_tables_of_the_paper_are_set_whole_however_long() -> None:
    assert make_exhibit_items(stored("x"))[1]["whole"]
    assert not make_exhibit_items(stored("x", part="appendix"))[1]["whole"]


def test_chapters_without_items_are_left_out() -> None:
    assert titles(said(planned())) == ["Protocol", "Provenance"]


def test_an_exhibit_without_blocks_is_listed_as_a_file() -> None:
    found = said(planned(), stored("pvalues", blocks=()))
    assert "Results" not in titles(found)
    last = items(found, "Provenance")[-1]
    assert [cell["text"] for cell in last["rows"][0]] == ["pvalues.csv", "Pvalues. About pvalues."]


def test_the_first_table_or_the_picture_carries_the_caption() -> None:
    two = make_exhibit_items(stored("x", blocks=(TABLE, TABLE, Picture(width=1, height=1))))
    assert [item.get("caption") for item in two] == [None, "About x.", "", ""]
    assert two[-1]["file"] == "x.svg"
    only_text = make_exhibit_items(stored("x", blocks=(Text(text="Words."),)))
    assert [item["type"] for item in only_text] == ["heading", "paragraph", "paragraph"]
    assert make_exhibit_items(stored("x", "Claims", title="Claims"))[0]["type"] == "table"


def test_the_caption_stands_with_the_first_table_that_the_pdf_has() -> None:
    on_page = leave_out_of_pdf(TABLE)
    _, first, second = make_exhibit_items(stored("x", blocks=(on_page, TABLE)))
    assert [(item.get("only"), item["caption"]) for item in (first, second)] == [("html", ""), (None, "About x.")]
    _, alone = make_exhibit_items(stored("x", blocks=(on_page,)))
    assert alone["caption"] == "About x."


def test_tables_and_figures_are_numbered_by_chapter() -> None:
    figure = Picture(width=1, height=1)
    exhibits = [stored("claims", "Claims", blocks=(TABLE,)), stored("x", blocks=(TABLE, figure, TABLE))]
    found = said(planned(), *exhibits, stored("y", blocks=(figure,)))
    assert [item["label"] for item in items(found, "Claims")] == ["Table 1.1"]
    labels = [item["label"] for item in items(found, "Results") if item["type"] != "heading"]
    assert labels == ["Table 2.1", "Figure 2.1", "Table 2.2", "Figure 2.2"]


def test_a_table_without_rows_leaves_its_caption() -> None:
    _, caption = make_exhibit_items(stored("x", blocks=(TABLE.model_copy(update={"rows": ()}),)))
    assert caption["text"] == "About x."


def test_a_title_of_a_table_that_repeats_the_heading_is_left_out() -> None:
    heading, table = make_exhibit_items(stored("x", title="ACC"))
    assert (heading["text"], table["title"]) == ("ACC", "")


def test_the_abstract_has_what_exhibits_say_for_it() -> None:
    exhibits = stored("claims", abstract="Two claims hold."), stored("b"), stored("agreement", abstract="It is near.")
    found = said(planned(summary="On lambda1."), *exhibits)
    assert found["abstract"] == "On λ₁. Two claims hold. It is near."
    assert set(VERDICTS) <= set(TONES)


def test_every_part_of_the_abstract_ends_with_a_full_stop() -> None:
    found = said(planned(summary="On iris", other_data="they are ours"))["abstract"]
    assert found == "On iris. The data sets are not the paper's: they are ours."


def test_the_first_page_says_how_a_study_relates_to_its_paper() -> None:
    item = {"id": "S1", "place": "4", "text": "It is best.", "missing": "-"}
    claim = {"text": "It is best.", "check": "best", "method": "KC", "metric": "ACC"}
    assert said(planned(published=["table2"]))["relation"] == "A re-run of"
    assert said(planned(ledger=[item], claims=[{**claim, "item": "S1"}]))["relation"] == "After"
    assert said(planned(claims=[claim]))["relation"] == "A study of the method of"


def test_a_restricted_run_says_so() -> None:
    assert said(planned())["restricted"] == ""
    study = planned(restriction="only datasets iris", left_out=["Figure 1", "Figure 2"])
    assert said(study)["restricted"] == "Restricted run: only datasets iris; not shown: Figure 1, Figure 2."
    study = planned(restriction="only datasets iris", items_left_out=["E2", "E7"], claims_left_out=3)
    left_out = "items of the paper without a result here: E2, E7; 3 claims that this run cannot judge"
    assert said(study)["restricted"] == f"Restricted run: only datasets iris; {left_out}."


def test_the_paper_is_the_first_reference_and_tools_are_cited() -> None:
    found = said(planned())
    assert found["paper"].endswith("A paper. IJCAI 2015.\N{NO-BREAK SPACE}[1]")
    assert found["references"][0].startswith("A. Author, B. Writer: A paper.")
    assert any("Snakemake" in work for work in found["references"])


CSV = "case,mean,cpu_seconds\niris,0.5,1.5\n"


@pytest.fixture
def report(tmp_path: Path) -> tuple[Source, dict[str, Path]]:
    """A report of one table, one figure, and one exhibit that is not the same again."""
    shown = [
        ("table2", "scores", TABLE),
        ("runtime", "runtime", TABLE),
        ("figure1", "scores", Picture(width=1, height=1)),
    ]
    exhibits, given = [], []
    for name, kind, block in shown:
        exhibits.append({"kind": kind, "id": name, "title": name.title()})
        texts = {".csv": CSV} if isinstance(block, Table) else {".csv": CSV, ".svg": SVG}
        checksums = {suffix: hashlib.sha256(text.encode()).hexdigest() for suffix, text in texts.items()}
        record = tmp_path / "exhibits" / f"{name}.json"
        write_exhibit(record, stored(name, blocks=(block,), checksums=checksums), MARKS)
        given.append((Item(role="exhibit", key=name, spec=PLANNED), record))
        for suffix, text in texts.items():
            (tmp_path / f"{name}{suffix}").write_text(text)
            given.append((Item(role="file", key=name, spec=PLANNED), tmp_path / f"{name}{suffix}"))
    (tmp_path / "discussion.md").write_text("Mean {{table2 case=iris mean}}.")
    given.append((Item(role="discussion", spec=""), tmp_path / "discussion.md"))
    names = ("report.pdf", "report.html", "provenance.json", "SHA256SUMS")
    return Source(planned(exhibits=exhibits), given, 7, tmp_path), {name: tmp_path / name for name in names}


def test_the_report_is_written_whole(report) -> None:
    source, files = report
    write_document(source, files)
    page = Page(files["report.html"].read_text())
    pdf = Pdf(files["report.pdf"])
    exhibits = ["Table2", "Runtime", "Figure1"]
    assert [title for title in page.headings if title in exhibits] == exhibits
    assert {*exhibits, "Results", "Discussion", "Protocol", "Provenance", "References"} <= {*pdf.headings()}
    assert page.rows.count(["A", "B"]) == page.rows.count(["x", ".5"]) == 2
    assert page.n_pictures == pdf.count_figures() == 1
    text = " ".join(pdf.pages())
    assert text.count("A B x .5") == 2
    assert "Mean .500." in text
    assert "Mean .500." in files["report.html"].read_text()
    record = json.loads(files["provenance.json"].read_text())
    assert (record["seed"], record["cpu_seconds_in_methods"]) == (7, 4.5)
    lines = [line.split("  ") for line in files["SHA256SUMS"].read_text().splitlines()]
    assert [name for _, name in lines] == ["figure1.csv", "figure1.svg", "table2.csv"]
    assert lines[2][0] == hashlib.sha256(CSV.encode()).hexdigest()


def test_what_made_the_labels_is_read_from_the_scores_and_from_the_records_of_jobs(report, tmp_path) -> None:
    source, files = report
    numpy = {name: STAMP.model_copy(update={"versions": {"numpy": name}}) for name in ("1.0", "2.0", "3.0")}
    given = [*source.files]
    for role, version in (("selected", "1.0"), ("variants", "2.0")):
        table = tmp_path / f"{role}.parquet"
        made = Makers.of([(f"{role}: KC", numpy[version])]).json_text
        write_table({"case": ["iris"]}, table, MARKS, {OF_MAKERS: made})
        given.append((Item(role=role, spec=PLANNED), table))
    write_record(tmp_path / "runtime.json", marks_of("{}", numpy["3.0"]))
    given.append((Item(role="runtimes", key="iris/KC", spec=PLANNED), tmp_path / "runtime.json"))
    write_document(replace(source, files=given), files)
    record = json.loads(files["provenance.json"].read_text())
    assert record["versions"] == {"numpy": "1.0 or 2.0 or 3.0"}
    jobs = {tuple(maker["jobs"]): maker["stamp"]["versions"]["numpy"] for maker in record["made_by"]}
    assert jobs == {("selected: KC",): "1.0", ("variants: KC",): "2.0", ("iris: KC",): "3.0"}
    assert "1.0 or 2.0 or 3.0" in files["report.html"].read_text()


def test_an_exhibit_made_for_another_spec_is_refused(report) -> None:
    source, files = report
    write_exhibit(source.files[0][1], stored("table2"), marks('{"other":1}'))
    with pytest.raises(InputError, match="made with other settings"):
        write_document(source, files)


@pytest.mark.parametrize("name", ["table2.csv", "figure1.csv", "figure1.svg"])
@pytest.mark.parametrize("left", [0, 20])
def test_a_damaged_file_of_an_exhibit_is_refused(report, name: str, left: int) -> None:
    source, files = report
    damaged = files["report.pdf"].parent / name
    damaged.write_text(damaged.read_text()[:left])
    with pytest.raises(InputError, match=rf"{name}: damaged, .*; delete it and run the same command again$"):
        write_document(source, files)
    assert not files["SHA256SUMS"].exists()


def test_a_discussion_that_is_not_text_is_refused(report) -> None:
    source, files = report
    source.files[-1][1].write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"discussion\.md: not UTF-8 text"):
        write_document(source, files)


def test_only_files_of_exhibits_that_are_no_longer_shown_are_removed(report) -> None:
    source, files = report
    folder = files["report.pdf"].parent
    gone = [folder / "exhibits" / "figure9.json", *(folder / f"figure9{s}" for s in (".csv", ".svg", ".pdf", ".png"))]
    kept = [folder / name for name in ("figure9.txt", "figure90.csv", "notes.csv", "exhibits/notes.txt")]
    for path in (*gone, *kept):
        path.write_text("x")
    write_document(source, files)
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in (*kept, *files.values(), *(path for _, path in source.files)))


def test_tables_are_called_after_the_papers_where_the_data_are_others() -> None:
    def heading(title: str, **changes) -> str:
        study = planned(exhibits=[{"kind": "scores", "id": "table2", "title": title}], **changes)
        return ExhibitJob(study=study, items={}).shown_as(study.exhibits[0]).title

    assert heading("Table 2") == "Table 2"
    assert heading("Table 2", other_data="They are lost.") == "After Table 2"
    assert heading("Sizes", other_data="They are lost.") == "Sizes"
