"""The versions of the packages that a result was made with."""

import importlib.metadata
import platform

from consclust import __version__

PACKAGES = (
    "numpy", "scipy", "scikit-learn", "statsmodels", "pandas", "pyarrow", "matplotlib", "seaborn",
    "scikit-posthocs", "itables", "mlxtend", "snakemake", "typst",
)  # fmt: skip


def versions() -> dict[str, str | None]:
    """Return the versions of this package, Python and what is computed and drawn with; None for what is absent."""
    python = {"consclust": __version__, "python": platform.python_version()}
    return {**python, **{name: _version(name) for name in PACKAGES}}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
