"""The scores of the random starts of some methods, and whether the published ones are possible."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from consclust.report.blocks import Cell, Shown, listed
from consclust.report.wording import DASH, conjunction, number, records, score
from consclust.scores import score_many
from consclust_studies.config.cases import Case
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.published_tables import STATISTICS
from consclust_studies.config.references import CaseId, MethodId, MetricId
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Some
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import make_published_key
from consclust_studies.results.published_scores import HALF_DIGIT
from consclust_studies.results.source import Source
from studies.peace.exhibits.f1_bounds import largest_f1

if TYPE_CHECKING:
    from pandas import DataFrame


class _OfStarts(Exhibit):
    """An exhibit of the random starts of some methods."""

    methods: Some[MethodId] = Field(description="ids of the methods")
    cases: tuple[CaseId, ...] = Field((), description="ids of cases; all cases of the study if absent")

    def pairs(self, study: PlannedStudy) -> list[tuple[Case, MethodRun]]:
        """Return the cases, each with those of the methods that run on it."""
        cases = [case for case in study.cases if case.id in (self.cases or [case.id])]
        return [(case, run) for case in cases for run in study.runs(case) if run.id in self.methods]

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the classes, the consensus labels of all starts, and the published values."""
        labels = tuple((case.id, run.id) for case, run in self.pairs(study))
        return Needs(ensembles=tuple(dict.fromkeys(case for case, _ in labels)), labels=labels, published=True)


class Starts(_OfStarts):
    """How the scores of some methods vary from start to start."""

    kind: Literal["starts"]
    metrics: tuple[MetricId, ...] = Field((), description="metrics; those in 'reported' if absent")

    def build(self, source: Source) -> Shown:
        """Return one row for each metric, case and method."""
        rows = []
        for metric in self.metrics or source.study.reported:
            for case, run in self.pairs(source.study):
                ours, given = _summarize_starts(source, case, run, metric), _published(source, case, run, metric)
                theirs = [given.get(name, nan) for name in STATISTICS]
                away = np.abs(np.subtract(ours[1:], theirs))
                near = (int(np.isfinite(away).sum()), away[np.isfinite(away)].mean() if given else nan)
                known = (case.id, source.titles[case.id], metric, run.id)
                rows.append((*known, *ours, *theirs, ours[1] - theirs[0], *near))
        columns = " ".join((*STATISTICS, *(f"published_{name}" for name in STATISTICS), "difference numbers away"))
        frame = records(f"case dataset metric method starts {columns}", rows)
        caption = (
            "Scores of the random starts at the default grid point: of the start selected by its own objective, then "
            "mean, sample standard deviation (std), largest and smallest of all, each averaged over the subsets. "
            f"Below: the published values ({DASH}: none). The last table counts the data sets on which a method has "
            "the largest std, here and published, and those on which the published selected start is between the "
            "smallest and the largest of ours; the mean |difference| is that of the selected starts."
        )
        columns, forms = f"dataset, method, starts, {', '.join(f'{s}: {s}' for s in STATISTICS)}", {"starts": number}
        groups = frame.groupby("metric", sort=False)
        tables = [listed(f"{name}", _beside_published(rows), columns, left=2, forms=forms) for name, rows in groups]
        columns = "metric, method, Largest std: std, Published: published_std, Published in range: inside, away"
        return Shown(frame, (*tables, listed("By method", _by_method(frame), columns, left=2)), caption)


class Definitions(_OfStarts):
    """Which definition of F1 is nearest to the published values, and which of these it makes impossible."""

    kind: Literal["f1_definitions"]
    metric: MetricId = Field(description="metric under which the published values are given")
    definitions: Some[Literal["F", "F-class", "F-purity", "F-macro"]] = Field(
        description="definitions of F1 that are compared"
    )

    def build(self, source: Source) -> Shown:
        """Return one row for each definition."""
        frame = records(
            "definition numbers away selected_away pairs impossible which",
            [(name, *self._compared(source, name)) for name in self.definitions],
        )
        cells = [Cell(text=score(away), bold=away == frame["away"].min()) for away in frame["away"]]
        caption = (
            "Definitions of the F1 of a clustering: of the pairs of objects (F), of each class with its best cluster, "
            "weighted by the sizes of the classes (F-class), the harmonic mean of purity and inverse purity "
            "(F-purity), and that of their means over clusters and classes whatever their sizes (F-macro). Mean "
            "|difference|: between our values and the published ones, over selected start, "
            "mean, standard deviation, largest and smallest of all starts. The definition with the smallest one is "
            "used in all tables. This rule uses the published table only to find out which definition the paper used; "
            "no method and no parameter depends on it. Impossible: published pairs of accuracy (ACC) and F1 of a "
            "selected start that no clustering can have under the definition, rounding considered: "
            f"{'; '.join(f'{row.definition}: {row.which}' for row in frame.itertuples()) or 'none'}."
        )
        columns = "definition, numbers, away, Of selected starts: selected_away, pairs, impossible"
        return Shown(frame, (listed("Definitions of F1", frame.assign(away=cells), columns),), caption)

    def _compared(self, source: Source, definition: str) -> tuple[int, float, float, int, int, str]:
        """Return numbers, mean absolute differences, pairs of accuracy and F1, the impossible ones, and which."""
        away = []
        pairs = 0
        beyond = []
        for case, run in self.pairs(source.study):
            if not (given := _published(source, case, run, self.metric)):
                continue
            theirs = [given.get(name, nan) for name in STATISTICS]
            away.append(np.abs(np.subtract(_summarize_starts(source, case, run, definition)[1:], theirs)))
            accuracy = _published(source, case, run, "ACC").get("selected", nan)
            sizes = np.bincount(source.stored(case.id).classes).tolist()
            largest = largest_f1(min(1.0, accuracy + HALF_DIGIT), sizes)[definition]
            pairs += bool(np.isfinite(accuracy))
            if largest < theirs[0] - HALF_DIGIT:
                beyond.append(
                    f"{run.id} on {source.titles[case.id]} (at most {score(largest)}, published {score(theirs[0])})"
                )
        every = np.array(away).reshape(-1, len(STATISTICS))
        known = every[np.isfinite(every)]
        return len(known), known.mean(), np.nanmean(every[:, 0]), pairs, len(beyond), conjunction(beyond) or "none"


def _published(source: Source, case: Case, run: MethodRun, metric: str) -> Mapping[str, float]:
    """Return the published statistics of the starts, by their names; empty if there are none."""
    return source.published.starts.get(make_published_key(source)(case.id, metric, run.id), {})


def _summarize_starts(source: Source, case: Case, run: MethodRun, metric: str) -> list[float]:
    """Return the number of starts and each statistic: means over the subsets that have an answer."""
    point = run.default_point
    classes = source.stored(case.id).classes
    found = []
    for block in source.blocks(case.id, run.id):
        for labels, chosen, failed in zip(block.labels, block.chosen, block.failed, strict=True):
            if not failed[point]:
                starts = labels[point][(labels[point] >= 0).all(axis=1)]
                scores = score_many(classes, starts, [metric])[:, 0]
                spread = np.std(scores, ddof=1) if len(scores) > 1 else nan
                selected = scores[int(chosen[point])]
                found.append((len(starts), selected, scores.mean(), spread, scores.max(), scores.min()))
    return [float(np.mean(column)) for column in zip(*found, strict=True)] or [nan] * (1 + len(STATISTICS))


def _beside_published(block: DataFrame) -> DataFrame:
    """Return the statistics as cells with the published ones below, if any of a row is published."""
    theirs = block[[f"published_{name}" for name in STATISTICS]]
    known = theirs.notna().any(axis=1)
    cells = {}
    for name in STATISTICS:
        below = [score(value) if there else "" for value, there in zip(theirs[f"published_{name}"], known, strict=True)]
        cells[name] = [Cell(text=score(own), below=b) for own, b in zip(block[name], below, strict=True)]
    return block.assign(**cells)


def _by_method(frame: DataFrame) -> DataFrame:
    rows: list[tuple[Any, ...]] = []
    for metric, block in frame.groupby("metric", sort=False):
        wide = block.pivot(index="case", columns="method")
        spreads = [wide[name].dropna() for name in ("std", "published_std")]
        for method, mine in block.groupby("method", sort=False):
            ahead = [std[method] > std.drop(columns=method).max(axis=1) for std in spreads]
            known = mine.dropna(subset=["selected", "published_selected"])
            inside = known["published_selected"].between(known["min"] - HALF_DIGIT, known["max"] + HALF_DIGIT)
            counts = [f"{cases.sum()} of {len(cases)}" if len(cases) else None for cases in (*ahead, inside)]
            rows.append((metric, method, *counts, mine["difference"].abs().mean()))
    return records("metric method std published_std inside away", rows)
