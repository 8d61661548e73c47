"""Base clusterings.

For a person, ``concord.ensembles.kmeans(X)`` and ``from_estimators(clusterers, X)``, which return an
:class:`~concord.Ensemble`. The modules are the second stage of the workflow.
"""

from concord.ensembles.generate import from_estimators, kmeans

__all__ = ["from_estimators", "kmeans"]
