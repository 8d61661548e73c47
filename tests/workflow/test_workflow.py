"""Real Snakemake runs of a tiny study."""

import csv
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from concord.config.figures import REPORT_FILES
from conftest import BRIEF, TINY

pytestmark = pytest.mark.workflow


def rows(path):
    with path.open(newline="") as handle:
        return list(csv.DictReader(handle))


def rules(done):
    """Rules that ran, or in a dry run would run, from Snakemake's table of jobs."""
    lines = (done.stdout + done.stderr).splitlines()
    if "Job stats:" not in lines:
        return set()
    table = lines[lines.index("Job stats:") + 3 :]
    return {line.split()[0] for line in table[: table.index("")]} - {"total"}


def messages(done):
    """Messages of the jobs, those of groups indented."""
    lines = (done.stdout + done.stderr).splitlines()
    return {line.split(": ", 1)[1] for line in lines if re.match(r" *Job \d+: ", line)}


def test_a_run_makes_everything_the_readme_names(finished):
    reports = finished.folder / "reports/tiny"
    for name in (
        *("table1.csv", "table1.md", "table2.csv", "table2.md", "claims.csv", "claims.md", "pvalues.csv"),
        *("figure1.svg", "figure1.pdf", "figure1.png", "runtime.csv", "runtime.md", "provenance.json"),
        *("agreement.md", "ranks.csv", "restarts.csv", "grids.csv", "readings.csv", "readings.md"),
        *("figure2.svg", "figure2.pdf", "figure2.png", "SHA256SUMS", "report.pdf"),
        *("starts.csv", "starts.md", "f1_bounds.csv"),
        *("generalisation.csv", "generalisation.md"),
        *("levels.svg", "levels.pdf", "levels.png", "levels.csv"),
    ):
        assert (reports / name).stat().st_size > 0, name
    assert (reports / "report.pdf").read_bytes().startswith(b"%PDF")
    sizes = {
        row["data set"] if "data set" in row else row["case"]: row for row in rows(reports / "table1.csv")
    }
    assert len(sizes) == 2
    tidy = rows(finished.folder / "results/tiny/scores.csv")
    assert {row["method"] for row in tidy} == {"K-means", "SpectralConsensus", "EAC", "RCE"}
    assert {row["case"] for row in tidy} == {"iris", "wine"}
    assert len([r for r in tidy if r["method"] == "RCE"]) == 2 * 3 * 4 * 5 * 2, (
        "cases subsets points metrics restarts"
    )


def test_scores_on_unseen_objects_depend_on_their_own_part_of_the_study(copy_of_finished):
    unseen = rows(copy_of_finished.folder / "reports/tiny/generalisation.csv")
    assert [row["row"] for row in unseen] == ["K-means-NC", "EAC-NC", "SpectralConsensus-NC"]
    assert {(row["case"], row["n"]) for row in unseen} == {("iris", "2")}
    assert all(0.3 < float(row["mean"]) <= 1 for row in unseen)
    scores = "results/tiny/generalisation/iris.parquet"
    copy_of_finished.study({**TINY, "title": "Another title", "claims": []})
    assert rules(copy_of_finished.snakemake("-n", scores)) == set()
    plan = {**TINY["generalisation"], "train_share": 0.5}
    copy_of_finished.study({**TINY, "generalisation": plan})
    assert rules(copy_of_finished.snakemake("-n", scores)) == {"experiment", "generalisation"}


def test_no_figure_may_take_the_name_of_a_file_of_every_report(finished):
    names = {path.name.split(".")[0] for path in (finished.folder / "reports/tiny").iterdir()}
    assert names - {"SHA256SUMS", "levels"} == set(REPORT_FILES)


def test_other_readings_are_run_and_shown_but_not_ranked(finished, project):
    read = rows(finished.folder / "reports/tiny/readings.csv")
    assert {(row["reading"], row["case"], row["method"]) for row in read} == {
        *(("EAC-single", case, "EAC") for case in ("iris", "wine")),
        *(("wine_pp", "wine", method) for method in ("K-means", "EAC")),
    }
    bare = {key: value for key, value in TINY.items() if key != "readings"}
    project.study(bare)
    project.snakemake("tiny")
    with_readings, without = finished.reproducible_files(), project.reproducible_files()
    apart = ("study.json", "SHA256SUMS")
    names = [name for name in without if not name.endswith(apart)]
    assert "reports/tiny/table2.csv" in names
    assert {name: without[name] for name in names} == {name: with_readings[name] for name in names}
    assert not [name for name in without if "reading" in name or "wine_pp" in name]


def test_the_log_tells_how_far_a_job_is(finished):
    (path,) = (finished.folder / "logs/tiny/consensus/iris/RCE").iterdir()
    log = path.read_text()
    assert "RCE on iris: subset 1 (1 of 3), 4 fits" in log
    assert "RCE on iris: subset 3 (3 of 3), 4 fits" in log


def test_a_second_call_does_nothing(copy_of_finished):
    done = copy_of_finished.snakemake("tiny")
    assert "Nothing to be done" in done.stderr + done.stdout


def test_a_jobs_line_can_be_repeated_by_hand(finished, tmp_path):
    out = tmp_path / "labels.npz"
    arguments = ["--study", "tiny", "--case", "iris", "--id", "RCE", "--method", "RCE"]
    arguments += ["--parameters", '{"max_outer": 3, "max_inner": 3, "n_init": 3}']
    arguments += ["--grid", '{"lambda1": [0.01, 1.0], "lambda2": [0.01, 1.0]}', "--subsets", "1-1"]
    arguments += ["--seed", "20150725", "--ensemble", "results/ensembles/tiny/iris.npz"]
    subprocess.run(
        [sys.executable, "-m", "concord", "consensus", *arguments, "--out", out],
        cwd=finished.folder,
        env=finished.env,
        check=True,
        capture_output=True,
    )
    alone = np.load(out)
    (path,) = (finished.folder / "results/tiny/consensus/iris/RCE").glob("*.npz")
    together = np.load(path)
    assert np.array_equal(alone["labels"][0], together["labels"][1])
    assert alone["subsets"].tolist() == [1]


def test_no_result_depends_on_blocks_cores_or_other_methods(finished, project):
    everything = finished.reproducible_files()
    scores = "results/tiny/scores.csv"
    figures = ["reports/tiny/figure1.svg", "reports/tiny/figure2.png"]
    settings = ["--config", "subsets_per_job=2", "methods=RCE,EAC"]
    project.snakemake(scores, *figures, "--cores", "1", *settings)
    wanted = [r for r in rows(finished.folder / scores) if r["method"] != "SpectralConsensus"]
    assert rows(project.folder / scores) == wanted
    here = project.reproducible_files()
    for name in ("results/ensembles/tiny/iris.npz", *figures):
        assert here[name] == everything[name], name


def test_only_a_method_that_needs_features_waits_for_them(brief):
    ssce = {"method": "SSCE", "parameters": {"solver": "profile"}}
    pseudo = {**ssce, "id": "SSCE-P", "grid": {"features": ["pseudo"]}, "default": {"features": "pseudo"}}
    brief.study({**BRIEF, "methods": ["EAC", ssce, pseudo], "claims": []})
    folder = f"results/{BRIEF['id']}/consensus/iris"
    plan = brief.snakemake(
        "-n", "-p", *(f"{folder}/{method}/0-2.npz" for method in ("EAC", "SSCE", "SSCE-P"))
    )
    lines = [
        line for line in plan.stdout.splitlines() if "python -m concord" in line and " consensus " in line
    ]
    given = {line.split("--id ")[1].split()[0]: "--data data/prepared/iris/" in line for line in lines}
    assert given == {"EAC": False, "SSCE": True, "SSCE-P": False}


def test_another_seed_gives_other_clusterings(finished, project):
    project.snakemake("results/ensembles/tiny/iris.npz", "--config", "seed=1")
    name = "results/ensembles/tiny/iris.npz"
    assert project.reproducible_files()[name] != finished.reproducible_files()[name]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"methods/rce.py": lambda s: s + "\n# edited\n"},
            {"consensus", "score", "collect", "tables", "readings", "figures", "pdf"},
        ),
        ({"reports/figures.py": lambda s: s + "\nX = 1\n"}, {"figures", "further_figures", "pdf"}),
        ({"reports/figure_levels.py": lambda s: s + "\nX = 1\n"}, {"further_figures", "pdf"}),
        (
            {
                "methods/base.py": lambda s: s + "\n# only a comment\n",
                "scores/metrics.py": lambda s: "# only a comment\n" + s,
                "datasets/readers/__init__.py": lambda s: s.replace('"""', '"""Other words. ', 1),
            },
            set(),
        ),
    ],
    ids=["rce", "figures", "further", "words"],
)
def test_an_edit_runs_what_depends_on_it_and_nothing_else(copy_of_finished, changes, expected):
    for file, change in changes.items():
        path = copy_of_finished.folder / "src/concord" / file
        path.write_text(change(path.read_text()))
    plan = copy_of_finished.snakemake("-n", "tiny")
    assert rules(plan) - {"tiny"} == expected
    consensus = {f"tiny: RCE on {case}, subsets 0-2" for case in ("iris", "wine")}
    assert {m for m in messages(plan) if "subsets" in m} == (consensus if "consensus" in expected else set())


def test_a_new_method_is_one_new_file(copy_of_finished):
    (copy_of_finished.folder / "src/concord/methods/firstclustering.py").write_text(NEW_METHOD)
    path = copy_of_finished.folder / "config/studies/tiny.yaml"
    path.write_text(path.read_text().replace("- EAC", "- EAC\n- FirstClustering", 1))
    done = copy_of_finished.snakemake("tiny")
    assert {m for m in messages(done) if "subsets" in m} == {
        f"tiny: FirstClustering on {case}, subsets 0-2" for case in ("iris", "wine")
    }
    assert "FirstClustering" in (copy_of_finished.folder / "reports/tiny/table2.md").read_text()


NEW_METHOD = '''"""The first base clustering."""

import numpy as np

from concord.ensemble import Ensemble
from concord.methods.base import ConsensusMethod


class FirstClustering(ConsensusMethod):
    """Take the first base clustering; ``n_clusters`` is only checked."""

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        self._set_labels(ensemble.profiles[:, 0][None], np.zeros(1), ensemble.membership)
'''


def test_the_report_of_snakemake_has_captions_and_categories(copy_of_finished, tmp_path):
    copy_of_finished.snakemake("tiny", "--report", str(tmp_path / "report.html"))
    html = (tmp_path / "report.html").read_text()
    for word in ("figure1.svg", "table2.md", "report.pdf", "Figures", "Tables", "tiny"):
        assert word in html


def test_provenance_names_versions_and_seed_but_no_person_or_path(finished):
    record = json.loads((finished.folder / "reports/tiny/provenance.json").read_text())
    text = json.dumps(record)
    assert record["seed"] == 20150725
    assert str(finished.folder) not in text
    assert "numpy" in text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--config", "sed=3"], 'config/config.yaml: sed = 3: unknown key; did you mean "seed"?'),
        (
            ["--config", "methods=RCF"],
            "config/config.yaml: methods = 'RCF': in no study; did you mean \"RCE\"?",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line_before_any_job(project, arguments, expected):
    done = project.snakemake("tiny", *arguments, check=False)
    assert done.returncode == 1
    assert expected in done.stderr.splitlines()
    assert "Traceback" not in done.stderr
    assert not (project.folder / "results").exists()
