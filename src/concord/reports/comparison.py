"""How far the scores are from the print, and what may be why."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from concord.config.study import Study
from concord.reports import agreement, grids, readings, restarts
from concord.reports.claims import counting
from concord.reports.published import Published, printed_methods, printed_names
from concord.reports.rows import READINGS, counted_rows
from concord.reports.tables import DASH, number_text
from concord.reports.wording import MINUS, conjunction, errors_text, score_text, signed_text

if TYPE_CHECKING:
    import pandas as pd

    from concord.datasets.registry import DatasetSpec


def by_case_and_method(
    study: Study, tables: Mapping[str, "pd.DataFrame"], titles: Mapping[str, str]
) -> dict[str, Any]:
    """Compare with the print by data set and by method: tau, near cells, ranks, the worst cells."""
    per_case, ranks, table2 = tables["agreement"], tables["ranks"], tables["table2"]
    metrics, ranked = (list(dict.fromkeys(table["metric"])) for table in (per_case, ranks))
    by_case = [
        {
            "dataset": group["dataset"].iloc[0],
            "counted": bool(group["counted"].iloc[0]),
            "cells": _by_metric(
                metrics,
                {
                    row.metric: {
                        "tau": number_text(row.tau, ".2f").replace("-", MINUS),
                        "near": f"{row.near} of {row.methods}" if agreement.has_errors(study) else DASH,
                        "absolute": score_text(row.mean_absolute),
                    }
                    for row in group.itertuples()
                },
            ),
        }
        for _, group in per_case.groupby("case", sort=False)
    ]
    by_method = [
        {
            "method": method,
            "cells": _by_metric(
                ranked,
                {
                    row.metric: {
                        "here": f"{row.rank_sum:g} ({row.place})",
                        "printed": f"{row.printed_rank_sum:g} ({row.printed_place})",
                    }
                    for row in group.itertuples()
                },
            ),
        }
        for method, group in ranks.groupby("method", sort=False)
    ]
    worst = [
        {
            "dataset": row.dataset,
            "metric": row.metric,
            "row": row.row,
            "ours": score_text(row.mean),
            "printed": score_text(row.printed),
            "difference": signed_text(row.difference),
            "se": errors_text(row.difference_se),
        }
        for row in agreement.worst_cells(study, table2).itertuples()
    ]
    return {
        "metrics": metrics,
        "cases": by_case,
        "ranked": ranked,
        "over": agreement.ranked(ranks),
        "methods": by_method,
        "worst": worst,
        "sentences": list(agreement.sentences(study, table2, per_case)),
        "counting": counting(study, titles).strip(),
    }


def _by_metric(metrics: Sequence[str], cells: Mapping[str, dict[str, str]]) -> list[dict[str, str]]:
    """Return a cell for every metric, one of dashes where there is none."""
    empty = dict.fromkeys(next(iter(cells.values())), DASH)
    return [cells.get(metric, empty) for metric in metrics]


def differences(
    study: Study, tables: Mapping[str, "pd.DataFrame"], titles: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return headed sentences on what differs and why; each is computed."""
    table2 = counted_rows(study, tables["table2"])
    sections = {
        "Data and base clusterings": [*_doubts(study, table2, titles), *_base_clusterings(study, table2)],
        "Choice of parameters on the true classes": [
            *_worth_of_the_oracle(study, table2),
            *_nearest_reading(study, table2),
        ],
        "Scores over the grids": grids.sentences(study, tables["grids"]),
        "Mean or best of the restarts": restarts.sentences(study, tables["restarts"]),
    }
    return [{"title": title, "sentences": found} for title, found in sections.items() if found]


def _doubts(study: Study, table2: "pd.DataFrame", titles: Mapping[str, str]) -> list[str]:
    """Say of each case whose data may not be the paper's how far its scores are from the print."""
    cells = agreement.counted_cells(study, table2)
    found = []
    for case in study.cases:
        mine = cells["case"] == case.id
        if case.doubt and mine.any():
            away, elsewhere = (cells.loc[rows, "difference"].abs().mean() for rows in (mine, ~mine))
            compared = "" if math.isnan(elsewhere) else f", {score_text(elsewhere)} on the other data sets"
            found.append(
                f"{titles[case.id]}: {case.doubt}. Its scores are {score_text(away)} from the print on "
                f"average{compared}."
            )
    return found


def _base_clusterings(study: Study, table2: "pd.DataFrame") -> list[str]:
    """Say where the base clusterings themselves differ from the print, and how the methods fare there."""
    cells = agreement.counted_cells(study, table2)
    base = cells[cells["method"] == study.base_clusterings]
    away = base[~base["near"]]
    if base.empty:
        return []
    listed = [
        f"{row.dataset} {row.metric} {signed_text(row.difference)} "
        f"({errors_text(row.difference_se)} standard errors)"
        for row in away.itertuples()
    ]
    sentence = (
        f"The row {study.base_clusterings}, which no consensus method touches, is near the print on "
        f"{int(base['near'].sum())} of {len(base)} scores"
    )
    others = cells[cells["method"] != study.base_clusterings]
    where = set(zip(away["case"], away["metric"], strict=True))
    same = [pair in where for pair in zip(others["case"], others["metric"], strict=True)]
    distances = others["difference"].abs().groupby(same).mean()
    compared = (
        f" The methods' scores are {score_text(distances[True])} from the print on average where that row is "
        f"not near, {score_text(distances[False])} elsewhere."
        if len(distances) == 2
        else ""
    )
    return [f"{sentence}{f'; not near: {conjunction(listed)}' if listed else ''}.{compared}"]


def other_readings(study: Study, tables: Mapping[str, "pd.DataFrame"]) -> dict[str, Any]:
    """Return what each question comes to, and every score of the other readings."""
    if "readings" not in tables:
        return {"sentences": [], "rows": [], "reading": ""}
    table = tables["readings"]
    summed = readings.summary(study, table)
    rows = [
        {
            "reading": str(reading),
            "differs": group["differs"].iloc[0],
            "dataset": group["dataset"].iloc[0],
            "method": str(method),
            "cells": [
                {
                    "own": _known(row.own),
                    "other": _known(row.other),
                    "printed": _known(row.printed),
                    "nearer": row.nearer if isinstance(row.nearer, str) else "",
                }
                for row in group.itertuples()
            ],
        }
        for (reading, case, method), group in table.groupby(["reading", "case", "method"], sort=False)
    ]
    return {
        "sentences": readings.sentences(summed),
        "rows": rows,
        "metrics": list(study.table2),
        "printed": bool(table["printed"].notna().any()),
        "reading": READINGS[study.reading],
    }


def _known(score: float) -> str:
    return DASH if math.isnan(score) else score_text(score)


def by_metric(study: Study, table2: "pd.DataFrame") -> list[dict[str, Any]]:
    """Compare every row of Table 2 with the print: how many cells, how near, the largest difference."""
    printed = counted_rows(study, table2).dropna(subset=["mean", "printed"])
    has_errors = agreement.has_errors(study)
    rows = []
    for (name, metric), group in printed.groupby(["row", "metric"], sort=False):
        worst = group.loc[group["difference"].abs().idxmax()]
        rows.append(
            {
                "row": name,
                "metric": metric,
                "cells": len(group),
                "near": str((group["difference_se"].abs() <= agreement.NEAR).sum()) if has_errors else DASH,
                "mean_difference": signed_text(group["difference"].mean()),
                "mean_absolute": score_text(group["difference"].abs().mean()),
                "worst": f"{signed_text(worst['difference'])} ({worst['dataset']})",
            }
        )
    return rows


def points(
    study: Study,
    registry: Mapping[str, "DatasetSpec"],
    published: Published,
    tables: Mapping[str, "pd.DataFrame"],
) -> list[str]:
    """Sentences on what differs and what is open; each is computed."""
    table2 = tables["table2"]
    sentences = [
        _standard_error(table2) if agreement.has_errors(study) else "",
        _shapes_that_differ(tables["table1"]),
        _absent(study, registry, published),
    ]
    return [sentence for sentence in sentences if sentence]


def nearness(study: Study, table: "pd.DataFrame") -> str:
    """Say how many of the printed scores are near ours."""
    cells = agreement.counted_cells(study, table)
    if cells.empty:
        return "No score here has a printed value to be held against."
    within = int((cells["difference"].abs() <= 0.02).sum())
    if not agreement.has_errors(study):
        return f"{within} of the {len(cells)} printed scores that this run covers lie within 0.02 of ours."
    return (
        f"{int(cells['near'].sum())} of the {len(cells)} printed scores that this run covers lie within two "
        f"standard errors of our mean, and {within} within 0.02."
    )


def _standard_error(table: "pd.DataFrame") -> str:
    if table["printed"].isna().all():
        return ""
    return (
        "The standard error is that of our mean over the subsets alone. The printed mean has one of its own, "
        "so even an exact repetition would leave about one score in six more than two standard errors away."
    )


def _worth_of_the_oracle(study: Study, table: "pd.DataFrame") -> list[str]:
    sentences = []
    for run in study.methods:
        for metric in study.table2 if run.grid else ():
            mine = table[(table["method"] == run.id) & (table["metric"] == metric)]
            means = mine.pivot(index="case", columns="reading", values="mean").dropna()
            if len(means):
                mean = means.mean()
                sentences.append(
                    f"Choosing the parameters of {run.id} with the true classes is worth "
                    f"{signed_text(mean['oracle-per-subset'] - mean['default'])} {metric} over the default "
                    f"when done per subset, {signed_text(mean['oracle-common'] - mean['default'])} with one "
                    f"common point (mean of {len(means)} data set{'s' * (len(means) > 1)})."
                )
    return sentences


def _nearest_reading(study: Study, table: "pd.DataFrame") -> list[str]:
    sentences = []
    for run in study.methods:
        mine = (
            table[(table["method"] == run.id)].dropna(subset=["mean", "printed"]) if run.grid else table[:0]
        )
        if len(mine):
            distance = mine["difference"].abs().groupby(mine["reading"]).mean().sort_values(kind="stable")
            listed = ", ".join(
                f"{READINGS[str(reading)]}: {score_text(value)}" for reading, value in distance.items()
            )
            sentences.append(
                f"Mean absolute difference of each reading of {run.id} from its printed row: {listed}."
            )
    return sentences


def _shapes_that_differ(table1: "pd.DataFrame") -> str:
    differing = table1[table1["verdict"] == "differs"]["dataset"].tolist()
    return f"The dimensions of {conjunction(differing)} differ from the print (Table 1)." if differing else ""


def _absent(study: Study, registry: Mapping[str, "DatasetSpec"], published: Published) -> str:
    methods = {*printed_methods(study, published).values(), *(run.id for run in study.readings.methods)}
    cases = set(printed_names(study, registry, published).values())
    printed_datasets = dict.fromkeys(dataset for dataset, _, _ in published.scores)
    absent_methods = list(dict.fromkeys(m for _, _, m in published.scores if m not in methods))
    absent_cases = [_registry_title(registry, d) for d in printed_datasets if d not in cases]
    parts = [f"the methods {conjunction(absent_methods)}"] if absent_methods else []
    parts += [f"the data sets {conjunction(absent_cases)}"] if absent_cases else []
    return f"In print but not in this run: {'; '.join(parts)}." if parts else ""


def _registry_title(registry: Mapping[str, "DatasetSpec"], name: str) -> str:
    """Return a printed data set's name with the registry's capital letters."""
    return next((spec.title for spec in registry.values() if spec.title.casefold() == name), name)
