"""The fingerprints of jobs in the source of the project, and whether a process has loaded the same source.

To find the code behind a job takes a tenth of a second or more. So fingerprints are remembered in the user's cache
folder, under the digest of the whole source: after an edit of any file none of them is used. They are written while
more are looked for, so that a kill loses few of them and another process finds them.
"""

import atexit
import hashlib
import json
import time
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from consclust.errors import InputError
from consclust.files import write_text
from consclust_studies.code import Code
from consclust_studies.code.fingerprint import Fingerprints
from consclust_studies.code.loaded import TEXTS
from consclust_studies.code.modules import standard_roots
from consclust_studies.paths import STUDIES

CHANGED = "the source has changed since the run began; nothing is kept: run the same command again"
MOST_REMEMBERED = 20
"""Sources whose fingerprints stay in the cache folder."""
SECONDS = 3.0
"""After which new fingerprints are written to the cache folder, or looked for there, once more."""
FOUND: dict[str, dict[str, Any]] = {}
"""Fingerprints and their modules by the digest of the source and the code that they are of: folders share a source."""


class Source:
    """The modules of the project as they are, with the fingerprints of jobs in them."""

    def __init__(self, roots: Mapping[str, Path]) -> None:
        self.roots = roots
        self.checksums = dict(compute_checksums(roots))
        """SHA-256 of each module."""
        self.digest = hashlib.sha256(json.dumps(self.checksums, sort_keys=True).encode()).hexdigest()[:16]
        """Of the checksums."""
        if self.digest not in FOUND:
            FOUND[self.digest] = read_cache(self.cache_file)
        self.remembered = FOUND[self.digest]
        """Fingerprints and their modules, by what they begin with."""
        self.is_changed = False
        self._looked = time.monotonic()
        atexit.register(self.remember)

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """What finds the code behind jobs."""
        return Fingerprints(self.roots, read_text)

    @property
    def cache_file(self) -> Path | None:
        """Where fingerprints of this source are remembered; None where there is no folder for it."""
        import platformdirs

        try:
            return Path(platformdirs.user_cache_dir("consclust"), "fingerprints", f"{self.digest}.json")
        except (OSError, RuntimeError):  # no home
            return None

    def find(self, code: Code) -> tuple[str, list[str]]:
        """Return the fingerprint of the code behind a job, and the modules that it is in."""
        if not code.parts:
            return self._find_of_entries(code)
        # part by part: hardly two cases have the same methods together
        found = [self._find_of_entries(code), *map(self.find, code.parts)]
        texts = json.dumps([text for text, _ in found])
        modules = {name for _, names in found for name in names}
        return hashlib.sha256(texts.encode()).hexdigest()[:16], sorted(modules)

    def _find_of_entries(self, code: Code) -> tuple[str, list[str]]:
        if not code.entries:
            return "", []  # no code decides the result
        key = json.dumps([code.entries, {name: dict(own) for name, own in code.options.items()}], default=repr)
        if key not in self.remembered:
            self._share()
        if key not in self.remembered:
            text = self.fingerprints.compute(*code.entries, parameters=code.options)
            functions = self.fingerprints.functions(*code.entries, parameters=code.options)
            self.remembered[key] = [text, sorted({module for module, _ in functions})]
            self.is_changed = True
        text, modules = self.remembered[key]
        return text, modules

    def _share(self) -> None:
        """Take over what other processes have found, and write what this one has, if some seconds have passed."""
        if time.monotonic() - self._looked < SECONDS:
            return
        if self.is_changed:
            self.remember()
        else:
            self.remembered.update(read_cache(self.cache_file))
        self._looked = time.monotonic()

    def remember(self) -> None:
        """Write the fingerprints to the cache folder, where there is one."""
        path = self.cache_file
        if not self.is_changed or path is None:
            return
        self.remembered.update(read_cache(path))
        try:
            write_text(path, json.dumps(self.remembered))
            others = sorted(path.parent.glob("*.json"), key=lambda one: one.stat().st_mtime, reverse=True)
            for old in others[MOST_REMEMBERED:]:
                old.unlink(missing_ok=True)
            self.is_changed = False
        except OSError:
            return  # a folder that cannot be written to: they are found again next time


def read_cache(path: Path | None) -> dict[str, Any]:
    """Return remembered fingerprints; none if there is no file, or if it is damaged."""
    if path is None:
        return {}
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def compute_checksums(roots: Mapping[str, Path]) -> list[tuple[str, str]]:
    """Return the name and the checksum of every module of some packages."""
    found = []
    for package, folder in sorted(roots.items()):
        for path in sorted(folder.rglob("*.py")):
            words = path.relative_to(folder).with_suffix("").parts
            name = ".".join((package, *words)).removesuffix(".__init__")
            if text := read_module(name, path):
                found.append((name, hashlib.sha256(text).hexdigest()))
    return found


def read_module(name: str, path: Path) -> bytes | None:
    """Return the text of a module: what this process has loaded, or else its file; None if there is none."""
    if name in TEXTS:
        return TEXTS[name]
    return path.read_bytes() if path.is_file() else None


def read_text(name: str, path: Path) -> str | None:
    """Return the text of a module, decoded."""
    text = read_module(name, path)
    return None if text is None else text.decode("utf-8")


def find_roots() -> dict[str, Path]:
    """Return the folders of the packages whose code counts: library, engine, and the exhibits of single studies."""
    roots = standard_roots()
    folder = Path(STUDIES).absolute()
    if any(folder.glob("*/exhibits/*.py")):
        roots[STUDIES] = folder
    return roots


def read_source() -> Source:
    """Return the source of the project in the present folder; it is read once."""
    return _read_source(tuple(sorted(find_roots().items())))


@cache
def _read_source(roots: tuple[tuple[str, Path], ...]) -> Source:
    return Source(dict(roots))


def fingerprint(code: Code) -> str:
    """Return the fingerprint of the code behind a job."""
    return read_source().find(code)[0]


def find_checksums(code: Code) -> dict[str, str]:
    """Return the checksums of the modules with the code behind a job."""
    source = read_source()
    return {module: source.checksums[module] for module in source.find(code)[1]}


def check_loaded(code: Code, planned: str, checksums: Mapping[str, str]) -> None:
    """Raise InputError if this process has other code behind a job than the one that was ``planned``.

    What it has loaded counts, whatever lies on the disk by now; of a module that it has not loaded yet, the file.
    ``checksums`` are those of the modules at the time of the plan: where all are the same, so is the fingerprint.
    """
    roots = find_roots()
    if all(compute_checksum(module, roots) == checksum for module, checksum in checksums.items()):
        return
    if Source(roots).find(code)[0] != planned:
        raise InputError(CHANGED)


def compute_checksum(name: str, roots: Mapping[str, Path]) -> str | None:
    """Return the checksum of a module in the folders of some packages; None if there is none."""
    package, *words = name.split(".")
    if package not in roots:
        return None
    path = roots[package].joinpath(*words)
    text = read_module(name, path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))
    return None if text is None else hashlib.sha256(text).hexdigest()
