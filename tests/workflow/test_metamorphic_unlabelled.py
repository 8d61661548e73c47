"""Change one setting of a study without classes after a finished run: the files are those of a fresh folder.

As in ``test_metamorphic``. The changes are those of the keys that only such a study has, and of what they depend on.
"""

import pytest
from toys import Change, Toy, as_csv, differing, leaves, outcome, pictures_in_one_form  # noqa: F401

from consclust_studies.config.study import Study

pytestmark = [pytest.mark.workflow, pytest.mark.usefixtures("pictures_in_one_form")]

POOL = {"file": {"name": "pool.csv"}, "missing": -1, "runs": 8, "note": ""}
ENTRY = {
    "title": "Toy",
    "classes": False,
    "shape": [40, 0, 0],
    "licence": "none",
    "source": "made by hand",
    "ensembles": {"pool": POOL, "other": {"file": {"name": "other.csv"}}},
}
STUDY = {
    "id": "toy",
    "title": "A toy study",
    "summary": "One data set without classes.",
    "cases": [{"dataset": "toy", "ensemble": "pool", "k": 3}],
    "ensemble": {"runs": 8, "subset_size": 8},
    "methods": ["KC", "EAC"],
    "diagnosis": {"ks": [2, 3], "draws": 3, "halves": 3, "nulls": 2, "folds": 2},
    "exhibits": [
        {"kind": "diagnosis", "id": "of_eac", "title": "EAC", "case": "toy", "shows": "clusters", "method": "EAC"}
    ],
}
NEW_VALUES = {
    "classes": True, "shape": [41, 0, 0], "missing": 0, "runs": 7, "k": 4, "ensemble": "other",
    "ks": [2, 3, 4], "draws": 4, "halves": 4, "nulls": 3, "folds": 3, "method": "EAC", "shows": "base",
}  # fmt: skip


def explicit() -> dict:
    """The study with all keys written out of the case, the diagnosis and the exhibit."""
    whole = Study.model_validate(STUDY).model_dump(mode="json")
    return {**STUDY, **{key: whole[key] for key in ("cases", "diagnosis", "exhibits")}}


def labels(period: int) -> str:
    return as_csv([[(i + j + j * (i % 5 == 0)) % period for j in range(8)] for i in range(40)])


TOY = Toy(explicit(), ENTRY, {"data/raw/toy/pool.csv": labels(3), "data/raw/toy/other.csv": labels(4)})


def changes() -> list[Change]:
    found = []
    for part, content in (("study", TOY.study), ("entry", ENTRY)):
        for path in leaves(content):
            key = next(step for step in reversed(path) if isinstance(step, str))
            parts = ("cases", "diagnosis", "exhibits") if part == "study" else ENTRY
            if path[0] in parts and key in NEW_VALUES and "other" not in path:
                new = {"method": "KC"}.get(key, NEW_VALUES[key]) if path[0] == "exhibits" else NEW_VALUES[key]
                found.append((part, path, new))
    return found


CHANGES = changes()


def test_the_new_keys_are_changed(copy_of_toy):
    keys = {path[-1] for _, path, _ in CHANGES}
    assert {"k", "classes", "shape", "method", "ks", "draws", "halves", "nulls", "folds", "shows"} <= keys
    assert copy_of_toy.run("toy") == []


@pytest.mark.parametrize("change", CHANGES, ids=[f"{part}-{'.'.join(map(str, path))}" for part, path, _ in CHANGES])
def test_a_change_gives_what_a_fresh_folder_gives(copy_of_toy, tmp_path, change):
    TOY.write(copy_of_toy, [change])
    anew = TOY.fresh(tmp_path / "fresh", [change])
    (_, said), (_, said_anew) = outcome(copy_of_toy), outcome(anew)
    _, path, _ = change
    assert [bool(said), bool(said_anew)] == [path[-1] in {"classes", "shape", "runs"}] * 2, (said, said_anew)
    if not said:
        assert differing(copy_of_toy, anew.reproducible_files()) == []
