"""What the paper shows and says, and where the report redoes it."""

from typing import Literal

from consclust.report.blocks import Cell, Shown, listed
from consclust.report.wording import count, records, symbols
from consclust_studies.config.paper import LedgerItem
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.source import Source

COMPLETE = "complete"
PARTIAL = "partial"
ABSENT = "not possible"


class Coverage(Exhibit):
    """Every table, figure and sentence of the paper: the sections that redo it, and what is missing."""

    place = -30
    lacking = "the study has no ledger; add one"
    without_classes = True
    chapter = "Coverage"
    reads = Needs(claims=True)

    kind: Literal["coverage"]
    id: Name = "coverage"
    title: Title = "Coverage"

    def wanted(self, study: Study) -> bool:
        """Whether the study has a ledger of its paper."""
        return bool(study.ledger)

    def build(self, source: Source) -> Shown:
        """Return a row for each item of the ledger."""
        rows = [_row(item, source.study) for item in source.study.ledger]
        frame = records("item place text sections status missing", rows)
        pairs = zip(frame["status"], frame["missing"], strict=True)
        cells = [Cell(text=status, below=missing, bold=status == COMPLETE) for status, missing in pairs]
        columns = {"Item": "item", "Place": "place", "In the paper": "text", "Section": "sections", "Here": "status"}
        columns |= {"Outcome": "outcome"}
        outcome = [_describe_outcome(item, source.study) for item in source.study.ledger]
        written = frame.assign(status=cells, text=frame["text"].map(symbols), outcome=outcome)
        table = listed("", written, columns, left=len(columns))
        counts = frame["status"].value_counts()
        found = ", ".join(f"{counts[status]} {status}" for status in (COMPLETE, PARTIAL, ABSENT) if status in counts)
        return Shown(frame, (table,), f"{count(len(frame), 'item')}: {found}.")


def _describe_outcome(item: LedgerItem, study: PlannedStudy) -> Cell:
    """Return how many verdicts there are on an item, or why there is none."""
    n_claims = sum(claim.item == item.id for claim in study.claims)
    if n_claims:
        return Cell(text=count(n_claims, "verdict"))
    if item.shown:
        return Cell(text="shown", below=item.unjudged or "")
    return Cell(text="not at hand", below=item.missing or "")


def _row(item: LedgerItem, study: PlannedStudy) -> tuple[str, ...]:
    here = [study.sections[name] for name in item.shown if name in study.sections]
    lacks = [item.missing] if item.missing else []
    lacks += study.lacking.get(item.id, ())
    status = ABSENT if not here else PARTIAL if lacks else COMPLETE
    return item.id, item.place, item.text, "; ".join(here), status, "; ".join(lacks)
