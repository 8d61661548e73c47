"""The contract of methods on streams: the labels of a fit in memory, and what is refused in one line."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consclust import methods
from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure
from consclust.methods.streamed.learners import LEARNERS
from consclust.scores import ari
from consclust.stream import StreamedEnsemble
from consclust.testing import L30_CLASSES, l30
from oracle_cases import read_cases

NAMES = sorted(LEARNERS)
BY_COST = {"IVC": lambda ivc: ivc.cost_, "Mixture": lambda mixture: -mixture.log_likelihood_}
"""Methods whose labels may differ, at no higher cost: IVC breaks ties otherwise, and EM may go one round further."""
ORACLES = read_cases("hbgf")
IGNORED = {"IVC", "MCLA", "SEC", "Voting"}
"""Methods that take missing labels on a stream only if they are ignored."""

few_ensembles = settings(max_examples=8, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def stream_of(labels, size=7, missing="expected"):
    blocks = [labels[first : first + size] for first in range(0, len(labels), size)]
    return StreamedEnsemble.from_blocks(blocks, missing, most_in_memory=0)


def fit(name, k, labels):
    return getattr(methods, name)(k, random_state=0).fit(labels)


def assert_is_fit_in_memory(name, k, labels, size, missing="expected"):
    found = fit(name, k, stream_of(labels, size, missing))
    in_memory = fit(name, k, Ensemble(labels, missing))
    if name in BY_COST:
        cost = BY_COST[name]
        rounding = len(labels) * 2.0**-16  # costs of objects are rounded on streams
        assert cost(found) <= (1 + 1e-5) * cost(in_memory) + rounding  # the last round may gain as little
        assert cost(found) >= 0.9 * cost(in_memory) - rounding
    else:
        assert np.array_equal(found.labels_, in_memory.labels_)


@st.composite
def ensembles(draw):
    """Noisy labels of 30 to 200 objects, in 1 to 8 clusterings of 2 to 11 clusters, and a number of clusters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    n = draw(st.integers(30, 200))
    m = draw(st.integers(1, 8))
    k = draw(st.integers(1, 5))
    classes = rng.integers(k + 1, size=(n, 1))
    labels = (3 * classes + rng.integers(3, size=(n, m))) % rng.integers(2, 12, size=m)
    is_wrong = rng.random((n, m)) < 0.2
    labels[is_wrong] = rng.integers(12, size=is_wrong.sum())
    return labels, k


@pytest.mark.long
@pytest.mark.parametrize("case", ["labels_30x8", "e1", "e2", "e3"])
@pytest.mark.parametrize("name", NAMES)
def test_ensembles_of_the_recorded_results(name, case):
    """With these the methods in memory equal the programs of their authors."""
    assert_is_fit_in_memory(name, ORACLES[case]["k"], np.array(ORACLES[case]["labels"]), 7)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted({*NAMES} - {"SpectralConsensus"}))
def test_missing_labels_of_the_recorded_results(name):
    labels = np.array(ORACLES["e2_missing"]["labels"])
    assert (labels == -1).any()
    assert_is_fit_in_memory(name, ORACLES["e2_missing"]["k"], labels, 11, "ignored")
    if name in IGNORED:
        with pytest.raises(ConsensusFailure, match="missing='ignored'"):
            fit(name, 3, stream_of(labels))
    else:
        assert_is_fit_in_memory(name, ORACLES["e2_missing"]["k"], labels, 11, "expected")


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@few_ensembles
@given(ensembles(), st.integers(1, 50))
def test_random_ensembles(name, drawn, size):
    labels, k = drawn
    try:
        assert_is_fit_in_memory(name, k, labels, size)
    except ConsensusFailure as failure:
        assert "on a stream" in str(failure) or "n_clusters = " in str(failure)  # noqa: PT017 - both refuse it


@pytest.mark.parametrize("name", NAMES)
def test_one_cluster(name):
    found = fit(name, 1, stream_of(l30()))
    assert found.labels_.tolist() == [0] * 30


@pytest.mark.parametrize("name", NAMES)
def test_more_clusters_than_profiles_are_refused_in_one_line(name):
    labels = np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    with pytest.raises(ConsensusFailure, match=r"n_clusters = 3 .* 2 groups of objects; set fewer clusters") as refused:
        fit(name, 3, stream_of(labels, 3))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_the_consensus_of_one_clustering_is_it(name):
    labels = 5 - L30_CLASSES[::-1, None]
    assert np.array_equal(fit(name, 3, stream_of(labels)).labels_, L30_CLASSES)


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_blocks_changes_only_the_order_of_the_labels(name):
    """The clusters are clear, so that nothing ties."""
    rng = np.random.default_rng(0)
    classes = rng.integers(4, size=400)
    labels = (classes[:, None] + np.arange(6)) % 4
    is_wrong = rng.random(labels.shape) < 0.1
    labels[is_wrong] = rng.integers(4, size=is_wrong.sum())
    found = fit(name, 4, stream_of(labels, 50)).labels_
    order = rng.permutation(400 // 50)
    moved = np.concatenate([np.arange(400).reshape(-1, 50)[block] for block in order])
    again = fit(name, 4, stream_of(labels[moved], 50)).labels_
    assert ari(found[moved], again) == 1


@pytest.mark.parametrize("damage", ["cut", "empty", "words", "zeros"])
def test_a_damaged_parquet_file_is_refused_in_one_line(tmp_path, damage):
    path = tmp_path / "labels.parquet"
    pd.DataFrame(np.random.default_rng(0).integers(9, size=(5000, 4)), columns=list("abcd")).to_parquet(path)
    whole = path.read_bytes()
    damaged = {"cut": whole[:-100], "empty": b"", "words": b"id,a,b\n", "zeros": whole[:4] + bytes(2000) + whole[2004:]}
    path.write_bytes(damaged[damage])
    with pytest.raises(ValueError, match=f"{path}: no Parquet file, or a damaged one") as refused:
        fit("HBGF", 3, StreamedEnsemble.from_parquet(path, most_in_memory=0))
    assert "\n" not in str(refused.value)


def test_a_parquet_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.parquet"):
        fit("HBGF", 3, StreamedEnsemble.from_parquet(tmp_path / "no.parquet"))
