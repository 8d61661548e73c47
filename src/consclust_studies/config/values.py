"""Types of the values in the configuration."""

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, GetJsonSchemaHandler, StringConstraints, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from consclust.validation import Strict

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", max_length=60)]
"""The id of something; it becomes part of file names."""
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
"""A name in tables and headings."""
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
"""A few sentences."""

LARGEST = 10**9
"""No integer in a configuration is larger; what counts something is at most :data:`MOST`."""
MOST = 10**6


def _number_of_text(value: Any) -> Any:
    """YAML 1.1 takes 1e-4 for text (it wants 1.0e-4); a user means the number."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _bounded(value: Any) -> Any:
    """Refuse numbers that no parameter can mean."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not a finite number; write one")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ValueError(f"an integer beyond {LARGEST:,}; write a smaller one")
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two values mean the same parameter: 1 is 1.0, but not true."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def no_flag(value: Any) -> Any:
    """Refuse true and false, which Python takes for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("a flag, where a number is meant; write the number")
    return value


Value = Annotated[bool | int | float | str | None, BeforeValidator(_number_of_text), AfterValidator(_bounded)]
Grid = Mapping[str, Sequence[Value]]


def grid_points(grid: Grid) -> list[dict[str, Value]]:
    """Return the points of a grid, the last parameter fastest; one empty point without a grid."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


Selection = Literal["oracle-common", "oracle-per-subset", "default"]
Positive = Annotated[int, Field(ge=1, le=MOST), BeforeValidator(no_flag)]
Count = Annotated[int, Field(ge=0, le=MOST), BeforeValidator(no_flag)]
Share = Annotated[float, Field(gt=0, le=1), BeforeValidator(no_flag)]
T = TypeVar("T")
Some = Annotated[tuple[T, ...], Field(min_length=1)]
"""A list that is not empty."""


class Named(Strict):
    """An item of a list that may be written as one word, and whose id is that word unless it has another."""

    word: ClassVar[str]

    id: Name = Field(
        "", description="id in the study, part of file names; if absent, the data set or the method itself"
    )

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = {cls.word: value}
        if isinstance(value, Mapping) and "id" not in value and cls.word in value:
            value = {"id": value[cls.word], **value}
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the schema of a word or a mapping."""
        return {"anyOf": [{"type": "string"}, super().__get_pydantic_json_schema__(schema, handler)]}
