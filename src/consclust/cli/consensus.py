"""``consclust consensus``: one clustering of the objects, as CSV or for Python, R and MATLAB."""

# threadpoolctl and NumPy are imported where needed, so that what does without them starts faster

from pathlib import Path
from typing import TYPE_CHECKING

import click

from consclust.cli import effort, options, streams
from consclust.cli.options import Data, Source

if TYPE_CHECKING:
    from consclust.ensemble import Ensemble
    from consclust.known_classes import KnownClasses
    from consclust.methods.base import ConsensusMethod


@click.command()
@options.reads_file
@options.n_clusters
@click.option(
    "--method", help="See `consclust methods`. Default: LWEA, or a method of linear cost where that exceeds --seconds."
)
@options.settings
@click.option(
    "--out",
    type=options.OUT,
    default="-",
    help="File of the labels: .csv, .tsv, .npz, .mat, .parquet, or .npy of the labels alone; it is overwritten. "
    "Default: CSV on the terminal.",
)
@effort.seconds(60)
@options.seed
def consensus(
    source: Source, n_clusters: int, method: str | None, settings: tuple[str, ...], out: Path, seconds: float, seed: int
) -> None:
    """Find the consensus clustering of the base clusterings in FILE.

    FILE (.csv, .tsv, .npy, .npz, .mat, .parquet, .xlsx, .rds; also .csv.gz etc.) has a row for each object and a
    column for each base clustering, and perhaps ids in the first column. It may also be a folder with a file for each
    base clustering. Labels are whole numbers or words; a missing one is empty, -1, NA, N/A, NaN, None
    or NULL, in capitals or not. Columns that are most likely no clusterings are named, with the option for them.

    The output has the id of each object (its number from 1, if FILE has no ids) and its cluster, from 0
    in the order in which the clusters first appear. With --truth, the standard error has its ACC, NMI (divided by the
    larger entropy) and ARI with the true classes.

    A .parquet or .npy file of more than 1,048,576 objects is read in passes and never kept whole, if HBGF (the default
    there), IVC, KCC, LWGP, MCLA, Mixture, SEC, SpectralConsensus or Voting is the method and --out ends in .csv, .tsv,
    .npy or .parquet.

    Example: consclust consensus labels.csv -k 5 --method RCE --set lambda1=0.5 --out consensus.csv
    """
    from consclust.cli.output import check_labels_file, write_labels
    from consclust.label_files import SUFFIXES

    check_labels_file(out, source.path)
    of_stream = method or streams.DEFAULT
    table = streams.find_stream(source, [of_stream]) if out.suffix.lower() in SUFFIXES else None
    if table is not None:
        streams.run(source, table, options.make_method(of_stream, n_clusters, settings, seed, has_features=False), out)
        return
    fitted = options.make_method(method or effort.DEFAULT, n_clusters, settings, seed, source.features)
    data = source.read(seed)
    source.check_k(n_clusters, data)
    if method is None and not settings:
        fitted, choices = effort.choose_method(fitted, data.ensemble, effort.make_budget(seconds), seed)
        effort.say(choices)
    effort.say_estimate(fitted.estimate(data.ensemble), type(fitted).__name__)
    import warnings

    from threadpoolctl import threadpool_limits

    from consclust.errors import MissingLabelsWarning

    # what is missing was said when the file was read
    warnings.simplefilter("ignore", MissingLabelsWarning)
    with threadpool_limits(1):  # sums over threads would make the last bits depend on their number
        fitted.fit(data.ensemble, data.features)
    write_labels(out, data.ids, fitted.labels_)
    _report_answer(fitted, data, seed)


def _report_answer(fitted: "ConsensusMethod", data: Data, seed: int) -> None:
    """Say on the standard error how many clusters there are, how they agree with the clusterings, and any remark."""
    import numpy as np

    from consclust.diagnostics import agreement_with
    from consclust.diagnostics.cautions import describe_single_objects, find_closer_method
    from consclust.diagnostics.trust import remarks
    from consclust.report.wording import count, spanned

    sizes = np.bincount(fitted.labels_)
    agreement = agreement_with(data.ensemble, fitted.labels_)
    method = type(fitted).__name__
    found = f"{count(len(sizes), 'cluster')} of {spanned(sizes, 'object', ',')}"
    click.echo(f"{method}: {found}; mean ARI with the base clusterings {np.nanmean(agreement):.3f}", err=True)
    closer = find_closer_method(data.ensemble, agreement, fitted, effort.make_cheap(fitted, data.ensemble, seed))
    for note in (remarks(fitted), describe_single_objects(fitted.labels_), closer):
        if note:
            click.echo(f"{method}: {note}", err=True)
    if data.classes is not None:
        _report_scores(method, fitted, data.ensemble, data.classes)


def _report_scores(method: str, fitted: "ConsensusMethod", ensemble: "Ensemble", classes: "KnownClasses") -> None:
    """Say how the consensus, and on average the base clusterings, agree with the known classes."""
    click.echo(classes.describe(), err=True)
    for name, scores in (
        (method, classes.score(fitted.labels_)),
        ("mean of the base clusterings", classes.score_mean(ensemble.labels)),
    ):
        click.echo(f"{name}: {', '.join(f'{score} {value:.3f}' for score, value in scores.items())}", err=True)
