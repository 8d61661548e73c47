"""A small project whose jobs are done as its rules do them, without Snakemake."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from consclust_studies.plan.jobs import PlannedJob
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan
from consclust_studies.runner import run_job_file
from consclust_studies.stages import label_blocks

RACE = {"metric": "ACC", "subsets": 1, "points": 1}
STUDY = {
    "id": "small",
    "title": "Small",
    "summary": "One data set.",
    "cases": [{"dataset": "toy", "races": {"DREC": RACE}}],
    "ensemble": {"runs": 9, "subset_size": 3},
    "methods": [
        "EAC",
        {
            "method": "RCE",
            "parameters": {"max_outer": 2, "max_inner": 2, "n_init": 2},
            "grid": {"lambda1": [0.1, 1.0], "lambda2": [0.1, 1.0]},
            "default": {"lambda1": 1.0, "lambda2": 1.0},
        },
        {"method": "DREC", "grid": {"lambda_": [0.1, 10.0, 1000.0]}, "default": {"lambda_": 10.0}},
        {"method": "SSCE", "parameters": {"solver": "profile", "features": "original"}},
    ],
    "generalisation": {"splits": 1, "repetitions": 1, "methods": ["EAC"]},
}
ENTRY = {
    "title": "Toy",
    "reader": {"format": "table"},
    "files": [{"name": "toy.csv"}],
    "licence": "mine",
    "source": "made by hand",
}
RAW = Path("data/raw/toy/toy.csv")
COMPUTED = ("prepare", "base_clusterings", "consensus", "race", "score", "collect", "unseen")
"""Kinds of jobs up to the scores, in the order of a run."""


def write_data(factor: int = 1, digits: int = 2) -> None:
    """Write 45 objects in three groups that overlap; the number of digits changes the file, and no number."""
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], 15)
    values = factor * np.round(rng.normal(kinds[:, None] * 1.5, 1.0, (45, 3)), 2)
    texts = [[f"{value:.{digits}f}" for value in row] for row in values]
    rows = [",".join([*row, "abc"[kind]]) for row, kind in zip(texts, kinds, strict=True)]
    RAW.parent.mkdir(parents=True, exist_ok=True)
    RAW.write_text("\n".join(rows) + "\n")


def make_plan(changes: dict[str, Any] | None = None, **config: Any) -> Plan:
    """Write the files of the configuration, and return the plan."""
    for path, content in ((Path("config/datasets.yaml"), {"toy": ENTRY}), (Path("studies/small/study.yaml"), STUDY)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump({**content, **((changes or {}) if content is STUDY else {})}, sort_keys=False))
    return load_plan({"seed": 1, **config})


def jobs(plan: Plan, kinds: Iterable[str] = COMPUTED) -> list[PlannedJob]:
    """The jobs of some kinds, each after those that it waits for."""
    return [job for job in plan.list_jobs(plan.run_of["small"]) if job.kind in kinds]


def do(job: PlannedJob, **how: Any) -> str:
    """Do a job as its rule does: what it has made before is removed first; return what it says."""
    for path in outputs(job):
        path.unlink(missing_ok=True)
    return run_job_file(job.to_file(job.inputs, job.outputs, **how).write())


def do_all(plan: Plan, kinds: Iterable[str] = COMPUTED, **how: Any) -> dict[str, str]:
    """Do the jobs of some kinds; return what they say, by their first output."""
    return {job.first_output: do(job, **how) for job in jobs(plan, kinds)}


def outputs(job: PlannedJob) -> list[Path]:
    return [Path(path) for paths in job.outputs.values() for path in paths]


def labels_of(method: str, block: str = "0-2") -> Path:
    return Path(f"results/small/consensus/toy/{method}/{block}.npz")


def stays(said: str) -> bool:
    """Whether a job says that it wrote its earlier result again."""
    return "unchanged" in said or "confirmed" in said


def answers(path: Path) -> dict[str, Any]:
    """All arrays of a file of labels but its spec and stamp."""
    with np.load(path) as stored:
        return {name: stored[name].tolist() for name in stored if name not in ("spec", "stamp")}


def kept_fits(path: Path) -> Any:
    """Labels of a block, (subsets, points, restarts, n)."""
    return label_blocks.Block(path).labels
