"""The jobs of this stage: one exhibit, and the document of all of them."""

from concord.findings.source import Item
from concord.reports.exhibits.base import Exhibit
from concord.reports.study import PlannedStudy
from concord.specs import Spec


class ExhibitJob(Spec):
    """What an exhibit depends on."""

    study: PlannedStudy
    """:func:`part_of` the study, with no other exhibit."""
    items: tuple[Item, ...]
    seed: int | None = None
    code: str = ""

    @property
    def exhibit(self) -> Exhibit:
        """The exhibit."""
        return self.study.exhibits[0]

    @property
    def shown_as(self) -> Exhibit:
        """The exhibit under its heading: where the data are not the paper's, a table is only after the paper's."""
        after = self.study.other_data and self.exhibit.title.startswith("Table")
        return self.exhibit.model_copy(update={"title": f"After {self.exhibit.title}"}) if after else self.exhibit


class DocumentJob(Spec):
    """What the report depends on."""

    study: PlannedStudy
    items: tuple[Item, ...]
    seed: int
    methods: dict[str, tuple[str, str]]
    """Summary and reference of every method."""
    code: str = ""


def without_blocks(study: PlannedStudy) -> PlannedStudy:
    """Return a study without what only says how its jobs are cut into blocks."""
    both = (study.cases, study.variants.cases)
    cases, others = (tuple(case.model_copy(update={"subsets_per_job": None}) for case in cases) for cases in both)
    return study.model_copy(update={"cases": cases, "variants": study.variants.model_copy(update={"cases": others})})


def part_of(study: PlannedStudy, exhibit: Exhibit) -> PlannedStudy:
    """Return the study with what an exhibit can depend on: no other exhibit, no title, claims only if it reads them."""
    elsewhere = {"title": "-", "summary": "-", "discussion": False, "run_id": "", "restriction": "", "left_out": ()}
    claims = study.claims if exhibit.needs(study).claims else ()
    return without_blocks(study).model_copy(update={**elsewhere, "claims": claims, "exhibits": (exhibit,)})
