"""What a result was made with: versions, machine, seed, commit, checksums; no name of a person or a host."""

import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.config.protocol import Case
from concord.config.study import Study
from concord.datasets.registry import MADE
from concord.files import sha256

if TYPE_CHECKING:
    from concord.datasets.registry import DatasetSpec

PACKAGES = (
    "concord", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "matplotlib", "mlxtend", "snakemake",
    "typst",
)  # fmt: skip


def provenance(
    study: Study, registry: Mapping[str, "DatasetSpec"], seed: int | None, cpu_seconds: float, folder: Path
) -> dict[str, Any]:
    """Return the record of provenance.

    Parameters
    ----------
    registry: the registered data sets; the checksums of those that the study uses are kept.
    seed: the seed of the configuration.
    cpu_seconds: CPU seconds spent inside the methods.
    folder: the project's folder, whose commit is noted if it is the root of a git checkout; files without a
        registered checksum are read in its data/raw.
    """
    return {
        "study": study.id,
        "seed": seed,
        "commit": git_commit(folder),
        "versions": {"python": platform.python_version(), **_versions()},
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
        },
        "cpu_seconds_in_methods": round(cpu_seconds, 3),
        "data": {case.id: _checksums(case, registry[case.dataset], folder) for case in study.cases},
    }


def _versions() -> dict[str, str | None]:
    versions: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    if versions["concord"] is None:  # run from the source folder
        import concord

        versions["concord"] = getattr(concord, "__version__", None)
    return versions


def _checksums(case: Case, spec: "DatasetSpec", folder: Path) -> dict[str, str]:
    """Return sha256 by file name; empty for data that come inside a dependency (their version is noted)."""
    files = list(spec.files)
    if case.ensemble not in MADE:
        files.append(spec.ensembles[case.ensemble].file)
    raw = folder / "data/raw" / case.dataset
    return {file.name: file.sha256 or sha256(raw / file.name) for file in files}


def git_commit(folder: Path) -> dict[str, Any] | None:
    """Return the commit in ``folder`` and whether files differ from it; None outside a checkout."""
    try:
        top = _git(folder, "rev-parse", "--show-toplevel")
        if Path(top).resolve() != folder.resolve():  # a folder inside someone else's checkout
            return None
        commit = _git(folder, "rev-parse", "HEAD")
        return {"commit": commit, "dirty": bool(_git(folder, "status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", os.fspath(folder), *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def cpu_model() -> str:
    """Return the processor's name as the system gives it."""
    if sys.platform == "linux":
        try:
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
        except OSError:
            pass
    return platform.processor() or platform.machine()


def sha256sums(files: Iterable[Path]) -> str:
    """Return lines for ``sha256sum --check``, sorted by name; run it in the folder of the files."""
    return "".join(f"{sha256(path)}  {path.name}\n" for path in sorted(files, key=lambda path: path.name))
