"""A run whose jobs share no file system: each has an empty folder, and the files lie in a storage."""

import csv
import subprocess
from collections.abc import Iterator

import pytest
import yaml

from conftest import BRIEF, SECONDS, Project, without_inputs

pytestmark = pytest.mark.workflow

SUBMIT = """#!/usr/bin/env bash
# as a job of Kubernetes or of a cloud: a folder of its own that has the files under version control, nothing else
set -e
folder=$(mktemp -d "{elsewhere}/job.XXXXXX")
git ls-files -z | tar c --null -T - | tar x -C "$folder"
cp "$1" "$folder/jobscript.sh"
(cd "$folder" && setsid sh jobscript.sh >out 2>&1; echo $? >"$folder/code") >/dev/null 2>&1 &
echo "$folder"
"""
STATUS = """#!/usr/bin/env bash
[ -f "$1/code" ] || {{ echo running; exit; }}
[ "$(cat "$1/code")" = 0 ] && echo success || echo failed
"""
BUCKET = "consclust"
KIND = '''
"""The number of objects, a kind that this study alone has."""

from typing import Literal

import pandas as pd

from consclust.report.blocks import Shown
from consclust_studies.exhibits.base import Exhibit, Needs


class Counted(Exhibit):
    """How many objects there are."""

    kind: Literal["counted"]

    def needs(self, study):
        return Needs(prepared=tuple(case.id for case in study.cases))

    def build(self, source):
        sizes = {case.id: len(source.dataset(case.id).y) for case in source.study.cases}
        return Shown(pd.DataFrame(sizes.items(), columns=["case", "objects"]))
'''
STUDY = {
    **BRIEF,
    "cases": ["flowers"],
    "published": ["table2"],
    "discussion": True,
    "exhibits": [{"kind": "counted", "id": "counted", "title": "Objects"}],
}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> Project:
    """A finished project under version control: a data file that the user placed, published values, a discussion."""
    folder = tmp_path_factory.mktemp("shipped") / "project"
    folder.mkdir()
    project = Project(folder).set_up()
    project.study(STUDY)
    study = folder / "studies/tiny"
    (study / "published").mkdir()
    (study / "published/table2.csv").write_text("dataset,metric,method,value\nFlowers,ACC,EAC,0.9\n")
    (study / "exhibits").mkdir()
    (study / "exhibits/counted.py").write_text(KIND)
    (study / "discussion.md").write_text("EAC has {{table2 case=flowers metric=ACC row=EAC mean}}.\n")
    registry = folder / "config/datasets.yaml"
    entry = {
        "title": "Flowers",
        "reader": {"format": "table", "header": False, "class_column": -1},
        "files": [{"name": "flowers.csv"}],
        "licence": "mine",
        "source": "measured",
    }
    registry.write_text(f"{registry.read_text()}\n{yaml.safe_dump({'flowers': entry})}")
    place = folder / "data/raw/flowers/flowers.csv"
    place.parent.mkdir(parents=True)
    with place.open("w", newline="") as table:
        csv.writer(table).writerows((i % 7 + 20 * (i % 3), i % 5, "abc"[i % 3]) for i in range(60))
    (folder / ".gitignore").write_text("/data\n/results\n/reports\n/logs\n.snakemake\n__pycache__\n")
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all of it")
    project.snakemake("tiny")
    return project


def git(project: Project, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project.folder, check=True, capture_output=True)


def elsewhere(project: Project, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    """Run the study with jobs in folders of their own, beside that of the project."""
    folder = project.folder.parent / "elsewhere"
    folder.mkdir(exist_ok=True)
    commands = []
    for name, text in (("submit", SUBMIT), ("status", STATUS)):
        script = folder / f"{name}.sh"
        script.write_text(text.format(elsewhere=folder))
        script.chmod(0o755)
        commands += [f"--cluster-generic-{name}-cmd", str(script)]
    apart = ["--executor", "cluster-generic", "--jobs", "2", "--shared-fs-usage", "none", "--latency-wait", "2"]
    often = ["--seconds-between-status-checks", "1", "--max-status-checks-per-second", "10"]
    return project.snakemake(*apart, *often, *commands, *arguments, "--", "tiny", check=check)


def same(local: Project, stored: dict[str, bytes]) -> None:
    """Assert that the storage has what a run in the folder of the project writes."""
    copy = local.folder.parent / "stored"
    for name, content in stored.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(content)
    expected = local.reproducible_files()
    assert {name for name in expected if not name.endswith(SECONDS)} <= {*stored}
    assert stored["reports/tiny/counted.csv"].splitlines()[1] == b"flowers,60"
    assert not [name for name, content in expected.items() if without_inputs(copy / name, stored[name]) != content]
    provenance = (local.folder / "reports/tiny/provenance.json").read_text()
    commit = '"commit": "' + provenance.split('"commit": "')[1][:40]
    assert commit in stored["reports/tiny/provenance.json"].decode()


@pytest.mark.skipif(
    bool(subprocess.run(["sh", "-c", "command -v rsync"], capture_output=True).returncode),
    reason="the storage plugin fs needs rsync",
)
def test_files_in_a_storage_beside_the_folder(shipped, tmp_path):
    storage = tmp_path / "storage"
    elsewhere(shipped, "--default-storage-provider", "fs", "--default-storage-prefix", str(storage))
    stored = {str(path.relative_to(storage)): path.read_bytes() for path in storage.rglob("*") if path.is_file()}
    assert stored["data/raw/flowers/flowers.csv"] == (shipped.folder / "data/raw/flowers/flowers.csv").read_bytes()
    same(shipped, stored)


@pytest.fixture
def s3(monkeypatch) -> Iterator[tuple[str, object]]:
    """The address of an S3 server on this machine, and its bucket."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "us-east-1"}
    bucket = boto3.resource("s3", endpoint_url=address, **keys).Bucket(BUCKET)
    bucket.create()
    yield address, bucket
    server.stop()


def test_files_in_s3(shipped, s3):
    address, bucket = s3
    shipped.env |= {"SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "a", "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "b"}
    shipped.env |= {"SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": address}
    elsewhere(shipped, "--default-storage-provider", "s3", "--default-storage-prefix", f"s3://{BUCKET}")
    stored = {item.key: item.get()["Body"].read() for item in bucket.objects.all()}
    same(shipped, stored)


def test_a_study_that_git_does_not_track_is_refused_before_any_job(brief, tmp_path):
    git(brief, "init", "-q")
    git(brief, "add", "-A")
    brief.study({**BRIEF, "id": "other"})
    (brief.folder / "studies/tiny/exhibits").mkdir()
    (brief.folder / "studies/tiny/exhibits/new.py").write_text(KIND)
    storage = ["--default-storage-provider", "fs", "--default-storage-prefix", str(tmp_path / "storage")]
    done = elsewhere(brief, *storage, check=False)
    assert done.returncode
    assert "studies/other/study.yaml" in done.stderr
    assert "studies/tiny/exhibits/new.py" in done.stderr
    assert not list((tmp_path / "elsewhere").glob("job.*"))
    (brief.folder / ".git").rename(tmp_path / "moved")
    assert "Git" in elsewhere(brief, *storage, check=False).stderr
