"""Every study can be run by anybody: its files come from registered public addresses, without a mirror."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from consclust.datasets import download
from consclust.datasets.registry import RawFile
from consclust_studies.config.study import PlannedStudy
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.plan import Plan

ROOT = Path(__file__).parents[2]
STUDIES = sorted(path.parent.name for path in (ROOT / "studies").glob("*/study.yaml"))


@pytest.fixture(scope="module")
def plan() -> Plan:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.delenv(download.MIRROR_VARIABLE, raising=False)
        settings = yaml.safe_load((ROOT / "config/config.yaml").read_text())
        return load_plan({**settings, "data_mirror": None})


def list_files(plan: Plan, study: PlannedStudy) -> Iterator[tuple[str, RawFile]]:
    """Yield each raw file of a study after its data set: of features, classes and ready-made ensembles."""
    for case in (*study.described, *study.case_variants):
        entry = plan.registry[case.dataset]
        ready = [ensemble.file for name, ensemble in entry.ensembles.items() if name == case.ensemble]
        yield from ((case.dataset, file) for file in (*entry.prepared_from, *ready))


@pytest.mark.long
@pytest.mark.parametrize("name", STUDIES)
def test_every_file_of_a_study_is_had_from_a_registered_address(name, plan, monkeypatch, tmp_path) -> None:
    """A network that knows the registered addresses alone gives every file; what it gives is not looked at."""
    files = dict.fromkeys(list_files(plan, plan.studies[name]))
    known = {
        address for entry in plan.registry.values() for file in entry.raw_files for address in file.public_addresses
    }
    asked = []

    def answer(url: str, target: Path, size: int) -> None:
        assert url in known
        asked.append(url)
        target.write_bytes(b"x")

    monkeypatch.delenv(download.MIRROR_VARIABLE, raising=False)
    monkeypatch.setattr(download, "_download", answer)
    monkeypatch.setattr(download, "_check", lambda path, file: None)
    monkeypatch.setattr("consclust.datasets.unpack.pack_members", lambda archive, members, out: out.write_bytes(b"x"))
    monkeypatch.setattr("consclust.datasets.unpack.extract_member", lambda archive, name, out: out.write_bytes(b"x"))
    monkeypatch.setattr("pooch.core.hash_matches", lambda *args, **keys: True)
    monkeypatch.chdir(ROOT)
    for dataset, file in files:
        target = tmp_path / dataset / file.name
        download.fetch(dataset, plan.registry[dataset], file, target)
        assert target.exists()
    assert len(asked) == len(files)
