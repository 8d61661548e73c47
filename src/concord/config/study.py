"""A study: one file of ``config/studies/``."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from concord.config.figures import REPORT_FILES, AnyFigure, GridFigure, StartsTable, View
from concord.config.protocol import (
    Case,
    CaseReading,
    EnsembleProtocol,
    Generalisation,
    MethodReading,
    MethodRun,
    Readings,
    Significance,
)
from concord.config.values import Metric, Name, Reading, Value
from concord.validation import Strict


class Paper(Strict):
    """The paper that a study re-runs."""

    authors: str
    title: str
    venue: str
    year: int


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

    def pool(self, case: Case) -> Case:
        """Return the case whose base clusterings a case draws its subsets from: one pool for all their sizes."""
        sized = [own for own in self.cases for other in self.size_readings(own) if other.id == case.id]
        return sized[0] if sized else case

    def run(self, case: Case, method_id: str) -> MethodRun:
        """Return the method, or the reading of one, as it runs on a case, or on the reading of one.

        Readings are shown in the study's own reading: where that is the default, no other point is needed.
        """
        run = self.method(method_id)
        read_otherwise = isinstance(case, CaseReading) or isinstance(run, MethodReading)
        return run.at_default() if read_otherwise and self.reading == "default" else run

    def runs(self, case: Case) -> list[MethodRun]:
        """Return the methods that run on a case."""
        return [run for run in self.methods if run.runs_on(case)]

    def absent(self) -> dict[str, tuple[Case, ...]]:
        """Return the cases on which a method does not run, for each method that has such."""
        cases = {run.id: tuple(case for case in self.cases if not run.runs_on(case)) for run in self.methods}
        return {method: found for method, found in cases.items() if found}

    def subset_size(self, case: Case) -> int:
        """Return the number of base clusterings in a subset of a case."""
        return case.subset_size or self.ensemble.subset_size

    def parameters(self, case: Case, run: MethodRun) -> dict[str, Value]:
        """Return the fixed parameters of a method on a case."""
        return {**run.parameters, **case.parameters.get(run.id, {})}

    def reading_runs(self) -> list[tuple[Case, MethodRun]]:
        """Return what the readings add to the cases x methods of the study."""
        others = [(case, run.id) for run in self.readings.methods for case in self.cases if run.runs_on(case)]
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
            if case.id in (view.cases or [case.id]) and any(run.runs_on(case) for run in runs)
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
