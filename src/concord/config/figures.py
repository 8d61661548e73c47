"""What a report shows beside its own tables: figures and views."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from concord.config.values import Metric, Name, Value
from concord.validation import Strict

GRID_FIGURES = ("figure1", "figure2")


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
