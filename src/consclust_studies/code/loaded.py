"""The source that a process has loaded, which need not be what lies on the disk any more.

A run takes hours, and each of its jobs imports the source as it is when the job starts. A file that is edited
meanwhile and put back would leave a wrong result that looks right. So a job records the text of every module of the
project that it imports, and compares it with what the plan has read.
"""

import importlib.machinery
import importlib.util
import marshal
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

PACKAGES = ("consclust", "consclust_studies", "studies")
"""Packages whose modules are recorded; the last has the exhibits of single studies."""
TEXTS: dict[str, bytes] = {}
"""What has been loaded, by the name of the module."""
CHECKED = 0b11
"""Flags of a compiled file that holds a checksum of its source, which Python compares too (PEP 552)."""


class RecordingLoader(SourceFileLoader):
    """Loads a module from its file, and records the text of the file."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of a module.

        A compiled file counts only if it holds the checksum of the text. Python by itself goes by time and size, which
        an edit may leave as they were.
        """
        text = self.get_data(self.path)
        TEXTS[fullname] = text
        head = importlib.util.MAGIC_NUMBER + CHECKED.to_bytes(4, "little") + importlib.util.source_hash(text)
        compiled = importlib.util.cache_from_source(self.path)
        try:
            content = self.get_data(compiled)
            if content.startswith(head):
                found: CodeType = marshal.loads(content[len(head) :])  # nosec B302 - as Python's own loader does
                return found
        except (OSError, EOFError, ValueError, TypeError):
            pass  # there is none, or it is damaged
        code: CodeType = self.source_to_code(text, self.path)
        if not sys.dont_write_bytecode:
            self.set_data(compiled, head + marshal.dumps(code))
        return code


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
