"""The job of this stage: one method on one case, its grid; a run takes a block of subsets."""

from pydantic import Field

from consclust_studies.config.race import Race
from consclust_studies.config.values import Value, grid_points
from consclust_studies.specs import Spec


class ConsensusJob(Spec):
    """What the consensus labels of a method on a case depend on; the block of subsets is no part of it."""

    study: str
    case: str
    method_id: str = Field(description="with study, case and subset, names the random stream")
    method: str
    parameters: dict[str, Value]
    grid: dict[str, tuple[Value, ...]] = Field(default_factory=dict)
    race: Race | None = None
    default: dict[str, Value] = Field(default_factory=dict, description="with a race: the point that always stays")
    seed: int
    ensemble: str = Field(description="digest of the spec of the base clusterings")
    data: str | None = Field(None, description="digest of the spec of the features, where the method needs them")
    code: str = ""

    @property
    def points(self) -> list[dict[str, Value]]:
        """Grid points, the last parameter fastest; one empty point without a grid."""
        return grid_points(self.grid)
