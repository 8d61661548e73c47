"""A copy of the project with a tiny study, run by the real Snakemake."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import inprocess
import pytest
import yaml

from consclust_studies.contents import digest_content, read_marks
from consclust_studies.job_files import JobFile

ROOT = Path(__file__).parents[2]
PATIENCE = 900  # seconds; what is not stuck ends before, on a busy machine too
PARTS = ["Snakefile", "workflow", "config", "profiles", "src", "envs"]
KINDS = ["studies/ec_cms/exhibits", "studies/peace/exhibits"]
"""Kinds of exhibits of the project's studies that those of the tests use too."""

TINY = {
    "id": "tiny",
    "title": "A tiny study",
    "summary": "Two small data sets.",
    "cases": ["iris", {"dataset": "wine", "ensemble": "mixed", "object_share": 0.9}],
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
    "kinds": ["studies/peace/exhibits/starts.py", "studies/ec_cms/exhibits/levels.py"],
    "exhibits": [
        {"kind": "heatmap", "id": "figure1", "title": "RCE", "method": "RCE", "x": "lambda1", "y": "lambda2"},
        {"kind": "starts", "id": "starts", "title": "Starts", "methods": ["SpectralConsensus"]},
        {"kind": "levels", "id": "levels", "title": "Levels of co-association", "case": "iris"},
    ],
    "generalisation": {"splits": 2, "repetitions": 1, "cases": ["iris"], "methods": ["EAC", "SpectralConsensus"]},
    "variants": {
        "methods": [
            {"id": "EAC-single", "of": "EAC", "method": "EAC", "parameters": {"linkage": "single"}, "why": "tree"}
        ],
        "cases": [
            {
                "id": "wine_pp",
                "dataset": "wine",
                "of": "wine",
                "init": "k-means++",
                "why": "initial centres",
                "methods": ["EAC"],
            }
        ],
    },
    "claims": [{"text": "RCE is best.", "check": "best", "method": "RCE", "metric": "ACC"}],
}

# what needs no second data set, figure or variant has none: each job of a real run costs about two CPU seconds
BRIEF = {key: TINY[key] for key in ("id", "title", "summary", "ensemble")} | {"cases": ["iris"], "methods": ["EAC"]}

SECONDS = (
    ".runtime.json",
    ".tsv",
    "runtime.csv",
    "runtime.md",
    "runtime.tex",
    "runtime.html",
    "runtime.json",
    "provenance.json",
)
"""Files with seconds in them; the report shows them too."""


class Project:
    """A copy of the project in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ,
            "PYTHONPATH": str(folder / "src"),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        self.env.pop("CONSCLUST_DATA_MIRROR", None)

    def set_up(self, parts: list[str] = PARTS) -> "Project":
        """Fill the folder; the tiny study is its only one, beside the kinds of exhibits of others."""
        # with what Python and numba have compiled, but for what they are writing now
        ignored = shutil.ignore_patterns("*.egg-info", "*.pyc.*", "*.tmp.*")
        for part in parts:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, self.folder / part, ignore=ignored)
            else:
                shutil.copy(ROOT / part, self.folder / part)
        for kinds in ROOT.glob("studies/*/exhibits"):
            shutil.copytree(kinds, self.folder / kinds.relative_to(ROOT), ignore=ignored)
        settings = self.folder / "config/config.yaml"
        settings.write_text(settings.read_text().replace("default_study: quickstart", "default_study: tiny"))
        self.study(TINY)
        return self

    def copy(self, folder: Path) -> "Project":
        """A copy in another folder, to be edited and run again."""
        return Project(shutil.copytree(self.folder, folder, symlinks=True))

    def study(self, content: dict) -> None:
        """Write the file of a study."""
        path = self.folder / f"studies/{content['id']}/study.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(content, sort_keys=False))

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def snakemake(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run Snakemake and its jobs as processes."""
        return self.finish(self.command(*arguments), check)

    def run_apart(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run Snakemake and its jobs as one process, with the source of the folder."""
        return self.finish([sys.executable, inprocess.__file__, *arguments, "--cores", "1"], check)

    def finish(self, command: list[str], check: bool) -> subprocess.CompletedProcess:
        """Run a command in the folder until it ends."""
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=PATIENCE)
        if check and done.returncode:
            raise AssertionError(f"{command}:\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
        return done

    def jobs(self, *arguments: str, check: bool = True) -> list[JobFile]:
        """Run Snakemake and its jobs in this process, as ``run`` does; return the jobs."""
        return [inprocess.job_of(line, self.folder) for line in self.run(*arguments, check=check)]

    def run(self, *arguments: str, check: bool = True) -> list[str]:
        """Run Snakemake and its jobs in this process, with the source of the checkout; return the jobs' lines."""
        code, ran, said = inprocess.snakemake(self.folder, *arguments)
        if check and code:
            raise AssertionError(f"{arguments}:\n{said[-6000:]}")
        return ran

    def ask(self, *arguments: str) -> tuple[int, str]:
        """Run Snakemake and its jobs in this process; return its exit code and what it said."""
        code, _, said = inprocess.snakemake(self.folder, *arguments)
        return code, said

    def reproducible_files(self) -> dict[str, bytes]:
        """Everything whose bytes must not depend on the run."""
        # a run that has nothing to do does not start, and leaves the settings of the last start
        apart = (*SECONDS, "report.pdf", "report.html", "run.json")
        return {
            str(path.relative_to(self.folder)): without_inputs(path, path.read_bytes())
            for top in ("data/prepared", "results", "reports")
            for path in sorted((self.folder / top).rglob("*"))
            if path.is_file() and not path.name.endswith(apart) and ".previous" not in path.parts
        }


def without_inputs(path: Path, content: bytes) -> bytes:
    """The bytes of a file, without the digest of the inputs that it was made from.

    Blocks of another size are other inputs with the same labels, and the inputs of all tables have seconds in them.
    """
    if path.suffix == ".parquet" and (marks := read_marks(path)):
        return json.dumps([digest_content(path), marks.spec, marks.stamp.versions]).encode()
    if path.parent.name != "exhibits" or path.suffix != ".json":
        return content
    record = json.loads(content)
    stamp = json.loads(record["stamp"])
    return json.dumps({**record, "checksum": "", "stamp": stamp["versions"]}).encode()


@pytest.fixture
def project(tmp_path) -> Project:
    """A fresh project in a folder whose name has a space and an umlaut."""
    folder = tmp_path / "clüster ensembles"
    folder.mkdir()
    return Project(folder).set_up()


@pytest.fixture
def brief(project) -> Project:
    """A fresh project whose study makes few jobs."""
    project.study(BRIEF)
    return project


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Project:
    """A project whose tiny study has been run, once for all workers of pytest-xdist; not to be changed."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    place = shared / "finished.txt"
    with (shared / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            project = Project(tmp_path_factory.mktemp("finished")).set_up()
            project.snakemake("tiny")
            place.write_text(str(project.folder))
    return Project(Path(place.read_text()))


@pytest.fixture
def copy_of_finished(finished, tmp_path) -> Project:
    """The finished project, to be edited and run again."""
    return finished.copy(tmp_path / "copy")


@pytest.fixture(scope="module")
def first_run(request, tmp_path_factory) -> tuple[Project, list[str]]:
    """The study ``TOY`` of the test's module, run, and the command lines of its jobs."""
    project = request.module.TOY.fresh(tmp_path_factory.mktemp("toy"))
    return project, project.run("toy")


@pytest.fixture(scope="module")
def toy(first_run) -> Project:
    """The study ``TOY`` of the test's module, run; not to be changed."""
    return first_run[0]


@pytest.fixture
def copy_of_toy(toy, tmp_path) -> Project:
    return toy.copy(tmp_path / "again")
