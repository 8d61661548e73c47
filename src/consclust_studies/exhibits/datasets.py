"""The data sets: dimensions as counted and as published, preprocessing, base clusterings."""

# pandas is imported where needed, so that what does without it starts faster

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consclust.datasets.registry import MADE
from consclust.ensemble import IntArray
from consclust.report.blocks import Cell, Footnotes, Shown, listed
from consclust.report.wording import DASH, numbers
from consclust_studies.config.cases import Case
from consclust_studies.config.study import PlannedStudy
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.published_scores import find_published_names
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

SHAPE = ("objects", "features", "classes")
GENERATORS = MADE | {"mixed": "by several algorithms"}
"""How base clusterings that are made here are named beside their number."""


class Datasets(Exhibit):
    """The data sets of the study, those that are not clustered among them."""

    place = -30
    without_classes = True
    chapter = "Data"

    kind: Literal["datasets"]
    id: Name = "table1"
    title: Title = "Data sets"

    def needs(self, study: PlannedStudy) -> Needs:
        """Return the data sets."""
        return Needs(prepared=tuple(case.id for case in study.described), published=True)

    def build(self, source: Source) -> Shown:
        """Return one row for each data set; ``verdict`` is "match", "differs" or "not published"."""
        frame, footnotes = _frame(source), Footnotes()
        cells = {name: [*map(_dimension, frame[name], frame[f"published_{name}"])] for name in SHAPE}
        noted = zip(frame["dataset"], frame["note"], strict=True)
        titles = [Cell(text=title, mark=footnotes.mark(note)) for title, note in noted]
        cells["non_zero"] = [_non_zero(stored) for stored in frame["stored_as"]]
        columns = (
            f"dataset, {', '.join(SHAPE)}, Sizes: class_sizes, Non-zero: non_zero, preprocessing, base_clusterings"
        )
        published = ""
        if frame["verdict"].ne("not published").any():
            columns += ", Published: verdict"
            published = "Published: whether all published dimensions match; below one: its published value if not. "
        table = listed("Data sets", frame.assign(dataset=titles, **cells), columns, footnotes=footnotes)
        none = " and no classes" if (frame["classes"] == 0).any() else ""
        caption = (
            "The number of objects, features and classes; sizes: of the smallest and the largest class; non-zero: the "
            f"share of such features. {published}{DASH}: only base clusterings are available, no features{none}."
        )
        return Shown(frame, (table,), caption)


def _frame(source: Source) -> DataFrame:
    import pandas as pd

    study, rows = source.study, list[dict[str, Any]]()
    names = find_published_names(study, source.published, described=True)
    for case in study.described:
        data, origin = source.dataset(case.id), study.origins[case.id]
        n, d, _ = data.shape
        sizes, published = np.bincount(data.y[data.y >= 0]), source.published.shapes.get(names.get(case.id, ""))
        stored = f"sparse, {data.X.nnz / (n * d):.2%} non-zero" if hasattr(data.X, "nnz") else "dense"
        known = zip(SHAPE, published or (0, 0, 0), strict=True)
        row: dict[str, Any] = {"case": case.id, "dataset": source.titles[case.id]}
        row |= dict(zip(SHAPE, data.shape, strict=True)) | {"class_sizes": _range(sizes)}
        row |= {"stored_as": stored if d else "no features", "preprocessing": ", ".join(case.steps) or "none"}
        row |= {"base_clusterings": _base_clusterings(study, case)}
        row |= {f"published_{name}": size or None for name, size in known}
        row |= {"verdict": _verdict(data.shape, published)}
        rows.append(row | {"source": origin.source, "licence": origin.licence, "note": origin.note})
    return pd.DataFrame(rows).astype({f"published_{name}": "Int64" for name in SHAPE})


def _range(sizes: IntArray) -> str:
    return f"{sizes.min()}{DASH}{sizes.max()}" if len(sizes) else DASH


def _verdict(ours: Sequence[int], published: Sequence[int] | None) -> str:
    """Compare the dimensions that are known on both sides: 0 is an unknown one."""
    if published is None:
        return "not published"
    return "match" if all(a == b for a, b in zip(ours, published, strict=True) if a and b) else "differs"


def _base_clusterings(study: PlannedStudy, case: Case) -> str:
    if case in study.only_in_table1:
        return "not clustered here"
    if case.ensemble not in MADE:
        return f"ready-made: {case.ensemble}"
    own = f", k: {numbers(case.n_clusters)}" if isinstance(case.n_clusters, tuple) else ""
    return f"{study.ensemble.runs} {GENERATORS[case.ensemble]}{own}"


def _non_zero(stored_as: str) -> Cell:
    share = {"dense": "all", "no features": DASH}.get(stored_as, stored_as)
    return Cell(text=share.removeprefix("sparse, ").removesuffix(" non-zero"))


def _dimension(ours: int, published: Any) -> Cell:
    import pandas as pd

    same = pd.isna(published) or published == ours
    return Cell(text=f"{ours}" if ours else DASH, below="" if same else f"{published}")
