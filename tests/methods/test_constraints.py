from typing import Literal

import numpy as np
import pytest

from consclust.methods.constraints import COUNT, FLAG, NON_NEGATIVE, POSITIVE, Interval, Options, read_annotation

UNIT, HALF_OPEN = Interval(float, 0, 1, "both"), Interval(float, 0, 1, "right")


@pytest.mark.parametrize(
    ("constraint", "allowed", "refused"),
    [
        (COUNT, [1, np.int64(7)], [0, 1.0, True, "1", None, np.nan]),
        (NON_NEGATIVE, [0, 0.0, 1e-300, 2, np.float32(1.5)], [-1e-300, 1e300, np.inf, np.nan, True, "0", None, []]),
        (POSITIVE, [1e-12, 3, 1e12], [0, 1e-300, 1e300, -1, np.inf]),
        (UNIT, [0, 1, 0.5], [-0.1, 1.1]),
        (HALF_OPEN, [1, 0.5], [0, 1.1]),
        (Interval(float, 0, 0.5), [0, 0.4], [0.5]),
        (Options("a", "b"), ["a", np.str_("b")], ["c", None, 1, ["a"]]),
        (FLAG, [True, False], [1, 0, "True", None]),
    ],
)
def test_allows(constraint, allowed, refused):
    assert [constraint.allows(value) for value in allowed] == [True] * len(allowed)
    assert [constraint.allows(value) for value in refused] == [False] * len(refused)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (COUNT, "an integer >= 1"),
        (NON_NEGATIVE, "a number in [0, 1e+12]"),
        (POSITIVE, "a number in [1e-12, 1e+12]"),
        (Interval(float, 1, closed="neither"), "a number > 1"),
        (UNIT, "a number in [0, 1]"),
        (HALF_OPEN, "a number in (0, 1]"),
        (Options("a"), "'a'"),
        (Options("a", "b", "c"), "'a', 'b' or 'c'"),
        (FLAG, "True or False"),
    ],
)
def test_says_what_it_allows(constraint, words):
    assert str(constraint) == words


def test_an_array_is_none_of_the_options():
    assert not Options("kmeans", "rows").allows(np.array(["kmeans", "kmeans"]))


def test_an_annotation_may_say_what_is_allowed():
    assert str(read_annotation(Literal["a", "b"])) == "'a' or 'b'"
    assert read_annotation(bool) is FLAG
    assert read_annotation(float) is read_annotation("Literal['a']") is None
