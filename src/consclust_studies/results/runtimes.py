"""Seconds and memory of the methods, out of the records of their jobs, beside the published seconds."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from consclust.report.wording import conjunction
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.results.main_table import make_published_key
from consclust_studies.results.source import Source

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ["case", "method", "n", "n_profiles", "fits", "cpu_seconds", "cpu_seconds_per_fit", "peak_rss_mib"]


def describe_fits_together(study: Experiment) -> str:
    """Say which methods are fitted together, for a caption with seconds; empty if there are none."""
    members: dict[str, list[str]] = {}
    for run in study.methods:
        if run.together:
            members.setdefault(run.together, []).append(run.id)
    names = [conjunction(ids) for ids in members.values()]
    return " ".join(f"{them} are fitted together, and a fit has the seconds of all of them." for them in names)


def build_runtime_frame(source: Source) -> DataFrame:
    """Return one row for each case and method: sizes, seconds, memory, and the seconds of others."""
    frame = tabulate_runtimes(source.study, source.runtimes)
    find_key = make_published_key(source)
    keys = [find_key(case, method) for case, method in zip(frame["case"], frame["method"], strict=True)]
    published = source.published
    return frame.assign(
        published_seconds=[published.seconds.get(key, math.nan) for key in keys],
        program_seconds=[published.program.get(key, math.nan) for key in keys],
    )


def tabulate_runtimes(study: Experiment, runtimes: Sequence[dict[str, Any]]) -> DataFrame:
    """Return one row for each case and method, from the records of their jobs: sizes, seconds, memory."""
    import pandas as pd

    # a method has a record for each block of its subsets
    records_of: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for record in runtimes:
        records_of[record["case"], record["method"]].append(record)
    rows = []
    for case in study.cases:
        for run in study.runs(case):
            of_jobs = records_of[case.id, run.together or run.id]
            rows.append({"case": case.id, "method": run.id} | _sum_up(of_jobs, run))
    return pd.DataFrame(rows, columns=COLUMNS)


def _sum_up(records: Sequence[dict[str, Any]], run: MethodRun) -> dict[str, float]:
    """Sum up the records of the jobs of a method, or of the methods that are fitted together with it."""
    of_subsets = [subset for record in records for subset in record["cpu_seconds"]]
    profiles = [n_profiles for record in records for n_profiles in record["n_profiles"]]
    if run.together:
        # its grid is the methods: a fit is that of all of them, and each has an equal part of the sum
        fits = [sum(subset) for subset in of_subsets]
        share = len(of_subsets[0])
    else:
        fits = [seconds for subset in of_subsets for seconds in subset]
        share = 1
    return {
        "n": records[0]["n"],
        "n_profiles": int(median(profiles)),
        "fits": len(fits),
        "cpu_seconds": sum(fits) / share,
        "cpu_seconds_per_fit": sum(fits) / len(fits),
        "peak_rss_mib": max(record["peak_rss_mib"] for record in records),
    }
