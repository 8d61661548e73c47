"""consclust: clustering ensembles, and the papers' experiments re-run end to end.

The methods, :class:`Ensemble` and the packages below are attributes of ``consclust``; each is imported at its first
use.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consclust import datasets, diagnostics, ensembles, methods, plot, scores
    from consclust.clustering import EnsembleClustering
    from consclust.ensemble import Ensemble
    from consclust.methods import *  # noqa: F403 - the methods, for type checkers
    from consclust.readers.frames import read_labels

__all__ = [
    "Ensemble",
    "EnsembleClustering",
    "datasets",
    "diagnostics",
    "ensembles",
    "methods",
    "plot",
    "read_labels",
    "scores",
]
__version__ = "0.1.0"

HERE = {
    "Ensemble": "consclust.ensemble",
    "EnsembleClustering": "consclust.clustering",
    "read_labels": "consclust.readers.frames",
}
"""Modules of the names here that are neither packages nor methods."""


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in HERE:
            return getattr(importlib.import_module(HERE[name]), name)
        if name in __all__:
            return importlib.import_module(f"consclust.{name}")
        if name[:1].isupper():
            return getattr(importlib.import_module("consclust.methods"), name)
        raise AttributeError(f"module 'consclust' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({"__version__", *__all__, *importlib.import_module("consclust.methods").names()})
