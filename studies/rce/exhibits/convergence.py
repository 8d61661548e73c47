"""Whether the iterations of a method converge, over all of its fits."""

from collections.abc import Mapping
from math import nan
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust.files import read_arrays
from consclust.report.blocks import Shown, listed
from consclust.report.wording import count, paragraph, records
from consclust_studies.config.paper import Claim
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Title
from consclust_studies.exhibits.base import Counted, Mistakes, Needs, OfMethod
from consclust_studies.results.source import Source


class Convergence(OfMethod):
    """How many fits of a method converge, after how many iterations, and how many have a note, for each data set."""

    questions: ClassVar[Mapping[str, str]] = {
        "converged": "fits that converged by the method's own rule",
        "unnoted": "fits without the note that is counted",
    }

    kind: Literal["convergence"]
    noted: Title = Field(
        description="heading of the column that counts the fits with a note: what a note of the method says"
    )

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a case on which only some grid points run."""
        yield from super().mistakes(study)
        for case in self.find_cases(study):
            if self.method in study.case(case).races:
                yield "method", f" = {self.method!r}: a race on {case} leaves out fits; name other cases"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the consensus labels, which say how each fit ended."""
        return Needs(labels=tuple((case, self.method) for case in self.find_cases(study)))

    def build(self, source: Source) -> Shown:
        """Return a row for each case: fits with an answer, how many converged, median of iterations, notes."""
        rows = [(case, source.titles[case], *self._count_case(source, case)) for case in self.find_cases(source.study)]
        frame = records("case dataset fits converged iterations notes", rows)
        totals = frame[["fits", "converged", "notes"]].sum()
        caption = paragraph(
            f"All fits of {self.method}, one for each subset and grid point. Converged: by the method's own rule. "
            "Iterations: the median.",
            f"In all, {totals['converged']} of {totals['fits']} converged. {self.noted}: {totals['notes']}.",
        )
        columns = f"dataset, fits, converged, iterations, {self.noted}: notes"
        return Shown(frame, (listed("", frame, columns, forms={"iterations": "{:g}".format}),), caption)

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Count the fits that converged, or those without the note."""
        rows = [self._count_case(source, case) for case in self.find_cases(source.study)]
        fits, converged, _, notes = (sum(column) for column in zip(*rows, strict=True))
        if question == "converged":
            what, n = f"{self.method} converged by its own rule in", converged
        else:
            what, n = f'no note "{self.noted}" on', fits - notes
        return Counted(what, (True,) * n + (False,) * (fits - n), f"fits on {count(len(rows), 'data set')}")

    def _count_case(self, source: Source, case: str) -> tuple[Any, ...]:
        converged = list[bool]()
        iterations = list[int]()
        notes = 0
        for block in source.blocks(case, self.method):
            ended = read_arrays(block.path, "converged", "iterations")
            converged += ended["converged"][block.answered].tolist()
            iterations += ended["iterations"][block.answered].tolist()
            notes += len({(note.subset, note.point) for note in block.notes})
        return len(converged), sum(converged), float(np.median(iterations)) if iterations else nan, notes
