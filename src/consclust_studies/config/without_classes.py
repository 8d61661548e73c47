"""What a report computes of an ensemble and its consensus without classes."""

from pydantic import Field, field_validator

from consclust.validation import Strict
from consclust_studies.config.cases import Two
from consclust_studies.config.references import MethodId
from consclust_studies.config.values import Count, Positive, Some


class Diagnosis(Strict):
    """How the sections of a report without classes are computed; see ``consclust.diagnostics``."""

    method: MethodId | None = Field(None, description="of the consensus that is looked at; the first one if absent")
    ks: Some[Two] = Field(tuple(range(2, 11)), description="numbers of clusters that are compared")
    draws: Positive = Field(50, description="bootstrap ensembles, for the stability of objects and methods")
    halves: Positive = Field(20, description="random halves of the base clusterings at each of ks")
    nulls: Count = Field(19, description="draws of the null reference; 0: none")
    folds: Two = Field(5, description="parts of the base clusterings that are held out in turn")

    @field_validator("ks")
    @classmethod
    def _in_order(cls, ks: tuple[int, ...]) -> tuple[int, ...]:
        if list(ks) != sorted({*ks}):
            raise ValueError(f"not in ascending order, each once; write {sorted({*ks})}")
        return ks
