"""A small study and files of the consensus stage, made by hand."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jobs import spec_text

from consclust_studies.config.experiment import Experiment
from consclust_studies.stages.stored_ensembles import save, split
from job_files_of import STAMP, marks

N, SUBSETS, SIZE, RESTARTS = 12, 4, 2, 3
FEW = {"id": "KC-few", "of": "KC", "method": "KC", "parameters": {"n_init": 2}, "why": "restarts"}
SPREAD = {"id": "wine_pp", "of": "wine", "dataset": "wine", "init": "k-means++", "why": "first centres"}
VARIANTS = {"methods": [FEW], "cases": [{**SPREAD, "methods": ["RCE"]}]}


@pytest.fixture
def study() -> Experiment:
    """Two cases, 4 subsets of 2 runs, KC without a grid, RCE with a grid of 2 x 2; two variants."""
    grid = {"lambda1": [0.1, 1.0], "lambda2": [1.0, 10.0]}
    return Experiment.model_validate(
        {
            "id": "tiny",
            "cases": ["iris", "wine"],
            "ensemble": {"runs": SUBSETS * SIZE, "subset_size": SIZE},
            "methods": ["KC", {"method": "RCE", "grid": grid, "default": {"lambda1": 1.0, "lambda2": 1.0}}],
            "variants": VARIANTS,
        }
    )


@pytest.fixture
def y() -> np.ndarray:
    return np.repeat([0, 1, 2], N // 3)


WriteBlock = Callable[..., Path]


@pytest.fixture
def write_block(tmp_path: Path, study: Experiment) -> WriteBlock:
    """Write a block: random labels but for what is given."""

    def write(case: str, method: str, subsets: list[int], **given: Any) -> Path:
        path = tmp_path / "consensus" / case / method / f"{subsets[0]}-{subsets[-1]}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        points = study.method(method).points
        shape = (len(subsets), len(points), RESTARTS if method == "RCE" else 1, given.pop("n", N))
        labels = np.random.default_rng(list(map(ord, f"{case} {method} {subsets}"))).integers(0, 3, shape)
        failures = given.pop("failures", [])
        for failure in failures:
            if failure["subset"] in subsets:
                labels[subsets.index(failure["subset"]), failure["point"]] = -1
        arrays = {
            "labels": labels.astype(np.int16),
            "chosen": np.full(shape[:2], shape[2] - 1),
            "left_out": np.zeros(shape[:2], dtype=bool),
            "subsets": np.array(subsets),
            "spec": np.array(spec_text(f"{case} {method}")),
            "stamp": np.array(STAMP.json_text),
            "failures": np.array(json.dumps(failures)),
            "notes": np.array(json.dumps(given.pop("notes", []))),
            "iterations": np.ones(shape[:2], dtype=int),
            "converged": np.ones(shape[:2], dtype=bool),
        }
        np.savez_compressed(path, **arrays | given)
        return path

    return write


@pytest.fixture
def ensemble(tmp_path: Path, y: np.ndarray) -> Path:
    """Base clusterings whose first run is right."""
    labels = np.random.default_rng(0).integers(0, 3, (N, SUBSETS * SIZE))
    labels[:, 0] = y
    save(tmp_path / "ensemble.npz", labels, y, split(SUBSETS * SIZE, SIZE), marks(spec_text("ensemble")))
    return tmp_path / "ensemble.npz"
