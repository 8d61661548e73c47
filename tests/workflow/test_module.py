"""The workflow from outside: as a module of another one, and to a linter that has Snakemake and nothing else."""

import re
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
    brief.run()
    assert (brief.folder / "reports/tiny/report.pdf").read_bytes().startswith(b"%PDF")
    brief.study({**BRIEF, "id": "another"})
    _, said = brief.ask("-n", "--config", "default_study=another")
    assert "another: the report" in said
    assert "tiny: the report" not in said
    code, said = brief.ask("-n", "--config", "default_study=tyni")
    assert code
    assert said.strip().splitlines()[-1].startswith("--config: default_study = 'tyni': ")


def test_the_rules_alone_have_the_same_default_target(brief):
    planned = [brief.ask("-n", *where) for where in ([], ["--snakefile", "workflow/Snakefile"])]
    jobs = [set(re.findall(r"^ *Job \d+: (.*)$", said, re.MULTILINE)) for _, said in planned]
    assert jobs[0] == jobs[1]
    assert "tiny: the report" in jobs[0]
