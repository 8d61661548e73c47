"""``consclust methods``: which methods there are, and the parameters of one."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from consclust.methods.base import ConsensusMethod

DETAILS = """\
{name}: {summary}
{reference}

Parameters, with their defaults:
{parameters}"""


@click.command()
@click.argument("name", metavar="[METHOD]", required=False)
def methods(name: str | None) -> None:
    """List the methods with a line each, or the parameters of one.

    Example: consclust methods RCE
    """
    from consclust.methods import load, names

    if name is None:
        for each in names():
            click.echo(f"{each:<19}{load(each).summary}")
        return
    method = load(name)
    said = {"summary": method.summary, "reference": method.reference, "parameters": _list_parameters(method)}
    click.echo(DETAILS.format(name=name, **said))


def _list_parameters(method: "type[ConsensusMethod]") -> str:
    """Return the default, the type and the purpose of each parameter, laid out as the options in --help."""
    from consclust.docstrings import Described, describe_parameters
    from consclust.methods.base import ConsensusMethod

    described = describe_parameters(method, ConsensusMethod)
    rows = []
    for key, default in method.parameters().items():
        said = described.get(key, Described("", ""))
        rows.append((f"{key}={default!r}", ". ".join(filter(None, (said.kind, said.shorten())))))
    if not rows:
        return "  none"
    formatter = click.get_current_context().make_formatter()
    with formatter.indentation():
        formatter.write_dl(rows)
    return formatter.getvalue().rstrip()
