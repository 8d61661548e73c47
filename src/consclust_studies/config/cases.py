"""A case of a study: a data set as it is used, and other interpretations of it."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, model_validator

from consclust.validation import Strict
from consclust_studies.config.race import Race
from consclust_studies.config.references import AnyMethodId, CaseId, DatasetId, MethodId
from consclust_studies.config.values import MOST, Name, Named, Positive, Share, Some, Text, Title, Value, no_flag

Two = Annotated[int, Field(ge=2, le=MOST), BeforeValidator(no_flag)]
NumberOfClusters = Two | Some[Two] | Literal["classes", "random", "random-fine"]
"""Of a base clustering: a number; several, taken in turn; the number of classes; or drawn for each, from 2 to
sqrt(n) ("random") or from sqrt(n) / 2 to sqrt(n) ("random-fine")."""

BY_KMEANS = ("kmeans", "spherical", "minibatch")
BY_ESTIMATORS = ("agglomerative", "spectral", "gmm", "pam")
"""Made by an algorithm of :mod:`consclust.ensembles.algorithms`."""
"""Ensembles that are made by k-means."""


class CaseSettings(Strict):
    """What makes the scores of a case, beside its data set."""

    preprocessing: tuple[str, ...] | None = Field(
        None, description="steps in order, in place of those of the registry; []: none; null: those of the registry"
    )
    ensemble: str = Field(
        "kmeans",
        description="how base clusterings are made: 'kmeans', 'spherical' (k-means by the cosine), 'minibatch' "
        "(mini-batch k-means), 'mixed' (six algorithms in turn), 'agglomerative', 'spectral' (graph of nearest "
        "neighbours), 'gmm' (Gaussian mixture), 'pam' (partition around medoids), or the name of a ready-made ensemble "
        "of the data set",
    )
    init: Literal["random", "k-means++"] = Field(
        "random", description="initial centres of k-means: random objects, or k-means++"
    )
    n_clusters: NumberOfClusters | None = Field(
        None,
        description="clusters of a base clustering, in place of the study's ensemble.n_clusters; null: the study's",
    )
    linkage: Literal["average", "complete", "single", "ward"] = Field(
        "average", description="linkage of 'agglomerative'; 'ward' needs the Euclidean distance"
    )
    distance: Literal["euclidean", "manhattan", "cosine", "correlation"] = Field(
        "euclidean", description="distance of 'agglomerative' and 'pam'; 'correlation': 1 less Pearson's"
    )
    feature_share: Share = Field(
        1.0, description="share of the features that each run has, drawn at random; not of 'mixed'"
    )
    object_share: Share = Field(
        1.0, description="share of the objects that each run has, drawn at random; not of ensembles by k-means"
    )
    subset_size: Positive | None = Field(
        None,
        description="base clusterings in a subset, in place of the study's; only where subsets are drawn "
        "(ensemble.draws); null: the study's",
    )
    parameters: dict[AnyMethodId, dict[str, Value]] = Field(
        default_factory=dict, description="by method id: parameters that have other values on this case"
    )
    races: dict[AnyMethodId, Race] = Field(
        default_factory=dict,
        description="by method id: races, for grids that would take too long; only the best points run on every subset",
    )

    points: dict[AnyMethodId, dict[str, Value]] = Field(
        default_factory=dict,
        description="by method id: the one grid point at which the method runs on variants of this case, for a grid "
        "that would take too long there; a value for each parameter of the grid",
    )

    def collect_given(self) -> dict[str, Any]:
        """Return the settings that are written, by name."""
        return {name: getattr(self, name) for name in CaseSettings.model_fields if name in self.model_fields_set}


class Case(Named, CaseSettings):
    """A data set as the study uses it: its preprocessing and where its base clusterings come from."""

    word = "dataset"

    dataset: DatasetId = Field(description="id of the data set in the registry")
    title: Title | None = Field(None, description="name in tables; if absent, the title of the data set")
    instead_of: str | None = Field(
        None,
        description="id of another case of the same data set, which this case replaces in counts over data sets and in "
        "sums of ranks, so that no data set counts twice; null: none",
    )
    doubt: Text | None = Field(None, description="why these may not be the data of the paper; null: no doubt")
    without: tuple[AnyMethodId, ...] = Field(
        (), description="ids of methods, or of variants of methods, that do not run on this case"
    )

    seeds: Positive = Field(
        1,
        description="number of seeds of the methods with which the first subset is fitted, to see what they change; "
        "more than one goes with one_job_a_case",
    )

    @property
    def steps(self) -> tuple[str, ...]:
        """The preprocessing; only of a resolved case, whose ``preprocessing`` is given."""
        return self.preprocessing or ()

    @property
    def steps_word(self) -> str:
        """The preprocessing in one word, as in the name of the prepared file."""
        return "-".join(self.steps) or "raw"


class CaseVariant(Case):
    """A case whose base clusterings came about under another interpretation of the paper."""

    of: CaseId = Field(description="id of the case that it is a variant of")
    why: Text = Field(description="what the paper leaves open")
    methods: Some[MethodId] = Field(description="ids of the methods of the study that run on it")
    subsets: Positive | None = Field(
        None, description="number of subsets, the first ones, for methods that take long; null: those of the study"
    )

    @model_validator(mode="after")
    def _check_keys_of_cases(self) -> Self:
        for key in ("instead_of", "seeds"):
            if getattr(self, key) != type(self).model_fields[key].default:
                raise ValueError(f"{key} is for the cases of a study, not for variants; remove it")
        return self


class CaseFamily(CaseSettings):
    """Variants of several cases with the same changes: one for each case and each suffix, its id ``<case>_<suffix>``.

    A variant has the settings of its case but for those of the family, and those of the suffix.
    """

    of: Some[CaseId] = Field(description="ids of the cases that they are variants of")
    each: Annotated[
        dict[str, CaseSettings],
        Field(min_length=1, description="by suffix of the id: the settings that differ from those of the case"),
    ]
    why: Text = Field(description="what the paper leaves open")
    methods: Some[MethodId] = Field(description="ids of the methods of the study that run on them")
    subsets: Positive | None = Field(
        None, description="number of subsets, the first ones, for methods that take long; null: those of the study"
    )

    @model_validator(mode="after")
    def _check_ids(self) -> Self:
        for suffix in self.each:
            # if the longest id is a name, all are
            longest = f"{max(self.of, key=len)}_{suffix}"
            try:
                TypeAdapter(Name).validate_python(longest)
            except ValidationError:
                what = "too long, or has other characters than letters, digits, - and _"
                raise ValueError(f"the id {longest!r} is {what}; write another suffix") from None
        return self

    def list_members(self, cases: Iterable[Case]) -> Iterator[tuple[str, CaseVariant]]:
        """Yield the variants of those of the cases that are in ``of``, each after its suffix."""
        known = {case.id: case for case in cases}
        for own in (known[name] for name in self.of if name in known):
            # later settings win: those of the case, of the family, of the suffix
            shared = own.collect_given() | {"races": self._keep_races(own)} | self.collect_given()
            for suffix, changes in self.each.items():
                variant = shared | changes.collect_given()
                variant |= {"id": f"{own.id}_{suffix}", "dataset": own.dataset, "of": own.id}
                variant |= {"why": self.why, "methods": self.methods, "subsets": self.subsets}
                yield suffix, CaseVariant.model_validate(variant)

    def _keep_races(self, own: Case) -> dict[str, Race]:
        """Return the races of a case that are any on its variants: of their methods, with a subset left."""
        # a race of the case may be of a method that the family does not run, or at one point alone, or longer than its
        # subsets
        mine = {name: race for name, race in own.races.items() if name in self.methods and name not in own.points}
        return {name: race for name, race in mine.items() if not self.subsets or race.subsets < self.subsets}
