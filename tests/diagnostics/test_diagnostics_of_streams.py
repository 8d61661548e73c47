"""Diagnostics on base clusterings that are read block by block: those of an ensemble in memory."""

import numpy as np
import pytest

from consclust.diagnostics import agreement_with, consensus_values, pairwise_agreement
from consclust.ensemble import Ensemble
from consclust.numerics import gram
from consclust.stream import StreamedEnsemble

MEASURES = [("ARI", "max"), ("NMI", "max"), ("NMI", "geometric"), ("VI", "max")]


def labels_of(n=400, missing=0.2):
    """Five clusterings of 4 to 8 clusters, one of a single cluster, and one of all objects apart in names of words."""
    rng = np.random.default_rng(0)
    classes = rng.integers(4, size=n)
    noise = rng.random((n, 5)) < 0.3
    labels = np.where(noise, rng.integers(4, size=(n, 5)), classes[:, None]) + np.arange(5) * (classes[:, None] % 2)
    labels = np.column_stack([10**9 * labels, np.zeros(n, dtype=int)])
    is_absent = rng.random(labels.shape) < missing
    is_absent[:, 5] = False
    labels[is_absent] = -1
    return labels, classes


def stream_of(labels, size=70):
    blocks = [labels[first : first + size] for first in range(0, len(labels), size)]
    return StreamedEnsemble.from_blocks(blocks, most_in_memory=0)


@pytest.fixture
def cut(monkeypatch):
    """More objects than 100 are many."""
    monkeypatch.setattr(gram, "EXACT", 100)
    monkeypatch.setattr(gram, "SAMPLE", 50)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize(("measure", "normalization"), MEASURES)
def test_agreement_adds_over_blocks(measure, normalization, missing):
    labels, classes = labels_of(missing=missing)
    classes[::7] = -1
    for size in (33, 400):
        found = agreement_with(stream_of(labels, size), classes, measure, normalization)
        assert found == pytest.approx(agreement_with(labels, classes, measure, normalization), rel=1e-12)
        between = pairwise_agreement(stream_of(labels, size), measure, normalization)
        assert between == pytest.approx(pairwise_agreement(labels, measure, normalization), rel=1e-12)


def test_agreement_is_unknown_without_two_common_objects():
    labels = np.column_stack([np.arange(9) % 2, np.r_[-np.ones(8, dtype=int), 1]])
    one = np.arange(9) % 3
    found = agreement_with(stream_of(labels, 4), one)
    assert np.isnan(found).tolist() == [False, True]
    assert found[0] == pytest.approx(agreement_with(labels, one)[0])


def test_agreement_is_unknown_without_any_label():
    labels, classes = labels_of()
    assert np.isnan(agreement_with(stream_of(labels), np.full_like(classes, -1))).all()


def test_a_stream_that_was_read_is_read_once_more():
    labels, classes = labels_of()
    n_passes = []
    stream = StreamedEnsemble.from_blocks(lambda: n_passes.append(1) or iter([labels]))
    agreement_with(stream, classes)
    assert len(n_passes) == 2
    agreement_with(stream, 7 - classes)
    assert len(n_passes) == 3


@pytest.mark.parametrize("n", [399, 401])
def test_a_clustering_of_other_objects_is_refused(n):
    labels, _ = labels_of()
    with pytest.raises(ValueError, match=f"each of 400 objects, got {n}"):
        agreement_with(stream_of(labels), np.arange(n) % 3)
    with pytest.raises(ValueError, match="shape"):
        agreement_with(stream_of(labels), np.zeros((400, 2), dtype=int))
    with pytest.raises(ValueError, match="measure = 'RI'"):
        agreement_with(stream_of(labels), np.zeros(400, dtype=int), "RI")


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_pairs_are_those_that_are_drawn_in_memory(missing):
    labels, _ = labels_of(missing=missing)
    found = consensus_values(stream_of(labels), most_pairs=0, sample=5000, random_state=3)
    drawn = consensus_values(labels, most_pairs=0, sample=5000, random_state=3)
    for name in ("joined", "containing", "pairs", "exact"):
        assert np.array_equal(getattr(found, name), getattr(drawn, name))
    assert not found.exact
    other = consensus_values(stream_of(labels), most_pairs=0, sample=5000, random_state=4)
    assert not np.array_equal(other.pairs, found.pairs)


def test_pairs_of_few_objects_are_counted():
    labels, _ = labels_of()
    found = consensus_values(stream_of(labels))
    assert found.exact
    assert np.array_equal(found.pairs, consensus_values(labels).pairs)


@pytest.mark.usefixtures("cut")
def test_all_pairs_of_many_objects_are_refused():
    labels, _ = labels_of()
    with pytest.raises(ValueError, match=r"79,800 pairs of a stream"):
        consensus_values(stream_of(labels), most_pairs=np.inf)
    with pytest.raises(ValueError, match="sample = 0"):
        consensus_values(stream_of(labels), most_pairs=0, sample=0)


def test_the_standard_error_is_the_deviation_of_many_samples():
    """The mean over 200 samples is near the exact value, and their deviation near the standard error."""
    labels, _ = labels_of()
    exact = consensus_values(labels)
    assert exact.standard_error(exact.pac()) == 0
    ensemble = Ensemble(labels)
    samples = [consensus_values(ensemble, most_pairs=0, sample=500, random_state=seed) for seed in range(200)]
    pacs = np.array([values.pac() for values in samples])
    error = float(np.mean([values.standard_error(values.pac()) for values in samples]))
    assert pacs.std() == pytest.approx(error, rel=0.2)
    assert abs(pacs.mean() - exact.pac()) < 4 * error / np.sqrt(200)
    assert samples[0].standard_error([0.0, 0.5, 1.0]).tolist()[::2] == [0.0, 0.0]
