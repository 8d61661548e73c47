"""Base clusterings.

For a person, ``consclust.ensembles.kmeans(X)``, ``from_algorithms(X, names)`` and ``from_estimators(clusterers, X)``,
which return an :class:`~consclust.Ensemble`, and ``spoil(labels, harm, share)``, which spoils a known share of one. The
modules are the second stage of the workflow.
"""

from consclust.ensembles.algorithms import from_algorithms
from consclust.ensembles.generate import from_estimators, kmeans
from consclust.ensembles.harms import spoil

__all__ = ["from_algorithms", "from_estimators", "kmeans", "spoil"]
