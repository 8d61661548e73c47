import subprocess
import sys

import pytest
from jobs import job_of

from consclust_studies.job_files import JobFile

pytestmark = pytest.mark.long

MODULES = [
    "consclust.scores",
    "consclust_studies.runner",
    *(f"consclust_studies.stages.{stage}" for stage in ("score", "score_tables", "selection", "collect")),
    *(f"consclust_studies.results.{part}" for part in ("significance", "summary")),
]


def test_costly_libraries_are_imported_late():
    command = [sys.executable, "-c", f"import sys, {', '.join(MODULES)}; print(*sys.modules)"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"pandas", "sklearn", "scipy.stats", "scipy.optimize", "statsmodels", "matplotlib", "pyarrow"} & set(
        loaded
    )


def test_scoring_a_case_needs_no_pandas(study, write_block, ensemble, tmp_path):
    blocks = tuple(str(write_block("iris", run.id, [0, 1, 2, 3])) for run in study.methods)
    job = JobFile(
        kind="score",
        spec=job_of(study, "iris").json_text,
        inputs={"ensemble": (str(ensemble),), "labels": blocks},
        outputs={"scores": ("iris.parquet",)},
    )
    (tmp_path / "job.json").write_text(job.model_dump_json())
    code = (
        "import sys; from pathlib import Path; from consclust_studies.runner import run_job_file; "
        "run_job_file(Path('job.json')); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
    assert "consclust_studies.stages.score" in loaded
    assert not {"pandas", "sklearn", "scipy.stats", "statsmodels", "matplotlib"} & set(loaded)
    assert (tmp_path / "iris.parquet").exists()
