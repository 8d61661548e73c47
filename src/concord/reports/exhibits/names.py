"""Names for annotations: the modules that define them import the exhibits, or are slow to import."""

from typing import TYPE_CHECKING, Any

__all__ = ["DataFrame", "ResolvedStudy", "Source", "Study"]

if TYPE_CHECKING:
    from pandas import DataFrame

    from concord.config.claims import PaperStudy, ResolvedStudy
    from concord.findings.source import Source

    Study = PaperStudy
else:
    DataFrame = Source = ResolvedStudy = Study = Any
