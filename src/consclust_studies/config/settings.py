"""``config/config.yaml``: what holds for every study, and what a run is restricted to."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator

from consclust.validation import Strict
from consclust_studies.config.values import Name, Positive, no_flag

CONFIG_FILE = Path("config/config.yaml")


class Settings(Strict):
    """What holds for every study."""

    seed: Annotated[int, Field(ge=0, lt=2**63), BeforeValidator(no_flag)] = Field(
        description="the only seed; every random stream is derived from it by names (study, case, method, subset)"
    )
    data_mirror: str | None = Field(
        None,
        description="folder or URL that is tried before the public addresses of a data set; null: none; the "
        "environment variable CONSCLUST_DATA_MIRROR overrides it",
    )
    default_study: Name | None = Field(
        None, description="what `snakemake --cores N` runs: the id of a study; null: the first one by name"
    )
    subsets_per_job: Positive | None = Field(
        None,
        description="number of subsets that one job works through; null: as many as take five minutes at most, or one; "
        "changes no result",
    )
    datasets: tuple[Name, ...] | None = Field(
        None,
        description="restricts the run to these cases, by their ids in the study, or to variants of cases; null: all",
    )
    methods: tuple[Name, ...] | None = Field(
        None,
        description="restricts the run to these methods, by their ids in the study, or to variants of methods; "
        "where one job fits all methods of a case, it does so here too; null: all",
    )
    versions: Literal["keep", "rerun"] = Field(
        "keep", description="what happens to results that other versions of packages made: they stay, or are made anew"
    )
    code: Literal["rerun", "confirm"] = Field(
        "rerun",
        description="what happens to consensus labels that other code made: they are made anew, or kept where a sample "
        "of the fits of each job, about a twentieth of the time, gives the same labels",
    )
    refit: tuple[Name, ...] = Field(
        (), description="with code=confirm: sorts of fits of which all are made again, such as fewer-clusters"
    )
    subsets: Positive | None = Field(
        None, description="restricts the run to this many subsets, the first ones; null: all subsets"
    )
    variants: bool | None = Field(
        None,
        description="whether the run has the variants of what it runs; null: all of them, but of a run that is "
        "restricted by datasets or methods those that are named there",
    )

    @field_validator("datasets", "methods", "refit", mode="before")
    @classmethod
    def _from_comma_list(cls, value: Any) -> Any:
        words = [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value
        if words == []:
            raise ValueError("names nothing; write ids, or null for all")
        return words

    @field_validator("datasets", "methods")
    @classmethod
    def _in_one_order(cls, words: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return words and tuple(sorted({*words}))

    @property
    def confirms(self) -> bool:
        """Whether labels of other code stay where a sample confirms them."""
        return self.code == "confirm"

    @property
    def has_all_variants(self) -> bool:
        """Whether the run has every variant of what it runs; else it has those that datasets and methods name."""
        return self._runs_all if self.variants is None else self.variants

    @property
    def _runs_all(self) -> bool:
        return self.datasets is None and self.methods is None

    @property
    def restrictions(self) -> dict[str, tuple[str, ...]]:
        """What the run is restricted to, by key; variants only where they are not as the other keys have them."""
        found = {"datasets": self.datasets or (), "methods": self.methods or ()}
        if self.subsets:
            found["subsets"] = (str(self.subsets),)
        if self.has_all_variants != self._runs_all:
            found["variants"] = (str(self.variants).lower(),)
        return {key: words for key, words in found.items() if words}
