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
        description="the one seed; all others are spawned from it by name"
    )
    default_study: Name | None = Field(
        None, description="what `snakemake --cores N` runs; the first study by name if absent"
    )
    data_mirror: str | None = Field(None, description="folder or URL that is tried before the public addresses")
    subsets_per_job: Positive | None = Field(
        None, description="subsets that one job works through; null: as many as take five minutes at most, or one"
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
    datasets: tuple[Name, ...] | None = Field(None, description="restrict the run to these cases")
    methods: tuple[Name, ...] | None = Field(None, description="restrict the run to these methods")
    subsets: Positive | None = Field(
        None, description="restrict the run to its first so many subsets: a first look at an expensive study"
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
    def restrictions(self) -> dict[str, tuple[str, ...]]:
        """What the run is restricted to, by key."""
        subsets = (str(self.subsets),) if self.subsets else ()
        found = {"datasets": self.datasets or (), "methods": self.methods or (), "subsets": subsets}
        return {key: words for key, words in found.items() if words}
