"""The workflow from outside: as a module of another one, and to a linter that has Snakemake and nothing else."""

import shutil

import pytest

from conftest import BRIEF, ROOT, Project

pytestmark = pytest.mark.workflow

ANOTHER = """
configfile: "config/config.yaml"

module consclust:
    snakefile: "{project}/workflow/Snakefile"
    config: config

use rule * from consclust

rule size:
    input: "reports/tiny/report.pdf"
    output: "{{matrix}}.size"
    shell: "wc -c < {{input}} > {{output:q}}"
"""
NO_PACKAGE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "consclust":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


def test_another_workflow_uses_it_as_a_module(brief, tmp_path):
    other = Project(tmp_path / "other")
    for part in ("config", "studies"):
        shutil.copytree(brief.folder / part, other.folder / part)
    (other.folder / "workflow").mkdir()
    (other.folder / "workflow/Snakefile").write_text(ANOTHER.format(project=brief.folder))
    other.env.pop("PYTHONPATH")  # the clone brings its own source
    other.snakemake("all of it.size")  # a wildcard of its own, which no constraint of the module touches
    assert int((other.folder / "all of it.size").read_text()) > 10_000
    assert not (brief.folder / "results").exists()


def test_the_linter_needs_no_package_and_a_run_says_that_it_does(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(NO_PACKAGE)
    here = Project(ROOT)
    here.env["PYTHONPATH"] = str(tmp_path)
    assert here.snakemake("--lint", check=False).returncode == 0
    done = here.snakemake("-n", check=False)
    assert done.returncode
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_target_the_default_study_is_made(brief):
    done = brief.snakemake("--until", "base_clusterings")
    assert (brief.folder / "results/ensembles/tiny/iris.npz").is_file()
    assert "base_clusterings" in done.stdout + done.stderr
    brief.study({**BRIEF, "id": "another"})
    planned = brief.snakemake("-n", "--config", "default_study=another")
    said = planned.stdout + planned.stderr
    assert "another: the report" in said
    assert "tiny: the report" not in said
    wrong = brief.snakemake("-n", "--config", "default_study=tyni", check=False)
    assert wrong.returncode
    assert wrong.stderr.strip().splitlines()[-1].startswith("--config: default_study = 'tyni': ")


def test_the_rules_alone_have_the_same_default_target(brief):
    above, below = (brief.snakemake("-n", *where) for where in ([], ["--snakefile", "workflow/Snakefile"]))
    made = [[line for line in (done.stdout + done.stderr).splitlines() if "Job " in line] for done in (above, below)]
    named = [{line.split(": ", 1)[1] for line in lines} for lines in made]
    assert named[0] == named[1]
    assert "tiny: the report" in named[0]
