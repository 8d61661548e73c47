"""Exit with 1 if a Snakemake is at work in this folder. `make env` asks before any package is installed."""

import fcntl
import sys
from pathlib import Path

LOCK = Path(".snakemake/consclust.lock")

if LOCK.exists():
    with LOCK.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(1)
        except OSError:  # a file system without locks: nobody can say
            pass
