"""The works that a report cites, numbered in the order of their first citation."""

from importlib import resources
from pathlib import Path

from consclust.validation import read_yaml

LITERATURE: dict[str, str] = read_yaml(Path(str(resources.files("consclust.report") / "templates" / "literature.yaml")))
"""Works by the keys that they are cited by."""


class References:
    """Numbers for cited works."""

    def __init__(self) -> None:
        self.works: dict[str, int] = {}

    def cite(self, work: str) -> str:
        """Return "[3]" after a space for a work, or for its key in :data:`LITERATURE`; empty for none."""
        work = LITERATURE.get(work, work)
        if not work:
            return ""
        number = self.works.setdefault(work, len(self.works) + 1)
        return f"\N{NO-BREAK SPACE}[{number}]"
