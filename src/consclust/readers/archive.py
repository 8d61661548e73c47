"""Archives that are registered to be fetched, and are no data set: kept labels of an accepted run, for example."""

from pathlib import Path
from typing import ClassVar, Literal

from consclust.readers.common import AnyReader, Raw, malformed


class ArchiveReader(AnyReader):
    """Archives that are only fetched, such as kept labels of an accepted run; no study can use them as data."""

    several: ClassVar[bool] = True
    is_data: ClassVar[bool] = False
    format: Literal["archive"]

    def read(self, *paths: Path) -> Raw:
        """Refuse the files."""
        malformed(paths[0], "", "an archive, not a data set", "name another data set")
