"""The list of what is registered."""

import subprocess
import sys
from pathlib import Path

import pytest

from consclust.datasets.registry import load_registry
from consclust_studies.plan.registered import write_table

ROOT = Path(__file__).parents[2]


def test_a_line_for_each_data_set_with_its_size_and_its_ensembles() -> None:
    entries = load_registry(ROOT / "config/datasets.yaml")
    header, *lines = write_table(entries).splitlines()
    assert header.split()[:2] == ["id", "title"]
    assert [line.split()[0] for line in lines] == list(entries)
    iris = next(line for line in lines if line.startswith("iris "))
    assert {str(size) for size in entries["iris"].shape or ()} <= set(iris.split())
    pool = next(name for name, entry in entries.items() if entry.ensembles)
    line = next(line for line in lines if line.split()[0] == pool)
    assert line.endswith(" ".join(entries[pool].ensembles))


@pytest.mark.long
def test_a_mistake_in_the_registry_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/datasets.yaml").write_text("mine: {tittel: Mine}\n")
    command = [sys.executable, "-m", "consclust_studies.plan.registered"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert "config/datasets.yaml: mine.tittel" in done.stderr
    assert "Traceback" not in done.stderr
