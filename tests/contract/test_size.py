"""A study whose specs are longer than a command line may be: its jobs get them in files."""

import csv
from pathlib import Path

import numpy as np
import pytest
import yaml

from consclust.datasets.prepared import Dataset
from consclust.files import write_record
from consclust_studies.__main__ import main
from consclust_studies.contents import OF_MAKERS, marks_of
from consclust_studies.exhibits.stored import read_exhibit
from consclust_studies.job_files import JobFile
from consclust_studies.makers import Makers
from consclust_studies.paths import LABELS
from consclust_studies.plan.load import load_plan
from consclust_studies.stages import prepare
from consclust_studies.stages.grid_points import POINTS, write_points
from consclust_studies.stages.score_tables import write_table
from consclust_studies.stages.selection import select
from consclust_studies.stamps import Stamp, installed_versions

pytestmark = pytest.mark.long

LONGEST_WORD = 131_072
"""Bytes that one word of a command line may have at most, on Linux."""
CASES = [f"d{number:03}" for number in range(200)]
METHODS = [f"EAC-{number:02}" for number in range(40)]
SUBSETS = 2


def entry(name):
    file = {"name": f"{name}.csv", "sha256": "0" * 64, "bytes": 1000, "urls": [f"https://example.org/{name}.csv"]}
    return {
        "title": f"Data set {name}",
        "shape": [100, 4, 3],
        "reader": {"format": "table"},
        "files": [file],
        "licence": "none",
        "source": "made up",
    }


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = {
        "id": "large",
        "title": "Large",
        "summary": "Many data sets, many methods.",
        "cases": CASES,
        "ensemble": {"runs": 2 * SUBSETS, "subset_size": 2},
        "methods": [{"id": name, "method": "EAC"} for name in METHODS],
        "metrics": ["ACC"],
        "reported": ["ACC"],
    }
    Path("config").mkdir()
    Path("config/datasets.yaml").write_text(yaml.safe_dump({name: entry(name) for name in CASES}))
    Path("studies/large").mkdir(parents=True)
    Path("studies/large/study.yaml").write_text(yaml.safe_dump(study))
    plan = load_plan({"seed": 1})
    run = plan.runs["large"]
    # the others have up to 344,000 cells, which take most of a minute to set and are no matter of the spec
    exhibits = tuple(exhibit for exhibit in run.exhibits if exhibit.kind in ("datasets", "scores", "runtime"))
    plan.runs["large"] = run.model_copy(update={"exhibits": exhibits})
    return plan


DATA = Dataset(np.zeros((100, 4)), np.arange(100) % 3, ("a", "b", "c"))
STAMP = Stamp(versions=dict(installed_versions()), inputs="0" * 16)


def made_up_scores(study):
    """Scores of every method on every subset, and of the base clusterings."""
    import pandas as pd

    rng = np.random.default_rng(0)
    rows = [
        (study.id, case, subset, method, 0, restart, "ACC", value)
        for case in CASES
        for method in (study.base_clusterings, *METHODS)
        for subset, value in enumerate(rng.random(SUBSETS))
        for restart in ("mean", "chosen")
    ]
    columns = ["study", "case", "subset", "method", "point", "restart", "metric", "value"]
    return pd.DataFrame(rows, columns=columns)


def write_selected(plan, paths):
    """Write the selections, as the job that joins the scores does."""
    selected = select(plan.runs["large"], made_up_scores(plan.runs["large"]))
    points = {name: [{}] for name in (plan.runs["large"].base_clusterings, *METHODS)}
    extra = {"failures": "[]", "notes": "[]", POINTS: write_points(points), OF_MAKERS: Makers().json_text}
    marks = marks_of(plan.collect("large", "").json_text, STAMP)
    for path in paths:
        write_table({name: values.tolist() for name, values in selected.items()}, Path(path), marks, extra)


def write_runtimes(plan, paths):
    """Write the seconds of every job of fits."""
    marks = {
        (case, method): marks_of(plan.consensus("large", case, method).json_text, STAMP)
        for case in CASES
        for method in METHODS
    }
    for path in map(Path, paths):
        case, method = path.parts[-3:-1]
        seconds = [[0.01]] * SUBSETS
        record = {
            **marks[case, method], "study": "large", "case": case, "method": method, "subsets": [*range(SUBSETS)],
            "n": 100, "n_profiles": [10] * SUBSETS, "cpu_seconds": seconds, "wall_seconds": seconds,
            "peak_rss_mib": 100.0,
        }  # fmt: skip
        write_record(path, record)


def test_the_tables_of_a_large_study_are_made_from_a_job_file(plan):
    job = plan.job("tables", run="large")
    spec = job.spec.json_text
    assert len(spec) > 4 * LONGEST_WORD
    assert len(" ".join(job.given)) > 2 * LONGEST_WORD
    assert set(job.inputs) == {"selected", "runtimes", "prepared"}
    write_selected(plan, job.inputs["selected"])
    write_runtimes(plan, job.inputs["runtimes"])
    for name, path in zip(CASES, job.inputs["prepared"], strict=True):
        prepare.save(DATA, Path(path), marks_of(plan.prepare(name, "raw").json_text, STAMP))

    path = job.to_file(job.inputs, job.outputs).write()
    assert len(str(path)) < 100
    assert JobFile.read(path).spec == spec
    assert main([str(path), "--log", job.log]) == 0
    assert all(Path(file).stat().st_size for files in job.outputs.values() for file in files)
    with Path("reports/large/table2.csv").open(newline="") as table:
        rows = {(row["case"], row["method"]) for row in csv.DictReader(table)}
    assert rows == {(case, method) for case in CASES for method in (plan.runs["large"].base_clusterings, *METHODS)}
    assert read_exhibit(Path("results/large/exhibits/table2.json"), job.spec.digest).blocks


def test_every_job_of_a_large_study_has_a_short_command(plan):
    """Of the jobs with many inputs: the others have a few words."""
    for job in (plan.job("collect", run="large", part=""), plan.job("document", run="large")):
        assert len(job.spec.json_text) > 10_000
        written = job.to_file(job.inputs, job.outputs)
        assert len(str(written.path)) < 100
    labels = plan.job("score", run="large", part="", case=CASES[0]).inputs["labels"]
    names = {"study": "large", "case": CASES[0], "block": f"0-{SUBSETS - 1}"}
    assert labels == [LABELS.format(**names, method=method) for method in METHODS]
