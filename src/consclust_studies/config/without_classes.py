"""What a report computes of an ensemble and its consensus without classes."""

from pydantic import Field, field_validator

from consclust.validation import Strict
from consclust_studies.config.cases import Two
from consclust_studies.config.references import MethodId
from consclust_studies.config.values import Count, Positive, Some


class Diagnosis(Strict):
    """How the sections of a report without classes are computed; see ``consclust.diagnostics``."""

    method: MethodId | None = Field(
        None, description="id of the method whose consensus is diagnosed; null: the first method"
    )
    ks: Some[Two] = Field(tuple(range(2, 11)), description="numbers of clusters that are compared, ascending")
    draws: Positive = Field(50, description="number of bootstrap ensembles, for the stability of objects and methods")
    halves: Positive = Field(
        20, description="number of random halves of the base clusterings at each number of clusters"
    )
    nulls: Count = Field(19, description="number of draws of the null reference; 0: none")
    folds: Two = Field(5, description="number of parts of the base clusterings that are held out in turn")

    @field_validator("ks")
    @classmethod
    def _in_order(cls, ks: tuple[int, ...]) -> tuple[int, ...]:
        if list(ks) != sorted({*ks}):
            raise ValueError(f"not in ascending order, each once; write {sorted({*ks})}")
        return ks
