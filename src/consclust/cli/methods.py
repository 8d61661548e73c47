"""``consclust methods``: which methods there are, and the parameters of one."""

import click

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
    parameters = [f"  {key}={default!r}" for key, default in method.parameters().items()] or ["  none"]
    said = {"summary": method.summary, "reference": method.reference, "parameters": "\n".join(parameters)}
    click.echo(DETAILS.format(name=name, **said))
