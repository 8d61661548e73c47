"""Change one setting after a finished run and run again: the files are those of the same change in a fresh folder.

Snakemake and the jobs run in this process (``inprocess``), for real but for the start of processes. Every leaf of
``config.yaml``, of a study with all of its keys written out, and of the registry entry of a data set is changed.
"""

import copy
import shutil
from pathlib import Path

import pytest
import yaml
from inprocess import in_folder

from concord.plan import costs
from concord.reports.study import Study
from conftest import Project

pytestmark = pytest.mark.workflow

ENTRY = {
    "title": "Toy",
    "shape": [40, 4, 2],
    "published": False,
    "reader": {"format": "table", "class_column": -1, "drop": [0], "header": False, "missing": "?", "delimiter": ","},
    "files": [{"name": "toy.csv", "sha256": None, "bytes": None, "urls": [], "mirror": None}],
    "sample": {"objects": 40, "seed": 3},
    "preprocessing": ["zscore"],
    "licence": "none",
    "source": "made by hand",
    "note": "a note",
    "ensembles": {"pool": {"file": {"name": "pool.csv"}, "missing": -1, "runs": 8, "note": ""}},
}

STUDY = {
    "id": "toy",
    "title": "A toy study",
    "summary": "One data set in two cases.",
    "paper": {"authors": "A. Author", "title": "A paper", "venue": "V", "year": 2015},
    "published": ["table1", "table2"],
    "discussion": True,
    "cases": [
        {"dataset": "toy", "parameters": {"KC": {"n_init": 2}}},
        {
            "dataset": "toy",
            "id": "pool",
            "ensemble": "pool",
            "races": {"GWCA": {"metric": "ACC", "subsets": 1, "points": 1}},
        },
    ],
    "ensemble": {"runs": 8, "subset_size": 3, "draws": 3, "n_clusters": [2, 3], "max_iter": 20},
    "methods": [
        {"method": "KC", "parameters": {"n_init": 3}},
        {"method": "EAC", "parameters": {"linkage": "average"}},
        {
            "method": "GWCA",
            "parameters": {"n_init": 2},
            "grid": {"tau": [0.5, 2.0, 5.0, 50.0]},
            "default": {"tau": 5.0},
        },
    ],
    "metrics": ["ACC", "NMI"],
    "ledger": [{"id": "A1", "place": "Table 1", "text": "It is best.", "shown": ["table1"], "missing": "a row"}],
    "claims": [
        {
            "text": "KC is best.",
            "item": "A1",
            "check": "best",
            "method": "KC",
            "metric": "ACC",
            "against": ["EAC"],
            "published": 1,
        },
        {"text": "GWCA is stable.", "check": "stable", "method": "GWCA", "metric": "NMI"},
    ],
    "exhibits": [
        {"kind": "scores", "id": "few", "title": "Few", "methods": ["KC", "EAC-single"], "metrics": ["ACC"]},
        {"kind": "starts", "id": "starts", "title": "Starts", "methods": ["KC"], "cases": ["toy", "pool"]},
    ],
    "generalisation": {"splits": 2, "repetitions": 1, "methods": ["EAC"], "cases": ["toy"], "train_share": 0.7},
    "variants": {
        "methods": [
            {"id": "EAC-single", "of": "EAC", "method": "EAC", "parameters": {"linkage": "single"}, "why": "tree"}
        ],
        "cases": [
            {"id": "toy_2", "dataset": "toy", "of": "toy", "subset_size": 2, "why": "size", "methods": ["EAC"]},
            {
                "id": "mixed",
                "dataset": "toy",
                "of": "toy",
                "ensemble": "mixed",
                "object_share": 0.9,
                "why": "algorithms",
                "methods": ["KC"],
            },
        ],
    },
}

PUBLISHED = {
    "table1": "dataset,instances,features,classes\nToy,40,4,2\n",
    "table2": "dataset,metric,method,value\nToy,ACC,KC,0.9\nToy,ACC,EAC,0.8\nToy,NMI,KC,0.5\n",
}
DISCUSSION = "# Why\n\nKC reaches {{table2 case=toy metric=ACC method=KC mean}}.\n"

NEW_VALUES = {
    "sha256": "0" * 64, "mirror": "files/toy.csv", "data_mirror": "https://example.org/mirror",
    "datasets": ["toy"], "methods": ["EAC"], "subsets": 2, "subsets_per_job": 1, "seed": 1,
    "dataset": "iris", "preprocessing": ["unit_norm"], "init": "k-means++", "ensemble": "minibatch", "n_clusters": 2,
    "instead_of": None, "doubt": "sampled anew", "without": ["EAC"], "draws": 2, "method": "LWEA",
    "item": None, "shown": ["table2"], "says": "count", "relative": None, "part": "beyond",
    "check": "second", "metric": "NMI", "against": ["GWCA"], "of": 3, "percent": None, "unseen": None,
    "restarts": "chosen", "selection": "default", "test": "welch", "base_labels": "kmeans-on-test",
    "linkage": "complete", "metrics": ["NMI"], "reported": ["NMI"], "other_data": "sampled anew.",
    "unpublished": ["GWCA"], "cases": ["toy"], "why": "another question", "published": None, "beside": "EAC-NC",
    "subset_size": 2, "missing": "-", "delimiter": ";", "class_column": 0, "codes": None, "class_indicators": None,
    "last": 30, "urls": ["https://example.org/toy.csv"], "bytes": 1, "shape": [40, 5, 2], "sample": None,
}  # fmt: skip
"""New values by key; those of other keys follow from the type of the old one. None: no other value is meant."""

NOTHING = {"subsets_per_job", "data_mirror", "urls", "mirror"}
"""Keys that change how or from where, never what: a change runs no job again."""


def leaves(value: object, path: tuple = ()) -> list[tuple]:
    """Paths of all values that hold no other; a list of plain values is one."""
    if isinstance(value, dict) and value:
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return [leaf for i, item in enumerate(value) for leaf in leaves(item, (*path, i))]
    return [path]


def changed(key: str, value: object) -> object:
    """Return another value for a key."""
    if key in NEW_VALUES:
        return NEW_VALUES[key]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return round(value * 0.9, 6)
    if isinstance(value, str):
        return f"{value} again"
    return value[:-1] if isinstance(value, list) and len(value) > 1 else None


def explicit_study() -> dict:
    """The study with every key written out."""
    return Study.model_validate(STUDY).model_dump(mode="json", by_alias=True)


def changes() -> list[tuple[str, tuple, object]]:
    """File, path and new value of every change."""
    config = {**yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text())}
    found, seen = [], set()
    for file, content in (("config", config), ("study", explicit_study()), ("entry", ENTRY)):
        for path in leaves(content):
            value = content
            for step in path:
                value = value[step]
            key = next(step for step in reversed(path) if isinstance(step, str))
            new = changed(key, value)
            place = (file, *(step for step in path if isinstance(step, str)))
            if new is None or new == value or key in {"id", "kind", "format", "name"}:
                continue
            usual = value in (None, 1.0, "random", "kmeans", []) or path[0] in ("claims", "exhibits")
            if place in seen and (usual or key in NOTHING):
                continue  # what a second case or exhibit leaves open like the first
            seen.add(place)
            found.append((file, path, new))
    return found


CHANGES = changes()


def write(project: Project, change: tuple | None = None) -> None:
    """Write the configuration with one change."""
    registry_path = project.folder / "config/datasets.yaml"
    registry = yaml.safe_load(registry_path.read_text())
    config_path = project.folder / "config/config.yaml"
    contents = {
        "config": yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text()),
        "study": explicit_study(),
        "entry": copy.deepcopy(ENTRY),
    }
    if change:
        file, path, new = change
        place = contents[file]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = new
    config_path.write_text(yaml.safe_dump(contents["config"], sort_keys=False))
    registry_path.write_text(yaml.safe_dump({**registry, "toy": contents["entry"]}, sort_keys=False))
    project.study(contents["study"])


def fresh(folder: Path) -> Project:
    """A project with the toy study, its data in place, nothing run."""
    project = Project(folder)
    for part in ("workflow", "profiles", "envs"):
        shutil.copytree(Path(__file__).parents[2] / part, folder / part)
    (folder / "config").mkdir()
    small = {"iris": yaml.safe_load((Path(__file__).parents[2] / "config/datasets.yaml").read_text())["iris"]}
    (folder / "config/datasets.yaml").write_text(yaml.safe_dump(small, sort_keys=False))
    raw = folder / "data/raw/toy"
    raw.mkdir(parents=True)
    rows = [f"{i},{(i * 7) % 11 + 20 * (i % 2)},{(i * 5) % 13},{i % 3},{i % 5 + (i % 2)},c{i % 2}" for i in range(50)]
    (raw / "toy.csv").write_text("\n".join(rows) + "\n")
    labels = [[(i + j * (i % 3 == 0)) % 2 + (i * j) % 2 for j in range(8)] for i in range(40)]
    header = ",".join(f"run{j}" for j in range(8))
    (raw / "pool.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in labels)]) + "\n")
    write(project)
    home = folder / "config/studies/toy"
    (home / "published").mkdir()
    for name, text in PUBLISHED.items():
        (home / f"published/{name}.csv").write_text(text)
    (home / "discussion.md").write_text(DISCUSSION)
    return project


@pytest.fixture(scope="module")
def first_run(tmp_path_factory) -> tuple[Project, list[str]]:
    """The toy study, run, and the lines of its jobs."""
    project = fresh(tmp_path_factory.mktemp("toy"))
    return project, project.run("toy")


@pytest.fixture(scope="module")
def toy(first_run) -> Project:
    """The toy study, run; not to be changed."""
    return first_run[0]


@pytest.fixture
def copy_of_toy(toy, tmp_path) -> Project:
    return Project(shutil.copytree(toy.folder, tmp_path / "again"))


def test_there_are_at_least_a_hundred_changes():
    assert len(CHANGES) >= 100


def test_the_longest_consensus_jobs_start_first(first_run):
    project, ran = first_run
    with in_folder(project.folder):
        plan, _ = costs.planned(["toy"])
        jobs = {job.name: job.seconds for job in costs.jobs_of(plan, "toy") if "/consensus/" in job.name}
    lines = [line for line in ran if " consensus --spec " in line and " --race " not in line]
    seconds = [next(jobs[name] for name in jobs if f" {name} " in line) for line in lines]
    assert len({*seconds}) > 3
    assert seconds == sorted(seconds, reverse=True)


def test_running_again_runs_nothing(copy_of_toy):
    assert copy_of_toy.run("toy") == []


@pytest.mark.parametrize(("file", "path", "new"), CHANGES, ids=[f"{f}-{'.'.join(map(str, p))}" for f, p, _ in CHANGES])
def test_a_change_gives_what_a_fresh_folder_gives(copy_of_toy, tmp_path, file, path, new):
    (tmp_path / "fresh").mkdir()
    anew = fresh(tmp_path / "fresh")
    codes = []
    for project in (copy_of_toy, anew):
        write(project, (file, path, new))
        try:
            ran = project.run("toy")
            codes.append(0)
        except AssertionError as failed:
            ran, codes = [], [*codes, str(failed)]
        if project is copy_of_toy and path[-1] in NOTHING:
            assert ran == []
    assert [code == 0 for code in codes] in ([True, True], [False, False]), codes
    if codes[0] != 0:
        assert all("Traceback" not in code for code in codes), codes[0]
        return
    here, there = copy_of_toy.reproducible_files(), anew.reproducible_files()
    if path[-1] in NOTHING:  # blocks of another size are other files of the same labels
        there = {name: content for name, content in there.items() if name in here}
    differ = [name for name, content in there.items() if here.get(name) != content]
    assert differ == []
