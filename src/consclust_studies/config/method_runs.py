"""A method of a study with its parameters and its grid, and other interpretations of it."""

from collections.abc import Sequence
from math import prod
from typing import Annotated, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from consclust.ensemble import Unseen
from consclust_studies.config import values
from consclust_studies.config.cases import Case
from consclust_studies.config.references import CaseId, MethodId
from consclust_studies.config.values import MOST, Name, Named, Positive, Some, Text, Value, same


class MethodRun(Named):
    """A method of the study with its fixed parameters and its grid."""

    word = "method"

    method: Annotated[str, Field(description="name of a class in consclust.methods")]
    parameters: dict[str, Value] = Field(
        default_factory=dict, description="fixed parameters by name; the others have the method's own defaults"
    )
    grid: dict[str, Some[Value]] = Field(
        default_factory=dict, description="values of tuned parameters by name; every combination is a grid point"
    )
    default: dict[str, Value] = Field(
        default_factory=dict,
        description="the grid point of the selection 'default', a value for each parameter of the grid; required with "
        "a grid",
    )
    missing_labels: Unseen | None = Field(
        None, description="what a missing label counts as, see missing_labels of the study; null: as there"
    )
    together: Name | None = Field(
        None,
        description="name of the fits of several methods that differ in one parameter: one job makes them, with the "
        "same random numbers, and computes once what they share; null: fitted alone",
    )
    subsets: dict[CaseId, Positive] = Field(
        default_factory=dict,
        description="by case id: number of subsets that it runs on, the first ones, for fits that take long; a case "
        "that is absent has the subsets of the study",
    )

    @field_validator("default")
    @classmethod
    def _write_as_on_grid(cls, default: dict[str, Value], info: ValidationInfo) -> dict[str, Value]:
        """Write 1 as the grid does if it has 1.0, so that the two are one point in all tables."""
        # there is no grid if it was refused itself
        grid = info.data.get("grid", {})
        written = {}
        for name, value in default.items():
            equal = [other for other in grid.get(name, ()) if same(value, other)]
            # a value that is not on the grid is refused below
            written[name] = equal[0] if equal else value
        return written

    @model_validator(mode="after")
    def _check_grid(self) -> Self:
        # before the points are listed: a slip of the pen may make millions
        n_points = prod(map(len, self.grid.values()))
        if n_points > MOST:
            raise ValueError(f"the grid has {n_points:,} points; at most {MOST:,} can be run")
        for name, axis in self.grid.items():
            twice = [value for i, value in enumerate(axis) if _is_among(value, axis[:i])]
            if twice:
                raise ValueError(f"grid.{name} has {twice[0]!r} twice; remove one")
        if self.grid and set(self.default) != set(self.grid):
            raise ValueError(f"default must give a value for each of {', '.join(self.grid)}")
        for name, value in self.default.items():
            if not _is_among(value, self.grid.get(name, ())):
                raise ValueError(f"default {name} = {value!r} is not on the grid; add it to grid.{name}")
        return self

    @property
    def points(self) -> list[dict[str, Value]]:
        """Grid points, the last parameter fastest; one empty point without a grid."""
        return values.grid_points(self.grid)

    @property
    def default_point(self) -> int:
        """Number of the default grid point among :attr:`points`; 0 without a grid."""
        return self.points.index(self.default)

    def runs_on(self, case: Case) -> bool:
        """Whether the method runs on this case of its study."""
        return self.id not in case.without

    def at_default(self) -> Self:
        """Return the method with no other grid point than the default."""
        return self.at_point(self.default)

    def at_point(self, point: dict[str, Value]) -> Self:
        """Return the method with no other grid point than one of its own, which becomes the default."""
        own = next(each for each in self.points if is_same_point(point, each))
        return self.model_copy(update={"grid": {name: (own[name],) for name in self.grid}, "default": own})


class MethodVariant(MethodRun):
    """A method of the study under another interpretation of the paper."""

    of: MethodId = Field(description="id of the method that it is a variant of")
    why: Text = Field(description="what the paper leaves open")
    cases: tuple[CaseId, ...] = Field((), description="ids of the cases that it runs on; all cases if absent")
    beyond: bool = Field(
        False,
        description="whether the variant serves exhibits beyond the paper and is no interpretation of it, so that the "
        "table of variants leaves it out",
    )
    other_experiment: bool = Field(
        False,
        description="whether it is another experiment of the paper, such as a point of a figure, so that the published "
        "value of the method is not one of the variant",
    )

    def runs_on(self, case: Case) -> bool:
        """Whether the variant runs on this case of its study."""
        return super().runs_on(case) and case.id in (self.cases or [case.id])


def find_differing(methods: Sequence[MethodRun]) -> dict[str, tuple[Value, ...]]:
    """Return the parameters that are not the same for all methods, with the values."""
    axes = {key: tuple(run.parameters[key] for run in methods) for key in methods[0].parameters}
    return {key: axis for key, axis in axes.items() if not all(same(value, axis[0]) for value in axis)}


def is_same_point(one: dict[str, Value], other: dict[str, Value]) -> bool:
    """Whether two grid points have the same values of the same parameters."""
    return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())


def _is_among(value: Value, values: Sequence[Value]) -> bool:
    """Whether a value is the same as one of several: 1 and 1.0 are, 1 and True are not."""
    return any(same(value, other) for other in values)
