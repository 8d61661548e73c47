"""CPU seconds and memory of every method on every case."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Literal

from consclust.report.blocks import Cell, Shown, crossed, leave_out_of_pdf
from consclust.report.wording import DASH, number, paragraph, seconds
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.runtimes import build_runtime_frame, describe_fits_together
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    pass

TABLES: dict[str, tuple[str, Callable[[float], str]]] = {
    "cpu_seconds_per_fit": ("CPU time of one fit", seconds),
    "published_seconds": ("Published time of one fit", seconds),
    "program_seconds": ("CPU time of one fit by the authors' program", seconds),
    "peak_rss_mib": ("Peak memory of a job, MiB", lambda value: number(value, ".0f")),
}
"""Title and format of the table of a column."""
ON_PAGE = {"peak_rss_mib"}
"""Columns whose tables the page alone has."""
SIZES = {"n": "n", "n'": "n_profiles"}
"""What stands beside the methods in every table."""


class Runtime(Exhibit):
    """CPU time of a fit beside the published time and that of the authors' program, and peak memory."""

    place = 60
    without_classes = True
    reads: ClassVar = Needs(runtimes=True, published=True)
    reproducible = False
    chapter = "Runtime"

    kind: Literal["runtime"]
    id: Name = "runtime"
    title: Title = "Runtime"

    def build(self, source: Source) -> Shown:
        """Return totals over the jobs of each case and method, and the seconds of others."""
        import pandas as pd

        frame = build_runtime_frame(source)
        named = frame.assign(dataset=frame["case"].map(source.titles))
        sizes = [named.assign(method=name, text=named[column].map(str)) for name, column in SIZES.items()]
        tables = []
        for column, (title, form) in TABLES.items():
            known = named.dropna(subset=column)
            texts = pd.concat([*sizes, known.assign(text=known[column].map(form))])
            if len(known):
                table = crossed(title, texts, "method", lambda row: Cell(text=row.text))
                tables.append(leave_out_of_pdf(table) if column in ON_PAGE else table)
        caption = paragraph(
            "n: objects; n': median number of distinct label profiles over the subsets. A fit is one subset at one "
            "grid point with all restarts.",
            bool(frame["published_seconds"].notna().any()) and "Published times are from the paper's machine.",
            bool(frame["program_seconds"].notna().any())
            and "The authors' program was run on the input of our methods.",
            describe_fits_together(source.study),
            f"Memory is the largest resident set of a job, libraries included. {DASH}: not run or not known. All fits "
            f"together took {seconds(float(frame['cpu_seconds'].sum()))} of CPU time.",
        )
        return Shown(frame, tuple(tables), caption)
