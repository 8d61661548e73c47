"""Names for annotations: the modules that define them import the exhibits, or are slow to import."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame

    from concord.reports.source import Source as Source
    from concord.reports.study import PlannedStudy as PlannedStudy
    from concord.reports.study import Study as Study
else:
    DataFrame = Source = PlannedStudy = Study = Any
