"""Names with characters that Snakemake takes for its own."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from consclust_studies.summary_label import write_as_label

ROOT = Path(__file__).parents[2]


def test_a_label_keeps_its_braces_and_runs_no_script():
    label = write_as_label(r"$\frac{1}{2}$ <script>document.title = 2</script>")
    assert label.format() == r"$\frac{1}{2}$ &lt;script&gt;document.title = 2&lt;/script&gt;"


@pytest.mark.long
def test_braces_in_the_name_of_the_folder_are_refused_in_one_line(tmp_path):
    project = tmp_path / "br{a}ce"
    project.mkdir()
    shutil.copy(ROOT / "Snakefile", project)
    for part in ("workflow", "config"):
        shutil.copytree(ROOT / part, project / part)
    command = [sys.executable, "-m", "snakemake", "-n"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].endswith("rename the folder, or move the project")
