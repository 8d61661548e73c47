"""What a job is: its spec, stored in what it makes and checked by whoever reads that.

A spec holds everything that can change the result of a job. What it is made from stands in it as the digests of the
specs of its inputs. So a changed setting changes the spec of every job that depends on it, and of no other.
"""

import hashlib
import json
from pathlib import Path
from typing import Self

from consclust.errors import InputError
from consclust.files import RERUN
from consclust.validation import Strict, parse


class Spec(Strict):
    """The spec of a job: one model for each kind of job, in the package of its stage."""

    @property
    def json_text(self) -> str:
        """The spec as one line of JSON without defaults; mappings keep their order, that of the points of a grid."""
        return json.dumps(
            self.model_dump(mode="json", exclude_defaults=True), separators=(",", ":"), ensure_ascii=False
        )

    @property
    def digest(self) -> str:
        """Digest of the spec: what the specs of the jobs that read its result hold."""
        return digest(self.json_text)

    @classmethod
    def of_text(cls, text: str, source: Path | str) -> Self:
        """Return the spec that ``json_text`` wrote; :class:`InputError` names ``source``."""
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"{source}: the spec is not valid JSON ({error}); {RERUN}") from None
        return parse(cls, value, source)


def digest(content: str | bytes) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 checksum of ``content``."""
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:16]


def check_made_for(path: Path | str, stored: str, planned: str | None) -> None:
    """Raise InputError if a file's spec (JSON text) is not the one whose digest was ``planned``; None: any may be."""
    if planned is not None and digest(stored) != planned:
        raise InputError(f"{path}: made with other settings than this job was planned for; {RERUN}")
