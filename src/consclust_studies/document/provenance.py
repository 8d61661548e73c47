"""What a result was made with: versions, machine, seed, commit, checksums; no name of a person or a host."""

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from consclust.files import sha256
from consclust.report.items import Item, paragraph, table
from consclust.versions import versions
from consclust_studies.config.study import PlannedStudy

COMMIT_VARIABLE = "CONSCLUST_COMMIT"
SUMS = "SHA256SUMS, beside this report, holds the checksums of all files that the same seed and versions give again."


def provenance(study: PlannedStudy, cpu_seconds: float, seed: int, folder: Path) -> dict[str, Any]:
    """Return the record of provenance; ``folder`` is the project's, ``cpu_seconds`` were spent inside the methods."""
    return {
        "study": study.id,
        "seed": seed,
        "commit": git_commit(folder),
        "versions": versions(),
        "machine": {"system": f"{platform.system()} {platform.machine()}", "cpu": cpu_model(), "cores": os.cpu_count()},
        "cpu_seconds_in_methods": round(cpu_seconds, 3),
        "data": {case.id: dict(study.origins[case.id].checksums) for case in study.cases},
    }


def provenance_items(
    record: Mapping[str, Any], titles: Mapping[str, str], files: Sequence[tuple[str, str]]
) -> list[Item]:
    """Return the chapter on provenance: the record, and name and content of ``files`` that the report does not set."""
    commit, machine, data = record["commit"], record["machine"], record["data"]
    changed = " (with uncommitted changes)" if commit and commit["dirty"] else ""
    facts = {
        "Study": record["study"],
        "Seed": f"{record['seed']}",
        "Commit": f"{commit['commit']}{changed}" if commit else "not known",
        "Machine": f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}",
        "Versions": ", ".join(f"{name} {version}" for name, version in record["versions"].items() if version),
        "Data inside packages": ", ".join(titles[case] for case in data if not data[case]),
    }
    sums = [(titles[case], name, _short(sum_)) for case in data for name, sum_ in data[case].items()]
    tables = [
        table(("Item", "Value"), [fact for fact in facts.items() if fact[1]]),
        table(("Data set", "File", "SHA-256"), sums, "Checksums of the files of data; provenance.json has all digits."),
        table(("File", "Content"), files, "Further files of numbers beside this report."),
    ]
    return [paragraph(SUMS), *(item for item in tables if item["rows"])]


def _short(checksum: str | None) -> str:
    return f"{checksum[:16]}…" if checksum else "not registered"


def git_commit(folder: Path) -> dict[str, Any] | None:
    """Return the commit in ``folder`` and whether files differ from it; None outside a checkout.

    A job without a shared file system has the files but no checkout: the run tells it in :data:`COMMIT_VARIABLE`.
    """
    if told := os.environ.get(COMMIT_VARIABLE):
        found: dict[str, Any] | None = json.loads(told)
        return found
    try:
        if Path(_git(folder, "rev-parse", "--show-toplevel")).resolve() != folder.resolve():
            return None  # a folder inside someone else's checkout
        return {"commit": _git(folder, "rev-parse", "HEAD"), "dirty": bool(_git(folder, "status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError):
        return None


def cpu_model() -> str:
    """Return the processor's name as the system gives it."""
    try:
        found = re.search(r"^model name\s*:(.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:  # not Linux
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


def sha256sums(files: Iterable[Path]) -> str:
    """Return lines for ``sha256sum --check``, sorted by name; run it in the folder of the files."""
    return "".join(f"{sha256(path)}  {path.name}\n" for path in sorted(files, key=lambda path: path.name))


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True).stdout.strip()
