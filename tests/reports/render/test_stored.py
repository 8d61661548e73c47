from pathlib import Path

import pandas as pd
import pytest

from consclust.errors import InputError
from consclust.report.blocks import Cell, Picture, Shown, Table, Text
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.exhibits.stored import Stored, checked, read_exhibit, write_exhibit, write_shown
from consclust_studies.specs import digest_spec
from job_files_of import MARKS, marks

PLANNED = digest_spec(MARKS["spec"])
SPEC = '{"a":1}'
STORED = Stored(
    id="table2",
    title="Table 2",
    chapter="Results",
    caption="Caption.",
    checksums={".csv": "0" * 64},
    blocks=(
        Table(title="ACC", header=("A",), rows=((Cell(text="λ", bold=True),),)),
        Text(text="Text."),
        Picture(width=3.5, height=2.0),
    ),
)


class Shows(Exhibit):
    id: str = "x"
    title: str = "X"
    caption: str = "First."

    def needs(self, study) -> Needs:
        return Needs()

    def build(self, source) -> Shown:
        raise NotImplementedError


class Draws(Shows):
    drawn = True


def files(folder: Path, *suffixes: str) -> dict[str, Path]:
    return {suffix: folder / f"x{suffix}" for suffix in suffixes}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_exhibit(tmp_path / "table2.json", STORED, marks(SPEC))
    assert read_exhibit(tmp_path / "table2.json", digest_spec(SPEC)) == STORED


def test_another_spec_is_refused(tmp_path: Path) -> None:
    write_exhibit(tmp_path / "table2.json", STORED, marks(SPEC))
    with pytest.raises(InputError, match="made with other settings"):
        read_exhibit(tmp_path / "table2.json", digest_spec('{"a":2}'))


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"id": "x"}', '{"exhibit": 1, "checksum": ""}'])
def test_a_damaged_file_has_a_remedy(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=r"(?s)x\.json.*delete it and run the same command again"):
        read_exhibit(tmp_path / "x.json", "")


def test_a_flipped_bit_is_refused(tmp_path: Path) -> None:
    write_exhibit(tmp_path / "x.json", STORED, marks(SPEC))
    (tmp_path / "x.json").write_text((tmp_path / "x.json").read_text().replace("Caption.", "Baption."))
    with pytest.raises(InputError, match=r"x\.json: .*damaged; delete it and run the same command again"):
        read_exhibit(tmp_path / "x.json", digest_spec(SPEC))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file; run the same command again"):
        read_exhibit(tmp_path / "x.json", "")


def test_a_table_is_written_in_every_format(tmp_path: Path) -> None:
    made = files(tmp_path, ".json", ".csv", ".md", ".tex", ".html")
    shown = Shown(pd.DataFrame({"v": [1 / 3]}), STORED.blocks[:1], "Then.")
    write_shown(Shows(part="beyond"), shown, MARKS, made)
    assert made[".csv"].read_text() == "v\n0.333333\n"
    assert "First. Then." in made[".md"].read_text()
    assert "First. Then." in made[".tex"].read_text()
    assert "<p>First. Then.</p>" in made[".html"].read_text()
    stored = read_exhibit(made[".json"], PLANNED)
    assert (stored.caption, stored.blocks, stored.chapter) == ("First. Then.", shown.blocks, "Results")
    assert (stored.part, stored.in_pdf) == ("beyond", True)


def test_an_exhibit_of_the_page_alone_is_not_in_the_pdf(tmp_path: Path) -> None:
    made = files(tmp_path, ".json", ".csv", ".md", ".tex")
    write_shown(Shows(page_only=True), Shown(pd.DataFrame({"v": [1.0]}), STORED.blocks[:1]), MARKS, made)
    assert not read_exhibit(made[".json"], PLANNED).in_pdf


def test_numbers_that_only_a_file_shows_have_ten_digits(tmp_path: Path) -> None:
    made = files(tmp_path, ".json", ".csv", ".md", ".tex")
    write_shown(Shows(), Shown(pd.DataFrame({"p": [1 / 3]})), MARKS, made)
    assert made[".csv"].read_text() == "p\n0.3333333333\n"


def test_a_figure_is_written_with_its_size(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    made = files(tmp_path, ".json", ".csv", ".tex", ".svg", ".pdf", ".png")
    shown = Shown(pd.DataFrame({"v": [1e-7 / 3]}), STORED.blocks[:1], picture=Figure(figsize=(3, 2)))
    write_shown(Draws(), shown, MARKS, made)
    assert made[".csv"].read_text() == "v\n3.33333e-08\n"
    assert all(path.stat().st_size for path in made.values())
    assert read_exhibit(made[".json"], PLANNED).blocks == (*STORED.blocks[:1], Picture(width=3, height=2))
    tex = made[".tex"].read_text()
    assert tex.index("tab:x") < tex.index("{x}") < tex.index("fig:x")


@pytest.mark.parametrize("suffix", [".csv", ".md", ".tex"])
def test_a_file_that_is_not_as_it_was_written_is_refused(tmp_path: Path, suffix: str) -> None:
    made = files(tmp_path, ".json", ".csv", ".md", ".tex")
    write_shown(Shows(), Shown(pd.DataFrame({"v": [1 / 3]}), STORED.blocks[:1]), MARKS, made)
    stored = read_exhibit(made[".json"], PLANNED)
    assert checked(made[suffix], stored) == made[suffix]
    made[suffix].write_text(made[suffix].read_text()[:-3])
    with pytest.raises(InputError, match=rf"x\{suffix}: damaged, .*; delete it and run the same command again"):
        checked(made[suffix], stored)
    made[suffix].unlink()
    with pytest.raises(InputError, match=rf"x\{suffix}: no such file; run the same command again"):
        checked(made[suffix], stored)
