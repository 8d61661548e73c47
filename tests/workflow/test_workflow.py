"""Real Snakemake runs of a tiny study."""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
from kills import disturbed
from pyarrow import table
from pyarrow.parquet import read_table, write_table
from snakemake.scheduling.job_scheduler import JobScheduler

from conftest import BRIEF, TINY
from consclust.methods import SpectralConsensus
from consclust.stream import StreamedEnsemble
from report_contents import Page, Pdf

pytestmark = pytest.mark.workflow


def rows(path):
    with path.open(newline="") as handle:
        return list(csv.DictReader(handle))


def rules(done):
    """Rules that ran, or in a dry run would run, from Snakemake's table of jobs."""
    lines = (done.stdout + done.stderr).splitlines()
    if "Job stats:" not in lines:
        return set()
    counts = lines[lines.index("Job stats:") + 3 :]
    return {line.split()[0] for line in counts[: counts.index("")]} - {"total"}


def messages(done):
    """Messages of the jobs, those of groups indented."""
    lines = (done.stdout + done.stderr).splitlines()
    return {line.split(": ", 1)[1] for line in lines if re.match(r" *Job \d+: ", line)}


FIGURE = ("csv", "tex", "svg", "pdf", "png")


def test_a_run_makes_everything_the_readme_names(finished):
    reports = finished.folder / "reports/tiny"
    tables = ("table1", "table2", "claims", "variants", "grids", "restarts", "generalisation", "starts", "remarks")
    names = [f"{name}.{suffix}" for name in (*tables, "pvalues", "runtime") for suffix in ("csv", "tex", "md", "html")]
    names += [f"{name}.{suffix}" for name in ("figure1", "levels") for suffix in FIGURE]
    names += ["report.pdf", "report.html", "provenance.json", "SHA256SUMS"]
    assert {path.name for path in reports.iterdir()} == set(names)
    assert all((reports / name).stat().st_size > 0 for name in names)
    assert {row["case"] for row in rows(reports / "table1.csv")} == {"iris", "wine"}
    tidy = rows(finished.folder / "results/tiny/scores.csv")
    assert {row["method"] for row in tidy} == {"K-means", "SpectralConsensus", "EAC", "RCE"}
    assert {row["case"] for row in tidy} == {"iris", "wine"}
    assert len([r for r in tidy if r["method"] == "RCE"]) == 2 * 3 * 4 * 5 * 2, "cases subsets points metrics restarts"


TITLES = ("Scores", "RCE", "Levels of co-association", "Claims", "Unseen objects", "Scores over the grids", "Runtime")


def test_the_report_has_the_headings_tables_and_pictures_of_its_exhibits(finished):
    reports = finished.folder / "reports/tiny"
    page = Page((reports / "report.html").read_text())
    pdf = Pdf(reports / "report.pdf")
    assert {*TITLES} <= {*pdf.headings()}
    title, *headings = page.headings
    assert {title, *(re.sub(r"^[0-9A-Z] ", "", heading) for heading in headings)} == {*pdf.headings()}
    assert page.n_pictures == pdf.count_figures() == 2
    for name in ("table1", "table2", "claims", "grids", "generalisation", "variants", "restarts", "starts", "pvalues"):
        shown = Page((reports / f"{name}.html").read_text()).rows
        assert len(shown) > 1, name
        assert [row for row in shown if row not in page.rows] == [], name
    text = " ".join(pdf.pages())
    # a table without notes and bold words, which are pieces of their own; long lists are on the page alone
    claims = map("".join, Page((reports / "claims.html").read_text()).rows)
    # what stands below in a cell is in a line of its own
    assert [row for row in claims if row.replace(" ", "") not in text.replace(" ", "")] == []
    for row in rows(reports / "table2.csv"):
        if row["selection"] in ("fixed", "oracle-per-subset"):
            mean, std = (f"{float(row[name]):.3f}".removeprefix("0") for name in ("mean", "std"))
            assert f"{mean} ± {std}" in text, row


def test_checksums_hold(finished):
    listed = (finished.folder / "reports/tiny/SHA256SUMS").read_text().splitlines()
    assert len(listed) > 30
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=finished.folder / "reports/tiny", check=True)


def test_jobs_in_this_process_give_the_bytes_of_jobs_of_their_own(finished, project):
    project.run("tiny")
    here, there = project.reproducible_files(), finished.reproducible_files()
    assert here.keys() == there.keys()
    assert [name for name in there if here[name] != there[name]] == []


def test_scores_on_unseen_objects_depend_on_their_own_part_of_the_study(copy_of_finished):
    unseen = rows(copy_of_finished.folder / "reports/tiny/generalisation.csv")
    assert [row["row"] for row in unseen] == ["K-means-NC", "EAC-NC", "SpectralConsensus-NC"]
    assert {(row["case"], row["n"]) for row in unseen} == {("iris", "2")}
    assert all(0.3 < float(row["mean"]) <= 1 for row in unseen)
    scores = "results/tiny/unseen/iris.parquet"
    copy_of_finished.study({**TINY, "title": "Another title", "claims": []})
    assert copy_of_finished.run(scores) == []
    plan = {**TINY["generalisation"], "train_share": 0.5}
    copy_of_finished.study({**TINY, "generalisation": plan})
    assert [job.kind for job in copy_of_finished.jobs(scores)] == ["unseen"]


def test_variants_are_run_and_shown_but_not_ranked(finished, project):
    read = rows(finished.folder / "reports/tiny/variants.csv")
    assert {(row["variant"], row["case"], row["method"]) for row in read} == {
        *(("EAC-single", case, "EAC") for case in ("iris", "wine")),
        *(("wine_pp", "wine", method) for method in ("K-means", "EAC")),
    }
    project.study({key: value for key, value in TINY.items() if key != "variants"})
    project.run("tiny")
    with_variants, without = finished.reproducible_files(), project.reproducible_files()
    apart = ("study.json", "SHA256SUMS", "exhibits/claims.json", "exhibits/remarks.json")
    names = [name for name in without if name.startswith("reports/") and not name.endswith(apart)]
    assert "reports/tiny/table2.csv" in names
    assert [name for name in names if without[name] != with_variants[name]] == []
    assert not [name for name in without if "variants" in name or "wine_pp" in name]


def test_the_log_of_a_job_says_what_it_did(finished):
    (path,) = (finished.folder / "logs/tiny/consensus/iris/RCE").iterdir()
    (line,) = path.read_text().splitlines()
    assert line.startswith("tiny: RCE on iris, subsets 0-2: 12 fits in ")


def test_a_second_call_does_nothing(copy_of_finished):
    assert "Nothing to be done" in copy_of_finished.ask("tiny")[1]


def test_a_copy_without_snakemakes_record_is_taken_over_by_touch(copy_of_finished):
    """Its files are new in any order, as after a download."""
    shutil.rmtree(copy_of_finished.folder / ".snakemake")
    for file in sorted(copy_of_finished.folder.rglob("*"), reverse=True):
        if file.is_file():
            os.utime(file)
    assert "consensus " in copy_of_finished.ask("-n", "tiny")[1]
    copy_of_finished.run("--touch", "tiny")
    assert "Nothing to be done" in copy_of_finished.ask("-n", "tiny")[1]
    assert "base_clusterings " in copy_of_finished.ask("-n", "tiny", "--config", "seed=9")[1]


def test_a_jobs_line_can_be_repeated_by_hand(copy_of_finished):
    labels = copy_of_finished.folder / "results/tiny/consensus/iris/RCE/0-2.npz"
    before = labels.read_bytes()
    labels.unlink()
    (line,) = (line for line in copy_of_finished.run(str(labels.relative_to(copy_of_finished.folder))))
    labels.unlink()
    subprocess.run(
        ["bash", "-c", line], cwd=copy_of_finished.folder, env=copy_of_finished.env, check=True, capture_output=True
    )
    assert labels.read_bytes() == before


def test_no_result_depends_on_blocks_cores_or_other_methods(finished, project):
    everything = finished.reproducible_files()
    settings = ["--config", "subsets_per_job=2", "methods=RCE,EAC"]
    project.run("tiny", "--cores", "1", *settings)
    run = "tiny.methods-EAC+RCE"
    wanted = [r for r in rows(finished.folder / "results/tiny/scores.csv") if r["method"] != "SpectralConsensus"]
    assert rows(project.folder / f"results/{run}/scores.csv") == wanted
    here = project.reproducible_files()
    assert here["results/ensembles/tiny/iris.npz"] == everything["results/ensembles/tiny/iris.npz"]
    for suffix in ("svg", "png", "csv"):
        assert here[f"reports/{run}/figure1.{suffix}"] == everything[f"reports/tiny/figure1.{suffix}"]


def test_a_restricted_run_leaves_the_whole_one_alone_and_says_what_it_is(copy_of_finished, finished):
    copy_of_finished.run("tiny", "--config", "datasets=iris", "subsets=2")
    run = "tiny.datasets-iris.subsets-2"
    here, before = copy_of_finished.reproducible_files(), finished.reproducible_files()
    assert [name for name in before if here[name] != before[name]] == []
    page = (copy_of_finished.folder / f"reports/{run}/report.html").read_text()
    assert "Restricted run" in page
    assert "without variants" in page
    assert not (copy_of_finished.folder / f"results/{run}/variants").exists()
    assert "Restricted run" not in (finished.folder / "reports/tiny/report.html").read_text()
    assert {row["case"] for row in rows(copy_of_finished.folder / f"reports/{run}/table2.csv")} == {"iris"}
    assert copy_of_finished.run("tiny") == [], "the whole study is as it was"
    status = [sys.executable, "-m", "consclust_studies.plan.status"]
    here = {"cwd": copy_of_finished.folder, "env": copy_of_finished.env}
    shown = subprocess.run(status, **here, capture_output=True, text=True, check=True).stdout
    counts = {line.split()[0]: line.split()[1:5] for line in shown.splitlines()[1:]}
    assert {name: [*map(int, found[1:])] for name, found in counts.items()} == {"tiny": [0, 0, 0], run: [0, 0, 0]}


def test_numbers_of_subsets_can_follow_each_other(copy_of_finished):
    for settings in (["subsets=2"], ["subsets=3", "subsets_per_job=1"], ["subsets=1"]):
        copy_of_finished.run("tiny", "--config", *settings)


def test_only_a_method_that_needs_features_waits_for_them(brief):
    ssce = {"method": "SSCE", "parameters": {"solver": "profile"}}
    pseudo = {**ssce, "id": "SSCE-P", "grid": {"features": ["pseudo"]}, "default": {"features": "pseudo"}}
    brief.study({**BRIEF, "methods": ["EAC", ssce, pseudo], "claims": []})
    folder = f"results/{BRIEF['id']}/consensus/iris"
    files = [f"{folder}/{method}/0-2.npz" for method in ("EAC", "SSCE", "SSCE-P")]
    fits = [job for job in brief.jobs(*files) if job.kind == "consensus"]
    given = {json.loads(job.spec)["method_id"]: job.inputs.get("prepared") for job in fits}
    assert given == {"EAC": None, "SSCE": ("data/prepared/iris/raw.npz",), "SSCE-P": None}


def test_another_seed_gives_other_clusterings(finished, project):
    project.run("results/ensembles/tiny/iris.npz", "--config", "seed=1")
    name = "results/ensembles/tiny/iris.npz"
    assert project.reproducible_files()[name] != finished.reproducible_files()[name]


@pytest.mark.parametrize(("options", "limited"), [([], False), (["--max-jobs-per-timespan", "90/1s"], True)])
def test_jobs_are_not_looked_for_every_second_unless_their_rate_is_limited(brief, options, limited):
    with mock.patch.object(JobScheduler, "_schedule_reevalutation") as look_again:
        brief.run("tiny", *options)
    assert look_again.called == limited


BUILD = "def build(self, source: Source) -> Shown:\n"


def in_build(source):
    """Another statement in what builds an exhibit."""
    return source.replace(BUILD, f"{BUILD}        source = [source][0]\n")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"src/consclust/methods/rce.py": lambda s: s.replace("float(self.lambda1)", "float(self.lambda1 + 0)")},
            {"consensus", "score", "collect", "tables_tiny", "figure", "document"},
        ),
        ({"studies/ec_cms/exhibits/levels.py": in_build}, {"figure", "document"}),
        ({"src/consclust_studies/exhibits/heatmap.py": in_build}, {"figure", "document"}),
        (
            {
                "src/consclust/methods/base.py": lambda s: s + "\n# only a comment\n",
                "src/consclust/scores.py": lambda s: "# only a comment\n" + s,
                "src/consclust/readers/__init__.py": lambda s: s.replace('"""', '"""Other words. ', 1),
            },
            set(),
        ),
    ],
    ids=["rce", "levels", "heatmap", "words"],
)
def test_an_edit_runs_what_depends_on_it_and_nothing_else(copy_of_finished, changes, expected):
    for file, change in changes.items():
        path = copy_of_finished.folder / file
        before = path.read_text()
        path.write_text(change(before))
        assert path.read_text() != before
    plan = copy_of_finished.snakemake("-n", "tiny")
    assert rules(plan) - {"tiny"} == expected
    consensus = {f"tiny: RCE on {case}, subsets 0-2" for case in ("iris", "wine")}
    assert {m for m in messages(plan) if "subsets" in m} == (consensus if "consensus" in expected else set())


def test_a_new_method_is_one_new_file(copy_of_finished):
    (copy_of_finished.folder / "src/consclust/methods/firstclustering.py").write_text(NEW_METHOD)
    path = copy_of_finished.folder / "studies/tiny/study.yaml"
    path.write_text(path.read_text().replace("- EAC", "- EAC\n- FirstClustering", 1))
    plan = copy_of_finished.snakemake("-n", "tiny")
    assert {m for m in messages(plan) if "subsets" in m} == {
        f"tiny: FirstClustering on {case}, subsets 0-2" for case in ("iris", "wine")
    }


NEW_METHOD = '''"""The first base clustering."""

import numpy as np

from consclust.ensemble import Ensemble
from consclust.methods.base import ConsensusMethod


class FirstClustering(ConsensusMethod):
    """Take the first base clustering; ``n_clusters`` is only checked."""

    summary = "A method of the tests."

    def __init__(self, n_clusters: int) -> None:
        self.n_clusters = n_clusters

    def _fit(self, ensemble: Ensemble) -> None:
        self._set_labels(ensemble.profiles[:, 0][None], np.zeros(1), ensemble.membership)
'''


def test_the_report_of_snakemake_has_captions_and_categories(copy_of_finished, tmp_path):
    copy_of_finished.snakemake("tiny", "--report", str(tmp_path / "report.html"))
    html = (tmp_path / "report.html").read_text()
    for word in ("figure1.svg", "table2.html", "report.pdf", "tiny"):
        assert word in html


def test_provenance_names_versions_and_seed_but_no_person_or_path(finished):
    record = json.loads((finished.folder / "reports/tiny/provenance.json").read_text())
    text = json.dumps(record)
    assert record["seed"] == 20150725
    assert str(finished.folder) not in text
    assert "numpy" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--config", "sed=3"], ["--config", "sed = 3", '"seed"']),
        (["--config", "methods=RCF"], ["--config", "methods", "RCF", '"RCE"']),
        (["--config", "variants=some"], ["--config", "variants", "some"]),
        (["--config", "datasets=glass"], ["--config", "datasets", "glass", "iris"]),
        (["--config", "datasets=iris", "datasets=wine"], ["--config", "only the last one", "datasets=iris,wine"]),
    ],
)
def test_a_mistake_is_one_line_before_any_job(project, arguments, words):
    code, said = project.ask("tiny", *arguments)
    assert code == 1
    assert [line for line in said.splitlines() if all(word in line for word in words)]
    assert "Traceback" not in said
    assert not (project.folder / "results").exists()


@pytest.mark.parametrize(("target", "words"), [("tinny", ['"tiny"', "other"]), ("nosuch", ["other", "tiny"])])
def test_a_target_that_is_no_study_is_answered_with_the_studies(project, target, words):
    project.study({**BRIEF, "id": "other"})
    code, said = project.ask("-n", target)
    assert code == 1
    assert said.splitlines()[-1].startswith(f"{target}: ")
    assert all(word in said.splitlines()[-1] for word in words)
    assert "Exception" not in said


def test_a_file_and_a_study_are_targets(project):
    for target in ("results/ensembles/tiny/iris.npz", "tiny"):
        code, said = project.ask("-n", target)
        assert code == 0
        assert "no such" not in said


def test_a_study_without_what_the_run_is_restricted_to_says_so(project):
    project.study({**BRIEF, "id": "other", "methods": ["KC"], "claims": []})
    code, said = project.ask("tiny", "--config", "methods=KC,RCE")
    assert code == 1
    assert [line for line in said.splitlines() if all(word in line for word in ("methods", "KC", "tiny"))]
    assert "Traceback" not in said


def test_pieces_that_are_read_in_passes_survive_kills(project):
    folder = project.folder / "data/labels/mine"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    labels = (np.arange(400) // 100)[:, None] + 4 * rng.integers(2, size=(400, 5))
    pieces = [folder / f"{name}.parquet" for name in "abcd"]
    for path, part in zip(pieces, np.split(labels, [150, 151, 300]), strict=True):
        write_table(table({f"run{i}": column for i, column in enumerate(part.T)}), path)
    target = "results/labels/mine/SpectralConsensus-4.csv"
    random_ = random.Random(0)
    for _ in range(3):
        disturbed(project, target, random_, longest=15)
    project.run(target)
    made = [project.folder / target.replace(".csv", f"/{path.name}") for path in pieces]
    found = np.concatenate([read_table(path)["label"].to_numpy() for path in made])
    stream = StreamedEnsemble.from_parquet(pieces, most_in_memory=0)
    wanted = SpectralConsensus(4, random_state=20150725).fit(stream).labels_
    assert found.tobytes() == wanted.tobytes()
    sizes = "".join(f"{cluster},100\n" for cluster in range(4))
    assert (project.folder / target).read_text() == f"cluster,objects\n{sizes}"


@pytest.mark.parametrize("method", ["EAC", "HBGF"])
def test_a_label_matrix_in_pieces(project, method):
    """EAC joins the profiles of the pieces; HBGF reads the pieces in passes."""
    target, folder = f"results/labels/mine/{method}-2.csv", project.folder / "data/labels/mine"
    folder.mkdir(parents=True)
    labels = np.add.outer(np.arange(30) // 15, np.zeros(3, dtype=np.int64))
    for piece, rows in (("a", slice(0, 20)), ("b", slice(20, 30))):
        write_table(table({f"run{i}": column[rows] for i, column in enumerate(labels.T)}), folder / f"{piece}.parquet")
    project.run(target)
    assert (project.folder / target).read_text() == "cluster,objects\n0,15\n1,15\n"
    found = read_table(project.folder / f"results/labels/mine/{method}-2/b.parquet")["label"]
    assert found.to_pylist() == [1] * 10
    assert project.run(target) == []
    write_table(table({f"run{i}": [7] * 5 for i in range(3)}), folder / "c.parquet")
    assert "c.npz" in " ".join(job.model_dump_json() for job in project.jobs(target.replace("-2", "-3")))
    assert (project.folder / target.replace("-2", "-3")).read_text().endswith("2,5\n")
    for wrong in (target.replace(method, "EACH"), target.replace("mine", "yours")):
        code, said = project.ask("-n", wrong)
        assert code == 1
        assert "Traceback" not in said
