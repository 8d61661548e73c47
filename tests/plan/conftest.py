"""A project with one small study, whose plan is made without Snakemake."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from consclust_studies.plan import needs
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan

ROOT = Path(__file__).parents[2]
DATASETS = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
NAMES = ("iris", "wine", "yale", "ecoli_pool")
GRID = {"grid": {"lambda1": [0.1, 1.0], "lambda2": [10.0, 1.0]}, "default": {"lambda1": 1.0, "lambda2": 1.0}}
SIZED = {"id": "iris_5", "dataset": "iris", "of": "iris", "why": "size", "methods": ["KC", "RCE"], "subset_size": 5}
STUDY = {
    "id": "mine",
    "title": "Mine",
    "summary": "A small study.",
    "cases": ["iris", "wine", {"id": "pool", "dataset": "ecoli_pool", "ensemble": "authors", "without": ["SSCE"]}],
    "only_in_table1": ["yale"],
    "ensemble": {"runs": 20, "subset_size": 10, "draws": 4},
    "methods": ["KC", {"method": "RCE", **GRID}, "SSCE"],
    "variants": {
        "methods": [{"id": "KC-few", "of": "KC", "method": "KC", "parameters": {"n_init": 2}, "why": "restarts"}],
        "cases": [SIZED, {**SIZED, "id": "iris_raw", "preprocessing": [], "subset_size": None}],
    },
    "generalisation": {"methods": ["KC", {"method": "SSCE", "by": ["own"]}], "cases": ["iris", "wine"]},
    "claims": [{"text": "RCE is best.", "check": "best", "method": "RCE", "metric": "ACC"}],
}

MakePlan = Callable[..., Plan]


@pytest.fixture
def make_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakePlan]:
    """Make the plan of a project; ``change`` may edit the study and the entries of the registry."""
    monkeypatch.chdir(tmp_path)

    def make(change: Callable[[Any, Any], object] | None = None, **config: Any) -> Plan:
        forget()
        study, datasets = copy.deepcopy((STUDY, {name: DATASETS[name] for name in NAMES}))
        if change:
            change(study, datasets)
        for folder in ("config", "studies/mine"):
            Path(folder).mkdir(parents=True, exist_ok=True)
        Path("studies/mine/study.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
        Path("config/datasets.yaml").write_text(yaml.safe_dump(datasets, sort_keys=False))
        return load_plan({"seed": 1, **config})

    yield make
    forget()


def forget() -> None:
    """Let what accepted runs have measured be read again."""
    needs.read_accepted.cache_clear()
    needs.read_measured.cache_clear()
