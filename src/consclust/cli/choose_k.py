"""``consclust choose-k``: how many clusters, by several criteria, perhaps one."""

# matplotlib is imported where needed, so that what does without it starts faster

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consclust.cli import effort, options
from consclust.cli.options import Source
from consclust.cli.progress import saying_what_is_kept, watched
from consclust.errors import InputError
from consclust.extras import needs
from consclust.files import write_text, written_whole
from consclust.plurals import count

if TYPE_CHECKING:
    import numpy.typing as npt

    from consclust.diagnostics import ConsensusValues, ResampledKMeans
    from consclust.diagnostics.resampling import Stage
    from consclust.ensemble import FloatArray, IntArray
    from consclust.methods.base import ConsensusMethod

TABLES = ("criteria.csv", "consensus.csv", "cdf.csv")
PICTURES = ("criteria.png", "cdf.png", "delta_area.png", "tracking.png")


@click.command(name="choose-k")
@options.reads_file
@click.option("--k", "-k", "numbers", default="2:10", show_default=True, help="A range, ends included, or 2,3,5.")
@click.option("--method", help="Consensus at each k. Default: average linkage of the co-association matrix.")
@options.settings
@options.halves
@options.nulls
@effort.objects
@effort.seconds(100)
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
    n_objects: int | None,
    seconds: float,
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
    from consclust.diagnostics.stability import keep_objects
    from consclust.ensemble import as_ensemble

    if out is not None:
        check_folder(out, (*TABLES, *PICTURES), source.path)
    _check_options(source, method, settings)
    wanted = parse_numbers(numbers, "--k")
    fitted = None if method is None else options.make_method(method, wanted[0], settings, seed, source.features)
    matrix, ids, *_ = source.table()
    recipe = make_recipe(source)
    ks = keep_possible(wanted, "--k", options.is_given("numbers"), len(ids), source, recipe)
    budget = effort.make_budget(seconds)
    given: dict[str, Any] = {"ks": ks, "method": fitted, "seed": seed}
    try:
        data: Any = matrix if source.features else as_ensemble(matrix)
        estimate = estimate_comparison(data, ks, fitted, recipe, nulls, seed)
        plan = effort.plan_choice(len(ids), estimate, ks, n_objects, halves, budget, seed)
        effort.say(plan.choices)
        effort.say_estimate(plan.need, "the comparison")
        if plan.objects is not None:
            ids = ids[plan.objects]
            data = data[plan.objects] if source.features else keep_objects(data, plan.objects)
        given |= {"labels": data} if recipe is None else {"features": data, "recipe": recipe}
        given["halves"] = plan.halves
        written = _Written(out, ks, source.features)
        with written.own_folder(), saying_what_is_kept(written.describe):
            stages = {} if out is None else resampled(**given)
            written.write_stages(stages, ids)
            table = compare_numbers(
                **given,
                nulls=nulls,
                n_jobs=jobs,
                watch=lambda steps: written.watch(watched(steps, 1 + nulls, "data and nulls")),
            )
            written.write_table(table, stages)
    except ValueError as mistake:
        raise InputError(f"{source.path}: {mistake}") from None
    if table["chosen"].any():
        _show_criteria(table)
    else:
        click.echo(f"{source.path}: no criterion has a value; too few of the objects differ")


def estimate_comparison(
    data: Any, ks: list[int], method: "ConsensusMethod | None", recipe: "ResampledKMeans | None", nulls: int, seed: int
) -> effort.Estimate:
    """Return what a comparison takes: of a label matrix, (n, m), or an Ensemble, or of features, (n, d)."""
    if recipe is not None:
        return effort.estimate_for_features(data, ks, method, nulls, recipe)
    from consclust.ensemble import as_ensemble

    return effort.estimate_for_labels(as_ensemble(data), ks, method, nulls, seed)


def _check_options(source: Source, method: str | None, settings: tuple[str, ...]) -> None:
    """Refuse options that do not go together."""
    for name in ("base_k", "halves", *options.OF_BASE):
        if source.features and options.is_given(name):
            raise InputError(f"--{name.replace('_', '-')}: with --features, k-means runs at each --k; leave this out")
    if settings and method is None:
        raise InputError(f"--set {settings[0]}: name the --method that has this parameter")


def parse_numbers(text: str, option: str) -> Sequence[int]:
    """Return the numbers of clusters of an option, increasing; InputError for a mistake.

    A range stays one, which may be long: it is compared with the objects before its numbers are listed.
    """
    low, colon, high = text.partition(":")
    try:
        numbers: Sequence[int] = range(int(low), int(high) + 1) if colon else sorted(set(map(int, text.split(","))))
    except ValueError:
        raise InputError(f"{option} {text}: write a range such as 2:12, or numbers such as 2,3,5") from None
    if not numbers:
        raise InputError(f"{option} {text}: {options.EMPTY}")
    if numbers[0] < 2:
        raise InputError(f"{option} {text}: give numbers from 2 (one cluster is compared in any case)")
    return numbers


def make_recipe(source: Source) -> "ResampledKMeans | None":
    """Return how features are clustered at each k; None of a label matrix, and if k-means does not cluster them."""
    from consclust.diagnostics import ResampledKMeans

    return ResampledKMeans(source.runs) if source.features and source.base == "kmeans" else None


def keep_possible(
    ks: Sequence[int], option: str, is_given: bool, n: int, source: Source, recipe: "ResampledKMeans | None"
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


class _Written:
    """The files of a comparison, which are written as the numbers come; None: no folder.

    An interrupted comparison leaves the values of what it has finished, and no recommendation.
    """

    def __init__(self, folder: Path | None, ks: list[int], has_features: bool) -> None:
        self._folder = folder
        self._ks = ks
        self._has_features = has_features
        self._finished: list[FloatArray] = []

    def own_folder(self) -> AbstractContextManager[None]:
        """Keep the folder, if there is one, for this command."""
        from consclust.cli.output import kept_for_one

        return nullcontext() if self._folder is None else kept_for_one(self._folder, (*TABLES, *PICTURES))

    def describe(self) -> str:
        """Say what there is when the command is interrupted."""
        if self._folder is None or not self._finished:
            return ""
        draws = count(len(self._finished) - 1, "draw")
        return f"{self._folder / TABLES[0]} has the values of the data and of {draws}, without a recommendation"

    def watch(self, steps: "Iterable[FloatArray]") -> "Iterator[FloatArray]":
        """Yield the values of the criteria of the data and of each draw, and write a table of those that there are."""
        from consclust.diagnostics.criteria import tabulate_values

        for step in steps:
            self._finished.append(step)
            if self._folder is not None:
                table = tabulate_values(self._ks, self._finished, self._has_features)
                write_text(self._folder / TABLES[0], table.to_csv(index=False, lineterminator="\n"))
            yield step

    def write_stages(self, stages: "dict[int, Stage]", ids: "npt.NDArray[Any]") -> None:
        """Write the consensus and the distribution of the consensus values at each k."""
        from consclust.cli.output import write_csv

        if self._folder is None:
            return
        labels = _list_consensus(stages)
        columns = (each.tolist() for each in labels.values())
        rows = [("id", *(f"k{k}" for k in labels)), *zip(ids.tolist(), *columns, strict=True)]
        write_csv(self._folder / TABLES[1], rows)
        distribution = _distribution(_count_values(stages))
        write_csv(self._folder / TABLES[2], [("k", "value", "share_at_most"), *distribution])

    def write_table(self, table: Any, stages: "dict[int, Stage]") -> None:
        """Write the whole table, and the pictures where there are consensus values."""
        if self._folder is None:
            return
        write_text(self._folder / TABLES[0], table.to_csv(index=False, lineterminator="\n"))
        values = _count_values(stages)
        if values:
            _draw(self._folder, table, values, _list_consensus(stages))


def _list_consensus(stages: "dict[int, Stage]") -> "dict[int, IntArray]":
    """Return the consensus at each k that has one."""
    return {k: stage.labels for k, stage in stages.items() if stage.labels is not None}


def _count_values(stages: "dict[int, Stage]") -> "dict[int, ConsensusValues]":
    """Return the consensus values of the resampled clusterings at each k that has some."""
    from consclust.diagnostics import consensus_values

    return {k: consensus_values(stage.resampled) for k, stage in stages.items() if stage.resampled is not None}


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
