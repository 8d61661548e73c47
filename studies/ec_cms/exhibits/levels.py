"""Precision and recall of the pairs of objects by their level of co-association."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.diagnostics import level_shares
from consclust.ensemble import Ensemble
from consclust.plot.drawing import colours
from consclust.report.blocks import Shown
from consclust.report.figures import curve_handles, curves, legend_below, panels, style
from consclust.report.wording import count
from consclust_studies.config.paper import Claim
from consclust_studies.config.references import CaseId
from consclust_studies.config.study import PlannedStudy
from consclust_studies.exhibits.base import Counted, Exhibit, Needs
from consclust_studies.results.source import Source
from consclust_studies.stages.selection import ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame

MEASURES = ("precision", "recall", "pairs", "precision_at", "pairs_at")
LABELS = {
    "precision": "precision: share of these pairs that lie in one class",
    "recall": "recall: share of the pairs in one class that are these",
    "pairs": "share of all pairs that are these",
}
DRAWN = {
    "from": {name: name for name in LABELS},
    "at": {"precision": "precision_at", "recall": "recall_at", "pairs": "pairs_at"},
}
"""The column of each share, of the pairs from a level on or at a level."""

HIGH = 0.8
"""From here on nearly all pairs are in one class, the paper says."""


class Levels(Exhibit):
    """What the level of co-association says about two objects: mean shares of pairs, a line for each share."""

    drawn = True
    questions: ClassVar[Mapping[str, str]] = {
        "precision_grows": "steps from a level to the next one with a higher precision",
        "precision_near_one": "levels of .8 or more with a precision within 'within' of 1",
        "recall_falls": "steps from a level to the next one with a lower recall",
    }

    kind: Literal["levels"]
    case: CaseId = Field(description="id of the case")
    pairs: Literal["from", "at"] = Field(
        "from",
        description="which pairs of objects count at a value of co-association: 'from': all from this value on; 'at': "
        "those with this value",
    )

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings."""
        return Needs(ensembles=(self.case,))

    def build(self, source: Source) -> Shown:
        """Return means and deviations over the subsets for each level; a subset without such pairs is in neither."""
        frame = self._measure_levels(source)
        n, levels = source.study.n_subsets, len(frame) - 1
        least = "at least " if self.pairs == "from" else ""
        caption = (
            f"Pairs of objects of {source.titles[self.case]} by their co-association, the share of base clusterings "
            f"that put both into one cluster: pairs with {least}l/{levels}, for every l. Mean over "
            f"{count(n, 'subset')}; bands: one sample standard deviation to either side."
        )
        return Shown(frame, caption=caption, picture=self._draw(source, frame))

    def _measure_levels(self, source: Source) -> DataFrame:
        """Return means and deviations of the shares over the subsets, a row for each level."""
        import pandas as pd

        stored, n = source.stored(self.case), source.study.n_subsets
        subsets = [level_shares(Ensemble(stored.subset(s)), stored.classes) for s in range(n)]
        shares = {name: pd.DataFrame(values) for name, values in zip(MEASURES, zip(*subsets, strict=True), strict=True)}
        # of the pairs in one class, those at a level are those from it on less those from the next one on
        shares["recall_at"] = shares["recall"] - shares["recall"].shift(-1, axis=1, fill_value=0)
        levels = range(shares["pairs"].shape[1])
        found = {"case": self.case, "level": levels, "coassociation": [level / levels[-1] for level in levels]}
        means = {name: values.mean() for name, values in shares.items()}
        frame = pd.DataFrame({**found, **means, **{f"{name}_std": values.std() for name, values in shares.items()}})
        return frame

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count steps from a level to the next one, or levels of .8 on, by the shares of the pairs at a level."""
        frame = self._measure_levels(source)
        column = "recall_at" if question == "recall_falls" else "precision_at"
        known = frame.dropna(subset=column)
        if question == "precision_near_one":
            high = known[known["coassociation"] >= HIGH - ROUNDING]
            holds = high[column] >= 1 - claim.within - ROUNDING
            return Counted(f"precision within {claim.within:g} of 1 at", tuple(holds), f"levels of {HIGH} or more")
        steps = known[column].diff().dropna()
        falls = question == "recall_falls"
        what = "recall lower" if falls else "precision higher"
        return Counted(f"{what} at the next level in", tuple(steps < 0 if falls else steps > 0), "steps")

    @style()
    def _draw(self, source: Source, frame: DataFrame) -> Any:
        picture, (panel,) = panels(1, 1, 2.5)
        palette = colours(list(LABELS.values()))
        for name, label in LABELS.items():
            column = DRAWN[self.pairs][name]
            rows = frame[["coassociation"]].assign(mean=frame[column], std=frame[f"{column}_std"], share=label)
            curves(panel, rows, "coassociation", "share", palette)
        panel.set(
            title=source.titles[self.case],
            xlabel=f"co-association{' of at least' if self.pairs == 'from' else ''}",
            ylabel="share of pairs",
        )
        panel.set_ylim(0, 1.02)
        legend_below(picture, curve_handles(palette))
        return picture
