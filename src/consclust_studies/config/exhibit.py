"""An exhibit as a study declares it: its keys, the results that it reads, and where it stands in the report.

A kind of exhibit is a class in a file of its own, see :mod:`consclust_studies.config.exhibit_kinds`. The class says all
that the engine needs to know of it; nothing else knows a kind by name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args, get_origin

from pydantic import Field

from consclust.report.blocks import Chapter, Part, Shown
from consclust.validation import Strict
from consclust_studies.config.references import Mistakes
from consclust_studies.config.values import Name, Title

if TYPE_CHECKING:
    from consclust_studies.config.paper import Claim
    from consclust_studies.config.study import PlannedStudy, Study
    from consclust_studies.results.source import Source


@dataclass(frozen=True)
class Needs:
    """The results that an exhibit reads; each is an input of its job, checked against its spec."""

    scores: bool = False
    selected: bool = False  # the scores of the selections
    variants: bool = False  # those of the variants, if there are any
    variant_scores: bool = False  # the scores of the variants at every grid point, if there are any
    unseen: tuple[str, ...] = ()  # cases whose scores on unseen objects are read
    ensembles: tuple[str, ...] = ()  # cases whose base clusterings are read
    prepared: tuple[str, ...] = ()  # cases whose features and classes are read
    labels: tuple[tuple[str, str], ...] = ()  # (case, method) whose consensus labels are read
    runtimes: bool = False  # the records of all jobs
    published: bool = False  # the tables of published values
    fits: tuple[tuple[str, str], ...] = ()  # (case, method) fitted anew; their code and the seed are in the spec
    draws: bool = False  # whether random numbers are drawn; the seed is in the spec
    claims: bool = False  # the study's claims

    def join(self, other: Needs) -> Needs:
        """Return the results that this or the other one names."""
        pairs = {field.name: (getattr(self, field.name), getattr(other, field.name)) for field in fields(self)}
        wanted: dict[str, Any] = {}
        for name, (mine, theirs) in pairs.items():
            wanted[name] = mine or theirs if isinstance(mine, bool) else tuple(dict.fromkeys((*mine, *theirs)))
        return replace(self, **wanted)


class Counted(NamedTuple):
    """What an exhibit counted for a claim of the paper."""

    what: str
    """Words before the count, such as "ahead of the placebo in ACC on"."""
    holds: tuple[bool, ...]
    """Whether it holds, for each thing that is counted."""
    unit: str
    """What is counted, in the plural: "data sets", "fits"."""
    remarks: tuple[str, ...] = ()


class Exhibit(Strict):
    """Something that a report shows. A kind is a subclass with a literal ``kind``."""

    drawn: ClassVar[bool] = False
    """Whether it is a figure: its files are .csv, .tex, .svg, .pdf, .png; those of a table .csv, .tex, .md, .html."""
    place: ClassVar[int | None] = None
    """Where it stands among the standard exhibits; None: shown only where a study lists it.

    Those with a negative one are of the part "paper", the others of the appendix, unless a study lists them.
    """
    reproducible: ClassVar[bool] = True
    """Whether the same seed and versions give the same bytes, on processors of one kind; seconds are not."""
    chapter: ClassVar[Chapter] = "Results"
    """Section of the report; what is of the paper stands under Results, but for coverage and claims."""
    without_classes: ClassVar[bool] = False
    """Whether a report on data sets without classes may have it."""
    in_pdf: ClassVar[bool] = True
    """Whether its tables are part of the PDF; the HTML page has the tables of every exhibit."""
    reads: ClassVar[Needs] = Needs()
    """The results that it reads, if they are the same in every study."""
    beside_listed: ClassVar[bool] = False
    """Whether the standard one stands in a report too if a study lists others of its kind, with other ids."""
    questions: ClassVar[Mapping[str, str]] = {}
    """What it can count for a claim (``check: counted``): a word for each question, and what is counted."""
    counts_some_cases: ClassVar[bool] = False
    """Whether it counts the ``cases`` of a claim alone; else a claim has none."""
    lacking: ClassVar[str] = ""
    """What a study that does not want it lacks, and the remedy; empty: it shows something in every study."""

    if TYPE_CHECKING:
        kind: str

    id: Name = Field(description="id of the exhibit in the study, the name of its files")
    title: Title = Field(description="heading in the report")
    caption: str = Field("", description="caption, before the sentences that say what was measured")
    page_only: bool = Field(
        False, description="whether report.html alone shows its tables and figures; the PDF then has the caption"
    )
    part: Part = Field(
        "paper",
        description="part of the report: 'paper': what the paper shows, on the first pages; 'appendix'; 'beyond': our "
        "own questions",
    )

    @classmethod
    def kind_words(cls) -> tuple[str, ...]:
        """Return what a study may write as ``kind``; nothing for a class that is no kind."""
        key = cls.model_fields.get("kind")
        return get_args(key.annotation) if key and get_origin(key.annotation) is Literal else ()

    @classmethod
    def unlisted(cls, study: Study) -> Iterable[Exhibit]:
        """Return the exhibits of this kind that a study has without listing them.

        That is one with the standard id and title, of a kind with a place, where the study wants it.
        """
        if cls.place is None:
            return []
        part = "paper" if cls.place < 0 else "appendix"
        standard = cls.model_validate({"kind": cls.kind_words()[0], "part": part})
        return [standard] if standard.wanted(study) else []

    def wanted(self, study: Study) -> bool:
        """Whether a study has what it shows; a standard exhibit that is not listed is shown where it is wanted."""
        return True

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the results that it reads."""
        return self.reads

    @abstractmethod
    def build(self, source: Source) -> Shown:
        """Return what it shows; called with what :meth:`needs` names."""

    def list_shown_methods(self, study: PlannedStudy) -> list[str]:
        """Return the ids of the methods that it shows, if it names none: all of them where it reads scores."""
        reads = self.needs(study)
        if not (reads.scores or reads.selected or reads.runtimes or reads.unseen):
            return []
        return [study.base_clusterings, *(run.id for run in study.methods)]

    def count_for_claim(self, question: str, claim: Claim, source: Source) -> Counted:
        """Answer one of its :attr:`questions` for a claim; called with what :meth:`needs` names."""
        raise NotImplementedError(f"{self.kind} has no question {question!r}")

    def mistakes(self, study: Study) -> Mistakes:
        """Yield what is wrong beyond names that are not known."""
        if self.lacking and not self.wanted(study):
            yield "kind", f" = {self.kind!r}: {self.lacking}, or remove the exhibit"

    def mistakes_in_data(self, study: Study, shapes: Mapping[str, tuple[int, int, int]]) -> Mistakes:
        """Yield data sets that it cannot show; ``shapes`` has their registered objects, features and classes."""
        yield from ()
