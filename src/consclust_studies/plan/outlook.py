"""What a run has before it, said when it starts."""

from pathlib import Path

from consclust.plurals import count
from consclust_studies.confirm import SHARE
from consclust_studies.contents import read_marks
from consclust_studies.kept_blocks import LONG
from consclust_studies.kinds import KINDS
from consclust_studies.plan.costs import find_makespan, format_duration, list_jobs, select_jobs
from consclust_studies.plan.jobs import PlannedJob
from consclust_studies.plan.plan import Plan
from consclust_studies.runner import PREVIOUS
from consclust_studies.specs import differ_in_code_alone
from consclust_studies.stages.consensus import ConsensusJob, SubsetRange


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
    shares = find_shares_to_confirm(plan, run)
    rest = [job._replace(seconds=job.seconds * shares.get(job.name, 1.0)) for job in rest]
    if cores is None:
        time = f"{format_duration(sum(job.seconds for job in rest))} of CPU time"
    else:
        seconds = find_makespan(rest, cores)
        time = f"{format_duration(seconds)} on {count(cores, 'core')}"
    return f"{run}: {len(rest)} of {count(len(jobs), 'job')} without files yet, about {time}"


def find_shares_to_confirm(plan: Plan, run: str) -> dict[str, float]:
    """Return the share of its seconds that each job takes whose earlier result is confirmed, by its first output."""
    if not plan.settings.confirms:
        return {}
    return {job.first_output: find_share(job) for job in plan.list_jobs(run) if has_earlier_result(job)}


def has_earlier_result(job: PlannedJob) -> bool:
    """Whether other code has made what a job makes, and a sample of it can be confirmed."""
    if not KINDS[job.kind].is_sampled:
        return False
    marks = read_marks(PREVIOUS / job.first_output)
    return marks is not None and differ_in_code_alone(marks.spec, job.spec.json_text)


def find_share(job: PlannedJob) -> float:
    """Return the share of its seconds that the sample of a job takes; jobs that take long share a sample."""
    assert isinstance(job.spec, ConsensusJob), "no other kind is sampled"
    n_fits = len(SubsetRange.parse(job.arguments["block"]).subsets) * len(job.spec.points)
    return SHARE if job.need.seconds >= LONG else max(SHARE, 1 / n_fits)
