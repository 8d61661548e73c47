"""What is found in the folders of exhibits, what a study may use of it, and what is said of files without a kind."""

import sys
from pathlib import Path

import pytest

from consclust.discovery import modules_of
from consclust.errors import InputError
from consclust.validation import parse
from consclust_studies import exhibits
from consclust_studies.config.exhibit_kinds import engine_kinds, every_kind, find_kinds, kinds_in, own_kinds
from consclust_studies.config.study import PlannedStudy
from consclust_studies.exhibits.exhibits_job import ExhibitError, ExhibitJob, reduce_to_exhibits, run
from consclust_studies.exhibits.runtime import Runtime
from job_files_of import files_of
from small import STUDY, planned

HEAD = "from typing import Literal\nfrom consclust_studies.exhibits.base import Exhibit, Needs\n"
KIND = (
    HEAD
    + """
class Mine(Exhibit):
    kind: Literal["mine"]
    def build(self, source): ...

class _Part(Exhibit): ...
"""
)
MISTAKES = [
    ("class Mine(Exhibit)", r"line 1: expected ':'; correct"),
    (KIND.replace("    kind", "    reads = Needs(score=True)\n    kind"), r"TypeError: .*'score'; correct"),
    (KIND.replace('Literal["mine"]', "str"), r"Mine needs a literal kind; write"),
    (KIND.replace("    kind:", "    kid:"), r"Mine needs a literal kind; write"),
    (KIND.replace('"mine"', '"scores"'), r"Mine has the kind 'scores' of consclust_studies\.exhibits\.scores; choose"),
    (KIND.replace("build", "bild"), r"Mine needs a method build; write"),
    (KIND.replace("    kind", "    place = 3\n    kind"), r"Mine has a place .* no default of id; write"),
]


@pytest.fixture
def engine_folder(tmp_path, monkeypatch):
    """A folder whose files count as those of the engine too."""
    engine_kinds()  # without those of this folder, which kinds_of_engine finds
    monkeypatch.setattr(exhibits, "__path__", [*exhibits.__path__, str(tmp_path)])
    yield tmp_path
    sys.modules.pop("consclust_studies.exhibits.yours", None)
    vars(exhibits).pop("yours", None)


def kinds_of_engine():
    return kinds_in(modules_of(exhibits.__name__, exhibits.__path__))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of a project, in which this process works; ``write`` adds a file of kinds to a study of it."""
    monkeypatch.chdir(tmp_path)

    def write(study: str, text: str, name: str = "yours") -> Path:
        file = Path(f"studies/{study}/exhibits/{name}.py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    return write


def study_with(study: str, **changes) -> PlannedStudy:
    return parse(PlannedStudy, {**STUDY, "id": study, **changes}, "study.yaml")


MINE = {"kind": "mine", "id": "one", "title": "One"}


def test_a_file_in_the_folder_of_the_engine_is_all_it_needs(engine_folder):
    (engine_folder / "yours.py").write_text(KIND)
    found = kinds_of_engine()
    assert found == engine_kinds() | {"mine": found["mine"]}


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_mistake_is_reported_with_its_file(engine_folder, text, said):
    (engine_folder / "yours.py").write_text(text)
    with pytest.raises(InputError, match=rf"^[^\n]*yours\.py[^\n]*{said}[^\n]*$"):
        kinds_of_engine()


def test_a_file_in_the_folder_of_a_study_is_all_it_needs(project):
    project("a", KIND)
    (exhibit,) = study_with("a", exhibits=[MINE]).exhibits
    assert type(exhibit) is own_kinds("a")["mine"]
    assert type(exhibit).__module__ == "studies.a.exhibits.yours"
    assert sys.modules[type(exhibit).__module__].Mine is type(exhibit)
    assert own_kinds("b") == {}


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_mistake_in_the_folder_of_a_study_is_reported_with_its_file(project, text, said):
    project("a", text)
    with pytest.raises(InputError, match=rf"^studies/a/exhibits/yours\.py[^\n]*{said}[^\n]*$"):
        study_with("a", exhibits=[MINE])
    study_with("b", exhibits=[{"kind": "runtime"}])


def test_a_kind_of_one_study_is_refused_to_another_with_its_file(project):
    project("a", KIND)
    said = (
        r"^study\.yaml: exhibits\[0\]\.kind = 'mine': not known here; it belongs to the study a: "
        r"studies/a/exhibits/yours\.py; list this file in kinds$"
    )
    with pytest.raises(InputError, match=said):
        study_with("b", exhibits=[MINE])
    project("0", "class Mine(Exhibit)")  # a mistake of another study is not in the way
    with pytest.raises(InputError, match=said):
        study_with("b", exhibits=[MINE])


def test_a_kind_that_no_study_has_is_refused_with_the_nearest(project):
    project("a", KIND)
    with pytest.raises(InputError, match=r"exhibits\[0\]\.kind = 'minne': not known here; did you mean \"mine\"\?$"):
        study_with("a", exhibits=[{**MINE, "kind": "minne"}])
    with pytest.raises(InputError, match=r"exhibits\[0\]\.kind = 'heatmapp': .*\"heatmap\""):
        study_with("b", exhibits=[{**MINE, "kind": "heatmapp"}])


def test_a_study_may_list_a_file_of_another(project):
    file = project("a", KIND)
    project("a", KIND.replace('"mine"', '"other"'), "theirs")
    study = study_with("b", kinds=[str(file)], exhibits=[MINE])
    assert [type(exhibit) for exhibit in study.exhibits] == [own_kinds("a")["mine"]]
    with pytest.raises(InputError, match="studies/a/exhibits/theirs"):
        study_with("b", kinds=[str(file)], exhibits=[{**MINE, "kind": "other"}])
    project("c", KIND)
    with pytest.raises(InputError, match=r"^studies/a/exhibits/yours\.py: the study c has a kind 'mine' too"):
        study_with("c", kinds=[str(file)], exhibits=[MINE])


@pytest.mark.parametrize(
    "file", ["studies/a/exhibits/none.py", "src/yours.py", "studies/a/exhibits/yours", "../a/b/c.py"]
)
def test_a_listed_file_that_holds_no_kind_of_a_study_is_refused(project, file):
    project("a", KIND)
    with pytest.raises(InputError, match=rf"^study\.yaml: kinds\[0\] = '{file}': "):
        study_with("b", kinds=[file])


def test_two_studies_may_have_kinds_of_one_name(project):
    project("a", KIND)
    project("b", KIND.replace("    kind", "    n: int\n    kind"))
    assert study_with("a", exhibits=[MINE]).exhibits[0].title == "One"
    assert study_with("b", exhibits=[{**MINE, "n": 3}]).exhibits[0].n == 3
    with pytest.raises(InputError, match=r"exhibits\[0\]\.n: missing"):
        study_with("b", exhibits=[MINE])
    assert sum(cls.__name__ == "Mine" for cls in every_kind()) == 2
    whole = PlannedStudy.model_json_schema()
    every = [entry.get("properties", {}) for entry in whole["$defs"].values()]
    kinds = [keys for keys in every if keys.get("kind", {}).get("const") == "mine"]
    assert [("n" in keys) for keys in kinds] == [False, True]


def test_files_of_a_study_import_each_other(project):
    project("a", "WORD = 'Two'\n", "words")
    project(
        "a", "from studies.a.exhibits.words import WORD\n" + KIND.replace("    kind", "    title: str = WORD\n    kind")
    )
    (exhibit,) = study_with("a", exhibits=[{"kind": "mine", "id": "one"}]).exhibits
    assert exhibit.title == "Two"


def test_a_study_in_another_folder_has_its_own_kinds(project, tmp_path, monkeypatch):
    project("a", KIND)
    first = own_kinds("a")["mine"]
    (tmp_path / "second").mkdir()
    monkeypatch.chdir(tmp_path / "second")
    project("a", KIND.replace("    kind", "    n: int = 2\n    kind"))
    assert study_with("a", exhibits=[MINE]).exhibits[0].n == 2
    monkeypatch.chdir(tmp_path)
    again = own_kinds("a")["mine"]
    assert again.model_fields.keys() == first.model_fields.keys()
    assert sys.modules[again.__module__].Mine is again


def test_a_study_has_the_keys_of_its_kinds_in_the_spec_of_a_job(project):
    project("a", KIND.replace("    kind", "    n: int\n    kind"))
    study = study_with("a", exhibits=[{**MINE, "n": 3}])
    job = ExhibitJob(study=reduce_to_exhibits(study, study.exhibits), items={"one": ()})
    again = ExhibitJob.from_text(job.json_text, "--spec")
    assert again.study.exhibits == study.exhibits
    assert again.json_text == job.json_text


def test_a_kind_with_a_place_is_standard_in_its_own_study_alone(project):
    standing = KIND.replace("    kind", "    place = 3\n    id: str = 'own'\n    title: str = 'Own'\n    kind")
    project("a", standing)
    assert "mine" in find_kinds("a")
    assert [cls.place for cls in own_kinds("a").values()] == [3]
    assert "mine" not in find_kinds("b")


def test_an_exhibit_that_breaks_is_named(tmp_path, monkeypatch):
    def broken(self, source):
        raise KeyError("nocol")

    monkeypatch.setattr(Runtime, "build", broken)
    study = planned(exhibits=[{"kind": "runtime", "id": "seconds"}])
    job = ExhibitJob(study=reduce_to_exhibits(study, study.exhibits), items={"seconds": ()})
    with pytest.raises(ExhibitError, match="exhibit seconds: KeyError: 'nocol'"):
        run(job, files_of({}, {"stored": tmp_path / "seconds.json", "shown": tmp_path / "seconds.csv"}, counts={}))
