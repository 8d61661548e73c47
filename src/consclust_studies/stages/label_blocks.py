"""What the consensus stage hands over: labels in blocks of subsets, checked before they are scored."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray
from consclust.errors import InputError
from consclust.files import RERUN, read_arrays
from consclust.plurals import count
from consclust.scores import score_many
from consclust_studies.specs import check_made_for, digest_spec

RESTARTS = ("mean", "chosen")
"""Scores of a fit: the mean over its random starts, and that of the start with the best objective."""


REMARKS = ("failures", "notes", "fewer_clusters")
"""What is said of fits beside their scores: why there is no answer, what the method remarks, how many clusters."""


class Remark(NamedTuple):
    """What a report must say about a fit: subset, grid point, and a text or, of fewer clusters, their number."""

    subset: int
    point: int
    text: str | int


class Block:
    """A block of subsets of a method's consensus labels, as :mod:`consclust_studies.stages.consensus` writes it.

    Arrays are read when they are used. InputError if the file is missing, damaged, or was made for another spec than
    that of the digest ``planned``.
    """

    def __init__(self, path: Path, planned: str | None = None) -> None:
        self.path = path
        # read at once, so that a wrong file is refused before any work
        spec = str(self.read_array("spec")[()])
        check_made_for(path, spec, planned)
        self.digest = digest_spec(spec)

    @cached_property
    def subsets(self) -> list[int]:
        """Numbers of the subsets in the block."""
        return [int(subset) for subset in self.read_array("subsets")]

    @cached_property
    def failures(self) -> list[Remark]:
        """Cells without an answer, and why."""
        return self._read_remarks("failures", "reason")

    @cached_property
    def notes(self) -> list[Remark]:
        """What the method remarks about its answers."""
        return self._read_remarks("notes", "note")

    def list_remarks(self, n_clusters: int) -> dict[str, list[Remark]]:
        """Return what is said of the fits, of which so many clusters were requested, by the words of ``REMARKS``."""
        return dict(zip(REMARKS, (self.failures, self.notes, self._find_fewer_clusters(n_clusters)), strict=True))

    def _find_fewer_clusters(self, n_clusters: int) -> list[Remark]:
        """Return the cells whose chosen labels have fewer clusters than requested, and how many."""
        rows, points = np.nonzero(self.answered)
        labels = self.labels[rows, points, self.chosen[rows, points]]
        numbers = labels.max(axis=1) + 1  # clusters are numbered without gaps
        return [
            Remark(self.subsets[row], int(point), int(number))
            for row, point, number in zip(rows, points, numbers, strict=True)
            if number < n_clusters
        ]

    @cached_property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Whether a cell failed, shape (subsets, points)."""
        cells = {(failure.subset, failure.point) for failure in self.failures}
        points = range(self.chosen.shape[1])
        return np.array([[(subset, point) in cells for point in points] for subset in self.subsets])

    @cached_property
    def left_out(self) -> npt.NDArray[np.bool_]:
        """Whether a cell did not run, as a race left its grid point out, shape (subsets, points)."""
        return np.asarray(self.read_array("left_out"), dtype=bool)

    @property
    def answered(self) -> npt.NDArray[np.bool_]:
        """Whether there are labels in a cell, shape (subsets, points)."""
        return ~(self.failed | self.left_out)

    @cached_property
    def labels(self) -> npt.NDArray[Any]:
        """Consensus labels, shape (subsets, points, restarts, n)."""
        return self.read_array("labels")

    @cached_property
    def chosen(self) -> npt.NDArray[Any]:
        """Restart with the best objective, shape (subsets, points)."""
        return self.read_array("chosen")

    def check_labels(self, n_objects: int, ensemble_path: Path) -> None:
        """Refuse labels of other objects, and cells without labels that neither failed nor were left out."""
        n_labelled = self.labels.shape[-1]
        if n_labelled != n_objects:
            facts = f"labels of {count(n_labelled, 'object')}, but {ensemble_path} has {n_objects} classes"
            raise InputError(f"{self.path}: {facts}; {RERUN}")
        unlabelled = np.asarray((self.labels < 0).any(axis=(2, 3)))
        contradictions = np.argwhere(unlabelled == self.answered)
        if len(contradictions):
            row, point = contradictions[0]
            facts = "labels hold labels but failures record a failure there"
            if unlabelled[row, point]:
                facts = "labels hold -1 but failures record no failure there"
            raise InputError(f"{self.path}: subset {self.subsets[row]}, grid point {point}: {facts}; {RERUN}")

    def _read_remarks(self, key: str, text: str) -> list[Remark]:
        try:
            records = json.loads(str(self.read_array(key)[()]))
            return [Remark(record["subset"], record["point"], record[text]) for record in records]
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(f"{self.path}: {key}: not a list of records ({error}); {RERUN}") from None

    def read_array(self, key: str) -> npt.NDArray[Any]:
        """Return an array of the file."""
        return read_arrays(self.path, key)[key]


def score_block(y: npt.NDArray[Any], block: Block, metrics: Sequence[str]) -> FloatArray:
    """Return the scores of a block, NaN where there are no labels, shape (subsets, points, restarts, metrics)."""
    n_restarts, n_objects = block.labels.shape[2:]
    answered = block.answered
    labels = block.labels[answered].reshape(-1, n_objects)  # all starts of all fits at once: a row each
    scores = score_many(y, labels, metrics).reshape(-1, n_restarts, len(metrics))
    values = np.full((*answered.shape, len(RESTARTS), len(metrics)), np.nan)
    values[answered, 0] = scores.mean(axis=1)
    values[answered, 1] = scores[np.arange(len(scores)), block.chosen[answered]]
    return values


def check_cover(n_subsets: int, case_id: str, blocks: list[Block]) -> None:
    """Refuse blocks that do not hold every subset of the study exactly once."""
    # blocks of two sizes may lie in a folder after a change of subsets_per_job
    holder: dict[int, Path] = {}
    for block in blocks:
        for subset in block.subsets:
            if subset in holder:
                remedy = "give the blocks of one block size only, delete the others"
                raise InputError(f"{block.path}: subset {subset} is also in {holder[subset]}; {remedy}")
            if not 0 <= subset < n_subsets:
                raise InputError(f"{block.path}: subset {subset}, but the study has 0..{n_subsets - 1}; {RERUN}")
            holder[subset] = block.path
    missing = sorted(set(range(n_subsets)) - set(holder))
    if missing:
        files = ", ".join(str(block.path) for block in blocks)
        raise InputError(f"{case_id}: no block holds subset {missing[0]} (of {n_subsets}): {files}; run the others")
