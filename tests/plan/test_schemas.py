"""The JSON schemas beside the workflow, and the reference made of them; ``make schemas`` renews both."""

import json
import re
from pathlib import Path
from typing import Annotated, Literal

import jsonschema
import pytest
from pydantic import Field

from consclust.validation import Strict, read_yaml
from consclust_studies.config.exhibit_kinds import every_kind
from consclust_studies.paths import STUDIES
from consclust_studies.plan.reference import render
from consclust_studies.plan.schemas import REFERENCE, SCHEMAS, reference, schemas, write_schemas

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
FILES = [
    ("config", ROOT / "config/config.yaml"),
    ("datasets", ROOT / "config/datasets.yaml"),
    ("datasets", ROOT / "config/board.yaml"),
    *((name, path) for name in ("study", "claims") for path in sorted((ROOT / STUDIES).glob(f"*/{name}.yaml"))),
]


def read(folder, name):
    return json.loads((folder / f"{name}.schema.json").read_text())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    write_schemas(folder)
    return folder


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_in_sync(name, made):
    jsonschema.Draft202012Validator.check_schema(read(made, name))
    assert read(ROOT / "workflow/schemas", name) == read(made, name)


@pytest.mark.parametrize(("name", "path"), FILES, ids=[path.parent.name + "/" + path.stem for _, path in FILES])
def test_the_schemas_accept_the_files(name, path, made):
    content, schema = read_yaml(path), jsonschema.Draft202012Validator(read(made, name))
    schema.validate(content)
    assert not schema.is_valid({**content, "no such key": 1})


def keys(schema):
    """Every key of a schema, with what the schema says of it."""
    if isinstance(schema, dict):
        if isinstance(properties := schema.get("properties"), dict):
            yield from properties.items()
        for inner in schema.values():
            yield from keys(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from keys(inner)


def plain(text):
    """A description without markup, which the page adds."""
    return re.sub(r"['`\\\\]|:\w+:", "", text.partition("\n\n")[0]).replace("\n", " ")


def rows(page):
    """The rows of all tables of a page: their cells."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\) \| ", line.removeprefix("| ").removesuffix(" |")) for line in lines]


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_has_a_description(name):
    found = list(keys(schemas()[name]))
    assert found
    assert [key for key, schema in found if not schema.get("description", "").strip()] == []


def test_a_key_without_a_description_is_found():
    class Undescribed(Strict):
        inner: "list[Inner]" = Field(description="a list")

    class Inner(Strict):
        described: int = Field(1, description="a number")
        forgotten: int = 2

    Undescribed.model_rebuild(_types_namespace={"Inner": Inner})
    found = dict(keys(Undescribed.model_json_schema()))
    assert set(found) == {"inner", "described", "forgotten"}
    assert "description" not in found["forgotten"]


class Base(Strict):
    """What two kinds share."""

    id: str = Field(description="the name of it")
    size: Annotated[int, Field(ge=3)] | None = Field(None, description="how large it is")


class Round(Base):
    """Something round.

    More about it.
    """

    kind: Literal["round"]
    id: str = "ball"


class Square(Base):
    """Something square."""

    kind: Literal["square"]
    sides: tuple[Literal["left", "right"], ...] = Field(("left",), description="which sides, 'left' or another")


class Box(Strict):
    """What holds them."""

    shapes: tuple[Annotated[Round | Square, Field(discriminator="kind")], ...] = Field((), description="what is inside")
    base: Base = Field(description="what it stands on")


def test_a_key_that_a_subclass_declares_anew_keeps_its_description():
    assert dict(keys(Round.model_json_schema()))["id"]["description"] == "the name of it"


def test_a_word_that_chooses_a_model_is_described_by_it():
    assert dict(keys(Round.model_json_schema()))["kind"]["description"] == "Something round."


def test_the_reference_has_tables_of_models_and_of_kinds():
    template = "# Boxes\n\n{{Box}}\n\n## All shapes\n\n{{kinds of Box.shapes}}\n\n## Base of it\n\n{{Base}}\n"
    page = render({"box": Box.model_json_schema()}, template)
    found = {cells[0]: cells for cells in rows(page)}
    assert "(#all-shapes)" in found["`shapes`"][1]
    assert "(#base-of-it)" in found["`base`"][1]
    assert "3" in found["`size`"][1]
    square = next(cells for cells in rows(page) if cells[:2] == ["`square`", "`sides`"])
    assert "`left` or `right`" in square[2]
    assert square[3] == '`["left"]`'
    assert square[4].startswith("which sides, `left`")
    assert ["`round`", "Something round.", "`ball`"] in rows(page)


def test_the_reference_is_in_sync():
    assert (ROOT / REFERENCE).read_text(encoding="utf-8") == reference(), "run make schemas"


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_is_on_the_page(name):
    shown = {(cell, plain(cells[-1])) for cells in rows(reference()) for cell in cells[:2]}
    absent = [
        key
        for key, schema in keys(schemas()[name])
        if "const" not in schema and (f"`{key}`", plain(schema["description"])) not in shown
    ]
    assert absent == []


def test_every_kind_of_exhibit_is_on_the_page():
    first = {cells[0] for cells in rows(reference())}
    assert {f"`{word}`" for kind in every_kind() for word in kind.kind_words()} <= first


def test_the_page_names_the_study_that_alone_has_a_kind():
    page = reference()
    table = page[page.index("| kind | what it is |") :].partition("\n\n")[0]
    shown = {cells[0]: cells[-1] for cells in rows(table)}
    for kind in every_kind():
        place = kind.__module__.split(".")
        study = f"`{place[1]}`" if place[0] == STUDIES else ""
        assert {shown[f"`{word}`"] for word in kind.kind_words()} == {study}


def test_links_of_the_page_lead_somewhere():
    page = reference()
    headings = [line.lstrip("# ").lower() for line in page.splitlines() if line.startswith("#")]
    anchors = {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors
    for target in re.findall(r"\]\((\.\./[^)#]+)", page):
        assert (ROOT / REFERENCE.parent / target).exists(), target
