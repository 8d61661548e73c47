"""What a method learns of a stream: the counts of a first pass, and further passes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from consclust.ensemble import FloatArray, IntArray
from consclust.errors import ConsensusFailure
from consclust.methods.streamed.rules import Rule
from consclust.numerics.gram import Codes, Indicator, Profiles, Summary, find_profiles, read_codes
from consclust.numerics.numbering import renumber
from consclust.stream import StreamedEnsemble

if TYPE_CHECKING:
    from consclust.methods.base import ConsensusMethod


@dataclass
class StreamData:
    """What a method learns from: the summary of the stream, and further passes over it."""

    summary: Summary
    indicator: Indicator
    stream: StreamedEnsemble
    n_passes: int = 1
    notes: list[str] = field(default_factory=list)

    def start_pass(self) -> Iterator[Codes]:
        """Return the labels of all objects, block by block."""
        self.n_passes += 1
        return read_codes(self.stream)

    @property
    def overlaps(self) -> IntArray:
        """Objects that two base clusters share, shape (sum of k_i, sum of k_i)."""
        assert self.summary.overlaps is not None
        return self.summary.overlaps

    @cached_property
    def profiles(self) -> Profiles:
        """The distinct rows of the sample."""
        return find_profiles(self.summary.sample)

    def choose(self, labels: IntArray, costs: FloatArray) -> int:
        """Return the start of the least cost, from the labels of the profiles, (starts, n')."""
        from consclust.methods.base import first_cheapest

        return first_cheapest(renumber(labels[:, self.profiles.membership]), costs)


class Learned(NamedTuple):
    """The rule that labels objects, and attributes of the method."""

    rule: Rule
    attributes: Mapping[str, Any]


Learner = Callable[[Any, StreamData], Learned]


IGNORE_THEM = "use missing='ignored'"
"""Remedy where missing labels cannot count as expected ones; the command has another."""


def refuse(method: "ConsensusMethod", what: str, remedy: str) -> ConsensusFailure:
    """Return the failure of a method that has no answer on a stream."""
    return ConsensusFailure(f"{type(method).__name__} on a stream: {what}; {remedy}")


def refuse_expected(method: "ConsensusMethod") -> ConsensusFailure:
    """Return the failure of a method that cannot count missing labels as expected ones on a stream."""
    return refuse(method, "expected labels need all profiles", IGNORE_THEM)
