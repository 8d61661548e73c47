"""Labels and seconds of some subsets, cut out of blocks of other sizes: the size of a block changes no result."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[Any]]

OF_SUBSETS = ("chosen", "left_out", "iterations", "converged")
"""Arrays of a block with one row for each subset, of equal shape in all blocks."""
SECONDS = ("n_profiles", "cpu_seconds", "wall_seconds")
"""Lists of a record with one entry for each subset."""


def cut_labels(blocks: Sequence[Arrays], subsets: Sequence[int]) -> dict[str, Any]:
    """Return the arrays of :func:`consclust_studies.stages.consensus.run` for ``subsets``, which ``blocks`` hold.

    KeyError if a subset is in none of them.
    """
    places = _find_places([block["subsets"].tolist() for block in blocks], subsets)
    # a copy of the first block, so that the arrays keep their order in the file
    cut: dict[str, Any] = dict(blocks[0])
    for key in OF_SUBSETS:
        cut[key] = np.stack([blocks[place.block][key][place.row] for place in places])
    for key in ("failures", "notes"):
        cut[key] = _join_remarks([block[key] for block in blocks], subsets)
    cut["labels"] = _join_labels([blocks[place.block]["labels"][place.row] for place in places])
    cut["subsets"] = np.array(subsets, dtype=np.int64)
    return cut


def _join_labels(labels: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Stack labels of shape (points, restarts, n); a block has as many restarts as the largest number in it."""
    n_points, _, n_objects = labels[0].shape
    # a restart that is not there has the label -1 for every object
    restarts = max(1, *(int((row[:, :, 0] >= 0).sum(axis=1).max()) for row in labels))
    joined = np.full((len(labels), n_points, restarts, n_objects), -1, dtype=labels[0].dtype)
    for number, row in enumerate(labels):
        here = min(restarts, row.shape[1])
        joined[number, :, :here] = row[:, :here]
    return joined


def cut_record(records: Sequence[Mapping[str, Any]], subsets: Sequence[int]) -> dict[str, Any]:
    """Return the seconds and the memory of ``subsets``, which ``records`` hold; the memory is the largest of theirs."""
    places = _find_places([record["subsets"] for record in records], subsets)
    cut = dict(records[0])
    cut["subsets"] = list(subsets)
    for key in SECONDS:
        cut[key] = [records[place.block][key][place.row] for place in places]
    # it is not known which subset took it
    cut["peak_rss_mib"] = max(record["peak_rss_mib"] for record in records)
    return cut


class Place(NamedTuple):
    """Where a subset is held: the number of a block, or of a record, and the row in it."""

    block: int
    row: int


def _find_places(held: Sequence[Sequence[int]], subsets: Iterable[int]) -> list[Place]:
    """Return the place of each of the subsets, of which ``held`` has those of every block."""
    places = {}
    for block, those in enumerate(held):
        for row, subset in enumerate(those):
            places[subset] = Place(block, row)
    return [places[subset] for subset in subsets]


def _join_remarks(texts: Sequence[npt.NDArray[Any]], subsets: Sequence[int]) -> str:
    remarks = [remark for text in texts for remark in json.loads(str(text[()]))]
    return json.dumps([remark for remark in remarks if remark["subset"] in subsets])
