"""The objects of two-dimensional data sets, by class."""

# pandas and seaborn are imported where needed, so that what does without them starts faster

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from consclust.errors import InputError
from consclust.plot.drawing import colours
from consclust.report.blocks import Shown
from consclust.report.figures import MARKERS, label_outer, panels, style
from consclust.report.wording import count
from consclust_studies.config.references import CaseId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Mistakes, Needs
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame


class Objects(Exhibit):
    """The objects of data sets with two features, a panel for each, a colour and a marker for each class."""

    drawn = True
    chapter = "Data"

    kind: Literal["objects"]
    cases: Some[CaseId] = Field(description="ids of cases with two features, a panel for each")

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the data sets."""
        return Needs(prepared=self.cases)

    def mistakes_in_data(self, study: Study, shapes: Mapping[str, tuple[int, int, int]]) -> Mistakes:
        """Yield cases that have another number of features than two."""
        for case in (case for case in study.cases if case.id in self.cases and case.dataset in shapes):
            features = shapes[case.dataset][1]
            if features != 2:
                what = f"{count(features, 'feature')}, but a figure of objects shows two"
                yield "cases", f" = {case.id!r}: {what}; name cases of two-dimensional data"

    def build(self, source: Source) -> Shown:
        """Return the features and the class of every object; InputError unless there are two features."""
        import pandas as pd

        frame = pd.concat([_objects(source, case) for case in self.cases], ignore_index=True)
        sizes = "; ".join(
            f"{source.study.origins[str(case)].title}: {count(len(rows), 'object')}, {rows['class'].nunique()} classes"
            for case, rows in frame.groupby("case", sort=False)
        )
        return Shown(frame, caption=f"Objects; colour and marker: class. {sizes}.", picture=self._draw(source, frame))

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        import seaborn as sns

        picture, axes = panels(len(self.cases), 2, 2.7)
        for panel, case in zip(axes, self.cases, strict=True):
            rows = frame[frame["case"] == case]
            palette = colours(list(rows["class"].unique()))
            markers = dict(zip(palette, MARKERS * len(palette), strict=False))
            looks = {"palette": palette, "markers": markers, "s": 9, "linewidth": 0, "legend": False}
            sns.scatterplot(rows, x="x", y="y", hue="class", style="class", **looks, ax=panel)
            panel.set_title(source.study.origins[case].title)
            panel.set_aspect("equal")
        label_outer(axes, "first feature", "second feature")
        return picture


def _objects(source: Source, case: str) -> DataFrame:
    import pandas as pd

    dataset = source.dataset(case)
    d = dataset.X.shape[1]
    if d != 2:
        raise InputError(f"{case}: {d} features, but a figure of objects shows two; choose another case")
    x, y = np.asarray(dataset.X, dtype=float).T
    names = [dataset.class_names[c] for c in dataset.y]
    return pd.DataFrame({"case": case, "object": range(len(x)), "x": x, "y": y, "class": names})
