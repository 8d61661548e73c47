"""What the consensus stage hands over: labels in blocks of subsets, checked before they are scored."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from concord.config.protocol import MethodRun
from concord.config.study import Study
from concord.errors import InputError
from concord.files import RERUN, read_arrays


@dataclass(frozen=True)
class Failure:
    """A cell (subset x grid point) in which the method could not give an answer."""

    subset: int
    point: int
    reason: str


@dataclass(frozen=True)
class Note:
    """What a report must say about the answer of a cell (subset x grid point)."""

    subset: int
    point: int
    note: str


class Block:
    """One block of subsets of a method's consensus labels; arrays are read when they are asked for.

    Parameters
    ----------
    path : Path
        ``.../consensus/<case>/<method>/<first>-<last>.npz``.
    run : MethodRun
        The method as the study has it; its grid must be the block's.

    Raises
    ------
    InputError
        If the file is missing, damaged, or does not belong to the study.
    """

    def __init__(self, path: Path, run: MethodRun) -> None:
        self.path = path
        points = json.loads(str(self._array("points")[()]))
        if points != json.loads(json.dumps(run.points)):
            raise InputError(
                f"{path}: points: {len(points)} grid points that differ from the {len(run.points)} "
                f"of {run.id} in the study; {RERUN}"
            )

    @cached_property
    def subsets(self) -> list[int]:
        """Numbers of the subsets in the block."""
        return [int(subset) for subset in self._array("subsets")]

    @cached_property
    def failures(self) -> list[Failure]:
        """Cells without an answer."""
        return [Failure(**record) for record in json.loads(str(self._array("failures")[()]))]

    @cached_property
    def notes(self) -> list[Note]:
        """What the method remarks about its answers."""
        return [Note(**record) for record in json.loads(str(self._array("notes")[()]))]

    @cached_property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Whether a cell failed, shape (subsets, points)."""
        cells = {(failure.subset, failure.point) for failure in self.failures}
        points = range(self.chosen.shape[1])
        return np.array([[(subset, point) in cells for point in points] for subset in self.subsets])

    @cached_property
    def labels(self) -> npt.NDArray[Any]:
        """Consensus labels, shape (subsets, points, restarts, n)."""
        return self._array("labels")

    @cached_property
    def chosen(self) -> npt.NDArray[Any]:
        """Restart with the best objective, shape (subsets, points)."""
        return self._array("chosen")

    def check_labels(self, n_objects: int, ensemble_path: Path) -> None:
        """Refuse labels of other objects, and cells without labels that are no recorded failure."""
        n = self.labels.shape[-1]
        if n != n_objects:
            raise InputError(
                f"{self.path}: labels of {n} objects, but {ensemble_path} has {n_objects} classes; {RERUN}"
            )
        unlabelled = np.asarray((self.labels < 0).any(axis=(2, 3)))
        for subset, point in np.argwhere(unlabelled != self.failed)[:1]:
            has, lacks = ("-1", "no failure") if unlabelled[subset, point] else ("labels", "a failure")
            raise InputError(
                f"{self.path}: subset {self.subsets[subset]}, grid point {point}: labels hold {has} "
                f"but failures record {lacks} there; {RERUN}"
            )

    def _array(self, key: str) -> npt.NDArray[Any]:
        return read_arrays(self.path, key)[key]


def by_method(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Group block files by the method, the name of the folder that they lie in."""
    groups: dict[str, list[Path]] = {}
    for path in paths:
        groups.setdefault(path.parent.name, []).append(path)
    return groups


def check_methods(study: Study, case_id: str, consensus_paths: Mapping[str, list[Path]]) -> None:
    """Refuse blocks of a method that the study does not have, and a method without blocks."""
    methods = [run.id for run in study.runs(study.case(case_id))]
    for method, paths in consensus_paths.items():
        if method not in methods:
            raise InputError(
                f"{paths[0] if paths else case_id}: {method} is no method of the study {study.id} on "
                f"{case_id}, which has {', '.join(methods)}; leave the file out"
            )
    if missing := [method for method in methods if not consensus_paths.get(method)]:
        raise InputError(
            f"{study.id}: case {case_id}: no consensus labels of {missing[0]}; run its consensus jobs first"
        )


def check_cover(n_subsets: int, case_id: str, blocks: list[Block]) -> None:
    """Refuse blocks that do not hold every subset of the study exactly once."""
    holder: dict[int, Path] = {}
    for block in blocks:
        for subset in block.subsets:
            if subset in holder:
                raise InputError(
                    f"{block.path}: subset {subset} is also in {holder[subset]}; "
                    "give the blocks of one block size only, delete the others"
                )
            if not 0 <= subset < n_subsets:
                raise InputError(
                    f"{block.path}: subset {subset}, but the study has 0..{n_subsets - 1}; {RERUN}"
                )
            holder[subset] = block.path
    if missing := sorted(set(range(n_subsets)) - set(holder)):
        files = ", ".join(str(block.path) for block in blocks)
        raise InputError(
            f"{case_id}: no block holds subset {missing[0]} (of {n_subsets}): {files}; run the others"
        )
