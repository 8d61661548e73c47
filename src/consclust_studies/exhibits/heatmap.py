"""Heat maps of the mean score over a grid of two parameters."""

# matplotlib and pandas are imported where needed, so that what does without them starts faster

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from consclust.plot.drawing import heat
from consclust.report.blocks import Shown
from consclust.report.figures import PAGE, WIDTHS, colour_bar, label_outer, legend_below, style
from consclust.report.wording import conjunction, count, paragraph, point, records, score, spanned, symbol
from consclust_studies.config.references import AnyMethodId, MetricId
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Mistakes, Needs, OfMethod, find_unknown
from consclust_studies.results.grid_means import average_grid, describe_races
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

SCALES = (
    "colours: 'own': a scale for each panel, scores in the cells; 'shared': one for each metric; 'best': small panels, "
    "each with its own scale from the 5 % quantile of its points to the best one"
)
LOWEST = 0.05
"""Quantile of the points of a panel at which the colours of ``scale: best`` begin: a few bad points take no colours."""
NARROWEST = 0.005
"""Least width of such a scale, so that it does not show rounding."""
ACROSS = {"own": 3, "shared": 3, "best": 4}
BEST: dict[str, Any] = {"linestyle": "-", "label": "best mean"}
DEFAULT: dict[str, Any] = {"linestyle": (0, (1.5, 1)), "label": "default parameters"}


class Heatmap(OfMethod):
    """The mean score of a method at every point of its grid, a panel for each data set and metric."""

    drawn = True

    kind: Literal["heatmap"]
    method: AnyMethodId = Field(description="id of the method, or of a variant of one")
    x: str = Field(description="parameter of the grid on the horizontal axis")
    y: str = Field(description="parameter of the grid on the vertical axis")
    metrics: Some[MetricId] = Field(("ACC", "NMI"), description="metrics, a panel for each")
    scale: Literal["own", "shared", "best"] = Field("own", description=SCALES)

    def mistakes(self, study: Study) -> Mistakes:
        """Yield axes that are not two parameters of the grid."""
        yield from super().mistakes(study)
        grid = list(study.method(self.method).grid)
        yield from find_unknown("x", [self.x], grid)
        yield from find_unknown("y", [self.y], grid)
        if self.x == self.y:
            yield "y", f" = {self.y!r}: the same as x; name another parameter of the grid"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores of the study, or those of its variants."""
        return Needs(variant_scores=True) if self._is_variant(study) else Needs(scores=True)

    def _is_variant(self, study: Study) -> bool:
        return any(run.id == self.method for run in study.variants.methods)

    def build(self, source: Source) -> Shown:
        """Return the mean over the subsets of each case, metric and point, x fastest; NaN where a subset failed."""
        study = source.study
        scores = source.variant_scores if self._is_variant(study) else source.scores
        run = source.study.method(self.method)
        mine = scores[(scores["method"] == self.method) & (scores["restart"] == study.restarts)]
        means = average_grid(study, mine).droplevel("method")
        cells = [{**run.default, self.x: x, self.y: y} for y in run.grid[self.y] for x in run.grid[self.x]]
        panels = [(case, metric) for metric in self.metrics for case in self.find_cases(study)]
        keys = [(*panel, cell[self.x], cell[self.y], run.points.index(cell)) for panel in panels for cell in cells]
        rows = [(*key[:-1], float(means.get((*key[:2], key[-1]), math.nan))) for key in keys]
        frame = records(f"case metric {self.x} {self.y} mean", rows)
        return Shown(frame, caption=self._caption(study), picture=self._draw(source, frame))

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        cases = self.find_cases(source.study)
        across = min(ACROSS[self.scale], len(cases))
        rows = len(self.metrics) * math.ceil(len(cases) / across)
        if len(cases) == 1:  # its metrics stand side by side
            rows, across = 1, len(self.metrics)
        run, width = source.study.method(self.method), WIDTHS.get(across, PAGE)
        height = ((width - 0.9) / across - 0.45) * len(run.grid[self.y]) / len(run.grid[self.x]) + 0.5
        picture = Figure(figsize=(width, rows * height + 0.4), layout="constrained")
        bands = picture.subplots(rows, across, squeeze=False).reshape(len(self.metrics), -1)
        for metric, band in zip(self.metrics, bands, strict=True):
            values = frame[frame["metric"] == metric]
            scale, text = self._scale(values["mean"]), f"mean {metric}"
            for number, (panel, case) in enumerate(zip(band, cases, strict=False)):
                means = values[values["case"] == case]["mean"].to_numpy()
                scale = scale if self.scale == "shared" else self._scale(values[values["case"] == case]["mean"])
                mesh = self._panel(panel, source, case, metric, means, scale)
                if self.scale == "own":
                    colour_bar(picture, mesh, [panel], text if number % across == across - 1 else "")
                elif self.scale == "best":
                    panel.tick_params(labelleft=number % across == 0, labelbottom=number + across >= len(cases))
            for spare in band[len(cases) :]:
                spare.set_axis_off()
            label_outer(band[: len(cases)], symbol(self.x, tex=True), symbol(self.y, tex=True))
            if self.scale == "shared":
                colour_bar(picture, mesh, band, text)
            elif self.scale == "best":
                bar = colour_bar(picture, make_relative_scale(), band, text, ticks=[0, 1])
                bar.set_ticklabels(["low", "best"])
        legend_below(picture, [Patch(fill=False, ec="black", lw=1.6, **look) for look in (BEST, DEFAULT)])
        picture.draw_without_rendering()  # one pass of the layout leaves the titles of the first row cut off
        return picture

    def _scale(self, means: Any) -> dict[str, Any]:
        """Return the scores of the darkest and of the brightest colour."""
        best = means.max()
        if self.scale == "best":
            return {"vmin": min(means.quantile(LOWEST), best - NARROWEST), "vmax": best}
        return {"vmin": means.min(), "vmax": best}

    def _panel(self, panel: Any, source: Source, case: str, metric: str, means: Any, scale: dict[str, Any]) -> Any:
        import pandas as pd

        run = source.study.method(self.method)
        large = self.scale != "best"
        best = pd.Series(means).max()
        x, y = run.grid[self.x], run.grid[self.y]
        table = pd.DataFrame(means.reshape(len(y), len(x)), [*map(tick_label, y)], [*map(tick_label, x)])
        size = {"annot_kws": {"fontsize": min(7.0, 46 / len(x))}}
        texts = {"annot": table.map(score), "fmt": "", **size} if large else {}
        steps = [1 if len(axis) <= 7 else 2 if large else 4 for axis in (x, y)]
        mesh = heat(panel, table, cmap="viridis", xticklabels=steps[0], yticklabels=steps[1], **texts, **scale)
        panel.invert_yaxis()
        panel.tick_params(rotation=0, labelsize=8 if large else 6.5)
        title = f"{source.titles[case]}, {metric}"
        if not large:
            title = f"{source.titles[case]}: {score(scale['vmin'])} to {score(best)}"
        panel.set_title(title, fontsize=9 if large else 7.5)
        frame_cell(panel, x.index(run.default[self.x]), y.index(run.default[self.y]), DEFAULT, large)
        if np.isfinite(best):
            frame_cell(panel, *divmod(int(np.nanargmax(means)), len(x))[::-1], BEST, large)
        return mesh

    def _count_subsets(self, study: Study) -> str:
        """Say on how many subsets the method runs; a variant may run on fewer on some cases."""
        run = study.method(self.method)
        return spanned([study.n_subsets_of(study.case(case), run) for case in self.find_cases(study)], "subset")

    def _caption(self, study: Study) -> str:
        default = study.method(self.method).default
        fixed = {name: value for name, value in default.items() if name not in (self.x, self.y)}
        restarts = {"mean": "mean of the restarts", "chosen": "the restart with the best objective"}
        colour = {
            "own": "Each panel has a colour scale of its own.",
            "shared": "One colour scale per metric.",
            "best": f"Each panel has a colour scale of its own, from the {LOWEST:.0%} quantile of its points to the "
            f"best one, over {NARROWEST:g} at least. Both ends stand above the panel: where they are near each other, "
            "the colours show small differences.",
        }
        return paragraph(
            f"{conjunction(self.metrics)} of {self.method} over its grid of {symbol(self.x)} and {symbol(self.y)}"
            f"{', with ' + point(fixed) if fixed else ''}: mean over {self._count_subsets(study)} of "
            f"{count(study.ensemble.subset_size, 'base clustering')} ({restarts[study.restarts]}).",
            colour[self.scale],
            "Solid frame: best mean; dashed frame: default parameters; grey: failed on some subset.",
            describe_races(study),
        )


def make_relative_scale() -> Any:
    """Return the colours from the lowest, 0, to the best, 1."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(0, 1), cmap="viridis")


def tick_label(value: object) -> str:
    """Write a grid value: a power of ten as such, other values as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return str(value)
    exponent = math.log10(value)
    power = math.isclose(exponent, round(exponent), abs_tol=1e-9)
    return f"$10^{{{round(exponent)}}}$" if power else f"{value:g}"


def frame_cell(panel: Any, x: int, y: int, look: dict[str, Any], large: bool) -> None:
    """Frame a cell, black on white, which is seen on every colour."""
    from matplotlib.patches import Rectangle

    corner, width = (x + 0.07, y + 0.07), 1.0 if large else 0.6
    panel.add_patch(Rectangle(corner, 0.86, 0.86, fill=False, ec="white", lw=3 * width))
    panel.add_patch(Rectangle(corner, 0.86, 0.86, fill=False, ec="black", lw=1.6 * width, **look))
