import getpass
import hashlib
import json
import platform
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from consclust_studies.document.provenance import (
    common_versions,
    describe_confirmation,
    git_commit,
    provenance,
    provenance_items,
    sha256sums,
)
from consclust_studies.makers import Makers
from consclust_studies.stamps import Confirmation
from job_files_of import STAMP
from small import STUDY, planned

ORIGINS = {**STUDY["origins"], "wine": {**STUDY["origins"]["wine"], "checksums": {"a.data": "0" * 64, "b": None}}}
OLD = STAMP.model_copy(update={"versions": {"numpy": "2.0", "scikit-learn": "1.8"}})
NEW = STAMP.model_copy(update={"versions": {"numpy": "2.0", "scikit-learn": "1.9"}})
ALIKE = Makers.of([("iris: KC", OLD), ("wine: KC", OLD)])
MIXED = Makers.of([("iris: KC", OLD), ("wine: KC", NEW), ("iris: RCE", OLD)])


def cells(table):
    return [[cell["text"] for cell in row] for row in table["rows"]]


def test_the_record_names_versions_and_data_but_no_path_host_or_user(tmp_path: Path) -> None:
    record = provenance(planned(origins=ORIGINS), 1.23456, 7, tmp_path, ALIKE)
    assert (record["seed"], record["cpu_seconds_in_methods"], record["report"]["commit"]) == (7, 1.235, None)
    assert record["report"]["versions"]["numpy"] == np.__version__
    assert {"seaborn", "statsmodels"} <= set(record["report"]["versions"])
    assert record["data"] == {"iris": {}, "wine": {"a.data": "0" * 64, "b": None}}
    text = json.dumps(record)
    for secret in (platform.node(), str(tmp_path), str(Path.home()), f'"{getpass.getuser()}"'):
        assert secret not in text


def test_the_versions_are_those_that_made_the_labels_not_those_that_are_installed(tmp_path: Path) -> None:
    record = provenance(planned(), 0, 7, tmp_path, ALIKE)
    assert record["versions"] == OLD.versions
    assert record["made_by"] == [{"jobs": ["iris: KC", "wine: KC"], "stamp": json.loads(ALIKE[0].stamp.json_text)}]
    assert record["confirmed"] == {}
    facts = dict(cells(provenance_items(record, planned().titles, [])[1]))
    assert "1.8" in facts["Versions that made the labels"]
    assert np.__version__ in facts["Versions that made this report"]


def test_labels_of_different_versions_are_listed_with_theirs(tmp_path: Path) -> None:
    record = provenance(planned(), 0, 7, tmp_path, MIXED)
    assert record["versions"] == {"numpy": "2.0", "scikit-learn": "1.8 or 1.9"}
    _, _, differing = provenance_items(record, planned().titles, [])
    assert {tuple(row) for row in cells(differing)} == {
        ("numpy 2.0, scikit-learn 1.8", "2 jobs: KC (1), RCE (1)"),
        ("numpy 2.0, scikit-learn 1.9", "1 job: KC (1)"),
    }


def test_very_many_jobs_are_counted_by_method(tmp_path: Path) -> None:
    """Other inputs make other makers, but not other versions."""
    others = OLD.model_copy(update={"inputs": "other"})
    jobs = [(f"iris: M{method} {first}-{first}", OLD) for method in range(30) for first in range(40)]
    makers = Makers.of([*jobs, ("wine: M7", OLD), ("iris: KC", NEW), ("zoo: KC", others)])
    _, _, differing = provenance_items(provenance(planned(), 0, 7, tmp_path, makers), planned().titles, [])
    (old,) = [labels for versions, labels in cells(differing) if versions.endswith("1.8")]
    assert old.startswith("1202 jobs: M7 (41), ")
    assert len(old) < 200


def test_versions_that_not_all_labels_know_are_named() -> None:
    bare = STAMP.model_copy(update={"versions": {"numpy": "2.0"}})
    assert common_versions(Makers.of([("a", OLD), ("b", bare)])) == OLD.versions
    assert common_versions(Makers()) == {}


def test_a_confirmation_says_how_much_could_have_been_missed(tmp_path: Path) -> None:
    """Were more fits different than it says, one of the sample would be, with a probability of 95 %."""
    confirmed = OLD.model_copy(update={"confirmed": Confirmation(made_by="c", fits=60, of=1200)})
    other = NEW.model_copy(update={"confirmed": Confirmation(made_by="c", fits=40, of=800)})
    record = provenance(planned(), 0, 7, tmp_path, Makers.of([("a: KC", confirmed), ("b: KC", other), ("b: RCE", NEW)]))
    assert record["confirmed"] == {"jobs": 2, "fits": 100, "of": 2000}
    said = describe_confirmation(record["confirmed"])
    assert "100 of their 2,000 fits" in said
    (missed,) = re.findall(r"([\d.]+)\s?%", said)
    assert float(missed) == pytest.approx(100 * (1 - 0.05 ** (1 / 100)), abs=0.01)
    assert said in provenance_items(record, planned().titles, [])[0]["text"]
    assert describe_confirmation({}) == ""


@pytest.mark.parametrize("order", [1, -1])
def test_makers_do_not_depend_on_the_order_of_jobs(order) -> None:
    pairs = [("iris: KC", OLD), ("wine: KC", NEW), ("iris: RCE", OLD)][::order]
    assert Makers.of(pairs) == MIXED
    assert Makers.joined([Makers.of([pair]).json_text for pair in pairs]) == MIXED
    other_inputs = [(job, stamp.model_copy(update={"inputs": job})) for job, stamp in pairs]
    assert Makers.of(other_inputs) == MIXED, "what the inputs contain is not who made the labels"


def test_checksums_and_further_files_are_tables(tmp_path: Path) -> None:
    study = planned(origins=ORIGINS)
    record = provenance(study, 0, 7, tmp_path, ALIKE)
    _, facts, checksums, files = provenance_items(record, study.titles, [("p.csv", "P.")])
    assert ["Data inside packages", "Iris"] in cells(facts)
    assert cells(checksums) == [["Wine", "a.data", "0" * 16 + "…"], ["Wine", "b", "not registered"]]
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
