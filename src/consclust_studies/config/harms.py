"""The key ``harms`` of a study: which subsets are spoiled, how, and how much."""

from typing import NamedTuple, Self

from pydantic import Field, model_validator

from consclust.ensembles.harms import HARMS, Harm
from consclust.validation import Strict
from consclust_studies.config.values import Share, Some


class SpoiledSubset(NamedTuple):
    """What the number of a subset stands for."""

    repetition: int
    """The clean subset that was spoiled, from 0."""
    kind: Harm | None
    """None: it is clean."""
    share: float


class Harms(Strict):
    """Beside each clean subset of base clusterings spoiled ones: one for each kind of harm and share.

    Subsets are numbered by repetition: the clean subset, then its spoiled ones by kind and by share, then the next
    clean one. So the first subsets are whole repetitions, for methods that take long.
    """

    kinds: Some[Harm] = Field(
        HARMS, description="kinds of harm, as `consclust.ensembles.spoil` explains them: " + ", ".join(HARMS)
    )
    shares: Some[Share] = Field(
        (0.2, 0.4, 0.6, 0.8), description="shares of the base clusterings, objects or labels that are spoiled"
    )

    @model_validator(mode="after")
    def _check_twice(self) -> Self:
        for name, given in (("kinds", self.kinds), ("shares", self.shares)):
            twice = [value for i, value in enumerate(given) if value in given[:i]]
            if twice:
                raise ValueError(f"{name} has {twice[0]!r} twice; remove one")
        return self

    @property
    def n_of_repetition(self) -> int:
        """Number of subsets of a repetition, the clean one with them."""
        return 1 + len(self.kinds) * len(self.shares)

    def describe(self, subset: int) -> SpoiledSubset:
        """Return what a subset is, by its number from 0."""
        repetition, place = divmod(subset, self.n_of_repetition)
        if place == 0:
            return SpoiledSubset(repetition, None, 0.0)
        kind, share = divmod(place - 1, len(self.shares))
        return SpoiledSubset(repetition, self.kinds[kind], self.shares[share])
