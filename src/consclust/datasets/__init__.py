"""Data sets: features X and classes y, checked against the published sizes.

For a person, ``consclust.datasets.load("yale")`` and ``names()``. The other modules are the first stage of the
workflow.
"""

from consclust.datasets.catalogue import load, names

__all__ = ["load", "names"]
