"""What a study runs: cases, base clusterings, methods with their grids, other readings, unseen objects."""

from itertools import product
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from concord.config.values import Metric, Named, Positive, Value
from concord.datasets.registry import DatasetSpec
from concord.validation import Strict

NumberOfClusters = (
    Positive
    | Annotated[tuple[Positive, ...], Field(min_length=1)]
    | Literal["classes", "random", "random-fine"]
)
"""Of a base clustering: a number; several, taken in turn; the number of classes; or drawn for each, from 2 to
sqrt(n) ("random") or from sqrt(n) / 2 to sqrt(n) ("random-fine")."""


class Case(Named):
    """A data set as the study uses it: its preprocessing and where its base clusterings come from."""

    word = "dataset"

    dataset: str
    title: str | None = Field(None, description="how tables print it; the data set's title if absent")
    preprocessing: tuple[str, ...] | None = Field(None, description="replaces the registry's steps")
    ensemble: str = Field(
        "kmeans",
        description="'kmeans', 'minibatch', 'mixed', or the name of a ready-made ensemble of the data set",
    )
    init: Literal["random", "k-means++"] = Field("random", description="first centres of k-means")
    n_clusters: NumberOfClusters | None = Field(None, description="of k-means; replaces the study's")
    feature_share: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0, description="of the features, drawn at random for each k-means run"
    )
    object_share: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0, description="of the objects, drawn at random for each run of a 'mixed' ensemble"
    )
    subset_size: Annotated[int, Field(ge=1)] | None = Field(
        None, description="base clusterings in a subset; replaces the study's, where subsets are drawn"
    )
    instead_of: str | None = Field(
        None,
        description="id of a case of the same data set; counts over data sets and sums of ranks take this "
        "one in its place, so that no data set counts twice",
    )
    doubt: str | None = Field(None, description="in what these may not be the data of the paper")
    subsets_per_job: Annotated[int, Field(ge=1)] | None = Field(
        None, description="at most so many subsets in a job: a kill then loses less of a costly case"
    )
    parameters: dict[str, dict[str, Value]] = Field(
        default_factory=dict, description="by method id: fixed parameters that differ on this case"
    )
    without: tuple[str, ...] = Field((), description="ids of methods, or readings, that do not run on it")

    def steps(self, spec: DatasetSpec) -> tuple[str, ...]:
        """Return the preprocessing: the case's own, else that of its data set."""
        return spec.preprocessing if self.preprocessing is None else self.preprocessing


class EnsembleProtocol(Strict):
    """How base clusterings are made: Lloyd's k-means, from k random objects unless a case differs."""

    runs: Annotated[int, Field(ge=1)] = 200
    subset_size: Annotated[int, Field(ge=1)] = 20
    draws: Annotated[
        int | None,
        Field(
            ge=1, description="subsets to draw from the runs, each anew; absent: the runs are split in order"
        ),
    ] = None
    draw_seed: Annotated[
        int, Field(ge=0, lt=2**32, description="the draws are MATLAB's after rng(draw_seed): randperm(runs)")
    ] = 1
    n_clusters: NumberOfClusters = "classes"
    max_iter: Annotated[int, Field(ge=1)] = 100

    @model_validator(mode="after")
    def _whole_subsets(self) -> Self:
        if self.draws and self.subset_size > self.runs:
            raise ValueError(f"subset_size = {self.subset_size} is more than runs = {self.runs}")
        if not self.draws and self.runs % self.subset_size:
            raise ValueError(f"runs = {self.runs} is not a multiple of subset_size = {self.subset_size}")
        return self

    @property
    def n_subsets(self) -> int:
        """Number of subsets that are drawn from the runs, or that the runs are split into."""
        return self.draws or self.runs // self.subset_size

    def first(self, n_subsets: int) -> Self:
        """Return the protocol with at most so many subsets: the first ones, as they are in the whole."""
        if n_subsets >= self.n_subsets:
            return self
        fewer = {"draws": n_subsets} if self.draws else {"runs": n_subsets * self.subset_size}
        return self.model_copy(update=fewer)


class MethodRun(Named):
    """A method of the study with its fixed parameters and its grid."""

    word = "method"

    method: str
    parameters: dict[str, Value] = Field(default_factory=dict)
    grid: dict[str, Annotated[tuple[Value, ...], Field(min_length=1)]] = Field(default_factory=dict)
    default: dict[str, Value] = Field(
        default_factory=dict, description="the grid point that the 'default' reading takes"
    )

    @model_validator(mode="after")
    def _default_on_grid(self) -> Self:
        if self.grid and set(self.default) != set(self.grid):
            raise ValueError(f"default must give a value for each of {', '.join(self.grid)}")
        for name, value in self.default.items():
            if value not in self.grid.get(name, ()):
                raise ValueError(f"default {name} = {value!r} is not on the grid; add it to grid.{name}")
        return self

    @property
    def points(self) -> list[dict[str, Value]]:
        """Grid points, the last parameter fastest; one empty point without a grid."""
        return [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]

    def runs_on(self, case: Case) -> bool:
        """Whether the method runs on this case of its study."""
        return self.id not in case.without

    def at_default(self) -> Self:
        """Return the method with no other grid point than the default."""
        return self.model_copy(update={"grid": {name: (self.default[name],) for name in self.grid}})


class MethodReading(MethodRun):
    """Another reading of a method of the study."""

    of: str = Field(description="id of the method that it reads otherwise")
    why: str = Field(description="what the paper leaves open")
    cases: tuple[str, ...] = Field((), description="ids of the study's cases to run on; all if absent")

    def runs_on(self, case: Case) -> bool:
        """Whether the reading runs on this case of its study."""
        return super().runs_on(case) and case.id in (self.cases or [case.id])


class CaseReading(Case):
    """Another reading of how a case came about."""

    of: str = Field(description="id of the case that it reads otherwise")
    why: str = Field(description="what the paper leaves open")
    methods: tuple[str, ...] = Field(description="ids of the study's methods to run on it")


class Readings(Strict):
    """Other readings of the paper: run and shown beside the study's own, not ranked, not tested."""

    methods: tuple[MethodReading, ...] = ()
    cases: tuple[CaseReading, ...] = ()


class Significance(Strict):
    """The t-test behind the bold figures."""

    test: Literal["paired", "welch"] = "paired"
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05


class GeneralisedMethod(Named):
    """A method of the study, fitted on the training objects, and how its consensus reaches unseen ones."""

    word = "method"

    method: str = Field(description="id of a method of the study; ``id`` begins the names of its rows")
    by: Annotated[tuple[Literal["NC", "Infer", "own"], ...], Field(min_length=1)] = Field(
        ("NC",),
        description="a row for each; NC: the nearest class centroid of the consensus; Infer: the method's "
        "model, given the base labels of the unseen objects; own: the method's own mapping of features",
    )

    def row(self, by: str) -> str:
        """Return the name of a row."""
        return self.id if by == "own" else f"{self.id}-{by}"


class Generalisation(Strict):
    """Consensus on a part of the objects, and its labels for the others."""

    title: str = Field("Unseen objects", description="heading in the report")
    splits: Annotated[int, Field(ge=1)] = Field(5, description="of the objects into training and unseen ones")
    repetitions: Annotated[int, Field(ge=1)] = Field(
        10, description="of a split: anew ensemble.subset_size base clusterings of the training objects"
    )
    train_share: Annotated[float, Field(gt=0, lt=1)] = 0.6
    base_labels: Literal["assign", "kmeans-on-test"] = Field(
        "assign",
        description="of unseen objects: the nearest centre of each base clustering, or k-means on the unseen "
        "objects, its clusters matched to those of the base clustering",
    )
    metric: Metric = "ACC"
    methods: tuple[GeneralisedMethod, ...]
    beside: str | None = Field(None, description="name of the row that the others are tested against")
    cases: tuple[str, ...] = Field((), description="all cases of the study if absent")

    @model_validator(mode="after")
    def _rows_of_their_own(self) -> Self:
        rows = [method.row(by) for method in self.methods for by in method.by]
        if twice := {row for row in rows if rows.count(row) > 1}:
            raise ValueError(f"two rows are named {sorted(twice)[0]!r}; give one of the methods another id")
        return self
