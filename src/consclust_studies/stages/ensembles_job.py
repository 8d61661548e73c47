"""The job of this stage: the base clusterings of a case, and which of them are in each subset."""

from typing import Literal

from pydantic import Field

from consclust.datasets.registry import ReadyMadeEnsemble
from consclust_studies.specs import Spec

MODULES = {"minibatch": "kmeans"}
"""File of the kinds whose file has another name."""


class EnsembleJob(Spec):
    """What the base clusterings of a case depend on; a ready-made ensemble has neither a seed nor an algorithm."""

    data: str = Field(description="digest of the spec of the prepared data set")
    pool: tuple[str, str] = Field(description="study and case that name the random streams and the messages")
    kind: Literal["kmeans", "spherical", "minibatch", "mixed", "ready-made"]
    ready: ReadyMadeEnsemble | None = None
    runs: int
    subset_size: int
    draws: int | None
    draw_seed: int | None
    seed: int | None = None
    n_clusters: int | tuple[int, ...] | Literal["classes", "random", "random-fine"] = "classes"
    max_iter: int = 0
    init: str = "random"
    feature_share: float = 1.0
    object_share: float = 1.0
    code: str = ""

    @property
    def module(self) -> str:
        """The module with the algorithm."""
        if self.kind == "ready-made":
            return "consclust_studies.stages.ready_made"
        return f"consclust.ensembles.{MODULES.get(self.kind, self.kind)}"
