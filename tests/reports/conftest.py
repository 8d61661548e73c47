"""The small study and its results as fixtures."""

import pytest

from consclust_studies.config.study import PlannedStudy
from consclust_studies.results.source import Source
from small import planned, source_of


@pytest.fixture
def study() -> PlannedStudy:
    return planned()


@pytest.fixture
def source(study) -> Source:
    return source_of(study)
