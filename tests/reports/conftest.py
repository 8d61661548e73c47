"""The small study and its results as fixtures."""

import pytest
from small import planned, source_of

from consclust.findings.source import Source
from consclust.reports.study import PlannedStudy


@pytest.fixture
def study() -> PlannedStudy:
    return planned()


@pytest.fixture
def source(study) -> Source:
    return source_of(study)
