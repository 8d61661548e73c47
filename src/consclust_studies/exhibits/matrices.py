"""Matrices over the objects of one case and its first subset, in the order of the classes."""

# seaborn and matplotlib are imported where needed, so that what does without them starts faster

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from consclust import methods, similarity
from consclust.diagnostics import contrast
from consclust.ensemble import Ensemble, FloatArray, IntArray
from consclust.methods.base import ConsensusMethod
from consclust.plot.drawing import Groups, borders, step_of
from consclust.report.blocks import Shown, Table, listed
from consclust.report.figures import colour_bar, fine, style
from consclust.report.wording import DASH, MINUS, number, paragraph, point, records, untex
from consclust.validation import Strict
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import CaseId, MethodId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Some, Value
from consclust_studies.exhibits.base import Counted, Exhibit, Mistakes, Needs, check_reads_no_features, find_unknown
from consclust_studies.results.source import Source, find_fit_parameters

if TYPE_CHECKING:
    from pandas import DataFrame

CONTRAST = ("least", "percentile_1", "percentile_99", "largest", "mean_in_classes", "mean_between")
SIGNS = ("grows_in_classes", "grows_between", "falls_between")
"""Shares of pairs: in one class with a positive entry, in two classes with a positive and a negative one."""
NUMBERS = (*CONTRAST, *SIGNS, "order_difference")
ROUNDING = 1e-9
SIDES = {1: 3.4, 2: 2.7, 3: 2.05, 4: 1.55}
"""Inches of a panel, with so many side by side."""
ORDERS = {"class": ("",), "both": ("given in the order of the classes", "given in random order", "put back in order")}


def _ascending(limits: tuple[float, float]) -> tuple[float, float]:
    if limits[0] >= limits[1]:
        raise ValueError("the lower end comes first, and is lower than the other")
    return limits


Limits = Annotated[tuple[float, float], AfterValidator(_ascending)]


Similarity = Literal["co_occurrence", "lwca", "hc", "pts", "ecpcs"]
"""A function of consclust.similarity."""


class Matrix(Strict):
    """One matrix: a similarity of the base clusterings, or what a fitted method has."""

    title: str = Field(description="heading of the matrix")
    similarity: Similarity | Literal["classes"] | None = Field(
        None,
        description="similarity of the base clusterings, a function of consclust.similarity; 'classes': 1 for objects "
        "of one class; null: a matrix of method",
    )
    method: MethodId | None = Field(
        None, description="id of a method of the study, fitted at its default grid point; null: a similarity"
    )
    parameters: dict[str, Value] = Field(
        default_factory=dict, description="parameters of the method that differ from its default grid point"
    )
    matrix: str = Field("consensus_matrix", description="which matrix of the method, such as consensus_matrix")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.similarity is None) == (self.method is None):
            raise ValueError("a panel shows one matrix; write either similarity or method")
        return self

    @property
    def made(self) -> str:
        """The similarity, or the method with the name of its matrix."""
        return self.similarity or f"{self.method}: {self.matrix}"

    def point(self, study: PlannedStudy, case: str) -> str:
        """Return the parameters of its fit, as text; none of a similarity."""
        fit = find_fit_parameters(study, study.case(case), self.method) if self.method else {}
        return point({**fit, **self.parameters})


class Panel(Matrix):
    """One matrix and its colours."""

    minus: Similarity | None = Field(
        None, description="similarity that is subtracted, with colours that diverge at 0; null: none"
    )
    scale: Limits | Literal["own"] | None = Field(
        None, description="ends of the colours; 'own': from 1 % to 99 % of its entries; null: those of the figure"
    )


def list_fits(cases: Sequence[str], panels: Sequence[Matrix]) -> tuple[tuple[str, str], ...]:
    """Return the cases and methods that are fitted for some matrices."""
    fitted = dict.fromkeys(panel.method for panel in panels if panel.method)
    return tuple((case, method) for case in cases for method in fitted)


def mistakes_in(study: Study, panels: Sequence[Matrix]) -> Mistakes:
    """Yield matrices and parameters that a method does not have, and methods that need features."""
    for i, panel in enumerate(panels):
        if panel.method:
            run = study.method(panel.method)
            cls = methods.load(run.method)
            yield from find_unknown(f"panels[{i}].matrix", [panel.matrix], cls.matrices)
            yield from find_unknown(f"panels[{i}].parameters", panel.parameters, cls.parameters())
            yield from check_reads_no_features(run, f"panels[{i}].")


class Drawn(NamedTuple):
    """A title, a matrix for each order of the objects, the ends of the colours, and whether these part at 0."""

    title: str
    matrices: Sequence[FloatArray]
    limits: tuple[float, float]
    parted: bool


class Matrices(Exhibit):
    """Similarities and learned matrices side by side, from which the classes can be seen as blocks."""

    drawn = True
    questions: ClassVar[Mapping[str, str]] = {
        "stronger_inside": "subsets on which the first difference is positive on average over the pairs of one class",
        "weaker_between": "subsets on which it is negative on average over the pairs of two classes",
    }

    kind: Literal["matrices"]
    case: CaseId = Field(description="id of the case")
    panels: Some[Panel] = Field(description="the matrices, side by side")
    scale: Limits = Field((0.0, 1.0), description="ends of the colours, lower one first")
    order: Literal["class", "both"] = Field(
        "class",
        description="order in which the methods are given the objects: 'class': by class; 'both': by class and at "
        "random, the latter shown as given and put back into the order of the classes",
    )

    def mistakes(self, study: Study) -> Mistakes:
        """Yield what is wrong with the panels."""
        yield from mistakes_in(study, self.panels)

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings and the fits."""
        fits = list_fits([self.case], self.panels)
        return Needs(ensembles=(self.case,), fits=fits, draws=self.order == "both")

    def build(self, source: Source) -> Shown:
        """Return the range of every matrix, its means in and between classes, and what the order changes."""
        classes = source.stored(self.case).classes
        order, step = np.argsort(classes, kind="stable"), step_of(len(classes))
        by_class = Given(source, self.case, order)
        at_random = None
        back = order
        if self.order == "both":
            shuffle = source.generator(self.case, self.id).permutation(len(order))
            at_random, back = Given(source, self.case, shuffle), np.argsort(shuffle)[order]
        drawn, rows = [], []
        for panel in self.panels:
            matrix, difference = by_class.shown(panel), math.nan
            shown, found = [matrix], contrast(matrix, by_class.classes)
            if at_random is not None:
                shuffled = at_random.shown(panel)
                shown += [shuffled, shuffled[np.ix_(back, back)]]
                difference = float(np.abs(shown[-1] - matrix).max())
            thinned = [one[::step, ::step].copy() for one in shown]
            drawn.append(Drawn(panel.title, thinned, self._limits(panel, found), bool(panel.minus)))
            made = panel.made + (f" {MINUS} {panel.minus}" if panel.minus else "")
            named = (panel.title, made, panel.point(source.study, self.case), len(matrix), len(thinned[0]))
            signs = signs_by_class(matrix, by_class.classes) if panel.minus else (math.nan,) * len(SIGNS)
            rows.append((*named, *(found[name] for name in CONTRAST), *signs, difference))
        frame = records(f"panel matrix parameters objects drawn {' '.join(NUMBERS)}", rows)
        ends = Groups.make(classes[order][::step], len(thinned[0])).borders()
        return Shown(frame, (_table(frame),), self._caption(source, frame), self._draw(drawn, ends))

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the subsets on which the first panel that is a difference grows in the classes, or falls between."""
        panel = next(panel for panel in self.panels if panel.minus)
        objects = np.arange(len(source.stored(self.case).classes))
        means = []
        for subset in range(source.study.n_subsets):
            given = Given(source, self.case, objects, subset)
            found = contrast(given.shown(panel), given.classes)
            means.append(found["mean_in_classes" if question == "stronger_inside" else "mean_between"])
        inside = question == "stronger_inside"
        signs = np.array(means) if inside else -np.array(means)
        what = f"{untex(panel.title)} {'above 0 in' if inside else 'below 0 between'} the classes on"
        mean = f"mean {number(float(np.mean(means)), '+z.3g')}"
        return Counted(what, tuple(signs > ROUNDING), "subsets", (mean,))

    def _limits(self, panel: Panel, found: dict[str, float]) -> tuple[float, float]:
        if panel.minus and not isinstance(panel.scale, tuple):
            end = max(abs(found["percentile_1"]), abs(found["percentile_99"]), ROUNDING)
            return -end, end
        if panel.scale == "own":
            low, high = found["percentile_1"], found["percentile_99"]
            return (low, high) if low < high else (found["least"], found["largest"])
        return panel.scale or self.scale

    @style()
    def _draw(self, drawn: Sequence[Drawn], ends: IntArray) -> Any:
        import seaborn as sns
        from matplotlib.figure import Figure

        labels = ORDERS[self.order]
        across = 2 if (len(drawn), len(labels)) == (4, 1) else min(len(drawn), max(SIDES))
        bands, side = math.ceil(len(drawn) / across), SIDES[across]
        size = side * across + 0.3, bands * (len(labels) * (side + 0.05) + 0.6)
        picture = Figure(figsize=size, layout="constrained")
        axes = picture.subplots(bands * len(labels), across, squeeze=False)
        columns = axes.reshape(bands, len(labels), across).swapaxes(1, 2).reshape(-1, len(labels))
        for spare in columns[len(drawn) :].ravel():
            spare.set_axis_off()
        for index, (one, column) in enumerate(zip(drawn, columns, strict=False)):
            for panel, matrix, label in zip(column, one.matrices, labels, strict=True):
                mesh = fine(panel, matrix, one.limits)
                if one.parted:
                    mesh.set_cmap(sns.color_palette("vlag", as_cmap=True))
                panel.set_ylabel("" if index % across else label)
                if label != "given in random order":
                    colour = "black" if one.parted else "white"
                    borders(panel, ends, colour, linewidth=0.3)
            column[0].set_title(one.title)
            colour_bar(picture, mesh, column, "entry", location="bottom", extend=_extend(one))
        return picture

    def _caption(self, source: Source, frame: DataFrame) -> str:
        n, drawn = frame["objects"][0], frame["drawn"][0]
        some = f", of which {drawn} evenly spaced ones are drawn" if drawn < n else ""
        return paragraph(
            f"Matrices over the {n} objects of {source.titles[self.case]}{some}, subset 1, in the order of "
            "the classes; lines: where a class ends.",
            "The table has the range of the entries off the diagonal and their means in and between classes "
            f"({DASH}: none).",
            any(panel.minus for panel in self.panels)
            and "Of a difference it also has the share of the pairs of one class whose entry grows, and of the pairs "
            "of two classes whose entry grows and falls, each by more than rounding.",
            self.order == "both"
            and "The same objects were also given in random order. Put back in the order of the classes, a matrix "
            "differs from the first one by at most the order difference in the table.",
        )


class Given:
    """A subset of a case with its objects in one order, as methods are given it."""

    def __init__(self, source: Source, case: str, objects: IntArray, subset: int = 0) -> None:
        stored = source.stored(case)
        self.subset = subset
        self.classes = stored.classes[objects]
        self.ensemble = Ensemble(stored.subset(subset)[objects], source.study.missing_labels_for())
        self._fits: dict[str, ConsensusMethod] = {}  # once for all panels that show a matrix of one fit
        self._fitted = partial(
            source.fit, source.study.case(case), ensemble=self.ensemble, subset=subset, n_clusters=stored.n_classes
        )

    def matrix(self, panel: Matrix) -> FloatArray:
        """Return a matrix, shape (n, n)."""
        matrix: FloatArray
        if panel.similarity == "classes":
            matrix = (self.classes[:, None] == self.classes).astype(float)
        elif panel.similarity:
            matrix = self._similarity(panel.similarity)
        else:
            found = getattr(self._fit(panel), panel.matrix)
            matrix = found() if callable(found) else self.ensemble.expand(found)
        return matrix

    def shown(self, panel: Panel) -> FloatArray:
        """Return what a panel shows, shape (n, n): a matrix, less another one if it says so."""
        return self.matrix(panel) - (self._similarity(panel.minus) if panel.minus else 0)

    def _similarity(self, name: Similarity) -> FloatArray:
        profiles = getattr(similarity, name)(self.ensemble)
        return similarity.over_objects(self.ensemble, profiles, float(name != "hc"))

    def _fit(self, panel: Matrix) -> ConsensusMethod:
        assert panel.method is not None
        key = f"{panel.method}: {point(panel.parameters)}"
        if key not in self._fits:
            self._fits[key] = self._fitted(panel.method, panel.parameters)
        return self._fits[key]


def signs_by_class(difference: FloatArray, classes: IntArray) -> tuple[float, ...]:
    """Return :data:`SIGNS` of a difference of two matrices over the objects, (n, n), with classes (n,)."""
    together, apart = classes[:, None] == classes, ~np.eye(len(classes), dtype=bool)
    inside, between = difference[together & apart], difference[~together]
    return tuple(float(signs.mean()) for signs in (inside > ROUNDING, between > ROUNDING, between < -ROUNDING))


def _extend(one: Drawn) -> str:
    """Return the ends of the colours beyond which there are entries."""
    low = any(matrix.min() < one.limits[0] for matrix in one.matrices)
    high = any(matrix.max() > one.limits[1] for matrix in one.matrices)
    return (("neither", "max"), ("min", "both"))[low][high]


def _table(frame: DataFrame) -> Table:
    forms = {"panel": untex, **dict.fromkeys(NUMBERS, lambda value: number(value, ".3g"))}
    columns = ", ".join(("panel", "matrix", "parameters", *NUMBERS))
    return listed("Entries of the matrices", frame, columns, left=3, forms=forms)
