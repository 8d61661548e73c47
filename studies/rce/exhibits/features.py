"""Which features give the published scores of the base clusterings: candidates, and the one that a rule takes."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from consclust.report.blocks import Cell, Chapter, Shown, Table, leave_out_of_pdf, listed
from consclust.report.wording import DASH, MINUS, conjunction, number, paragraph, records, score
from consclust.scores import score_many
from consclust_studies.config.cases import Case
from consclust_studies.config.metric import Metric
from consclust_studies.config.study import PlannedStudy, Study
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import make_published_key
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

FITS = 3.5
"""Distance up to which a candidate fits."""
MADE_ALIKE = {"ensemble", "init", "n_clusters", "feature_share", "object_share", "subset_size"}
"""Keys of a case that make its base clusterings from its features."""
MEASURES = ("", "_published", "_difference", "_errors")
"""Ends of the names of a metric's columns; that of its mean is empty."""
TENTHS = partial(number, form=".1f")
WORDS = {(True, True): "rule and study", (True, False): "rule", (False, True): "study", (False, False): DASH}


class Features(Exhibit):
    """Candidates of data and preprocessing, by the scores of their base clusterings alone."""

    chapter: ClassVar[Chapter] = "Agreement with the published values"
    lacking = (
        "no case has other features and published scores; add variants of cases that differ in dataset or "
        "preprocessing alone, and published: [table2]"
    )

    kind: Literal["features"]
    id: Name = "features"
    title: Title = "Features"

    def wanted(self, study: Study) -> bool:
        """Whether a case has other candidates, and there are published scores."""
        return "table2" in study.published and any(_compared(study))

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the base clusterings of all candidates."""
        cases = tuple(case.id for _, found in _compared(study) for case in found)
        return Needs(ensembles=cases, published=True)

    def build(self, source: Source) -> Shown:
        """Return one row for each candidate of a case with published scores of the base clusterings.

        For each metric: mean over the base clusterings, published value, difference, and the same in standard errors
        of the mean. ``distance`` is the root of the sum of their squares; ``chosen`` is what the rule takes, ``own``
        what the study takes.
        """
        frame, metrics = _frame(source), source.study.reported
        base = source.study.base_clusterings
        caption = paragraph(
            f"Candidates are judged by the row {base} alone. Standard errors: ours {MINUS} published, over the "
            "standard error of our mean over all base clusterings. Distance: the root of the sum of the squares of the "
            f"standard errors of {conjunction(metrics)}. A candidate fits if its distance is at most {FITS:g}. Of 100 "
            "candidates that differ from the paper's base clusterings by random numbers alone about 95 fit, as both "
            "means vary. Rule: of the candidates that fit, the one with the fewest steps, and of these the nearest. "
            "If none fits, the row identifies nothing, and the rule takes the study's data with the fewest steps."
        )
        groups = frame.groupby("case", sort=False)
        tables = (leave_out_of_pdf(_one(rows, metrics)) for _, rows in groups)
        return Shown(frame, (_summary(frame), *tables), caption)


def _compared(study: Study) -> Iterator[tuple[Case, list[Case]]]:
    """Yield each case that has other candidates, with all its candidates, its own features first."""
    for own in study.cases:
        others = [other for other in study.case_variants if other.of == own.id and _differs_in_features(own, other)]
        if others:
            yield own, [own, *others]


def _differs_in_features(own: Case, other: Case) -> bool:
    same = own.model_dump(include=MADE_ALIKE) == other.model_dump(include=MADE_ALIKE)
    return same and (own.dataset, own.preprocessing) != (other.dataset, other.preprocessing)


def _frame(source: Source) -> DataFrame:
    """Return one row for each candidate."""
    import pandas as pd

    study = source.study
    key = make_published_key(source)
    rows = list[dict[str, Any]]()
    for own, candidates in _compared(study):
        keys = {metric: key(own.id, metric, study.base_clusterings) for metric in study.reported}
        published = {metric: source.published.scores.get(keys[metric], math.nan) for metric in study.reported}
        if not any(math.isnan(value) for value in published.values()):
            found = pd.DataFrame([_candidate(source, own, case, published) for case in candidates])
            rows += found.assign(chosen=found.index == _rule(found)).to_dict("records")
    measures = [f"{metric}{word}" for metric in study.reported for word in MEASURES]
    about = ("case", "dataset", "candidate", "data", "features", "steps")
    return pd.DataFrame(rows, columns=[*about, *measures, "distance", "fits", "own", "chosen"])


def _candidate(source: Source, own: Case, case: Case, published: Mapping[Metric, float]) -> dict[str, Any]:
    """Return the scores of a candidate's base clusterings beside the published ones."""
    study, stored = source.study, source.stored(case.id)
    runs = np.unique(stored.members[: study.n_subsets])
    scores = score_many(stored.classes, stored.labels[:, runs].T, study.reported)
    means, errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / math.sqrt(len(runs))
    row: dict[str, Any] = {"case": own.id, "dataset": source.titles[own.id], "candidate": case.id}
    row |= {"data": case.dataset, "features": _features(own, case), "steps": len(case.steps)}
    squares = 0.0
    for metric, mean, error in zip(study.reported, means, errors, strict=True):
        difference = mean - published[metric]
        values = (mean, published[metric], difference, difference / error)
        row |= {f"{metric}{word}": value for word, value in zip(MEASURES, values, strict=True)}
        squares += (difference / error) ** 2
    return row | {"distance": math.sqrt(squares), "fits": math.sqrt(squares) <= FITS, "own": case is own}


def _features(own: Case, case: Case) -> str:
    steps = ", ".join(case.steps) or "none"
    return steps if case.dataset == own.dataset else f"{case.dataset}: {steps}"


def _rule(candidates: DataFrame) -> int:
    """Return the index of the candidate that the rule takes."""
    fitting = candidates[candidates["fits"]]
    left = candidates[candidates["data"] == candidates["data"].iloc[0]] if fitting.empty else fitting
    return int(left.sort_values(["steps", "distance"], kind="stable").index[0])


def _summary(frame: DataFrame) -> Table:
    """Return a row for each data set: how many candidates there are and fit, and what the rule and the study take."""
    rows = []
    for name, group in frame.groupby("dataset", sort=False):
        chosen, own = (group[group[word]].iloc[0] for word in ("chosen", "own"))
        taken = Cell(text=own["features"], bold=own["candidate"] != chosen["candidate"])
        rows.append((name, len(group), int(group["fits"].sum()), chosen["features"], chosen["distance"], taken))
    table = records("dataset candidates fit chosen distance own", rows)
    columns = "dataset, candidates, Fit: fit, The rule takes: chosen, Its distance: distance, The study takes: own"
    return listed("What the rule takes", table, columns, forms={"distance": TENTHS})


def _one(rows: DataFrame, metrics: tuple[str, ...]) -> Table:
    published = conjunction([f"{metric} {score(rows[f'{metric}_published'].iloc[0])}" for metric in metrics])
    title = f"{rows['dataset'].iloc[0]}: the published row has {published}"
    pairs = zip(rows["chosen"], rows["own"], strict=True)
    rows = rows.assign(taken=[Cell(text=WORDS[bool(chosen), bool(own)]) for chosen, own in pairs])
    columns = "Preprocessing: features"
    columns += "".join(f", {metric}, Standard errors of {metric}: {metric}_errors" for metric in metrics)
    forms = {f"{metric}_errors": partial(number, form="+.1f") for metric in metrics} | {"distance": TENTHS}
    return listed(title, rows, f"{columns}, distance, Taken by: taken", forms=forms)
