import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["metrics", "table", "command", "selection", "significance", "summary", "collect"]
)
def test_costly_libraries_are_imported_late(module):
    code = f"import sys, concord.scores.{module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"pandas", "sklearn", "scipy.stats", "scipy.optimize", "matplotlib", "pyarrow"} & set(loaded)


def test_scoring_a_case_needs_no_pandas(study, ensemble, write_block, tmp_path):
    blocks = [write_block("iris", method, [0, 1, 2, 3]) for method in ("KC", "RCE")]
    (tmp_path / "study.json").write_text(study.model_dump_json())
    arguments = ["case", "--study", "study.json", "--case", "iris", "--ensemble", "ensemble.npz"]
    arguments += ["--out", "iris.parquet", *map(str, blocks)]
    code = f"import sys; from concord.scores.command import main; main({arguments}); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert (tmp_path / "iris.parquet").exists()
    assert not {"pandas", "sklearn", "scipy.stats", "matplotlib"} & set(run.stdout.split())
