"""``consclust choose-k``: how many clusters, by several criteria, perhaps one."""

# matplotlib is imported where needed, so that what does without it starts faster

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consclust.cli import options
from consclust.cli.options import Source
from consclust.errors import InputError
from consclust.extras import needs
from consclust.files import write_text, written_whole

if TYPE_CHECKING:
    import numpy.typing as npt

    from consclust.diagnostics import ConsensusValues, ResampledKMeans
    from consclust.diagnostics.resampling import Stage
    from consclust.ensemble import IntArray

TABLES = ("criteria.csv", "consensus.csv", "cdf.csv")
PICTURES = ("criteria.png", "cdf.png", "delta_area.png", "tracking.png")


@click.command(name="choose-k")
@options.reads_file
@click.option("--k", "-k", "numbers", default="2:10", show_default=True, help="A range, ends included, or 2,3,5.")
@click.option("--method", help="Consensus at each k. Default: average linkage of the co-association matrix.")
@options.settings
@click.option("--halves", type=click.IntRange(1), default=20, show_default=True, help="Random halves of the labels.")
@click.option("--nulls", type=click.IntRange(0), default=19, show_default=True, help="Draws without clusters; 0: none.")
@click.option("--out", type=options.OUT, help=f"Folder for {', '.join((*TABLES, *PICTURES))}; they are overwritten.")
@options.seed
@options.jobs
def choose_k(
    source: Source,
    numbers: str,
    method: str | None,
    settings: tuple[str, ...],
    halves: int,
    nulls: int,
    out: Path | None,
    seed: int,
    jobs: int,
) -> None:
    """Compare numbers of clusters for the base clusterings in FILE (see `consclust consensus --help`).

    Each criterion is compared with its values in data without clusters, so that one cluster may be the answer; its
    choice has a star. The last line recommends one number, and says why and how sure that is. With --features,
    k-means clusters random parts of the objects at each k, without --halves and --base-k. The default of --k ends at
    the number of objects, if that is smaller.

    Example: consclust choose-k labels.csv --k 2:12 --out diagnosis
    """
    from consclust.cli.output import check_folder
    from consclust.diagnostics import choose_k as compare_numbers
    from consclust.diagnostics import resampled

    if out is not None:
        check_folder(out, (*TABLES, *PICTURES))
    _check_options(source, method, settings)
    ks = parse_numbers(numbers, "--k")
    fitted = None if method is None else options.make_method(method, ks[0], settings, seed, source.features)
    matrix, ids, *_ = source.table()
    recipe = make_recipe(source)
    ks = keep_possible(ks, "--k", options.is_given("numbers"), len(ids), source, recipe)
    given: dict[str, Any] = {"ks": ks, "method": fitted, "halves": halves, "seed": seed}
    given |= {"labels": matrix} if recipe is None else {"features": matrix, "recipe": recipe}
    try:
        table = compare_numbers(
            **given, nulls=nulls, n_jobs=jobs, watch=lambda steps: options.watched(steps, 1 + nulls, "data and nulls")
        )
    except ValueError as mistake:
        raise InputError(f"{source.path}: {mistake}") from None
    if table["chosen"].any():
        _show_criteria(table)
    else:
        click.echo(f"{source.path}: no criterion has a value; too few of the objects differ")
    if out is not None:
        _write(out, table, resampled(**given), ids)


def _check_options(source: Source, method: str | None, settings: tuple[str, ...]) -> None:
    """Refuse options that do not go together."""
    for name in ("base_k", "halves", *options.OF_BASE):
        if source.features and options.is_given(name):
            raise InputError(f"--{name.replace('_', '-')}: with --features, k-means runs at each --k; leave this out")
    if settings and method is None:
        raise InputError(f"--set {settings[0]}: name the --method that has this parameter")


def parse_numbers(text: str, option: str) -> list[int]:
    """Return the numbers of clusters of an option, increasing; InputError for a mistake."""
    low, colon, high = text.partition(":")
    try:
        numbers = [*range(int(low), int(high) + 1)] if colon else [int(number) for number in text.split(",")]
    except ValueError:
        raise InputError(f"{option} {text}: write a range such as 2:12, or numbers such as 2,3,5") from None
    if not numbers:
        raise InputError(f"{option} {text}: {options.EMPTY}")
    if min(numbers) < 2:
        raise InputError(f"{option} {text}: give numbers from 2 (one cluster is compared in any case)")
    return sorted(set(numbers))


def make_recipe(source: Source) -> "ResampledKMeans | None":
    """Return how features are clustered at each k; None of a label matrix, and if k-means does not cluster them."""
    from consclust.diagnostics import ResampledKMeans

    return ResampledKMeans(source.runs) if source.features and source.base == "kmeans" else None


def keep_possible(
    ks: list[int], option: str, is_given: bool, n: int, source: Source, recipe: "ResampledKMeans | None"
) -> list[int]:
    """Return the numbers of clusters that n objects allow; InputError if those that the user gave are too large."""
    most = recipe.count_objects(n) if recipe else n
    if most < 2 or (is_given and ks[-1] > most):
        remedy = f"give numbers from 2 to {most}" if most > 1 else "give more objects"
        raise InputError(f"{option}: {ks[-1]} clusters are too many for the objects of {source.path}; {remedy}")
    return [k for k in ks if k <= most]


def _show_criteria(table: Any) -> None:
    """Print the values of the criteria at each k, a star at the choice of each."""
    from consclust.cli.output import show
    from consclust.diagnostics import describe_recommendation
    from consclust.diagnostics.criteria import CRITERIA

    criteria = list(table["criterion"].unique())
    cells = {}
    for row in table.itertuples():
        value = "-" if isnan(row.value) else f"{row.value:.3f}"
        cells[row.criterion, row.k] = f"{value} *" if row.chosen else f"{value}  "
    header = ("k", *(f"{name}  " for name in criteria))
    ks = sorted(table["k"].unique())
    show([header, *((str(k), *(cells[name, k] for name in criteria)) for k in ks)])
    if table["null_mean"].notna().any():
        click.echo("* chosen by the criterion: its best score, or 1 where data without clusters are as good (p > 0.05)")
    else:
        click.echo("* chosen by the criterion: its best value; one cluster is not tested (--nulls 0)")
    if weak := [name for name in criteria if CRITERIA[name].is_weak]:
        click.echo(f"often wrong in measurements: {', '.join(weak)}")
    click.echo(describe_recommendation(table))


def _write(folder: Path, table: Any, stages: "dict[int, Stage]", ids: "npt.NDArray[Any]") -> None:
    """Write the tables, and the pictures where there are consensus values."""
    from consclust.cli.output import write_csv
    from consclust.diagnostics import consensus_values

    write_text(folder / TABLES[0], table.to_csv(index=False, lineterminator="\n"))
    labels = {k: stage.labels for k, stage in stages.items() if stage.labels is not None}
    columns = (each.tolist() for each in labels.values())
    write_csv(folder / TABLES[1], [("id", *(f"k{k}" for k in labels)), *zip(ids.tolist(), *columns, strict=True)])
    values = {k: consensus_values(stage.resampled) for k, stage in stages.items() if stage.resampled is not None}
    write_csv(folder / TABLES[2], [("k", "value", "share_at_most"), *_distribution(values)])
    if values:
        _draw(folder, table, values, labels)


def _distribution(values: "dict[int, ConsensusValues]") -> Iterator[tuple[int, float, float]]:
    """Yield k, a consensus value and the share of the pairs with at most that, at each percent."""
    at = [i / 100 for i in range(101)]
    for k, of_k in values.items():
        for value, share in zip(at, of_k.cdf(at).tolist(), strict=True):
            yield k, value, share


def _draw(folder: Path, table: Any, values: "dict[int, ConsensusValues]", labels: "dict[int, IntArray]") -> None:
    with needs("plot"):
        import matplotlib as mpl

        from consclust import plot
    mpl.use("agg")  # no window
    panels: list[Any] = [
        plot.criteria(table)[0],
        plot.consensus_cdf(values),
        plot.delta_area(values),
        plot.tracking(labels),
    ]
    for name, panel in zip(PICTURES, panels, strict=True):
        with written_whole(folder / name) as temporary:
            panel.figure.savefig(temporary, dpi=150, bbox_inches="tight")
