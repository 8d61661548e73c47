"""The source that a process has loaded, which need not be what lies on the disk any more.

A run takes hours, and each of its jobs imports the source as it is when the job starts. A file that is edited meanwhile
and put back would leave a wrong result that looks right. So a job records the text of every module of the project that
it imports, and compares it with what the plan has read.
"""

import importlib.machinery
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

PACKAGES = ("consclust", "consclust_studies", "studies")
"""Packages whose modules are recorded; the last has the exhibits of single studies."""
TEXTS: dict[str, bytes] = {}
"""What has been loaded, by the name of the module."""


class RecordingLoader(SourceFileLoader):
    """Loads a module from its file, and records the text of the file."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module; that of a compiled file only if it was compiled from the text as it is now."""
        TEXTS[fullname] = self.get_data(self.get_filename(fullname))
        return super().get_code(fullname)


class Recorder(MetaPathFinder):
    """Finds the modules of the project, and has them loaded by :class:`RecordingLoader`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the project; None for any other module."""
        if fullname.partition(".")[0] not in PACKAGES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = RecordingLoader(spec.loader.name, spec.loader.path)
        return spec


def record_sources() -> None:
    """Record all modules of the project that are imported from now on."""
    if not any(isinstance(finder, Recorder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Recorder())
