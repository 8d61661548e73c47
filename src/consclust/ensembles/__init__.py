"""Base clusterings.

For a person, ``consclust.ensembles.kmeans(X)``, ``from_algorithms(X, names)`` and ``from_estimators(clusterers, X)``,
which return an :class:`~consclust.Ensemble`. The modules are the second stage of the workflow.
"""

from consclust.ensembles.algorithms import from_algorithms
from consclust.ensembles.generate import from_estimators, kmeans

__all__ = ["from_algorithms", "from_estimators", "kmeans"]
