"""What a result was made with: versions, machine, seed, commit, checksums; no name of a person or a host."""

import json
import os
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from consclust.files import sha256
from consclust.plurals import count
from consclust.report.items import Item, paragraph, table
from consclust.versions import versions
from consclust_studies.config.study import PlannedStudy
from consclust_studies.makers import Makers

COMMIT_VARIABLE = "CONSCLUST_COMMIT"
MOST_METHODS = 12  # that a table of makers names
SUMS = (
    "SHA256SUMS, beside this report, holds the checksums of all files that the same seed and versions give again, on "
    "processors of one kind."
)


def provenance(study: PlannedStudy, cpu_seconds: float, seed: int, folder: Path, makers: Makers) -> dict[str, Any]:
    """Return the record of provenance.

    ``makers`` say what made the labels, job by job where they differ; what is installed now made the report alone.
    ``folder`` is the project's, ``cpu_seconds`` were spent inside the methods.
    """
    return {
        "study": study.id,
        "seed": seed,
        "versions": common_versions(makers),
        "made_by": makers.records,
        "confirmed": makers.confirmed,
        "report": {
            "commit": git_commit(folder),
            "versions": versions(),
            "system": f"{platform.system()} {platform.machine()}",
            "cpu": cpu_model(),
            "cores": os.cpu_count(),
        },
        "cpu_seconds_in_methods": round(cpu_seconds, 3),
        "data": {case.id: dict(study.origins[case.id].checksums) for case in study.cases},
    }


def common_versions(makers: Makers) -> dict[str, str]:
    """Return the versions that all labels were made with; several, as "1.8.0 or 1.9.1", where they differ."""
    found: dict[str, list[str]] = {}
    for maker in makers:
        for package, version in maker.stamp.versions.items():
            if version not in found.setdefault(package, []):
                found[package].append(version)
    return {package: " or ".join(sorted(several)) for package, several in found.items()}


def provenance_items(
    record: Mapping[str, Any], titles: Mapping[str, str], files: Sequence[tuple[str, str]]
) -> list[Item]:
    """Return the chapter on provenance: the record, and name and content of ``files`` that the report does not set."""
    data = record["data"]
    report = record["report"]
    commit = report["commit"]
    changed = " (with uncommitted changes)" if commit and commit["dirty"] else ""
    facts = {
        "Study": record["study"],
        "Seed": f"{record['seed']}",
        "Versions that made the labels": as_text(record["versions"]),
        "Versions that made this report": as_text(report["versions"]),
        "Commit of this report": f"{commit['commit']}{changed}" if commit else "not known",
        "Machine of this report": f"{report['cpu']}, {report['cores']} cores, {report['system']}",
        "Data inside packages": ", ".join(titles[case] for case in data if not data[case]),
    }
    sums = [(titles[case], name, _short(sum_)) for case in data for name, sum_ in data[case].items()]
    tables = [
        table(("Item", "Value"), [fact for fact in facts.items() if fact[1]]),
        *differing_makers(record["made_by"]),
        table(("Data set", "File", "SHA-256"), sums, "Checksums of the files of data; provenance.json has all digits."),
        table(("File", "Content"), files, "Further files of numbers beside this report."),
    ]
    said = paragraph(SUMS, describe_confirmation(record["confirmed"]))
    return [said, *(item for item in tables if item["rows"])]


def as_text(versions_: Mapping[str, str | None]) -> str:
    """Write versions of packages: "numpy 2.4.6, scipy 1.17.1"."""
    return ", ".join(f"{name} {version}" for name, version in versions_.items() if version)


def differing_makers(makers: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
    """Yield a table of what made which labels, where not all were made with the same versions."""
    jobs: dict[str, list[str]] = {}
    for maker in makers:
        jobs.setdefault(as_text(maker["stamp"]["versions"]), []).extend(maker["jobs"])
    if len(jobs) < 2:
        return
    rows = [(versions, _summarise_jobs(mine)) for versions, mine in jobs.items()]
    caption = "Labels that were made with different versions of packages; provenance.json names every job."
    yield table(("Versions", "Labels of"), rows, caption)


def _summarise_jobs(jobs: Sequence[str]) -> str:
    """Return how many jobs there are, of which methods; a job is "data set: method", perhaps with its subsets."""
    methods = Counter(job.partition(": ")[2].partition(" ")[0] for job in jobs)
    listed = [f"{method} ({number})" for method, number in methods.most_common(MOST_METHODS)]
    more = f" and {count(len(methods) - len(listed), 'other method')}" if len(listed) < len(methods) else ""
    return f"{count(len(jobs), 'job')}: {', '.join(listed)}{more}"


def describe_confirmation(confirmed: Mapping[str, Any]) -> str:
    """Say how many fits of labels that other code made were made again; empty if the code of the run made all."""
    if not confirmed:
        return ""
    fits = confirmed["fits"]
    of = confirmed["of"]
    missed = 1 - 0.05 ** (1 / fits)  # with 95 % confidence, were more fits different, one of the sample would be
    return (
        f"Labels of {count(confirmed['jobs'], 'job')} were made by earlier code and confirmed on {fits:,} of their "
        f"{count(of, 'fit', ',')} "
        f"with the present code, all with the same labels: a change in fewer than {missed:.2%} of the fits could have "
        "been missed."
    )


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
