"""Make the page of the leaderboard from its scores: ``python studies/leaderboard/make_page.py``.

It reads ``reports/leaderboard/cells.csv``, or the file that is named, and writes ``leaderboard.html`` beside it: one
file that needs no network. The page itself computes means and ranks of the data sets that are chosen there.
"""

import json
import sys
from pathlib import Path
from typing import Any

CELLS = Path("reports/leaderboard/cells.csv")
TEMPLATE = Path(__file__).with_name("page.html")
METRICS = ("ARI", "AMI", "NMI", "ACC", "PSI")
PLACE = "/* DATA */ null"
"""What the template has in place of the data."""


def main(source: Path) -> None:
    """Write the page."""
    target = source.with_name("leaderboard.html")
    target.write_text(make_page(source), encoding="utf-8")
    print(target)


def make_page(source: Path) -> str:
    """Return the page of a table of scores."""
    import pandas as pd

    frame = pd.read_csv(source)
    # in a script no text may end it
    data = json.dumps(collect_data(frame), separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")
    template = TEMPLATE.read_text(encoding="utf-8")
    assert template.count(PLACE) == 1
    return template.replace(PLACE, data)


def collect_data(frame: Any) -> dict[str, Any]:
    """Return what the page knows: data sets, methods, kinds of ensembles, and scores and seconds by their places.

    A cell is [data set, kind, method, seconds, score by each metric]; seconds are null for rows that are no methods.
    """
    facts = ["domain", "n", "synthetic", "unclusterable", "suspect"]
    sets = frame.drop_duplicates("dataset").set_index("dataset")[facts]
    methods = list(frame["method"].unique())
    kinds = list(frame["kind"].unique())
    metrics = [metric for metric in METRICS if metric in frame]
    places = {name: place for place, name in enumerate(sets.index)}
    cells = []
    for row in frame.to_dict("records"):
        scores = [_round(row[metric], 4) for metric in metrics]
        seconds = _round(row["seconds"], 5)
        cells.append([places[row["dataset"]], kinds.index(row["kind"]), methods.index(row["method"]), seconds, *scores])
    of_methods = set(frame.loc[frame["seconds"].notna(), "method"])
    return {
        "sets": [{"name": name, **_as_plain(row)} for name, row in sets.to_dict("index").items()],
        "methods": [{"name": name, "ranked": name in of_methods} for name in methods],
        "kinds": kinds,
        "metrics": metrics,
        "cells": cells,
    }


def _round(value: float, digits: int) -> float | None:
    """Return a rounded number; None where there is none."""
    return None if value != value else round(float(value), digits)


def _as_plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a data set as JSON has them."""
    flags = {name: bool(row[name]) for name in ("synthetic", "unclusterable", "suspect")}
    return {"domain": str(row["domain"]), "n": int(row["n"]), **flags}


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CELLS)
