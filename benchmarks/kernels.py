"""Compare every compiled kernel with the NumPy code that it replaced, in one process.

    python benchmarks/kernels.py [--kernels rce.a_step ...] [--objects 2000] [--runs 5] [--out kernels.csv]

The NumPy code is that of an earlier commit of this repository (``--commit``), imported beside the present package under
another name. Where a kernel and the code that it replaced do not take the same arguments, the smallest functions around
both that do are compared. For a method's loop over the objects that is one sweep; for the linkage it is SciPy's over
the objects.

Both run in turn on one thread, after a first call that compiles the kernel or loads it from the cache. Prints medians
of CPU seconds, their ratio, and the largest difference between the results, relative to the largest entry.
"""

import argparse
import importlib
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from consclust import similarity
from consclust.ensemble import Ensemble
from consclust.methods import bce as new_bce
from consclust.methods import eccms as new_eccms
from consclust.methods import rmsc as new_rmsc
from consclust.methods import spce as new_spce
from consclust.methods import trce as new_trce
from consclust.methods.peace import blockascent, pairmodel
from consclust.numerics import clusterspace, linkage
from consclust.numerics.kernels import assignment_kernels as assignments
from consclust.numerics.kernels import mixture_kernels as mixtures
from consclust.numerics.kernels import pair_kernels as pairs
from consclust.numerics.kernels import rce_kernels as kernels
from consclust.numerics.kernels import rce_pair_kernels as rce_pairs
from consclust.numerics.kernels import stream_kernels as streams
from consclust.numerics.simplex import project_rows
from speedup import COMMIT, earlier

CLASSES, CLUSTERINGS = 10, 20
HEADS = ["kernel", "replaced", "rows", "NumPy s", "kernel s", "ratio", "difference"]
LINE = "{:<24}{:<44}{:>6}{:>10}{:>10}{:>8}{:>12}"
PENALTIES = (0.4, 1.0, 1.0)  # lambda, gamma1 and gamma2 of EC-CMS

Pair = tuple[str, int, Callable[[], Any], Callable[[], Any]]
"""What was replaced, the number of rows (profiles or objects), the old code, and the new; both return arrays."""


class Data(SimpleNamespace):
    """What the kernels work on: the same objects in both versions, and numbers drawn at random."""

    def __init__(self, n: int, old: Callable[[str], ModuleType]) -> None:
        rng = np.random.default_rng(0)
        classes = rng.integers(CLASSES, size=n)
        noise = rng.integers(3 * CLASSES, size=(n, CLUSTERINGS))
        labels = np.where(rng.random((n, CLUSTERINGS)) < 0.15, noise, classes[:, None])
        ensemble = Ensemble(labels)
        matrix = np.clip(ensemble.coassociation + 0.01 * rng.random((ensemble.n_profiles,) * 2), 0.001, 0.999)
        super().__init__(
            rng=rng, old=old, labels=labels, ensemble=ensemble, a=(matrix + matrix.T) / 2,
            memberships=(np.eye(CLASSES)[classes] + rng.dirichlet(np.ones(CLASSES), n)) / 2,
        )  # fmt: skip

    def posterior(self) -> tuple[Any, Any, Any]:
        """Return words, model and posterior of BCE."""
        words = new_bce.Words.make(self.ensemble)
        model = new_bce.random_start(words, CLASSES, np.random.default_rng(0))
        return words, model, new_bce.e_step(words, model, 0.01, 499)

    def table(self) -> Any:
        """Return positive numbers for each base cluster and class, (sum of k_i, K)."""
        return self.rng.random((self.ensemble.sparse_indicator.shape[1], CLASSES)) + 0.1

    def confident(self) -> tuple[Any, Any]:
        """Return the inputs of EC-CMS: the similarity with its border, and the high-confidence matrix."""
        matrix = np.vstack([similarity.lwca(self.ensemble), np.ones(self.ensemble.n_profiles)])
        return matrix, similarity.hc(self.ensemble, 0.8)


def e_step_of_bce(data: Data) -> Pair:
    old = data.old("methods.bce")
    words = [old.Words.of(data.ensemble), new_bce.Words.make(data.ensemble)]
    model = new_bce.random_start(words[1], CLASSES, np.random.default_rng(0))
    return (
        "BCE: E-step over all profiles",
        data.ensemble.n_profiles,
        lambda: old.e_step(words[0], model, 0.01, 499).gamma,
        lambda: new_bce.e_step(words[1], model, 0.01, 499).gamma,
    )


def expected_counts(data: Data) -> Pair:
    old, (words, _, posterior) = data.old("methods.bce"), data.posterior()
    return (
        "BCE: M-step for beta",
        data.ensemble.n_profiles,
        lambda: old.new_beta(words, posterior.phi, 1e-6),
        lambda: new_bce.new_beta(words, posterior.phi, 1e-6),
    )


def label_bound(data: Data) -> Pair:
    old, (words, model, posterior) = data.old("methods.bce"), data.posterior()
    before = old.Words.of(data.ensemble)
    return (
        "BCE: lower bound of the likelihood",
        data.ensemble.n_profiles,
        lambda: np.array(old.lower_bound(before, model, posterior)),
        lambda: np.array(new_bce.lower_bound(words, model, posterior)),
    )


def reassign(data: Data) -> Pair:
    ensemble, old = data.ensemble, data.old("methods.kmeans")
    shares = np.full(CLUSTERINGS, 1 / CLUSTERINGS)
    rows = ensemble.coassociation * np.sqrt(ensemble.weights)
    return (
        "k-means on co-association rows (scikit-learn)",
        ensemble.n_profiles,
        lambda: old.kmeans_restarts(rows, ensemble.weights, CLASSES, 1, np.random.default_rng(0))[1],
        lambda: clusterspace.mean_kmeans(ensemble, shares, CLASSES, 1, np.random.default_rng(0))[1],
    )


def squares(data: Data) -> Pair:
    from consclust.numerics.kernels.clusterspace_kernels import squares as kernel

    z, ensemble = data.ensemble.sparse_indicator, data.ensemble
    columns, gram = z.indices.reshape(z.shape[0], -1).astype(np.uint32), ensemble.overlaps() / CLUSTERINGS**2
    rows = ensemble.coassociation * np.sqrt(ensemble.weights)
    return (
        "squared lengths of co-association rows",
        z.shape[0],
        lambda: (rows**2).sum(axis=1),
        lambda: kernel(columns, gram),
    )


def solve(data: Data) -> Pair:
    block, confident = data.confident()
    old, new = (
        module.Inverse(confident, data.ensemble.weights, 2.0) for module in (data.old("methods.eccms"), new_eccms)
    )
    panels = new.panels(block[:-1], block[-1])

    def plain() -> Any:
        matrix = block.copy()
        old.apply(matrix)
        return matrix

    def compiled() -> Any:
        matrix = panels.copy()
        new.apply(matrix)
        return np.vstack(new.matrix(matrix))

    return "EC-CMS: solve for C (SuperLU)", data.ensemble.n_profiles, plain, compiled


def advance(data: Data) -> Pair:
    block, confident = data.confident()
    old_eccms = data.old("methods.eccms")
    inverses = [module.Inverse(confident, data.ensemble.weights, 2.0) for module in (old_eccms, new_eccms)]
    for inverse in inverses:  # the solve, which comes first in an iteration, is left out
        inverse.apply = lambda matrix: np.multiply(matrix, 0.6, out=matrix)
    old = old_eccms.Splitting(block.copy(), confident > 0, inverses[0], *PENALTIES)
    new = new_eccms.Splitting(block[:-1].copy(), confident > 0, inverses[1], PENALTIES)
    for splitting in (old, new):
        splitting.iterate()  # the first change is infinite
    return (
        "EC-CMS: E, F and the multipliers",
        data.ensemble.n_profiles,
        lambda: np.array(old.iterate()),
        lambda: np.array(new.iterate()),
    )


def chain(data: Data) -> Pair:
    from scipy.cluster.hierarchy import linkage as merges

    old, matrix, members = data.old("methods.hierarchy"), similarity.lwca(data.ensemble), data.ensemble.membership
    return (
        "average linkage (SciPy, over the objects)",
        len(matrix),
        lambda: merges(old._distances(matrix, members), "average")[:, 2],
        lambda: linkage.object_merges(matrix, members, "average")[1],
    )


def model_of_pairs(data: Data) -> tuple[Any, Any]:
    return data.old("methods.pairmodel").PairModel.of(data.old("ensemble").Ensemble(data.labels)), pairmodel.PairModel(
        data.ensemble
    )


def derivatives(data: Data) -> Pair:
    old, new = model_of_pairs(data)
    share = data.memberships @ data.memberships.T

    def plain() -> Any:
        weights, parted = old.together / share, old.apart / (1 - share)
        curvature = weights / share + parted / (1 - share)
        return np.stack([weights - parted, curvature])

    def compiled() -> Any:
        found = np.empty((2, *share.shape))
        pairs.derivatives(new.together, new.apart, share, found[0], found[1], np.inf)
        return found

    return "PEACE: derivatives over all pairs", len(share), plain, compiled


def narrow(data: Data) -> Pair:
    share = data.memberships @ data.memberships.T
    weights, steepest = 1 / share, blockascent.STEEPEST
    plain_found, found = np.empty((2, *share.shape), np.float32)

    def plain() -> Any:
        return np.clip(weights, -steepest, steepest, out=plain_found)

    def compiled() -> Any:
        pairs.narrow(weights, steepest, found)
        return found

    return "PEACE: weights in single precision", len(share), plain, compiled


def rise(data: Data) -> Pair:
    old, new = model_of_pairs(data)
    gain = data.old("methods.pairmodel").gain
    before, after = (y @ y.T for y in (data.memberships, data.memberships[::-1]))
    return (
        "PEACE: rise of the likelihood",
        len(before),
        lambda: np.array(gain(old.together, old.apart, before, after)),
        lambda: np.array(2 * pairs.rise(new.together, new.apart, before, after, 0)),
    )


def sweep(data: Data) -> Pair:
    models = model_of_pairs(data)

    def swept(module: Any, model: Any) -> Any:
        y = data.memberships.copy()
        module.sweep(model, y, 0.0)
        return y

    return (
        "PEACE: Newton steps, object by object",
        len(data.labels),
        lambda: swept(data.old("methods.blockascent"), models[0]),
        lambda: swept(blockascent, models[1]),
    )


def steps(data: Data) -> Pair:
    old, new = model_of_pairs(data)
    ascend = data.old("methods.pairmodel").pairwise_ascent
    return (
        "PEACE: 200 steps of the published ascent",
        len(data.labels),
        lambda: ascend(old, data.memberships, 0.0, 200).memberships,
        lambda: pairmodel.pairwise_ascent(new, data.memberships, 0.0, 200).memberships,
    )


def e_step_of_rce(data: Data) -> Pair:
    ensemble, cost = data.ensemble, np.empty_like(data.a)
    hard = data.old("methods.rce").HardPairs(ensemble.counts, ensemble.observed, 1.0)
    return (
        "RCE: E-step from counts",
        len(data.a),
        lambda: cost_of(hard.e_step(data.a)),
        lambda: (kernels.hard_errors(ensemble.counts, ensemble.observed, 1.0, ensemble.weights, data.a, cost), cost)[1],
    )


def cost_of(errors: Any) -> Any:
    return errors.log_off - errors.log_on


def soft_e_step(data: Data) -> Pair:
    profiles = data.ensemble.profiles[:400]
    connective = (profiles.T[:, :, None] == profiles.T[:, None, :]).astype(float)
    a = np.ascontiguousarray(data.a[:400, :400])
    soft, cost = data.old("methods.rce").SoftPairs(connective, 1.0), np.empty_like(a)
    return (
        "RCE: E-step from connective matrices",
        len(a),
        lambda: cost_of(soft.e_step(a)),
        lambda: (kernels.soft_errors(connective, 1.0, a, cost), cost)[1],
    )


def a_step(data: Data) -> Pair:
    old, ensemble = data.old("methods.rce"), data.ensemble
    errors = old.HardPairs(ensemble.counts, ensemble.observed, 1.0).e_step(data.a)
    cost, pulls = cost_of(errors), np.zeros((2, data.a.size))
    places = np.flatnonzero((data.a > 0) & (data.a < 1))
    at_places = places, places, cost.ravel()[places], ensemble.observed.ravel()[places]

    def plain() -> Any:
        matrix = data.a.copy()
        old.a_steps(matrix, errors, ensemble.observed, None, 1, None, False)
        return matrix

    def compiled() -> Any:
        matrix, change = data.a.copy(), np.empty(data.a.size, dtype=np.float32)
        kernels.a_step(*at_places, pulls, 0.0, matrix.ravel(), change)
        return matrix

    return "RCE: A-step without its products", len(data.a), plain, compiled


def divergence(data: Data) -> Pair:
    old, ensemble = data.old("methods.rce"), data.ensemble
    errors = old.HardPairs(ensemble.counts, ensemble.observed, 1.0).e_step(data.a)
    cost = np.empty_like(data.a)
    constant = kernels.hard_errors(ensemble.counts, ensemble.observed, 1.0, ensemble.weights, data.a, cost)
    rest = (ensemble.observed, ensemble.weights, 1.0, 0.0, SimpleNamespace(norm=0.0))
    return (
        "RCE: objective without the nuclear norm",
        len(data.a),
        lambda: np.array(old._objective(data.a, errors, *rest)),
        lambda: np.array(constant + kernels.divergence(data.a, cost, ensemble.observed, ensemble.weights)),
    )


class PlainPairs:
    """The part of each pair in RCE's objective J4 with the best errors, and its slope, in NumPy."""

    def __init__(self, data: Data) -> None:
        self.lambda1 = 0.5
        self.on = data.ensemble.counts.ravel()
        self.off = (data.ensemble.observed - data.ensemble.counts).ravel()
        self.lines = 2 * data.rng.normal(size=self.on.size)

    def best(self, s: Any) -> Any:
        """Return the cleaned entry of a clustering that joins the pair, by Theorem 3."""
        return 2 * s / (1 - self.lambda1 + np.sqrt((1 - self.lambda1) ** 2 + 4 * self.lambda1 * s))

    def slope(self, s: Any) -> Any:
        """Return the derivative of each pair's part."""
        joined, parted = (np.log1p(-self.lambda1 / (1 + self.lambda1 * self.best(part))) for part in (s, 1 - s))
        return self.on * joined - self.off * parted

    def value(self, s: Any) -> Any:
        """Return each pair's part, by its divergences and penalties."""
        total = 0.0
        for times, part in ((self.on, s), (self.off, 1 - s)):
            y = self.best(part)
            with np.errstate(divide="ignore", invalid="ignore"):
                kept = np.nan_to_num(part * np.log(part / y))
                divergence = kept + np.nan_to_num((1 - part) * np.log((1 - part) / (1 - y)))
            total = total + times * (divergence + self.lambda1 * (1 - y))
        return total

    def minimise(self, parabola: float) -> Any:
        """Return the minimum of each pair's part plus its line and a parabola, by bisection."""
        low, high = np.zeros(self.on.size), np.ones(self.on.size)
        for _ in range(60):
            middle = (low + high) / 2
            is_left = self.slope(middle) + self.lines + parabola * middle > 0
            low, high = np.where(is_left, low, middle), np.where(is_left, middle, high)
        return middle


def values_of_pairs(data: Data) -> Pair:
    pairs_of_rce, s = PlainPairs(data), data.a.ravel()
    given = pairs_of_rce.on, pairs_of_rce.off, pairs_of_rce.lambda1
    ones = np.ones(s.size)
    return (
        "RCE: pairs in the objective, by NumPy",
        len(data.a),
        lambda: np.array(pairs_of_rce.value(s).sum()),
        lambda: np.array(rce_pairs.sum_of_values(*given, s, ones)),
    )


def minima_of_pairs(data: Data, parabola: float) -> Pair:
    pairs_of_rce = PlainPairs(data)
    given = pairs_of_rce.on, pairs_of_rce.off, pairs_of_rce.lambda1, pairs_of_rce.lines
    ones = np.ones(data.a.size)

    def plain() -> Any:
        s = pairs_of_rce.minimise(parabola)
        return s if parabola else np.array((pairs_of_rce.value(s) + pairs_of_rce.lines * s).sum())

    def compiled() -> Any:
        s = data.a.ravel().copy()
        if parabola:
            rce_pairs.minimise_pairs(*given, parabola, 0.0, 1.0, s)
            return s
        return np.array(rce_pairs.sum_of_minima(*given, 0.0, 1.0, s, ones))

    what = "step of splitting" if parabola else "bound"
    return f"RCE: pairs in the {what}, by bisection", len(data.a), plain, compiled


def views_of_rmsc(data: Data, what: str, name: str) -> Pair:
    """Compare a method of RMSC's transition matrices, after a first update of errors and multipliers."""
    views = [module.Views(data.ensemble, 0.005) for module in (data.old("methods.rmsc"), new_rmsc)]
    p = data.a / (data.a @ data.ensemble.weights)[:, None]
    for each in views:
        each.fit_errors(p, 0.01)
        each.ascend(p, 0.01)
    given = [p, 0.01] if name != "error_norm" else []
    return (
        f"RMSC: {what}",
        len(p),
        lambda: np.array(getattr(views[0], name)(*given)),
        lambda: np.array(getattr(views[1], name)(*given)),
    )


def connective_of_trce(data: Data, what: str, name: str, given: Any) -> Pair:
    old, new = (module.Connective(data.ensemble) for module in (data.old("methods.trce"), new_trce))
    return (
        f"TRCE: {what}",
        data.ensemble.n_profiles,
        lambda: getattr(old, name)(given),
        lambda: getattr(new, name)(given),
    )


def quotient_rows(data: Data) -> Pair:
    from consclust.numerics.kernels.trce_kernels import quotient_rows as kernel

    old, weights = data.old("methods.trce"), data.ensemble.weights
    h, pull = old.Connective(data.ensemble).weighted(np.ones(CLUSTERINGS)), 1 - data.a
    return (
        "TRCE: rows by Newton's method",
        len(h),
        lambda: old.quotient_rows(h, pull, weights),
        lambda: kernel(h, pull, weights),
    )


def pairs_of_spce(data: Data, what: str, name: str, found: str, given: tuple[float, ...] = ()) -> Pair:
    """Compare an update of SPCE; sums over the clusterings come first in both."""
    old, new = (module.Pairs(data.ensemble, 0.3) for module in (data.old("methods.spce"), new_spce))
    rows, columns = new._first, new._second

    def plain() -> Any:
        getattr(old, name)(*given)
        values = getattr(old, found)
        return values[rows, columns] if values.ndim == 2 else values

    def compiled() -> Any:
        getattr(new, name)(*given)
        return getattr(new, found)

    return f"SPCE: {what}", data.ensemble.n_profiles, plain, compiled


def similarity_of_spce(data: Data) -> Pair:
    """Compare the update of S, the distances between the rows of F included."""
    old, new = (module.Pairs(data.ensemble, 0.3) for module in (data.old("methods.spce"), new_spce))
    f = data.rng.normal(size=(data.ensemble.n_profiles, 5))

    def plain() -> Any:
        old.update_similarity(2.0 * cdist(f, f, "sqeuclidean"))
        return old.similarity

    def compiled() -> Any:
        new.update_similarity(f, 2.0)
        return new.similarity

    return "SPCE: similarity", len(f), plain, compiled


def simplex(data: Data) -> Pair:
    old, weights = data.old("methods.rmsc").project_rows, data.ensemble.weights.astype(float)
    matrix = data.a / data.a.sum(axis=1, keepdims=True) + 0.01 * data.rng.normal(size=data.a.shape)
    return (
        "RMSC, TRCE: rows onto the simplex",
        len(matrix),
        lambda: old(matrix, weights),
        lambda: project_rows(matrix, weights),
    )


def sum_common(data: Data) -> Pair:
    """Compare with NumPy's minimum of two rows for each pair of base clusters; no earlier commit has this."""
    from consclust.numerics.kernels.strength_kernels import sum_common as kernel

    index = similarity.jaccard(data.ensemble)
    weights = data.rng.random(len(index))
    stops = np.full(len(index), len(index))

    def plain() -> Any:
        rows = [np.minimum(row, index[a:]) @ weights for a, row in enumerate(index)]
        return np.stack([np.pad(row, (len(index) - len(row), 0)) for row in rows])

    return "GP-MGLA, LCE: common neighbours of clusters", len(index), plain, lambda: kernel(index, weights, stops)


def assign(data: Data) -> Pair:
    z, table = data.ensemble.sparse_indicator.astype(float), data.table()
    offsets, factors = data.rng.random(table.shape[1]), data.ensemble.weights.astype(float)
    labels, least = np.zeros(z.shape[0], dtype=np.int64), np.empty(z.shape[0])

    def plain() -> Any:
        scores = z @ table + np.outer(factors, offsets)
        return np.stack([scores.argmin(axis=1), scores.min(axis=1)])

    def compiled() -> Any:
        assignments.assign(z.indptr, z.indices, z.data, table, offsets, factors, labels, least)
        return np.stack([labels, least])

    return "profiles to the nearest cluster, by a table", z.shape[0], plain, compiled


def sum_rows(data: Data) -> Pair:
    z, weights = data.ensemble.sparse_indicator.astype(float), data.ensemble.weights.astype(float)
    labels = np.arange(z.shape[0]) % CLASSES

    def compiled() -> Any:
        sums = np.zeros((z.shape[1], CLASSES))
        assignments.sum_rows(z.indptr, z.indices, z.data, weights, labels, sums)
        return sums

    return (
        "sums of the profiles of each cluster",
        z.shape[0],
        lambda: z.T @ (weights[:, None] * np.eye(CLASSES)[labels]),
        compiled,
    )


def upper_overlaps(data: Data, add: Callable[..., None]) -> Pair:
    codes, firsts = codes_of(data)
    z, factors = data.ensemble.sparse_indicator[data.ensemble.membership], np.arange(data.ensemble.n_objects)

    def compiled() -> Any:
        overlaps = np.zeros((z.shape[1], z.shape[1]), dtype=np.int64)
        add(codes, firsts, factors, overlaps)
        return overlaps

    return "overlaps of clusters", z.shape[0], lambda: np.triu((z.T @ (z * factors[:, None])).toarray()), compiled


def upper_products(data: Data) -> Pair:
    z, factors = data.ensemble.sparse_indicator.astype(float), np.arange(data.ensemble.n_profiles).astype(float)

    def compiled() -> Any:
        overlaps = np.zeros((z.shape[1], z.shape[1]), dtype=np.int64)
        streams.add_products(z.indptr, z.indices, z.data, factors, overlaps)
        return overlaps

    return (
        "overlaps of expected labels",
        z.shape[0],
        lambda: np.triu((z.T @ (z * factors[:, None])).toarray()),
        compiled,
    )


def sum_rows_of_table(data: Data) -> Pair:
    codes, firsts = codes_of(data)
    z, table = data.ensemble.sparse_indicator[data.ensemble.membership].astype(float), data.table()
    sums = np.empty((z.shape[0], table.shape[1]))

    def compiled() -> Any:
        streams.sum_rows_of_table(codes, firsts, table, sums)
        return sums

    return "sums of rows of a table", z.shape[0], lambda: z @ table, compiled


def find_least(data: Data) -> Pair:
    n, rng = data.ensemble.n_objects, np.random.default_rng(0)
    scores, offsets, degrees = rng.random((n, CLASSES)), rng.random(CLASSES), rng.random(n)

    def compiled() -> Any:
        labels, least = np.empty(n, dtype=np.int64), np.empty(n)
        streams.find_least(scores, offsets, degrees, labels, least)
        return labels

    return "column of the least score", n, lambda: (scores + np.outer(degrees, offsets)).argmin(axis=1), compiled


def find_least_products(data: Data) -> Pair:
    rng = np.random.default_rng(0)
    rows, table, offsets = rng.random((data.ensemble.n_objects, CLASSES)), rng.random((CLASSES, 16)), rng.random(16)

    def compiled() -> Any:
        labels = np.empty(len(rows), dtype=np.int64)
        streams.find_least_products(rows, table, offsets, labels)
        return labels

    return "column of the least product", len(rows), lambda: (rows @ table + offsets).argmin(axis=1), compiled


def join_nearest(data: Data) -> Pair:
    codes, firsts = codes_of(data)
    z, table = data.ensemble.sparse_indicator[data.ensemble.membership].astype(float), data.table()
    offsets = np.random.default_rng(0).random(table.shape[1])

    def plain() -> Any:
        labels = (z @ table + offsets).argmin(axis=1)
        return z.T @ np.eye(len(offsets))[labels]

    def compiled() -> Any:
        counts, sizes = np.zeros((z.shape[1], len(offsets))), np.zeros(len(offsets))
        streams.join_nearest(codes, firsts, table, offsets, False, counts, sizes, 1.0)
        return counts

    return "objects of base clusters by nearest cluster", z.shape[0], plain, compiled


def share_among_components(data: Data) -> Pair:
    codes, firsts = codes_of(data)
    z, log_theta = data.ensemble.sparse_indicator[data.ensemble.membership].astype(float), np.log(data.table())
    log_shares = np.full(CLASSES, -np.log(CLASSES))

    def plain() -> Any:
        scores = z @ log_theta + log_shares
        return z.T @ np.exp(scores - logsumexp(scores, axis=1, keepdims=True))

    def compiled() -> Any:
        counts, sizes = np.zeros((z.shape[1], CLASSES)), np.zeros(CLASSES)
        units = (2.0**-40, 2.0**-16)
        streams.share_among_components(codes, firsts, log_theta, log_shares, counts, sizes, units)
        return counts

    return "Mixture on a stream: E-step and its sums", z.shape[0], plain, compiled


def count_by_base_cluster(data: Data) -> Pair:
    codes, firsts = codes_of(data)
    z = data.ensemble.sparse_indicator[data.ensemble.membership].astype(float)
    labels = np.random.default_rng(0).integers(CLASSES, size=z.shape[0])

    def compiled() -> Any:
        counts = np.zeros((z.shape[1], CLASSES), dtype=np.int64)
        streams.count_labels(codes, firsts, labels, counts)
        return counts

    return "objects of base clusters by label", z.shape[0], lambda: z.T @ np.eye(CLASSES)[labels], compiled


def count_members(data: Data) -> Pair:
    codes, firsts = codes_of(data)
    z = data.ensemble.sparse_indicator[data.ensemble.membership]

    def compiled() -> Any:
        sizes = np.zeros(z.shape[1], dtype=np.int64)
        streams.count_members(codes, firsts, sizes)
        return sizes

    return "objects of base clusters", z.shape[0], lambda: z.sum(axis=0), compiled


def add_earlier(data: Data) -> Pair:
    codes, firsts = codes_of(data)
    z = data.ensemble.sparse_indicator[data.ensemble.membership].astype(np.int64)
    ends, factors = np.append(firsts[1:], z.shape[1]), np.arange(CLUSTERINGS) + 1

    def plain() -> Any:
        overlaps = np.zeros((z.shape[1], z.shape[1]), dtype=np.int64)
        for i, (first, end) in enumerate(zip(firsts, ends, strict=True)):
            overlaps[first:end, :first] = factors[i] * (z[:, first:end].T @ z[:, :first]).toarray()
        return overlaps

    def compiled() -> Any:
        overlaps = np.zeros((z.shape[1], z.shape[1]), dtype=np.int64)
        streams.add_earlier(codes, firsts, factors, overlaps)
        return overlaps

    return "overlaps with earlier clusterings", z.shape[0], plain, compiled


def codes_of(data: Data) -> tuple[Any, Any]:
    """Return the labels of the objects as a stream has them, (m, n), and the first cluster of each clustering."""
    n_clusters = data.ensemble.n_clusters
    return np.ascontiguousarray(data.ensemble.labels.T.astype(np.int8)), np.cumsum(n_clusters) - n_clusters


def e_step_of_mixture(data: Data) -> Pair:
    z, log_theta = data.ensemble.sparse_indicator.astype(float), np.log(data.table())
    log_shares = np.full(CLASSES, -np.log(CLASSES))
    responsibilities = np.empty((z.shape[0], CLASSES))

    def plain() -> Any:
        scores = z @ log_theta + log_shares
        return np.exp(scores - logsumexp(scores, axis=1, keepdims=True))

    def compiled() -> Any:
        mixtures.e_step(z.indptr, z.indices, log_theta, log_shares, responsibilities)
        return responsibilities

    return "Mixture: E-step over all profiles", z.shape[0], plain, compiled


def count_labels(data: Data) -> Pair:
    z, weights = data.ensemble.sparse_indicator.astype(float), data.ensemble.weights.astype(float)
    responsibilities = data.rng.dirichlet(np.ones(CLASSES), z.shape[0])
    return (
        "Mixture: labels of each component",
        z.shape[0],
        lambda: z.T @ (weights[:, None] * responsibilities),
        lambda: mixtures.count_labels(z.indptr, z.indices, weights, responsibilities, z.shape[1]),
    )


CASES: dict[str, Callable[[Data], Pair]] = {
    "assignment.assign": assign,
    "assignment.sum_rows": sum_rows,
    "mixture.e_step": e_step_of_mixture,
    "mixture.count_labels": count_labels,
    "bce.e_step": e_step_of_bce,
    "bce.expected_counts": expected_counts,
    "bce.label_bound": label_bound,
    "clusterspace.reassign": reassign,
    "clusterspace.squares": squares,
    "eccms.advance": advance,
    "eccms.solve": solve,
    "linkage.chain": chain,
    "pair.derivatives": derivatives,
    "pair.narrow": narrow,
    "pair.rise": rise,
    "pair.steps": steps,
    "pair.sweep": sweep,
    "rce.a_step": a_step,
    "rce.divergence": divergence,
    "rce.hard_errors": e_step_of_rce,
    "rce.soft_errors": soft_e_step,
    "rce_pair.minimise_pairs": partial(minima_of_pairs, parabola=0.3),
    "rce_pair.sum_of_minima": partial(minima_of_pairs, parabola=0.0),
    "rce_pair.sum_of_values": values_of_pairs,
    "rmsc.ascend": partial(views_of_rmsc, what="multipliers", name="ascend"),
    "rmsc.error_norm": partial(views_of_rmsc, what="norm of the errors", name="error_norm"),
    "rmsc.fit_errors": partial(views_of_rmsc, what="errors", name="fit_errors"),
    "rmsc.pull": partial(views_of_rmsc, what="sum over the clusterings", name="pull"),
    "simplex.project_rows": simplex,
    "spce.over_clusterings": partial(pairs_of_spce, what="pace", name="update_pace", found="_pace", given=(0.1,)),
    "spce.over_pairs": partial(pairs_of_spce, what="shares", name="update_shares", found="_shares"),
    "spce.update_similarity": similarity_of_spce,
    "stream.add_earlier": add_earlier,
    "stream.add_overlaps": partial(upper_overlaps, add=streams.add_overlaps),
    "stream.add_overlaps_by_pairs": partial(upper_overlaps, add=streams.add_overlaps_by_pairs),
    "stream.add_products": upper_products,
    "stream.count_labels": count_by_base_cluster,
    "stream.count_members": count_members,
    "stream.find_least": find_least,
    "stream.find_least_products": find_least_products,
    "stream.join_nearest": join_nearest,
    "stream.share_among_components": share_among_components,
    "stream.sum_rows_of_table": sum_rows_of_table,
    "strength.sum_common": sum_common,
    "trce.quotient_rows": quotient_rows,
    "trce.shared": lambda data: connective_of_trce(data, "weighted matrices", "weighted", np.ones(CLUSTERINGS)),
    "trce.weighted_logs": lambda data: connective_of_trce(data, "divergences", "divergences", data.a),
}


def main() -> None:
    """Print a line for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", nargs="+", choices=CASES, default=CASES, metavar="KERNEL", help="only these")
    parser.add_argument("--objects", type=int, default=2000, help="objects of the label matrix")
    parser.add_argument("--runs", type=int, default=5, help="calls of each")
    parser.add_argument("--commit", default=COMMIT, help="where the NumPy code comes from")
    parser.add_argument("--out", type=Path, help="table to write (CSV)")
    options = parser.parse_args()
    print(LINE.format(*HEADS), flush=True)
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        data = Data(options.objects, import_earlier(options.commit, Path(folder)))
        rows = []
        for name in options.kernels:
            rows.append(measure(name, CASES[name](data), options.runs))
            print(LINE.format(*(shown(value) for value in rows[-1])), flush=True)
    if options.out:
        import pandas as pd

        pd.DataFrame(rows, columns=HEADS).to_csv(options.out, index=False)


def import_earlier(commit: str, folder: Path) -> Callable[[str], ModuleType]:
    """Return the importer of the package's modules at an earlier commit, where it is called ``consclust_before``."""
    sys.path.insert(0, str(earlier(commit, folder, "consclust_before")))
    return lambda name: importlib.import_module(f"consclust_before.{name}")


def measure(name: str, pair: Pair, runs: int) -> list[Any]:
    """Run both versions in turn; return a row of the table."""
    replaced, size, old, new = pair
    expected, found = old(), new()
    apart = float(np.abs(found - expected).max() / max(np.abs(expected).max(), np.finfo(float).tiny))
    seconds: dict[Callable[[], Any], list[float]] = {old: [], new: []}
    for _ in range(runs):
        for version, taken in seconds.items():
            start = time.process_time()
            version()
            taken.append(time.process_time() - start)
    before, after = (statistics.median(taken) for taken in seconds.values())
    return [name, replaced, size, before, after, before / after, apart]


def shown(value: Any) -> str:
    """Return a value as the table shows it."""
    return f"{value:.2g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
