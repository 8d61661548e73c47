"""``consclust report``: everything the diagnostics say of base clusterings and their consensus, in one document."""

# matplotlib is imported where needed, so that what does without it starts faster

from pathlib import Path

import click

from consclust.cli import effort, options
from consclust.cli.choose_k import estimate_comparison, keep_possible, make_recipe, parse_numbers
from consclust.cli.compare import make_methods
from consclust.cli.options import Source
from consclust.cli.progress import saying_what_is_kept, watched
from consclust.extras import needs

LABELS = "consensus.csv"


@click.command(short_help="Report on the base clusterings in FILE: PDF and page.")
@options.reads_file
@options.n_clusters
@click.option(
    "--method",
    help="Consensus method; see `consclust methods`. Default: LWEA, or one of linear cost where that exceeds its "
    "share of --seconds.",
)
@options.settings
@click.option("--ks", default="2:10", show_default=True, help="Numbers of clusters to compare: 2:10 or 2,3,5.")
@click.option("--ks-method", help="Consensus at each of these. Default: average linkage of the co-association matrix.")
@click.option(
    "--methods",
    "names",
    help=f"Methods to compare, or all. Default: {', '.join(effort.COMPARED)}, or methods of linear cost in place of "
    "those that exceed their share of --seconds.",
)
@options.repeats("draws", 1, 50, "Bootstrap ensembles.")
@options.halves
@options.nulls
@options.folds
@effort.objects
@effort.seconds(120)
@click.option("--title", help="Title of the report. Default: the name of FILE.")
@click.option("--out", type=options.OUT, required=True, help="Folder of the report; its files are overwritten.")
@options.seed
@options.jobs
def report(
    source: Source,
    n_clusters: int,
    method: str | None,
    settings: tuple[str, ...],
    ks: str,
    ks_method: str | None,
    names: str | None,
    draws: int,
    halves: int,
    nulls: int,
    folds: int,
    n_objects: int | None,
    seconds: float,
    title: str | None,
    out: Path,
    seed: int,
    jobs: int,
) -> None:
    """Report on the base clusterings in FILE (see `consclust consensus --help`) and their consensus, without classes.

    The folder gets report.pdf, report.html (one page that needs no network), consensus.csv, and the numbers and
    pictures of every section: the clusters, the number of clusters, contested objects, the base clusterings, methods.

    The default of --ks ends at the number of objects, if that is smaller, and that of --folds at the number of base
    clusterings. With --features, a chapter says which features separate the clusters. With --truth, a chapter has the
    scores of the consensus with the true classes, and pictures show them.

    Example: consclust report labels.csv -k 5 --out report
    """
    with needs("report"):
        from consclust.report import diagnosis
        from consclust.report import own_labels as document
        from consclust.report.wording import file_name

    import matplotlib as mpl

    from consclust.cli.output import check_folder, kept_for_one, write_labels

    own = (*document.files(), LABELS)
    check_folder(out, own, source.path)
    usual = options.make_method(method or effort.DEFAULT, n_clusters, settings, seed, source.features)
    others = make_methods(names, n_clusters, seed, source.features)
    wanted = parse_numbers(ks, "--ks")
    k_method = None if ks_method is None else options.make_method(ks_method, 2, (), seed, source.features)
    data = source.read(seed)
    source.check_k(n_clusters, data)
    source.check_folds(folds, data)
    # the recipe of choose-k, so that both have the same answer
    recipe = make_recipe(source)
    n = data.ensemble.n_objects
    candidates = keep_possible(wanted, "--ks", options.is_given("ks"), n, source, recipe)
    to_compare = data.ensemble if recipe is None else data.features
    plan = effort.plan_report(
        effort.Wanted(
            usual=usual,
            method_is_free=method is None and not settings,
            others=others,
            others_are_free=names is None,
            n_objects=n_objects,
            repeats=effort.Repeats(min(folds, data.ensemble.n_clusterings), draws),
            ks=candidates,
            halves=halves,
            estimate_ks=estimate_comparison(to_compare, candidates, k_method, recipe, nulls, seed),
        ),
        data.ensemble,
        effort.make_budget(seconds),
        seed,
    )
    effort.say(plan.choices)
    effort.say_estimate(plan.need, "the report")
    chosen = diagnosis.Settings(
        method=plan.method,
        ks=candidates,
        others={type(each).__name__: each for each in plan.others},
        draws=plan.draws,
        halves=plan.halves,
        nulls=nulls,
        folds=folds,
        seed=seed,
        recipe=recipe,
        k_method=k_method,
        samples=diagnosis.Samples(*plan.samples),
        cheap=effort.make_cheap(plan.method, data.ensemble, seed),
        choices=plan.choices,
    )
    mpl.use("agg")  # no window
    found = diagnosis.Diagnosis(
        chosen, data.ensemble, data.ids, data.names, data.features, jobs, watched, data.classes, data.feature_names
    )
    facts = {
        "Consensus": f"{plan.method!r}",
        "Base clusterings": source.describe_base() if source.features else "of the file",
        "Numbers of clusters compared": ", ".join(map(str, chosen.ks)),
        "Consensus of these": "average linkage" if k_method is None else f"{k_method!r}",
        "Bootstrap ensembles, random halves, null reference": f"{plan.draws}, {plan.halves}, {nulls}",
        "Seed": f"{seed}",
    }
    if data.classes is not None:
        facts["Known classes"] = data.classes.describe()
    with kept_for_one(out, own), saying_what_is_kept(lambda: describe_kept(out)):
        write_labels(out / LABELS, data.ids, found.labels)
        document.write_report(found, source.path, title or f"Consensus of {file_name(source.path)}", facts, out)
    click.echo(f"{out / 'report.pdf'}, {out / 'report.html'}", err=True)


def describe_kept(out: Path) -> str:
    """Say which sections an interrupted report has written."""
    tables = sorted(path.name for path in out.glob("*.csv"))
    return f"{out} has {', '.join(tables)}, and no report" if tables else ""
