"""``concord compare``: several methods on the same base clusterings, without classes."""

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from concord.cli import options
from concord.cli.options import Data, Source
from concord.errors import ConsensusFailure, InputError, MemoryNeeded

if TYPE_CHECKING:
    from concord.ensemble import IntArray
    from concord.methods.base import ConsensusMethod

FILES = ("methods.csv", "agreement.csv", "labels.csv")


class Row(NamedTuple):
    """What is measured of a method; NaN where it has no answer."""

    method: str
    clusters: float = math.nan
    ari: float = math.nan  # Mean over the base clusterings
    nmi: float = math.nan
    held_out_ari: float = math.nan
    stability: float = math.nan
    seconds: float = math.nan
    note: str = ""


@click.command()
@options.reads_file
@options.n_clusters
@click.option(
    "--methods", "names", default="EAC,LWEA,MCLA,RCE", show_default=True, help="Methods, or all; see `concord methods`."
)
@click.option("--draws", type=click.IntRange(0), default=20, show_default=True, help="Bootstrap ensembles; 0: none.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Parts that are held out in turn.")
@click.option(
    "--out",
    type=options.OUT,
    help=f"A .csv file for the table, or a folder for {', '.join(FILES)}; they are overwritten.",
)
@options.seed
@options.jobs
def compare(
    source: Source, n_clusters: int, names: str, draws: int, folds: int, out: Path | None, seed: int, jobs: int
) -> None:
    r"""Compare methods on the base clusterings in FILE (see `concord consensus --help`), without classes.

    \b
    ari, nmi      mean agreement of the consensus with the base clusterings
    held_out_ari  the same with clusterings that the consensus has not seen, in --folds parts
    stability     how often an object stays in its cluster, if other base clusterings are drawn (bootstrap)
    seconds       of one fit, of 3 + folds + draws; with --jobs they compete for the processor

    High agreement does not mean that the clusters are the true classes. The second table is the ARI between methods.

    Example: concord compare labels.csv -k 5 --methods RCE,LWEA,MCLA,EAC --out comparison
    """
    from joblib import Parallel, delayed

    from concord.cli.output import check_folder, show, write_csv

    is_file = out is not None and out.suffix.lower() == ".csv"
    if out is not None and not is_file:
        check_folder(out, FILES)
    if out is not None and out.exists() and out.samefile(source.path):
        raise InputError(f"--out {out}: this is the file with the input; choose another name")
    chosen = _methods(names, n_clusters, seed, source.features)
    data = source.read(seed)
    source.check_k(n_clusters, data)
    tasks = (delayed(measured)(method, data, draws, folds, seed) for method in chosen)
    found = list(options.watched(Parallel(n_jobs=jobs, return_as="generator")(tasks), len(chosen), "methods"))
    rows = [row for row, _ in found]
    labels = {row.method: of_row for row, of_row in found if of_row is not None}
    table = [Row._fields, *([_exact(value) for value in row] for row in rows)]
    agreement = _agreement(labels)

    show([Row._fields[:-1], *([_rounded(value) for value in row[:-1]] for row in rows)])
    for row in rows:
        if row.note:
            click.echo(f"{row.method}: {row.note}")
    if len(labels) > 1:
        click.echo()
        show([("ARI", *labels), *((name, *(f"{value:.3f}" for value in values)) for name, *values in agreement)])
    if out is None:
        return
    write_csv(out if is_file else out / FILES[0], table)
    if not is_file:
        write_csv(out / FILES[1], [("method", *labels), *agreement])
        columns = (each.tolist() for each in labels.values())
        write_csv(out / FILES[2], [("id", *labels), *zip(data.ids.tolist(), *columns, strict=True)])


def _methods(names: str, k: int, seed: int, has_features: bool) -> "list[ConsensusMethod]":
    from concord import methods

    if names == "all":
        wanted = [name for name in methods.names() if has_features or not methods.needs_features(name, {})]
    else:
        wanted = [name.strip() for name in names.split(",")]
    return [options.make_method(name, k, (), seed, has_features) for name in dict.fromkeys(wanted)]


def measured(method: "ConsensusMethod", data: Data, draws: int, folds: int, seed: int) -> "tuple[Row, IntArray | None]":
    """Return what is measured of a method, and its labels, (n,); None, and a reason in the note, without an answer."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    from concord.diagnostics import agreement_with, bootstrap_stability, held_out_agreement
    from concord.diagnostics.consensus import fitted_labels

    row, labels = Row(type(method).__name__), None
    ensemble, features = data.ensemble, data.features
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        try:
            labels = fitted_labels(ensemble.given, method, features)
            start = time.perf_counter()  # the first fit may import packages and compile loops
            fitted_labels(ensemble.given, method, features)
            row = row._replace(seconds=time.perf_counter() - start, clusters=int(labels.max()) + 1)
            ari, nmi = (float(np.nanmean(agreement_with(ensemble, labels, measure))) for measure in ("ARI", "NMI"))
            row = row._replace(ari=ari, nmi=nmi)
            parts = min(folds, ensemble.n_clusterings)
            unseen = held_out_agreement(ensemble, method, folds=parts, features=features, random_state=seed)
            row = row._replace(held_out_ari=float(np.nanmean(unseen)))
            if draws:
                stays = bootstrap_stability(ensemble, method, draws=draws, features=features, random_state=seed)
                row = row._replace(stability=float(np.nanmean(stays.share)))
        except (ConsensusFailure, MemoryNeeded) as failure:
            row = row._replace(note=str(failure))
    return row, labels


def _agreement(labels: "dict[str, IntArray]") -> list[tuple[Any, ...]]:
    """Return a row for each method: its name, and the ARI with every method."""
    import numpy as np

    from concord.diagnostics import pairwise_agreement

    if not labels:
        return []
    values = pairwise_agreement(np.column_stack(list(labels.values()))).tolist()
    return [(name, *row) for name, row in zip(labels, values, strict=True)]


def _exact(value: str | float) -> str | float:
    return "" if value != value else value


def _rounded(value: str | float) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.3f}"
    return str(value)
