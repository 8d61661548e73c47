"""Machine code that numba keeps counts only while no kernel has been edited, whichever file it is in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import consclust

pytest.importorskip("numba")

CALL = """
import numpy as np
from consclust.numerics.kernels import summed
summed(np.array([1.0, 2.0]))
print(sum(summed.stats.cache_hits.values()))
"""


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the library, with nothing compiled."""
    source = Path(consclust.__file__).parent
    shutil.copytree(source, tmp_path / "consclust", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def hits(folder: Path) -> int:
    """Count the kernels whose kept machine code a new process uses."""
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    command = [sys.executable, "-c", CALL]
    done = subprocess.run(command, env=env | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.long
def test_an_edit_of_another_file_of_kernels_compiles_anew(copy):
    assert hits(copy) == 0
    assert hits(copy) == 1
    other = copy / "consclust/numerics/kernels/trce_kernels.py"
    other.write_text(other.read_text() + "\n# an edit\n")
    assert hits(copy) == 0
    assert hits(copy) == 1
