"""Consensus methods on streams: base clusterings that are read block by block.

A consensus needs counts of base clusters and of their overlaps, which add over blocks of objects. Then the label of an
object follows from its own base labels. So the first pass over a :class:`~consclust.stream.StreamedEnsemble` counts,
and the last one labels.

==================  ===================================================================================================
HBGF, MCLA          two passes: overlaps of the base clusters; labels
LWGP                three passes: overlaps; overlaps in which an object counts by its degree; labels
SpectralConsensus   three passes: sizes of the base clusters; overlaps by degree; labels
Voting              three passes: overlaps; the mean votes, to which "majority" relabels (it alone takes this pass);
                    labels. If labels are missing there is one more, except in "fixed"
SEC, KCC, Mixture,  a pass for sizes, one for each round, and one for labels; the random starts are made on the sample,
IVC                 the rounds begin at the chosen one, and end where the cost falls by 1e-5 of itself at most
==================  ===================================================================================================

Up to 2^20 objects every method works in memory, as on an :class:`~consclust.Ensemble`. Of more objects, k-means and
rotations of an embedding, and the merging of clusters by Voting, see 2^17, drawn by a hash of their numbers; the
eigenvectors and the overlaps are those of all objects.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from consclust.stream import Block, StreamedEnsemble

Fit = TypeVar("Fit", bound=Callable[..., Any])


class Stream(Protocol):
    """A :class:`~consclust.stream.StreamedEnsemble`, for type checkers."""

    def blocks(self) -> Iterator[Block]:
        """Yield the labels of all objects, in their order."""


def hand_streams_on(fit: Fit) -> Fit:
    """Decorate ``fit`` of a method: a stream, or an iterator of blocks, goes to the route that reads it in passes."""

    @wraps(fit)
    def fit_any(self: Any, labels: Any, features: Any = None) -> Any:
        if isinstance(labels, Iterator):
            labels = StreamedEnsemble.from_blocks(labels)
        if not isinstance(labels, StreamedEnsemble):
            return fit(self, labels, features)
        from consclust.methods.streamed.fits import fit_stream

        return fit_stream(self, labels, features)

    return cast(Fit, fit_any)
