"""The claims of the paper, and questions beyond it, with their verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from consclust.report.blocks import Cell, Shown, filled, listed
from consclust.report.wording import conjunction, count, paragraph, records, sentence, symbols
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.published_scores import restrict_to_paper
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.source import Source
from consclust_studies.results.verdicts import (
    ON_OTHER_DATA,
    UNTESTABLE,
    VERDICTS,
    Finding,
    Material,
    is_ours,
    judge,
    judge_at_default,
    judge_same_choice,
)

if TYPE_CHECKING:
    from pandas import DataFrame

BEYOND = "Questions beyond the paper"
QUESTIONS = "Questions"
"""The same where no claim is the paper's."""
ALONE = ("stable", "grows", "improves", "near", "clearly_above", "counted")
"""Checks in which the methods that the paper does not have play no part."""
FAILED = ("not reproduced", ON_OTHER_DATA["not reproduced"])
"""Verdicts on sentences of the paper that do not hold here."""


class Claims(Exhibit):
    """Each claim with the verdict of its check and the numbers behind it; questions beyond the paper stand apart.

    A paper speaks of its own methods, so a claim is judged among these. Where the study has others, the
    verdict among all methods stands beside it.
    """

    place = -20
    reads: ClassVar = Needs(claims=True)
    lacking = "the study has no claims; add some"
    chapter = "Claims"

    kind: Literal["claims"]
    id: Name = "claims"
    title: Title = "Claims"

    def wanted(self, study: Study) -> bool:
        """Whether the study has claims."""
        return bool(study.claims)

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the scores; those on unseen objects if a claim is about them."""
        unseen = tuple(case.id for case in study.generalised() if any(claim.unseen for claim in study.claims))
        needs = self.reads.join(Needs(scores=True, selected=True, variants=True, published=True, unseen=unseen))
        for name in study.list_exhibits_of_claims():
            needs = needs.join(study.exhibit(name).needs(study))
        return needs

    def build(self, source: Source) -> Shown:
        """Return a row for each claim: its verdict and evidence among the paper's methods, and among all."""
        frame = _frame(source)
        others = "".join(frame["other_methods"][frame["other_methods"] != ""][:1])
        both = zip(frame["verdict_with_others"], frame["evidence_with_others"], strict=True)
        by_count = [f"by the table: {word}" * bool(word) for word in frame["counted"]]
        cells = {
            "claim": frame["claim"].map(symbols),
            "verdict": [Cell(text=w, below=b, bold=True) for w, b in zip(frame["verdict"], by_count, strict=True)],
            "with_others": [Cell(text=verdict, below=evidence) for verdict, evidence in both],
        }
        written = frame.assign(**cells)
        further = {f"With {others}": "with_others"} if others else {}
        for heading, column in (("Default parameters", "default"), ("Same choice for all", "same_choice")):
            if (frame[f"{column}_verdict"] != "").any():
                below = zip(frame[f"{column}_verdict"], frame[f"{column}_fact"], strict=True)
                written[column] = [Cell(text=verdict, below=fact) for verdict, fact in below]
                further[heading] = column
        of_paper, ours = written[~frame["ours"]], written[frame["ours"]]
        columns = {"Item": "item", "Claim": "claim", "Verdict": "verdict", "Evidence": "evidence"} | further
        title = BEYOND if len(of_paper) else QUESTIONS
        questions = {"Question": "claim", "Answer": "verdict", "Evidence": "evidence"} | further
        tables = filled(
            listed("", of_paper, columns, left=len(columns)), listed(title, ours, questions, left=len(questions))
        )
        verdicts = frame["verdict"].value_counts()
        counts = ", ".join(f"{word} ({verdicts[word]})" for word in VERDICTS if word in verdicts)
        caption = f"{count(len(frame), 'claim')}, checked in code: {counts}. {_rule(source.study)}"
        return Shown(frame, tables, caption, abstract=_write_abstract(source.study, frame))


def _write_abstract(study: PlannedStudy, frame: DataFrame) -> str:
    """Say how often each verdict was reached, which sentences of the paper failed, and what has no verdict."""
    of_paper = frame[~frame["ours"]]
    sentences = _count_verdicts("Claims of the paper", of_paper)
    failed = of_paper.loc[of_paper["verdict"].isin(FAILED), "claim"]
    if len(failed):
        sentences.append(f"Not so here: {'; '.join(text.rstrip('.') for text in failed)}.")
    shown = [item.id for item in study.ledger if item.shown and item.unjudged]
    if shown:
        sentences.append(f"Shown, without a verdict: {conjunction(shown)}.")
    absent = [item.id for item in study.ledger if not item.shown]
    if absent:
        sentences.append(f"Not at hand: {conjunction(absent)}.")
    title = BEYOND if len(of_paper) else QUESTIONS
    return " ".join([*sentences, *_count_verdicts(title, frame[frame["ours"]])])


def _count_verdicts(what: str, frame: DataFrame) -> list[str]:
    counts = frame["verdict"].value_counts()
    found = ", ".join(f"{verdict} ({counts[verdict]})" for verdict in VERDICTS if verdict in counts)
    return [f"{what}: {found}."] if found else []


def _frame(source: Source) -> DataFrame:
    study, paper = source.study, restrict_to_paper(source.study, source.published)
    everyone = Material(study, source)
    papers = Material(paper, source)
    rows = []
    others = [run.id for run in study.methods if run not in paper.methods]
    for claim in study.claims:
        judged = papers if {claim.method, *claim.against}.isdisjoint(others) else everyone
        own = judge(claim, judged)
        more = judge(claim, everyone) if others and claim.check not in ALONE else None
        beside = (", ".join(others), more.verdict, more.fact) if more else ("", "", "")
        given = (claim.text, claim.item or "", is_ours(claim), claim.check, claim.method, claim.metric or "")
        at_default = _write_finding(judge_at_default(claim, judged))
        same_choice = _write_finding(judge_same_choice(claim, judged))
        found = (claim.published, own.verdict, own.counted, own.evidence)
        rows.append((*given, *found, *beside, *at_default, *same_choice))
    columns = "verdict counted evidence other_methods verdict_with_others evidence_with_others"
    columns += " default_verdict default_fact same_choice_verdict same_choice_fact"
    return records(f"claim item ours check method metric published {columns}", rows).astype(
        {"published": "Int64", "ours": bool}
    )


def _write_finding(found: Finding | None) -> tuple[str, str]:
    """Return the verdict and what was counted; nothing where there is none, or no score to decide it."""
    return (found.verdict, found.fact) if found and found.verdict != UNTESTABLE else ("", "")


def _rule(study: PlannedStudy) -> str:
    if study.other_data:
        rule = (
            f"The data sets are not the paper's: {sentence(study.other_data)} A claim holds if it reaches the "
            "published share or percentage here, and in part if it reaches more than half of it."
        )
    elif all(is_ours(claim) for claim in study.claims):
        rule = (
            "Holds: on more than half of the data sets, or on the share that the question names. Holds in part: on "
            "more than half of that share."
        )
    else:
        rule = (
            "Reproduced: the sentence holds here, on more than half of the data sets, or on the share that it names. "
            "Partly reproduced: on more than half of that share. By the table: the same with the share of the data "
            "sets on which the paper's own table shows it."
        )
    return paragraph(rule, describe_counting(study))
