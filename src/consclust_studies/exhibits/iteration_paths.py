"""What a method reports after each of its iterations, e.g. how far it is from convergence."""

# seaborn and matplotlib are imported where needed, so that what does without them starts faster

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust import methods
from consclust.ensemble import Ensemble
from consclust.plot.drawing import colours
from consclust.report.blocks import Shown, Table, listed
from consclust.report.figures import case_panels, label_outer, legend_below, style
from consclust.report.wording import conjunction, count, number, records, untex
from consclust_studies.config.paper import Claim
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Positive, Some
from consclust_studies.exhibits.base import Counted, Mistakes, Needs, OfMethod, check_reads_no_features, find_unknown
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame

DASHES: list[tuple[float, ...]] = [(), (4, 1.5), (1, 1), (3, 1, 1, 1)]


class Paths(OfMethod):
    """A value, or some, after each iteration of a method on the first subset, a panel for each data set."""

    drawn = True
    questions: ClassVar[Mapping[str, str]] = {
        "never_falls": "paths in which no value is below the one before",
        "never_rises": "paths in which no value is above the one before",
    }

    kind: Literal["paths"]
    path: str = Field(description="which path of the method, a value or several after each iteration")
    labels: Some[str] = Field(description="names of the values, one for each column of the path")
    subsets: Positive = Field(
        1, description="number of subsets, the first ones, whose paths claims count; the figure has those of the first"
    )

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a path that the method does not have, and too few labels."""
        yield from super().mistakes(study)
        run = study.method(self.method)
        yield from check_reads_no_features(run, "")
        columns = methods.load(run.method).paths
        yield from find_unknown("path", [self.path], columns)
        n = columns.get(self.path, len(self.labels))
        if n != len(self.labels):
            yield "labels", f" = {list(self.labels)}: {self.path} has {n} columns; name each"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings and the fits."""
        cases = tuple(self.find_cases(study))
        return Needs(ensembles=cases, fits=tuple((case, self.method) for case in cases))

    def build(self, source: Source) -> Shown:
        """Return the values after each iteration, for each case and quantity."""
        rows = [row for case in self.find_cases(source.study) for row in self._path(source, case, 0)]
        frame = records("case quantity iteration value converged", rows)
        caption = (
            f"{self.method} on subset 1: {conjunction([*map(untex, self.labels)])} after each iteration; the table has "
            "the values after the last one. Converged: by the method's own tolerance; a fit with a fixed number of "
            "iterations may end before. Infinite values are not drawn."
        )
        return Shown(frame, (self._ends(source, frame),), caption, self._draw(source, frame))

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the paths that never fall, or never rise, by more than rounding."""
        sign = 1 if question == "never_falls" else -1
        n_subsets = min(self.subsets, source.study.n_subsets)
        holds = []
        for case, subset in product(self.find_cases(source.study), range(n_subsets)):
            frame = records("case quantity iteration value converged", self._path(source, case, subset))
            for _, path in frame.groupby("quantity", sort=False)["value"]:
                values = path.to_numpy()
                rounding = ROUNDING * max(1.0, float(np.abs(values).max()))
                holds.append(bool((sign * np.diff(values) >= -rounding).all()))
        what = f"{conjunction([*map(untex, self.labels)])} of {self.method} {question.replace('_', ' ')} on"
        return Counted(what, tuple(holds), self._name_unit(n_subsets))

    def _name_unit(self, n_subsets: int) -> str:
        if n_subsets > 1:
            return f"paths, {count(n_subsets, 'subset')} of each data set"
        return "data sets, subset 1" if len(self.labels) == 1 else "paths, subset 1"

    def _path(self, source: Source, case: str, subset: int) -> Iterator[tuple[str, str, int, float, bool]]:
        stored = source.stored(case)
        missing = source.study.missing_labels_for(source.study.method(self.method))
        ensemble = Ensemble(stored.subset(subset), missing)
        method = source.fit(source.study.case(case), self.method, {}, ensemble, subset, stored.n_classes)
        path = getattr(method, self.path).reshape(-1, len(self.labels))
        for label, values in zip(self.labels, path.T.tolist(), strict=True):
            yield from ((case, label, i, value, method.converged_) for i, value in enumerate(values, start=1))

    def _ends(self, source: Source, frame: DataFrame) -> Table:
        last = frame.groupby(["case", "quantity"], sort=False).last()
        ends = last["value"].unstack(sort=False).reset_index()
        for column in ("iteration", "converged"):
            ends[column] = ends["case"].map(last[column].groupby("case").max())
        columns = {"Data set": "case", "Iterations": "iteration", "Converged": "converged"}
        columns |= {untex(label): label for label in self.labels}
        forms: dict[str, Callable[[Any], str]] = dict.fromkeys(self.labels, lambda value: number(value, ".3g"))
        forms |= {"case": source.titles.__getitem__, "converged": lambda there: "yes" if there else "no"}
        return listed("After the last iteration", ends, columns, forms=forms)

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        import seaborn as sns
        from matplotlib.lines import Line2D
        from matplotlib.ticker import MaxNLocator

        palette, dashes = colours(self.labels), dict(zip(self.labels, DASHES * len(self.labels), strict=False))
        once = {"style": "quantity", "dashes": dashes, "estimator": None, "errorbar": None, "legend": False}
        picture, drawn = case_panels(frame, source.titles)
        for panel, rows in drawn:
            finite = rows[np.isfinite(rows["value"])]
            sns.lineplot(finite, x="iteration", y="value", hue="quantity", palette=palette, **once, ax=panel)
            panel.set(ylabel="", yscale="log" if (finite["value"] > 0).all() else "linear")
            panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        several = len(self.labels) > 1
        label_outer([panel for panel, _ in drawn], "iteration", "" if several else self.labels[0])
        if several:
            lines = {label: (0, dash) if dash else "-" for label, dash in dashes.items()}
            legend_below(picture, [Line2D([], [], color=palette[n], ls=ls, label=n) for n, ls in lines.items()])
        return picture
