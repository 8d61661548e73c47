"""Change one setting of a study without classes after a finished run: the files are those of a fresh folder.

As in ``test_metamorphic``. The changes are those of the keys that only such a study has, and of what they depend on.
"""

import copy
import shutil

import pytest
import yaml
from test_metamorphic import leaves

from concord.reports.study import Study
from conftest import ROOT, Project

pytestmark = pytest.mark.workflow

POOL = {"file": {"name": "pool.csv"}, "missing": -1, "runs": 8, "note": ""}
ENTRY = {
    "title": "Toy",
    "classes": False,
    "shape": [40, 0, 0],
    "licence": "none",
    "source": "made by hand",
    "ensembles": {"pool": POOL, "other": {"file": {"name": "other.csv"}}},
}
STUDY = {
    "id": "toy",
    "title": "A toy study",
    "summary": "One data set without classes.",
    "cases": [{"dataset": "toy", "ensemble": "pool", "k": 3}],
    "ensemble": {"runs": 8, "subset_size": 8},
    "methods": ["KC", "EAC"],
    "diagnosis": {"ks": [2, 3], "draws": 3, "halves": 3, "nulls": 2, "folds": 2},
    "exhibits": [
        {"kind": "diagnosis", "id": "of_eac", "title": "EAC", "case": "toy", "shows": "clusters", "method": "EAC"}
    ],
}
NEW_VALUES = {
    "classes": True, "shape": [41, 0, 0], "missing": 0, "runs": 7, "k": 4, "ensemble": "other",
    "ks": [2, 3, 4], "draws": 4, "halves": 4, "nulls": 3, "folds": 3, "method": "EAC", "shows": "base",
}  # fmt: skip


def explicit() -> dict:
    """The study with all keys written out of the case, the diagnosis and the exhibit."""
    whole = Study.model_validate(STUDY).model_dump(mode="json")
    return {**STUDY, **{key: whole[key] for key in ("cases", "diagnosis", "exhibits")}}


def changes() -> list[tuple[str, tuple, object]]:
    found = []
    for file, content in (("study", explicit()), ("entry", ENTRY)):
        for path in leaves(content):
            key = next(step for step in reversed(path) if isinstance(step, str))
            parts = ("cases", "diagnosis", "exhibits") if file == "study" else ENTRY
            if path[0] in parts and key in NEW_VALUES and "other" not in path:
                new = {"method": "KC"}.get(key, NEW_VALUES[key]) if path[0] == "exhibits" else NEW_VALUES[key]
                found.append((file, path, new))
    return found


CHANGES = changes()


def write(project: Project, change: tuple | None = None) -> None:
    contents = {"study": explicit(), "entry": copy.deepcopy(ENTRY)}
    if change:
        file, path, new = change
        place = contents[file]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = new
    (project.folder / "config/datasets.yaml").write_text(yaml.safe_dump({"toy": contents["entry"]}, sort_keys=False))
    project.study(contents["study"])


def fresh(folder) -> Project:
    """A project with the toy study, its data in place, nothing run."""
    project = Project(folder)
    for part in ("workflow", "profiles", "envs"):
        shutil.copytree(ROOT / part, folder / part)
    (folder / "config").mkdir()
    shutil.copy(ROOT / "config/config.yaml", folder / "config")
    raw = folder / "data/raw/toy"
    raw.mkdir(parents=True)
    for name, period in (("pool", 3), ("other", 4)):
        labels = [[(i + j + j * (i % 5 == 0)) % period for j in range(8)] for i in range(40)]
        rows = [",".join(f"run{j}" for j in range(8)), *(",".join(map(str, row)) for row in labels)]
        (raw / f"{name}.csv").write_text("\n".join(rows) + "\n")
    write(project)
    return project


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Project:
    """The toy study, run; not to be changed."""
    project = fresh(tmp_path_factory.mktemp("toy"))
    project.run("toy")
    return project


@pytest.fixture
def copy_of_toy(toy, tmp_path) -> Project:
    return Project(shutil.copytree(toy.folder, tmp_path / "again"))


def test_the_new_keys_are_changed(copy_of_toy):
    keys = {path[-1] for _, path, _ in CHANGES}
    assert {"k", "classes", "shape", "method", "ks", "draws", "halves", "nulls", "folds", "shows"} <= keys
    assert copy_of_toy.run("toy") == []


@pytest.mark.parametrize(("file", "path", "new"), CHANGES, ids=[f"{f}-{'.'.join(map(str, p))}" for f, p, _ in CHANGES])
def test_a_change_gives_what_a_fresh_folder_gives(copy_of_toy, tmp_path, file, path, new):
    (tmp_path / "fresh").mkdir()
    said = []
    for project in (copy_of_toy, anew := fresh(tmp_path / "fresh")):
        write(project, (file, path, new))
        try:
            project.run("toy")
            said.append("")
        except AssertionError as failed:
            said.append(str(failed))
    assert bool(said[0]) == bool(said[1]), said
    assert bool(said[0]) == (path[-1] in {"classes", "shape", "runs"}), said
    assert "Traceback" not in "".join(said)
    if not said[0]:
        here, there = copy_of_toy.reproducible_files(), anew.reproducible_files()
        assert [name for name, content in there.items() if here.get(name) != content] == []
