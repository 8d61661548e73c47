"""Names for annotations alone: what they stand for is slow to import, or imports the modules that use them."""

from typing import TYPE_CHECKING, Any

__all__ = ["DataFrame", "Dataset", "ResolvedStudy", "Series", "Source", "Study"]

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from consclust.config.claims import PaperStudy, ResolvedStudy
    from consclust.datasets.prepared import Dataset
    from consclust.findings.source import Source

    Study = PaperStudy
else:
    DataFrame = Dataset = ResolvedStudy = Series = Source = Study = Any
