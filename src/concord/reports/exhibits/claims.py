"""The paper's claims with their verdicts."""

from typing import Literal

from concord.config.values import Name, Title
from concord.findings.names import DataFrame, ResolvedStudy, Source, Study
from concord.findings.published import of_the_paper
from concord.findings.values import count, counting, paragraph, records, symbols
from concord.findings.verdicts import VERDICTS, Material, judge
from concord.reports.exhibits.base import Cell, Exhibit, Needs, Shown, listed

ALONE = ("stable", "grows", "improves")
"""Checks in which the methods that the paper does not have play no part."""


class Claims(Exhibit):
    """Each claim of the paper with the verdict of its check and the numbers behind it.

    A paper speaks of its own methods, so a claim is judged among these. Where the study has others, the
    verdict among all methods stands beside it.
    """

    place = -20
    chapter = "Claims"

    kind: Literal["claims"]
    id: Name = "claims"
    title: Title = "Claims"

    def wanted(self, study: Study) -> bool:
        """Whether the study has claims."""
        return bool(study.claims)

    def needs(self, study: ResolvedStudy) -> Needs:
        """Return the scores; those on unseen objects if a claim is about them."""
        unseen = tuple(case.id for case in study.generalised() if any(claim.unseen for claim in study.claims))
        return Needs(claims=True, scores=True, selected=True, variants=True, published=True, unseen=unseen)

    def build(self, source: Source) -> Shown:
        """Return a row for each claim: its verdict and evidence among the paper's methods, and among all."""
        frame = _frame(source)
        others = "".join(frame["other_methods"][frame["other_methods"] != ""][:1])
        both = zip(frame["verdict_with_others"], frame["evidence_with_others"], strict=True)
        cells = {
            "claim": frame["claim"].map(symbols),
            "verdict": [Cell(text=verdict, bold=True) for verdict in frame["verdict"]],
            "with_others": [Cell(text=verdict, below=evidence) for verdict, evidence in both],
        }
        columns = {"Claim": "claim", "Verdict": "verdict", "Evidence": "evidence"}
        columns |= {f"With {others}": "with_others"} if others else {}
        table = listed("", frame.assign(**cells), columns, left=len(columns))
        verdicts = frame["verdict"].value_counts()
        counts = ", ".join(f"{word} ({verdicts[word]})" for word in VERDICTS if word in verdicts)
        caption = f"{count(len(frame), 'claim')}, checked in code: {counts}. {_rule(source.study)}"
        return Shown(frame, (table,), caption)


def _frame(source: Source) -> DataFrame:
    study, paper = source.study, of_the_paper(source.study, source.published)
    everyone, papers, rows = Material(study, source), Material(paper, source), []
    others = [run.id for run in study.methods if run not in paper.methods]
    for claim in study.claims:
        own = judge(claim, everyone if claim.method in others else papers)
        more = judge(claim, everyone) if others and claim.check not in ALONE else None
        beside = (", ".join(others), more.verdict, more.fact) if more else ("", "", "")
        given = (claim.text, claim.check, claim.method, claim.metric, claim.published)
        rows.append((*given, own.verdict, own.evidence, *beside))
    columns = "verdict evidence other_methods verdict_with_others evidence_with_others"
    return records(f"claim check method metric published {columns}", rows).astype({"published": "Int64"})


def _rule(study: ResolvedStudy) -> str:
    if study.other_data:
        rule = (
            f"The data sets are not the paper's: {study.other_data} A claim holds if it reaches the "
            "published share or percentage here, and in part if it reaches more than half of it."
        )
    else:
        rule = (
            "Reproduced: the claim holds here on at least the published share of the data sets (on more than "
            "half where no count is published). Partly reproduced: on more than half of that share."
        )
    return paragraph(rule, counting(study))
