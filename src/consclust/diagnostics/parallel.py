"""Tasks in several processes, whose results come in the order of the tasks."""

# joblib is imported where needed: what does without starts faster

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


def run_tasks(function: Callable[..., T], tasks: Iterable[tuple[object, ...]], number: int, n_jobs: int) -> Iterable[T]:
    """Yield what a function returns for each of some tasks, in no more processes than there are tasks.

    Parameters
    ----------
    function : callable
    tasks : iterable of tuples
        Its arguments; taken one after the other.
    number : int
        How many tasks there are.
    n_jobs : int
        Processes.
    """
    from joblib import Parallel, delayed

    calls = (delayed(function)(*task) for task in tasks)
    with interrupts_held():
        results: Iterable[T] = Parallel(min(n_jobs, max(number, 1)), return_as="generator")(calls)
    return results


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back Ctrl-C until the block ends; processes that start in it never see one.

    Only the first process has to stop: it ends the others. Else each of them prints where it was interrupted.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
