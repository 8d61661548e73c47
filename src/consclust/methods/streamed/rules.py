"""How the label of an object follows from its base labels, once a method has been learned.

Each base cluster has a row in a table; the rows of the clusters of an object are summed, and the sums decide.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from consclust.ensemble import FloatArray, IntArray
from consclust.numerics.assignment import Assigned
from consclust.numerics.gram import Codes, Indicator, pad_columns
from consclust.numerics.spectral import scale_to_unit_length
from consclust.numerics.tcut import NO_DEGREE

AT_A_TIME = 2**13  # Objects whose sums stay in the cache of a processor


@dataclass(frozen=True)
class Rule(ABC):
    """A rule that labels objects."""

    table: FloatArray
    """What each base cluster adds, shape (sum of k_i, d)."""

    @abstractmethod
    def label(self, sums: FloatArray) -> IntArray:
        """Return the label of each object from the sum over its base clusters, (objects, d)."""

    @property
    @abstractmethod
    def n_labels(self) -> int:
        """Number of labels that there may be."""

    def to_arrays(self) -> dict[str, Any]:
        """Return what :meth:`from_arrays` takes, for a file."""
        return {"rule": type(self).__name__, **{field.name: getattr(self, field.name) for field in fields(self)}}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any]) -> Self:
        """Return the rule of :meth:`to_arrays`."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class CutRule(Rule):
    """Nearest centre in the embedding of a transfer cut; the last column of the table sums to the degree."""

    centres: FloatArray
    """Shape (K, d - 1)."""

    def label(self, sums: FloatArray) -> IntArray:
        """Return the label of each object from the sum over its base clusters, (objects, d)."""
        return find_nearest(embed_by_cut(sums), self.centres)

    @property
    def n_labels(self) -> int:
        """Number of centres."""
        return len(self.centres)


def embed_by_cut(sums: FloatArray) -> FloatArray:
    """Return the rows of the embedding of :func:`~consclust.numerics.tcut.tcut_embedding`, of unit length."""
    degree = sums[:, -1]
    rows = sums[:, :-1] * (1 / np.where(degree > 0, degree, NO_DEGREE))[:, None]
    rows[degree == 0] = 0.0
    unit: FloatArray = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + NO_DEGREE)
    return unit


def find_nearest(rows: FloatArray, centres: FloatArray) -> IntArray:
    """Return the nearest of the centres, (K, d), to each row, (n, d); the first of equally near ones."""
    return find_least_product(rows, -2 * centres.T, (centres**2).sum(axis=1))


def find_least_product(rows: FloatArray, table: FloatArray, offsets: FloatArray) -> IntArray:
    """Return for each row, (n, d), the column of a table, (d, K), with the least product plus offset.

    Of equal ones it is the first.
    """
    from consclust.numerics.kernels.stream_kernels import find_least_products

    labels = np.empty(len(rows), dtype=np.int64)
    find_least_products(np.ascontiguousarray(rows), pad_columns(table), offsets, labels)
    return labels


@dataclass(frozen=True)
class MeanRule(Rule):
    """Spectral clustering of a mean of connective matrices; the last column of the table sums to the degree."""

    turn: FloatArray
    """Rotation, (K, K), or centres of k-means, (K, K)."""
    by_rotation: bool

    def label(self, sums: FloatArray) -> IntArray:
        """Return the label of each object from the sum over its base clusters, (objects, d)."""
        rows = embed_by_mean(sums)
        if not self.by_rotation:
            return find_nearest(rows, self.turn)
        return find_least_product(rows, -self.turn, np.zeros(len(self.turn)))

    @property
    def n_labels(self) -> int:
        """Number of clusters."""
        return len(self.turn)


def embed_by_mean(sums: FloatArray) -> FloatArray:
    """Return the rows of the embedding of :func:`~consclust.numerics.spectral.mean_embedding`, of unit length."""
    rows = np.ascontiguousarray(sums[:, :-1])
    scale_to_unit_length(rows, np.sqrt(1 / sums[:, -1]))
    return rows


@dataclass(frozen=True)
class ShareRule(Rule):
    """The group of base clusters of which the largest share contains the object, the first of equal ones."""

    sizes: IntArray
    """Base clusters of each group, shape (groups,)."""

    def label(self, sums: FloatArray) -> IntArray:
        """Return the label of each object from the sum over its base clusters, (objects, groups)."""
        labels: IntArray = (sums / np.maximum(self.sizes, 1)).argmax(axis=1)
        return labels

    @property
    def n_labels(self) -> int:
        """Number of groups."""
        return len(self.sizes)


@dataclass(frozen=True)
class LeastRule(Rule):
    """The cluster of the least score, the first of equal ones."""

    offsets: FloatArray
    """What is added to the score of each cluster, shape (K,)."""
    by_degree: bool
    """Whether the offsets are taken times the degree of the object, to which the last column of the table sums."""

    def assign(self, sums: FloatArray) -> Assigned:
        """Return the label of each object, and its score there, from the sum over its base clusters, (objects, d)."""
        from consclust.numerics.kernels.stream_kernels import find_least

        scores = sums[:, : len(self.offsets)]
        degrees = sums[:, -1] if self.by_degree else np.ones(len(sums))
        labels = np.empty(len(sums), dtype=np.int64)
        least = np.empty(len(sums))
        find_least(scores, self.offsets, degrees, labels, least)
        return Assigned(labels, least)

    def label(self, sums: FloatArray) -> IntArray:
        """Return the label of each object from the sum over its base clusters, (objects, d)."""
        return self.assign(sums).labels

    @property
    def n_labels(self) -> int:
        """Number of clusters."""
        return len(self.offsets)


@dataclass(frozen=True)
class LikelihoodRule(Rule):
    """The component of a mixture with the greatest responsibility, the first of equal ones."""

    log_shares: FloatArray
    """Logarithm of the share of each component, shape (K,)."""

    def label(self, sums: FloatArray) -> IntArray:
        """Return the label of each object from the sum over its base clusters, (objects, K).

        An object that no component can have joins the one of the largest share.
        """
        scores = sums + self.log_shares
        labels: IntArray = scores.argmax(axis=1)
        greatest = np.take_along_axis(scores, labels[:, None], axis=1)[:, 0]
        labels[greatest == -np.inf] = self.log_shares.argmax()
        return labels

    @property
    def n_labels(self) -> int:
        """Number of components."""
        return len(self.log_shares)


@dataclass(frozen=True)
class MostRule(Rule):
    """The cluster of the most votes, the first of equal ones."""

    default: int
    """The cluster of an object without a vote."""

    def label(self, sums: FloatArray) -> IntArray:
        """Return the label of each object from the sum over its base clusters, (objects, K)."""
        labels: IntArray = sums.argmax(axis=1)
        most = np.take_along_axis(sums, labels[:, None], axis=1)[:, 0]
        labels[most == 0] = self.default
        return labels

    @property
    def n_labels(self) -> int:
        """Number of clusters."""
        return int(self.table.shape[1])


KINDS = (CutRule, MeanRule, ShareRule, LeastRule, LikelihoodRule, MostRule)


def read_rule(arrays: dict[str, Any]) -> Rule:
    """Return a rule of any kind from its arrays."""
    kinds: dict[str, type[Rule]] = {kind.__name__: kind for kind in KINDS}
    return kinds[str(arrays["rule"])].from_arrays(arrays)


def label_codes(rule: Rule, indicator: Indicator, codes: Codes) -> IntArray:
    """Return the labels that a rule gives to objects with these base labels, (m, objects)."""
    labels = np.empty(codes.shape[1], dtype=np.int64)
    for first in range(0, len(labels), AT_A_TIME):
        here = slice(first, first + AT_A_TIME)
        part = np.ascontiguousarray(codes[:, here])  # compiled loops take twice as long over a part of a matrix
        labels[here] = rule.label(indicator.rows(part).sum(rule.table))
    return labels
