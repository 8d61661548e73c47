"""The small study and its results as fixtures."""

import pytest
from small import planned, source_of

from concord.findings.source import Source
from concord.reports.study import PlannedStudy


@pytest.fixture
def study() -> PlannedStudy:
    return planned()


@pytest.fixture
def source(study) -> Source:
    return source_of(study)
