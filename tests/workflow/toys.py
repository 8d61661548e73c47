"""A small study as data: written with some of its values changed, made anew in a folder, run and compared."""

import copy
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml
from matplotlib.figure import Figure
from PIL import Image

from conftest import KINDS, ROOT, Project

Change = tuple[str, tuple, Any]
"""Part of the configuration (config, study, entry), path and new value."""


@pytest.fixture(scope="module")
def pictures_in_one_form() -> Iterator[None]:
    """Draw every picture as SVG alone, which shows any change; its PDF is empty, and its PNG is a pixel.

    Pictures in three forms take a quarter of the time of a run.
    """
    draw = Figure.savefig

    def savefig(picture: Figure, path: Path, format: str, **more: Any) -> None:
        if format == "svg":
            draw(picture, path, format=format, **more)
        elif format == "png":
            Image.new("RGB", (1, 1)).save(path, "png")
        else:
            path.write_bytes(b"")

    with mock.patch.object(Figure, "savefig", savefig):
        yield


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
        for part in ("workflow", "profiles", "envs", *KINDS):
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


def outcome(project: Project, target: str = "toy") -> tuple[list[str], str]:
    """Run the study or make a file of it; return the jobs that ran, and what was said if it failed: no traceback."""
    try:
        return project.run(target), ""
    except AssertionError as failed:
        said = str(failed)
    assert "Traceback" not in said
    return [], said


def differing(here: Project, there: dict[str, bytes]) -> list[str]:
    """The files of another project that are not the same here."""
    files = here.reproducible_files()
    return [name for name, content in there.items() if files.get(name) != content]
