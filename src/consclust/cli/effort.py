"""What a command takes, estimated before it computes, and what it chooses so that it ends.

An option that the user gave is kept. Each choice is a sentence, which the command prints and the report repeats.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from consclust.cli.options import Command, Number, is_given, make_method

if TYPE_CHECKING:
    from consclust.diagnostics.efforts import Budget
    from consclust.diagnostics.resampling import ResampledKMeans
    from consclust.ensemble import Ensemble, FloatArray, IntArray
    from consclust.methods.base import ConsensusMethod, Need

DEFAULT = "LWEA"
"""Method of the consensus, where it is within the limits."""
COMPARED = ("EAC", "LWEA", "MCLA", "RCE")
"""Methods that are compared, where they are within the limits."""
LINEAR = ("LWGP", "MCLA", "SpectralConsensus", "HBGF", "Voting")
"""Methods of linear cost that take the place of others, in this order."""
NOT_CHEAP = ("LWGP", "SpectralConsensus", "HBGF")
"""Methods of ``LINEAR`` that take longer than the others."""
CHEAP = 10.0
"""Seconds that a cheap method may take."""
TIMES = ((365 * 86_400, "years"), (86_400, "days"), (3_600, "h"), (60, "min"), (1, "s"))
"""Units of time, in seconds."""
MEMORIES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"))
"""Units of memory, in bytes."""
SHARES = {"consensus": 0.1, "trust": 0.2, "ks": 0.3, "methods": 0.4}
"""Of the seconds of a report, by its parts."""
MOST_BYTES = 1.5e9
"""Of the matrices of a computation, if the seconds are limited."""
LONG = 60.0
"""Seconds from which an estimate is printed."""
LEAST_OF_CLUSTER = 10
"""Objects of a sample for each of the most clusters."""
FEWER_HALVES = (15, 10, 5)
FEWER_DRAWS = (15, 10)

objects = click.option(
    "--objects",
    "n_objects",
    type=click.IntRange(2),
    help="Objects that are drawn at random for what is repeated. Default: all, or as many as --seconds allows.",
)


def seconds(default: float) -> Callable[[Command], Command]:
    """Return the option of the seconds that a command may take."""
    return click.option(
        "--seconds",
        type=Number(0),
        default=default,
        show_default=True,
        help="CPU seconds by which the command chooses what no option sets: methods, objects, repetitions; inf: no "
        "limit. They are estimated.",
    )


def make_budget(limit: float) -> "Budget":
    """Return the budget for so many seconds."""
    from consclust.diagnostics.efforts import Budget

    return Budget(limit, MOST_BYTES if limit < float("inf") else limit)


def describe_need(need: "Need") -> str:
    """Write what something takes: "about 38 s and 3.1 GB"."""
    return f"about {_write_in_units(max(need.seconds, 1.0), TIMES)} and {_write_in_units(need.bytes, MEMORIES)}"


def _write_in_units(value: float, units: Sequence[tuple[float, str]]) -> str:
    """Write a value in the largest unit that it has at least one of, with two digits."""
    size, name = next((unit for unit in units if value >= unit[0]), units[-1])
    number = value / size
    return f"{number:.1f} {name}" if 1 <= number < 10 else f"{number:,.0f} {name}"


def say(choices: Sequence[str]) -> None:
    """Print each choice in a line on the standard error."""
    for choice in choices:
        click.echo(f"chosen: {choice}", err=True)


def say_estimate(need: "Need", what: str) -> None:
    """Print what something takes, if that is long."""
    if need.seconds >= LONG:
        click.echo(f"estimate: {what} takes {describe_need(need)}", err=True)


class Chosen(NamedTuple):
    """A method, and why it is not the usual one."""

    method: "ConsensusMethod"
    choices: list[str]


def choose_method(usual: "ConsensusMethod", ensemble: "Ensemble", budget: "Budget", seed: int) -> Chosen:
    """Return the usual method, or one of linear cost where a fit of the usual one exceeds the budget."""
    need = usual.estimate(ensemble)
    if budget.covers(need):
        return Chosen(usual, [])
    others = _make_linear(usual.n_clusters, seed, ())
    fitting = [each for each in others if budget.covers(each.estimate(ensemble))]
    method = fitting[0] if fitting else min(others, key=lambda each: each.estimate(ensemble).seconds)
    name = type(usual).__name__
    limits = f"beyond {budget.seconds:g} s or {budget.bytes / 1e9:g} GB"
    instead = f"{type(method).__name__} in place of {name}, which would take {describe_need(need)}, {limits}"
    return Chosen(method, [f"{instead} (--method {name} takes it all the same)"])


def _make_linear(k: int, seed: int, without: Sequence[str]) -> "list[ConsensusMethod]":
    """Return the methods of linear cost, without some."""
    return [make_method(name, k, (), seed, False) for name in LINEAR if name not in without]


def make_cheap(method: "ConsensusMethod", ensemble: "Ensemble", seed: int) -> "list[ConsensusMethod]":
    """Return the methods that a consensus is compared with: another of linear cost that takes a few seconds."""
    others = _make_linear(method.n_clusters, seed, [type(method).__name__, *NOT_CHEAP])
    return [each for each in others if each.estimate(ensemble).seconds <= CHEAP][:1]


class Repeats(NamedTuple):
    """How often a method is fitted to compare it with others, beside three fits."""

    folds: int
    draws: int

    @property
    def fits(self) -> int:
        """Number of all fits."""
        return 3 + self.folds + self.draws


class Compared(NamedTuple):
    """Methods to compare, the objects that they are compared on, None for all, and why so."""

    methods: "list[ConsensusMethod]"
    objects: "IntArray | None"
    draws: int
    choices: list[str]
    need: "Need"


def plan_comparison(
    usual: "list[ConsensusMethod]",
    are_given: bool,
    ensemble: "Ensemble",
    n_objects: int | None,
    repeats: Repeats,
    budget: "Budget",
    seed: int,
) -> Compared:
    """Choose methods, then objects, then bootstrap ensembles, so that a comparison is within a budget.

    ``are_given``: whether the user named the methods; ``n_objects``: how many objects the user wants, None if any.
    """
    from consclust.diagnostics.efforts import estimate_fits

    choices: list[str] = []
    methods = usual
    if not are_given and not budget.covers(estimate_fits(ensemble, usual, repeats.fits)):
        methods, choices = _replace_expensive(usual, ensemble, repeats.fits, budget, seed)

    def estimate(some: "Ensemble", draws: int) -> "Need":
        return estimate_fits(some, methods, repeats._replace(draws=draws).fits)

    usual_draws = repeats.draws
    sample = _choose_sample(ensemble, n_objects, lambda some: estimate(some, usual_draws), budget, seed)
    if sample.objects is not None:
        of_all = estimate(ensemble, usual_draws)
        size = len(sample.objects)
        is_wanted = n_objects is not None
        choices.append(_describe_sample(size, ensemble.n_objects, "to compare methods", of_all, is_wanted))
    draws = usual_draws
    if not is_given("draws"):
        draws = _choose_fewer(usual_draws, FEWER_DRAWS, lambda few: estimate(sample.ensemble, few), budget)
    if draws < usual_draws:
        choices.append(f"{draws} bootstrap ensembles of each method in place of {usual_draws} (--draws)")
    return Compared(methods, sample.objects, draws, choices, estimate(sample.ensemble, draws))


def _replace_expensive(
    usual: "list[ConsensusMethod]", ensemble: "Ensemble", n_fits: int, budget: "Budget", seed: int
) -> "tuple[list[ConsensusMethod], list[str]]":
    """Return as many methods, others of linear cost in place of the most expensive ones; and why."""
    from consclust.diagnostics.efforts import estimate_fits

    needs = {type(each).__name__: estimate_fits(ensemble, [each], n_fits) for each in usual}
    names = _find_affordable(needs, budget)
    kept = [each for each in usual if type(each).__name__ in names]
    left_out = [name for name in needs if name not in names]
    if not left_out:
        return usual, []
    spare = _make_linear(usual[0].n_clusters, seed, names)[: len(left_out)]
    reasons = ", ".join(f"{name} ({describe_need(needs[name])})" for name in left_out)
    instead = ", ".join(type(each).__name__ for each in spare)
    return kept + spare, [f"{instead} in place of {reasons} (--methods names others)"]


def _find_affordable(needs: "Mapping[str, Need]", budget: "Budget") -> list[str]:
    """Return the methods of linear cost, and the cheapest of the others whose sum is within a budget."""
    names = [name for name in needs if name in LINEAR]
    seconds = 0.0
    for name in sorted(needs, key=lambda name: needs[name].seconds):
        seconds += needs[name].seconds
        if name not in names and budget.covers(needs[name]._replace(seconds=seconds)):
            names.append(name)
    return names


class Sample(NamedTuple):
    """Some of the objects, None for all, and their ensemble."""

    objects: "IntArray | None"
    ensemble: "Ensemble"


def _choose_sample(
    ensemble: "Ensemble", n_objects: int | None, estimate: "Callable[[Ensemble], Need]", budget: "Budget", seed: int
) -> Sample:
    """Return as many objects as the user wants, or as are within the budget."""
    from consclust.diagnostics.efforts import choose_size, draw_objects, sample_ensemble

    n = ensemble.n_objects
    size = n_objects
    if size is None:
        size = choose_size(n, lambda some: estimate(sample_ensemble(ensemble, some, seed)), budget)
    if size >= n:
        return Sample(None, ensemble)
    return Sample(draw_objects(n, size, seed), sample_ensemble(ensemble, size, seed))


def _describe_sample(size: int, n: int, what: str, of_all: "Need", is_wanted: bool) -> str:
    """Say how many objects are drawn, and why not all."""
    some = f"{size:,} of {n:,} objects, drawn at random, {what}"
    return some if is_wanted else f"{some}; all would take {describe_need(of_all)} (--objects, --seconds)"


def _choose_fewer(usual: int, fewer: Sequence[int], estimate: "Callable[[int], Need]", budget: "Budget") -> int:
    """Return the usual number of repetitions if within the budget, else the most of fewer ones, or the fewest."""
    numbers = [usual, *(few for few in fewer if few < usual)]
    fitting = [number for number in numbers if budget.covers(estimate(number))]
    return fitting[0] if fitting else numbers[-1]


Estimate = Callable[[int, int], "Need"]
"""What a comparison of numbers of clusters takes, by the number of objects and that of halves."""


def estimate_for_labels(
    ensemble: "Ensemble", ks: Sequence[int], method: "ConsensusMethod | None", nulls: int, seed: int
) -> Estimate:
    """Return what a comparison of numbers of clusters from labels takes."""
    from consclust.diagnostics.efforts import estimate_choice, sample_ensemble

    return lambda size, halves: estimate_choice(sample_ensemble(ensemble, size, seed), len(ks), halves, nulls, method)


def estimate_for_features(
    features: "FloatArray", ks: Sequence[int], method: "ConsensusMethod | None", nulls: int, recipe: "ResampledKMeans"
) -> Estimate:
    """Return the same from features, (n, d)."""
    from consclust.diagnostics.efforts import estimate_choice_from_features

    d = features.shape[1]
    return lambda size, halves: estimate_choice_from_features(size, d, ks, recipe, halves, nulls, method)


class Choice(NamedTuple):
    """The objects, None for all, and halves by which numbers of clusters are compared, and why so."""

    objects: "IntArray | None"
    halves: int
    choices: list[str]
    need: "Need"


def plan_choice(
    n: int, estimate: Estimate, ks: Sequence[int], n_objects: int | None, halves: int, budget: "Budget", seed: int
) -> Choice:
    """Choose some of n objects, then halves, so that a comparison of numbers of clusters is within a budget.

    The draws of the null reference are never fewer, as no test at 5 % needs fewer than 19.
    """
    from consclust.diagnostics.efforts import choose_size, draw_objects

    size = n_objects
    if size is None:
        within = choose_size(n, lambda some: estimate(some, halves), budget)
        # several objects for each of the most clusters
        size = max(within, LEAST_OF_CLUSTER * max(ks))
    size = min(size, n)
    choices: list[str] = []
    if size < n:
        of_all = estimate(n, halves)
        choices.append(_describe_sample(size, n, "to compare numbers of clusters", of_all, n_objects is not None))
    fewer = halves
    if not is_given("halves"):
        fewer = _choose_fewer(halves, FEWER_HALVES, lambda few: estimate(size, few), budget)
    if fewer < halves:
        choices.append(f"{fewer} random halves of the clusterings in place of {halves} (--halves)")
    drawn = None if size == n else draw_objects(n, size, seed)
    return Choice(drawn, fewer, choices, estimate(size, fewer))


class Wanted(NamedTuple):
    """What a user wants of a report."""

    usual: "ConsensusMethod"
    method_is_free: bool
    others: "list[ConsensusMethod]"
    others_are_free: bool
    n_objects: int | None
    repeats: Repeats
    ks: Sequence[int]
    halves: int
    estimate_ks: Estimate


class Report(NamedTuple):
    """The methods of a report, the samples for trust, numbers of clusters and methods, and why so."""

    method: "ConsensusMethod"
    others: "list[ConsensusMethod]"
    samples: "tuple[IntArray | None, IntArray | None, IntArray | None]"
    draws: int
    halves: int
    choices: list[str]
    need: "Need"


def plan_report(wanted: Wanted, ensemble: "Ensemble", budget: "Budget", seed: int) -> Report:
    """Divide a budget among the parts of a report, and choose for each what is within its share.

    The bootstrap is fitted on a sample of the objects where all would take too long, and has as many draws for the
    consensus as for each method that is compared.
    """
    from consclust.diagnostics.efforts import add_needs, estimate_fits

    method = wanted.usual
    choices: list[str] = []
    if wanted.method_is_free:
        method, choices = choose_method(wanted.usual, ensemble, budget.share(SHARES["consensus"]), seed)
    n_objects, repeats, n = wanted.n_objects, wanted.repeats, ensemble.n_objects

    def estimate_trust(some: "Ensemble") -> "Need":
        return estimate_fits(some, [method], repeats.fits)

    trusted = _choose_sample(ensemble, n_objects, estimate_trust, budget.share(SHARES["trust"]), seed)
    if trusted.objects is not None:
        what = "for the stability and what is held out"
        of_all = estimate_trust(ensemble)
        choices.append(_describe_sample(len(trusted.objects), n, what, of_all, n_objects is not None))
    of_k = plan_choice(n, wanted.estimate_ks, wanted.ks, n_objects, wanted.halves, budget.share(SHARES["ks"]), seed)
    compared = plan_comparison(
        wanted.others, not wanted.others_are_free, ensemble, n_objects, repeats, budget.share(SHARES["methods"]), seed
    )
    needs = [method.estimate(ensemble), estimate_trust(trusted.ensemble), of_k.need, compared.need]
    return Report(
        method,
        compared.methods,
        (trusted.objects, of_k.objects, compared.objects),
        compared.draws,
        of_k.halves,
        [*choices, *of_k.choices, *compared.choices],
        add_needs(needs),
    )
