"""The contract checks that a method must pass before it is compared, and those that are only told."""

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

from consclust import testing
from consclust.methods.base import ConsensusMethod

Check = Callable[[type[ConsensusMethod]], None]


class Topic(NamedTuple):
    """What is checked, and whether a method that fails is refused."""

    title: str
    checks: Sequence[Check]
    is_required: bool = True


TOPICS = (
    Topic("labels 0, 1, ... and at most K clusters", (testing.check_labels_count_from_zero,)),
    Topic("objects in another order, each object twice", (testing.check_objects_permuted_and_repeated,)),
    Topic("the order changes no more than the seed does", (testing.check_order,)),
    Topic("other names of the same base clusters", (testing.check_kinds_of_input,)),
    Topic("the same seed gives the same labels", (testing.check_deterministic,)),
    Topic("NumPy's global random state", (testing.check_global_random_state,)),
    Topic("the given labels stay as they are", (testing.check_input_unchanged,)),
    Topic("three clear classes are found", (testing.check_finds_classes,)),
    Topic("one label of eight is missing", (testing.check_missing_labels,), is_required=False),
)
"""In the order in which they run. No ensemble of the leaderboard has missing labels."""


class Outcome(NamedTuple):
    """What a check found."""

    title: str
    is_required: bool
    problem: str
    """Empty if the method passed."""

    @property
    def word(self) -> str:
        """How the outcome stands in a table."""
        if not self.problem:
            return "passed"
        return "failed" if self.is_required else "failed, not needed here"


def check_contract(cls: type[ConsensusMethod]) -> list[Outcome]:
    """Run all checks on a method; return what each found."""
    return [Outcome(topic.title, topic.is_required, _find_problem(topic, cls)) for topic in TOPICS]


def _find_problem(topic: Topic, cls: type[ConsensusMethod]) -> str:
    """Return why a method fails a check, in one line; empty if it passes."""
    for check in topic.checks:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(cls)
        except AssertionError as problem:
            return " ".join(str(problem).split())
        # whatever somebody's method raises is what the check finds
        except Exception as error:
            return f"{cls.__name__} raises {type(error).__name__}: {' '.join(str(error).split())}"
    return ""
