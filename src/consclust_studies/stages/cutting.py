"""Labels and seconds of some subsets, cut out of blocks of other sizes: the size of a block changes no result."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
    rows = _rows([block["subsets"].tolist() for block in blocks], subsets)
    labels = [blocks[block]["labels"][row] for block, row in rows]
    restarts = max(1, *(int((row[:, :, 0] >= 0).sum(axis=1).max()) for row in labels))
    joined = np.full((len(rows), len(labels[0]), restarts, labels[0].shape[2]), -1, dtype=labels[0].dtype)
    for place, row in enumerate(labels):
        here = min(restarts, row.shape[1])
        joined[place, :, :here] = row[:, :here]
    cut = {key: np.stack([blocks[block][key][row] for block, row in rows]) for key in OF_SUBSETS}
    remarks = {key: _remarks([block[key] for block in blocks], subsets) for key in ("failures", "notes")}
    return {**blocks[0], **cut, **remarks, "labels": joined, "subsets": np.array(subsets, dtype=np.int64)}


def cut_record(records: Sequence[Mapping[str, Any]], subsets: Sequence[int]) -> dict[str, Any]:
    """Return the seconds and the memory of ``subsets``, which ``records`` hold; the memory is the largest of theirs."""
    rows = _rows([record["subsets"] for record in records], subsets)
    cut = {key: [records[record][key][row] for record, row in rows] for key in SECONDS}
    return {**records[0], "subsets": list(subsets), **cut, "peak_rss_mib": max(r["peak_rss_mib"] for r in records)}


def _rows(held: Sequence[Sequence[int]], subsets: Iterable[int]) -> list[tuple[int, int]]:
    """Return for each subset the number of a block that holds it, and its row there."""
    places = {subset: (block, row) for block, those in enumerate(held) for row, subset in enumerate(those)}
    return [places[subset] for subset in subsets]


def _remarks(lists: Sequence[npt.NDArray[Any]], subsets: Sequence[int]) -> str:
    return json.dumps([remark for text in lists for remark in json.loads(str(text[()])) if remark["subset"] in subsets])
