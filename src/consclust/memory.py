"""How much memory this process may still take."""

import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
# Of both versions of Linux' control groups: folder, limit, what is used, and what of that can be dropped at once.
VERSIONS = {
    "": ("", "memory.max", "memory.current", "inactive_file"),
    "memory": ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def available(root: Path = CGROUPS, process: Path = Path("/proc")) -> int | None:
    """Return the bytes that are free on this machine and within the limits of this process; None where nothing says.

    On Linux without the memory that only caches files; elsewhere all that is installed.
    """
    return min([*_free_on_machine(process), *_free_in_groups(root, process), *_free_addresses(process)], default=None)


def _free_on_machine(process: Path) -> Iterator[int]:
    try:
        lines = dict(line.split(":") for line in (process / "meminfo").read_text().splitlines())
        yield 1024 * int(lines["MemAvailable"].split()[0])
    except (OSError, KeyError):
        try:
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):  # e.g. on Windows
            return


def _free_addresses(process: Path) -> Iterator[int]:
    """Yield the address space that ``ulimit -v`` leaves to this process, where it has a limit."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        taken = (process / "self/statm").read_text().split()[0]
        if limit != resource.RLIM_INFINITY:
            yield max(limit - int(taken) * resource.getpagesize(), 0)
    except (ImportError, OSError):  # e.g. on Windows
        return


def _free_in_groups(root: Path, process: Path) -> Iterator[int]:
    """Yield what each control group of this process, and each group around it, may still take, where it has a limit."""
    try:
        groups = [line.split(":", 2) for line in (process / "self/cgroup").read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in groups:
        for version in VERSIONS.keys() & set(controllers.split(",")):
            folder, limit, used, droppable = VERSIONS[version]
            group = Path(path.lstrip("/"))
            for part in (group, *group.parents):
                here = root / folder / part
                try:
                    statistics = dict(line.split() for line in (here / "memory.stat").read_text().splitlines())
                    most, taken = int((here / limit).read_text()), int((here / used).read_text())
                    yield max(most - taken + int(statistics[droppable]), 0)
                except (OSError, ValueError, KeyError):  # there is no such group, or no limit
                    continue
