"""``consclust consensus`` and ``compare`` on files of very many objects, which are read in passes, never kept whole."""

# NumPy and pyarrow are imported where needed, so that what does without them starts faster

import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from consclust.cli import options, progress
from consclust.cli.options import Source
from consclust.errors import InputError

if TYPE_CHECKING:
    from consclust.diagnostics import ConsensusValues, Measured
    from consclust.ensemble import IntArray
    from consclust.errors import ConsensusFailure
    from consclust.label_files import Labels, Rows
    from consclust.methods.base import ConsensusMethod
    from consclust.numerics.gram import Summary
    from consclust.stream import StreamedEnsemble

DEFAULT = "HBGF"
"""The method unless one is given."""
COMPARED = ("HBGF", "LWGP", "MCLA", "SpectralConsensus", "Voting")
"""Methods that are compared unless some are given: those of two or three passes."""
IN_MEMORY_ONLY = ("features", "transposed", "indicator", "long", "truth", "missing", "variable", "header", "decimal")
"""Options of which the file is read whole."""


class Table(NamedTuple):
    """A file of labels, as far as its head says."""

    n_objects: int
    clusterings: list[str]
    """Columns of labels; empty for a ``.npy`` file, of which all are."""
    ids: str | None
    """Column of the ids of the objects."""


def find_stream(source: Source, methods: Iterable[str]) -> Table | None:
    """Return what a file holds if it is read in passes; None if it is read whole.

    It is read in passes if it has many objects, its format allows it, and all of the methods have a route.
    """
    suffix = source.path.suffix.lower()
    if suffix not in (".npy", ".parquet") or any(map(options.is_given, IN_MEMORY_ONLY)):
        return None
    from consclust.methods.streamed.learners import LEARNERS
    from consclust.stream import MOST_IN_MEMORY

    if not LEARNERS.keys() >= {*methods}:
        return None
    table = _look_at_npy(source) if suffix == ".npy" else _look_at_parquet(source)
    if table.n_objects <= MOST_IN_MEMORY:
        return None
    _name_classes(source, table)
    return table


def _look_at_npy(source: Source) -> Table:
    """Return the size of an array; 0 objects where it is none that can be read in passes."""
    import numpy as np

    try:
        matrix = np.load(source.path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        return Table(0, [], None)
    is_matrix = matrix.ndim == 2 and matrix.dtype.kind in "iu" and not source.drop and source.ids is None
    return Table(len(matrix) if is_matrix else 0, [], None)


def _look_at_parquet(source: Source) -> Table:
    """Return the size and the columns of a Parquet file; 0 objects where it cannot be read in passes."""
    from consclust.ensemble import clustering_columns
    from consclust.extras import needs

    with needs("parquet"):
        from pyarrow import ArrowInvalid
        from pyarrow.parquet import ParquetFile
    try:
        with ParquetFile(source.path) as file:
            schema = file.schema_arrow
            n_objects = file.metadata.num_rows
    except (OSError, ArrowInvalid):
        return Table(0, [], None)  # what is wrong is said where it is read whole
    names = clustering_columns(schema)
    ids = source.ids
    if ids is None and not source.no_ids:
        ids = _find_ids(schema, names)
    known = {*names, *([ids] if ids is not None else [])}
    clusterings = [name for name in names if name != ids and name not in source.drop]
    if {*source.drop} - known or ids not in (None, *schema.names) or not clusterings:
        return Table(0, [], None)
    return Table(n_objects, clusterings, ids)


def _find_ids(schema: Any, names: Sequence[str]) -> str | None:
    """Return the column of ids of a Parquet file: the index of a pandas frame, or the first column if it is one."""
    from pyarrow import types

    from consclust.parquet import index_columns
    from consclust.readers.delimited import ID_NAMES

    if index := index_columns(schema):
        return index[0]
    stored = schema.field(names[0]).type
    if types.is_dictionary(stored):
        stored = stored.value_type
    is_text = types.is_string(stored) or types.is_large_string(stored) or types.is_string_view(stored)
    return names[0] if is_text or names[0].lower() in ID_NAMES else None


def _name_classes(source: Source, table: Table) -> None:
    """Say of a column with the name of classes that it is taken for a base clustering, as of a file read whole."""
    from consclust.cli.own_files import OPTIONS
    from consclust.readers.recognition import NAMED_LIKE_CLASSES, is_named_like_classes

    named = [name for name in table.clusterings if is_named_like_classes(name)]
    if named:
        remedy = OPTIONS.use(named[0], classes="if these are classes", drop="to leave this column out")
        warnings.warn(f"{source.path}, column {named[0]!r}: {NAMED_LIKE_CLASSES}; {remedy}", stacklevel=2)


def run(source: Source, table: Table, method: "ConsensusMethod", out: Path) -> None:
    """Find the consensus in passes over the file, and write the labels block by block."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from consclust.diagnostics.ensembles import agreement_of_tables
    from consclust.errors import ConsensusFailure
    from consclust.label_files import write_label_blocks
    from consclust.methods.streamed.fits import learn_summary, summarise_for
    from consclust.plurals import count
    from consclust.report.wording import spanned

    name = type(method).__name__
    stream = open_stream(source, table)
    try:
        with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
            summary = summarise_for(method, stream)
            report_size(source, summary)
            fit = learn_summary(method, summary, stream)
            tables = np.zeros((len(summary.sizes), fit.rule.n_labels), dtype=np.int64)
            rows = _with_ids(source, table, fit.label_blocks(tables))
            write_label_blocks(out, table.n_objects, fit.rule.n_labels, rows)
    except ConsensusFailure as failure:
        raise ConsensusFailure(say_failure(failure)) from None
    except ValueError as mistake:
        raise refuse_labels(source, mistake) from None
    clusters = f"{count(len(fit.sizes), 'cluster')} of {spanned(fit.sizes, 'object')}"
    fewer = f", fewer than the {method.n_clusters} requested" if len(fit.sizes) < method.n_clusters else ""
    agreement = agreement_of_tables(np.split(tables, summary.firsts[1:]))
    mean = f"mean ARI with the base clusterings {np.nanmean(agreement):.3f}"
    click.echo(f"{name}: {clusters}{fewer}; {mean}; {fit.note}", err=True)


def say_failure(failure: "ConsensusFailure") -> str:
    """Return why a method has no answer, with a remedy that the command has."""
    from consclust.methods.streamed.data import IGNORE_THEM

    return str(failure).replace(IGNORE_THEM, f"choose a method that takes them, such as {DEFAULT}")


class Comparison(NamedTuple):
    """What methods make of a stream."""

    found: "list[Measured]"
    agreement: list[tuple[Any, ...]]
    """A row for each method with an answer: its name, and the ARI with each of these."""
    pairs: "ConsensusValues"
    """The co-association of random pairs of objects."""


def compare(source: Source, table: Table, methods: "Sequence[ConsensusMethod]", seed: int) -> Comparison:
    """Fit methods in passes over the file; measure how they agree with the base clusterings and with each other."""
    from threadpoolctl import threadpool_limits

    from consclust.diagnostics import consensus_values
    from consclust.numerics.gram import check_labelled, summarise

    stream = open_stream(source, table)
    try:
        with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
            summary = summarise(stream, with_overlaps=True)
            check_labelled(summary)
            report_size(source, summary)
            found = [_measure(method, summary, stream) for method in methods]
            return Comparison(found, _agree_in_blocks(found), consensus_values(stream, random_state=seed))
    except ValueError as mistake:
        raise refuse_labels(source, mistake) from None


def _measure(method: "ConsensusMethod", summary: "Summary", stream: "StreamedEnsemble") -> "Measured":
    """Fit one method on a stream; a method without an answer has the reason in its note."""
    import time

    import numpy as np

    from consclust.diagnostics import Measured
    from consclust.diagnostics.ensembles import agreement_of_tables
    from consclust.diagnostics.trust import known_mean
    from consclust.errors import ConsensusFailure
    from consclust.methods.streamed.fits import learn_summary

    name = type(method).__name__
    start = time.perf_counter()
    try:
        fit = learn_summary(method, summary, stream)
    except ConsensusFailure as failure:
        return Measured(name, note=say_failure(failure))
    counts = np.zeros((len(summary.sizes), fit.rule.n_labels), dtype=np.int64)
    labels = np.concatenate(list(fit.label_blocks(counts)))
    seconds = time.perf_counter() - start
    tables = np.split(counts, summary.firsts[1:])
    ari, nmi = (known_mean(agreement_of_tables(tables, measure)) for measure in ("ARI", "NMI"))
    return Measured(name, len(fit.sizes), ari, nmi, seconds=seconds, note=fit.note, labels=labels)


def _agree_in_blocks(found: "Sequence[Measured]") -> list[tuple[Any, ...]]:
    """Return a row for each method with an answer: its name, and the ARI with each of these."""
    import numpy as np

    from consclust.diagnostics import pairwise_agreement
    from consclust.stream import ROWS, StreamedEnsemble

    answered = [(each.method, each.labels) for each in found if each.labels is not None]
    if not answered:
        return []

    def blocks() -> "Iterator[IntArray]":
        for first in range(0, len(answered[0][1]), ROWS):
            yield np.column_stack([labels[first : first + ROWS] for _, labels in answered])

    values = pairwise_agreement(StreamedEnsemble.from_blocks(blocks)).tolist()
    return [(name, *row) for (name, _), row in zip(answered, values, strict=True)]


def refuse_labels(source: Source, mistake: ValueError) -> InputError:
    """Return the error for labels that cannot be read, with the name of the file once."""
    what = str(mistake).removeprefix(f"{source.path}: ")
    return InputError(f"{source.path}: {what}")


def open_stream(source: Source, table: Table) -> "StreamedEnsemble":
    """Return the base clusterings of a file, with a progress bar for each pass."""
    from consclust.stream import ROWS, StreamedEnsemble

    if source.path.suffix.lower() == ".npy":
        stream = StreamedEnsemble.from_npy(source.path)
    else:
        stream = StreamedEnsemble.from_parquet(source.path, table.clusterings)
    n_blocks = -(-table.n_objects // ROWS)
    n_passes = 0

    def watch(columns: Iterator[Any]) -> Iterator[Any]:
        nonlocal n_passes
        n_passes += 1
        return iter(progress.watched(columns, n_blocks, f"pass {n_passes}"))

    return stream.watched_by(watch)


def report_size(source: Source, summary: Any) -> None:
    """Say what was read, as of a file that is read whole."""
    from consclust.plurals import count
    from consclust.report.wording import spanned

    m = count(len(summary.n_clusters), "base clustering")
    sizes = f"{count(summary.n_objects, 'object', ',')}, {m} of {spanned(summary.n_clusters, 'cluster')}"
    click.echo(f"{source.path}: {sizes}, {count(summary.n_missing, 'label', ',')} missing", err=True)


def _with_ids(source: Source, table: Table, blocks: "Iterator[Labels]") -> "Rows":
    """Yield the labels with the ids of their objects: those of a column, or their numbers from 1."""
    from consclust.label_files import number_objects

    if table.ids is None:
        yield from number_objects(blocks)
        return
    from pyarrow.parquet import ParquetFile

    from consclust.stream import read_batches

    with ParquetFile(source.path) as file:
        batches = read_batches(file, [table.ids])
        ids = (batch.column(0).to_numpy(zero_copy_only=False) for batch in batches)
        yield from zip(ids, blocks, strict=True)
