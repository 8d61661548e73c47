"""What a run without a shared file system takes along: the files under version control, and the name of the commit."""

import subprocess
from pathlib import Path

from consclust.errors import InputError

SHIPPED = ("config", "Snakefile", "src", "studies", "workflow")


def check_sources(folder: Path) -> None:
    """Raise :class:`InputError` if jobs elsewhere would lack a file: Snakemake ships those that Git tracks."""
    # ignored files are left out: results, and the environment
    command = ["git", "-C", str(folder), "ls-files", "--others", "--exclude-standard", "--", *SHIPPED]
    try:
        untracked = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        raise InputError(
            f"{folder}: not a Git repository; jobs without a shared file system get the files that Git tracks: "
            "run in a clone of the project"
        ) from None
    if untracked:
        raise InputError(
            f"{', '.join(untracked)}: Git does not track it, so no job elsewhere would have it; git add it"
        )
