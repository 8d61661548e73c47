"""What exhibits read: tables that the exhibits of a job share."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from consclust.errors import InputError
from consclust_studies.results.source import Item, Source
from consclust_studies.specs import digest_spec
from consclust_studies.stages.grid_points import POINTS, write_points
from consclust_studies.stages.score_tables import write_table
from small import planned

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


def test_grid_points_have_the_numbers_of_the_study_where_a_variant_was_fitted_at_its_default_alone(tmp_path):
    """In the table of variants RCE has the default point alone, number 0 there and the last one in the study."""
    study = planned()
    rce = study.method("RCE")
    files = []
    for role, points, numbers in (("selected", rce.points, [0, 2]), ("variants", [rce.default], [0, 0])):
        path = tmp_path / f"{role}.parquet"
        columns = {"case": ["iris", "iris"], "method": ["KC", "RCE"], "subset": [0, 0], "point": numbers}
        texts = {
            POINTS: write_points({"KC": [{}], "RCE": points}),
            "failures": json.dumps([("iris", "RCE", 1, len(points) - 1, "no answer")]),
        }
        write_table(columns, path, {"spec": role}, texts)
        files.append((Item(role=role, spec=digest_spec(role)), path))
    source = Source(study, files)
    assert source.selected["point"].tolist() == [0, 2]
    assert source.variants["point"].tolist() == [0, rce.points.index(rce.default)] == [0, 3]
    assert source.failures.to_numpy().tolist() == [["iris", "RCE", 1, 3, "no answer"]]


def test_a_table_whose_grid_points_the_study_does_not_have_is_refused(tmp_path):
    path = tmp_path / "selected.parquet"
    write_table(
        {"method": ["RCE"], "point": [0]}, path, {"spec": "s"}, {POINTS: write_points({"RCE": [{"lambda1": 7.0}]})}
    )
    source = Source(planned(), [(Item(role="selected", spec=digest_spec("s")), path)])
    with pytest.raises(InputError, match=r"selected\.parquet.*RCE"):
        _ = source.selected
