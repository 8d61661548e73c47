"""Base clusterings that others made, from a registered file."""

from pathlib import Path

import numpy as np

from concord.datasets.readers.matlab import load_mat
from concord.ensemble import IntArray
from concord.errors import InputError


def read_matlab(path: Path, variable: str, n_objects: int, runs: int) -> IntArray:
    """Read ready-made base clusterings, (n objects, runs), from a MATLAB file."""
    remedy = "correct `variable` in config/datasets.yaml"
    labels = np.asarray(load_mat(path, [variable], remedy)[variable])
    if labels.shape != (n_objects, runs):
        raise InputError(
            f"{path}: {variable} has shape {labels.shape}, wanted {(n_objects, runs)} (objects x runs); "
            "correct `runs` in config/datasets.yaml or take the right file"
        )
    return labels.astype(np.int64)
