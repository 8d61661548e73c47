"""Change a setting after a finished run and run again: the files are those of the same settings in a fresh folder.

Snakemake and the jobs run in this process (``inprocess``), for real but for the start of processes. Every leaf of
``config.yaml``, of a study with all of its keys written out, and of the registry entry of a data set is changed. What
several places of the study share, such as the settings of a case, is changed at the first of them. At the others one
key shows that they are read.
"""

import json
import os
from contextlib import chdir
from math import ceil

import pytest
import yaml
from inprocess import in_folder, job_of
from toys import Change, Toy, as_csv, differing, leaves, outcome, pictures_in_one_form  # noqa: F401

from conftest import ROOT, Project
from consclust.files import sha256
from consclust_studies.config.study import Study
from consclust_studies.plan import costs

pytestmark = [pytest.mark.workflow, pytest.mark.usefixtures("pictures_in_one_form")]

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
        {"id": "HC", "method": "ECPCS", "parameters": {"variant": "HC"}, "together": "ECPCS"},
        {"id": "MC", "method": "ECPCS", "parameters": {"variant": "MC"}, "together": "ECPCS"},
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
    "kinds": ["studies/peace/exhibits/starts.py"],
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
            {
                "id": "mixed",
                "dataset": "toy",
                "of": "toy",
                "ensemble": "mixed",
                "object_share": 0.9,
                "why": "algorithms",
                "methods": ["KC"],
            }
        ],
        "families": [
            {"of": ["toy"], "each": {"2": {"subset_size": 2}}, "subsets": 1, "why": "size", "methods": ["EAC"]}
        ],
    },
}

KINDS = ["studies/peace/exhibits/starts.py", "studies/peace/exhibits/f1_bounds.py"]
"""The file with the kind `starts`, and what it imports."""

NEW_VALUES = {
    "default_study": "toy", "kinds": None, "sha256": "0" * 64, "mirror": "files/toy.csv", "data_mirror": "https://example.org/mirror",
    "datasets": ["toy"], "methods": ["EAC"], "subsets": 2, "subsets_per_job": 1, "seed": 1,
    "dataset": "iris", "preprocessing": ["unit_norm"], "init": "k-means++", "ensemble": "minibatch", "n_clusters": 2,
    "instead_of": None, "doubt": "sampled anew", "without": ["EAC"], "draws": 2, "method": "LWEA",
    "item": None, "shown": ["table2"], "says": "count", "relative": None, "part": "beyond",
    "check": "second", "metric": "NMI", "against": ["GWCA"], "of": 3, "percent": None, "unseen": None,
    "restarts": "chosen", "selection": "default", "test": "welch", "base_labels": "kmeans-on-test",
    "linkage": "complete", "together": "apart", "metrics": ["NMI"], "reported": ["NMI"], "other_data": "sampled anew.",
    "unpublished": ["GWCA"], "cases": ["toy"], "why": "another question", "published": None, "beside": "EAC-NC",
    "subset_size": 2, "missing": "-", "delimiter": ";", "class_column": 0, "codes": None, "class_indicators": None,
    "last": 30, "urls": ["https://example.org/toy.csv"], "bytes": 1, "shape": [40, 5, 2], "sample": None,
}  # fmt: skip
"""New values by key; those of other keys follow from the type of the old one. None: no other value is meant."""

ALONE = {"dataset", "method", "ensemble", "together", "methods", "metrics"}
"""Keys with which other keys mean something else, or nothing, but where the report alone is described."""

OF_THE_REPORT = {"ledger", "claims", "diagnosis", "exhibits"}
"""Parts of a study that describe its report."""

OF_THE_FITS = {"cases", "ensemble", "methods", "subsets", "sample", "reader", "preprocessing"}
"""Parts of the study and of the entry on which labels depend."""

SCORES = "results/toy/scores.csv"

LONGEST = 12
"""Changes in a chain, at most."""

OF_ANY_CASE = {
    *("dataset", "preprocessing", "init", "linkage", "distance", "feature_share", "object_share", "subset_size"),
    *("doubt", "without", "seeds"),
}
"""Keys of a case that the other cases and the variants share with it."""

OF_THE_DIAGNOSIS = {"draws", "halves", "nulls", "folds"}
"""Keys that say something in a study without classes alone: ``test_metamorphic_unlabelled`` changes them."""

NOTHING = {"default_study", "subsets_per_job", "data_mirror", "urls", "mirror"}
"""Keys that change how or from where, never what: a change runs no job again."""


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


CELLS = [f"{i},{(i * 7) % 11 + 20 * (i % 2)},{(i * 5) % 13},{i % 3},{i % 5 + (i % 2)},c{i % 2}" for i in range(50)]
POOL = [[(i + j * (i % 3 == 0)) % 2 + (i * j) % 2 for j in range(8)] for i in range(40)]
with chdir(ROOT):  # where the files of its kinds are
    WRITTEN_OUT = Study.model_validate(STUDY).model_dump(mode="json", by_alias=True)
TOY = Toy(
    WRITTEN_OUT,
    ENTRY,
    {
        **{file: (ROOT / file).read_text() for file in KINDS},
        "data/raw/toy/toy.csv": "\n".join(CELLS) + "\n",
        "data/raw/toy/pool.csv": as_csv(POOL),
        "studies/toy/published/table1.csv": "dataset,instances,features,classes\nToy,40,4,2\n",
        "studies/toy/published/table2.csv": (
            "dataset,metric,method,value\nToy,ACC,KC,0.9\nToy,ACC,EAC,0.8\nToy,NMI,KC,0.5\n"
        ),
        "studies/toy/discussion.md": "# Why\n\nKC reaches {{table2 case=toy metric=ACC method=KC mean}}.\n",
    },
    {"iris": yaml.safe_load((ROOT / "config/datasets.yaml").read_text())["iris"]},
)


def repeats(path: tuple) -> bool:
    """Whether a key of the study is changed at another place, where it is read by the same code."""
    key = path[-1]
    if path[0] == "methods":
        return (path[1] > 0 and key in {"method", "subsets"}) or path[1] == 4
    if path[:2] in {("cases", 1), ("variants", "cases"), ("variants", "families")}:
        return key in OF_ANY_CASE or ("each" in path and key != "n_clusters")
    return path[0] == "diagnosis" and key in OF_THE_DIAGNOSIS


def changes() -> list[Change]:
    """Part, path and new value of every change."""
    found, seen = [], set()
    for part, content in TOY.parts().items():
        for path in leaves(content):
            value = content
            for step in path:
                value = value[step]
            key = next(step for step in reversed(path) if isinstance(step, str))
            new = changed(key, value)
            place = (part, *(step for step in path if isinstance(step, str)))
            if new is None or new == value or key in {"id", "kind", "format", "name"}:
                continue
            if part == "study" and repeats(path):
                continue
            usual = value in (None, 1.0, "random", "kmeans", []) or path[0] in ("claims", "exhibits")
            if place in seen and (usual or key in NOTHING):
                continue  # what a second case or exhibit leaves open like the first
            seen.add(place)
            found.append((part, path, new))
    return found


CHANGES = changes()


def test_there_are_at_least_a_hundred_changes():
    assert len(CHANGES) >= 100


def test_the_longest_consensus_jobs_start_first(first_run):
    project, lines = first_run
    ran = [job_of(line, project.folder) for line in lines]
    with in_folder(project.folder):
        plan, _ = costs.load_studies(["toy"])
        jobs = {job.name: job.seconds for job in costs.list_jobs(plan, "toy") if "/consensus/" in job.name}
    seconds = [jobs[job.outputs["labels"][0]] for job in ran if job.kind == "consensus" and "race" not in job.inputs]
    assert len({*seconds}) > 3
    assert seconds == sorted(seconds, reverse=True)


def test_running_again_runs_nothing(copy_of_toy):
    assert copy_of_toy.run("toy") == []


def test_an_older_file_of_other_content_runs_what_depends_on_it(copy_of_toy):
    pool = copy_of_toy.folder / "data/raw/toy/pool.csv"
    pool.write_text(as_csv(POOL[::-1]))
    os.utime(pool, (1, 1))
    ran = copy_of_toy.jobs("toy")
    made = [job.outputs["ensemble"] for job in ran if job.kind == "base_clusterings"]
    assert made == [("results/ensembles/toy/pool.npz",)]
    assert not [job for job in ran if job.kind in ("fetch", "prepare")]
    provenance = json.loads((copy_of_toy.folder / "reports/toy/provenance.json").read_text())
    assert provenance["data"]["pool"]["pool.csv"] == sha256(pool)
    assert copy_of_toy.run("toy") == []


def is_alone(change: Change) -> bool:
    part, path, _ = change
    if part == "config":
        return path[-1] not in NOTHING
    return path[-1] in ALONE and path[0] not in OF_THE_REPORT


def divide(found: list[Change]) -> list[list[Change]]:
    """Divide the changes into chains; neighbours are in different ones.

    In a chain what changes more stands before what changes less, as in the file: what one change left stale, the next
    ones seldom make anew. A change of config.yaml makes another run, and a change of names other jobs, so it is alone.
    """
    alone = [change for change in found if is_alone(change)]
    others = [change for change in found if change not in alone]
    # what a data set is comes before what is done with it, and what holds for all cases before what holds for one
    others.sort(key=lambda change: (change[0] == "study", change[1][0] != "ensemble"))
    n_chains = ceil(len(others) / LONGEST)
    return [*([change] for change in alone), *(others[i::n_chains] for i in range(n_chains))]


def name_of(chain: list[Change]) -> str:
    part, path, _ = chain[0]
    further = f" and {len(chain) - 1} more" if len(chain) > 1 else ""
    return f"{part}-{'.'.join(map(str, path))}{further}"


def run_changed(project: Project, change: Change) -> tuple[list[str], str]:
    """Run what depends on a change; where scores change, without the report, as a later step of the chain makes it."""
    scores = project.folder / SCORES
    before = scores.read_bytes()
    part, path, _ = change
    if part != "config" and path[0] in OF_THE_FITS:
        ran, said = outcome(project, SCORES)
        if said or scores.read_bytes() != before:
            return ran, said
    return outcome(project)


@pytest.mark.parametrize("chain", divide(CHANGES), ids=name_of)
def test_changes_one_after_the_other_give_what_a_fresh_folder_gives(toy, copy_of_toy, tmp_path, chain):
    done: list[Change] = []
    for number, change in enumerate(chain):
        TOY.write(copy_of_toy, [*done, change])
        ran, said = run_changed(copy_of_toy, change)
        _, path, _ = change
        if path[-1] in NOTHING:
            assert ran == []
        if said:
            refused = TOY.fresh(tmp_path / f"refused {number}", [*done, change])
            assert outcome(refused)[1], said
        else:
            done.append(change)
    TOY.write(copy_of_toy, done)
    assert outcome(copy_of_toy)[1] == ""
    anew = toy  # where every change was refused
    if done:
        anew = TOY.fresh(tmp_path / "fresh", done)
        assert outcome(anew)[1] == ""
    there = anew.reproducible_files()
    # blocks of another size are other files of the same labels
    if any(path[-1] == "subsets_per_job" for _, path, _ in done):
        there = {name: there[name] for name in there.keys() & copy_of_toy.reproducible_files().keys()}
    assert differing(copy_of_toy, there) == []
