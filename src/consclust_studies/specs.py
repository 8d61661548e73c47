"""What a job is: its spec, stored in what it makes and checked by whoever reads that.

A spec holds everything that can change the result of a job. What it is made from stands in it as the digests of the
specs of its inputs. So a changed setting changes the spec of every job that depends on it, and of no other.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from consclust.errors import InputError
from consclust.files import RERUN
from consclust.validation import Strict, parse
from consclust_studies.code import Code

OF_SPEC = re.compile(r'"spec:[0-9a-f]{16}"')
"""The digest of another spec, as it stands in the JSON text of one."""


class Spec(Strict):
    """The spec of a job: one model for each kind of job, in the file of its stage."""

    kind: ClassVar[str]
    """The word for jobs of this kind, see :mod:`consclust_studies.kinds`."""
    code: str = ""
    """Fingerprint of the code that computes the result."""

    def code_behind(self) -> Code:
        """Return what the job calls: the functions that its fingerprint begins with, and the options of methods."""
        raise NotImplementedError

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, with some values changed; what was computed from the former values does not go along."""
        copied = super().model_copy(update=update, deep=deep)
        for name in ("json_text", "digest"):
            copied.__dict__.pop(name, None)
        return copied

    @cached_property
    def json_text(self) -> str:
        """The spec as one line of JSON without defaults; mappings keep their order, that of the points of a grid."""
        content = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(content, separators=(",", ":"), ensure_ascii=False)

    @cached_property
    def digest(self) -> str:
        """Digest of the spec: what the specs of the jobs that read its result hold."""
        return digest_spec(self.json_text)

    @classmethod
    def from_text(cls, text: str, source: Path | str) -> Self:
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


def digest_spec(text: str) -> str:
    """Return the digest of a spec from its JSON text; it says that it is one, see :func:`without_inputs`."""
    return f"spec:{digest(text)}"


def without_inputs(text: str) -> str:
    """Return the JSON text of a spec without the digests of the specs of its inputs.

    What the inputs contain decides a result, not how they came about: :mod:`consclust_studies.stamps`.
    """
    return OF_SPEC.sub('"spec"', text)


def without_code(text: str) -> str:
    """Return the JSON text of a spec without the digests of its inputs and without the fingerprint of its code."""
    content = json.loads(without_inputs(text))
    content.pop("code", None)
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def differ_in_code_alone(one: str, other: str) -> bool:
    """Whether two specs (JSON text) are of the same job, by whatever code and from whatever specs of its inputs."""
    return without_code(one) == without_code(other)


def check_made_for(path: Path | str, stored: str, planned: str | None) -> None:
    """Raise InputError if a file's spec (JSON text) is not the one whose digest was ``planned``; None: any may be."""
    if planned is not None and digest_spec(stored) != planned:
        raise InputError(f"{path}: made with other settings than this job was planned for; {RERUN}")
