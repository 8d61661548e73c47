"""What exhibits read: tables that the exhibits of a job share."""

from pathlib import Path

import pytest

from concord.errors import InputError
from concord.findings.source import Item, Source
from concord.scores.tables import write_table
from concord.specs import digest

COLUMNS = {"case": ["iris", "iris"], "subset": [0, 1], "value": [0.5, 0.75]}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores.parquet"
    write_table(COLUMNS, path, "a spec")
    return path


def source(path: Path, spec: str, read: dict) -> Source:
    return Source(None, [(Item(role="scores", spec=digest(spec)), path)], read=read)


def test_a_table_is_read_once_for_all_exhibits_of_a_job(table):
    read = {}
    first = source(table, "a spec", read).scores
    table.unlink()
    assert source(table, "a spec", read).scores.equals(first)
    assert first.to_dict("list") == COLUMNS


def test_what_one_exhibit_changes_no_other_sees(table):
    read = {}
    scores = source(table, "a spec", read).scores
    scores["value"] = 1.0
    scores.loc[0, "case"] = "wine"
    assert source(table, "a spec", read).scores.to_dict("list") == COLUMNS


def test_a_table_that_was_read_is_refused_where_another_spec_is_planned(table):
    read = {}
    assert len(source(table, "a spec", read).scores) == 2
    with pytest.raises(InputError, match=r"scores\.parquet"):
        _ = source(table, "another spec", read).scores
