"""Files that are made of an archive: some of its members, packed again, or one member."""

import gzip
import hashlib
import io
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

from consclust.datasets import download
from consclust.datasets.registry import DatasetSpec, FromArchive, RawFile, load_registry
from consclust.datasets.unpack import NotUnpacked, extract_member, pack_members, read_members
from consclust.errors import InputError

ROOT = Path(__file__).parents[2]
CONTENTS = {"texts/b/2": b"second", "texts/a/1": b"first", f"texts/a/{'long' * 30}": b"of a long path"}
OTHERS = {"README.md": b"Read me.", "texts/c/3": b"not registered"}


def checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def members_of(contents) -> dict[str, str]:
    return {path: checksum(content) for path, content in contents.items()}


def tree(contents, mtime: int = 0) -> bytes:
    """A .tar.gz as that of a repository: all paths are in one folder, and members have times and owners."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        folder = tarfile.TarInfo("repository-0123")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for path, content in contents.items():
            entry = tarfile.TarInfo(f"repository-0123/{path}")
            entry.size = len(content)
            entry.mtime = mtime
            entry.uname = "somebody"
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def packed(tmp_path, archive: bytes, members=None) -> bytes:
    given = tmp_path / "archive"
    given.write_bytes(archive)
    pack_members(given, members or members_of(CONTENTS), tmp_path / "packed.tar.gz")
    return (tmp_path / "packed.tar.gz").read_bytes()


def test_the_packed_file_depends_on_the_members_alone(tmp_path) -> None:
    one = packed(tmp_path, tree(CONTENTS))
    backwards = dict(reversed({**OTHERS, **CONTENTS}.items()))
    assert packed(tmp_path, tree(backwards, mtime=1_600_000_000)) == one
    with tarfile.open(fileobj=io.BytesIO(one)) as tar:
        assert tar.getnames() == sorted(CONTENTS)
        assert {entry.mtime for entry in tar} == {0}
        assert {path: tar.extractfile(path).read() for path in tar.getnames()} == CONTENTS


@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        (tree({**CONTENTS, "texts/a/1": b"other"}), "texts/a/1 in the archive has another checksum"),
        (tree({"texts/a/1": b"first"}), "2 of 3 files are not in the archive, such as texts/"),
        (b"no archive", "no readable .tar.gz"),
        (tree(CONTENTS)[:-30], "no readable .tar.gz"),
    ],
)
def test_an_archive_without_the_members_is_refused(tmp_path, archive, reason) -> None:
    with pytest.raises(NotUnpacked, match=reason):
        packed(tmp_path, archive)


@pytest.mark.parametrize("line", ["0123  texts/a/1", "0" * 64, ""])
def test_a_damaged_list_of_members_is_refused_with_its_line(tmp_path, line) -> None:
    listed = tmp_path / "members"
    listed.write_text(f"{checksum(b'first')}  texts/a/1\n{line}\n")
    with pytest.raises(InputError, match=r"members: line 2: not a checksum and a path"):
        read_members(listed)
    with pytest.raises(InputError, match="absent: cannot be read"):
        read_members(tmp_path / "absent")


@pytest.mark.skipif(shutil.which("bsdtar") is None, reason="the program bsdtar is not installed")
def test_a_member_is_taken_out_of_any_folder(tmp_path) -> None:
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("codes/data/wanted.mat", b"member")
        zipped.writestr("codes/unwanted.txt", b"other")
    extract_member(archive, "wanted.mat", tmp_path / "wanted.mat")
    assert (tmp_path / "wanted.mat").read_bytes() == b"member"
    with pytest.raises(NotUnpacked, match=r"cannot take absent\.mat"):
        extract_member(archive, "absent.mat", tmp_path / "absent.mat")


def test_without_the_program_the_reason_says_what_to_install(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NotUnpacked, match=r"bsdtar is not installed; install it \(libarchive-tools"):
        extract_member(tmp_path / "a.rar", "b.mat", tmp_path / "b.mat")


def test_the_program_gets_the_archive_and_the_member(tmp_path, monkeypatch) -> None:
    """A program in place of bsdtar writes what it was given."""
    program = tmp_path / "bsdtar"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}")
    extract_member(tmp_path / "a.rar", "b.mat", tmp_path / "b.mat")
    assert (tmp_path / "b.mat").read_text() == f"-x|-O|-q|-f|{tmp_path / 'a.rar'}|*b.mat|"


@pytest.fixture
def network(monkeypatch, tmp_path):
    """A network that has what is put into it, by address; a project with the list of members."""
    has: dict[str, bytes] = {}

    def answer(url: str, target: Path, size: int) -> None:
        target.write_bytes(has[url][: size + 1])

    monkeypatch.setattr(download, "_download", answer)
    monkeypatch.delenv(download.MIRROR_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("config/members").mkdir(parents=True)
    lines = [f"{digest}  {path}\n" for path, digest in members_of(CONTENTS).items()]
    Path("config/members/toy").write_text("".join(lines))
    return has


def fetch(tmp_path, archive: bytes, at_most: int = 10**6) -> Path:
    expected = packed(tmp_path, tree(CONTENTS))
    source = FromArchive(url="https://a.b/tree", members="config/members/toy", at_most=at_most)
    keys = {"sha256": checksum(expected), "bytes": len(expected), "archive": source}
    file = RawFile(name="toy.tar.gz", **keys)
    spec = DatasetSpec(title="T", reader={"format": "mat"}, files=[file], licence="-", source="-")
    target = tmp_path / "raw/toy.tar.gz"
    download.fetch("toy", spec, file, target)
    return target


def test_a_file_is_made_of_an_archive_at_a_public_address(network, tmp_path) -> None:
    network["https://a.b/tree"] = tree({**OTHERS, **CONTENTS}, mtime=1)
    target = fetch(tmp_path, network["https://a.b/tree"])
    assert target.read_bytes() == packed(tmp_path, tree(CONTENTS))
    assert [path.name for path in target.parent.iterdir()] == ["toy.tar.gz"]


@pytest.mark.parametrize(
    ("archive", "at_most", "reason"),
    [
        (tree(OTHERS), 10**6, "3 of 3 files are not in the archive"),
        (tree(CONTENTS), 20, "the archive has more than 20 bytes"),
    ],
)
def test_what_is_wrong_with_an_archive_is_said_and_nothing_is_left(network, tmp_path, archive, at_most, reason) -> None:
    network["https://a.b/tree"] = archive
    with pytest.raises(InputError, match=f"https://a.b/tree: {reason}"):
        fetch(tmp_path, archive, at_most)
    assert list((tmp_path / "raw").iterdir()) == []


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["webkb", "mini_newsgroups"])
def test_the_registered_archives_are_made_of_the_trees_to_the_byte(name, mirror, tmp_path) -> None:
    """A tree that has the members among other files, in another order, with times."""
    (file,) = load_registry(ROOT / "config/datasets.yaml")[name].files
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress((mirror / file.mirror).read_bytes()))) as tar:
        contents = {entry.name: tar.extractfile(entry).read() for entry in tar}
    archive = tmp_path / "tree.tar.gz"
    archive.write_bytes(tree({**dict(reversed(contents.items())), **OTHERS}, mtime=1_500_000_000))
    pack_members(archive, read_members(ROOT / file.archive.members), tmp_path / file.name)
    assert checksum((tmp_path / file.name).read_bytes()) == file.sha256
