"""What an output carries beside its spec: the versions that made it, and the content that it was made from.

The spec says what was asked for, the stamp what happened. An upgrade of a package changes no spec: results keep the
versions that made them, and the report names those. The content of the inputs decides whether an output can stay where
an input was made anew with the same content.
"""

import importlib.metadata
import json
import platform
from collections.abc import Mapping
from functools import cache
from typing import Any

from consclust.validation import Strict
from consclust_studies.specs import digest

PACKAGES = (
    "numpy", "scipy", "scikit-learn", "numba", "pymetis", "mtkahypar", "threadpoolctl", "joblib", "snowballstemmer",
    "mlxtend", "pandas", "pyarrow", "statsmodels",
)  # fmt: skip
"""Packages that decide features, labels, scores and p-values."""


class Confirmation(Strict):
    """A result that other code made, and of which a sample was made again with the code of the spec."""

    made_by: str
    """Fingerprint of the code that made the result."""
    fits: int
    """Fits that were made again, each with the same labels."""
    of: int
    """All fits of the job."""


class Stamp(Strict):
    """Where an output came from."""

    versions: dict[str, str]
    """Versions of Python and of :data:`PACKAGES`; a package that is not installed is left out."""
    inputs: str
    """Digest of the content of the inputs."""
    confirmed: Confirmation | None = None
    note: str = ""
    """What else is known of how the output was made."""

    @property
    def json_text(self) -> str:
        """The stamp as one line of JSON without defaults."""
        return json.dumps(self.model_dump(exclude_defaults=True), separators=(",", ":"))

    @property
    def versions_digest(self) -> str:
        """Digest of the versions."""
        return digest(json.dumps(self.versions, sort_keys=True))


@cache
def installed_versions() -> Mapping[str, str]:
    """Return the versions that are installed, by package; one that is absent is left out."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def parse_stamp(text: Any) -> Stamp:
    """Return the stamp of a JSON text; ValueError for anything else."""
    return Stamp.model_validate_json(str(text))
