"""Types of the values in the configuration."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from concord.validation import Strict

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]


def _number_of_text(value: Any) -> Any:
    """YAML 1.1 takes 1e-4 for text (it wants 1.0e-4); a user means the number."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


Value = Annotated[bool | int | float | str | None, BeforeValidator(_number_of_text)]
Metric = Literal["ACC", "NMI", "ARI", "purity", "F", "NMI-mean"]
Reading = Literal["oracle-common", "oracle-per-subset", "default"]
Positive = Annotated[int, Field(ge=1)]


class Named(Strict):
    """An item of a list that may be written as one word, and whose id is that word unless it has another."""

    word: ClassVar[str]

    id: Name = Field("", description="the word itself if absent")

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = {cls.word: value}
        if isinstance(value, Mapping) and "id" not in value and cls.word in value:
            value = {"id": value[cls.word], **value}
        return value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler.resolve_ref_schema(handler(schema))]}
