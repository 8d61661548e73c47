"""Fits without an answer, and what methods note about their answers."""

# pandas is imported where needed, so that what does without it starts faster

from typing import ClassVar, Literal

from consclust.report.blocks import Shown, listed
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.source import Source

COUNTS = {"fits": ("subset", "size"), "subsets": ("subset", "nunique"), "grid_points": ("point", "nunique")}


class Remarks(Exhibit):
    """Failures and notes of the study and its variants, equal ones together."""

    place = 45
    reads: ClassVar = Needs(selected=True, variants=True)

    kind: Literal["remarks"]
    id: Name = "remarks"
    title: Title = "Failures and notes"

    def build(self, source: Source) -> Shown:
        """Return a row for each kind, case, method and text, with the number of fits, subsets and grid points."""
        import pandas as pd

        failures = source.failures.rename(columns={"reason": "text"}).assign(kind="failure")
        notes = source.notes.rename(columns={"note": "text"}).assign(kind="note")
        fits = pd.concat([failures, notes]).groupby(["kind", "case", "method", "text"], sort=False, as_index=False)
        frame = fits.agg(**COUNTS)
        frame["dataset"] = frame["case"].map(source.titles)
        frame = frame[["kind", "case", "dataset", "method", *COUNTS, "text"]]
        failed = int(frame.loc[frame["kind"] == "failure", "fits"].sum())
        caption = (
            "A failure is a fit (one subset at one grid point) without an answer, for the reason given; its "
            "scores are missing. A note is a method's remark about an answer. "
            f"{f'Failed fits: {failed}.' if failed else 'No method failed.'}"
        )
        columns = "kind, dataset, method, Remark: text, fits"
        return Shown(frame, (listed("", frame, columns, left=4),), caption)
