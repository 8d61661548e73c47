"""Base clusterings that others made, as a study takes them."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from consclust.datasets.prepared import coded
from consclust.datasets.registry import ReadyMadeEnsemble
from consclust.errors import InputError
from consclust.readers.clusterings import read_clusterings
from consclust_studies.stages.ready_made import ready_made_ensemble
from consclust_studies.stages.stored_ensembles import drawn, split

CLASSES = np.repeat([0, 1, 2], 4)
LABELS = np.random.default_rng(0).integers(1, 5, (12, 7))
STUDY = "studies/mine/study.yaml"


def take(path, labels=LABELS, runs=6, subset_size=3, y=CLASSES, gt=None, registered=None, draws=None):
    savemat(path, {"members": labels} | ({} if gt is None else {"gt": gt}))
    entry = ReadyMadeEnsemble(
        file={"name": "pool.mat"}, variable="members", classes=None if gt is None else "gt", runs=registered
    )
    members = drawn(runs, subset_size, draws, 1) if draws else split(runs, subset_size)
    return ready_made_ensemble(path, entry, y, runs, members, STUDY)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pool.mat"


def test_the_first_runs_are_taken(path):
    labels = take(path, runs=7, subset_size=7)
    assert labels.shape == (12, 7)
    assert np.array_equal(take(path), labels[:, :6])
    assert all(
        len(np.unique(np.c_[a, b], axis=0)) == len(np.unique(a)) for a, b in zip(labels.T, LABELS.T, strict=True)
    )


def test_classes_of_the_file_may_have_other_names_but_not_another_order(path):
    take(path, gt=np.repeat([7.0, 5.0, 9.0], 4))
    with pytest.raises(InputError, match=r"pool\.mat: the classes are not those of the data set; bring the objects"):
        take(path, gt=np.tile([7.0, 5.0, 9.0], 4))
    with pytest.raises(InputError, match="the classes are not those"):
        take(path, gt=np.repeat([7.0, 5.0], [4, 8]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"runs": 9}, f"{STUDY}: ensemble.runs = 9: .*pool.mat has 7 base clusterings; set runs: 6$"),
        ({"runs": 20, "subset_size": 20}, "has 7 base clusterings; set runs and subset_size to 7 or less$"),
        ({"y": CLASSES[:9]}, "pool.mat: 12 rows, but the data set has 9 objects"),
        ({"labels": LABELS.T}, "pool.mat: 7 rows, but the data set has 12 objects; objects go in rows"),
        ({"registered": 8}, r"pool.mat: 7 base clusterings, but runs = 8 in config/datasets.yaml; correct it"),
    ],
)
def test_what_does_not_fit_names_file_key_and_remedy(path, change, words):
    with pytest.raises(InputError, match=words):
        take(path, **change)


def test_missing_labels_are_kept_and_a_subset_without_any_is_refused(path):
    labels = LABELS.copy()
    labels[2, 3:5] = -1
    assert take(path, labels)[2, 3:5].tolist() == [-1, -1]
    labels[2, 5] = -1
    with pytest.raises(InputError, match=r"subset 1 of base clusterings \(from 0\): object 2 has no label at all"):
        take(path, labels)
    labels[:, 1] = -1
    with pytest.raises(InputError, match=r"subset 0 of base clusterings \(from 0\): clustering 1 has no label at all"):
        take(path, labels)


@pytest.mark.mirror
def test_the_authors_200_yale_clusterings_are_the_published_k_means_row(mirror: Path):
    from consclust.scores import score_all

    file = mirror / "files/yale_authors_ensemble/YALE_165n_1024d_15c_uni_kmeans.mat"
    entry = ReadyMadeEnsemble(file={"name": file.name}, variable="L", runs=200)
    classes = np.repeat(np.arange(15), 11)
    labels = ready_made_ensemble(file, entry, classes, 200, split(200, 20), STUDY)
    scores = [score_all(classes, run, ["ACC", "NMI"]) for run in labels.T]
    means = {metric: np.mean([score[metric] for score in scores]) for metric in ("ACC", "NMI")}
    assert means == pytest.approx({"ACC": 0.3673, "NMI": 0.4175}, abs=5e-5)


# objects, classes, fewest and most clusters in a column
POOLS = {
    "Aggregation": (788, 7, 2, 28),
    "Caltech20": (2386, 20, 2, 49),
    "Ecoli": (336, 8, 2, 18),
    "FCT": (3780, 7, 2, 62),
    "ISOLET": (7797, 26, 2, 87),
    "LS": (6435, 6, 2, 80),
    "SPF": (1941, 7, 2, 44),
    "Texture": (5500, 11, 2, 74),
    "UMIST": (574, 20, 2, 30),
    "USPS": (11000, 10, 3, 102),
}


@pytest.mark.mirror
@pytest.mark.parametrize("name", POOLS)
def test_the_pools_of_ec_cms(mirror: Path, name):
    path = mirror / f"files/eccms_pools/{name}.mat"
    entry = ReadyMadeEnsemble(file={"name": path.name}, variable="members", classes="gt", runs=100)
    y, names = coded(read_clusterings(path, entry).classes)
    labels = ready_made_ensemble(path, entry, y, 100, split(100, 20), STUDY)
    clusters = labels.max(axis=0) + 1
    assert (len(y), len(names), clusters.min(), clusters.max()) == POOLS[name]
    assert labels.min() == 0
