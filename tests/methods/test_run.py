"""The consensus job: what it writes, what it records, what it must not keep."""

import itertools
import json
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from test_contract import features_of, l30

from concord.ensembles import store
from concord.ensembles.store import StoredEnsemble, split
from concord.errors import ConsensusFailure, InputError
from concord.files import write_arrays
from concord.methods import SSCE, registry
from concord.methods.command import main, read_features
from concord.methods.run import FitError, Job, run

STORED = StoredEnsemble(np.tile(l30(), 2), np.repeat(np.arange(3), 10), split(16, 8))


def job(method="RCE", points=({},), **changes):
    given = {"study": "s", "case": "c", "method_id": method, "method": method, "parameters": {"max_outer": 2}}
    given |= {"points": points, "subsets": [0, 1], "seed": 5}
    return Job(**{**given, **changes})


def test_labels_of_every_subset_point_and_restart(tmp_path):
    run(
        job(points=[{"lambda1": 0.1}, {"lambda1": 1.0}], parameters={"n_init": 4}),
        STORED,
        tmp_path / "0-1.npz",
    )
    with np.load(tmp_path / "0-1.npz", allow_pickle=False) as written:
        assert written["labels"].shape == (2, 2, 4, 30)
        assert written["labels"].min() == 0
        assert json.loads(str(written["points"])) == [{"lambda1": 0.1}, {"lambda1": 1.0}]
        assert written["subsets"].tolist() == [0, 1]
        assert (written["iterations"] == 20).all()
    runtime = json.loads((tmp_path / "0-1.runtime.json").read_text())
    assert np.shape(runtime["cpu_seconds"]) == (2, 2)
    assert runtime["n_profiles"] == [28, 28]


def test_peak_memory_is_this_process_own():
    """A small child of a process with 300 MiB."""
    ballast = np.ones(300 * 2**17)
    program = "from concord.methods.run import peak_mib; print(peak_mib())"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 10 < float(child.stdout) < 200
    assert ballast.sum() > 0


def test_grid_points_share_their_random_starts_and_subsets_do_not(tmp_path):
    parameters = {"max_outer": 1, "max_inner": 1, "n_init": 9}
    run(job(points=[{"lambda1": 1.0}, {"lambda1": 1.0}], parameters=parameters), STORED, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as written:
        labels = written["labels"]
    assert np.array_equal(labels[:, 0], labels[:, 1])
    assert not np.array_equal(labels[0], labels[1]), "the two subsets hold the same clusterings"


def test_a_job_keeps_labels_not_estimators(tmp_path, monkeypatch):
    """81 grid points of a consensus matrix each would fill the memory of a machine at n = 4,000."""

    class Heavy(registry.load("RCE")):
        def _fit(self, ensemble):
            super()._fit(ensemble)
            self.heavy = np.zeros(2_000_000)

    monkeypatch.setattr(registry, "load", lambda name: Heavy)
    tracemalloc.start()
    run(job(points=[{"lambda1": float(v)} for v in range(1, 11)]), STORED, tmp_path / "a.npz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * 16e6


def test_features_reach_the_method_that_needs_them(tmp_path):
    write_arrays(
        tmp_path / "data.npz", X=features_of(l30()), classes=STORED.classes, class_names=["a", "b", "c"]
    )
    store.save(tmp_path / "ensemble.npz", STORED.labels, STORED.classes, STORED.members)
    line = [
        "--study",
        "s",
        "--case",
        "c",
        "--id",
        "own",
        "--method",
        "SSCE",
        "--subsets",
        "0-1",
        "--seed",
        "1",
    ]
    line += ["--grid", '{"features": ["pseudo", "original"]}', "--parameters", '{"solver": "profile"}']
    line += ["--ensemble", str(tmp_path / "ensemble.npz"), "--out", str(tmp_path / "0-1.npz")]
    with pytest.raises(InputError, match="--data: missing, and SSCE needs features"):
        main(line)
    main([*line, "--data", str(tmp_path / "data.npz")])
    with np.load(tmp_path / "0-1.npz") as written:
        labels = written["labels"][:, :, 0]
    for subset, features in itertools.product((0, 1), ("pseudo", "original")):
        fit = SSCE(3, features=features, solver="profile").fit(STORED.subset(subset), features_of(l30()))
        assert np.array_equal(labels[subset, int(features == "original")], fit.labels_)


def test_no_method_is_given_features_that_are_none(tmp_path):
    write_arrays(
        tmp_path / "data.npz", X=np.empty((30, 0)), classes=STORED.classes, class_names=["a", "b", "c"]
    )
    own = job("SSCE", parameters={})
    with pytest.raises(InputError, match=r"data\.npz: no features, and SSCE needs some"):
        read_features(own, tmp_path / "data.npz")
    assert read_features(job("EAC", parameters={}), None) is None
    assert read_features(job("SSCE", parameters={"features": "pseudo"}), None) is None


@pytest.mark.parametrize(
    ("error", "recorded"), [(ConsensusFailure("no answer"), True), (KeyError("x"), False)]
)
def test_an_expected_failure_is_recorded_and_a_defect_stops_the_job(tmp_path, monkeypatch, error, recorded):
    class Failing(registry.load("RCE")):
        def _fit(self, ensemble):
            if self.lambda1 == 2.0:
                raise error
            super()._fit(ensemble)

    monkeypatch.setattr(registry, "load", lambda name: Failing)
    points = [{"lambda1": 1.0}, {"lambda1": 2.0}]
    if not recorded:
        with pytest.raises(FitError, match=r"RCE on c, subset 1, .*'lambda1': 2\.0.*KeyError: 'x'"):
            run(job(points=points), STORED, tmp_path / "a.npz")
        assert not (tmp_path / "a.npz").exists()
        return
    run(job(points=points), STORED, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as written:
        failures = json.loads(str(written["failures"]))
        assert [(f["subset"], f["point"], f["reason"]) for f in failures] == [
            (0, 1, "no answer"),
            (1, 1, "no answer"),
        ]
        assert (written["labels"][:, 1] == -1).all()
        assert (written["labels"][:, 0] >= 0).all()
