"""Getting the files of a data set: hand-placed, from a mirror, from a public address or an archive; checksums decide.

pooch fetches: a file appears at its place only when it is the registered one, whole, and interrupted downloads are
tried again. The downloader is our own: it has limits of size and speed, copies from folders, and says what is wrong.
"""

# pooch, requests, tqdm and urllib3 are imported where needed, so that what does without them starts faster

import errno
import logging
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consclust.datasets import unpack
from consclust.datasets.registry import DatasetSpec, FromArchive, RawFile
from consclust.errors import InputError
from consclust.files import sha256

MIRROR_VARIABLE = "CONSCLUST_DATA_MIRROR"
ATTEMPTS = 3
TIMEOUT = 30.0  # seconds without a byte
SLOWEST = 10_000  # bytes a second; a file that comes more slowly is given up after TIMEOUT more
CHUNK = 1 << 16

log = logging.getLogger("consclust")


class _Refused(Exception):
    """An address did not give the file; the message is the reason."""


class _Interrupted(ValueError):
    """An address may give the file later; the message is the reason. pooch tries again after a ValueError."""


def fetch(
    dataset_id: str,
    spec: DatasetSpec,
    file: RawFile,
    target: Path,
    mirror: str | None = None,
    placed: Path | None = None,
) -> None:
    """Put ``file`` of a data set at ``target``.

    Tried in this order: a file that is already there, one that the user ``placed`` elsewhere, the mirrors
    (:data:`MIRROR_VARIABLE`, then ``mirror``: a folder or URL with the layout of ``file.mirror``), each public address.
    Interrupted connections are tried again, after 1 second, then 2.

    InputError if a file at ``target`` or ``placed`` is not the registered one (it is never overwritten, nor passed
    over), or no address gives it; it names each address with its reason and the remedy.
    """
    if target.exists():
        verify(target, dataset_id, file)
        log.info("%s: %s is in place", dataset_id, target)
        return
    if placed and placed.exists():
        verify(placed, dataset_id, file)
        _fetch_from(f"{placed}", file, target, _Downloader(file))
        log.info("%s: %s from %s", dataset_id, target, placed)
        return
    failures: list[str] = []
    for address, downloader in _list_ways(file, mirror):
        try:
            _fetch_from(address, file, target, downloader)
        except (_Refused, _Interrupted) as mistake:
            reason = f"{mistake} ({ATTEMPTS} attempts)" if isinstance(mistake, _Interrupted) else mistake
            log.warning("%s: %s: %s: %s", dataset_id, file.name, address, reason)
            failures.append(f"({len(failures) + 1}) {address}: {reason}")
        else:
            log.info("%s: %s from %s", dataset_id, target, address)
            return
    notes = [f" [{e.note.strip()}]" for e in spec.ensembles.values() if e.file == file and e.note]
    tried, remedy = "; ".join(failures) or "it has no address", _remedy(target, file) + "".join(notes)
    raise InputError(f"data set {dataset_id}: {file.name} could not be downloaded: {tried}; {remedy}")


def verify(path: Path, dataset_id: str, file: RawFile) -> None:
    """Raise :class:`InputError` unless ``path`` is the registered file; without a checksum, any file is."""
    if not path.is_file():
        raise InputError(f"data set {dataset_id}: {path}: no such file; {_remedy(path, file)}")
    try:
        _check(path, file)
    except _Refused as reason:
        source, remedy = "", "delete it to have it fetched again"
        if file.has_address:
            source = f" of {', '.join(file.public_addresses) or f'<mirror>/{file.mirror}'}"
        else:
            remedy = "delete it if it was downloaded, correct sha256 in config/datasets.yaml if it is the right one, "
            remedy += "run the same command again if you have just changed it"
        raise InputError(
            f"data set {dataset_id}: {path} is not the registered {file.name}{source}: {reason}; "
            f"{remedy}, or {_remedy(path, file)}"
        ) from None


def _list_ways(file: RawFile, mirror: str | None) -> "Iterator[tuple[str, _Downloader]]":
    """Yield each address of a file with what gets it from there."""
    mirrors = [place for place in (os.environ.get(MIRROR_VARIABLE), mirror) if place]
    for place in dict.fromkeys(mirrors) if file.mirror else ():
        yield f"{place.rstrip('/')}/{file.mirror}", _Downloader(file)
    for address in file.urls:
        yield address, _Downloader(file)
    if file.archive:
        yield file.archive.url, _ArchiveDownloader(file, file.archive)


def _fetch_from(address: str, file: RawFile, target: Path, downloader: "_Downloader") -> None:
    """Put the file of one address at ``target``, whole or not at all."""
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)  # its lines on each download stand in our own log
    store = pooch.Pooch(target.parent, base_url="", retry_if_failed=ATTEMPTS - 1)
    store.registry[target.name] = file.sha256
    store.urls[target.name] = address
    store.fetch(target.name, downloader=downloader)


@dataclass(frozen=True)
class _Downloader:
    """Gets a registered file for pooch, whose own downloaders have no limits."""

    file: RawFile

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        """Put what is at ``url``, an address or a path, at ``output_file``."""
        target = Path(output_file)
        if url.startswith(("http://", "https://")):
            self.get(url, target)
        else:
            _copy(Path(url).expanduser(), target)
        _check(target, self.file)  # pooch checks too, but does not say what is wrong, and would try again
        target.chmod(0o644)  # pooch makes files that their owner alone can read

    def get(self, url: str, target: Path) -> None:
        """Put the file of an address at ``target``."""
        _download_loudly(url, target, self.file.bytes or 0)


@dataclass(frozen=True)
class _ArchiveDownloader(_Downloader):
    """Gets an archive, and makes the registered file of it."""

    archive: FromArchive

    def get(self, url: str, target: Path) -> None:
        """Put the file that is made of the archive of an address at ``target``."""
        downloaded = target.with_name(f"{target.name}.archive")
        try:
            _download_loudly(url, downloaded, self.archive.at_most)
            if downloaded.stat().st_size > self.archive.at_most:
                raise _Refused(f"the archive has more than {self.archive.at_most:,} bytes")
            if self.archive.member:
                unpack.extract_member(downloaded, self.archive.member, target)
            else:
                unpack.pack_members(downloaded, unpack.read_members(Path(f"{self.archive.members}")), target)
        except unpack.NotUnpacked as reason:
            raise _Refused(str(reason)) from None
        finally:
            downloaded.unlink(missing_ok=True)


def _download_loudly(url: str, target: Path, size: int) -> None:
    """Download once, and log it if the address may give the file later."""
    try:
        _download(url, target, size)
    except _Interrupted as reason:
        log.warning("%s: %s; it is tried %d times", url, reason, ATTEMPTS)
        raise


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):  # not the mirror's fault
            raise
        raise _Refused((error.strerror or str(error)).lower()) from None


def _download(url: str, target: Path, size: int) -> None:
    """Download once; no more is read than shows that the file is longer than ``size`` bytes, or that it is too slow."""
    import requests
    from tqdm import tqdm
    from urllib3.exceptions import DecodeError, HTTPError, ReadTimeoutError

    latest = time.monotonic() + TIMEOUT + size / SLOWEST
    try:
        with (
            requests.get(url, stream=True, timeout=TIMEOUT) as answer,
            target.open("wb") as file,
            tqdm(total=size, unit="B", unit_scale=True, disable=None) as progress,
        ):
            answer.raise_for_status()
            while file.tell() <= size and (piece := answer.raw.read1(CHUNK, decode_content=True)):
                progress.update(file.write(piece))
                if time.monotonic() > latest:
                    raise _Interrupted(f"slower than {SLOWEST:,} bytes a second")
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        kind = _Interrupted if status >= 500 or status in (408, 429) else _Refused
        raise kind(f"HTTP status {status}") from None
    except (requests.Timeout, ReadTimeoutError):
        raise _Interrupted(f"no answer within {TIMEOUT:g} s") from None
    except (requests.RequestException, HTTPError) as error:
        lasting = isinstance(error, ValueError | requests.TooManyRedirects | DecodeError)
        kind = _Refused if lasting else _Interrupted
        raise kind(f"connection failed ({_root(error)})") from None


def _root(error: BaseException) -> str:
    """Return the innermost message: requests wraps urllib3, which wraps the socket's own words."""
    while inner := error.__cause__ or error.__context__:
        error = inner
    return " ".join(str(error).split()) or type(error).__name__


def _check(path: Path, file: RawFile) -> None:
    """Refuse a file that is not the registered one, with the most informative reason."""
    if file.sha256 is None or (digest := sha256(path)) == file.sha256:
        return
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(512).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    what = "wrong checksum"
    if file.bytes and size != file.bytes:
        what = "truncated" if size < file.bytes else "longer than the file"
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        what = "an HTML page instead of data"
    elif start.startswith(b"version https://git-lfs"):
        what = "a Git LFS pointer instead of data"
    expected = f", expected {file.bytes}" if file.bytes else ""
    raise _Refused(f"{what} (sha256 {digest}, expected {file.sha256}; {size} bytes{expected})")


def _remedy(path: Path, file: RawFile) -> str:
    size, digest = file.bytes and f"{file.bytes} bytes", file.sha256 and f"sha256 {file.sha256}"
    facts = ", ".join(fact for fact in (size, digest) if fact)
    by_hand = (
        f"place the file{f' ({facts})' if facts else ''} by hand at {path}, in a folder that you make if it is gone"
    )
    if not file.mirror:
        return by_hand
    setting = f"set data_mirror in config/config.yaml (or {MIRROR_VARIABLE})"
    return f"{by_hand}, or {setting} to a folder or URL that has {file.mirror}"
