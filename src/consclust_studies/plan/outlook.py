"""What a run has before it, said when it starts."""

from pathlib import Path

from consclust.plurals import count
from consclust_studies.plan.costs import find_makespan, format_duration, list_jobs, select_jobs
from consclust_studies.plan.plan import Plan


def describe_rest(plan: Plan, run: str, cores: int | None) -> str:
    """Return a line on the jobs of a run whose files are not there, with an estimate of their time.

    Jobs that are repeated because something has changed are not counted, as only Snakemake knows them.

    Parameters
    ----------
    plan : the plan with the run.
    run : its name.
    cores : of this machine; None on a cluster, which runs as many jobs as there is room for.
    """
    jobs = list_jobs(plan, run)
    rest = select_jobs(jobs, {job.name for job in jobs if not Path(job.name).exists()})
    if not rest:
        return f"{run}: the files of all {len(jobs)} jobs are there; what has changed is computed again"
    if cores is None:
        time = f"{format_duration(sum(job.seconds for job in rest))} of CPU time"
    else:
        seconds = find_makespan(rest, cores)
        time = f"{format_duration(seconds)} on {count(cores, 'core')}"
    return f"{run}: {len(rest)} of {count(len(jobs), 'job')} without files yet, about {time}"
