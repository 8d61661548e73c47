"""The consensus job: what it writes, what it records, what it must not keep."""

import itertools
import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from consclust import methods
from consclust.errors import ConsensusFailure, InputError
from consclust.files import write_arrays, write_record
from consclust.methods import SSCE
from consclust.testing import features_of, l30
from consclust_studies.config.race import Race
from consclust_studies.specs import digest_spec
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.consensus import (
    ConsensusJob,
    FitError,
    fit_subsets,
    read_features,
    read_race,
    run,
    write_results,
)
from consclust_studies.stages.label_blocks import Block
from consclust_studies.stages.stored_ensembles import StoredEnsemble, split
from job_files_of import STAMP, files_of, marks

STORED = StoredEnsemble(np.tile(l30(), 2), np.repeat(np.arange(3), 10), split(16, 8))
SUBSETS = [0, 1]


def job(method="RCE", **changes):
    given = {"study": "s", "case": "c", "method_id": method, "method": method, "parameters": {"max_outer": 2}}
    return ConsensusJob(**{**given, "seed": 5, "ensemble": digest_spec("ensemble"), **changes})


def write(job, subsets, out, stay=None):
    """Fit the subsets, and write their labels and seconds."""
    cells = fit_subsets(job, subsets, STORED, stay=stay)
    write_results(job, subsets, STORED, cells, out, out.with_suffix(".runtime.json"), STAMP)


def fitted(job, folder, subsets=SUBSETS):
    """Run the job; return its arrays."""
    out = folder / f"{subsets[0]}-{subsets[-1]}.npz"
    write(job, subsets, out)
    with np.load(out, allow_pickle=False) as written:
        return dict(written)


def test_labels_of_every_subset_point_and_restart(tmp_path):
    own = job(grid={"lambda1": (0.1, 1.0)}, parameters={"n_init": 4})
    written = fitted(own, tmp_path)
    assert written["labels"].shape == (2, 2, 4, 30)
    assert written["labels"].min() == 0
    assert ConsensusJob.from_text(str(written["spec"]), "here") == own
    assert written["subsets"].tolist() == SUBSETS
    assert (written["iterations"] == 20).all()
    runtime = json.loads((tmp_path / "0-1.runtime.json").read_text())
    assert np.shape(runtime["cpu_seconds"]) == (2, 2)
    assert runtime["n_profiles"] == [28, 28]
    assert digest_spec(runtime["spec"]) == own.digest


def test_labels_hold_what_the_method_remarks_and_not_their_number_of_clusters(tmp_path):
    """Scores count the clusters, so that a report says the same of labels that older code made."""
    own = job("MCLA", parameters={}, grid={"n_meta_clusters": (2, 6)})
    written = fitted(own, tmp_path)
    n_clusters = written["labels"].max(axis=(2, 3)) + 1
    assert (n_clusters[:, 0] == 2).all()
    assert (n_clusters[:, 1] > 3).all()
    noted = [(note["subset"], note["point"]) for note in json.loads(str(written["notes"]))]
    assert noted == [(subset, 1) for subset in SUBSETS]
    fewer = Block(tmp_path / "0-1.npz").list_remarks(3)["fewer_clusters"]
    assert fewer == [(subset, 0, 2) for subset in SUBSETS]


def test_the_size_of_a_block_changes_neither_the_spec_nor_the_labels(tmp_path):
    own = job(grid={"lambda1": (0.1, 1.0)})
    whole = fitted(own, tmp_path)
    for subset in SUBSETS:
        part = fitted(own, tmp_path, [subset])
        assert part["spec"] == whole["spec"]
        assert np.array_equal(part["labels"][0], whole["labels"][subset])


def test_after_a_race_only_the_points_that_stay_run(tmp_path):
    race = Race(metric="ACC", subsets=1, points=1)
    own = job(grid={"lambda1": (0.1, 1.0, 10.0)}, race=race, default={"lambda1": 10.0})
    whole = fitted(own, tmp_path)
    assert not whole["left_out"].any()
    out = tmp_path / "1-1.npz"
    write(own, [1], out, stay=[0, 2])
    with np.load(out, allow_pickle=False) as part:
        assert part["left_out"].tolist() == [[False, True, False]]
        assert np.array_equal(part["labels"][0, [0, 2]], whole["labels"][1, [0, 2]])
        assert (part["labels"][0, 1] == -1).all()
    assert np.shape(json.loads(out.with_suffix(".runtime.json").read_text())["cpu_seconds"]) == (1, 2)
    block = Block(out)
    block.check_labels(30, out)
    assert block.failures == []
    assert block.answered.tolist() == [[True, False, True]]
    assert [(note.subset, note.point) for note in block.notes] == [(1, 0)]


def test_the_result_of_another_race_is_refused(tmp_path):
    own, other = (job(race=Race(metric=metric), default={"lambda1": 1.0}) for metric in ("ACC", "ARI"))
    file = tmp_path / "race.json"
    write_record(file, {"spec": own.json_text, "points": [1, 2]})
    assert read_race(own, file) == [1, 2]
    with pytest.raises(InputError, match="race"):
        read_race(other, file)
    file.write_text("[]")
    with pytest.raises(InputError, match="race"):
        read_race(own, file)


@pytest.mark.long
def test_peak_memory_is_this_process_own():
    """A small child of a process with 300 MiB."""
    ballast = np.ones(300 * 2**17)
    program = "from consclust_studies.stages.consensus import measure_peak_mib; print(measure_peak_mib())"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 10 < float(child.stdout) < 200
    assert ballast.sum() > 0


def test_grid_points_share_their_random_starts_and_subsets_do_not(tmp_path):
    parameters = {"max_outer": 1, "max_inner": 1, "n_init": 9}
    labels = fitted(job(grid={"lambda1": (1.0, 1.0)}, parameters=parameters), tmp_path)["labels"]
    assert np.array_equal(labels[:, 0], labels[:, 1])
    assert not np.array_equal(labels[0], labels[1]), "the two subsets hold the same clusterings"


def test_a_job_keeps_labels_not_estimators(tmp_path, monkeypatch):
    """81 grid points of a consensus matrix each would fill the memory of a machine at n = 4,000."""

    class Heavy(methods.load("RCE")):
        def _fit(self, ensemble):
            super()._fit(ensemble)
            self.heavy = np.zeros(2_000_000)

    monkeypatch.setattr(methods, "load", lambda name: Heavy)
    tracemalloc.start()
    fitted(job(grid={"lambda1": tuple(map(float, range(1, 11)))}), tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * 16e6


def outputs(folder):
    return {"labels": folder / "0-1.npz", "runtime": folder / "0-1.json"}


@pytest.fixture
def data(tmp_path):
    """A function that writes a prepared data set with these features and returns its path and digest."""

    def write(X):
        names = {"classes": STORED.classes, "class_names": ["a", "b", "c"], "spec": "data"}
        write_arrays(tmp_path / "data.npz", X=X, **names)
        return tmp_path / "data.npz", digest_spec("data")

    return write


def test_features_reach_the_method_that_needs_them(tmp_path, data):
    path, planned = data(features_of(l30()))
    store.save(tmp_path / "ensemble.npz", STORED.labels, STORED.classes, STORED.members, marks("ensemble"))
    grid = {"features": ("pseudo", "original")}
    own = job("SSCE", parameters={"solver": "profile"}, grid=grid, data=planned)
    inputs = {"ensemble": tmp_path / "ensemble.npz", "prepared": path}
    run(own, files_of(inputs, outputs(tmp_path), block="0-1"))
    labels = Block(tmp_path / "0-1.npz", own.digest).labels[:, :, 0]
    for subset, features in itertools.product((0, 1), ("pseudo", "original")):
        fit = SSCE(3, features=features, solver="profile").fit(STORED.subset(subset), features_of(l30()))
        assert np.array_equal(labels[subset, int(features == "original")], fit.labels_)


def test_no_method_is_given_features_that_are_none(data):
    path, planned = data(np.empty((30, 0)))
    with pytest.raises(InputError, match=r"data\.npz: no features, and SSCE needs some; .*case c"):
        read_features(job("SSCE", data=planned), path)


@pytest.mark.parametrize(("key", "file"), [("ensemble", "ensemble.npz"), ("data", "data.npz")])
def test_inputs_made_for_another_job_are_refused(tmp_path, data, key, file):
    path, planned = data(features_of(l30()))
    store.save(tmp_path / "ensemble.npz", STORED.labels, STORED.classes, STORED.members, marks("ensemble"))
    own = job("SSCE", parameters={}, **{"data": planned, key: "0" * 16})
    inputs = {"ensemble": tmp_path / "ensemble.npz", "prepared": path}
    with pytest.raises(InputError, match=rf"^[^\n]*{file}: made with other settings[^\n]*delete it[^\n]*$"):
        run(own, files_of(inputs, outputs(tmp_path), block="0-1"))
    assert not (tmp_path / "0-1.npz").exists()


@pytest.mark.parametrize(("error", "recorded"), [(ConsensusFailure("no answer"), True), (KeyError("x"), False)])
def test_an_expected_failure_is_recorded_and_a_defect_stops_the_job(tmp_path, monkeypatch, error, recorded):
    class Failing(methods.load("RCE")):
        def _fit(self, ensemble):
            if self.lambda1 == 2.0:
                raise error
            super()._fit(ensemble)

    monkeypatch.setattr(methods, "load", lambda name: Failing)
    own = job(grid={"lambda1": (1.0, 2.0)})
    if not recorded:
        with pytest.raises(FitError, match=r"RCE on c, subset 1, .*'lambda1': 2\.0.*KeyError: 'x'"):
            fitted(own, tmp_path)
        assert not list(tmp_path.iterdir())
        return
    written = fitted(own, tmp_path)
    failures = [(f["subset"], f["point"], f["reason"]) for f in json.loads(str(written["failures"]))]
    assert failures == [(0, 1, "no answer"), (1, 1, "no answer")]
    assert (written["labels"][:, 1] == -1).all()
    assert (written["labels"][:, 0] >= 0).all()


def test_a_method_that_needs_two_objects_runs(tmp_path, monkeypatch):
    class Choosy(methods.load("RCE")):
        def _fit(self, ensemble):
            if ensemble.n_objects < 2:
                raise ZeroDivisionError("boom")
            super()._fit(ensemble)

    monkeypatch.setattr(methods, "load", lambda name: Choosy)
    assert fitted(job(), tmp_path)["labels"].min() == 0


def test_what_are_no_labels_stops_the_job_with_its_place(tmp_path, monkeypatch):
    class Wrong(methods.load("RCE")):
        def _fit(self, ensemble):
            self._set_only_labels(np.full(ensemble.n_profiles, 0.5), ensemble.membership)

    monkeypatch.setattr(methods, "load", lambda name: Wrong)
    with pytest.raises(FitError, match=r"RCE on c, subset 1, .*Wrong must give labels that are integers"):
        fitted(job(), tmp_path)


def test_a_long_job_says_in_its_log_how_far_it_is(monkeypatch, caplog):
    monkeypatch.setattr("consclust_studies.stages.consensus.PROGRESS_SECONDS", 0)
    with caplog.at_level("INFO", logger="consclust"):
        fit_subsets(job(grid={"lambda1": (0.1, 1.0)}), SUBSETS, STORED)
    assert [record.message for record in caplog.records] == [
        f"RCE on c: subset {subset} of 2, {fit} of 2 fits" for subset in (1, 2) for fit in (1, 2)
    ]
