# What the rules share: the checked configuration, where files lie, and which code a rule depends on.
import fcntl
import json
import os
import re
import sys
from pathlib import Path

from concord import cluster
from concord.config.figures import GRID_FIGURES, fitted_methods, named_cases
from concord.config.files import STUDIES as STUDY_FILES, load_config, load_study
from concord.config.restrictions import check_restrictions, restrict
from concord.datasets.registry import MADE, load_registry
from concord.errors import InputError
from concord.fingerprint import fingerprint
from concord.methods import registry

try:
    SETTINGS = load_config(config)
    DATASETS = load_registry()
    WHOLE_STUDIES = [load_study(path, DATASETS) for path in sorted(STUDY_FILES.glob("*.yaml"))]
    check_restrictions(WHOLE_STUDIES, SETTINGS)
except InputError as mistake:
    # a WorkflowError would add the lines of this file, which the user need not read
    print(mistake, file=sys.stderr, flush=True)
    os._exit(1)

STUDIES = {study.id: small for study in WHOLE_STUDIES if (small := restrict(study, SETTINGS))}

DEFAULT_STUDY = "quickstart" if "quickstart" in STUDIES else next(iter(STUDIES))

# jobs run with the Python of this Snakemake, whether its environment is activated or not
os.environ |= {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.getenv("PATH", "")])}

if SETTINGS.data_mirror:
    os.environ.setdefault("CONCORD_DATA_MIRROR", SETTINGS.data_mirror)


wildcard_constraints:
    study="|".join(STUDIES),
    case=r"[A-Za-z0-9][A-Za-z0-9_-]*",
    method=r"[A-Za-z0-9][A-Za-z0-9_-]*",
    dataset="|".join(DATASETS),
    steps=r"[a-z0-9_-]+",
    block=r"\d+-\d+",
    figure="|".join(GRID_FIGURES),
    view="|".join({view.id for study in STUDIES.values() for view in study.views}) or "(?!)",
    further="|".join(sorted({figure.id for study in STUDIES.values() for figure in study.figures})) or "(?!)",


def case_of(wildcards):
    return STUDIES[wildcards.study].case(wildcards.case)


def shape_of(dataset):
    return DATASETS[dataset].shape or cluster.UNTOLD


def prepare_need(wildcards):
    return cluster.prepare(shape_of(wildcards.dataset))


def ensemble_need(wildcards):
    case = case_of(wildcards)
    return cluster.ensembles(STUDIES[wildcards.study], case, shape_of(case.dataset))


def consensus_need(wildcards):
    first, last = map(int, wildcards.block.split("-"))
    study, case, run = STUDIES[wildcards.study], case_of(wildcards), method_of(wildcards)
    return cluster.consensus(study, case, run, shape_of(case.dataset), last + 1 - first)


def score_need(wildcards):
    return cluster.score(STUDIES[wildcards.study], shape_of(case_of(wildcards).dataset))


def generalisation_need(wildcards):
    case = case_of(wildcards)
    return cluster.generalisation(STUDIES[wildcards.study], case, shape_of(case.dataset))


def report_need(wildcards):
    return cluster.report()


def further_need(wildcards):
    """Of a figure: that of a report, and the fits with matrices over the objects beside them."""
    study, figure = STUDIES[wildcards.study], further_figure(wildcards)
    needs = [cluster.report()]
    for case in (case for case in study.cases if case.id in named_cases(figure)):
        shape = shape_of(case.dataset)
        runs = [run for run in study.runs(case) if run.id in fitted_methods(figure)]
        needs += [cluster.figure(study, case, run, shape) for run in runs]
    return cluster.Need(max(need.mb for need in needs), sum(need.minutes for need in needs))


def megabytes(need):
    return lambda wildcards, attempt: need(wildcards).of_attempt(attempt).mb


def minutes(need):
    return lambda wildcards, attempt: need(wildcards).of_attempt(attempt).minutes


def with_its_case(wildcards):
    """Consensus jobs that are not worth a cluster job of their own go with the base clusterings of their case."""
    return "case" if consensus_need(wildcards).minutes <= cluster.SMALL_MINUTES else None


def raw_files(dataset, files):
    return [f"data/raw/{dataset}/{file.name}" for file in files]


def datasets_without_files():
    """Pattern of a data set before ``/<file>``, for files that are not there. What is there may be the user's
    only copy: as an output of a rule, Snakemake would delete it before it ran the rule again."""
    files = [path for dataset, spec in DATASETS.items() for path in raw_files(dataset, spec.raw_files)]
    present = "|".join(re.escape(path.removeprefix("data/raw/")) for path in files if Path(path).exists())
    return f"(?!(?:{present})$)(?:{'|'.join(DATASETS)})"


def steps_of(case):
    return "-".join(case.steps(DATASETS[case.dataset])) or "raw"


def step_arguments(wildcards):
    """Always given: without it the steps of the registry apply, also where a case has none."""
    return f"--steps {wildcards.steps.replace('-', ',')}"


def prepared_file(case):
    return f"data/prepared/{case.dataset}/{steps_of(case)}.npz"


def run_files(study, case, run, suffix):
    folder = f"results/{study.id}/consensus/{case.id}/{run.id}"
    return [f"{folder}/{first}-{last - 1}{suffix}" for first, last in study.blocks(case, SETTINGS.subsets_per_job)]


def block_files(study, case, suffix):
    return [file for run in study.runs(case) for file in run_files(study, case, run, suffix)]


def all_blocks(study, suffix):
    return [file for case in study.cases for file in block_files(study, case, suffix)]


def reading_blocks(study, suffix, case_id=None):
    runs = [(case, run) for case, run in study.reading_runs() if case_id in (None, case.id)]
    return [file for case, run in runs for file in run_files(study, case, run, suffix)]


def ready_made(wildcards):
    case = case_of(wildcards)
    if case.ensemble in MADE:
        return []
    return raw_files(case.dataset, [DATASETS[case.dataset].ensembles[case.ensemble].file])


def number_word(n_clusters):
    return ",".join(map(str, n_clusters)) if isinstance(n_clusters, tuple) else n_clusters


def ensemble_arguments(wildcards):
    """No argument ``input``: Snakemake does not compare params of such functions between runs."""
    study, case = STUDIES[wildcards.study], case_of(wildcards)
    protocol = study.ensemble
    subsets = f"--study {study.id} --runs {protocol.runs} --subset-size {study.subset_size(case)}"
    if protocol.draws:
        subsets = f"{subsets} --draws {protocol.draws} --draw-seed {protocol.draw_seed}"
    if case.ensemble in MADE:
        own = f"--init {case.init} --feature-share {case.feature_share}"
        if case.ensemble == "mixed":
            own = f"--object-share {case.object_share}"
        return (
            f"{case.ensemble} {subsets} --case {study.pool(case).id} --seed {SETTINGS.seed}"
            f" --n-clusters {number_word(case.n_clusters or protocol.n_clusters)} --max-iter {protocol.max_iter} {own}"
        )
    return f"ready-made {subsets} --dataset {case.dataset} --name {case.ensemble}"


def ready_made_file(wildcards):
    return "".join(f"--file {path}" for path in ready_made(wildcards))


def ready_made_entry(wildcards):
    case = case_of(wildcards)
    return "" if case.ensemble in MADE else DATASETS[case.dataset].ensembles[case.ensemble].model_dump_json()


def method_of(wildcards):
    return STUDIES[wildcards.study].run(case_of(wildcards), wildcards.method)


def features_of_the_method(wildcards):
    """The prepared data set, for a method that needs the objects' features; base clusterings do for the others."""
    study, case, run = STUDIES[wildcards.study], case_of(wildcards), method_of(wildcards)
    needed = registry.needs_features(run.method, study.parameters(case, run), run.points)
    return [prepared_file(case)] if needed else []


TABLES = [
    *("table1.csv", "table1.md", "table2.csv", "table2.md", "claims.csv", "claims.md", "pvalues.csv"),
    *("agreement.csv", "agreement.md", "ranks.csv", "restarts.csv", "restarts.md", "grids.csv", "grids.md"),
]
READINGS = ["readings.csv", "readings.md"]
RECORDS = ["runtime.csv", "runtime.md", "provenance.json", "SHA256SUMS"]


def figure_files(study):
    grids = [name for name in GRID_FIGURES if getattr(study, name)]
    pictures = [f"{name}.{suffix}" for name in grids for suffix in ("svg", "pdf", "png")]
    further = [f"{figure.id}.{suffix}" for figure in study.figures for suffix in ("svg", "pdf", "png", "csv")]
    return [*pictures, *further]


def further_figure(wildcards):
    return STUDIES[wildcards.study].figure(wildcards.further)


def objects_shown(wildcards):
    """Cases of which the further figure shows the objects themselves."""
    figure = further_figure(wildcards)
    cases = STUDIES[wildcards.study].cases
    return [case for case in cases if figure.kind == "objects" and case.id in figure.cases]


def objects_argument(wildcards):
    words = [f"{case.id}={prepared_file(case)}" for case in objects_shown(wildcards)]
    return f"--prepared {' '.join(words)}" if words else ""


def further_inputs(wildcards):
    """What the further figure is drawn from: the scores, the objects, or the base clusterings of its cases."""
    study, figure = STUDIES[wildcards.study], further_figure(wildcards)
    if figure.kind == "objects":
        return [prepared_file(case) for case in objects_shown(wildcards)]
    if figure.kind == "bars":
        return f"results/{study.id}/selected.parquet"
    if figure.kind == "sizes":
        return [f"results/{study.id}/selected.parquet", *reading_results(wildcards, "selected.parquet")]
    if figure.kind == "grid_line":
        return [f"results/{study.id}/scores.parquet"]
    wanted = named_cases(figure) or [case.id for case in study.cases]
    return [f"results/ensembles/{study.id}/{case.id}.npz" for case in study.cases if case.id in wanted]


def further_code(wildcards):
    """The code behind a further figure, with the methods that it fits."""
    study, figure = STUDIES[wildcards.study], further_figure(wildcards)
    fitted = {run.method for run in study.methods if run.id in fitted_methods(figure)}
    return fingerprint("concord.reports.further", whole=[registry.module_of(method) for method in sorted(fitted)])


def reading_files(study):
    return READINGS if study.readings_by_case() else []


def unseen_files(study):
    return ["generalisation.csv", "generalisation.md"] if study.generalised() else []


def unseen_scores(wildcards):
    study = STUDIES[wildcards.study]
    return [f"results/{study.id}/generalisation/{case.id}.parquet" for case in study.generalised()]


def unseen_code(wildcards):
    study = STUDIES[wildcards.study]
    fitted = {study.method(method.method).method for method in study.generalisation.methods}
    return fingerprint("concord.scores.generalisation", whole=[registry.module_of(method) for method in sorted(fitted)])


def view_files(study):
    return [f"{view.id}.{suffix}" for view in study.views for suffix in ("csv", "md")]


def starts_files(study):
    return ["starts.csv", "starts.md", "f1_bounds.csv"] if study.starts else []


def starts_ensembles(wildcards):
    study = STUDIES[wildcards.study]
    return [f"results/ensembles/{study.id}/{case.id}.npz" for case, _ in study.started()]


def starts_blocks(wildcards):
    study = STUDIES[wildcards.study]
    return [file for case, runs in study.started() for run in runs for file in run_files(study, case, run, ".npz")]


def shown_files(study):
    further = [*view_files(study), *starts_files(study), *unseen_files(study), *reading_files(study)]
    return [*TABLES, *further, *figure_files(study)]


def reading_results(wildcards, *names):
    if not STUDIES[wildcards.study].readings_by_case():
        return []
    return [f"results/{wildcards.study}/readings/{name}" for name in names]


def report_files(study):
    names = [*shown_files(study), *RECORDS, "report.pdf"]
    return [f"reports/{study.id}/{name}" for name in names]


def for_the_pdf(wildcards):
    study = STUDIES[wildcards.study]
    return [f"reports/{study.id}/{name}" for name in shown_files(study)]


def prepared_words(wildcards):
    return [f"{case.id}={prepared_file(case)}" for case in STUDIES[wildcards.study].described]


def printed_tables(wildcards):
    folder = STUDIES[wildcards.study].published
    return sorted(str(path) for path in Path(f"config/published/{folder}").glob("*.csv")) if folder else []


def lock_folder():
    """Refuse a second run in this folder. The kernel drops the lock with the process, however it dies, so that
    the same command resumes after a kill; Snakemake's own lock would have to be removed by hand first."""
    global LOCK
    LOCK = open(".snakemake/concord.lock", "w")
    try:
        fcntl.flock(LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError("another Snakemake is at work in this folder; wait for it, or stop it") from None
