"""How far a command is: a bar on a terminal, lines with the time elsewhere; and what is kept when it is interrupted."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

T = TypeVar("T")
EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


def watched(steps: Iterable[T], number: int, what: str, clock: Callable[[], float] = time.monotonic) -> Iterable[T]:
    """Yield the steps, and show on the standard error how many of them are done.

    On a terminal by a bar; elsewhere, as in a batch job, by a line at most every ten seconds.
    """
    if not sys.stderr.isatty():
        yield from _watch_in_lines(steps, number, what, clock)
        return
    with click.progressbar(steps, length=number, label=what, file=sys.stderr, show_pos=True) as bar:
        yield from bar


def _watch_in_lines(steps: Iterable[T], number: int, what: str, clock: Callable[[], float]) -> Iterator[T]:
    """Yield the steps, with lines for those that are done."""
    last = clock()
    for done, step in enumerate(steps, start=1):
        now = clock()
        if now - last >= EVERY:
            click.echo(f"{time.strftime('%H:%M:%S')} {what}: {done} of {number}", err=True)
            last = now
        yield step


class Interrupted(click.Abort):
    """The user stopped a command that has kept something; the message says what."""


@contextmanager
def saying_what_is_kept(describe: Callable[[], str]) -> Iterator[None]:
    """Say what is kept if the block is interrupted; ``describe`` returns an empty text for nothing."""
    try:
        yield
    except KeyboardInterrupt:
        kept = describe()
        if not kept:
            raise
        raise Interrupted(kept) from None
