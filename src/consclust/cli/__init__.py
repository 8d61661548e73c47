"""The command ``consclust``: consensus, choice of k and comparison of methods for people's own files.

``python -m consclust`` runs it too. The jobs of the workflow, ``python -m consclust_studies``, are apart from it.
"""

import warnings
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from consclust import __version__
from consclust.cli.choose_k import choose_k
from consclust.cli.compare import compare
from consclust.cli.consensus import consensus
from consclust.cli.methods import methods
from consclust.cli.report import report
from consclust.cli.terminal import make_printable
from consclust.environment import refuse_former_names
from consclust.errors import ConsensusFailure, InputError

INTERRUPTED = 130
FURTHER = "consclust.commands"
"""The entry points of commands that other packages have: the engine of the studies has ``bench``."""
HELP = """Combine base clusterings of the same objects into one clustering, without classes.

\b
consclust consensus labels.csv -k 5 --out consensus.csv
consclust choose-k labels.csv --k 2:12 --out diagnosis
consclust compare labels.csv -k 5 --methods RCE,LWEA,MCLA,EAC
consclust report labels.csv -k 5 --out report
consclust methods
consclust bench mine.py
"""


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning in one line, without the place in the program that raised it."""
    click.echo(f"note: {make_printable(' '.join(str(message).split()))}", err=True)


def _describe_lack(mistake: MemoryError) -> str:
    """Say that there is too little memory, and what to do; NumPy says what it could not allocate alone."""
    said = str(mistake)
    if said and not said.startswith("Unable to allocate"):
        return said
    what = f" ({said.removesuffix('.')})" if said else ""
    return f"not enough memory{what}; choose a method whose memory is linear in the objects, such as LWGP, or --objects"


class Commands(click.Group):
    """Commands whose mistakes are one line on the standard error, exit code 2; other packages may add some."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, those of other packages last."""
        own = super().list_commands(ctx)
        return [*own, *(entry.name for entry in _list_further() if entry.name not in own)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; one that another package has is imported when it is asked for."""
        if own := super().get_command(ctx, cmd_name):
            return own
        entry = next((one for one in _list_further() if one.name == cmd_name), None)
        return _load(entry) if entry else None

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command and exit."""
        kwargs |= {"standalone_mode": False, "prog_name": "consclust"}
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _note
                refuse_former_names()
                raise SystemExit(super().main(*args, **kwargs) or 0)
        except click.exceptions.NoArgsIsHelpError as request:
            request.show()
        except click.UsageError as mistake:
            command = mistake.ctx.command_path if mistake.ctx else "consclust"
            self._refuse(f"{mistake.format_message()} ({command} --help says more)")
        except click.ClickException as mistake:
            self._refuse(mistake.format_message())
        except (InputError, ConsensusFailure, OSError) as mistake:
            self._refuse(str(mistake))
        except MemoryError as mistake:
            self._refuse(_describe_lack(mistake))
        except click.Abort as interrupted:
            click.echo(f"interrupted; {str(interrupted) or 'no file is half-written'}", err=True)
            raise SystemExit(INTERRUPTED) from None
        raise SystemExit(2)

    @staticmethod
    def _refuse(mistake: str) -> None:
        click.echo(f"Error: {make_printable(' '.join(mistake.split()))}", err=True)


def _list_further() -> list[EntryPoint]:
    return sorted(entry_points(group=FURTHER), key=lambda entry: entry.name)


def _load(entry: EntryPoint) -> click.Command:
    """Return the command of another package; without this package a command that says what is needed."""
    try:
        command: click.Command = entry.load()
    except ModuleNotFoundError as lacking:
        if lacking.name != entry.module.partition(".")[0]:
            raise
        return _make_lacking(entry)
    return command


def _make_lacking(entry: EntryPoint) -> click.Command:
    """Return a command that refuses to run, as its package is not there."""
    package = entry.module.partition(".")[0]
    remedy = "clone the project, run `make env` there, and use the command of its .venv"

    def refuse(**_: Any) -> None:
        raise InputError(f"{entry.name} needs {package}, which is not installed with the library; {remedy}")

    arguments = [click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)]
    settings = {"ignore_unknown_options": True}
    summary = f"Not installed: {remedy}."
    return click.Command(entry.name, settings, refuse, arguments, short_help=summary, help=summary)  # type: ignore[arg-type]


@click.group(
    cls=Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="consclust")
def main() -> None:
    """Run one of the commands."""


for command in (consensus, choose_k, compare, report, methods):
    main.add_command(command)
