"""Files that are no download by themselves: some members of an archive, packed again, or one member of it.

The members are registered by their checksums, and the file that is made has one itself. So it does not matter what else
the archive holds, nor that its own bytes may vary: those of an archive of a repository do, from one day to the next.
"""

import gzip
import io
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from consclust.errors import InputError

UNPACKER = "bsdtar"
"""The program of libarchive, which reads .rar, .zip, .7z and others."""
LARGEST_MEMBER = 1 << 28
"""Bytes of a member from which on it is no registered file but a bomb."""


class NotUnpacked(Exception):
    """An archive does not give the file; the message is the reason."""


def read_members(listed: Path) -> dict[str, str]:
    """Return the SHA-256 checksums of a list of members by their paths; each line is as ``sha256sum`` writes it."""
    try:
        lines = listed.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{listed}: cannot be read ({(error.strerror or '').lower()}); restore it") from None
    members = {}
    for number, line in enumerate(lines, start=1):
        checksum, _, path = line.partition("  ")
        if len(checksum) != 64 or not path:
            raise InputError(f"{listed}: line {number}: not a checksum and a path; restore the file")
        members[path] = checksum
    return members


def pack_members(archive: Path, members: Mapping[str, str], target: Path) -> None:
    """Write the ``members`` of a ``.tar.gz`` of a repository to ``target``, a ``.tar.gz`` of them alone.

    Its bytes depend on the members alone: they are sorted, without times and owners. The first folder in the paths of
    the archive, which is named after repository and commit, is left out. :class:`NotUnpacked` if a member is not there
    or is another one, and if the archive cannot be read.
    """
    contents = _read_tree(archive, members)
    absent = [path for path in members if path not in contents]
    if absent:
        raise NotUnpacked(f"{len(absent)} of {len(members)} files are not in the archive, such as {absent[0]}")
    packed = io.BytesIO()
    # named, although it is Python's default, because the checksums of the files made here depend on it
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(contents):
            entry = tarfile.TarInfo(path)
            entry.size = len(contents[path])
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(contents[path]))
    with (
        target.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as compressed,
    ):
        compressed.write(packed.getvalue())


def _read_tree(archive: Path, members: Mapping[str, str]) -> dict[str, bytes]:
    """Return the contents of the members that are in the archive, each with its registered checksum."""
    contents = {}
    try:
        with tarfile.open(archive, "r:gz") as tar:
            for entry in tar:
                path = entry.name.partition("/")[2]
                if path not in members or not entry.isfile():
                    continue
                if entry.size > LARGEST_MEMBER:
                    raise NotUnpacked(f"{path} has {entry.size:,} bytes in the archive")
                file = tar.extractfile(entry)
                content = file.read() if file else b""
                if sha256(content).hexdigest() != members[path]:
                    raise NotUnpacked(f"{path} in the archive has another checksum than {members[path]}")
                contents[path] = content
    except (tarfile.TarError, EOFError, OSError) as error:
        raise NotUnpacked(f"no readable .tar.gz ({' '.join(str(error).split())})") from None
    return contents


def extract_member(archive: Path, name: str, target: Path) -> None:
    """Write the member of an archive with this name, in whatever folder of it, to ``target``.

    :class:`NotUnpacked` if the program of libarchive is not installed, cannot read the archive, or finds no such file.
    """
    program = shutil.which(UNPACKER)
    if program is None:
        raise NotUnpacked(
            f"the program {UNPACKER} is not installed; install it (libarchive-tools of Debian and Ubuntu)"
        )
    with target.open("wb") as file:
        # -q leaves the archive after the first member that matches; the star stands for folders too
        command = [program, "-x", "-O", "-q", "-f", str(archive), f"*{name}"]
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0 or not target.stat().st_size:
        reason = " ".join(done.stderr.decode(errors="replace").split()) or "no such member"
        raise NotUnpacked(f"{UNPACKER} cannot take {name} from the archive: {reason}")
