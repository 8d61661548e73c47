# What the rules share: the plan of the run, and how a job's needs become resources.
import atexit
import fcntl
import json
import os
import re
import sys
from functools import cache
from pathlib import Path


def stop(mistake):
    """End with a message; a WorkflowError would add lines of this file, which the user need not read."""
    print(mistake, file=sys.stderr, flush=True)
    os._exit(1)


def put_first(variable, folder):
    os.environ |= {variable: os.pathsep.join([str(folder), *filter(None, [os.getenv(variable)])])}


STORED = workflow.storage_settings.default_storage_provider is not None
"""Whether files go to a storage, and not to this folder."""

IS_MODULE = Path(str(workflow.current_basedir)).parents[1] not in Path(str(workflow.main_snakefile)).absolute().parents
"""Whether another workflow, in a folder of its own, uses this one."""

# a clone runs with its own source, in all jobs
if (SOURCE := Path(str(workflow.current_basedir)).parents[1] / "src").is_dir():
    sys.path.insert(0, str(SOURCE))
    put_first("PYTHONPATH", SOURCE)

try:
    from consclust.datasets.registry import load_registry
    from consclust.errors import InputError
    from consclust.validation import did_you_mean
    from consclust_studies.plan import costs, load_plan, needs
    from consclust_studies.plan.own_files import own_files
    from consclust_studies.plan.sources import check_sources
    from consclust_studies.document.provenance import git_commit
except ImportError as absent:
    if "--lint" not in sys.argv:
        stop(f"{absent}: install what the workflow needs, pip install '.[workflow]' in the folder of the project")
    from types import SimpleNamespace

    PLAN = SimpleNamespace(studies=(), runs={}, names=dict, fetched_files=lambda here: ".+")
    DEFAULT_STUDY = None
except InputError as mistake:  # in a file of an exhibit
    stop(mistake)
else:
    try:
        PLAN = load_plan(config, elsewhere=workflow.remote_exec, given=workflow.config_settings.config)
    except InputError as mistake:
        stop(mistake)
    DEFAULT_STUDY = "quickstart" if "quickstart" in PLAN.studies else next(iter(PLAN.studies))
    if STORED and not workflow.remote_exec:
        os.environ |= {"CONSCLUST_COMMIT": json.dumps(git_commit(Path.cwd()))}
        os.environ |= {"CONSCLUST_OWN_FILES": json.dumps(own_files(load_registry()))}
    if PLAN.settings.data_mirror:
        os.environ.setdefault("CONSCLUST_DATA_MIRROR", PLAN.settings.data_mirror)

# Before every query of jobs the plugin for Slurm asks how long squeue remembers them. While the controller is down it has
# no answer, turns to sacct, gets none without accounting either, forgets all jobs and waits for ever. So the first answer
# is kept.
SLURM = sys.modules.get("snakemake_executor_plugin_slurm")
if hasattr(SLURM, "get_min_job_age"):
    SLURM.get_min_job_age = cache(SLURM.get_min_job_age)

# jobs run with the Python of this Snakemake, whether its environment is activated or not
put_first("PATH", Path(sys.executable).parent)


def named(path, **names):
    """The path of an output, with what its wildcards stand for.

    A constraint in the path itself holds in every storage (that of S3 forgets those of wildcard_constraints), and only
    here where this workflow is a module of another."""
    known = PLAN.names() | names
    return re.sub(r"{(\w+)}", lambda wildcard: f"{{{wildcard[1]},{known.get(wildcard[1], '.+')}}}", path)


REPORTS = {}
"""The reports that this run makes."""


def report_of(study):
    """All files of the report of a study; says why if the settings exclude the study."""

    def files(wildcards):
        if study in PLAN.refused:
            stop(PLAN.refused[study])
        REPORTS[f"reports/{PLAN.run_of[study]}/report.pdf"] = study
        return PLAN.report_files(PLAN.run_of[study])

    return files


def no_such_study(wildcards):
    """Say that a target is neither a study nor a file, and which studies there are."""
    studies = sorted(PLAN.studies)
    near = did_you_mean(wildcards.word, studies)
    hint = f"{near} " if near.endswith("?") else ""
    stop(f"{wildcards.word}: no such study or file; {hint}studies: {', '.join(studies)}")


def of_tables(run, function):
    """The function of the run and all of its tables."""
    return lambda wildcards: function(run, *PLAN.tables(run))


def or_stop(function):
    """The function, which ends with a message where the user's files or names are wrong."""

    def found(wildcards):
        try:
            return function(wildcards)
        except InputError as mistake:
            stop(mistake)

    return found


def pieces_of(matrix):
    if STORED:
        raise InputError(f"data/labels/{matrix}: pieces of labels must lie in a folder that all jobs share, no storage")
    return PLAN.pieces(matrix)


def of_size(wildcards, input, attempt):
    return int(attempt * (1000 + 20 * input.size_mb))


def megabytes(need):
    return lambda wildcards, attempt: need(wildcards).of_attempt(attempt).mb


def minutes(need):
    return lambda wildcards, attempt: need(wildcards).of_attempt(attempt).minutes


def seconds_of(wildcards):
    """The estimated seconds of what a consensus job fits."""
    study = PLAN.studies[wildcards.study]
    case = study.case(wildcards.case)
    return costs.seconds_of_fits(PLAN, study.id, case, study.run(case, wildcards.method), wildcards.block)


def with_its_case(wildcards):
    """Consensus jobs that are not worth a cluster job of their own go with the base clusterings of their case."""
    return costs.group_of_fits(seconds_of(wildcards))


def longest_first(seconds):
    """A priority below 1 that rises with the seconds of a job, so that no long one runs alone at the end."""
    return lambda wildcards: 1 - 1 / (1 + seconds(wildcards))


def lock_folder():
    """Refuse a second run in this folder. The kernel drops the lock with the process, however it ends, so that
    the same command resumes after a kill; Snakemake's own lock would have to be removed by hand first."""
    global LOCK
    LOCK = open(".snakemake/consclust.lock", "w")
    try:
        fcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another Snakemake is at work in this folder; wait for it, or stop it") from None


def lift_default_rate_of_jobs(scheduler):
    """Let any number of jobs start in a second, unless --max-jobs-per-timespan limits it.

    For its default, 100 in a second, Snakemake looks for jobs once a second more for every job that has ended; after
    some hundreds this takes most of a core."""
    limit = scheduler.job_rate_limiter
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        scheduler.job_rate_limiter = None
