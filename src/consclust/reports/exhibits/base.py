"""What every exhibit shares: its keys in a study, the results it needs, and what it shows."""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust import methods
from consclust.config.methods import MethodRun
from consclust.config.references import CaseId, MethodId
from consclust.config.values import Name, Title
from consclust.findings.names import DataFrame, ResolvedStudy, Source, Study
from consclust.findings.values import DASH, number, score, signed
from consclust.validation import Strict, did_you_mean, short

Chapter = Literal["Coverage", "Claims", "Data", "Results", "Agreement with the published values", "Runtime"]
Part = Literal["paper", "appendix", "beyond"]
Mistakes = Iterator[tuple[str, str]]
"""Pairs of a key inside what is mistaken and " = value: message"."""
NOT_PUBLISHED = "the study has no published scores; add published: [table2]"
"""What an exhibit lacks that compares scores with published ones."""
FORMS = {"difference": signed, "change": signed, "difference_se": lambda value: number(value, "+.1f")}
HEADINGS = {
    **{"dataset": "Data set", "tau": "Kendall's τ", "away": "Mean |difference|", "difference_se": "Standard errors"},
    **{"percentile_1": "1%", "percentile_99": "99%", "mean": "Ours"},
}
"""How columns with these names are written, and what they are called, in every table."""


class Cell(Strict):
    """A cell of a table."""

    text: str
    below: str = ""
    """A second line, in smaller type."""
    bold: bool = False
    mark: str = ""
    """Marks of footnotes."""


class Table(Strict):
    """A table, ready to be set: the renderers only lay it out."""

    type: Literal["table"] = "table"
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    left: int = 1
    """So many columns, from the first, are aligned left; the others right."""
    rules: tuple[int, ...] = ()
    """Rows that a thin rule precedes, counted from 0."""
    notes: tuple[tuple[str, str], ...] = ()
    """Mark and text of each footnote."""
    whole: bool = False
    """Whether the PDF has all rows in an appendix too, where other tables end with the page."""


class Picture(Strict):
    """A picture; its file is ``<id of the exhibit>.svg``."""

    type: Literal["picture"] = "picture"
    width: float
    """Inches."""
    height: float


class Text(Strict):
    """A paragraph."""

    type: Literal["text"] = "text"
    text: str


Block = Table | Picture | Text


class Footnotes(dict[str, str]):
    """Footnotes of a table: the mark of each text; equal texts share a mark."""

    def mark(self, note: object) -> str:
        """Return the mark of a note, a new one if needed; empty for no note."""
        new = ascii_lowercase[len(self)] if len(self) < len(ascii_lowercase) else f"{len(self)}"
        return self.setdefault(note, new) if isinstance(note, str) and note else ""

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Mark and text of each footnote."""
        return tuple((mark, text) for text, mark in self.items())


def listed(
    title: str,
    frame: DataFrame,
    columns: str | Mapping[str, str],
    left: int = 1,
    footnotes: Footnotes | None = None,
    forms: Mapping[str, Callable[[Any], str]] | None = None,
) -> Table:
    """Return a table with the rows of a frame.

    ``columns`` has the column of each heading; or is "Heading: column, column", where a column without a heading has
    that of :data:`HEADINGS` or its own name. A column without any value is left out. ``forms`` says how a column is
    written, by its name; others are written as in :data:`FORMS`, floats as scores, cells as they are.
    """
    if isinstance(columns, str):
        columns = {heading or _heading(c): c for heading, _, c in (w.rpartition(": ") for w in columns.split(", "))}
    pairs = [(heading, column) for heading, column in columns.items() if frame.empty or frame[column].notna().any()]
    written = {column: score for _, column in pairs if frame[column].dtype.kind == "f"} | FORMS | dict(forms or {})
    cells = [
        [value if isinstance(value, Cell) else Cell(text=written.get(column, str)(value)) for value in frame[column]]
        for _, column in pairs
    ]
    header, rows = tuple(heading for heading, _ in pairs), tuple(zip(*cells, strict=True))
    return Table(title=title, header=header, rows=rows, left=left, notes=(footnotes or Footnotes()).notes)


def _heading(column: str) -> str:
    return HEADINGS.get(column, f"{column[0].upper()}{column[1:]}".replace("_", " "))


def crossed(
    title: str, frame: DataFrame, by: str, cell: Callable[[Any], Cell], footnotes: Footnotes | None = None
) -> Table:
    """Return a table of data sets by the values of a column; more than nine of these stand one below the other.

    ``frame`` has the columns case, dataset and ``by``; ``cell`` makes a cell from a row; a dash stands for no row.
    """
    cells = {(row.case, getattr(row, by)): cell(row) for row in frame.itertuples()}
    cases, rows, empty = dict(zip(frame["case"], frame["dataset"], strict=True)), frame[by].unique(), Cell(text=DASH)
    if len(rows) > 9:
        header = ("Method", *cases.values())
        body = [(Cell(text=row), *(cells.get((case, row), empty) for case in cases)) for row in rows]
    else:
        header = ("Data set", *rows)
        body = [(Cell(text=name), *(cells.get((case, row), empty) for row in rows)) for case, name in cases.items()]
    return Table(title=title, header=header, rows=tuple(body), notes=(footnotes or Footnotes()).notes)


def filled(*blocks: Table | Text) -> tuple[Table | Text, ...]:
    """Return the blocks without tables that have no rows."""
    return tuple(block for block in blocks if isinstance(block, Text) or block.rows)


@dataclass(frozen=True)
class Shown:
    """What an exhibit shows."""

    frame: DataFrame  # the numbers behind it, one tidy table; becomes <id>.csv
    blocks: tuple[Table | Text, ...] = ()  # in order; the picture follows them
    caption: str = ""  # stands once, with the first table or the picture
    picture: Any = None  # a matplotlib figure; only of an exhibit that is drawn


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

    id: Name = Field(description="name of its files")
    title: Title = Field(description="heading in the report")
    caption: str = Field("", description="stands before the sentences that say what was measured")
    part: Part = Field("paper", description="what it answers: the paper, an appendix, or a question beyond the paper")

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

    method: MethodId
    cases: tuple[CaseId, ...] = Field((), description="all cases of the study if absent")

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
