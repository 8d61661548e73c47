"""The documents' own code blocks, in their order, in a project of their own.

A block in ``sh`` is run. One in ``python`` or ``yaml`` goes where its first line says: ``# <file>`` makes the
file, ``# <file>, under <key>:`` adds the lines after that key, ``# <file>, at the end`` adds them at its end.
A block without a language is only to be read.
"""

import csv
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import inprocess
import numpy as np
import pytest
import yaml

from conftest import PATIENCE
from consclust.ensemble import Ensemble
from consclust.files import sha256

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.workflow


class Block(NamedTuple):
    language: str
    text: str


def blocks(name, heading="# "):
    """Code blocks of the document, or of its part that begins with ``heading``."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert f"\n{heading}" in "\n" + text
    text = text[text.index(heading) :]
    return [Block(*found) for found in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def follow(project, blocks, home):
    """Do what a document says; return what its commands print.

    The jobs of a run are done in the process of its Snakemake; ``test_workflow`` has runs with processes for jobs.
    """
    inprocess.write_command(home)
    printed = []
    for block in blocks:
        if block.language == "sh":
            printed.append(run(project, block.text, home))
        elif block.language:
            place(project.folder, block.text)
    return "".join(printed)


def run(project, script, home):
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=project.folder,
        env={**project.env, "HOME": str(home), "PATH": f"{home}{os.pathsep}{project.env['PATH']}"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def place(folder, text):
    where, content = text.split("\n", 1)
    file, key = re.fullmatch(r"# ([\w./-]+)(?:, (?:under (\w+:)|at the end))?", where).groups()
    path = folder / file
    if where.endswith("at the end"):
        path.write_text(path.read_text(encoding="utf-8") + "\n" + content, encoding="utf-8")
        return
    if key is None:
        assert not path.exists(), f"{file} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    before = path.read_text(encoding="utf-8")
    assert f"\n{key}\n" in before, f"{file} has no {key}"
    path.write_text(before.replace(f"\n{key}\n", f"\n{key}\n{content}", 1), encoding="utf-8")


def rows(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("name", ["add-a-method.md", "add-a-dataset.md", "add-an-exhibit.md"])
def test_every_block_is_of_a_kind_that_is_executed(name):
    assert {block.language for block in blocks(name)} <= {"", "sh", "python", "yaml"}
    assert "sh" in {block.language for block in blocks(name)}
    fences = (ROOT / "docs" / name).read_text(encoding="utf-8").count("```")
    assert fences == 2 * len(blocks(name))


@pytest.fixture
def checkout(project):
    """A project with the study quickstart and the tests."""
    shutil.copytree(ROOT / "studies/quickstart", project.folder / "studies/quickstart")
    shutil.copytree(ROOT / "tests", project.folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", project.folder)
    return project


def test_add_a_method(checkout, tmp_path):
    project = checkout
    printed = follow(project, blocks("add-a-method.md"), tmp_path)
    tests = re.search(r"(\d+) passed", printed)
    assert tests, printed
    assert int(tests[1]) > 15, "the contract tests ran over the new method"

    reports = project.folder / "reports/quickstart.datasets-iris+wine.methods-EAC+PowerSpectral"
    assert (reports / "table2.md").read_text(encoding="utf-8") in printed
    assert "PowerSpectral" in (reports / "table2.md").read_text(encoding="utf-8")
    table = [row for row in rows(reports / "table2.csv") if row["method"] == "PowerSpectral"]
    assert {row["case"] for row in table} == {"iris", "wine"}
    assert {row["selection"] for row in table} == {"oracle-common", "oracle-per-subset", "default"}
    assert all(0 < float(row["mean"]) <= 1 for row in table)


def test_add_an_exhibit(checkout, tmp_path):
    printed = follow(checkout, blocks("add-an-exhibit.md"), tmp_path)
    assert "1 passed" in printed
    reports = checkout.folder / "reports/quickstart.datasets-iris+wine.methods-EAC+KC"
    assert (reports / "wins.md").read_text(encoding="utf-8") in printed
    assert "Best methods" in (reports / "report.html").read_text(encoding="utf-8")
    assert '"wins"' in (checkout.folder / "workflow/schemas/study.schema.json").read_text(encoding="utf-8")
    shares = {(row["case"], row["method"]): float(row["share"]) for row in rows(reports / "wins.csv")}
    assert {case for case, _ in shares} == {"iris", "wine"}
    assert {method for _, method in shares} == {"K-means", "KC", "EAC"}
    assert all(sum(share for (one, _), share in shares.items() if one == case) >= 1 for case in ("iris", "wine"))


def test_what_the_document_says_of_an_ensemble_is_there():
    text = (ROOT / "docs/add-a-method.md").read_text(encoding="utf-8")
    names = set(re.findall(r"ensemble\.(\w+)", text))
    ensemble = Ensemble([[0, 1], [1, 1], [1, 1]])
    assert len(names) >= 6
    assert all(hasattr(ensemble, name) for name in names)


def flowers(path):
    """Sixty objects in three classes, four features."""
    rng = np.random.default_rng(0)
    kinds = np.repeat(["rose", "tulip", "violet"], 20)
    means = dict(zip(["rose", "tulip", "violet"], rng.normal(0, 2, (3, 4)), strict=True))
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["height", "petals", "leaves", "scent", "kind"])
        for kind in kinds:
            writer.writerow([*np.round(rng.normal(means[kind]), 3), kind])


READY_MADE = "# Ready-made base clusterings"
WITHOUT_CLASSES = "# Without classes"


def test_add_a_dataset(project, tmp_path):
    flowers(tmp_path / "flowers.csv")
    before = len(blocks("add-a-dataset.md")) - len(blocks("add-a-dataset.md", READY_MADE))
    printed = follow(project, blocks("add-a-dataset.md")[:before], tmp_path)
    assert re.search(r"^flowers +Flowers +- +- +- +table +zscore", printed, re.MULTILINE)

    reports = project.folder / "reports/flowers"
    (sizes,) = rows(reports / "table1.csv")
    assert [sizes[key] for key in ("objects", "features", "classes")] == ["60", "4", "3"]
    entry = next(block.text for block in blocks("add-a-dataset.md") if "studies/flowers" in block.text)
    methods = {m if isinstance(m, str) else m["method"] for m in yaml.safe_load(entry)["methods"]}
    assert {row["method"] for row in rows(reports / "table2.csv")} == {"K-means", *methods}
    for name in ("report.pdf", "table2.md", "figure1.svg", "claims.md", "runtime.csv", "report.html"):
        assert (reports / name).stat().st_size > 0, name
        assert name in printed, "ls shows it"
    assert "flowers.csv" in (project.folder / "config/datasets.yaml").read_text()


def pool(path):
    """Forty clusterings of sixty objects, each right for three objects of four; one label is missing."""
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1, 2], 20)
    wrong = rng.random((60, 40)) < 0.25
    labels = np.where(wrong, rng.integers(0, 4, (60, 40)), kinds[:, None]).astype(str)
    labels[7, 3] = ""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*(f"run{j}" for j in range(40)), "kind"])
        writer.writerows([*row, "abc"[kind]] for row, kind in zip(labels, kinds, strict=True))


def test_add_ready_made_base_clusterings(project, tmp_path):
    pool(tmp_path / "pool.csv")
    after = len(blocks("add-a-dataset.md", WITHOUT_CLASSES))
    printed = follow(project, blocks("add-a-dataset.md", READY_MADE)[:-after], tmp_path)
    reports = project.folder / "reports/pool"
    assert (reports / "report.pdf").read_bytes().startswith(b"%PDF")
    assert (reports / "table2.md").read_text(encoding="utf-8") in printed

    sizes = {row["case"]: row for row in rows(reports / "table1.csv")}
    assert [sizes["pool"][key] for key in ("objects", "features", "classes")] == ["60", "0", "3"]
    assert sizes["pool"]["base_clusterings"] == "ready-made: mine"
    stored = np.load(project.folder / "results/ensembles/pool/pool.npz")
    assert stored["labels"].shape == (60, 40)
    assert np.argwhere(stored["labels"] == -1).tolist() == [[7, 3]]

    table = {(row["case"], row["metric"], row["method"]): float(row["mean"]) for row in rows(reports / "table2.csv")}
    for method in ("KC", "SpectralConsensus", "EAC", "RCE"):
        assert table["pool", "ACC", method] > 0.9 > table["pool", "ACC", "Base clusterings"]
    of_iris = {
        case: {key[1:]: v for key, v in table.items() if key[0] == case} for case in ("from_numpy", "from_matlab")
    }
    names = ["results/ensembles/pool/from_numpy.npz", "results/ensembles/pool/from_matlab.npz"]
    first, second = (np.load(project.folder / name) for name in names)
    assert np.array_equal(first["labels"], second["labels"])
    assert np.array_equal(first["classes"], second["classes"])
    for metric in ("ACC", "NMI"):
        for method in ("Base clusterings", "EAC"):  # without random starts
            assert of_iris["from_numpy"][metric, method] == of_iris["from_matlab"][metric, method]
    data = json.loads((reports / "provenance.json").read_text())["data"]
    assert data["pool"] == {"pool.csv": sha256(project.folder / "data/raw/pool/pool.csv")}


def test_add_a_dataset_without_classes(project, tmp_path):
    pool(tmp_path / "pool.csv")
    lines = [line.rsplit(",", 1)[0] for line in (tmp_path / "pool.csv").read_text().splitlines()]
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n")
    printed = follow(project, blocks("add-a-dataset.md", WITHOUT_CLASSES), tmp_path)
    reports = project.folder / "reports/survey"
    assert (reports / "report.pdf").read_bytes().startswith(b"%PDF")
    assert (reports / "methods.md").read_text(encoding="utf-8") in printed

    text = (ROOT / "docs/add-a-dataset.md").read_text(encoding="utf-8")
    ids = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", text[text.index(WITHOUT_CLASSES) :], re.MULTILINE))
    )
    assert len(ids) == 11
    assert all((reports / f"{name}.csv").is_file() for name in ids)

    labels = rows(reports / "consensus.csv")
    assert len(labels) == 60
    for method in ("EAC", "RCE", "LWEA"):  # the planted groups of 20
        found = [row[method] for row in labels]
        assert [len(set(found[i : i + 20])) for i in (0, 20, 40)] == [1, 1, 1]
        assert len(set(found)) == 3
    assert [row["cluster"] for row in rows(reports / "objects.csv")] == [row["LWEA"] for row in labels]
    chosen = [
        row for row in rows(reports / "criteria.csv") if row["chosen"] == "True" and row["criterion"] == "silhouette"
    ]
    assert [row["k"] for row in chosen] == ["3"]
    assert not list((project.folder / "results/survey").rglob("scores*"))
