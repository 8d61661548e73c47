"""Kept labels as entries of the registry, which the rule that fetches data can fetch."""

from pathlib import Path

import pytest
import yaml

from consclust.datasets import download
from consclust.datasets.registry import load_registry
from consclust.errors import InputError
from consclust_studies.plan import deposit, needs

ADDRESS = "https://archive.example/records/1"


@pytest.fixture(autouse=True)
def archives(tmp_path, monkeypatch):
    """Two archives of a study, and a mirror with one of them and a damaged other."""
    monkeypatch.chdir(tmp_path)
    folder = needs.locate_kept("mine")
    folder.mkdir(parents=True)
    mirror = tmp_path / "deposit/labels_of_mine"
    mirror.mkdir(parents=True)
    for name in ("iris", "wine"):
        (folder / f"{name}.tar.xz").write_bytes(name.encode() * 100)
    (folder / "runtime.csv").write_text("case,method\n")
    (mirror / "iris.tar.xz").write_bytes(b"iris" * 100)
    (mirror / "wine.tar.xz").write_bytes(b"sour" * 100)
    monkeypatch.setenv(download.MIRROR_VARIABLE, str(mirror.parent))


def registered():
    path = Path("datasets.yaml")
    path.write_text(deposit.make_entry("mine", ADDRESS + "/"))
    return load_registry(path)["labels_of_mine"]


def test_the_entry_has_an_address_and_a_checksum_of_every_archive():
    files = {file.name: file for file in registered().files}
    assert set(files) == {"iris.tar.xz", "wine.tar.xz"}
    assert files["iris.tar.xz"].urls == (f"{ADDRESS}/iris.tar.xz",)
    assert files["iris.tar.xz"].bytes == 400
    assert files["iris.tar.xz"].sha256 != files["wine.tar.xz"].sha256


def test_archives_are_fetched_as_data_are_and_a_damaged_one_is_refused(tmp_path, monkeypatch):
    entry = registered()
    whole, damaged = tmp_path / "raw/iris.tar.xz", tmp_path / "raw/wine.tar.xz"
    download.fetch("labels_of_mine", entry, entry.file("iris.tar.xz"), whole)
    assert whole.read_bytes() == b"iris" * 100
    monkeypatch.setattr(download, "ATTEMPTS", 1)
    offline = entry.file("wine.tar.xz").model_copy(update={"urls": ()})
    with pytest.raises(InputError, match="labels_of_mine"):
        download.fetch("labels_of_mine", entry, offline, damaged)
    assert not damaged.exists()


def test_an_archive_is_no_data_set():
    entry = registered()
    with pytest.raises(InputError, match="not a data set"):
        entry.reader.read(Path("iris.tar.xz"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mine"], "address"),
        (["other", ADDRESS], "make keep STUDY=other"),
        (["mine", "ftp://archive.example/records"], "urls"),
    ],
)
def test_what_cannot_be_deposited_is_refused(words, said):
    with pytest.raises(InputError, match=said):
        deposit.main(words)


def test_the_command_prints_the_end_of_a_registry(capsys):
    deposit.main(["mine", ADDRESS])
    assert list(yaml.safe_load(capsys.readouterr().out)) == ["labels_of_mine"]
