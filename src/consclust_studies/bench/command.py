"""``consclust bench``: compares a user's own method with all others on the ensembles of the leaderboard."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from consclust.cli import options
from consclust.cli.progress import watched
from consclust.errors import InputError
from consclust.extras import needs

ROOT = Path(__file__).resolve().parents[3]
"""The folder of the project."""
ACCEPTED = Path("reports/accepted/leaderboard/cells.csv")
"""The scores of all methods, in the folder of the project."""


@click.command(short_help="Compare your own method with all others, on the leaderboard's data.")
@click.argument("method", required=False, metavar="[FILE.py[:NAME]]")
@click.option("--program", help='A program in any language, as "octave mine.m" or "Rscript mine.R".')
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "mat"]),
    default="csv",
    show_default=True,
    help="Of the files that the program reads and writes.",
)
@click.option(
    "--sets",
    default="small",
    show_default=True,
    help="Data sets: small (real ones of at most 300 objects), all, or ids with commas.",
)
@click.option("--name", help="What the method is called in the tables. Default: its class, function or file.")
@click.option(
    "--limit",
    type=click.FloatRange(min=1),
    default=60.0,
    show_default=True,
    help="Seconds after which a fit is stopped; its data set then has no score.",
)
@click.option("--force", is_flag=True, help="Compare a method that fails contract checks all the same.")
@click.option("--out", type=options.OUT, default=Path("bench"), show_default=True, help="Folder of the report.")
@click.option(
    "--jobs", type=click.IntRange(1), help="Processes; no score depends on it. Default: the number of processors."
)
def bench(
    method: str | None,
    program: str | None,
    file_format: str,
    sets: str,
    name: str | None,
    limit: float,
    force: bool,
    out: Path,
    jobs: int | None,
) -> None:
    """Compare your own consensus method with all others on the ensembles of the leaderboard.

    FILE.py has a class with the contract of consclust's methods, a class with n_clusters and fit_predict, or a function
    of a label matrix (n objects x m clusterings, labels 0, 1, ..., -1: missing) and the number of clusters; a parameter
    called seed gets a seed. A program is called with four arguments: a file with the label matrix (clusters count from
    1, NaN: missing), the number of clusters, the file that it writes the labels to, and a seed.

    Contract checks come first: a method that fails is not compared, unless --force. Then the ensembles are made, if
    they are not there, and the method is fitted to them. The scores of the other methods are those of the accepted run.
    The folder gets report.pdf, report.html, leaderboard.html, and the tables as CSV. After a kill the same command goes
    on where it was.

    Example: consclust bench mine.py --sets small
    """
    with needs("report"):
        from consclust_studies.bench import own_method
        from consclust_studies.bench.run import Request, check_method, run_comparison

    if (method is None) == (program is None):
        raise click.UsageError("name a Python file, or a --program")
    if program is not None:
        own = own_method.OwnMethod(program=make_absolute(program), file_format="mat" if file_format == "mat" else "csv")
    else:
        own = own_method.parse(method or "")
    out = out.absolute()
    used = jobs or os.cpu_count() or 1
    given = Path.cwd()
    os.chdir(ROOT)
    try:
        request = Request(own, name or own_method.find_name(own), sets, limit, used, out, ACCEPTED)
        request.check()
        outcomes = check_method(request, click.echo)
        failed = [one for one in outcomes if one.problem and one.is_required]
        if failed and not force:
            raise InputError(
                f"{request.name} fails {len(failed)} of {len(outcomes)} contract checks; correct it, or compare it all "
                "the same with --force"
            )
        click.echo(run_comparison(request, outcomes, watched))
    finally:
        os.chdir(given)
    click.echo(f"{out / 'report.pdf'}, {out / 'report.html'}", err=True)


def make_absolute(program: str) -> str:
    """Return a command whose words that are files here are absolute paths, as it runs in another folder."""
    words: Sequence[str] = shlex.split(program)
    if not words:
        raise InputError('--program: names nothing; write a command, as "octave mine.m"')
    return shlex.join(str(Path(word).absolute()) if Path(word).is_file() else word for word in words)
