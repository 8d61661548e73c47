"""Fits on streams: the same labels as in memory, whatever the blocks are, and the same bytes from parts."""

from itertools import pairwise

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure, MissingLabelsWarning
from consclust.methods import EAC, HBGF, IVC, KCC, LWGP, MCLA, SEC, Mixture, SpectralConsensus, Voting
from consclust.methods.mcla import cluster_graph
from consclust.methods.streamed.fits import learn_summary
from consclust.methods.streamed.learners import find_eci, make_cluster_graph
from consclust.methods.streamed.rules import read_rule
from consclust.numerics import gram
from consclust.numerics.gram import join_summaries, summarise
from consclust.scores import ari
from consclust.similarity import eci
from consclust.stream import StreamedEnsemble

BY_ROUNDS = (KCC, Mixture, SEC)
STREAMED = (HBGF, LWGP, MCLA, SpectralConsensus, Voting, *BY_ROUNDS)
N = 1500


def planted(n=N, missing=0.0, seed=0):
    """Noisy labels of n objects in five classes, in 8 clusterings of 9 to 16 clusters whose names are no 0..k-1."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(5, size=n)
    labels = np.column_stack([(3 * classes + rng.integers(3, size=n)) % (9 + j) for j in range(8)])
    is_wrong = rng.random(labels.shape) < 0.15
    labels[is_wrong] = rng.integers(9, size=is_wrong.sum())
    labels = 7 * labels + 3
    is_absent = rng.random(labels.shape) < missing
    is_absent[np.arange(n), rng.integers(8, size=n)] = False
    labels[is_absent] = -1
    return labels


def streamed(labels, size=N, missing="expected"):
    """The same labels in blocks of so many objects, read in passes however few they are."""
    blocks = [labels[first : first + size] for first in range(0, len(labels), size)]
    return StreamedEnsemble.from_blocks(blocks, missing, most_in_memory=0)


def fit(cls, labels, **parameters):
    return cls(5, random_state=0, **parameters).fit(labels)


@pytest.mark.long
@pytest.mark.parametrize("size", [7, 1000, N])
@pytest.mark.parametrize("cls", STREAMED)
def test_labels_are_those_in_memory_whatever_the_blocks_are(cls, size):
    labels = planted()
    found = fit(cls, streamed(labels, size))
    assert np.array_equal(found.labels_, fit(cls, labels).labels_)
    assert "passes over 1,500 objects" in found.note_


@pytest.mark.parametrize(
    ("cls", "parameters"),
    [
        (SpectralConsensus, {"assign_labels": "kmeans"}),
        (LWGP, {"theta": 0.1, "n_init": 3}),
        (MCLA, {"vertex_weight": "unit"}),
        (MCLA, {"object_order": "random"}),
        (MCLA, {"n_meta_clusters": 7}),
        (KCC, {"utility": "U_c", "normalized": True}),
        (KCC, {"utility": "U_H", "normalized": True}),
        (IVC, {"variant": "IPVC"}),
        (SEC, {"init": "random"}),
        (Voting, {"variant": "adaptive"}),
        (Voting, {"variant": "fixed"}),
        (Voting, {"object_order": "random"}),
    ],
    ids=str,
)
def test_labels_are_those_in_memory_with_other_parameters(cls, parameters):
    labels = planted()
    assert np.array_equal(fit(cls, streamed(labels), **parameters).labels_, fit(cls, labels, **parameters).labels_)


@pytest.mark.parametrize("missing", ["expected", "ignored"])
@pytest.mark.parametrize("cls", [HBGF, LWGP])
def test_missing_labels_count_as_in_memory(cls, missing):
    labels = planted(missing=0.3)
    in_memory = fit(cls, Ensemble(labels, missing))
    for size in (100, N):
        assert np.array_equal(fit(cls, streamed(labels, size, missing)).labels_, in_memory.labels_)


def test_mcla_ignores_missing_labels_as_in_memory():
    labels = planted(missing=0.3)
    found = fit(MCLA, streamed(labels, missing="ignored"))
    in_memory = fit(MCLA, Ensemble(labels, "ignored"))
    assert np.array_equal(found.labels_, in_memory.labels_)
    assert np.array_equal(found.meta_labels_, in_memory.meta_labels_)
    assert found.cut_ == in_memory.cut_


@pytest.mark.parametrize("variant", ["majority", "adaptive", "fixed"])
def test_voting_ignores_missing_labels_as_in_memory(variant):
    labels = planted(missing=0.3)
    found = fit(Voting, streamed(labels, 100, "ignored"), variant=variant)
    in_memory = fit(Voting, Ensemble(labels, "ignored"), variant=variant)
    assert np.array_equal(found.labels_, in_memory.labels_)
    assert np.array_equal(found.order_, in_memory.order_)
    assert found.losses_ == pytest.approx(in_memory.losses_, rel=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_one_to_one_votes_differ_from_memory_only_where_they_tie(missing):
    """In memory rounding of a running mean decides between equal votes."""
    labels = planted(missing=missing)
    found = fit(Voting, streamed(labels, 100, "ignored"), variant="one-to-one")
    in_memory = fit(Voting, Ensemble(labels, "ignored"), variant="one-to-one")
    votes = np.sort(in_memory.memberships_, axis=1)
    is_clear = votes[:, -1] - votes[:, -2] > 1e-9
    assert is_clear.mean() > 0.9
    assert ari(found.labels_[is_clear], in_memory.labels_[is_clear]) == 1
    assert found.losses_ == pytest.approx(in_memory.losses_, rel=1e-9)


def test_an_object_without_a_vote_joins_the_cluster_of_the_mean():
    """The second clustering is the reference; the first one shares no object with it, so that its objects have none."""
    labels = np.full((11, 2), -1)
    labels[:6, 0] = [0, 0, 0, 0, 0, 1]
    labels[6:, 1] = [0, 0, 1, 1, 1]
    with pytest.warns(MissingLabelsWarning):
        in_memory = Voting(2, variant="adaptive").fit(Ensemble(labels, "ignored"))
    found = Voting(2, variant="adaptive").fit(streamed(labels, 3, "ignored"))
    assert np.array_equal(found.labels_, in_memory.labels_)
    assert found.labels_.tolist() == [0] * 6 + [1, 1, 0, 0, 0]


def test_an_object_in_a_cluster_that_is_left_over_joins_the_cluster_of_the_mean():
    """One to one, a clustering of three clusters has one that votes for none of two."""
    labels = np.full((30, 2), -1)
    labels[:20, 0] = [0] * 17 + [1, 1, 2]
    labels[15:, 1] = [0] * 8 + [1] * 7
    with pytest.warns(MissingLabelsWarning):
        in_memory = Voting(2, variant="one-to-one").fit(Ensemble(labels, "ignored"))
    found = Voting(2, variant="one-to-one").fit(streamed(labels, 7, "ignored"))
    assert found.reference_ == in_memory.reference_ == 1
    assert np.array_equal(found.labels_, in_memory.labels_)


@pytest.mark.parametrize(
    ("cls", "missing"),
    [(MCLA, "expected"), (SpectralConsensus, "ignored"), (SEC, "expected"), (IVC, "expected"), (Voting, "expected")],
)
def test_missing_labels_are_refused_where_there_is_no_route(cls, missing):
    with pytest.raises(ConsensusFailure, match="on a stream"):
        fit(cls, streamed(planted(missing=0.1), missing=missing))


def test_other_refusals_name_the_method_and_a_remedy():
    labels = planted()
    with pytest.raises(ConsensusFailure, match="EAC keeps all labels in memory"):
        fit(EAC, streamed(labels))
    with pytest.raises(ConsensusFailure, match="'spectral'"):
        fit(HBGF, streamed(labels), variant="spectral")
    with pytest.raises(ConsensusFailure, match="2 groups of objects"):
        fit(HBGF, streamed(np.array([[0], [0], [1]])))
    with pytest.raises(ConsensusFailure, match="rank below n_clusters = 5"):
        fit(SpectralConsensus, streamed(np.arange(64)[:, None] // [1, 2, 4] % 2))


def test_few_objects_are_fitted_in_memory_by_every_method():
    labels = planted(300, missing=0.1)
    stream = StreamedEnsemble.from_blocks([labels[:100], labels[100:]])
    found = fit(EAC, stream)
    assert np.array_equal(found.labels_, fit(EAC, labels).labels_)
    assert "passes" not in found.note_


def test_an_iterator_of_blocks_is_a_stream():
    labels = planted(300)
    assert np.array_equal(fit(HBGF, iter([labels[:100], labels[100:]])).labels_, fit(HBGF, labels).labels_)


def test_costs_are_those_in_memory():
    labels = planted()
    assert fit(KCC, streamed(labels)).cost_ == pytest.approx(fit(KCC, labels).cost_, rel=1e-6)
    assert fit(SEC, streamed(labels)).association_ == pytest.approx(fit(SEC, labels).association_, rel=1e-4)


@pytest.mark.parametrize("cls", [KCC, Mixture])
def test_a_missing_label_takes_no_part_in_kcc_and_mixture(cls):
    labels = planted(missing=0.3)
    assert ari(fit(cls, streamed(labels, 100)).labels_, fit(cls, labels).labels_) > 0.99


def test_where_ties_of_votes_fall_otherwise_the_cost_is_no_higher():
    labels = planted()
    found = fit(IVC, streamed(labels, 100))
    assert found.cost_ <= fit(IVC, labels).cost_
    assert np.array_equal(found.labels_, fit(IVC, streamed(labels, 999)).labels_)


def test_a_mixture_predicts_after_a_stream():
    labels = planted()
    mixture = fit(Mixture, streamed(labels))
    in_memory = fit(Mixture, labels)
    assert np.array_equal(mixture.predict(labels), mixture.labels_)
    assert mixture.shares_ == pytest.approx(in_memory.shares_, abs=1e-3)
    assert mixture.log_likelihood_ == pytest.approx(in_memory.log_likelihood_, rel=1e-4)
    for own, other in zip(mixture.theta_, in_memory.theta_, strict=True):
        assert own == pytest.approx(other, abs=1e-2)


@pytest.mark.long
@pytest.mark.parametrize("cls", BY_ROUNDS)
def test_rounds_over_all_objects_go_on_from_the_sample(cls, monkeypatch):
    monkeypatch.setattr(gram, "EXACT", 200)
    monkeypatch.setattr(gram, "SAMPLE", 100)
    labels = planted(4000)
    one = fit(cls, streamed(labels, 300), max_iter=1)
    assert not one.converged_
    assert "1 round over all objects, which did not settle" in one.note_
    found = fit(cls, streamed(labels, 300))
    assert found.converged_
    assert found.n_iter_ > 1
    in_memory = fit(cls, labels).labels_
    assert ari(in_memory, found.labels_) >= ari(in_memory, one.labels_)
    assert np.array_equal(found.labels_, fit(cls, streamed(labels, 64)).labels_)


def associate(labels, clusters):
    """The association that SEC maximises: the squared counts of a cluster's labels over the sum of its degrees."""
    indicator = np.concatenate([np.eye(labels.max() + 1)[column] for column in labels.T], axis=1)
    degrees = indicator @ indicator.sum(axis=0)
    counts = indicator.T @ np.eye(clusters.max() + 1)[clusters]
    return float(((counts**2).sum(axis=0) / np.bincount(clusters, degrees)).sum())


def test_rounds_of_sec_settle_where_costs_of_objects_are_tiny(monkeypatch):
    """The cost of an object is about K / n."""
    monkeypatch.setattr(gram, "EXACT", 2000)
    monkeypatch.setattr(gram, "SAMPLE", 1000)
    rng = np.random.default_rng(0)
    truth = rng.integers(6, size=30_000)
    labels = np.column_stack(
        [np.where(rng.random(len(truth)) < 0.7, rng.integers(6, size=len(truth)), truth) for _ in range(6)]
    )
    found = SEC(6, n_init=1, random_state=0).fit(streamed(labels, 4096))
    assert found.association_ == pytest.approx(associate(labels, found.labels_), rel=1e-4)
    assert found.n_iter_ > 3
    assert np.array_equal(found.labels_, SEC(6, n_init=1, random_state=0).fit(streamed(labels, 999)).labels_)


def test_a_clustering_that_labels_no_object_of_the_sample_is_no_obstacle(monkeypatch):
    monkeypatch.setattr(gram, "EXACT", 200)
    monkeypatch.setattr(gram, "SAMPLE", 100)
    labels = planted(4000)
    sample = summarise(streamed(labels)).sample.places
    sparse = np.full(len(labels), -1)
    sparse[np.setdiff1d(np.arange(len(labels)), sample)[:50]] = 1
    both = np.column_stack([labels, sparse])
    for cls in BY_ROUNDS:
        found = fit(cls, streamed(both, missing="ignored"))
        assert ari(found.labels_, fit(cls, streamed(labels)).labels_) > 0.9


def test_what_a_stream_leaves_of_the_rounds_and_what_it_does_not():
    labels = planted()
    assert len(fit(KCC, streamed(labels)).cost_path_) == fit(KCC, streamed(labels)).n_iter_
    mixture = fit(Mixture, streamed(labels))
    in_memory = fit(Mixture, labels)
    assert mixture.log_likelihood_path_[-1] == mixture.log_likelihood_
    assert mixture.bic_ == pytest.approx(in_memory.bic_, rel=1e-3)
    for method in (mixture, fit(Voting, streamed(labels))):
        with pytest.raises(AttributeError, match="not kept after a fit on a stream"):
            method.memberships_  # noqa: B018


@pytest.mark.parametrize("cls", BY_ROUNDS)
def test_rounds_read_the_labels_twice(cls):
    n_reads = []

    def read():
        n_reads.append(1)
        return np.split(planted(), 3)

    stream = StreamedEnsemble.from_blocks(read, most_in_memory=0)
    found = fit(cls, stream)
    assert len(n_reads) == 2
    assert found.note_.startswith(f"{found.n_iter_ + 2} passes")
    fit(cls, stream)  # what an earlier fit kept is not used
    assert len(n_reads) == 4


@pytest.mark.long
@pytest.mark.parametrize("cls", [HBGF, LWGP, SpectralConsensus, Voting, *BY_ROUNDS])
def test_a_sample_finds_nearly_the_same_clusters(cls, monkeypatch):
    monkeypatch.setattr(gram, "EXACT", 1000)
    monkeypatch.setattr(gram, "SAMPLE", 500)
    labels = planted(4000)
    found = fit(cls, streamed(labels, 64))
    assert ari(fit(cls, labels).labels_, found.labels_) > 0.95
    assert "on 500" in found.note_
    assert np.array_equal(found.labels_, fit(cls, streamed(labels, 999)).labels_)


def test_clusters_are_numbered_by_first_appearance_across_blocks():
    labels = planted()
    in_order = labels[np.argsort(fit(HBGF, labels).labels_, kind="stable")][::-1]
    found = fit(HBGF, streamed(in_order, 50)).labels_
    first = np.unique(found, return_index=True)[1]
    assert (np.diff(first) > 0).all()
    assert found.dtype == np.int8


def test_what_an_earlier_fit_left_is_gone():
    mcla = MCLA(5, random_state=0).fit(planted())
    mcla.fit(streamed(planted(2000, seed=1)))
    assert not hasattr(mcla, "_association")
    assert mcla.labels_.shape == (2000,)


@pytest.mark.parametrize("cls", STREAMED)
def test_summaries_of_parts_give_the_rule_of_the_whole(cls):
    labels = planted()
    bounds = [0, 300, 301, 900, N]
    parts = []
    for first, last in pairwise(bounds):
        parts.append(summarise(streamed(labels[first:last], 128), first, with_overlaps=True))
    summaries = (join_summaries(parts), summarise(streamed(labels), with_overlaps=True))
    rules = [learn_summary(cls(5, random_state=0), each, streamed(labels)).rule for each in summaries]
    by_parts, by_whole = (rule.to_arrays() for rule in rules)
    assert {*by_parts} == {*by_whole}
    for name, value in by_whole.items():
        assert np.array_equal(by_parts[name], value), name
    again = read_rule(by_whole)
    sums = np.abs(np.random.default_rng(0).standard_normal((50, again.table.shape[1])))
    assert np.array_equal(again.label(sums), rules[1].label(sums))


def test_eci_and_the_graph_of_the_base_clusters_are_those_in_memory():
    labels = planted(missing=0.2)
    ensemble = Ensemble(labels, "ignored")
    overlaps = ensemble.overlaps().astype(np.int64)
    assert np.array_equal(find_eci(overlaps, ensemble.n_clusters, 0.4), eci(ensemble, 0.4))
    order = np.random.default_rng(0).permutation(len(overlaps))
    here, there = make_cluster_graph(overlaps[np.ix_(order, order)]), cluster_graph(ensemble, order)
    for own, other in zip(here, there, strict=True):
        assert np.array_equal(own, other)
