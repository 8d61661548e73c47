"""What claims are judged by: our scores and the published ones of what a claim speaks of."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from concord.reports.main_table import of_main_rows
from concord.reports.published import published_methods, published_names
from concord.scores.summary import summarise

if TYPE_CHECKING:
    import pandas as pd

    from concord.reports.source import Source
    from concord.reports.study import Claim, PlannedStudy

Table = dict[str, float]
"""Scores of one data set by method."""


@dataclass(frozen=True)
class Material:
    """What the checks look at: the results, and the study with those of its methods that are judged."""

    study: "PlannedStudy"
    source: "Source"

    @cached_property
    def summary(self) -> "pd.DataFrame":
        """Mean, n and bold of every case, metric, method and selection."""
        return summarise(self.study, self.source.selected)

    @property
    def units(self) -> str:
        """What is counted: data sets; cases where a data set occurs with several ensembles."""
        datasets = [case.dataset for case in self.study.counted]
        return "data sets" if len(set(datasets)) == len(datasets) else "cases"

    def cases(self, claim: "Claim") -> set[str]:
        """Return the cases that count and that a claim speaks of."""
        return {case.id for case in self.study.counted if not claim.cases or case.id in claim.cases}

    def rows(self, claim: "Claim") -> "pd.DataFrame":
        """Return one row for each case and method that a claim speaks of, in its metric."""
        found = of_main_rows(self.study, self.summary)
        found = found[(found["metric"] == claim.metric) & found["case"].isin(self.cases(claim))]
        return found[found["method"].isin([claim.method, *claim.against])] if claim.against else found

    def tables(self, claim: "Claim") -> tuple[list[Table], list[Table]]:
        """Return our means of what a claim speaks of and the published scores, for each data set."""
        known = self.rows(claim).dropna(subset="mean").groupby("case", sort=False)
        ours = [dict(zip(rows["method"], rows["mean"], strict=True)) for _, rows in known]
        return ours, self._published(claim)

    def remarks(self, claim: "Claim") -> list[str]:
        """Return how this run differs from the published experiment that a claim is about."""
        study, published, remarks = self.study, self.source.published, list[str]()
        cases = self.cases(claim)
        known = cases & set(published_names(study, published))
        if study.paper is None:
            return []
        if study.other_data or (published.scores and not known):
            remarks.append("these are not the paper's data sets")
        elif not published.scores:
            remarks.append("the study has no published table")
        elif len(known) < len(cases):
            remarks.append(f"{len(known)} of the {len(cases)} {self.units} here are the paper's")
        here = {*published_methods(study, published).values(), *(run.id for run in study.variants.methods)}
        absent = [method for method in published.methods(claim.metric) if method not in here]
        if absent and claim.check in {"best", "second", "significant"} and not study.other_data:
            remarks.append(f"published rivals not in this run: {', '.join(absent)}")
        return remarks

    def _published(self, claim: "Claim") -> list[Table]:
        published, study = self.source.published, self.study
        names, here = published_names(study, published), published_methods(study, published)
        ids = {theirs: ours for ours, theirs in here.items()}
        wanted = {names.get(case) for case in claim.cases} or set(published.datasets(claim.metric))
        aside, spoken_of = {run.id for run in study.variants.methods}, {claim.method, *claim.against}
        tables: dict[str, Table] = defaultdict(dict)
        for (dataset, metric, theirs), value in published.scores.items():
            method = ids.get(theirs, theirs)
            speaks = dataset in wanted and (not claim.against or method in spoken_of)
            if metric == claim.metric and speaks and theirs not in aside:
                tables[dataset][method] = value
        return list(tables.values())
