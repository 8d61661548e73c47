"""Which published values belong to the cases and methods of a study, and which of two scores is nearer to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from consclust_studies.config.published_tables import Published
from consclust_studies.config.study import PlannedStudy
from consclust_studies.stages.selection import ROUNDING

if TYPE_CHECKING:
    from pandas import DataFrame, Series

HALF_DIGIT = 0.5005e-3
"""Half of the third decimal, the last that is published; ours may lie on the edge up to rounding."""

S = TypeVar("S", bound=PlannedStudy)


def find_published_names(study: PlannedStudy, published: Published, *, described: bool = False) -> dict[str, str]:
    """Return the key in the published tables of every case that they have.

    ``described`` also takes the data sets that only Table 1 shows.
    """
    keys = {dataset for dataset, _, _ in published.scores} | set(published.shapes)
    cases = study.described if described else study.cases
    names = {}
    for case in cases:
        # the title in the study wins: that of the registry may be another paper's
        for title in (study.origins[case.id].title, study.titles[case.id]):
            if title.casefold() in keys:
                names[case.id] = title.casefold()
    return names


def find_published_methods(study: PlannedStudy, published: Published) -> dict[str, str]:
    """Return the name that every row of the study would have in the published tables.

    That is the id; or the class, if the id is not published and the study has one run of that class only: a
    second, modified run of a method must not be compared with the published values of the first.
    """
    known = {method for _, _, method in published.scores}
    classes = [run.method for run in study.methods]
    names = {study.base_clusterings: study.base_clusterings}
    for run in study.methods:
        has_own_name = run.id in known or classes.count(run.method) > 1
        names[run.id] = run.id if has_own_name else run.method
    return names


def restrict_to_paper(study: S, published: Published) -> S:
    """Return the study with the methods that the paper has; the study itself without published scores.

    What a paper says of "all methods" it says of its own.
    """
    known = {method for _, _, method in published.scores}
    names = find_published_methods(study, published)
    methods = tuple(run for run in study.methods if names[run.id] in known or run.id in study.unpublished)
    if not methods or len(methods) == len(study.methods):
        return study
    return study.model_copy(update={"methods": methods})


def find_nearer(cells: DataFrame, one: str, other: str) -> Series:
    """Return which of two columns is nearer to ``published``: its name, "equal", or "" where that is NaN."""
    import pandas as pd

    first = (cells[one] - cells["published"]).abs()
    second = (cells[other] - cells["published"]).abs()
    unknown = first.isna() | second.isna()
    equal = (first - second).abs() <= ROUNDING
    words = np.select([unknown, equal, first < second], ["", "equal", one], default=other)
    return pd.Series(words, index=cells.index, dtype=object)
