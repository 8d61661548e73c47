"""``consclust compare``: several methods on the same base clusterings, without classes."""

# NumPy is imported where needed, so that what does without it starts faster

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consclust.cli import effort, options, streams
from consclust.cli.options import Source
from consclust.cli.progress import saying_what_is_kept, watched
from consclust.errors import InputError

if TYPE_CHECKING:
    from consclust.diagnostics import Measured
    from consclust.ensemble import IntArray
    from consclust.known_classes import KnownClasses
    from consclust.methods.base import ConsensusMethod

FILES = ("methods.csv", "agreement.csv", "labels.csv")
ONLY_AGREEMENT = (
    "agreement alone, nothing held out or drawn anew, as the file is read in passes "
    "(--draws, --folds or --objects read it whole)"
)
REPEATED = ("draws", "folds", "n_objects")
"""Options of what is repeated on all objects or on some, for which the file is read whole."""


HELP = """Compare methods on the base clusterings in FILE (see `consclust consensus --help`), without classes.

\b
ari, nmi      mean agreement of the consensus with the base clusterings
held_out_ari  the same with clusterings that the consensus has not seen, in --folds parts
stability     how often an object stays in its cluster, if other base clusterings are drawn (bootstrap)
truth_acc     with --truth: ACC with the true classes; truth_nmi: NMI, truth_ari: ARI
seconds       elapsed time of one fit; 3 + folds + draws fits are made, which compete with --jobs

High agreement does not mean that the clusters are the true classes. The second table is the ARI between methods. The
last lines say whether groups of base clusterings agree within and not between (coalitions).

A .parquet or .npy file of more than 1,048,576 objects is read in passes and never kept whole, if all --methods are
among HBGF, IVC, KCC, LWGP, MCLA, Mixture, SEC, SpectralConsensus and Voting (default there: HBGF, LWGP, MCLA,
SpectralConsensus and Voting), and none of --draws, --folds, --objects is given. Then nothing is held out or drawn, and
the seconds are without the first pass, which all methods share; the last line is the proportion of ambiguous pairs of
objects (PAC), from random pairs, with its standard error.

Example: consclust compare labels.csv -k 5 --methods RCE,LWEA,MCLA,EAC --out comparison
"""


@click.command(help=HELP, short_help="Compare methods on the base clusterings in FILE.")
@options.reads_file
@options.n_clusters
@click.option(
    "--methods",
    "names",
    help=f"Methods, or all; see `consclust methods`. Default: {', '.join(effort.COMPARED)}, or methods of linear cost "
    "in place of those that exceed --seconds.",
)
@options.repeats("draws", 0, 20, "Bootstrap ensembles; 0: none.")
@options.folds
@effort.objects
@effort.seconds(100)
@click.option(
    "--out",
    type=options.OUT,
    help=f"A .csv file for the table, or a folder for {', '.join(FILES)}; they are overwritten.",
)
@options.seed
@options.jobs
def compare(
    source: Source,
    n_clusters: int,
    names: str | None,
    draws: int,
    folds: int,
    n_objects: int | None,
    seconds: float,
    out: Path | None,
    seed: int,
    jobs: int,
) -> None:
    """Compare methods on the base clusterings in a file."""
    from consclust.diagnostics import compare_methods

    if out is not None:
        _check_out(out, source)
    of_stream = make_methods(",".join(streams.COMPARED) if names is None else names, n_clusters, seed, source.features)
    table = None if any(map(options.is_given, REPEATED)) else streams.find_stream(source, names_of(of_stream))
    if table is not None:
        compare_stream(source, table, of_stream, out, seed)
        return
    usual = make_methods(names, n_clusters, seed, source.features)
    data = source.read(seed)
    source.check_k(n_clusters, data)
    source.check_folds(folds, data)
    repeats = effort.Repeats(min(folds, data.ensemble.n_clusterings), draws)
    budget = effort.make_budget(seconds)
    plan = effort.plan_comparison(usual, names is not None, data.ensemble, n_objects, repeats, budget, seed)
    effort.say(plan.choices)
    effort.say_estimate(plan.need, "the comparison")
    written = _Written(out, data.keep(plan.objects))
    with written.own_folder(), saying_what_is_kept(written.describe):
        compare_methods(
            written.data.ensemble,
            {type(method).__name__: method for method in plan.methods},
            features=written.data.features,
            draws=plan.draws,
            folds=folds,
            random_state=seed,
            n_jobs=jobs,
            watch=lambda results: written.watch(watched(results, len(plan.methods), "methods")),
        )
    written.show()
    _show_coalitions(written.data)


def names_of(methods: "Iterable[ConsensusMethod]") -> list[str]:
    """Return the names of methods."""
    return [type(method).__name__ for method in methods]


def compare_stream(
    source: Source, table: streams.Table, methods: "Sequence[ConsensusMethod]", out: Path | None, seed: int
) -> None:
    """Compare methods on a file that is read in passes: their agreement with the base clusterings and each other."""
    from consclust.cli.output import write_csv

    effort.say([ONLY_AGREEMENT])
    found, agreement, pairs = streams.compare(source, table, methods, seed)
    rows = _list_rows(found, None)
    labels = {measured.method: measured.labels for measured in found if measured.labels is not None}
    _show_comparison(rows, labels, agreement)
    error = pairs.standard_error(pairs.pac())
    click.echo(f"\nPAC of the base clusterings {pairs.pac():.4f}, standard error {error:.4f}")
    if out is None:
        return
    header = list(rows[0])
    write_csv(
        out if _is_table(out) else out / FILES[0], [header, *([_write_exact(row[h]) for h in header] for row in rows)]
    )
    if not _is_table(out):
        write_csv(out / FILES[1], [("method", *labels), *agreement])


class _Written:
    """The tables of a comparison, which are written whenever a method is finished; None: no file."""

    def __init__(self, out: Path | None, data: options.Data) -> None:
        self.data = data
        self._out = out
        self._finished: list[Measured] = []

    def own_folder(self) -> AbstractContextManager[None]:
        """Keep the folder, if there is one, for this command."""
        from consclust.cli.output import kept_for_one

        return nullcontext() if self._out is None or _is_table(self._out) else kept_for_one(self._out, FILES)

    def watch(self, results: "Iterable[Measured]") -> "Iterator[Measured]":
        """Yield the results, and write the tables of those that there are."""
        for measured in results:
            self._finished.append(measured)
            if self._out is not None:
                _write(self._out, _list_rows(self._finished, self.data.classes), *self._compare_labels(), self.data)
            yield measured

    def show(self) -> None:
        """Print the tables."""
        _show_comparison(_list_rows(self._finished, self.data.classes), *self._compare_labels())

    def describe(self) -> str:
        """Say what there is when the command is interrupted; without a file, print it."""
        if not self._finished:
            return ""
        names = ", ".join(measured.method for measured in self._finished)
        if self._out is None:
            self.show()
            return f"the table has what was finished: {names}"
        return f"{self._out} has what was finished: {names}"

    def _compare_labels(self) -> "tuple[dict[str, IntArray], list[tuple[Any, ...]]]":
        """Return the consensus of each method that has one, and how they agree."""
        labels = {measured.method: measured.labels for measured in self._finished if measured.labels is not None}
        return labels, _agree(labels)


def _is_table(out: Path) -> bool:
    """Whether an output is a single table, and no folder."""
    return out.suffix.lower() == ".csv"


def _check_out(out: Path, source: Source) -> None:
    """Refuse an output before anything is computed."""
    from consclust.cli.output import check_file, check_folder

    if out.exists() and out.samefile(source.path):
        raise InputError(f"--out {out}: this is the file with the input; choose another name")
    if _is_table(out):
        check_file(out)
    else:
        check_folder(out, FILES, source.path)


def _list_rows(found: "Sequence[Measured]", classes: "KnownClasses | None") -> list[dict[str, Any]]:
    """Return what is measured of each method but its labels: the scores with known classes before the note."""
    rows = []
    for measured in found:
        row = measured._asdict()
        labels = row.pop("labels")
        note = row.pop("note")
        if classes is not None:
            row |= {f"truth_{name.lower()}": value for name, value in classes.score(labels).items()}
        rows.append({**row, "note": note})
    return rows


def _show_comparison(
    rows: list[dict[str, Any]], labels: "dict[str, IntArray]", agreement: list[tuple[Any, ...]]
) -> None:
    """Print what is measured of each method, the notes, and how the methods agree."""
    from consclust.cli.output import show

    header = [name for name in rows[0] if name != "note"]
    show([header, *([_write_rounded(row[name]) for name in header] for row in rows)])
    for row in rows:
        if row["note"]:
            click.echo(f"{row['method']}: {row['note']}")
    if len(labels) > 1:
        click.echo()
        cells = [(name, *(f"{value:.3f}" for value in values)) for name, *values in agreement]
        show([("ARI", *labels), *cells])


def _show_coalitions(data: options.Data) -> None:
    """Print whether there are groups of base clusterings that agree within and not between, and which."""
    from consclust import diagnostics
    from consclust.cli.output import show

    found = diagnostics.coalitions(data.ensemble)
    click.echo(f"\n{diagnostics.describe_coalitions(found)}")
    rows = diagnostics.list_coalitions(found, data.names)
    if rows:
        show([list(rows[0]), *([_write_rounded(value) for value in row.values()] for row in rows)])


def _write(
    out: Path,
    measured: list[dict[str, Any]],
    labels: "dict[str, IntArray]",
    agreement: list[tuple[Any, ...]],
    data: options.Data,
) -> None:
    """Write the table, or it and two more into a folder."""
    from consclust.cli.output import write_csv

    header = list(measured[0])
    rows = [[_write_exact(row[name]) for name in header] for row in measured]
    if _is_table(out):
        write_csv(out, [header, *rows])
        return
    write_csv(out / FILES[0], [header, *rows])
    write_csv(out / FILES[1], [("method", *labels), *agreement])
    columns = (each.tolist() for each in labels.values())
    write_csv(out / FILES[2], [("id", *labels), *zip(data.ids.tolist(), *columns, strict=True)])


def make_methods(names: str | None, k: int, seed: int, has_features: bool) -> "list[ConsensusMethod]":
    """Return the methods of an option, each once, the usual ones without it; InputError for an unknown one."""
    from consclust import methods

    if names is None:
        wanted = [*effort.COMPARED]
    elif names == "all":
        wanted = [name for name in methods.names() if has_features or not methods.needs_features(name, {})]
    else:
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        if not wanted:
            raise InputError("--methods: name at least one method; `consclust methods` lists them")
    return [options.make_method(name, k, (), seed, has_features) for name in dict.fromkeys(wanted)]


def _agree(labels: "dict[str, IntArray]") -> list[tuple[Any, ...]]:
    """Return a row for each method: its name, and the ARI with every method."""
    import numpy as np

    from consclust.diagnostics import pairwise_agreement

    if not labels:
        return []
    values = pairwise_agreement(np.column_stack(list(labels.values()))).tolist()
    return [(name, *row) for name, row in zip(labels, values, strict=True)]


def _write_exact(value: str | float) -> str | float:
    """Return a value for a CSV: as it is, empty for NaN."""
    return "" if value != value else value


def _write_rounded(value: str | float) -> str:
    """Return a value for the terminal, a dash for NaN."""
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.3f}"
    return str(value)
