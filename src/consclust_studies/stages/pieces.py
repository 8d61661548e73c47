"""Profiles of the pieces of a label matrix, their union, its consensus, and the labels of the objects of each piece."""

# pyarrow is imported where needed, so that what does without it starts faster

import csv
import io
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.ensemble import Ensemble, IntArray, check_columns
from consclust.errors import ConsensusFailure, InputError, MemoryNeeded
from consclust.files import read_arrays, write_arrays, write_text, written_whole
from consclust.plurals import count
from consclust.readers.label_matrix import read_label_blocks
from consclust.readers.layout import Layout, Remedies
from consclust.seeds import generator
from consclust_studies.code import Code, full_name
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec, check_made_for


class ProfilesJob(Spec):
    """What the profiles of a piece depend on beside its file."""

    kind: ClassVar = "profiles"

    def code_behind(self) -> Code:
        """Return what the job calls."""
        return Code(("consclust_studies.stages.pieces.find_profiles",))


class MergeJob(Spec):
    """What the profiles of the whole matrix depend on."""

    kind: ClassVar = "merge"

    pieces: tuple[str, ...] = Field(description="their names, in the order of the inputs")
    profiles: str = Field(description="digest of the spec of their profiles")

    def code_behind(self) -> Code:
        """Return what the job calls."""
        return Code(("consclust_studies.stages.pieces.merge_profiles",))


class LabelsJob(Spec):
    """What the consensus of a label matrix depends on."""

    kind: ClassVar = "consensus_of_labels"

    matrix: str = Field(description="its name, which with the method names the random stream")
    merged: str = Field(description="digest of the spec of the merged profiles")
    method: str
    n_clusters: int
    seed: int

    def code_behind(self) -> Code:
        """Return the method, and what fits it."""
        cls = methods.load(self.method)
        name = full_name(cls)
        return Code(("consclust_studies.stages.pieces.find_consensus", name), {name: {}})


class SizesJob(Spec):
    """What the sizes of the clusters of a label matrix depend on."""

    kind: ClassVar = "sizes_of_clusters"

    labels: str = Field(description="digest of the spec of the consensus")

    def code_behind(self) -> Code:
        """Return what the job calls."""
        return Code(("consclust_studies.stages.pieces.count_sizes",))


def find_profiles(job: ProfilesJob, files: Files) -> str:
    """Write the distinct rows of a Parquet file, (n', m), and which of them each object has, (n,)."""
    piece = files.input("piece")
    names: list[str] = []

    def read_blocks() -> Iterator[IntArray]:
        for columns, labels in read_label_blocks(piece, Layout(), Remedies()):
            names[:] = columns
            yield labels

    try:
        ensemble = Ensemble.from_blocks(read_blocks())
    except ValueError as error:
        raise InputError(f"{piece}: {error}") from None
    arrays = {"profiles": ensemble.given_profiles, "membership": ensemble.membership}
    write_arrays(files.output("profiles"), **arrays, columns=names, **marks_of(job.json_text, files.stamp))
    return f"{count(ensemble.n_objects, 'object', ',')}, {count(ensemble.n_profiles, 'profile', ',')}"


def merge_profiles(job: MergeJob, files: Files) -> str:
    """Write the distinct rows of all pieces, how many objects have each, and where the rows of each piece are.

    InputError if the columns of a piece are not named as those of the first, in the same order.
    """
    pieces = files.several("profiles")
    rows = []
    weights = []
    first: list[str] = []
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
    places = {
        f"place_{name}": whole.membership[start : start + len(own)]
        for name, start, own in zip(job.pieces, starts, rows, strict=True)
    }
    marks = marks_of(job.json_text, files.stamp)
    write_arrays(files.output("merged"), profiles=whole.given_profiles, weights=total, **marks, **places)
    sizes = f"{count(int(total.sum()), 'object', ',')}, {count(whole.n_profiles, 'profile', ',')}"
    return f"{count(len(pieces), 'piece')}: {sizes}"


def find_consensus(job: LabelsJob, files: Files) -> str:
    """Write the consensus label of each profile; InputError if the method has no answer, or more than one for some."""
    merged = files.input("merged")
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
    write_arrays(files.output("consensus"), labels=labels, **marks_of(job.json_text, files.stamp))
    return "; ".join(filter(None, (count(int(labels.max()) + 1, "cluster"), fitted.note_)))


def label_piece(job: LabelsJob, files: Files) -> str:
    """Write the consensus labels of the objects of a piece as Parquet, in their order: one column, ``label``."""
    from pyarrow import table
    from pyarrow.parquet import write_table

    consensus = files.input("consensus")
    merged = files.input("merged")
    piece = files.input("profiles")
    found = read_arrays(consensus, "labels", "spec")
    places = read_arrays(merged, f"place_{piece.stem}", "spec")
    check_made_for(consensus, str(found["spec"]), job.digest)
    check_made_for(merged, str(places["spec"]), job.merged)
    own = read_arrays(piece, "membership")["membership"]
    with written_whole(files.output("labels")) as temporary:
        write_table(table({"label": found["labels"][places[f"place_{piece.stem}"]][own]}), temporary)
    return count(len(own), "object", ",")


def count_sizes(job: SizesJob, files: Files) -> str:
    """Write the number of objects in each cluster, over all pieces, as CSV."""
    from pyarrow.parquet import read_table

    every = [np.bincount(read_table(path)["label"].to_numpy()) for path in files.several("labels")]
    total = np.zeros(max(map(len, every)), dtype=np.int64)
    for counts in every:
        total[: len(counts)] += counts
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("cluster", "objects"), *enumerate(total.tolist())])
    write_text(files.output("sizes"), text.getvalue())
    return count(len(total), "cluster")
