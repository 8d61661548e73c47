"""What an earlier run kept of a block of subsets, as confirming reads it: its fits, and the seconds of each."""

from collections.abc import Hashable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from consclust.files import read_arrays, read_record
from consclust_studies.contents import digest_content

LONG = 60.0
"""CPU seconds of a block from which on it shares a sample with the other blocks of its method on its case."""

AnyFit = TypeVar("AnyFit", bound=Hashable)


class Fit(NamedTuple):
    """A fit of a job: its subset, with its row in the arrays, and its grid point."""

    row: int
    subset: int
    point: int


class KeptBlock:
    """The labels and the seconds of a block, in two files."""

    def __init__(self, labels: Path, runtime: Path) -> None:
        self.labels = labels
        self._runtime = runtime

    @property
    def word(self) -> str:
        """The block in the name of its file: "0-4"."""
        return self.labels.stem

    @cached_property
    def arrays(self) -> Mapping[str, Any]:
        """All arrays of the file of labels."""
        return read_arrays(self.labels)

    @cached_property
    def runtime(self) -> Mapping[str, Any]:
        """The record with the seconds."""
        return read_record(self._runtime)

    @cached_property
    def content(self) -> str:
        """Digest of the labels, whatever spec they carry."""
        return digest_content(self.labels)

    def get_other(self, word: str) -> "KeptBlock":
        """Return another block of the same method on the same case."""
        ending = self._runtime.name.removeprefix(self.word)
        return KeptBlock(self.labels.with_name(f"{word}.npz"), self.labels.with_name(f"{word}{ending}"))

    def list_fits(self) -> list[Fit]:
        """Return the fits that ran; a race leaves some points out."""
        left_out = self.arrays["left_out"]
        return [
            Fit(row, int(subset), point)
            for row, subset in enumerate(self.arrays["subsets"])
            for point in range(left_out.shape[1])
            if not left_out[row, point]
        ]

    def is_long(self) -> bool:
        """Whether the fits of the block took :data:`LONG` seconds or more."""
        return sum(map(sum, self.runtime["cpu_seconds"])) >= LONG


def read_seconds(runtime: Mapping[str, Any], one: Fit) -> float:
    """Return the CPU seconds that a fit took; those of a race stand in the order of the points that stayed."""
    row = runtime["cpu_seconds"][one.row]
    return float(row[one.point]) if one.point < len(row) else float(np.mean(row))


def draw_share(seconds: Mapping[AnyFit, float], share: float, stream: np.random.Generator) -> list[AnyFit]:
    """Draw fits in random order until they took a share of the seconds of all; one at least."""
    fits = list(seconds)
    total = sum(seconds.values())
    drawn: list[AnyFit] = []
    spent = 0.0
    for place in stream.permutation(len(fits)):
        if drawn and spent >= share * total:
            break
        drawn.append(fits[place])
        spent += seconds[fits[place]]
    return drawn
