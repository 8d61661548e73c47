"""Methods that read a label matrix in passes: counts of each piece, their sum, the consensus, labels of each piece."""

# pyarrow is imported where needed, so that what does without it starts faster

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.ensemble import IntArray, Unseen, check_columns, clustering_columns
from consclust.errors import ConsensusFailure, InputError
from consclust.files import read_arrays, write_arrays, written_whole
from consclust.methods.streamed.fits import learn_summary
from consclust.methods.streamed.rules import label_codes, read_rule
from consclust.numerics.gram import Indicator, Sample, Summary, check_labelled, join_summaries, read_codes, summarise
from consclust.plurals import count
from consclust.readers.delimited import ID_NAMES
from consclust.stream import StreamedEnsemble
from consclust_studies.code import Code, full_name
from consclust_studies.contents import marks_of
from consclust_studies.job_files import Files
from consclust_studies.specs import Spec, check_made_for

MISSING_LABELS: Unseen = "expected"
"""What a missing label counts as."""


class SummaryJob(Spec):
    """What the counts of a piece depend on beside its file."""

    kind: ClassVar = "summary"

    before: tuple[str, ...] = Field(description="names of the pieces before, whose objects are numbered first")

    def code_behind(self) -> Code:
        """Return what the job calls."""
        return Code(("consclust_studies.stages.streamed_pieces.summarise_piece",))


class StreamLabelsJob(Spec):
    """What the consensus of a label matrix depends on, by a method that reads it in passes."""

    kind: ClassVar = "consensus_of_stream"

    matrix: str = Field(description="its name")
    pieces: tuple[str, ...] = Field(description="their names, in the order of the objects")
    summaries: tuple[str, ...] = Field(description="digests of the specs of their counts")
    method: str
    n_clusters: int
    seed: int

    def code_behind(self) -> Code:
        """Return the method, and what learns it from the counts and labels the objects."""
        name = full_name(methods.load(self.method))
        stage = "consclust_studies.stages.streamed_pieces"
        return Code((f"{stage}.find_stream_consensus", f"{stage}.label_stream_piece", name), {name: {}})


def summarise_piece(job: SummaryJob, files: Files) -> str:
    """Write the clusters of a piece, how many objects have each and every two, and some of its objects."""
    from pyarrow.parquet import ParquetFile

    piece = files.input("piece")
    first = 0
    for path in files.several("before"):
        with ParquetFile(path) as before:
            first += before.metadata.num_rows
    try:
        columns = list_clusterings(piece)
        summary = summarise(StreamedEnsemble.from_parquet(piece, columns), first, with_overlaps=True)
    except (ValueError, OSError) as error:
        raise InputError(f"{piece}: {' '.join(str(error).split())}") from None
    arrays = arrays_of(summary)
    write_arrays(files.output("summary"), **arrays, columns=columns, **marks_of(job.json_text, files.stamp))
    return f"{count(summary.n_objects, 'object', ',')}, {count(len(summary.sizes), 'cluster', ',')}"


def list_clusterings(piece: Path) -> list[str]:
    """Return the columns of labels of a Parquet file: all but the index of a frame and a first column of ids."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(piece) as file:
        names = clustering_columns(file.schema_arrow)
    return names[1:] if names[0].lower() in ID_NAMES else names


def arrays_of(summary: Summary) -> dict[str, Any]:
    """Return what :func:`read_summary` takes."""
    return {
        "n_objects": summary.n_objects,
        "n_missing": summary.n_missing,
        "n_clusters": summary.n_clusters,
        "names": np.concatenate(summary.cluster_names),
        "sizes": summary.sizes,
        "places": summary.sample.places,
        "codes": summary.sample.codes,
        "overlaps": summary.overlaps,
    }


def read_summary(arrays: dict[str, Any]) -> Summary:
    """Return the summary of :func:`arrays_of`."""
    return Summary(
        n_objects=int(arrays["n_objects"]),
        cluster_names=split_names(arrays),
        sizes=arrays["sizes"],
        n_missing=int(arrays["n_missing"]),
        sample=Sample(arrays["places"], arrays["codes"]),
        overlaps=arrays["overlaps"],
    )


def split_names(arrays: dict[str, Any]) -> list[IntArray]:
    """Return the label of each cluster of each clustering."""
    return np.split(arrays["names"], np.cumsum(arrays["n_clusters"])[:-1])


def find_stream_consensus(job: StreamLabelsJob, files: Files) -> str:
    """Write the rule that labels objects, and the numbers of its labels; InputError if the method has no answer."""
    parts = []
    columns: list[str] = []
    for name, digest, path in zip(job.pieces, job.summaries, files.several("summaries"), strict=True):
        arrays = read_arrays(path)
        check_made_for(path, str(arrays["spec"]), digest)
        columns = columns or arrays["columns"].tolist()
        try:
            check_columns(arrays["columns"].tolist(), columns, f"{job.pieces[0]}.parquet")
        except ValueError as error:
            raise InputError(f"data/labels/{job.matrix}/{name}.parquet: {error}") from None
        parts.append(read_summary(arrays))
    summary = join_summaries(parts)
    stream = StreamedEnsemble.from_parquet(files.several("pieces"), columns, MISSING_LABELS)
    # the seed itself, as of the command, so that both give the same labels
    method = methods.make(job.method, job.n_clusters, {}, job.seed)
    try:
        check_labelled(summary)
        fit = learn_summary(method, summary, stream)
    except (ConsensusFailure, ValueError) as failure:
        raise InputError(f"{job.method} on {job.matrix}: {failure}") from None
    numbers = fit.number_labels()
    rule = {f"rule_{name}": value for name, value in fit.rule.to_arrays().items()}
    of_summary = arrays_of(summary)
    known = {name: of_summary[name] for name in ("n_missing", "n_clusters", "names")}
    if fit.indicator.counts_expected:
        known["overlaps"] = of_summary["overlaps"]
    marks = marks_of(job.json_text, files.stamp)
    write_arrays(files.output("consensus"), **rule, **known, numbers=numbers, columns=columns, **marks)
    return f"{count(summary.n_objects, 'object', ',')}; {fit.note}"


def label_stream_piece(job: StreamLabelsJob, files: Files) -> str:
    """Write the consensus labels of the objects of a piece as Parquet, in their order: one column, ``label``."""
    from pyarrow import table
    from pyarrow.parquet import write_table

    consensus = files.input("consensus")
    arrays = read_arrays(consensus)
    check_made_for(consensus, str(arrays["spec"]), job.digest)
    rule = read_rule({name.removeprefix("rule_"): value for name, value in arrays.items() if name.startswith("rule_")})
    names = split_names(arrays)
    empty = Sample(np.zeros(0, dtype=np.int64), np.zeros((len(names), 0), dtype=np.int8))
    known = Summary(0, names, np.zeros(0, dtype=np.int64), int(arrays["n_missing"]), empty, arrays.get("overlaps"))
    indicator = Indicator(known, MISSING_LABELS)
    stream = StreamedEnsemble.from_parquet(files.input("piece"), arrays["columns"].tolist(), MISSING_LABELS)
    blocks = read_codes(stream.use_clusters(names))
    labels = np.concatenate([arrays["numbers"][label_codes(rule, indicator, codes)] for codes in blocks])
    with written_whole(files.output("labels")) as temporary:
        write_table(table({"label": labels}), temporary)
    return count(len(labels), "object", ",")
