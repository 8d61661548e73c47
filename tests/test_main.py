"""What a job of the workflow imports."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from consclust.datasets.registry import load_registry
from consclust_studies.stages.prepare import PrepareJob

ROOT = Path(__file__).parents[1]


@pytest.mark.long
def test_scikit_learn_imports_no_pandas_where_no_data_frame_is_read(tmp_path):
    spec = PrepareJob.of("iris", load_registry(ROOT / "config/datasets.yaml")["iris"], (), "").json_text
    command = ["datasets", "prepare", "--spec", spec, "--out", str(tmp_path / "iris.npz")]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "consclust", *command],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    imported = set(re.findall(r"\| +([\w.]+)$", done.stderr, flags=re.MULTILINE))
    assert "sklearn" in imported
    assert "pandas.core" not in imported
