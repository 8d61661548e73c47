"""A copy of the project with a tiny study, run by the real Snakemake."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PARTS = ["Snakefile", "workflow", "config", "profiles", "src", "envs"]

TINY = {
    "id": "tiny",
    "title": "A tiny study",
    "summary": "Two small data sets.",
    "cases": ["iris", "wine"],
    "ensemble": {"runs": 12, "subset_size": 4},
    "methods": [
        "SpectralConsensus",
        "EAC",
        {
            "method": "RCE",
            "parameters": {"max_outer": 3, "max_inner": 3, "n_init": 3},
            "grid": {"lambda1": [0.01, 1.0], "lambda2": [0.01, 1.0]},
            "default": {"lambda1": 1.0, "lambda2": 1.0},
        },
    ],
    "figure1": {"method": "RCE", "x": "lambda1", "y": "lambda2", "cases": ["iris", "wine"]},
    "figure2": {"method": "RCE", "x": "lambda1", "y": "lambda2"},
    "figures": [{"id": "levels", "kind": "levels", "title": "Levels of co-association", "case": "iris"}],
    "readings": {
        "methods": [
            {
                "id": "EAC-single",
                "of": "EAC",
                "method": "EAC",
                "parameters": {"linkage": "single"},
                "why": "tree",
            }
        ],
        "cases": [
            {
                "id": "wine_pp",
                "dataset": "wine",
                "of": "wine",
                "init": "k-means++",
                "why": "first centres",
                "methods": ["EAC"],
            }
        ],
    },
    "claims": [{"text": "RCE is best.", "check": "best", "method": "RCE", "metric": "ACC"}],
}


class Project:
    """A copy of the project in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for part in PARTS:
            source = ROOT / part
            ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, folder / part, **({"ignore": ignore} if source.is_dir() else {}))
        for study in (folder / "config/studies").glob("*.yaml"):
            study.unlink()
        self.study(TINY)
        self.env = {
            **os.environ,
            "PYTHONPATH": str(folder / "src"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        self.env.pop("CONCORD_DATA_MIRROR", None)

    def study(self, content: dict) -> None:
        path = self.folder / f"config/studies/{content['id']}.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def snakemake(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if check and done.returncode:
            raise AssertionError(f"{arguments}:\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
        return done

    def jobs(self, *arguments: str) -> set[str]:
        """Rules that a dry run would run, from its table of jobs."""
        lines = self.snakemake("-n", *arguments).stdout.splitlines()
        if "Job stats:" not in lines:
            return set()
        table = lines[lines.index("Job stats:") + 3 :]
        return {line.split()[0] for line in table[: table.index("")]} - {"total"}

    def planned(self, *arguments: str) -> set[str]:
        """Messages of the jobs that a dry run would run, those of groups indented."""
        lines = self.snakemake("-n", *arguments).stdout.splitlines()
        return {line.split(": ", 1)[1] for line in lines if re.match(r" *Job \d+: ", line)}

    def reproducible_files(self) -> dict[str, bytes]:
        """Everything whose bytes must not depend on the run."""
        apart = (".runtime.json", ".tsv", "runtime.csv", "runtime.md", "provenance.json", "report.pdf")
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for top in ("data/prepared", "results", "reports")
            for path in sorted((self.folder / top).rglob("*"))
            if path.is_file() and not path.name.endswith(apart)
        }


@pytest.fixture
def project(tmp_path) -> Project:
    """A fresh project in a folder whose name has a space and an umlaut."""
    folder = tmp_path / "clüster ensembles"
    folder.mkdir()
    return Project(folder)


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """A project whose tiny study has been run; not to be changed."""
    project = Project(tmp_path_factory.mktemp("finished"))
    project.snakemake("tiny")
    return project


@pytest.fixture
def copy_of_finished(finished, tmp_path) -> Project:
    """The finished project, to be edited and run again."""
    folder = tmp_path / "copy"
    shutil.copytree(finished.folder, folder, symlinks=True)
    copy = object.__new__(Project)
    copy.folder = folder
    copy.env = {**finished.env, "PYTHONPATH": str(folder / "src")}
    return copy
