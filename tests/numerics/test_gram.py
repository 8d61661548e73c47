"""Sums over a stream: overlaps of base clusters, the sample, and their union over parts."""

from itertools import pairwise

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.numerics import gram
from consclust.numerics.gram import (
    CodedRows,
    Indicator,
    check_labelled,
    find_profiles,
    join_summaries,
    read_codes,
    summarise,
    weigh_overlaps,
)
from consclust.numerics.kernels.stream_kernels import add_overlaps, add_overlaps_by_pairs
from consclust.stream import StreamedEnsemble


def labels_of(n=600, missing=0.2):
    rng = np.random.default_rng(1)
    labels = rng.integers(3 + 4 * np.arange(4), size=(n, 4))
    labels[rng.random(labels.shape) < missing] = -1
    labels[:, 0] = np.maximum(labels[:, 0], 0)
    return labels


def stream_of(labels, size=50, missing="expected"):
    blocks = [labels[first : first + size] for first in range(0, len(labels), size)]
    return StreamedEnsemble.from_blocks(blocks, missing)


def test_sizes_and_overlaps_are_those_of_the_ensemble():
    labels = labels_of()
    ensemble = Ensemble(labels)
    summary = summarise(stream_of(labels), with_overlaps=True)
    assert summary.n_objects == 600
    assert summary.n_missing == (labels == -1).sum()
    assert summary.n_clusters.tolist() == ensemble.n_clusters.tolist()
    assert np.array_equal(summary.overlaps, ensemble.overlaps())
    assert np.array_equal(summary.sizes, ensemble.overlaps().diagonal())


@pytest.mark.parametrize("missing", ["expected", "ignored"])
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_overlaps_by_degree_are_those_of_the_ensemble(share, missing):
    labels = labels_of(missing=share)
    ensemble = Ensemble(labels, missing)
    z = ensemble.expected_indicator
    stream = stream_of(labels, missing=missing)
    summary = summarise(stream, with_overlaps=True)
    degrees = np.random.default_rng(0).uniform(0.2, 3, size=z.shape[1])
    found = weigh_overlaps(read_codes(stream), Indicator(summary, missing), degrees, summary)
    factors = ensemble.weights / (z @ degrees)
    wanted = (z.T @ (z * factors[:, None])).toarray()
    assert found == pytest.approx(wanted, rel=1e-10, abs=1e-10)
    in_other_blocks = weigh_overlaps(read_codes(stream_of(labels, 7)), Indicator(summary, missing), degrees, summary)
    assert np.array_equal(in_other_blocks, found)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_overlaps_by_pairs_of_clusterings_are_those_object_by_object(share):
    rng = np.random.default_rng(2)
    n_clusters = np.array([3, 9, 1, 40, 7, 2])
    firsts = np.cumsum(n_clusters) - n_clusters
    codes = np.stack([rng.integers(k, size=5000) for k in n_clusters]).astype(np.int8)
    codes[rng.random(codes.shape) < share] = -1
    factors = rng.integers(100, size=5000)
    found = np.zeros((2, n_clusters.sum(), n_clusters.sum()), dtype=np.int64)
    add_overlaps(codes, firsts, factors, found[0])
    add_overlaps_by_pairs(codes, firsts, factors, found[1])
    assert np.array_equal(found[0], found[1])
    of_missing = (codes[1] == 4) & (codes[3] == 17)
    assert found[0, firsts[1] + 4, firsts[3] + 17] == factors[of_missing].sum()
    whole = np.zeros_like(found[0])
    CodedRows(codes, firsts).add_overlaps(factors.astype(float), whole)
    assert np.array_equal(whole, found[0])


def check_equal(one, other):
    assert one.n_objects == other.n_objects
    assert one.n_missing == other.n_missing
    assert np.array_equal(one.sizes, other.sizes)
    assert np.array_equal(one.overlaps, other.overlaps)
    assert np.array_equal(one.sample.places, other.sample.places)
    assert np.array_equal(one.sample.codes, other.sample.codes)
    for names, same in zip(one.cluster_names, other.cluster_names, strict=True):
        assert np.array_equal(names, same)


@pytest.mark.parametrize(("exact", "sample"), [(10**6, 10**5), (400, 100), (130, 20)])
def test_the_union_of_parts_is_the_whole(monkeypatch, exact, sample):
    monkeypatch.setattr(gram, "EXACT", exact)
    monkeypatch.setattr(gram, "SAMPLE", sample)
    labels = labels_of()
    bounds = [0, 1, 140, 500, 600]
    parts = [summarise(stream_of(labels[a:b], 33), a, with_overlaps=True) for a, b in pairwise(bounds)]
    whole = summarise(stream_of(labels), with_overlaps=True)
    check_equal(join_summaries(parts), whole)
    assert len(whole.sample.places) == (600 if exact > 600 else sample)
    given = np.column_stack([np.append(n, -1)[c] for n, c in zip(whole.cluster_names, whole.sample.codes, strict=True)])
    assert np.array_equal(given, labels[whole.sample.places])


def test_a_sample_is_drawn_evenly(monkeypatch):
    monkeypatch.setattr(gram, "EXACT", 2000)
    monkeypatch.setattr(gram, "SAMPLE", 1000)
    places = summarise(stream_of(np.zeros((50_000, 1), dtype=int), 999)).sample.places
    assert len(places) == 1000
    assert (np.diff(places) > 0).all()
    assert np.bincount(places // 5000, minlength=10) == pytest.approx(np.full(10, 100), abs=40)


def test_profiles_of_a_sample_are_those_of_an_ensemble():
    labels = labels_of()
    profiles = find_profiles(summarise(stream_of(labels)).sample)
    ensemble = Ensemble(labels)
    assert np.array_equal(profiles.codes.T, ensemble.profiles)
    assert np.array_equal(profiles.weights, ensemble.weights)
    assert np.array_equal(profiles.membership, ensemble.membership)


def test_a_clustering_that_labels_none_of_the_sample_stays_missing(monkeypatch):
    monkeypatch.setattr(gram, "EXACT", 20)
    monkeypatch.setattr(gram, "SAMPLE", 10)
    labels = np.column_stack([np.arange(100) % 5, np.full(100, -1)])
    unsampled = np.setdiff1d(np.arange(100), summarise(stream_of(labels[:, :1])).sample.places)
    labels[unsampled[0], 1] = 4
    profiles = find_profiles(summarise(stream_of(labels)).sample)
    assert (profiles.codes[1] == -1).all()


def test_a_clustering_without_any_label_is_refused():
    with pytest.raises(ValueError, match="clustering 1 has no label"):
        check_labelled(summarise(stream_of(np.array([[0, -1], [1, -1]]))))
