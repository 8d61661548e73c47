"""Base clusterings that somebody made, as an entry of the registry describes their file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from consclust.ensemble import MISSING, IntArray
from consclust.readers.label_matrix import read_label_matrix
from consclust.readers.layout import Layout, Remedies

if TYPE_CHECKING:
    from consclust.datasets.registry import ReadyMadeEnsemble


def _write_yaml(name: str) -> str:
    """Return a name as a value in YAML: in quotes unless it is a plain word."""
    is_plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name) and name.lower() not in YAML_WORDS
    return name if is_plain else json.dumps(name, ensure_ascii=False)


YAML_WORDS = ("false", "no", "null", "off", "on", "true", "yes", "y", "n")
REGISTRY = Remedies(
    header="header: true",
    no_header="header: false",
    ids="ids: {}",
    drop="drop: [{}]",
    transposed="transposed: true",
    variable="variable: {}",
    classes="classes: {}",
    where="config/datasets.yaml",
    quote=_write_yaml,
)


@dataclass(frozen=True)
class Clusterings:
    """What the file holds."""

    labels: IntArray
    """Shape (n objects, m clusterings); 0..k-1 in each, in the order of the stored labels; -1 = missing."""
    classes: list[str]
    """Name of the class of each object; empty if the file has no classes."""


def read_clusterings(path: Path, ensemble: ReadyMadeEnsemble) -> Clusterings:
    """Read the base clusterings of a file, verified, as its entry in the registry says.

    InputError as in :func:`consclust.readers.label_matrix.read_label_matrix`, also for no such variable or column, a
    class that is missing, or another number of classes than of rows.
    """
    layout = Layout(
        header=ensemble.header,
        ids=ensemble.ids,
        drop=ensemble.drop,
        transposed=ensemble.transposed,
        variable=ensemble.variable,
        classes=ensemble.classes,
        missing=ensemble.missing,
        names_expected=ensemble.format == ".csv",  # where studies always expected them
    )
    found = read_label_matrix(path, layout, REGISTRY)
    labels = np.full(found.labels.shape, MISSING, dtype=np.int64)
    for j, column in enumerate(found.labels.T):
        present = column != MISSING
        labels[present, j] = np.unique(column[present], return_inverse=True)[1]
    return Clusterings(labels, found.classes)
