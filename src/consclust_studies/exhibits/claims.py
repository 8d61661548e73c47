"""The claims of the paper, and questions of ours, with their verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from consclust.report.blocks import Cell, Shown, filled, listed
from consclust.report.wording import count, paragraph, records, sentence, symbols
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.published_scores import restrict_to_paper
from consclust_studies.results.sentences import describe_counting
from consclust_studies.results.source import Source
from consclust_studies.results.verdicts import VERDICTS, Material, is_ours, judge

if TYPE_CHECKING:
    from pandas import DataFrame

BEYOND = "Beyond the paper: questions of ours"
ALONE = ("stable", "grows", "improves", "near")
"""Checks in which the methods that the paper does not have play no part."""


class Claims(Exhibit):
    """Each claim with the verdict of its check and the numbers behind it; questions of ours stand apart.

    A paper speaks of its own methods, so a claim is judged among these. Where the study has others, the
    verdict among all methods stands beside it.
    """

    place = -20
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
        return Needs(claims=True, scores=True, selected=True, variants=True, published=True, unseen=unseen)

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
        columns = {"Claim": "claim", "Verdict": "verdict", "Evidence": "evidence"}
        columns |= {f"With {others}": "with_others"} if others else {}
        of_paper, ours = written[~frame["ours"]], written[frame["ours"]]
        tables = filled(
            listed("", of_paper, {"Item": "item"} | columns, left=1 + len(columns)),
            listed(BEYOND, ours, {"Question": "claim", "Answer": "verdict", "Evidence": "evidence"}, left=3),
        )
        verdicts = frame["verdict"].value_counts()
        counts = ", ".join(f"{word} ({verdicts[word]})" for word in VERDICTS if word in verdicts)
        caption = f"{count(len(frame), 'claim')}, checked in code: {counts}. {_rule(source.study)}"
        return Shown(frame, tables, caption, abstract=_counted(frame))


def _counted(frame: DataFrame) -> str:
    """Say how often each verdict was reached, on the claims of the paper and on questions of ours."""
    sentences = []
    for ours, what in ((False, "Claims of the paper"), (True, "Questions of ours")):
        counts = frame["verdict"][frame["ours"] == ours].value_counts()
        found = ", ".join(f"{verdict} ({counts[verdict]})" for verdict in VERDICTS if verdict in counts)
        sentences += [f"{what}: {found}."] if found else []
    return " ".join(sentences)


def _frame(source: Source) -> DataFrame:
    study, paper = source.study, restrict_to_paper(source.study, source.published)
    everyone = Material(study, source)
    papers = Material(paper, source)
    rows = []
    others = [run.id for run in study.methods if run not in paper.methods]
    for claim in study.claims:
        own = judge(claim, papers if {claim.method, *claim.against}.isdisjoint(others) else everyone)
        more = judge(claim, everyone) if others and claim.check not in ALONE else None
        beside = (", ".join(others), more.verdict, more.fact) if more else ("", "", "")
        given = (claim.text, claim.item or "", is_ours(claim), claim.check, claim.method, claim.metric)
        rows.append((*given, claim.published, own.verdict, own.counted, own.evidence, *beside))
    columns = "verdict counted evidence other_methods verdict_with_others evidence_with_others"
    return records(f"claim item ours check method metric published {columns}", rows).astype(
        {"published": "Int64", "ours": bool}
    )


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
