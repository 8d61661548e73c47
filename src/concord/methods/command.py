"""``python -m concord consensus``: one method on one case, its whole grid, over a block of subsets."""

import argparse
import json
from itertools import product
from pathlib import Path
from typing import Any

from concord.ensembles import store
from concord.errors import InputError
from concord.methods import registry
from concord.methods.run import Job, run


def main(arguments: list[str]) -> None:
    """Run the stage with command line ``arguments``."""
    parser = argparse.ArgumentParser(prog="python -m concord consensus", description=__doc__)
    parser.add_argument("--study", required=True, help="id of the study; names the random stream")
    parser.add_argument("--case", required=True, help="id of the case; names the random stream")
    parser.add_argument("--id", required=True, help="id of the method in the study; names the random stream")
    parser.add_argument("--method", required=True, choices=sorted(registry.available()))
    parser.add_argument("--parameters", type=_mapping, default={}, help="fixed parameters, a JSON object")
    parser.add_argument(
        "--grid", type=_mapping, default={}, help="lists of values by parameter, a JSON object"
    )
    parser.add_argument(
        "--subsets", type=_block, required=True, metavar="FIRST-LAST", help="from 0, inclusive"
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--ensemble", type=Path, required=True, help="base clusterings of the case (.npz)")
    parser.add_argument(
        "--data", type=Path, help="prepared data set of the case (.npz), for a method that needs features"
    )
    parser.add_argument("--out", type=Path, required=True, help="labels (.npz); runtimes go beside it")
    options = parser.parse_args(arguments)
    job = Job(
        study=options.study,
        case=options.case,
        method_id=options.id,
        method=options.method,
        parameters=options.parameters,
        points=[dict(zip(options.grid, values, strict=True)) for values in product(*options.grid.values())],
        subsets=options.subsets,
        seed=options.seed,
    )
    run(job, store.load(options.ensemble), options.out, read_features(job, options.data))


def read_features(job: Job, data: Path | None) -> Any:
    """Return the features in a prepared data set, (n, d), or None if the job's method needs none.

    Raises
    ------
    InputError
        If they are needed, and there is no file or the data set has none.
    """
    if not registry.needs_features(job.method, job.parameters, job.points):
        return None
    if data is None:
        raise InputError(f"--data: missing, and {job.method} needs features; give the prepared data set")
    from concord.datasets import prepared

    features = prepared.load(data).X
    if not features.shape[1]:
        raise InputError(f"{data}: no features, and {job.method_id} needs some; let case {job.case} omit it")
    return features


def _mapping(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text}: must be a JSON object")
    return value


def _block(text: str) -> list[int]:
    first, last = map(int, text.split("-"))
    return list(range(first, last + 1))
