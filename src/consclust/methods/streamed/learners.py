"""What each method learns of a stream before the last pass, which labels the objects."""

# SciPy is imported where needed, so that what does without it starts faster

from collections.abc import Mapping
from typing import Any

import numpy as np

from consclust.ensemble import AT_ONCE, FloatArray, IntArray
from consclust.methods.streamed.data import Learned, Learner, StreamData, refuse, refuse_expected
from consclust.methods.streamed.rounds import ROUNDS, fit_sample, go_round
from consclust.methods.streamed.rules import CutRule, MeanRule, ShareRule, embed_by_cut, embed_by_mean
from consclust.methods.streamed.votes import learn_voting
from consclust.numerics.gram import weigh_overlaps
from consclust.numerics.partition import Graph, cut, graph_of_rows, partition_graph, scaled_integers
from consclust.numerics.restarts import kmeans_centres
from consclust.numerics.spectral import RANK, find_rotations
from consclust.plurals import count

# ---------------------------------------------------------------------- transfer cut: HBGF, LWGP


def learn_hbgf(method: Any, data: StreamData) -> Learned:
    """Learn HBGF's transfer cut, whose links all have the weight 1."""
    if method.variant != "tcut":
        raise refuse(method, f"variant = {method.variant!r} needs all profiles", "use variant='tcut'")
    n_labels = len(data.overlaps)
    learned = learn_cut(method, data, np.ones(n_labels))
    note = note_components(data, method.n_clusters)
    if note:
        data.notes.append(note)
    return learned


def learn_lwgp(method: Any, data: StreamData) -> Learned:
    """Learn LWGP's transfer cut, whose links have the weight ECI of their base cluster."""
    return learn_cut(method, data, find_eci(data.overlaps, data.summary.n_clusters, method.theta))


def learn_cut(method: Any, data: StreamData, links: FloatArray) -> Learned:
    """Learn a transfer cut from the weights of the links of each base cluster, (sum of k_i,).

    See :func:`consclust.numerics.tcut.tcut_labels`; all sums over the profiles are sums over the objects here.
    """
    is_constant = bool((links == links[0]).all()) and not data.summary.n_missing
    if is_constant:
        between = data.overlaps * (links[0] / len(data.summary.n_clusters))
    else:
        weighed = weigh_overlaps(data.start_pass(), data.indicator, links, data.summary)
        between = weighed * np.outer(links, links)
    root = 1 / np.sqrt(np.maximum(between.sum(axis=1), np.finfo(float).tiny))
    normalized = between * np.outer(root, root)
    _, vectors = np.linalg.eigh((normalized + normalized.T) / 2)
    leading = root[:, None] * vectors[:, ::-1][:, : method.n_clusters]
    table = links[:, None] * np.column_stack([leading, np.ones(len(leading))])
    profiles = data.profiles
    rows = embed_by_cut(data.indicator.rows(profiles.codes).sum(table))
    labels, costs, centres = kmeans_centres(
        rows, profiles.weights, method.n_clusters, method.n_init, method._rng(), init="k-means++"
    )
    return Learned(CutRule(table, centres[data.choose(labels, costs)]), {})


def note_components(data: StreamData, n_clusters: int) -> str:
    """Return a remark on a graph of more components than clusters, as of :class:`~consclust.methods.hbgf.HBGF`."""
    from scipy.sparse.csgraph import connected_components

    parts = int(connected_components(data.overlaps > 0, directed=False, return_labels=False))
    if not parts > n_clusters > 1:
        return ""
    return f"the base clusterings agree on {count(parts, 'part')}; which of them are joined is arbitrary"


def find_eci(overlaps: IntArray, n_clusters: IntArray, theta: float) -> FloatArray:
    """Return the index ECI of each base cluster, (sum of k_i,), from their overlaps.

    It is that of :func:`consclust.similarity.eci`.
    """
    from scipy.special import entr

    firsts = np.cumsum(n_clusters) - n_clusters
    common = overlaps.astype(float)
    seen = np.add.reduceat(common, firsts, axis=1)
    share = common / np.maximum(np.repeat(seen, n_clusters, axis=1), 1)
    mean_entropy = entr(share).sum(axis=1) / np.log(2) / (seen > 0).sum(axis=1)
    index: FloatArray = np.exp(-mean_entropy / theta)
    return index


# ---------------------------------------------------------------------- SpectralConsensus


def learn_spectral(method: Any, data: StreamData) -> Learned:
    """Learn spectral clustering of the co-association matrix, by its Gram matrix.

    See :func:`consclust.numerics.spectral.mean_embedding`, of which the dense way is not offered.
    """
    summary = data.summary
    if summary.n_missing:
        what = f"with missing labels ({summary.n_missing:,}) the co-association matrix is no product of indicators"
        raise refuse(method, what, "use HBGF, which joins objects and base clusters instead")
    shares = np.full(len(summary.sizes), 1 / len(summary.n_clusters))
    degrees: FloatArray = shares * summary.sizes
    root = np.sqrt(shares)
    weighed = weigh_overlaps(data.start_pass(), data.indicator, degrees, summary)
    values, vectors = np.linalg.eigh(weighed * np.outer(root, root))
    values = values[::-1][: method.n_clusters]
    vectors = vectors[:, ::-1][:, : method.n_clusters]
    if len(values) < method.n_clusters or values[-1] <= RANK:
        what = f"the co-association matrix has a rank below n_clusters = {method.n_clusters}"
        raise refuse(method, what, "set fewer clusters")
    table = np.column_stack([root[:, None] * vectors / np.sqrt(values), degrees])
    profiles = data.profiles
    rows = embed_by_mean(data.indicator.rows(profiles.codes).sum(table))
    by_rotation = method.assign_labels == "discretize"
    if by_rotation:
        labels, costs, turns = find_rotations(rows, profiles.weights, method.n_init, method._rng())
    else:
        labels, costs, turns = kmeans_centres(rows, profiles.weights, method.n_clusters, method.n_init, method._rng())
    return Learned(MeanRule(table, turns[data.choose(labels, costs)], by_rotation), {})


# ---------------------------------------------------------------------- MCLA


def learn_mcla(method: Any, data: StreamData) -> Learned:
    """Learn MCLA's groups of base clusters; see :class:`~consclust.methods.mcla.MCLA`."""
    if data.indicator.counts_expected:
        raise refuse_expected(method)
    n_groups = method.n_meta_clusters or method.n_clusters
    sizes = data.summary.sizes
    order = method._draw_order(len(sizes))
    graph = make_cluster_graph(data.overlaps[np.ix_(order, order)])
    own = sizes[order].astype(float)
    vertex_weights = scaled_integers(own, float(own.sum())) if method.vertex_weight == "size" else None
    parts = partition_graph(graph, n_groups, vertex_weights)
    groups = np.empty_like(parts)
    groups[order] = parts
    belongs = (groups[:, None] == np.arange(n_groups)).astype(float)
    rule = ShareRule(belongs, belongs.sum(axis=0).astype(np.int64))
    return Learned(rule, {"cut_": cut(graph, parts), "meta_labels_": groups})


def make_cluster_graph(overlaps: IntArray) -> Graph:
    """Return the graph of the base clusters, weighted by their Jaccard indices.

    It is that of :func:`consclust.methods.mcla.cluster_graph`.
    """
    n_clusters = len(overlaps)
    sizes = overlaps.diagonal().astype(float)
    index = overlaps / (sizes[:, None] + sizes - overlaps)
    np.fill_diagonal(index, 0.0)
    step = max(1, AT_ONCE // n_clusters)
    blocks = [slice(first, min(first + step, n_clusters)) for first in range(0, n_clusters, step)]
    total = sum(float(index[here].sum()) for here in blocks)  # in the order of the sums there
    rows = ((here, scaled_integers(index[here], total)) for here in blocks)
    return graph_of_rows(rows, n_clusters, int(np.count_nonzero(index)))


# ---------------------------------------------------------------------- round by round: SEC, KCC, Mixture, IVC


def learn_by_rounds(method: Any, data: StreamData) -> Learned:
    """Learn a method whose rounds are passes, from the labels that it gives to the sample."""
    name = type(method).__name__
    if data.indicator.counts_expected:
        raise refuse_expected(method)
    rounds = ROUNDS[name](method, data.summary)
    start = rounds.count_sample(data.summary.sample, fit_sample(method, data))
    passes = (data.start_pass() for _ in range(method.max_iter))
    data.stream.keep_codes(data.summary.n_objects)
    settled = go_round(rounds, start, passes, method.max_iter)
    attributes = rounds.find_attributes(settled.rule, settled.counts)
    attributes |= {"n_iter_": settled.n_rounds, "converged_": settled.converged}
    said = "settled" if settled.converged else "did not settle"
    data.notes.append(f"{count(settled.n_rounds, 'round')} over all objects, which {said}")
    return Learned(settled.rule, attributes)


LEARNERS: Mapping[str, Learner] = {
    **dict.fromkeys(ROUNDS, learn_by_rounds),
    "HBGF": learn_hbgf,
    "LWGP": learn_lwgp,
    "MCLA": learn_mcla,
    "SpectralConsensus": learn_spectral,
    "Voting": learn_voting,
}
"""By the name of the method."""
COUNT_OVERLAPS_FIRST = ("HBGF", "LWGP", "MCLA", "Voting")
"""Methods that need the overlaps of the base clusters in the first pass."""
