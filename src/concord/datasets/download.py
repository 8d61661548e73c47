"""Getting the files of a data set: hand-placed, from a mirror, from a public address; the checksum decides.

A file appears at its place only when it is the registered one, whole.
"""

import errno
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from concord.datasets.registry import DatasetSpec, RawFile
from concord.errors import InputError
from concord.files import sha256, written_whole

MIRROR_VARIABLE = "CONCORD_DATA_MIRROR"
ATTEMPTS = 3
BACK_OFF = 1.0  # seconds before the second attempt; doubled before each further one
TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 16

log = logging.getLogger("concord")


class _Refused(Exception):
    """An address did not give the file; the message is the reason."""


def fetch(dataset_id: str, spec: DatasetSpec, file: RawFile, target: Path, mirror: str | None = None) -> None:
    """Put ``file`` at ``target``.

    Tried in this order: a file that is already there, the mirrors (:data:`MIRROR_VARIABLE`, then
    ``mirror``), each public address. Interrupted connections are tried again with a growing pause.

    Parameters
    ----------
    dataset_id : str
        Names the data set in messages.
    spec : DatasetSpec
        Its entry in the registry.
    file : RawFile
        One of its files, or the file of one of its ready-made ensembles.
    target : Path
        Where the file goes.
    mirror : str, optional
        Folder or http(s) URL with the layout of ``file.mirror``.

    Raises
    ------
    InputError
        A file at ``target`` that is not the registered one (it is never overwritten), or no address that
        gives it; names each address with its reason and the remedy.
    """
    if target.exists():
        verify(target, dataset_id, file)
        log.info("%s: %s is in place", dataset_id, target)
        return
    failures = []
    for address in _addresses(file, mirror):
        try:
            with written_whole(target) as temporary:
                _get(address, temporary)
                _check(temporary, file)
        except _Refused as reason:
            log.warning("%s: %s: %s: %s", dataset_id, file.name, address, reason)
            failures.append(f"{address}: {reason}")
        else:
            log.info("%s: %s from %s", dataset_id, target, address)
            return
    raise InputError(_nowhere(dataset_id, spec, file, target, failures))


def verify(path: Path, dataset_id: str, file: RawFile) -> None:
    """Raise :class:`InputError` unless ``path`` is the registered file; done again before it is read.

    Without a registered checksum, any file is.
    """
    if not path.is_file():
        raise InputError(f"data set {dataset_id}: {path}: no such file; {_remedy(path, file)}")
    try:
        _check(path, file)
    except _Refused as reason:
        what = f"data set {dataset_id}: {path} is not the registered {file.name}"
        if not file.has_address:
            raise InputError(
                f"{what}: {reason}; correct sha256 in config/datasets.yaml if the file is the right one, "
                f"or {_remedy(path, file)}"
            ) from None
        source = ", ".join(file.urls) or f"<mirror>/{file.mirror}"
        raise InputError(
            f"{what} of {source}: {reason}; delete it to have it fetched again, or {_remedy(path, file)}"
        ) from None


def _addresses(file: RawFile, mirror: str | None) -> Iterator[str]:
    mirrors = [place for place in (os.environ.get(MIRROR_VARIABLE), mirror) if place]
    for place in dict.fromkeys(mirrors) if file.mirror else ():
        yield f"{place.rstrip('/')}/{file.mirror}"
    yield from file.urls


def _get(address: str, target: Path) -> None:
    if not address.startswith(("http://", "https://")):
        _copy(Path(address).expanduser(), target)
        return
    for attempt in range(1, ATTEMPTS + 1):
        reason, passing = _download(address, target)
        if reason is None:
            return
        if not passing or attempt == ATTEMPTS:
            raise _Refused(reason + (f" ({attempt} attempts)" if attempt > 1 else ""))
        pause = BACK_OFF * 2 ** (attempt - 1)
        log.warning("%s: %s; attempt %d of %d in %g s", address, reason, attempt + 1, ATTEMPTS, pause)
        time.sleep(pause)


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):  # not the mirror's fault
            raise
        raise _Refused((error.strerror or str(error)).lower()) from None


def _download(url: str, target: Path) -> tuple[str | None, bool]:
    """Download once: the reason of a failure or None, and whether the failure may pass."""
    import pooch
    import requests

    downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), chunk_size=CHUNK, timeout=TIMEOUT)
    try:
        downloader(url, str(target), None)
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        return f"HTTP status {status}", status >= 500 or status in (408, 429)
    except requests.Timeout:
        return f"no answer within {TIMEOUT:g} s", True
    except requests.RequestException as error:
        return f"connection failed ({_root(error)})", not isinstance(error, ValueError)
    return None, False


def _root(error: BaseException) -> str:
    """Innermost message: requests wraps urllib3 wraps the socket's own words."""
    while inner := getattr(error, "reason", None) or error.__cause__ or error.__context__:
        if not isinstance(inner, BaseException):
            break
        error = inner
    return " ".join(str(error).split()) or type(error).__name__


def _check(path: Path, file: RawFile) -> None:
    """Refuse a file that is not the registered one, with the most telling reason."""
    if file.sha256 is None:
        return
    digest = sha256(path)
    if digest == file.sha256:
        return
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(512).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    values = f"sha256 {digest}, expected {file.sha256}; {size} bytes"
    if file.bytes:
        values += f", expected {file.bytes}"
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        raise _Refused(f"an HTML page instead of data ({values})")
    if start.startswith(b"version https://git-lfs"):
        raise _Refused(f"a Git LFS pointer instead of data ({values})")
    if file.bytes and size < file.bytes:
        raise _Refused(f"truncated ({values})")
    raise _Refused(f"wrong checksum ({values})")


def _nowhere(dataset_id: str, spec: DatasetSpec, file: RawFile, target: Path, failures: list[str]) -> str:
    tried = "; ".join(f"({i}) {failure}" for i, failure in enumerate(failures, 1)) or "it has no address"
    notes = [f" [{e.note.strip()}]" for e in spec.ensembles.values() if e.file == file and e.note]
    remedy = _remedy(target, file) + "".join(notes)
    return f"data set {dataset_id}: {file.name} could not be had: {tried}; {remedy}"


def _remedy(path: Path, file: RawFile) -> str:
    size, digest = file.bytes and f"{file.bytes} bytes", file.sha256 and f"sha256 {file.sha256}"
    facts = ", ".join(fact for fact in (size, digest) if fact)
    by_hand = f"place the file{f' ({facts})' if facts else ''} by hand at {path}"
    if not file.mirror:
        return by_hand
    return (
        f"{by_hand}, or set data_mirror in config/config.yaml (or {MIRROR_VARIABLE}) to a folder or URL "
        f"that has {file.mirror}"
    )
