"""Methods that are fitted together give the scores of their grid points, in one job."""

import csv
import json

import pytest

from conftest import BRIEF, Project

pytestmark = pytest.mark.workflow

HC, MC = ({"id": v, "method": "ECPCS", "parameters": {"variant": v, "n_init": 3}} for v in ("HC", "MC"))
TOGETHER = [{**HC, "together": "both"}, {**MC, "together": "both"}]
GRID = {"id": "both", "method": "ECPCS", "parameters": {"n_init": 3}}
GRID |= {"grid": {"variant": ["HC", "MC"]}, "default": {"variant": "HC"}}


def study(methods):
    return {**BRIEF, "methods": methods, "selection": "default"}


def scores(project, run="tiny"):
    columns = ("method", "parameters", "subset", "restart", "metric")
    with (project.folder / f"results/{run}/scores.csv").open(newline="") as table:
        return {tuple(row[column] for column in columns): row["value"] for row in csv.DictReader(table)}


@pytest.fixture(scope="module")
def made_together(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("together")).set_up()
    project.study(study(TOGETHER))
    ran = project.jobs("tiny")
    assert sum(job.kind == "consensus" for job in ran) == 1
    return project


@pytest.fixture
def together(made_together, tmp_path):
    return made_together.copy(tmp_path / "together")


def test_the_scores_are_those_of_the_grid_points(together, tmp_path):
    found = scores(together)
    grid = together.copy(tmp_path / "grid")
    grid.study(study([GRID]))
    ran = grid.jobs("tiny")
    assert not any(job.kind == "consensus" for job in ran)
    again = {key: value for key, value in scores(grid).items() if key[0] == "both"}
    of_points = {(json.loads(point)["variant"], *rest): value for (_, point, *rest), value in again.items()}
    assert of_points
    assert of_points == {(name, *rest): found[name, "{}", *rest] for name, *rest in of_points}
    assert len({value for (name, *_), value in found.items()}) > 2


def test_methods_that_are_no_longer_together_are_fitted_anew(together, tmp_path):
    fresh = together.copy(tmp_path / "fresh")
    for folder in ("results", "reports"):
        for path in sorted((fresh.folder / folder).rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
    for project in (together, fresh):
        project.study(study([HC, MC]))
        project.run("tiny")
    there = fresh.reproducible_files()
    here = together.reproducible_files()
    assert [name for name in there if here.get(name) != there[name]] == []


def test_a_restricted_run_takes_the_same_labels(together):
    before = scores(together)
    ran = together.jobs("tiny", "--config", "methods=MC")
    assert not any(job.kind == "consensus" for job in ran)
    alone = scores(together, "tiny.methods-MC")
    assert alone == {key: value for key, value in before.items() if key[0] != "HC"}


def test_seconds_are_those_of_the_fits_together_and_counted_once(together):
    with (together.folder / "reports/tiny/runtime.csv").open(newline="") as table:
        hc, mc = csv.DictReader(table)
    assert hc["cpu_seconds_per_fit"] == mc["cpu_seconds_per_fit"]
    assert float(hc["cpu_seconds"]) * 2 == pytest.approx(float(hc["cpu_seconds_per_fit"]) * int(hc["fits"]), abs=1e-5)
