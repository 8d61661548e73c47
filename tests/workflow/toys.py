"""A small study as data: written with some of its values changed, made anew in a folder, run and compared."""

import copy
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from conftest import ROOT, Project

Change = tuple[str, tuple, Any]
"""Part of the configuration (config, study, entry), path and new value."""


def leaves(value: object, path: tuple = ()) -> list[tuple]:
    """Paths of all values that hold no other; a list of plain values is one."""
    if isinstance(value, dict) and value:
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return [leaf for i, item in enumerate(value) for leaf in leaves(item, (*path, i))]
    return [path]


@dataclass
class Toy:
    """The study ``toy`` of the data set ``toy``."""

    study: dict
    entry: dict
    files: dict[str, str]  # Texts by path: data, published values, discussion
    registry: dict = field(default_factory=dict)  # Other data sets

    def parts(self) -> dict[str, Any]:
        """The configuration by part, to be changed."""
        config = yaml.safe_load((ROOT / "config/config.yaml").read_text()) | {"default_study": None}
        return {"config": config, "study": copy.deepcopy(self.study), "entry": copy.deepcopy(self.entry)}

    def write(self, project: Project, changes: Iterable[Change] = ()) -> None:
        """Write the configuration with some changes, one after the other."""
        parts = self.parts()
        for part, path, new in changes:
            place = parts[part]
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = new
        registry = {**self.registry, "toy": parts["entry"]}
        for name, content in (("config", parts["config"]), ("datasets", registry)):
            (project.folder / f"config/{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
        project.study(parts["study"])

    def fresh(self, folder: Path, changes: Iterable[Change] = ()) -> Project:
        """A project with the study, its data in place, nothing run."""
        for part in ("workflow", "profiles", "envs"):
            shutil.copytree(ROOT / part, folder / part)
        shutil.copy(ROOT / "Snakefile", folder)
        (folder / "src").symlink_to(ROOT / "src")
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (folder / "config").mkdir(exist_ok=True)
        project = Project(folder)
        self.write(project, changes)
        return project


def as_csv(labels: list[list[int]]) -> str:
    """A label matrix as a file."""
    rows = [",".join(f"run{j}" for j in range(len(labels[0]))), *(",".join(map(str, row)) for row in labels)]
    return "\n".join(rows) + "\n"


def outcome(project: Project) -> tuple[list[str], str]:
    """Run the study; return the jobs that ran, and what was said if it failed, which is no traceback."""
    try:
        return project.run("toy"), ""
    except AssertionError as failed:
        said = str(failed)
    assert "Traceback" not in said
    return [], said


def differing(here: Project, there: dict[str, bytes]) -> list[str]:
    """The files of another project that are not the same here."""
    files = here.reproducible_files()
    return [name for name, content in there.items() if files.get(name) != content]
