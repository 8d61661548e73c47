"""What exhibits read: tables that the exhibits of a job share."""

from dataclasses import replace
from pathlib import Path

import pytest

from consclust.errors import InputError
from consclust_studies.results.source import Item, Source
from consclust_studies.specs import digest_spec
from consclust_studies.stages.score_tables import write_table

COLUMNS = {"case": ["iris", "iris"], "subset": [0, 1], "value": [0.5, 0.75]}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores.parquet"
    write_table(COLUMNS, path, {"spec": "a spec"})
    return path


def source_of(whole: Source, path: Path, spec: str) -> Source:
    """The source of one exhibit, as the job makes it."""
    return replace(whole, files=[(Item(role="scores", spec=digest_spec(spec)), path)])


@pytest.fixture
def whole() -> Source:
    return Source(None)


def test_a_table_is_read_once_for_all_exhibits_of_a_job(whole, table):
    first = source_of(whole, table, "a spec").scores
    table.unlink()
    assert source_of(whole, table, "a spec").scores.equals(first)
    assert first.to_dict("list") == COLUMNS


def test_what_one_exhibit_changes_no_other_sees(whole, table):
    scores = source_of(whole, table, "a spec").scores
    scores["value"] = 1.0
    scores.loc[0, "case"] = "wine"
    assert source_of(whole, table, "a spec").scores.to_dict("list") == COLUMNS


def test_a_table_that_was_read_is_refused_where_another_spec_is_planned(whole, table):
    assert len(source_of(whole, table, "a spec").scores) == 2
    with pytest.raises(InputError, match=r"scores\.parquet"):
        _ = source_of(whole, table, "another spec").scores
