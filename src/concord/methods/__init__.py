"""Consensus methods, one file each: ``from concord.methods import RCE``."""

from concord.methods import registry

__all__ = sorted(registry.available())


def __getattr__(name: str) -> object:
    if name in registry.available():
        return registry.load(name)
    raise AttributeError(f"module 'concord.methods' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
