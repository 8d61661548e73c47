"""Seconds and memory of the methods, out of the records of their jobs, beside the published seconds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from consclust.report.wording import conjunction, records
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.results.main_table import published_key
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame


def fitted_together(study: Experiment) -> str:
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
