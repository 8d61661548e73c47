"""The race of a grid: fewer points on most subsets."""

from pydantic import Field

from consclust.validation import Strict
from consclust_studies.config.references import MetricId
from consclust_studies.config.values import Positive


class Race(Strict):
    """A grid in a race: every point on the first subsets, on the others the best of these and the default."""

    metric: MetricId = Field(
        description="metric whose mean over the first subsets, of the chosen restarts, decides which points stay"
    )
    subsets: Positive = Field(5, description="number of subsets, the first ones, on which every grid point runs")
    points: Positive = Field(5, description="number of grid points that stay, beside the default one")
