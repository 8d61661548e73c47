"""The typed configuration: ``config/config.yaml`` and one file per study in ``config/studies/``.

Mistakes are found before any job starts; each is one line that names file, key, value and remedy.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from concord.datasets.registry import DatasetSpec, Registry
from concord.errors import InputError
from concord.files import RERUN, write_text
from concord.validation import Strict, did_you_mean, parse, read_yaml

CONFIG_FILE = Path("config/config.yaml")
STUDIES = Path("config/studies")
GRID_FIGURES = ("figure1", "figure2")

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


class Config(Strict):
    """What holds for every study."""

    seed: Annotated[int, Field(ge=0)] = Field(
        description="the one seed; all others are spawned from it by name"
    )
    data_mirror: str | None = Field(
        None, description="folder or URL that is tried before the public addresses"
    )
    subsets_per_job: Annotated[int, Field(ge=1)] = Field(
        10, description="block of subsets that one job works through"
    )
    datasets: tuple[str, ...] | None = Field(None, description="restrict every study to these cases")
    methods: tuple[str, ...] | None = Field(None, description="restrict every study to these methods")
    subsets: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="restrict every study to its first so many subsets: a first look at a costly one",
    )

    @field_validator("datasets", "methods", mode="before")
    @classmethod
    def _from_comma_list(cls, value: Any) -> Any:
        return [word.strip() for word in value.split(",")] if isinstance(value, str) else value


class Paper(Strict):
    """The paper that a study re-runs."""

    authors: str
    title: str
    venue: str
    year: int


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


Positive = Annotated[int, Field(ge=1)]
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

    def at_default(self) -> Self:
        """Return the method with no other grid point than the default."""
        return self.model_copy(update={"grid": {name: (self.default[name],) for name in self.grid}})


class MethodReading(MethodRun):
    """Another reading of a method of the study."""

    of: str = Field(description="id of the method that it reads otherwise")
    why: str = Field(description="what the paper leaves open")


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


class GridFigure(Strict):
    """Heat maps of the scores over a grid of two parameters."""

    method: str
    x: str
    y: str
    cases: tuple[str, ...] = Field((), description="all cases of the study if absent")
    metrics: tuple[Metric, ...] = ("ACC", "NMI")


class View(Strict):
    """A table of some of the study's methods, other readings among them, beside the print."""

    id: Name = Field(description="name of its files")
    title: str
    methods: Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="ids of methods, or of other readings of methods"
    )
    cases: tuple[str, ...] = Field((), description="all cases of the study if absent")
    metrics: tuple[Metric, ...] = Field((), description="those of Table 2 if absent")


class StartsTable(Strict):
    """What the random starts of some methods come to: the selected one, mean, deviation, best, worst."""

    title: str
    methods: Annotated[tuple[str, ...], Field(min_length=1)]
    cases: tuple[str, ...] = Field((), description="all cases of the study if absent")
    metrics: tuple[Metric, ...] = Field((), description="those of Table 2 if absent")


def _ascending(limits: tuple[float, float]) -> tuple[float, float]:
    if limits[0] >= limits[1]:
        raise ValueError("the lower end comes first, and is lower than the other")
    return limits


class FurtherFigure(Strict):
    """What every figure beside Figure 1 and 2 has."""

    id: Name = Field(description="name of its files, reports/<study>/<id>.svg and others")
    title: str = Field(description="heading in the report")
    caption: str = Field("", description="said before the sentences that say what was measured")


class SizesFigure(FurtherFigure):
    """Score against the number of base clusterings in a subset, a panel for each case."""

    kind: Literal["sizes"]
    metric: Metric
    cases: tuple[str, ...] = Field((), description="all with readings of another subset_size if absent")
    methods: tuple[str, ...] = Field((), description="all that those readings run if absent")
    spread: Literal["band", "bars", "none"] = Field("band", description="how the standard deviation is drawn")


Similarity = Literal["classes", "co_occurrence", "lwca", "hc", "pts", "ecpcs"]
Limits = Annotated[tuple[float, float], AfterValidator(_ascending)]


class MatrixPanel(Strict):
    """One matrix: a similarity of the base clusterings, or what a fitted method has."""

    title: str
    similarity: Similarity | None = Field(
        None, description="a function of concord.coassociation; 'classes': 1 for objects of one class"
    )
    method: str | None = Field(None, description="id of a method of the study, at its default grid point")
    matrix: str = Field("consensus_matrix", description="which of the method's matrices")
    parameters: dict[str, Value] = Field(default_factory=dict, description="of the similarity or the method")
    scale: Limits | Literal["own"] | None = Field(
        None, description="ends of the colours; 'own': 98% of its entries; absent: those of the figure"
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.similarity is None) == (self.method is None):
            raise ValueError("a panel shows one matrix; write either similarity or method")
        return self


class MatricesFigure(FurtherFigure):
    """Matrices over the objects of one case and one subset, in the order of the classes."""

    kind: Literal["matrices"]
    case: str
    subset: Annotated[int, Field(ge=1, description="from 1, as jobs count them")] = 1
    panels: Annotated[tuple[MatrixPanel, ...], Field(min_length=1)]
    scale: Limits = Field((0.0, 1.0), description="ends of the colours")
    order: Literal["class", "random", "both"] = Field(
        "class",
        description="of the objects when methods see them; the random one is shown as it lies and put back "
        "into the order of the classes",
    )


class LevelsFigure(FurtherFigure):
    """Precision and recall of the pairs of objects from each level of co-association on."""

    kind: Literal["levels"]
    case: str


class PathsFigure(FurtherFigure):
    """A value, or some, after each iteration of a method, a panel for each case."""

    kind: Literal["paths"]
    method: str
    path: str = Field(description="which of the method's paths")
    labels: Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="what the values are, one for each column of the path"
    )
    cases: tuple[str, ...] = Field((), description="all cases of the study if absent")
    subset: Annotated[int, Field(ge=1, description="from 1, as jobs count them")] = 1
    parameters: dict[str, Value] = Field(default_factory=dict, description="beside the study's own")
    log: bool = Field(True, description="whether the values have a logarithmic scale")


class ObjectsFigure(FurtherFigure):
    """The objects of two-dimensional data sets, a panel for each case."""

    kind: Literal["objects"]
    cases: Annotated[tuple[str, ...], Field(min_length=1)]


class VatFigure(FurtherFigure):
    """Co-association matrices with the objects in the order of VAT, a panel for each case."""

    kind: Literal["vat"]
    cases: Annotated[tuple[str, ...], Field(min_length=1)]
    subset: Annotated[int, Field(ge=1, description="from 1, as jobs count them")] = 1


class BarsGroup(Strict):
    """Cases that stand side by side in a figure of bars."""

    title: str
    cases: Annotated[tuple[str, ...], Field(min_length=1)]


class BarsFigure(FurtherFigure):
    """Scores as bars, a panel for each metric and group of cases."""

    kind: Literal["bars"]
    metrics: Annotated[tuple[Metric, ...], Field(min_length=1)]
    groups: Annotated[tuple[BarsGroup, ...], Field(min_length=1)]
    methods: tuple[str, ...] = Field((), description="all of the study if absent")


class GridLineFigure(FurtherFigure):
    """Mean score over a grid of one parameter, a panel for each case."""

    kind: Literal["grid_line"]
    metric: Metric
    methods: Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="ids of methods whose grid is of one parameter, the same one"
    )
    beside: tuple[str, ...] = Field((), description="ids of methods without a grid, each a level")
    cases: tuple[str, ...] = Field((), description="all cases of the study if absent")


AnyFigure = Annotated[
    SizesFigure
    | MatricesFigure
    | LevelsFigure
    | PathsFigure
    | GridLineFigure
    | ObjectsFigure
    | VatFigure
    | BarsFigure,
    Field(discriminator="kind"),
]

REPORT_FILES = (
    *("figure1", "figure2", "table1", "table2", "claims", "pvalues", "agreement", "ranks", "restarts"),
    *("grids", "readings", "generalisation", "runtime", "provenance", "report", "starts", "f1_bounds"),
)
"""Files of every report, without suffix: a figure has another id."""


def named_cases(figure: AnyFigure) -> tuple[str, ...]:
    """Return the ids of the cases that a figure names."""
    if isinstance(figure, BarsFigure):
        return tuple(case for group in figure.groups for case in group.cases)
    return (figure.case,) if isinstance(figure, MatricesFigure | LevelsFigure) else figure.cases


def named_methods(figure: AnyFigure) -> tuple[str, ...]:
    """Return the ids of the methods, or the base clusterings, that a figure names."""
    if isinstance(figure, GridLineFigure):
        return figure.methods + figure.beside
    return figure.methods if isinstance(figure, SizesFigure | BarsFigure) else fitted_methods(figure)


def fitted_methods(figure: AnyFigure) -> tuple[str, ...]:
    """Return the ids of the methods that are fitted for a figure; the others are read from the scores."""
    if isinstance(figure, MatricesFigure):
        return tuple(dict.fromkeys(panel.method for panel in figure.panels if panel.method))
    return (figure.method,) if isinstance(figure, PathsFigure) else ()


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


class Claim(Strict):
    """A sentence of the paper and the check in code that gives its verdict."""

    text: str
    check: Literal["best", "second", "significant", "above_base", "stable", "grows", "improves"]
    method: str
    metric: Metric
    cases: tuple[str, ...] = Field((), description="ids of the cases that it speaks of; all if absent")
    against: tuple[str, ...] = Field(
        (),
        description="'best', 'significant': ids of the rivals that it speaks of; all the others if absent; "
        "'improves': the one that it is better than",
    )
    unseen: bool = Field(
        False, description="'improves': on unseen objects; both then name rows of the generalisation"
    )
    percent: float | None = Field(None, description="'improves': the printed improvement, in percent")
    printed: int | None = Field(None, description="on how many data sets the paper's print shows it")
    of: int | None = Field(None, description="of how many; those of Table 2, or of the figure, if absent")
    within: float = Field(
        0.02, description="'stable': a grid point counts if its score is this near the best"
    )
    share: float = Field(0.5, description="'stable': the share of grid points that must count")

    @model_validator(mode="after")
    def _keys_of_the_check(self) -> Self:
        if self.check == "improves":
            if len(self.against) != 1 or self.percent is None:
                raise ValueError("check: improves needs one method in against, and the printed percent")
            return self
        if self.against and self.check not in {"best", "significant"}:
            raise ValueError(
                f"against = {list(self.against)} goes with check: best, significant or improves; remove it"
            )
        if self.unseen or self.percent is not None:
            raise ValueError("unseen and percent go with check: improves; remove them")
        return self


class Study(Strict):
    """One paper's experiment: data sets, ensemble protocol, methods with grids, what is reported."""

    id: Name
    title: str
    summary: str = Field(description="one or two sentences for the report's abstract")
    paper: Paper | None = None
    published: str | None = Field(None, description="folder in config/published with the printed tables")
    other_data: str | None = Field(
        None,
        description="why the data sets are not the paper's; every verdict then says that they are not, and "
        "the tables are called after the paper's",
    )
    cases: Annotated[tuple[Case, ...], Field(min_length=1)]
    only_in_table1: tuple[Case, ...] = Field((), description="data sets that are prepared, not clustered")
    ensemble: EnsembleProtocol = EnsembleProtocol()
    unprinted: tuple[str, ...] = Field(
        (), description="ids of methods that the paper has, but whose printed numbers are not at hand"
    )
    base_clusterings: str = Field(
        "K-means", description="name of the row for the base clusterings themselves"
    )
    methods: Annotated[tuple[MethodRun, ...], Field(min_length=1)]
    metrics: Annotated[tuple[Metric, ...], Field(min_length=1)] = ("ACC", "NMI", "ARI", "purity", "F")
    table2: Annotated[tuple[Metric, ...], Field(min_length=1)] = ("ACC", "NMI")
    restarts: Literal["mean", "chosen"] = Field(
        "mean", description="score of a fit: mean over restarts, or the chosen one"
    )
    reading: Reading = Field(
        "oracle-per-subset",
        description="the reading that baselines are compared with; if it is 'default', other readings of the "
        "paper run at no other grid point",
    )
    significance: Significance = Significance()
    figure1: GridFigure | None = Field(None, description="large panels, one scale of scores")
    figure2: GridFigure | None = Field(None, description="small panels, each scored against its own best")
    views: tuple[View, ...] = Field((), description="further tables, of some of the methods")
    starts: StartsTable | None = Field(None, description="a table of the random starts of some methods")
    figures: tuple[AnyFigure, ...] = Field((), description="further figures, in the order of the report")
    generalisation: Generalisation | None = None
    claims: tuple[Claim, ...] = ()
    readings: Readings = Readings()

    @model_validator(mode="after")
    def _names(self) -> Self:
        cases, methods = [*self.described, *self.readings.cases], [*self.methods, *self.readings.methods]
        named: dict[str, Iterable[Any]] = {"case": cases, "method": methods, "figure": self.figures}
        for what, items in named.items():
            ids = [item.id for item in items]
            if twice := {i for i in ids if ids.count(i) > 1}:
                raise ValueError(f"two {what}s have the id {sorted(twice)[0]!r}; give one of them another id")
        if self.base_clusterings in {m.id for m in methods}:
            raise ValueError(f"{self.base_clusterings!r} names both the base clusterings and a method")
        ids = [item.id for item in (*self.views, *self.figures)]
        if taken := {*REPORT_FILES} & set(ids) or {i for i in ids if ids.count(i) > 1}:
            raise ValueError(
                f"views, figures: the id {sorted(taken)[0]!r} names a file of the report; choose another"
            )
        if missing := [m for m in self.table2 if m not in self.metrics]:
            raise ValueError(f"table2 metric {missing[0]!r} is not in metrics; add it there")
        return self

    @property
    def described(self) -> tuple[Case, ...]:
        """The cases of Table 1: those that are clustered, then the others."""
        return self.cases + self.only_in_table1

    @property
    def counted(self) -> tuple[Case, ...]:
        """The cases of counts over data sets: all but those that another one stands for."""
        replaced = {case.instead_of for case in self.cases}
        return tuple(case for case in self.cases if case.id not in replaced)

    def case(self, case_id: str) -> Case:
        """Return the case, or the reading of one, with this id."""
        return next(c for c in (*self.cases, *self.readings.cases) if c.id == case_id)

    def method(self, method_id: str) -> MethodRun:
        """Return the method, or the reading of one, with this id."""
        return next(m for m in (*self.methods, *self.readings.methods) if m.id == method_id)

    def started(self) -> list[tuple[Case, list[MethodRun]]]:
        """Return the cases of the table of random starts, each with the table's methods that run on it."""
        starts = self.starts
        if starts is None:
            return []
        return [
            (case, [run for run in self.runs(case) if run.id in starts.methods])
            for case in self.cases
            if not starts.cases or case.id in starts.cases
        ]

    def generalised(self) -> tuple[Case, ...]:
        """Return the cases of the study of generalisation."""
        if self.generalisation is None:
            return ()
        wanted = self.generalisation.cases
        return tuple(case for case in self.cases if not wanted or case.id in wanted)

    def on_unseen_objects(self, case: Case) -> "Study":
        """Return what the scores on unseen objects of a case depend on, as a study of their own."""
        plan = self.generalisation
        if plan is None:
            raise ValueError(f"{self.id} has no generalisation")
        wanted = {method.method for method in plan.methods}
        parameters = {method: found for method, found in case.parameters.items() if method in wanted}
        elsewhere = {"title": None, "doubt": None, "instead_of": None, "subsets_per_job": None, "without": ()}
        return self.model_copy(
            update={
                **BARE,
                **{key: Study.model_fields[key].default for key in ("paper", "published", "other_data")},
                **{key: Study.model_fields[key].default for key in ("restarts", "reading", "significance")},
                "title": self.id,
                "summary": "Unseen objects.",
                "cases": (case.model_copy(update={**elsewhere, "parameters": parameters}),),
                "methods": tuple(run for run in self.methods if run.id in wanted),
                "metrics": (plan.metric,),
                "table2": (plan.metric,),
                "generalisation": plan.model_copy(update={"title": self.id, "cases": (), "beside": None}),
            }
        )

    def unseen_rows(self) -> list[str]:
        """Return the rows of the table of unseen objects, the base clusterings first."""
        methods = self.generalisation.methods if self.generalisation else ()
        base = [f"{self.base_clusterings}-NC"] if methods else []
        return base + [method.row(by) for method in methods for by in method.by]

    def figure(self, figure_id: str) -> AnyFigure:
        """Return the further figure with this id."""
        return next(figure for figure in self.figures if figure.id == figure_id)

    def size_readings(self, case: Case) -> list[CaseReading]:
        """Return the readings that differ from a case in the size of its subsets alone."""
        return [
            other
            for other in self.readings.cases
            if other.of == case.id and other.subset_size and _origin(other) == _origin(case)
        ]

    def run(self, case: Case, method_id: str) -> MethodRun:
        """Return the method, or the reading of one, as it runs on a case, or on the reading of one.

        Readings are shown in the study's own reading: where that is the default, no other point is needed.
        """
        run = self.method(method_id)
        read_otherwise = isinstance(case, CaseReading) or isinstance(run, MethodReading)
        return run.at_default() if read_otherwise and self.reading == "default" else run

    def runs(self, case: Case) -> list[MethodRun]:
        """Return the methods that run on a case."""
        return [run for run in self.methods if run.id not in case.without]

    def subset_size(self, case: Case) -> int:
        """Return the number of base clusterings in a subset of a case."""
        return case.subset_size or self.ensemble.subset_size

    def parameters(self, case: Case, run: MethodRun) -> dict[str, Value]:
        """Return the fixed parameters of a method on a case."""
        return {**run.parameters, **case.parameters.get(run.id, {})}

    def reading_runs(self) -> list[tuple[Case, MethodRun]]:
        """Return what the readings add to the cases x methods of the study."""
        others = [
            (case, run.id)
            for run in self.readings.methods
            for case in self.cases
            if run.id not in case.without
        ]
        others += [(case, name) for case in self.readings.cases for name in case.methods]
        return [(case, self.run(case, name)) for case, name in others]

    def readings_by_case(self) -> list["Study"]:
        """Return what the readings add, a study of one case for each case with the methods that run on it."""
        runs: dict[str, list[MethodRun]] = {}
        for case, run in self.reading_runs():
            runs.setdefault(case.id, []).append(run)
        return [
            self.model_copy(update={**BARE, "cases": (self.case(case),), "methods": tuple(found)})
            for case, found in runs.items()
        ]

    def seen(self, view: View) -> "Study":
        """Return the study of a view: its methods on those of its cases that have any of them."""
        everything = (*self.methods, *self.readings.methods)
        runs = tuple(run for name in view.methods for run in everything if run.id == name)
        cases = tuple(
            case
            for case in self.cases
            if case.id in (view.cases or [case.id]) and not {run.id for run in runs} <= set(case.without)
        )
        return self.model_copy(
            update={
                **BARE,
                "title": view.title,
                "cases": cases,
                "methods": runs,
                "table2": view.metrics or self.table2,
            }
        )

    def blocks(self, case: Case, size: int) -> list[tuple[int, int]]:
        """Half-open ranges of subsets that one job works through."""
        n, size = self.ensemble.n_subsets, min(size, case.subsets_per_job or size)
        return [(first, min(first + size, n)) for first in range(0, n, size)]


BARE: dict[str, Any] = {
    "only_in_table1": (),
    "figure1": None,
    "figure2": None,
    "figures": (),
    "views": (),
    "starts": None,
    "generalisation": None,
    "claims": (),
    "readings": Readings(),
}
"""What a study of some of another's cases and methods leaves out."""


def _origin(case: Case) -> tuple[object, ...]:
    """What, beside the number of base clusterings in a subset, makes the scores of a case."""
    origin = (case.dataset, case.preprocessing, case.ensemble, case.init, case.n_clusters, case.feature_share)
    return (*origin, case.object_share, case.parameters)


def load_config(value: Mapping[str, Any], file: Path = CONFIG_FILE) -> Config:
    """Validate the merged configuration (file plus ``--config``)."""
    return parse(Config, dict(value), file)


def load_study(path: Path, datasets: Mapping[str, DatasetSpec]) -> Study:
    """Read a study; check its names (against the registry of data sets too) and the methods' parameters."""
    from concord.checks import mistakes

    study = parse(Study, read_yaml(path), path)
    if found := list(mistakes(study, path, datasets)):
        raise InputError("\n".join(found))
    return study


def read_study(path: Path) -> Study:
    """Read a study as it is run, ``results/<study>/study.json``."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; Snakemake writes it, run the study once") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: not valid JSON ({error}); {RERUN}") from None
    return parse(Study, value, path)


def restrict(study: Study, config: Config) -> Study | None:
    """Keep the cases, methods and first subsets that the configuration names; None if nothing is left."""
    cases = tuple(c for c in study.cases if config.datasets is None or c.id in config.datasets)
    methods = tuple(m for m in study.methods if config.methods is None or m.id in config.methods)
    described = () if config.datasets else study.only_in_table1
    readings = _restricted(study.readings, {c.id for c in cases}, {m.id for m in methods})
    ensemble = study.ensemble.first(config.subsets or study.ensemble.n_subsets)
    update = {
        "ensemble": ensemble,
        "cases": cases,
        "methods": methods,
        "figures": tuple(f for f in study.figures if getattr(f, "subset", 1) <= ensemble.n_subsets),
        "only_in_table1": described,
        "readings": readings,
        "generalisation": _fewer(study.generalisation, {c.id for c in cases}, {m.id for m in methods}),
    }
    kept = study.model_copy(update=update)
    if not any(kept.runs(case) for case in cases):
        return None
    return kept.model_copy(update={"views": tuple(view for view in study.views if kept.seen(view).cases)})


def _fewer(
    generalisation: Generalisation | None, cases: set[str], methods: set[str]
) -> Generalisation | None:
    """Keep what is kept of a study of generalisation; None if nothing is left."""
    if generalisation is None or (generalisation.cases and not cases & {*generalisation.cases}):
        return None
    kept = tuple(m for m in generalisation.methods if m.method in methods)
    return generalisation.model_copy(update={"methods": kept}) if kept else None


def _restricted(readings: Readings, cases: set[str], methods: set[str]) -> Readings:
    """Keep the readings of what is kept."""
    kept = [
        case.model_copy(update={"methods": tuple(m for m in case.methods if m in methods)})
        for case in readings.cases
        if case.of in cases
    ]
    return Readings(methods=tuple(m for m in readings.methods if m.of in methods), cases=tuple(kept))


def check_restrictions(studies: Iterable[Study], config: Config, file: Path = CONFIG_FILE) -> None:
    """Refuse a restriction that names a case or a method of no study, or leaves no study anything to do."""
    studies = list(studies)
    known = {
        "datasets": {c.id for s in studies for c in s.cases},
        "methods": {m.id for s in studies for m in s.methods},
    }
    mistakes = [
        f"{file}: {key} = {word!r}: in no study; {did_you_mean(word, sorted(ids))}"
        for key, ids in known.items()
        for word in getattr(config, key) or ()
        if word not in ids
    ]
    if not mistakes and not any(restrict(study, config) for study in studies):
        asked = "; ".join(f"{key} = {', '.join(words)}" for key in known if (words := getattr(config, key)))
        mistakes = [f"{file}: {asked}: no study runs that; a case names under 'without' what it leaves out"]
    if mistakes:
        raise InputError("\n".join(mistakes))


JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"
SCHEMAS: dict[str, type[BaseModel]] = {"config": Config, "study": Study, "datasets": Registry}


def write_schemas(folder: Path = Path("workflow/schemas")) -> None:
    """Write the JSON schemas of the configuration files, for editors that complete and check YAML."""
    for name, model in SCHEMAS.items():
        schema = {**model.model_json_schema(), "$schema": JSON_SCHEMA}
        write_text(folder / f"{name}.schema.json", json.dumps(schema, indent=2) + "\n")


if __name__ == "__main__":
    write_schemas()
