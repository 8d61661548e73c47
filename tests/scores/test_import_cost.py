import subprocess
import sys

import pytest
from jobs import job_of

pytestmark = pytest.mark.long

MODULES = ["metrics", "table", "command", "selection", "significance", "summary", "collect"]


def test_costly_libraries_are_imported_late():
    imports = ", ".join(f"consclust.scores.{module}" for module in MODULES)
    command = [sys.executable, "-c", f"import sys, {imports}; print(*sys.modules)"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"pandas", "sklearn", "scipy.stats", "scipy.optimize", "statsmodels", "matplotlib", "pyarrow"} & set(
        loaded
    )


def test_scoring_a_case_needs_no_pandas(study, write_block, ensemble, tmp_path):
    blocks = [str(write_block("iris", run.id, [0, 1, 2, 3])) for run in study.methods]
    arguments = ["case", "--spec", job_of(study, "iris").json_text, "--ensemble", str(ensemble)]
    code = (
        "import sys; from consclust_studies.stages.scores_command import main; "
        f"main({[*arguments, '--out', 'iris.parquet', *blocks]}); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    assert "consclust_studies.stages.score" in loaded
    assert not {"pandas", "sklearn", "scipy.stats", "statsmodels", "matplotlib"} & set(loaded)
    assert (tmp_path / "iris.parquet").exists()
