"""How far the leaderboard can be relied on: tests of all methods at once, stable order, variance, equivalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from consclust.report.blocks import Shown, listed
from consclust.report.wording import number, paragraph
from consclust_studies.config.references import MetricId
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.boards import AS_CLASSES, RANDOM, REAL, Part, find_best, find_facts, list_groups, write_p
from consclust_studies.results.over_datasets import (
    FEWEST,
    compute_friedman,
    divide_variance,
    find_equivalence,
    measure_stability,
    rank_methods,
)
from consclust_studies.results.source import Source
from consclust_studies.stages.score_methods import IN_FILE_ORDER
from studies.leaderboard.exhibits.tables_of_scores import keep_methods, list_parts, list_scores

if TYPE_CHECKING:
    import pandas as pd


class Reliability(Exhibit):
    """Friedman's test, stability over random halves of the data sets, components of variance, equivalent methods."""

    reads: ClassVar = Needs(scores=True, draws=True)

    kind: Literal["reliability"]
    metric: MetricId = Field(description="metric of the scores")
    bound: float = Field(0.01, gt=0, description="difference of mean scores within which methods are equivalent")

    def build(self, source: Source) -> Shown:
        """Return one tidy table: part, what, name, value."""
        import pandas as pd

        parts = [part for part in list_parts(source, self.metric) if len(part.table) >= FEWEST]
        tests = pd.DataFrame([self._test(source, part) for part in parts])
        equivalent = pd.DataFrame([row for part in parts for row in self._list_equivalent(source, part)])
        components = self._divide(source)
        seeds = self._measure_seeds(source)
        if len(components) and len(seeds):
            components = pd.concat([components, _describe_seeds(components, seeds)], ignore_index=True)
        frames = {"tests": tests, "equivalent": equivalent, "components": components, "seeds": seeds}
        tidy = [frame.astype(str).melt(ignore_index=False).assign(table=name) for name, frame in frames.items()]
        columns = {"Ensembles": "kind", "Data sets": "group", "Number": "datasets", "Methods": "methods"}
        columns |= {"Friedman": "friedman", "F": "f", "p": "p", "tau": "tau", "2.5 %": "tau_low", "97.5 %": "tau_high"}
        forms: dict[str, Any] = {"datasets": str, "methods": str, "p": write_p, "friedman": _write_1, "f": _write_1}
        tables = []
        if len(tests):
            tables.append(listed("All methods at once", tests, columns, left=2, forms=forms))
        if len(components):
            of_parts = {"Of": "component", "SD": "deviation", "Share": "share"}
            tables.append(listed("Components of variance", components, of_parts))
        if len(seeds):
            of_methods = {"Method": "method", "SD over seeds": "deviation", "Cases": "cases"}
            tables.append(listed("Seeds of the methods", seeds, of_methods, forms={"cases": str}))
        if len(equivalent):
            of_best = {"Ensembles": "kind", "Data sets": "group", "Best": "best", "Method": "method"}
            of_best |= {"Difference": "difference", "p": "p"}
            tables.append(listed("Equivalent to the best", equivalent, of_best, left=4, forms={"p": write_p}))
        caption = paragraph(
            "Friedman's test with the correction of Iman and Davenport (F). tau: Kendall's, between the mean ranks on "
            "two random halves of the data sets, the median of 1,000 halvings with 2.5 % and 97.5 % quantiles.",
            "Components of variance by a mixed model of single scores on real data sets, the means of the methods "
            "fixed: standard deviation and share of each.",
            "Seeds: standard deviation of the score of a method over seeds on the same ensemble, the root of the mean "
            "variance over cases, on every fifth data set; a part of the rest.",
            f"Equivalent: two one-sided tests, a mean difference within {number(self.bound)} with p < .05.",
        )
        return Shown(pd.concat(tidy, ignore_index=True), tuple(tables), caption)

    def _test(self, source: Source, part: Part) -> dict[str, object]:
        ranks = rank_methods(keep_methods(source.study, part.table))
        friedman = compute_friedman(ranks)
        stability = measure_stability(ranks, source.generator("halves", part.kind, part.group))
        return {
            "kind": part.kind,
            "group": part.group,
            "datasets": friedman.datasets,
            "methods": friedman.methods,
            "friedman": friedman.statistic,
            "f": friedman.f,
            "p": friedman.p,
            "tau": stability.median,
            "tau_low": stability.low,
            "tau_high": stability.high,
        }

    def _list_equivalent(self, source: Source, part: Part) -> list[dict[str, object]]:
        """Return the methods that are equivalent to the best one."""
        table = keep_methods(source.study, part.table)
        best = find_best(rank_methods(table), [source.study.base_clusterings])
        rows: list[dict[str, object]] = []
        for method in table:
            both = table[[best, method]].dropna() if method != best else table[[]]
            if method == best or len(both) < FEWEST:
                continue
            found = find_equivalence(both[method].to_numpy(), both[best].to_numpy(), self.bound)
            if found.p < 0.05:
                names = {"kind": part.kind, "group": part.group, "best": best, "method": method}
                rows.append({**names, "difference": found.difference, "p": found.p})
        return rows

    def _divide(self, source: Source) -> pd.DataFrame:
        """Return the components of the variance of the methods' scores on real data sets, with their shares."""
        import pandas as pd

        scores = list_scores(source, self.metric)
        cards = {case.dataset: source.study.origins[case.id].card for case in source.study.cases}
        real = [name for name, card in cards.items() if REAL in list_groups(find_facts(card))]
        methods = [run.id for run in source.study.methods]
        mine = scores["dataset"].isin(real) & scores["method"].isin(methods) & scores["kind"].isin([AS_CLASSES, RANDOM])
        wanted = scores[mine]
        if wanted["dataset"].nunique() < FEWEST or wanted["ensemble"].nunique() < 2:
            return pd.DataFrame()
        found = divide_variance(wanted)
        total = sum(found.values())
        rows = [(name, variance**0.5, variance / total) for name, variance in found.items()]
        return pd.DataFrame(rows, columns=["component", "deviation", "share"])

    def _measure_seeds(self, source: Source) -> pd.DataFrame:
        """Return how far the scores of each method vary over its seeds on the first ensemble: method, deviation, cases.

        The cases are those of real data sets that have several seeds.
        """
        import pandas as pd

        cases = [
            case.id
            for case in source.study.cases
            if case.seeds > 1 and REAL in list_groups(find_facts(source.study.origins[case.id].card))
        ]
        scores = source.scores
        mine = scores["case"].isin(cases) & scores["method"].isin([run.id for run in source.study.methods])
        mine &= (scores["metric"] == self.metric) & (scores["subset"] == 0) & (scores["restart"] != IN_FILE_ORDER)
        wanted = scores[mine].dropna(subset="value")
        variances = wanted.groupby(["method", "case"], sort=False)["value"].var().dropna()
        if variances.empty:
            return pd.DataFrame()
        of_methods = variances.groupby("method")
        found = pd.DataFrame({"deviation": of_methods.mean() ** 0.5, "cases": of_methods.size()}).reset_index()
        return found.sort_values("deviation", ascending=False, ignore_index=True)


def _describe_seeds(components: pd.DataFrame, seeds: pd.DataFrame) -> pd.DataFrame:
    """Return the component of the seeds, a part of the rest, as a row of the table."""
    import pandas as pd

    variance = float((seeds["deviation"] ** 2 * seeds["cases"]).sum() / seeds["cases"].sum())
    total = float((components["deviation"] ** 2).sum())
    row = {"component": "seed of the method, in the rest", "deviation": variance**0.5, "share": variance / total}
    return pd.DataFrame([row])


def _write_1(value: float) -> str:
    return number(value, ".1f")
