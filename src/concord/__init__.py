"""Concord: clustering ensembles, and the papers' experiments re-run end to end."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concord.ensemble import Ensemble

__all__ = ["Ensemble", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "Ensemble":
        from concord.ensemble import Ensemble

        return Ensemble
    raise AttributeError(f"module 'concord' has no attribute {name!r}")
