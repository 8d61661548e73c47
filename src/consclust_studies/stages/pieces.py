"""Profiles of the pieces of a label matrix, their union, its consensus, and the labels of the objects of each piece."""

import csv
import io
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from consclust import methods
from consclust.ensemble import Ensemble, check_columns, clustering_columns
from consclust.errors import ConsensusFailure, InputError, MemoryNeeded
from consclust.files import read_arrays, write_arrays, write_text, written_whole
from consclust.seeds import generator
from consclust_studies.specs import check_made_for
from consclust_studies.stages.labels_job import LabelsJob, MergeJob, ProfilesJob

log = logging.getLogger("consclust")


def profiles(job: ProfilesJob, piece: Path, out: Path) -> None:
    """Write the distinct rows of a Parquet file, (n', m), and which of them each object has, (n,)."""
    from pyarrow import ArrowInvalid
    from pyarrow.parquet import read_schema

    try:
        names = clustering_columns(read_schema(piece))
        ensemble = Ensemble.from_parquet(piece, names)
    except (OSError, ValueError, ArrowInvalid) as error:
        raise InputError(f"{piece}: {error}") from None
    log.info("%s: %d objects, %d profiles", piece, ensemble.n_objects, ensemble.n_profiles)
    arrays = {"profiles": ensemble.given_profiles, "membership": ensemble.membership}
    write_arrays(out, **arrays, columns=names, spec=job.json_text)


def merge(job: MergeJob, pieces: Sequence[Path], out: Path) -> None:
    """Write the distinct rows of all pieces, how many objects have each, and where the rows of each piece are.

    InputError if the columns of a piece are not named as those of the first, in the same order.
    """
    rows, weights, first = [], [], list[str]()
    for name, path in zip(job.pieces, pieces, strict=True):
        piece = read_arrays(path, "profiles", "membership", "columns", "spec")
        check_made_for(path, str(piece["spec"]), job.profiles)
        columns = piece["columns"].tolist()
        first = first or columns
        try:
            check_columns(columns, first, f"{job.pieces[0]}.parquet")
        except ValueError as error:
            raise InputError(f"data/labels/{path.parent.parent.name}/{name}.parquet: {error}") from None
        rows.append(piece["profiles"])
        weights.append(np.bincount(piece["membership"], minlength=len(rows[-1])))
    try:
        whole = Ensemble.from_blocks(rows)
    except ValueError as error:
        raise InputError(f"{pieces[0].parent}: {error}") from None
    total = np.bincount(whole.membership, np.concatenate(weights)).astype(np.int64)
    starts = np.cumsum([0, *map(len, rows[:-1])])
    log.info("%d pieces: %d objects, %d profiles", len(pieces), total.sum(), whole.n_profiles)
    places = {
        f"place_{name}": whole.membership[start : start + len(own)]
        for name, start, own in zip(job.pieces, starts, rows, strict=True)
    }
    write_arrays(out, profiles=whole.given_profiles, weights=total, spec=job.json_text, **places)


def consensus(job: LabelsJob, merged: Path, out: Path) -> None:
    """Write the consensus label of each profile; InputError if the method has no answer, or more than one for some."""
    stored = read_arrays(merged, "profiles", "weights", "spec")
    check_made_for(merged, str(stored["spec"]), job.merged)
    ensemble = Ensemble.from_profiles(stored["profiles"], stored["weights"])
    stream = generator(job.seed, "labels", job.matrix, job.method)
    try:
        fitted = methods.make(job.method, job.n_clusters, {}, stream).fit(ensemble)
    except (ConsensusFailure, MemoryNeeded) as failure:
        raise InputError(f"{job.method} on {job.matrix}: {failure}") from None
    weights = stored["weights"]
    labels = fitted.labels_[np.cumsum(weights) - weights]
    if not np.array_equal(np.repeat(labels, weights), fitted.labels_):
        apart = f"{job.method} gives objects with the same base labels different labels"
        raise InputError(f"{job.matrix}: {apart}; choose a method that works on profiles")
    log.info("%s on %s: %s", job.method, job.matrix, fitted.note_ or f"{labels.max() + 1} clusters")
    write_arrays(out, labels=labels, spec=job.json_text)


def label(job: LabelsJob, consensus: Path, merged: Path, piece: Path, out: Path) -> None:
    """Write the consensus labels of the objects of a piece as Parquet, in their order: one column, ``label``."""
    from pyarrow import table
    from pyarrow.parquet import write_table

    found, places = read_arrays(consensus, "labels", "spec"), read_arrays(merged, f"place_{piece.stem}", "spec")
    check_made_for(consensus, str(found["spec"]), job.digest)
    check_made_for(merged, str(places["spec"]), job.merged)
    own = read_arrays(piece, "membership")["membership"]
    with written_whole(out) as temporary:
        write_table(table({"label": found["labels"][places[f"place_{piece.stem}"]][own]}), temporary)


def sizes(pieces: Sequence[Path], out: Path) -> None:
    """Write the number of objects in each cluster, over all pieces, as CSV."""
    from pyarrow.parquet import read_table

    every = [np.bincount(read_table(path)["label"].to_numpy()) for path in pieces]
    total = np.zeros(max(map(len, every)), dtype=np.int64)
    for counts in every:
        total[: len(counts)] += counts
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("cluster", "objects"), *enumerate(total.tolist())])
    write_text(out, text.getvalue())
