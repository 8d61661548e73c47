"""A run that goes on from the consensus labels that are kept of another."""

import shutil
from unittest import mock

import pytest
from inprocess import in_folder

from conftest import BRIEF
from consclust_studies.plan import accepted

pytestmark = pytest.mark.workflow

GRID = {"grid": {"lambda_": [0.1, 10.0, 1000.0]}, "default": {"lambda_": 10.0}}
RACE = {"metric": "ACC", "subsets": 1, "points": 1}
SECONDS = "results/tiny/consensus/iris/DREC/0-0.runtime.json"
STUDY = {
    **BRIEF,
    "cases": [{"dataset": "iris", "races": {"DREC": RACE}}],
    "methods": ["EAC", {"method": "DREC", **GRID}],
}


def test_a_run_from_kept_labels_fits_what_is_missing_alone_and_gives_the_same_bytes(brief):
    brief.study(STUDY)
    brief.run("tiny")
    with in_folder(brief.folder), mock.patch.object(accepted, "BYTES_A_SECOND", 1e12):
        accepted.main(["keep", "tiny"])
    before, seconds = brief.reproducible_files(), (brief.folder / SECONDS).read_bytes()
    for made in ("results", "reports/tiny", "data/prepared", ".snakemake"):
        shutil.rmtree(brief.folder / made)
    brief.run("--until", "base_clusterings", "--", "tiny")
    with in_folder(brief.folder):
        accepted.main(["restore", "tiny"])
    (brief.folder / "results/tiny/consensus/iris/EAC/0-2.npz").unlink()
    fits = [job for job in brief.jobs("tiny") if job.kind in ("consensus", "race")]
    assert [job.outputs["labels"] for job in fits] == [("results/tiny/consensus/iris/EAC/0-2.npz",)]
    after = brief.reproducible_files()
    assert [name for name in before | after if before.get(name) != after.get(name)] == []
    assert (brief.folder / SECONDS).read_bytes() == seconds


def test_a_setting_that_changes_after_labels_were_put_back_runs_their_method_again(brief):
    brief.study(STUDY)
    brief.run("tiny")
    with in_folder(brief.folder), mock.patch.object(accepted, "BYTES_A_SECOND", 1e12):
        accepted.main(["keep", "tiny"])
    shutil.rmtree(brief.folder / "results/tiny")
    shutil.rmtree(brief.folder / ".snakemake")
    with in_folder(brief.folder):
        accepted.main(["restore", "tiny"])
    brief.study({**STUDY, "methods": [{"method": "EAC", "parameters": {"linkage": "single"}}, STUDY["methods"][1]]})
    fits = [job for job in brief.jobs("tiny") if job.kind in ("consensus", "race")]
    assert [job.outputs["labels"] for job in fits] == [("results/tiny/consensus/iris/EAC/0-2.npz",)]
