"""The scores of the random starts of some methods, and whether the published ones are possible."""

from dataclasses import replace
from math import nan
from typing import Any, Literal

import numpy as np
from pydantic import Field

from concord.config.experiment import Case, MethodRun
from concord.config.published import STATISTICS
from concord.config.references import MethodId, MetricId
from concord.config.values import Some
from concord.findings.main_table import published_key
from concord.findings.names import DataFrame, ResolvedStudy, Source
from concord.findings.values import DASH, conjunction, number, records, score
from concord.reports.exhibits.base import Cell, Exhibit, Needs, Shown, listed
from concord.reports.exhibits.scores import HALF_DIGIT
from concord.scores.f1_bounds import DEFINITIONS, largest_f1
from concord.scores.metrics import score_many


class _OfStarts(Exhibit):
    """An exhibit of the random starts of some methods."""

    methods: Some[MethodId]

    def pairs(self, study: ResolvedStudy) -> list[tuple[Case, MethodRun]]:
        """Return the cases, each with those of the methods that run on it."""
        return [(case, run) for case in study.cases for run in study.runs(case) if run.id in self.methods]

    def needs(self, study: ResolvedStudy) -> Needs:
        """Return the base clusterings, for the classes, and the published values."""
        return Needs(ensembles=tuple(dict.fromkeys(case.id for case, _ in self.pairs(study))), published=True)


class Starts(_OfStarts):
    """How the scores of some methods vary from start to start."""

    kind: Literal["starts"]
    metrics: tuple[MetricId, ...] = Field((), description="those that the study reports if absent")

    def needs(self, study: ResolvedStudy) -> Needs:
        """Return the base clusterings, and the consensus labels of all starts."""
        labels = tuple((case.id, run.id) for case, run in self.pairs(study))
        return replace(super().needs(study), labels=labels)

    def build(self, source: Source) -> Shown:
        """Return one row for each metric, case and method."""
        given, key, rows = source.published.starts, published_key(source), []
        for metric in self.metrics or source.study.reported:
            for case, run in self.pairs(source.study):
                published = given.get(key(case.id, metric, run.id), {})
                ours, theirs = _of_starts(source, case, run, metric), [published.get(name, nan) for name in STATISTICS]
                rows.append((case.id, source.titles[case.id], metric, run.id, *ours, *theirs, ours[1] - theirs[0]))
        columns = " ".join((*STATISTICS, *(f"published_{name}" for name in STATISTICS), "difference"))
        frame = records(f"case dataset metric method starts {columns}", rows)
        caption = (
            "Scores of the random starts at the default grid point: of the start selected by its own objective, then "
            "mean, sample standard deviation (std), largest and smallest of all, each averaged over the subsets. "
            f"Below: the published values ({DASH}: none). The last table counts the data sets on which a method has "
            "the largest std, here and published, and those on which the published selected start is between the "
            "smallest and the largest of ours."
        )
        columns, forms = f"dataset, method, starts, {', '.join(f'{s}: {s}' for s in STATISTICS)}", {"starts": number}
        groups = frame.groupby("metric", sort=False)
        tables = [listed(f"{name}", _beside_published(rows), columns, left=2, forms=forms) for name, rows in groups]
        columns = "metric, method, Largest std: std, Published: published_std, Published in range: inside, away"
        return Shown(frame, (*tables, listed("By method", _by_method(frame), columns, left=2)), caption)


class F1Bounds(_OfStarts):
    """How large F1 can be where a selected start's accuracy and F1 are both published."""

    kind: Literal["f1_bounds"]

    def build(self, source: Source) -> Shown:
        """Return one row for each case and method with both values."""
        given, key, rows = source.published.starts, published_key(source), []
        for case, run in self.pairs(source.study):
            keys = [key(case.id, metric, run.id) for metric in ("ACC", "F")]
            accuracy, f1 = (given.get(one, {}).get("selected") for one in keys)
            if accuracy is not None and f1 is not None:
                sizes = np.bincount(source.stored(case.id).classes).tolist()
                bounds = largest_f1(min(1.0, accuracy + HALF_DIGIT), sizes)
                possible = max(bounds.values()) >= f1 - HALF_DIGIT
                known = (case.id, source.titles[case.id], run.id, accuracy, f1)
                rows.append((*known, *(bounds[name] for name in DEFINITIONS), possible))
        frame = records(" ".join(("case dataset method published_ACC published_F", *DEFINITIONS, "possible")), rows)
        columns = "dataset, method, published_ACC, Published F1: published_F, "
        columns += ", ".join([*(f"{name}: {name}" for name in DEFINITIONS), "possible"])
        cells = [Cell(text="yes" if possible else "no", bold=not possible) for possible in frame["possible"]]
        caption = (
            "The largest F1 of a clustering, of any number of clusters, with the published accuracy (ACC) of the "
            "selected start, under each definition of F1: "
            f"{conjunction([f'{name} ({text})' for name, text in DEFINITIONS.items()])}. "
            "A published F1 is possible if a bound reaches it, rounding considered."
        )
        return Shown(frame, (listed("Bounds of F1", frame.assign(possible=cells), columns, left=2),), caption)


def _of_starts(source: Source, case: Case, run: MethodRun, metric: str) -> list[float]:
    """Return the number of starts and each statistic: means over the subsets that have an answer."""
    point, classes, found = run.points.index(run.default), source.stored(case.id).classes, []
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
            counts = [f"{cases.sum()} of {len(cases)}" for cases in (*ahead, inside)]
            rows.append((metric, method, *counts, mine["difference"].abs().mean()))
    return records("metric method std published_std inside away", rows)
