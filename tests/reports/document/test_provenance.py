import getpass
import hashlib
import json
import platform
import subprocess
from pathlib import Path

import numpy as np

from consclust_studies.document.provenance import git_commit, provenance, provenance_items, sha256sums
from small import STUDY, planned

ORIGINS = {**STUDY["origins"], "wine": {**STUDY["origins"]["wine"], "checksums": {"a.data": "0" * 64, "b": None}}}


def test_the_record_names_versions_and_data_but_no_path_host_or_user(tmp_path: Path) -> None:
    record = provenance(planned(origins=ORIGINS), 1.23456, 7, tmp_path)
    assert (record["seed"], record["cpu_seconds_in_methods"], record["commit"]) == (7, 1.235, None)
    assert record["versions"]["numpy"] == np.__version__
    assert {"seaborn", "statsmodels"} <= set(record["versions"])
    assert record["data"] == {"iris": {}, "wine": {"a.data": "0" * 64, "b": None}}
    text = json.dumps(record)
    for secret in (platform.node(), str(tmp_path), str(Path.home()), f'"{getpass.getuser()}"'):
        assert secret not in text


def test_checksums_and_further_files_are_tables(tmp_path: Path) -> None:
    study = planned(origins=ORIGINS)
    _, facts, checksums, files = provenance_items(provenance(study, 0, 7, tmp_path), study.titles, [("p.csv", "P.")])
    assert ["Data inside packages", "Iris"] in [[cell["text"] for cell in row] for row in facts["rows"]]
    assert [[cell["text"] for cell in row] for row in checksums["rows"]] == [
        ["Wine", "a.data", "0" * 16 + "…"],
        ["Wine", "b", "not registered"],
    ]
    assert files["rows"][0][0]["text"] == "p.csv"


def test_git_commit_and_uncommitted_changes(tmp_path: Path) -> None:
    assert git_commit(tmp_path) is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "x"], check=True)
    clean = git_commit(tmp_path)
    assert clean
    assert len(clean["commit"]) == 40
    assert clean["dirty"] is False
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_text("x")
    assert git_commit(tmp_path) == {**clean, "dirty": True}
    assert git_commit(tmp_path / "new") is None  # someone else's checkout


def test_sha256sums_is_sorted_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).write_text(name)
    lines = sha256sums([tmp_path / "b", tmp_path / "a"]).splitlines()
    assert [line[-1] for line in lines] == ["a", "b"]
    assert lines[0].startswith(hashlib.sha256(b"a").hexdigest())
