"""Where the files of a study lie: in a folder of its own, ``studies/<id>``."""

from pathlib import Path

STUDIES = Path("studies")
"""The folder of all studies, relative to that of the project, in which every job runs."""


def study_file(study: str, name: str = "study.yaml") -> Path:
    """Return the path of a file of a study."""
    return STUDIES / study / name
