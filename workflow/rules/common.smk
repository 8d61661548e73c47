# What the rules share: the plan of the run, and how a job's needs become resources.
import atexit
import fcntl
import json
import os
import re
import sys
from functools import cache
from pathlib import Path

from snakemake.logging import logger


def stop(mistake):
    """End with a message; a WorkflowError would add lines of this file, which the user need not read."""
    sys.exit(str(mistake))


def put_first(variable, folder):
    os.environ |= {variable: os.pathsep.join([str(folder), *filter(None, [os.getenv(variable)])])}


for folder in (Path(str(workflow.current_basedir)).parents[1], Path.cwd()):
    if {"{", "}"} & {*str(folder)}:
        stop(f"{folder}: Snakemake takes braces in a path for wildcards; rename the folder, or move the project")

STORED = workflow.storage_settings.default_storage_provider is not None
"""Whether files go to a storage, and not to this folder."""

IS_MODULE = Path(str(workflow.current_basedir)).parents[1] not in Path(str(workflow.main_snakefile)).absolute().parents
"""Whether another workflow, in a folder of its own, uses this one."""

# a clone runs with its own source, in all jobs
if (SOURCE := Path(str(workflow.current_basedir)).parents[1] / "src").is_dir():
    sys.path.insert(0, str(SOURCE))
    put_first("PYTHONPATH", SOURCE)

from consclust_studies import paths  # needs no other package: the catalogue of workflows lints without any

try:
    from consclust.datasets.registry import load_registries
    from consclust.errors import InputError
    from consclust.validation import did_you_mean
    from consclust_studies.document.provenance import git_commit
    from consclust_studies.plan import check_command_line, load_plan
    from consclust_studies.plan.costs import check_budget
    from consclust_studies.plan.known_runs import store_settings
    from consclust_studies.plan.made import Made
    from consclust_studies.plan.outlook import describe_rest
    from consclust_studies.plan.own_files import compute_checksums
    from consclust_studies.plan.sources import check_sources
    from consclust_studies.progress import show_finished_jobs
    from consclust_studies.summary_label import write_as_label
except ImportError as absent:
    if "--lint" not in sys.argv:
        stop(f"{absent}: install what the workflow needs, pip install '.[workflow]' in the folder of the project")
    from types import SimpleNamespace

    PLAN = SimpleNamespace(studies=(), runs={}, names=dict, fetched_files=lambda here: ".+")
    MADE = SimpleNamespace(find_versions=None)
    DEFAULT_STUDY = None
except InputError as mistake:  # in a file of an exhibit
    stop(mistake)
else:
    try:
        check_command_line(sys.argv[1:])
        PLAN = load_plan(config, elsewhere=workflow.remote_exec, given=workflow.config_settings.config, stored=STORED)
    except InputError as mistake:
        stop(mistake)
    MADE = Made(PLAN)
    DEFAULT_STUDY = PLAN.settings.default_study or next(iter(PLAN.studies))
    if STORED and not workflow.remote_exec:
        os.environ |= {"CONSCLUST_COMMIT": json.dumps(git_commit(Path.cwd()))}
        os.environ |= {"CONSCLUST_OWN_FILES": json.dumps(compute_checksums(load_registries()))}
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


def list_report(study):
    """All files of the report of a study; says why if the settings exclude the study."""

    def files(wildcards):
        if study in PLAN.refused:
            stop(PLAN.refused[study])
        run = PLAN.run_of[study]
        REPORTS[f"reports/{run}/report.pdf"] = study
        if not workflow.remote_exec:
            try:
                check_budget(PLAN, run)
            except InputError as mistake:
                stop(mistake)
            for line in MADE.describe_other_versions(run):
                print(line, file=sys.stderr, flush=True)
        return PLAN.list_report_files(run)

    return files


def no_such_study(wildcards):
    """Say that a target is neither a study nor a file, and which studies there are."""
    studies = sorted(PLAN.studies)
    near = did_you_mean(wildcards.word, studies)
    hint = f"{near} " if near.endswith("?") else ""
    stop(f"{wildcards.word}: no such study or file; {hint}studies: {', '.join(studies)}")


def or_stop(function):
    """The function, which ends with a message where the user's files or names are wrong."""

    def found(wildcards):
        try:
            return function(wildcards)
        except InputError as mistake:
            stop(mistake)

    return found


def ask_job(rule, function, **names):
    """A function of the planned job of a rule."""
    return or_stop(lambda wildcards: function(PLAN.job(rule, **{**dict(wildcards.items()), **names})))


def list_inputs(rule, **names):
    """The inputs of a rule by name; the plan alone knows them."""
    return unpack(ask_job(rule, lambda job: job.inputs, **names))


def find_spec(rule, **names):
    """The digest of the spec of a job: Snakemake compares it with that of the last run, and repeats the job if it is another.

    The spec itself goes to the job in a file, as a command line has an end, see write_job_file."""
    return ask_job(rule, lambda job: job.spec.digest, **names)


def find_versions(rule, **names):
    """The versions that made the output of a job; with --config versions=rerun those that are installed."""
    return ask_job(rule, MADE.find_versions, **names)


def write_job_file(rule, **names):
    """The file with the job for the process that does it. A param that depends on inputs is not compared between runs."""

    def written(wildcards, input, output):
        job = PLAN.job(rule, **{**dict(wildcards.items()), **names})
        given = job.to_file(
            by_name(input),
            by_name(output),
            confirm=PLAN.settings.confirms,
            sorts=PLAN.settings.refit,
            keep_versions=PLAN.settings.versions == "keep",
        )
        return given.path if workflow.dryrun else given.write()

    return written


def by_name(files):
    return {name: [paths] if isinstance(paths, str) else list(paths) for name, paths in files.items()}


def with_place_in_summary(run, file):
    """The file of a table; its page has a place in what `snakemake --report` writes."""
    exhibit = Path(file).stem
    if not file.endswith(".html"):
        return file
    return report(
        file,
        caption="../report/exhibit.rst",
        category=run,
        subcategory="Tables",
        labels={"exhibit": write_as_label(PLAN.runs[run].exhibit(exhibit).title), "file": exhibit},
    )


DO_JOB = "python -m consclust_studies {params.job:q} --log {log:q}"
"""What every rule does."""


def scale_with_inputs(wildcards, input, attempt):
    return int(attempt * (1000 + 20 * input.size_mb))


def megabytes(rule, **names):
    return lambda wildcards, attempt: ask_job(rule, lambda job: job.need.for_attempt(attempt).mb, **names)(wildcards)


def minutes(rule, **names):
    return lambda wildcards, attempt: ask_job(rule, lambda job: job.need.for_attempt(attempt).minutes, **names)(
        wildcards
    )


def with_its_case(wildcards):
    """Consensus jobs that are not worth a cluster job of their own go with the base clusterings of their case."""
    return PLAN.job("consensus", **dict(wildcards.items())).group


def longest_first(rule):
    """A priority below 1 that rises with the seconds of a job, so that no long one runs alone at the end."""
    return ask_job(rule, lambda job: 1 - 1 / (1 + job.need.seconds))


def show_start():
    """Say what each study has before it, and show a line for each finished job from now on, unless --quiet hides them."""
    if {"all", "progress"} & {kind.name.lower() for kind in workflow.output_settings.quiet or ()}:
        return
    cores = None if workflow.resource_settings.nodes else workflow.resource_settings.cores
    for study in REPORTS.values():
        print(describe_rest(PLAN, PLAN.run_of[study], cores), file=sys.stderr, flush=True)
    show_finished_jobs(logger)


def lock_folder():
    """Refuse a second run in this folder. The kernel drops the lock with the process, however it ends, so that
    the same command resumes after a kill; Snakemake's own lock would have to be removed by hand first."""
    global LOCK
    LOCK = open(".snakemake/consclust.lock", "w")
    try:
        fcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another Snakemake is at work in this folder; wait for it, or stop it") from None
    except OSError as error:  # Lustre without flock, NFS without its lock daemon
        print(
            f"no lock in this file system ({error.strerror}): do not start a second run in this folder", file=sys.stderr
        )


def lift_default_rate_of_jobs(scheduler):
    """Let any number of jobs start in a second, unless --max-jobs-per-timespan limits it.

    With a limit, however high, Snakemake looks for jobs once a second more for every job that has ended; after some
    hundreds this takes most of a core. Its default is a limit of 100 in a second, and no option lifts it."""
    limit = scheduler.job_rate_limiter
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        scheduler.job_rate_limiter = None
