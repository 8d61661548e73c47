"""Fits of consensus methods on streams: which route, the last pass, and the attributes that a fit leaves."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from consclust.ensemble import MISSING, Ensemble, IntArray
from consclust.errors import ConsensusFailure
from consclust.methods.streamed.data import StreamData
from consclust.methods.streamed.learners import COUNT_OVERLAPS_FIRST, LEARNERS
from consclust.methods.streamed.rounds import IGNORE_MISSING
from consclust.methods.streamed.rules import Rule, label_codes
from consclust.numerics.gram import Indicator, Summary, check_labelled, read_codes, summarise
from consclust.plurals import count
from consclust.stream import StreamedEnsemble

if TYPE_CHECKING:
    from consclust.methods.base import ConsensusMethod

Labels = npt.NDArray[np.signedinteger[Any]]


def fit_stream(method: "ConsensusMethod", stream: StreamedEnsemble, features: Any = None) -> "ConsensusMethod":
    """Fit a method on a stream, see :mod:`consclust.methods.streamed`; what ``fit`` of a method does and raises.

    ``labels_`` is of the smallest integers. ``restart_labels_`` has the labels of the chosen start alone.
    """
    summary = summarise_for(method, stream)
    if summary.n_objects <= stream.most_in_memory and summary.is_whole:
        return method.fit(gather(summary, stream), features)
    learned = learn_summary(method, summary, stream)
    blocks = list(learned.label_blocks())
    method.labels_ = np.concatenate(blocks)
    method.restart_labels_ = method.labels_[None, :]
    method.chosen_ = 0
    order_clusters(method, learned.numbering.numbers_of_all())
    method.note_ = learned.note
    method._complete_note()
    return method


def order_clusters(method: Any, numbers: IntArray) -> None:
    """Put what a method keeps of each cluster into the order of their ``numbers``, (K,)."""
    order = np.argsort(numbers)
    if hasattr(method, "meta_labels_"):
        method.meta_labels_ = numbers[method.meta_labels_]
    if hasattr(method, "theta_"):
        method.shares_ = method.shares_[order]
        method.theta_ = [of_clustering[order] for of_clustering in method.theta_]


def summarise_for(method: "ConsensusMethod", stream: StreamedEnsemble) -> Summary:
    """Return what a method needs of the first pass over a stream; ValueError for its parameters, and for the labels."""
    method.check_parameters()
    stream.forget_codes()  # those of an earlier fit whose last pass was never made
    summary = summarise(stream, with_overlaps=type(method).__name__ in COUNT_OVERLAPS_FIRST)
    check_labelled(summary)
    return summary


def gather(summary: Summary, stream: StreamedEnsemble) -> Ensemble:
    """Return the ensemble of the objects in the sample of a stream, without clusterings that label none of them."""
    names = [np.append(own, MISSING) for own in summary.cluster_names]
    columns = [own[codes] for own, codes in zip(names, summary.sample.codes, strict=True) if codes.max() != MISSING]
    return Ensemble(np.column_stack(columns), stream.missing)


def learn_summary(method: "ConsensusMethod", summary: Summary, stream: StreamedEnsemble) -> "StreamFit":
    """Learn a method from the summary of a stream and from further passes over it.

    Raises ConsensusFailure for a method without a route for streams, and where it has no answer.
    """
    name = type(method).__name__
    stream.use_clusters(summary.cluster_names)
    if name not in LEARNERS:
        what = f"{name} keeps all labels in memory, of at most {count(stream.most_in_memory, 'object', ',')}"
        remedy = f"choose one of {', '.join(sorted(LEARNERS))}, or pass an Ensemble (of a Parquet file: stream=False)"
        raise ConsensusFailure(f"{what}, and there are {summary.n_objects:,}; {remedy}")
    n_passes = 1
    missing = "ignored" if name in IGNORE_MISSING else stream.missing
    if summary.n_missing and missing == "expected" and summary.overlaps is None:
        summary = replace(summary, overlaps=summarise(stream, with_overlaps=True).overlaps)
        n_passes = 2
    data = StreamData(summary, Indicator(summary, missing), stream, n_passes)
    if method.n_clusters > len(data.profiles.weights):
        problem = f"{name}: n_clusters = {method.n_clusters} but the ensemble distinguishes only"
        groups = count(len(data.profiles.weights), "group")
        raise ConsensusFailure(f"{problem} {groups} of objects; set fewer clusters or add clusterings")
    clear_results(method)
    learned = LEARNERS[name](method, data)
    method.n_features_in_ = len(summary.n_clusters)
    for attribute, value in learned.attributes.items():
        setattr(method, attribute, value)
    if summary.n_missing and method.with_missing:
        data.notes.append(method.with_missing)
    return StreamFit(learned.rule, data.indicator, stream, summary, describe(data))


def clear_results(method: "ConsensusMethod") -> None:
    """Take away what an earlier fit left."""
    parameters = method.get_params()
    vars(method).clear()
    vars(method).update(parameters)


def describe(data: StreamData) -> str:
    """Return the remark of a fit on a stream: its passes, its sample, and what the method remarks."""
    passes = f"{data.n_passes + 1} passes over {count(data.summary.n_objects, 'object', ',')}"
    if not data.summary.is_whole:
        passes += f", k-means and rotations on {len(data.summary.sample.places):,}"
    return "; ".join([passes, *data.notes])


@dataclass
class StreamFit:
    """A method that has been learned from a stream, before the last pass."""

    rule: Rule
    indicator: Indicator
    stream: StreamedEnsemble
    summary: Summary
    note: str

    def __post_init__(self) -> None:
        self.numbering = Numbering(self.rule.n_labels)

    @property
    def sizes(self) -> IntArray:
        """Objects of each cluster, once all are labelled."""
        return self.numbering.sizes[: self.numbering.n_met]

    def label_blocks(self, tables: IntArray | None = None) -> Iterator[Labels]:
        """Yield the consensus labels of all objects, in their order, numbered by first appearance.

        To ``tables``, (sum of k_i, labels), if given, the objects of each base cluster with each label are added.
        """
        from consclust.numerics.kernels.stream_kernels import count_labels

        self.numbering = Numbering(self.rule.n_labels)
        for codes in read_codes(self.stream):
            labels = self.numbering.number(label_codes(self.rule, self.indicator, codes))
            if tables is not None:
                count_labels(codes, self.summary.firsts, labels.astype(np.int64), tables)
            yield labels
        self.stream.forget_codes()

    def number_labels(self) -> Labels:
        """Return the number of each label by first appearance, those of no object last.

        Reads the labels from the first object on until each has appeared, mostly one block.
        """
        self.numbering = Numbering(self.rule.n_labels)
        for codes in read_codes(self.stream):
            self.numbering.number(label_codes(self.rule, self.indicator, codes))
            if self.numbering.n_met == self.rule.n_labels:
                break
        return self.numbering.numbers_of_all().astype(self.numbering.numbers.dtype)


class Numbering:
    """Numbers of labels by first appearance over the objects, which come block by block."""

    def __init__(self, n_labels: int) -> None:
        self.numbers = np.full(n_labels, -1, dtype=np.min_scalar_type(-n_labels))
        self.n_met = 0
        self.sizes = np.zeros(n_labels, dtype=np.int64)

    def number(self, labels: IntArray) -> Labels:
        """Return the numbers of the labels of some objects."""
        counts = np.bincount(labels, minlength=len(self.numbers))
        is_new = (counts > 0) & (self.numbers < 0)
        if is_new.any():
            values, first = np.unique(labels, return_index=True)
            appeared = values[np.argsort(first)]
            self.meet(appeared[is_new[appeared]])
        is_there = counts > 0
        self.sizes[self.numbers[is_there]] += counts[is_there]
        return self.numbers[labels]

    def meet(self, labels: IntArray) -> None:
        """Give the next numbers to labels."""
        self.numbers[labels] = np.arange(self.n_met, self.n_met + len(labels))
        self.n_met += len(labels)

    def numbers_of_all(self) -> IntArray:
        """Return a number for each label, those of no object last."""
        copy = self.numbers.astype(np.int64)
        copy[copy < 0] = np.arange(self.n_met, len(copy))
        return copy
