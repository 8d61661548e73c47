"""Fits of an own method to the ensembles of the leaderboard, in processes that may be stuck."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from consclust.datasets.prepared import find_shuffled_order
from consclust.methods import EAC
from consclust_studies.bench.ensembles import EnsemblesOfCase
from consclust_studies.bench.fits import Store, Task, fit_all, fit_case
from consclust_studies.bench.own_method import parse
from consclust_studies.stages import stored_ensembles

METRICS = ("ARI", "NMI")
CLASSES = np.repeat([0, 1, 2], 8)
SHUFFLE = 3
EAC_ITSELF = "from consclust.methods import EAC\nclass Mine(EAC):\n    pass\n"


def make_case(folder: Path, name: str = "toy", seed: int = 0) -> EnsemblesOfCase:
    """Write two ensembles of four noisy copies of the classes; the first object has none."""
    random = np.random.default_rng(seed)
    labels = np.where(random.random((24, 8)) < 0.25, random.integers(3, size=(24, 8)), CLASSES[:, None])
    classes = CLASSES.copy()
    classes[0] = -1
    path = folder / f"{name}.npz"
    stored_ensembles.save(path, labels, classes, stored_ensembles.split(8, 4), {"spec": json.dumps({"name": name})})
    return EnsemblesOfCase(
        case=name,
        dataset=name,
        kind="k = classes",
        ensemble=str(path),
        ensemble_digest=None,
        prepared="",
        prepared_digest="",
        has_features=False,
        shuffle=SHUFFLE,
        n_ensembles=2,
        seed=1,
    )


def make_task(tmp_path: Path, text: str, name: str = "toy", seed: int = 0) -> Task:
    path = tmp_path / "mine.py"
    path.write_text(text)
    return Task(parse(str(path)), "Mine", make_case(tmp_path, name, seed), METRICS)


def test_scores_are_those_of_the_fits(tmp_path):
    task = make_task(tmp_path, EAC_ITSELF)
    found = fit_case(task)
    stored = stored_ensembles.load(Path(task.case.ensemble))
    known = stored.classes >= 0
    for number in range(2):
        labels = EAC(n_clusters=3).fit_predict(stored.subset(number))
        expected = adjusted_rand_score(stored.classes[known], labels[known])
        assert found.scores["ARI"][number] == pytest.approx(expected, abs=1e-12)
        base = [adjusted_rand_score(stored.classes[known], one[known]) for one in stored.subset(number).T]
        assert found.base_scores[number] == pytest.approx(np.mean(base), abs=1e-12)
    assert found.failures == []
    assert len(found.cpu_seconds) == 2


def test_the_order_of_the_file_is_fitted_too(tmp_path):
    by_place = "import numpy as np\ndef by_place(labels, k):\n    return np.arange(len(labels)) * k // len(labels)\n"
    task = make_task(tmp_path, by_place)
    found = fit_case(task)
    stored = stored_ensembles.load(Path(task.case.ensemble))
    order = find_shuffled_order(SHUFFLE, 24)
    # object i of the shuffled ones stood at place order[i] of the file
    place = order * 3 // 24
    known = stored.classes >= 0
    in_file_order = adjusted_rand_score(stored.classes[known], place[known])
    assert found.order == pytest.approx(abs(in_file_order - found.scores["ARI"][0]), abs=1e-12)
    assert found.order > 0


def test_an_exception_is_the_reason_of_an_empty_cell(tmp_path):
    found = fit_case(make_task(tmp_path, "def mine(labels, k):\n    raise KeyError('theta')\n"))
    assert found.failures == ["ensemble 1: KeyError: 'theta'", "ensemble 2: KeyError: 'theta'"]
    assert np.isnan(found.mean("ARI"))
    assert found.order is None


@pytest.mark.long
def test_cases_are_kept_until_the_code_changes(tmp_path):
    counting = EAC_ITSELF + f"\nopen({str(tmp_path / 'imports')!r}, 'a').write('x')\n"
    tasks = [make_task(tmp_path, counting, name, seed) for seed, name in enumerate(["one", "two"])]
    first = {one.case: one for one in fit_all(tasks, Store(tmp_path / "fits", "key"), 2, 60)}
    fitted = len((tmp_path / "imports").read_text())
    again = {one.case: one for one in fit_all(tasks, Store(tmp_path / "fits", "key"), 2, 60)}
    assert again == first
    assert len((tmp_path / "imports").read_text()) == fitted
    (tmp_path / "fits" / "two.json").write_text("{}")
    anew = {one.case: one for one in fit_all(tasks, Store(tmp_path / "fits", "key"), 2, 60)}
    assert anew["two"].scores == first["two"].scores
    assert len((tmp_path / "imports").read_text()) == fitted + 1
    other = list(fit_all(tasks, Store(tmp_path / "fits", "other key"), 1, 60))
    assert len(other) == 2
    assert len((tmp_path / "imports").read_text()) == fitted + 3


@pytest.mark.long
def test_a_method_that_is_stuck_loses_its_case(tmp_path):
    task = make_task(tmp_path, "import time\ndef mine(labels, k):\n    time.sleep(600)\n")
    (found,) = fit_all([task], Store(tmp_path / "fits", "key"), 1, 6)
    assert found.failures == ["a fit was stopped after 6 s"]
    assert not list((tmp_path / "fits").glob("*"))  # another limit may let it end


@pytest.mark.long
def test_a_process_that_dies_loses_its_case(tmp_path):
    task = make_task(tmp_path, "import os\ndef mine(labels, k):\n    os._exit(7)\n")
    (found,) = fit_all([task], Store(tmp_path / "fits", "key"), 1, 60)
    assert found.failures == ["the process ended with exit code 7"]
    assert not list((tmp_path / "fits").glob("*"))
