"""Consensus methods, one file each: ``from consclust.methods import RCE``.

A method is a subclass of :class:`consclust.methods.base.ConsensusMethod` in a file of this folder. No registration is
needed; a line below ``TYPE_CHECKING`` and one in ``__all__`` let type checkers see the parameters of a method, here and
in ``consclust``.
"""

import inspect
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from consclust.discovery import modules_of
from consclust.errors import InputError

if TYPE_CHECKING:
    from consclust.methods.base import ConsensusMethod
    from consclust.methods.baumeagon import BaumEagon
    from consclust.methods.bce import BCE
    from consclust.methods.cehm import CEHM
    from consclust.methods.cspa import CSPA
    from consclust.methods.drec import DREC
    from consclust.methods.eac import EAC
    from consclust.methods.eccms import ECCMS
    from consclust.methods.ecpcs import ECPCS
    from consclust.methods.gpmgla import GPMGLA
    from consclust.methods.gwca import GWCA
    from consclust.methods.hbgf import HBGF
    from consclust.methods.hgpa import HGPA
    from consclust.methods.ivc import IVC
    from consclust.methods.kc import KC
    from consclust.methods.kcc import KCC
    from consclust.methods.lce import LCE
    from consclust.methods.lwea import LWEA
    from consclust.methods.lwgp import LWGP
    from consclust.methods.mcla import MCLA
    from consclust.methods.mixture import Mixture
    from consclust.methods.nmfc import NMFC
    from consclust.methods.peace import PEACE
    from consclust.methods.pta import PTA
    from consclust.methods.ptgp import PTGP
    from consclust.methods.rce import RCE
    from consclust.methods.rmsc import RMSC
    from consclust.methods.rsec import RSEC
    from consclust.methods.sdgca import SDGCA
    from consclust.methods.sec import SEC
    from consclust.methods.spce import SPCE
    from consclust.methods.spectralconsensus import SpectralConsensus
    from consclust.methods.ssce import SSCE
    from consclust.methods.trce import TRCE
    from consclust.methods.voting import Voting
    from consclust.methods.weac import WEAC

__all__ = [
    "BCE", "CEHM", "CSPA", "DREC", "EAC", "ECCMS", "ECPCS", "GPMGLA", "GWCA", "HBGF", "HGPA", "IVC", "KC",
    "KCC", "LCE", "LWEA", "LWGP", "MCLA", "NMFC", "PEACE", "PTA", "PTGP", "RCE", "RMSC", "RSEC", "SDGCA", "SEC",
    "SPCE", "SSCE", "TRCE", "WEAC", "BaumEagon", "Mixture", "SpectralConsensus", "Voting",
]  # fmt: skip


def names() -> tuple[str, ...]:
    """Return the names of all methods, sorted; InputError, with the remedy, for a file that holds no valid method."""
    return tuple(sorted(_classes()))


def load(name: str) -> "type[ConsensusMethod]":
    """Return the class of a method; InputError for an unknown name and as in :func:`names`."""
    if name not in _classes():
        from consclust.validation import did_you_mean

        raise InputError(f"{name}: no such method; {did_you_mean(name, names())}")
    return _classes()[name]


def make(name: str, n_clusters: int, parameters: Mapping[str, Any], random_state: Any) -> "ConsensusMethod":
    """Return a method with these parameters, and with the random state, which its constructor need not take."""
    made = load(name)(n_clusters=n_clusters, **parameters)
    made.random_state = random_state
    return made


def needs_features(name: str, parameters: Mapping[str, Any], points: Iterable[Mapping[str, Any]] = ({},)) -> bool:
    """Whether a method needs the objects' features with these parameters, at any point of a grid."""
    method = load(name)
    return method.needs_features and any(
        method(n_clusters=1, **{**parameters, **point}).uses_features() for point in points
    )


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name[:1].isupper() and name in _classes():
            return _classes()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *names()})


@cache
def _classes() -> "dict[str, type[ConsensusMethod]]":
    from consclust.methods.base import ConsensusMethod

    found: dict[str, type[ConsensusMethod]] = {}
    for module in modules_of(__name__, __path__):
        for name, value in vars(module).items():
            own = inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_")
            if own and issubclass(value, ConsensusMethod):
                if problem := _problem(value):
                    raise InputError(f"{module.__file__}: {name} {problem}")
                if name in found:
                    other = found[name].__module__
                    raise InputError(f"{module.__file__}: {name} is the method of {other}; rename one")
                found[name] = value
    return found


def _problem(method: "type[ConsensusMethod]") -> str:
    """Return what is wrong with a class, and the remedy; empty if it is a method."""
    parameters = inspect.signature(method).parameters
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    if "__init__" not in vars(method) or variable & {parameter.kind for parameter in parameters.values()}:
        return "needs an __init__ that names all of its parameters; write it, or add @dataclass"
    for lacking in sorted(method.__abstractmethods__):
        return f"needs a method {lacking}; write it"
    if not isinstance(method.summary, str) or not method.summary.strip():
        return "needs a summary, one sentence on what it does; write summary = ..."
    base = method.__mro__[1]
    for name in parameters:
        if hasattr(base, name) and name not in inspect.signature(base).parameters:
            return f"has a parameter {name!r}, an attribute of every method; rename it"
    return ""
