"""Under which specs the labels of an archive are valid, where code changed after it was written and they did not.

An archive is large, and git keeps all versions of it. After a change of the code that changes no label, only the spec
and the stamp of its files are other ones: these stand in a small file beside the archive, ``<case>.marks.json.xz``.
"""

import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from consclust.errors import InputError
from consclust.files import written_whole
from consclust_studies.contents import Marks
from consclust_studies.stamps import parse_stamp

SUFFIX_OF_ARCHIVE = ".tar.xz"
SUFFIX_OF_MARKS = ".marks.json.xz"


def locate_marks(archive: Path) -> Path:
    """Return the file of the marks of an archive."""
    return archive.with_name(archive.name.removesuffix(SUFFIX_OF_ARCHIVE) + SUFFIX_OF_MARKS)


def read_kept_marks(archive: Path) -> dict[str, Marks]:
    """Return the marks by name of the files; none if there are no later ones; InputError for a damaged file."""
    path = locate_marks(archive)
    if not path.is_file():
        return {}
    try:
        stored = json.loads(lzma.decompress(path.read_bytes()))
        specs, stamps = stored["specs"], [parse_stamp(text) for text in stored["stamps"]]
        return {name: Marks(specs[spec], stamps[stamp]) for name, (spec, stamp) in stored["files"].items()}
    except (lzma.LZMAError, OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path}: not readable ({error}); take it from the repository again") from None


def write_kept_marks(archive: Path, marks: Mapping[str, Marks]) -> None:
    """Write the marks by name of the files; equal marks give equal bytes."""
    specs = list(dict.fromkeys(mark.spec for mark in marks.values()))
    stamps = list(dict.fromkeys(mark.stamp.json_text for mark in marks.values()))
    files: dict[str, Any] = {
        name: [specs.index(mark.spec), stamps.index(mark.stamp.json_text)] for name, mark in marks.items()
    }
    text = json.dumps({"specs": specs, "stamps": stamps, "files": files}, indent=0)
    with written_whole(locate_marks(archive)) as temporary:
        temporary.write_bytes(lzma.compress(text.encode(), preset=9))


def remove_kept_marks(archive: Path) -> None:
    """Remove the marks of an archive that is written anew."""
    locate_marks(archive).unlink(missing_ok=True)
