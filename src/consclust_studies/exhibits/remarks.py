"""Fits without an answer, what methods note about their answers, and fits with fewer clusters than classes."""

# pandas is imported where needed, so that what does without it starts faster

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Literal

from consclust.report.blocks import Shown, listed
from consclust.report.wording import spanned
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame, Series

NUMBER = r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w])"
"""Pattern of a number in a remark, not of digits in a name."""
COUNTS = {"fits": ("subset", "size"), "subsets": ("subset", "nunique"), "grid_points": ("point", "nunique")}


class Remarks(Exhibit):
    """Failures and notes of the study and its variants, equal ones together, and fits with too few clusters."""

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
        remarks = pd.concat([failures, notes, _describe_fewer_clusters(source.fewer_clusters)])
        remarks = _span_numbers(remarks)
        fits = remarks.groupby(["kind", "case", "method", "text"], sort=False, as_index=False)
        frame = fits.agg(**COUNTS)
        frame["dataset"] = frame["case"].map(source.titles)
        frame = frame[["kind", "case", "dataset", "method", *COUNTS, "text"]]
        caption = (
            "A failure is a fit (one subset at one grid point) without an answer, for the reason given; its "
            "scores are missing. A note is a method's remark about an answer. A fit has fewer clusters if that of its "
            "random starts which is chosen leaves some empty, though as many as classes were requested. Remarks that "
            "differ in numbers alone stand in one row, with the lowest and the highest. "
            f"{_count_failures(frame)} {_count_fewer_clusters(frame)}"
        )
        columns = "kind, dataset, method, Remark: text, fits"
        return Shown(frame, (listed("", frame, columns, left=4),), caption)


def _span_numbers(remarks: "DataFrame") -> "DataFrame":
    """Return the remarks with one text for those of a case and a method that differ in numbers alone."""
    patterns = remarks["text"].str.replace(NUMBER, "#", regex=True)
    groups = remarks.groupby([remarks["kind"], remarks["case"], remarks["method"], patterns], sort=False)["text"]
    return remarks.assign(text=groups.transform(_join_texts))


def _join_texts(texts: "Series") -> str:
    """Return a text with the range of each number in place of the number: "gap 1.2e-06 to 3.4e-05 after 300 steps"."""
    distinct = texts.unique()
    words = re.split(NUMBER, distinct[0])
    numbers = zip(*(re.findall(NUMBER, text) for text in distinct), strict=True)
    spans = [_span([*dict.fromkeys(of_place)]) for of_place in numbers]
    return "".join(word + span for word, span in zip_longest(words, spans, fillvalue=""))


def _span(numbers: list[str]) -> str:
    return numbers[0] if len(numbers) == 1 else f"{min(numbers, key=float)} to {max(numbers, key=float)}"


def _describe_fewer_clusters(fits: "DataFrame") -> "DataFrame":
    """Return the fits with fewer clusters than classes, with one text for each case and method."""
    clusters = fits.groupby(["case", "method"])["clusters"]
    spans = clusters.transform(lambda numbers: spanned(numbers, "cluster"))
    return fits.drop(columns="clusters").assign(kind="fewer clusters", text=spans)


def _count_failures(frame: "DataFrame") -> str:
    """Say how many fits failed."""
    failed = int(frame.loc[frame["kind"] == "failure", "fits"].sum())
    return f"Failed fits: {failed}." if failed else "No method failed."


def _count_fewer_clusters(frame: "DataFrame") -> str:
    """Say how many fits of each method have fewer clusters than classes."""
    fits = frame[frame["kind"] == "fewer clusters"].groupby("method", sort=False)["fits"].sum()
    if fits.empty:
        return "No fit has fewer clusters than classes."
    counts = ", ".join(f"{method} {n}" for method, n in fits.items())
    return f"Fits with fewer clusters than classes: {counts}."
