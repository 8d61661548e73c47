"""All methods of a case in one job: the fits that each would have by itself, their scores, and what is taken over."""

import numpy as np
import pytest

from consclust.datasets.prepared import Dataset, find_shuffled_order
from consclust.files import read_arrays, read_record
from consclust.scores import score_all
from consclust.testing import l30
from consclust_studies.config.experiment import BEST_BASE_CLUSTERING, RESTARTED_KMEANS
from consclust_studies.contents import OF_MAKERS, read_marks
from consclust_studies.job_files import Files
from consclust_studies.makers import Makers
from consclust_studies.specs import digest_spec
from consclust_studies.stages import consensus, methods_of_case, prepare, score_methods
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.consensus import Cell, ConsensusJob
from consclust_studies.stages.methods_of_case import ORDER_LABELS, SEED_LABELS, MethodsJob
from consclust_studies.stages.score_methods import IN_FILE_ORDER, MethodsScoreJob
from consclust_studies.stages.score_tables import read_table, read_texts
from job_files_of import STAMP, marks

N = 30
CLASSES = np.repeat(np.arange(3), 10)
MEMBERS = store.split(16, 8)
METRICS = ("ARI", "AMI", "PSI")
SHUFFLE = 4
FEATURES = np.random.default_rng(0).normal(size=(N, 2)) + 9 * CLASSES[:, None]


@pytest.fixture
def ensemble(tmp_path):
    """The file of base clusterings; five objects are noise."""
    classes = CLASSES.copy()
    classes[::6] = -1
    path = tmp_path / "ensemble.npz"
    store.save(path, np.tile(l30(), 2), classes, MEMBERS, marks("{}"))
    return path


def single(method, **parameters):
    given = {"study": "s", "case": "c", "method_id": method, "method": method, "parameters": parameters}
    return ConsensusJob(**given, seed=5, ensemble=digest_spec("{}"), code=f"code of {method}")


def files_for(tmp_path, ensemble, previous=None):
    outputs = {"labels": [tmp_path / "0-1.npz"], "runtime": [tmp_path / "0-1.json"]}
    return Files({"ensemble": [ensemble]}, outputs, STAMP, {"block": "0-1"}, previous)


def fit(tmp_path, ensemble, *jobs, previous=None, shuffle=SHUFFLE):
    files = files_for(tmp_path, ensemble, previous)
    said = methods_of_case.run(MethodsJob(jobs=jobs, shuffle=shuffle), files)
    return said, read_arrays(files.output("labels")), read_record(files.output("runtime"))


def test_each_method_has_the_labels_that_it_has_by_itself(tmp_path, ensemble):
    jobs = (single("KC", n_init=3), single("EAC"), single("BaumEagon", n_init=2))
    _, arrays, record = fit(tmp_path, ensemble, *jobs)
    stored = store.load(ensemble)
    assert arrays["labels"].shape == (2, 3, 1, N)
    for place, job in enumerate(jobs):
        for subset, (cell,) in enumerate(consensus.fit_subsets(job, [0, 1], stored).rows):
            np.testing.assert_array_equal(arrays["labels"][subset, place, 0], cell.labels[cell.chosen])
    assert record["methods"] == ["KC", "EAC", "BaumEagon"]
    assert np.shape(record["cpu_seconds"]) == (2, 3)


def test_labels_in_the_order_of_the_file_go_with_their_objects(tmp_path, ensemble, monkeypatch):
    def fit_by_position(job, ensemble, stored, subset, number, features=None):
        labels = (np.arange(N) // 15).astype(np.int16)
        return Cell(subset, number, 0.0, 0.0, labels=labels[None])

    monkeypatch.setattr(consensus, "fit", fit_by_position)
    _, arrays, _ = fit(tmp_path, ensemble, single("EAC"))
    order = find_shuffled_order(SHUFFLE, N)
    np.testing.assert_array_equal(arrays[ORDER_LABELS][0], order // 15)
    np.testing.assert_array_equal(arrays["labels"][0, 0, 0], np.arange(N) // 15)


def test_a_method_that_does_not_read_the_order_has_equal_groups_in_both(tmp_path, ensemble):
    _, arrays, _ = fit(tmp_path, ensemble, single("EAC"))
    shuffled = arrays["labels"][0, 0, 0]
    assert score_all(shuffled, arrays[ORDER_LABELS][0], ["ARI"])["ARI"] == pytest.approx(1)


def test_without_a_shuffle_nothing_is_fitted_in_another_order(tmp_path, ensemble):
    _, arrays, _ = fit(tmp_path, ensemble, single("EAC"), shuffle=None)
    assert (arrays[ORDER_LABELS] == -1).all()


def test_further_seeds_are_fits_of_the_first_subset_with_other_random_numbers(tmp_path, ensemble):
    job = single("KC", n_init=1)
    files = files_for(tmp_path, ensemble)
    methods_of_case.run(MethodsJob(jobs=(job, single("EAC")), seeds=4), files)
    arrays = read_arrays(files.output("labels"))
    assert arrays[SEED_LABELS].shape == (2, 3, N)
    first = arrays["labels"][0, :, 0]
    # k-means from one start depends on the seed, average linkage does not
    distinct = {labels.tobytes() for labels in (first[0], *arrays[SEED_LABELS][0])}
    assert len(distinct) > 1
    assert (arrays[SEED_LABELS][1] == first[1]).all()
    # the same seeds again, and none are taken over by a job with another number of them
    methods_of_case.run(MethodsJob(jobs=(job,), seeds=3), files)
    again = read_arrays(files.output("labels"))
    np.testing.assert_array_equal(again[SEED_LABELS][0], arrays[SEED_LABELS][0, :2])
    kept = {path: path for paths in files.outputs.values() for path in paths}
    here = files_for(tmp_path, ensemble, kept)
    assert set(methods_of_case.read_kept(MethodsJob(jobs=(job,), seeds=3), here)) == {"KC"}
    assert methods_of_case.read_kept(MethodsJob(jobs=(job,), seeds=2), here) == {}


def test_only_new_methods_are_fitted_where_the_others_are_kept(tmp_path, ensemble, monkeypatch):
    old = single("KC", n_init=3)
    changed = single("LWEA")
    _, before, times = fit(tmp_path, ensemble, old, changed)
    previous = {}
    for name in ("0-1.npz", "0-1.json"):
        kept = tmp_path / f"kept-{name}"
        (tmp_path / name).rename(kept)
        previous[tmp_path / name] = kept
    fitted = []
    real = consensus.fit_subsets

    def record_fit(job, *rest):
        fitted.append(job.method_id)
        return real(job, *rest)

    monkeypatch.setattr(consensus, "fit_subsets", record_fit)
    new_code = changed.model_copy(update={"code": "other"})
    said, after, record = fit(tmp_path, ensemble, single("EAC"), new_code, old, previous=previous)
    assert fitted == ["EAC", "LWEA"]
    assert said.endswith("1 taken over")
    np.testing.assert_array_equal(after["labels"][:, 2], before["labels"][:, 0])
    np.testing.assert_array_equal(after[ORDER_LABELS][2], before[ORDER_LABELS][0])
    assert [row[2] for row in record["cpu_seconds"]] == [row[0] for row in times["cpu_seconds"]]
    fitted.clear()
    fit(tmp_path, ensemble, old, previous=previous, shuffle=SHUFFLE + 1)
    assert fitted == ["KC"]


def test_fits_that_are_taken_over_keep_the_versions_that_made_them(tmp_path, ensemble):
    old = STAMP.model_copy(update={"versions": {**STAMP.versions, "numpy": "1.0"}})
    files = files_for(tmp_path, ensemble)
    files.stamp = old
    methods_of_case.run(MethodsJob(jobs=(single("EAC"),), shuffle=SHUFFLE), files)
    labels = tmp_path / "0-1.npz"
    previous = {}
    for name in ("0-1.npz", "0-1.json"):
        kept = tmp_path / f"kept-{name}"
        (tmp_path / name).rename(kept)
        previous[tmp_path / name] = kept
    fit(tmp_path, ensemble, single("EAC"), single("CSPA"), previous=previous)
    stamps = methods_of_case.read_stamps(labels)
    assert (stamps["EAC"].versions, stamps["CSPA"].versions) == (old.versions, STAMP.versions)
    # a run that asks for the results of other versions finds the file
    assert read_marks(labels).stamp.versions == old.versions
    makers = {job: maker.stamp.versions for maker in find_makers(tmp_path, ensemble) for job in maker.jobs}
    assert makers == {"c: EAC 0-1": old.versions, "c: CSPA 0-1": STAMP.versions, "c: Base clusterings": STAMP.versions}


def find_makers(tmp_path, ensemble):
    """Return who made the labels of a case, as the table of scores says it."""
    job = MethodsJob.from_text(str(read_arrays(tmp_path / "0-1.npz")["spec"]), "labels")
    spec = MethodsScoreJob(
        study="s", case="c", dataset="c", ensemble=digest_spec("{}"), n_subsets=2, base_clusterings="Base clusterings",
        metrics=METRICS, labels=job.digest, methods={"EAC": 0, "CSPA": 1},
    )  # fmt: skip
    inputs = {"ensemble": [ensemble], "labels": [tmp_path / "0-1.npz"]}
    score_methods.run(spec, Files(inputs, {"scores": [tmp_path / "scores.parquet"]}, STAMP))
    return Makers.joined([read_texts(tmp_path / "scores.parquet")[OF_MAKERS]])


def test_failures_stay_failures_when_they_are_taken_over(tmp_path, ensemble, monkeypatch):
    def refuse(job, ensemble, stored, subset, number, features=None):
        return Cell(subset, number, 0.5, 0.5, reason=f"no answer on {subset}")

    monkeypatch.setattr(consensus, "fit", refuse)
    fit(tmp_path, ensemble, single("EAC"))
    previous = {tmp_path / name: tmp_path / name for name in ("0-1.npz", "0-1.json")}
    said, arrays, _ = fit(tmp_path, ensemble, single("EAC"), previous=previous)
    assert said.endswith("1 taken over")
    assert "no answer on 1" in str(arrays["failures"])
    assert (arrays["labels"] == -1).all()


# ---------------------------------------------------------------- scores


@pytest.fixture
def scored(tmp_path, ensemble):
    """The table of scores of two methods, with features."""
    job = MethodsJob(jobs=(single("EAC"), single("KC", n_init=3)), shuffle=SHUFFLE, seeds=2)
    methods_of_case.run(job, files_for(tmp_path, ensemble))
    prepare.save(Dataset(FEATURES, CLASSES, ("a", "b", "c")), tmp_path / "prepared.npz", marks("{}"))
    spec = MethodsScoreJob(
        study="s", case="c", dataset="c", ensemble=digest_spec("{}"), n_subsets=2, base_clusterings="Base clusterings",
        metrics=METRICS, labels=job.digest, methods={"KC": 1}, data=digest_spec("{}"),
    )  # fmt: skip
    inputs = {"ensemble": [ensemble], "labels": [tmp_path / "0-1.npz"], "prepared": [tmp_path / "prepared.npz"]}
    files = Files(inputs, {"scores": [tmp_path / "scores.parquet"]}, STAMP)
    score_methods.run(spec, files)
    return read_table(tmp_path / "scores.parquet", spec.digest)[0]


def find(table, method, subset, metric, restart="chosen"):
    here = table[(table["method"] == method) & (table["subset"] == subset) & (table["metric"] == metric)]
    (value,) = here.loc[here["restart"] == restart, "value"]
    return value


def test_noise_counts_in_no_score(scored, tmp_path, ensemble):
    stored = store.load(ensemble)
    labels = read_arrays(tmp_path / "0-1.npz")["labels"]
    known = stored.classes >= 0
    assert not known.all()
    for subset in range(2):
        expected = score_all(stored.classes[known], labels[subset, 1, 0][known], ["ARI"])["ARI"]
        assert find(scored, "KC", subset, "ARI") == pytest.approx(expected, abs=1e-12)


def test_rows_that_are_no_methods(scored, ensemble):
    stored = store.load(ensemble)
    known = stored.classes >= 0
    of_members = [score_all(stored.classes[known], run[known], ["ARI"])["ARI"] for run in stored.subset(1).T]
    assert find(scored, "Base clusterings", 1, "ARI") == pytest.approx(np.mean(of_members))
    assert find(scored, BEST_BASE_CLUSTERING, 1, "ARI") == pytest.approx(np.max(of_members))
    # the features have three clusters far apart, which k-means finds with so many restarts
    assert find(scored, RESTARTED_KMEANS, 0, "PSI") == pytest.approx(1)
    assert set(scored["method"]) == {"Base clusterings", BEST_BASE_CLUSTERING, RESTARTED_KMEANS, "KC"}


def test_scores_in_the_order_of_the_file_are_of_the_first_subset(scored, tmp_path, ensemble):
    stored = store.load(ensemble)
    known = stored.classes >= 0
    of_file = scored[scored["restart"] == IN_FILE_ORDER]
    assert set(of_file["method"]) == {"KC"}
    assert set(of_file["subset"]) == {0}
    labels = read_arrays(tmp_path / "0-1.npz")[ORDER_LABELS][1]
    expected = score_all(stored.classes[known], labels[known], ["ARI"])["ARI"]
    assert find(scored, "KC", 0, "ARI", IN_FILE_ORDER) == pytest.approx(expected, abs=1e-12)


def test_scores_of_further_seeds_are_of_the_first_subset(scored, tmp_path, ensemble):
    stored = store.load(ensemble)
    known = stored.classes >= 0
    of_seed = scored[scored["restart"] == "chosen, seed 2"]
    assert set(of_seed["subset"]) == {0}
    labels = read_arrays(tmp_path / "0-1.npz")[SEED_LABELS][1, 0]
    expected = score_all(stored.classes[known], labels[known], ["ARI"])["ARI"]
    assert find(scored, "KC", 0, "ARI", "chosen, seed 2") == pytest.approx(expected, abs=1e-12)
