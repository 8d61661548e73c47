"""The leaderboard: mean scores, mean ranks and tests of all methods, for each kind of ensembles and group of sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from consclust.report.blocks import Shown, Table, listed
from consclust.report.wording import count, number, paragraph, score
from consclust_studies.config.references import MethodId, MetricId
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.over_datasets import (
    FEWEST,
    Comparison,
    compare_with,
    fill_worst,
    judge_by_signed_ranks,
    rank_methods,
)
from consclust_studies.results.source import Source
from studies.leaderboard.exhibits.tables_of_scores import (
    HEADLINE,
    Part,
    find_best,
    keep_methods,
    list_parts,
    list_seconds,
    measure_order_sensitivity,
)

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05
COLUMNS = {
    "Method": "method",
    "Sets": "datasets",
    "Mean": "mean",
    "Mean, missing as worst": "mean_worst",
    "Mean rank": "rank",
    "Mean rank, complete sets": "rank_complete",
    "p, best": "p_best",
    "P(A > B)": "better",
    "p, default": "p_default",
    "Better": "bayes_better",
    "Equal": "bayes_equal",
    "Worse": "bayes_worse",
    "Order": "order",
    "Seconds": "seconds",
}


class Board(Exhibit):
    """Mean scores and ranks of all methods over data sets, with tests against the best and a default method."""

    reads: ClassVar = Needs(scores=True, runtimes=True, draws=True)
    reproducible = False

    kind: Literal["board"]
    metric: MetricId = Field(description="metric of the scores")
    default: MethodId = Field(description="the method that the others are compared with beside the best one")
    rope: float = Field(0.01, gt=0, description="difference of scores within which two methods are practically equal")

    def build(self, source: Source) -> Shown:
        """Return a row for each kind of ensembles, group of data sets and method."""
        import pandas as pd

        sensitivity = measure_order_sensitivity(source, self.metric)
        seconds = list_seconds(source).groupby("method")["seconds"].median().to_dict()
        parts = list_parts(source, self.metric)
        frames = [self._compare(source, part, sensitivity, seconds) for part in parts]
        frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(COLUMNS.values()))
        caption = paragraph(
            f"Scores are {self.metric}, a mean over the ensembles of each data set. Rows are ordered by mean rank.",
            "A method without a score on a data set is its last in the mean rank and has its lowest score in the mean "
            "with missing as worst; complete sets are those on which all methods have a score.",
            "p: Wilcoxon's signed rank test against the method with the best mean rank, and against "
            f"{self.default}, with Holm's correction. P(A > B): share of data sets on which the method is above "
            f"{self.default}, ties as halves. Better, equal, worse: posterior of the Bayesian signed rank test "
            f"against it, equal within {number(self.rope)}.",
            "Order: mean difference of the score on the objects in the order of their file. Seconds: median CPU time "
            "of a fit over all cases.",
        )
        tables = tuple(self._tabulate(part, rows) for part, rows in zip(parts, frames, strict=True))
        return Shown(frame, tables, caption, abstract=self._summarise(source, parts, frames))

    def _compare(
        self, source: Source, part: Part, sensitivity: Mapping[tuple[str, str], float], seconds: Mapping[str, float]
    ) -> pd.DataFrame:
        """Return the rows of one kind and group, the best mean rank first."""
        import pandas as pd

        ranked = keep_methods(source.study, part.table)
        ranks = rank_methods(ranked)
        complete = ranked.dropna()
        ranks_complete = rank_methods(complete).mean() if len(complete) else pd.Series(dtype=float)
        best = find_best(source.study, part.table, ranks)
        with_best = _by_method(compare_with(ranked, best))
        with_default = _by_method(compare_with(ranked, self.default)) if self.default in ranked else {}
        worst = fill_worst(part.table)
        rows = []
        for method in part.table:
            scores = part.table[method]
            if scores.notna().sum() == 0:
                continue
            beside = with_default.get(method)
            rows.append(
                {
                    "kind": part.kind,
                    "group": part.group,
                    "method": method,
                    "datasets": int(scores.notna().sum()),
                    "mean": scores.mean(),
                    "mean_worst": worst[method].mean(),
                    "rank": ranks[method].mean() if method in ranks else np.nan,
                    "rank_complete": ranks_complete.get(method, np.nan),
                    "p_best": with_best[method].p_holm if method in with_best else np.nan,
                    "better": beside.better if beside else np.nan,
                    "p_default": beside.p_holm if beside else np.nan,
                    **self._judge(source, part, method, beside),
                    "order": sensitivity.get((part.kind, method), np.nan),
                    "seconds": seconds.get(method, np.nan),
                }
            )
        return pd.DataFrame(rows).sort_values(["rank", "mean"], ascending=[True, False], ignore_index=True)

    def _judge(self, source: Source, part: Part, method: str, beside: Comparison | None) -> dict[str, float]:
        """Return the posterior of a method against the default one; NaN for this one, and with few data sets."""
        if beside is None or beside.datasets < FEWEST:
            return dict.fromkeys(("bayes_better", "bayes_equal", "bayes_worse"), np.nan)
        differences = (part.table[method] - part.table[self.default]).dropna().to_numpy(dtype=float)
        random = source.generator("signed ranks", part.kind, part.group, method)
        found = judge_by_signed_ranks(differences, self.rope, random)
        return {"bayes_better": found.better, "bayes_equal": found.equal, "bayes_worse": found.worse}

    def _tabulate(self, part: Part, rows: pd.DataFrame) -> Table:
        title = f"{part.kind}, {part.group}: {count(len(part.table), 'data set')}"
        forms: dict[str, Any] = dict.fromkeys(("p_best", "p_default"), _write_p)
        forms |= dict.fromkeys(("rank", "rank_complete"), lambda value: number(value, ".1f"))
        forms |= {"datasets": str}
        return listed(title, rows, COLUMNS, forms=forms)

    def _summarise(self, source: Source, parts: list[Part], frames: list[pd.DataFrame]) -> str:
        """Say for the headline how far the methods are apart, and from how many the best one differs."""
        known = [run.id for run in source.study.methods]
        sentences = []
        for part, rows in zip(parts, frames, strict=True):
            methods = rows[rows["method"].isin(known)]
            if (part.kind, part.group) not in HEADLINE or len(methods) < 2 or len(part.table) < FEWEST:
                continue
            first = methods.iloc[0]
            rivals = len(methods) - 1
            differing = int((methods["p_best"] < ALPHA).sum())
            low, high = methods["mean_worst"].quantile([0.25, 0.75])
            sentences.append(
                f"With {part.kind} on {count(len(part.table), 'real data set')}, {first['method']} has the best mean "
                f"rank, {number(first['rank'], '.1f')}, and differs significantly from {differing} of {rivals} "
                f"methods. The mean {self.metric} of the middle half of the methods is {score(low)} to {score(high)}."
            )
        return " ".join(sentences)


def _by_method(comparisons: list[Comparison]) -> dict[str, Comparison]:
    return {comparison.method: comparison for comparison in comparisons}


def _write_p(value: float) -> str:
    return "< .001" if value < 0.001 else number(value, ".3f")
