"""CPU seconds and memory of every method on every case."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from consclust.report.blocks import Cell, Shown, crossed
from consclust.report.wording import DASH, conjunction, number, paragraph, records, seconds
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.config.values import Name, Title
from consclust_studies.exhibits.base import Exhibit, Needs
from consclust_studies.results.main_table import published_key

if TYPE_CHECKING:
    from pandas import DataFrame

    from consclust_studies.config.paper import PaperStudy as Study
    from consclust_studies.results.source import Source

TABLES: dict[str, tuple[str, Callable[[float], str]]] = {
    "cpu_seconds_per_fit": ("CPU time of one fit", seconds),
    "published_seconds": ("Published time of one fit", seconds),
    "program_seconds": ("CPU time of one fit by the authors' program", seconds),
    "peak_rss_mib": ("Peak memory of a job, MiB", lambda value: number(value, ".0f")),
}
"""Title and format of the table of a column."""
SIZES = {"n": "n", "n'": "n_profiles"}
"""What stands beside the methods in every table."""


class Runtime(Exhibit):
    """CPU time of a fit beside the published time and that of the authors' program, and peak memory."""

    place = 60
    without_classes = True
    reads: ClassVar = Needs(runtimes=True, published=True)
    reproducible = False
    chapter = "Runtime"

    kind: Literal["runtime"]
    id: Name = "runtime"
    title: Title = "Runtime"

    def build(self, source: Source) -> Shown:
        """Return totals over the jobs of each case and method, and the seconds of others."""
        import pandas as pd

        frame = runtime_frame(source)
        named = frame.assign(dataset=frame["case"].map(source.titles))
        sizes = [named.assign(method=name, text=named[column].map(str)) for name, column in SIZES.items()]
        tables = []
        for column, (title, form) in TABLES.items():
            known = named.dropna(subset=column)
            texts = pd.concat([*sizes, known.assign(text=known[column].map(form))])
            if len(known):
                tables.append(crossed(title, texts, "method", lambda row: Cell(text=row.text)))
        caption = paragraph(
            "n: objects; n': median number of distinct label profiles over the subsets. A fit is one subset at one "
            "grid point with all restarts.",
            bool(frame["published_seconds"].notna().any()) and "Published times are from the paper's machine.",
            bool(frame["program_seconds"].notna().any())
            and "The authors' program was run on the input of our methods.",
            fitted_together(source.study),
            f"Memory is the largest resident set of a job, libraries included. {DASH}: not run or not known. All fits "
            f"together took {seconds(float(frame['cpu_seconds'].sum()))} of CPU time.",
        )
        return Shown(frame, tuple(tables), caption)


def fitted_together(study: Study) -> str:
    """Say which methods are fitted together, for a caption with seconds; empty if there are none."""
    names = dict.fromkeys(run.together for run in study.methods if run.together)
    every = [conjunction([run.id for run in study.methods if run.together == name]) for name in names]
    return " ".join(f"{them} are fitted together, and a fit has the seconds of all of them." for them in every)


def runtime_frame(source: Source) -> DataFrame:
    """Return one row for each case and method: sizes, seconds, memory, and the seconds of others."""
    frame, key = measured(source.study, source.runtimes), published_key(source)
    keys = [key(*names) for names in zip(frame["case"], frame["method"], strict=True)]
    others = {"published_seconds": source.published.seconds, "program_seconds": source.published.program}
    return frame.assign(**{column: [known.get(k, math.nan) for k in keys] for column, known in others.items()})


def measured(study: Experiment, runtimes: Sequence[dict[str, Any]]) -> DataFrame:
    """Return one row for each case and method, from the records of their jobs: sizes, seconds, memory."""
    records_of: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for record in runtimes:
        records_of[record["case"], record["method"]].append(record)
    rows = [
        (case.id, run.id, *_totals(records_of[case.id, run.together or run.id], run))
        for case in study.cases
        for run in study.runs(case)
    ]
    return records("case method n n_profiles fits cpu_seconds cpu_seconds_per_fit peak_rss_mib", rows)


def _totals(records: Sequence[dict[str, Any]], run: MethodRun) -> tuple[float, ...]:
    every = [subset for record in records for subset in record["cpu_seconds"]]
    spent = [sum(subset) for subset in every] if run.together else [s for subset in every for s in subset]
    share = len(every[0]) if run.together else 1
    profiles = int(median([p for record in records for p in record["n_profiles"]]))
    peak = max(record["peak_rss_mib"] for record in records)
    return (records[0]["n"], profiles, len(spent), sum(spent) / share, sum(spent) / len(spent), peak)
