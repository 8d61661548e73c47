"""The metrics, by name; defined in :mod:`consclust.scores`. Apart, as a new one runs no method again."""

from typing import Literal

Metric = Literal["ACC", "NMI", "ARI", "purity", "F", "NMI-mean", "F-class", "F-purity", "F-macro", "AMI", "PSI"]
