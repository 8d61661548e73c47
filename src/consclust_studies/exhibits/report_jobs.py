"""The jobs of this stage: exhibits, and the document of all of them."""

from collections.abc import Iterable, Sequence

from consclust_studies.config.study import PlannedStudy
from consclust_studies.exhibits.base import Exhibit
from consclust_studies.results.source import Item
from consclust_studies.specs import Spec

IN_BLOCKS = ("labels", "runtimes")
"""Roles of items that have a file for each block of subsets."""
OF_PROJECT = ("published", "discussion")
"""Roles of items that no job makes: files of the project, under version control."""


class ExhibitJob(Spec):
    """What the exhibits of a job depend on: all tables of a report, or one figure."""

    study: PlannedStudy
    """:func:`part_of` the study, with no other exhibits."""
    items: dict[str, tuple[Item, ...]]
    """What each exhibit reads."""
    seed: int | None = None
    code: str = ""

    def shown_as(self, exhibit: Exhibit) -> Exhibit:
        """Return an exhibit under its heading: where the data are not the paper's, a table is after the paper's."""
        after = self.study.other_data and exhibit.title.startswith("Table")
        return exhibit.model_copy(update={"title": f"After {exhibit.title}"}) if after else exhibit


class DocumentJob(Spec):
    """What the report depends on."""

    study: PlannedStudy
    items: tuple[Item, ...]
    seed: int
    methods: dict[str, tuple[str, str]]
    """Summary and reference of every method."""
    code: str = ""


def in_order(items: Iterable[Item]) -> list[Item]:
    """Return items in the order of their files in a job: each once, the project's first, those in blocks last."""
    return sorted(dict.fromkeys(items), key=lambda item: (item.role not in OF_PROJECT, item.role in IN_BLOCKS))


def part_of(study: PlannedStudy, exhibits: Sequence[Exhibit]) -> PlannedStudy:
    """Return the study with what exhibits can depend on: no others, no title, the ledger only if one reads it."""
    elsewhere = {"title": "-", "summary": "-", "discussion": False, "run_id": "", "restriction": "", "left_out": ()}
    reads = any(exhibit.needs(study).claims for exhibit in exhibits)
    unread: dict[str, object] = {} if reads else {"claims": (), "ledger": (), "sections": {}}
    return study.model_copy(update={**elsewhere, **unread, "exhibits": tuple(exhibits)})
