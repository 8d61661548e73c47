"""What every exhibit shares: its keys in a study, the results it needs, and what it shows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from consclust import methods
from consclust.report.blocks import Chapter, Part, Shown
from consclust.validation import Strict, did_you_mean, short
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.references import CaseId, MethodId
from consclust_studies.config.values import Name, Title

if TYPE_CHECKING:
    from consclust_studies.config.paper import PaperStudy as Study
    from consclust_studies.config.paper import ResolvedStudy
    from consclust_studies.results.source import Source

Mistakes = Iterator[tuple[str, str]]
"""Pairs of a key inside what is mistaken and " = value: message"."""
NOT_PUBLISHED = "the study has no published scores; add published: [table2]"
"""What an exhibit lacks that compares scores with published ones."""


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


class Exhibit(Strict):
    """Something that a report shows. A kind is a subclass in this folder with a literal ``kind``."""

    drawn: ClassVar[bool] = False
    """Whether it is a figure: its files are .csv, .tex, .svg, .pdf, .png; those of a table .csv, .tex, .md, .html."""
    place: ClassVar[int | None] = None
    """Where it stands among the standard exhibits; None: shown only where a study lists it.

    Those with a negative one are of the part "paper", the others of the appendix, unless a study lists them.
    """
    reproducible: ClassVar[bool] = True
    """Whether the same seed and versions give the same bytes; seconds are not."""
    chapter: ClassVar[Chapter] = "Results"
    """Section of the report; what is of the paper stands under Results, but for coverage and claims."""
    without_classes: ClassVar[bool] = False
    """Whether a report on data sets without classes may have it."""
    in_pdf: ClassVar[bool] = True
    """Whether its tables are part of the PDF; the HTML page has the tables of every exhibit."""
    reads: ClassVar[Needs] = Needs()
    """The results that it reads, if they are the same in every study."""
    lacking: ClassVar[str] = ""
    """What a study that does not want it lacks, and the remedy; empty: it shows something in every study."""

    if TYPE_CHECKING:
        kind: str

    id: Name = Field(description="id of the exhibit in the study, the name of its files")
    title: Title = Field(description="heading in the report")
    caption: str = Field("", description="caption, before the sentences that say what was measured")
    part: Part = Field(
        "paper",
        description="part of the report: 'paper': what the paper shows, on the first pages; 'appendix'; 'beyond': our "
        "own questions",
    )

    def wanted(self, study: Study) -> bool:
        """Whether a study has what it shows; a standard exhibit that is not listed is shown where it is wanted."""
        return True

    def needs(self, study: ResolvedStudy) -> Needs:
        """Return the results that it reads."""
        return self.reads

    @abstractmethod
    def build(self, source: Source) -> Shown:
        """Return what it shows; called with what :meth:`needs` names."""

    def mistakes(self, study: Study) -> Mistakes:
        """Yield what is wrong beyond names that are not known."""
        if self.lacking and not self.wanted(study):
            yield "kind", f" = {self.kind!r}: {self.lacking}, or remove the exhibit"


class OfMethod(Exhibit):
    """An exhibit of one method."""

    method: MethodId = Field(description="id of the method")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def cases_of(self, study: Study) -> list[str]:
        """Return the cases on which the method runs."""
        run = study.method(self.method)
        return [case.id for case in study.cases if case.id in (self.cases or [case.id]) and run.runs_on(case)]

    def mistakes(self, study: Study) -> Mistakes:
        """Yield a method that runs on none of the cases."""
        if not self.cases_of(study):
            yield "method", f" = {self.method!r}: it runs on none of these cases; name other cases"


def unknown(key: str, words: Iterable[str], choices: Collection[str]) -> Mistakes:
    """Yield a mistake for each word that is no choice."""
    for word in words:
        if word not in choices:
            yield key, f" = {short(word)}: not known here; {did_you_mean(word, list(choices))}"


def of_fit(run: MethodRun, key: str) -> Mistakes:
    """Yield a mistake if a method needs features: figures read base clusterings only."""
    if methods.needs_features(run.method, run.parameters, [run.default]):
        yield f"{key}method", f" = {run.id!r}: it needs features, which figures do not read; name another"
