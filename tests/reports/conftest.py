"""The small study and its results as fixtures."""

import pytest
from small import planned, source_of

from consclust_studies.exhibits.study import PlannedStudy
from consclust_studies.results.source import Source


@pytest.fixture
def study() -> PlannedStudy:
    return planned()


@pytest.fixture
def source(study) -> Source:
    return source_of(study)
