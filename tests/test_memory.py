"""Memory that is free, as Linux's files say it, and fits that need more."""

import subprocess
import sys

import numpy as np
import pytest

from consclust import memory
from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure, MemoryNeeded
from consclust.memory import available
from consclust.methods import CSPA, EAC, ECCMS, ECPCS, LWEA, PTA, SPCE, TRCE
from consclust.methods.base import ConsensusMethod, Cost
from consclust.numerics.components import SplitProfileError
from consclust.testing import l30
from consclust_studies.plan import needs


@pytest.fixture
def machine(tmp_path):
    """Write files of a machine with 1,000 KiB free; return a function that writes those of a control group."""
    process, groups = tmp_path / "proc", tmp_path / "cgroup"
    (process / "self").mkdir(parents=True)
    (process / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable:   1000 kB\n")

    def group(folder, names, limit, used, cached):
        path = groups / folder
        path.mkdir(parents=True, exist_ok=True)
        for name, text in zip((*names, "memory.stat"), (limit, used, f"anon 1\n{cached}\n"), strict=True):
            (path / name).write_text(f"{text}\n" if name != "memory.stat" else text)

    return groups, process, group


NEW, OLD = ("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")


def test_without_groups_the_machine_counts(machine):
    groups, process, _ = machine
    assert available(groups, process) == 1000 * 1024
    (process / "self/cgroup").write_text("0::/\n1:name=systemd:/x\n")
    assert available(groups, process) == 1000 * 1024


@pytest.mark.parametrize("limits", [("5000", "max"), ("max", "5000"), ("9000", "5000"), ("5000", "9000000")])
def test_the_tightest_group_around_the_process_counts(machine, limits):
    groups, process, group = machine
    (process / "self/cgroup").write_text("0::/slurm/job\n")
    for folder, limit in zip(("slurm", "slurm/job"), limits, strict=True):
        group(folder, NEW, limit, 3000, "inactive_file 500")
    assert available(groups, process) == 5000 - 3000 + 500


def test_first_version_of_groups_and_one_that_is_full(machine):
    groups, process, group = machine
    (process / "self/cgroup").write_text("4:cpu,memory:/job\n3:cpuset:/\n0::/\n")
    group("memory/job", OLD, 2000, 1500, "total_inactive_file 100")
    assert available(groups, process) == 600
    group("memory/job", OLD, 2000, 3000, "total_inactive_file 100")
    assert available(groups, process) == 0


def test_where_no_file_says_it_the_machine_is_asked(tmp_path, monkeypatch):
    assert available(tmp_path, tmp_path) > 2**20

    def unknown(name):
        raise ValueError(name)

    monkeypatch.setattr(memory.os, "sysconf", unknown)
    assert available(tmp_path, tmp_path) is None


def test_a_limit_of_the_address_space_counts():
    program = "import resource; from consclust.memory import available; resource.setrlimit(resource.RLIMIT_AS, "
    program += "(2**31, 2**31)); print(available())"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0 <= int(child.stdout) < 2**31


def has(monkeypatch, number):
    """Let the machine have so many bytes, and every fit ask how many."""
    monkeypatch.setattr("consclust.methods.base.FREE", 0)
    monkeypatch.setattr("consclust.methods.base.available", lambda: number)


FORTY = np.repeat(l30(), 2, axis=0)[:40]
PROFILES = Ensemble(FORTY).n_profiles


@pytest.mark.parametrize("method", [EAC, ECCMS, LWEA, ECPCS, PTA, CSPA, SPCE, TRCE])
def test_too_little_memory_is_found_before_the_fit(method, monkeypatch):
    has(monkeypatch, 1000)
    monkeypatch.setattr(method, "_fit", lambda *_: pytest.fail("the fit has started"))
    sizes = rf"\(n = 40 objects, n' = {PROFILES} distinct profiles\)"
    message = rf"^{method.__name__}: its matrices need [\d,]+ bytes of memory, 1,000 are available {sizes}"
    with pytest.raises(MemoryNeeded, match=message) as refused:
        method(3).fit(FORTY)
    assert isinstance(refused.value, MemoryError)
    assert not isinstance(refused.value, ConsensusFailure)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("method", [EAC, ECCMS, LWEA, ECPCS, PTA, CSPA, SPCE, TRCE])
def test_enough_memory_or_none_that_is_known(method, monkeypatch):
    for number in (10**9, None):
        has(monkeypatch, number)
        method(3).fit(FORTY)


def test_bytes_are_those_of_the_declared_matrices(monkeypatch):
    has(monkeypatch, 16 * PROFILES**2 - 1)
    with pytest.raises(MemoryNeeded, match=f"LWEA: its matrices need {16 * PROFILES**2:,} bytes"):
        LWEA(3).fit(FORTY)
    ECPCS(3, variant="MC").fit(FORTY)  # no matrix over the profiles
    has(monkeypatch, 16 * PROFILES**2)
    LWEA(3).fit(FORTY)


def test_matrices_over_objects_and_profiles():
    cost = Cost(0, 0, 0, matrices=3, profile_matrices=5, most_objects=10)
    assert cost.doubles(10, 4) == 3 * 100 + 5 * 16
    assert cost.doubles(11, 4) == 5 * 16
    assert Cost(0, 0, 0).doubles(10, 4) == 0
    assert Cost(0, 0, 0).doubles(10, 4, unmeasured=needs.PROFILE_MATRICES) == 32 * 16


def test_a_method_that_declares_no_cost_is_not_refused(monkeypatch):
    class Undeclared(ConsensusMethod):
        def __init__(self, n_clusters, *, random_state=None):
            self.n_clusters, self.random_state = n_clusters, random_state

        def _fit(self, ensemble):
            self._set_only_labels(np.arange(ensemble.n_profiles) % 3, ensemble.membership)

    has(monkeypatch, 0)
    assert Undeclared(3).fit(FORTY).labels_.max() == 2


@pytest.mark.parametrize("method", [SPCE, TRCE])
def test_a_restart_on_the_objects_is_refused_and_says_why(method, monkeypatch):
    def split(self, ensemble):
        raise SplitProfileError(np.flatnonzero(ensemble.weights > 1))

    monkeypatch.setattr(method, "_solve", split)
    has(monkeypatch, 8 * method.cost.matrices * PROFILES**2)
    with pytest.raises(
        MemoryNeeded, match=f"{method.__name__}: matrices over the objects, as those over profiles do not"
    ):
        method(3).fit(FORTY)


def test_a_linkage_over_the_objects_is_refused_and_says_why(monkeypatch):
    """Where labels are missing two objects with one profile may be less similar than others."""
    labels = FORTY.copy()
    labels[::3, 1:7] = -1
    has(monkeypatch, 10_000)
    with pytest.raises(
        MemoryNeeded, match="LWEA: distances between objects, as those between profiles do not suffice, need"
    ):
        LWEA(3).fit(labels)


def test_the_graph_of_cspa_is_refused_by_its_edges(monkeypatch):
    has(monkeypatch, 16 * PROFILES**2)
    with pytest.raises(MemoryNeeded, match="CSPA: the edges of its graph need"):
        CSPA(3).fit(FORTY)
