"""``consclust bench`` in a copy of the project, beside the scores of a part of the leaderboard that is made there."""

import shutil
import subprocess
import sys

import pandas as pd
import pytest
import yaml

from conftest import ROOT

METRICS = ["ARI", "AMI", "NMI", "ACC", "PSI"]


@pytest.mark.mirror
def test_a_copy_of_a_method_has_its_scores(project, mirror):
    study = yaml.safe_load((ROOT / "studies/leaderboard/study.yaml").read_text())
    study["cases"] = [case for case in study["cases"] if case["dataset"] == "zoo"]
    study["exhibits"] = [exhibit for exhibit in study["exhibits"] if exhibit["kind"] == "cells"]
    study["methods"] = ["EAC", "LWEA"]
    project.study(study)
    project.env["CONSCLUST_DATA_MIRROR"] = str(mirror)
    shutil.copy(ROOT / "studies/leaderboard/make_page.py", project.folder / "studies/leaderboard")
    shutil.copy(ROOT / "studies/leaderboard/page.html", project.folder / "studies/leaderboard")
    project.run("reports/leaderboard/cells.csv")
    accepted = project.folder / "reports/accepted/leaderboard"
    accepted.mkdir(parents=True)
    shutil.copy(project.folder / "reports/leaderboard/cells.csv", accepted)
    mine = project.folder.parent / "mine.py"
    mine.write_text("from consclust.methods import EAC\nclass Mine(EAC):\n    pass\n")

    def bench(*arguments):
        command = [sys.executable, "-m", "consclust", "bench", "mine.py", *arguments, "--out", "out", "--jobs", "1"]
        return subprocess.run(command, cwd=mine.parent, env=project.env, capture_output=True, text=True, check=False)

    done = bench("--sets", "zoo")
    assert done.returncode == 0, done.stderr
    cells = pd.read_csv(mine.parent / "out/cells.csv")
    own, other = (cells[cells["method"] == name].set_index("kind").sort_index() for name in ("Mine", "EAC"))
    assert len(own) == 2
    pd.testing.assert_frame_equal(own[METRICS], other[METRICS], rtol=1e-9)
    assert own["order"].tolist() == pytest.approx(other["order"].tolist(), abs=1e-9)
    assert "Mine" in (mine.parent / "out/leaderboard.html").read_text()

    mine.write_text("import numpy as np\ndef mine(labels, k):\n    return np.arange(len(labels)) % k\n")
    refused = bench("--sets", "zoo")
    assert refused.returncode == 2
    assert "contract" in refused.stderr.splitlines()[-1]
