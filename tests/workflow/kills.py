"""Real runs that are killed at a random moment."""

import contextlib
import os
import random
import signal
import subprocess
import time

from conftest import Project


def jobs_of(snakemake: int) -> list[int]:
    """The processes of jobs below a Snakemake."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    below = {snakemake}
    for _ in range(4):
        below |= {int(pid) for pid, parent, _ in rows if int(parent) in below}
    return [int(pid) for pid, _, args in rows if int(pid) in below and "-m consclust" in args and "/sh" not in args]


def disturbed(project: Project, study: str, random_: random.Random, longest: float) -> bool:
    """Run the command and kill a job, Snakemake, or all of it at a random moment; say whether it had ended before."""
    running = subprocess.Popen(
        project.command(study),
        cwd=project.folder,
        env=project.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        running.wait(random_.uniform(0.2, longest))
        return True
    except subprocess.TimeoutExpired:
        victim = random_.choice(["job", "snakemake", "all"])
        with contextlib.suppress(ProcessLookupError):
            if victim == "job":
                for pid in jobs_of(running.pid)[:1]:
                    os.kill(pid, signal.SIGKILL)
                time.sleep(random_.uniform(0, 1))
            elif victim == "snakemake":
                os.kill(running.pid, signal.SIGKILL)
                time.sleep(random_.uniform(0, 1))  # its jobs go on alone for a while
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        return False
