"""The tidy table of scores of one case: every subset, grid point and metric of every method."""

import json
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from concord.config.study import Study
from concord.config.values import Value
from concord.ensembles import store
from concord.errors import InputError
from concord.files import RERUN, written_whole
from concord.scores.blocks import Block, check_cover, check_methods
from concord.scores.metrics import FloatArray, score_all, score_many

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger("concord")

COLUMNS = ("study", "case", "subset", "method", "parameters", "restart", "metric", "value")
RESTARTS = ("mean", "chosen")
TYPES = {
    **dict.fromkeys(("subset", "split", "repetition"), "int64"),
    **dict.fromkeys(("value", "training"), "float64"),
}


def score_case(
    study: Study, case_id: str, ensemble_path: Path, consensus_paths: Mapping[str, list[Path]], out: Path
) -> None:
    """Score all methods of a study on one case and write the tidy table as Parquet.

    Parameters
    ----------
    study : Study
        The study, resolved and restricted.
    case_id : str
        A case of the study.
    ensemble_path : Path
        ``.npz`` with the base clusterings ``labels`` (n, runs) and ``classes`` (n,).
    consensus_paths : mapping of method id to list of Path
        The blocks of subsets of each method of the study.
    out : Path
        The Parquet file: columns study, case, subset, method, parameters, restart, metric, value. ``restart``
        is "mean" (over random starts) or "chosen" (the start with the best objective). ``value`` is NaN where
        the method failed. The row of the base clusterings has the mean over the runs of the subset, under
        either word, since a subset has no chosen run.

    Raises
    ------
    InputError
        If the blocks do not hold each subset once, or a file does not belong to the study or the ensemble.
    """
    if case_id not in [case.id for case in study.cases]:
        raise InputError(f"{case_id}: no case of the study {study.id}; choose from {_names(study)}")
    check_methods(study, case_id, consensus_paths)
    ensemble = store.load(ensemble_path)
    y = ensemble.classes
    _check_ensemble(study, case_id, ensemble_path, ensemble)

    base = _of_base_clusterings(ensemble, study.metrics)
    rows = _rows(study, case_id, study.base_clusterings, [{}], base)
    for run in study.runs(study.case(case_id)):
        blocks = [Block(path, run) for path in consensus_paths[run.id]]
        check_cover(study.ensemble.n_subsets, case_id, blocks)
        log.info("%s: %s: scoring %s", study.id, case_id, run.id)
        values = np.full((study.ensemble.n_subsets, len(run.points), *base.shape[2:]), np.nan)
        for block in blocks:
            block.check_labels(y.size, ensemble_path)
            values[block.subsets] = _of_block(y, block, study.metrics)
        rows += _rows(study, case_id, run.id, run.points, values)
    write_parquet(dict(zip(COLUMNS, zip(*rows, strict=True), strict=True)), out)


def compact(point: Mapping[str, Value]) -> str:
    """Write a grid point as compact JSON with sorted keys, the ``parameters`` of the tables."""
    return json.dumps(dict(point), sort_keys=True, separators=(",", ":"))


def write_parquet(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write a Parquet file whose bytes depend on nothing but the values.

    Parameters
    ----------
    columns : mapping of name to values
        Of the types in :data:`TYPES`; any other column is of strings.
    path : Path
        The file; it appears whole or not at all.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [_array(values, TYPES.get(name, "string")) for name, values in columns.items()]
    table = pa.Table.from_arrays(arrays, names=list(columns))
    with written_whole(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", row_group_size=1_000_000)


def _array(values: Sequence[Any], type_: str) -> "pa.Array":
    """Make an Arrow array from its buffers, because ``pa.array`` imports pandas (0.4 CPU seconds a job)."""
    import pyarrow as pa

    if type_ != "string":
        numbers = np.asarray(values, dtype=type_)
        return pa.Array.from_buffers(getattr(pa, type_)(), len(numbers), [None, pa.py_buffer(numbers)])
    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def _names(study: Study) -> str:
    return ", ".join(case.id for case in study.cases)


def _check_ensemble(study: Study, case_id: str, path: Path, stored: store.StoredEnsemble) -> None:
    protocol = study.ensemble
    n = stored.classes.size
    if stored.labels.shape != (n, protocol.runs):
        raise InputError(
            f"{path}: labels of shape {stored.labels.shape}, but {n} classes and {protocol.runs} runs "
            f"in the study ask for {(n, protocol.runs)}; {RERUN}"
        )
    wanted = (protocol.n_subsets, study.subset_size(study.case(case_id)))
    if stored.members.shape != wanted:
        raise InputError(
            f"{path}: members of shape {stored.members.shape}, but the study asks for {wanted[0]} subsets of "
            f"{wanted[1]} runs; {RERUN}"
        )


def _of_base_clusterings(stored: store.StoredEnsemble, metrics: Sequence[str]) -> FloatArray:
    """Mean over the runs of each subset, shape (subsets, 1, restarts, metrics)."""
    y, labels = stored.classes, stored.labels
    if labels.min() >= 0:
        scores = score_many(y, labels.T, metrics)
    else:  # a clustering of some of the objects is scored on these
        scores = np.array([_of_present(y, run, metrics) for run in labels.T])
    means = scores[stored.members].mean(axis=1)
    return np.stack([means, means], axis=1)[:, None]


def _of_present(y: npt.NDArray[Any], labels: npt.NDArray[Any], metrics: Sequence[str]) -> list[float]:
    present = labels >= 0
    return list(score_all(y[present], labels[present], metrics).values())


def _of_block(y: npt.NDArray[Any], block: Block, metrics: Sequence[str]) -> FloatArray:
    """Scores of a block, NaN where the method failed, shape (subsets, points, restarts, metrics)."""
    restarts, n = block.labels.shape[2:]
    answered = ~block.failed
    scores = score_many(y, block.labels[answered].reshape(-1, n), metrics).reshape(-1, restarts, len(metrics))
    values = np.full((*answered.shape, len(RESTARTS), len(metrics)), np.nan)
    values[answered, 0] = scores.mean(axis=1)
    values[answered, 1] = scores[np.arange(len(scores)), block.chosen[answered]]
    return values


def _rows(
    study: Study, case_id: str, method: str, points: Sequence[Mapping[str, Value]], values: FloatArray
) -> list[tuple[str, str, int, str, str, str, str, float]]:
    """Return the table's rows for values of shape (subsets, points, restarts, metrics)."""
    parameters = [compact(point) for point in points]
    return [
        (
            study.id,
            case_id,
            subset,
            method,
            parameters[point],
            RESTARTS[restart],
            study.metrics[metric],
            value,
        )
        for (subset, point, restart, metric), value in zip(
            np.ndindex(values.shape), values.ravel().tolist(), strict=True
        )
    ]
