"""What is found in the folder of the exhibits, and what is said of files that do not hold a valid kind."""

import sys

import pytest
from job_files_of import files_of
from small import planned

from consclust.errors import InputError
from consclust_studies import exhibits
from consclust_studies.exhibits.exhibits_job import ExhibitError, ExhibitJob, part_of, run
from consclust_studies.exhibits.runtime import Runtime

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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder whose files count as those of the package too."""
    monkeypatch.setattr(exhibits, "__path__", [*exhibits.__path__, str(tmp_path)])
    yield tmp_path
    sys.modules.pop("consclust_studies.exhibits.yours", None)
    vars(exhibits).pop("yours", None)


def test_a_file_with_a_kind_is_all_it_needs(folder):
    (folder / "yours.py").write_text(KIND)
    found = exhibits.kinds_in(exhibits.__path__)
    assert tuple(dict.fromkeys(found.values())) == (*exhibits.KINDS, found["mine"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Mine(Exhibit)", r"line 1: expected ':'; correct"),
        (KIND.replace("    kind", "    reads = Needs(score=True)\n    kind"), r"TypeError: .*'score'; correct"),
        (KIND.replace('Literal["mine"]', "str"), r"Mine needs a literal kind; write"),
        (KIND.replace("    kind:", "    kid:"), r"Mine needs a literal kind; write"),
        (KIND.replace('"mine"', '"vat"'), r"Mine has the kind 'vat' of consclust_studies\.exhibits\.vat; choose"),
        (KIND.replace("build", "bild"), r"Mine needs a method build; write"),
        (KIND.replace("    kind", "    place = 3\n    kind"), r"Mine has a place .* no default of id; write"),
    ],
)
def test_a_mistake_is_reported_with_its_file(folder, text, said):
    (folder / "yours.py").write_text(text)
    with pytest.raises(InputError, match=rf"^[^\n]*yours\.py[^\n]*{said}[^\n]*$"):
        exhibits.kinds_in(exhibits.__path__)


def test_an_exhibit_that_breaks_is_named(tmp_path, monkeypatch):
    def broken(self, source):
        raise KeyError("nocol")

    monkeypatch.setattr(Runtime, "build", broken)
    study = planned(exhibits=[{"kind": "runtime", "id": "seconds"}])
    job = ExhibitJob(study=part_of(study, study.exhibits), items={"seconds": ()})
    with pytest.raises(ExhibitError, match="exhibit seconds: KeyError: 'nocol'"):
        run(job, files_of({}, {"stored": tmp_path / "seconds.json", "shown": tmp_path / "seconds.csv"}, counts={}))
