"""TRCE against the authors' program and the literal algorithm over objects."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat
from scipy.optimize import brentq
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import TRCE
from consclust.numerics.kernels.trce_kernels import quotient_rows
from consclust.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "trce.json").read_text())
POOLS = [case for case in ORACLE["cases"] if case["input"] != "small"]


def assert_is_that_of_the_authors_program(labels, case):
    trce = TRCE(case["K"], case["lambda"], compat=True).fit(labels)
    matrix = trce.consensus_matrix()
    assert np.abs(matrix[case["i"], case["j"]] - case["v"]).max() < 1e-10
    assert np.linalg.norm(matrix) == pytest.approx(case["fro"], rel=1e-10)
    assert matrix.sum() == pytest.approx(case["sum"], rel=1e-10)
    assert np.count_nonzero(matrix) == case["nnz"]
    assert trce.labels_.max() + 1 == case["n_components"]
    assert adjusted_rand_score(case["labels"], trce.labels_) == 1
    assert bool(trce.note_) == (case["n_components"] != case["K"])


@pytest.mark.parametrize("case", [c for c in ORACLE["cases"] if c["input"] == "small"], ids=lambda c: str(c["lambda"]))
def test_small_ensemble(case):
    assert_is_that_of_the_authors_program(np.array(ORACLE["small"]), case)


@pytest.mark.mirror
@pytest.mark.parametrize("case", POOLS, ids=lambda c: f"{c['input']}-{c['lambda']}")
def test_blocks_of_the_authors_pools(mirror, case):
    pool, columns = case["input"].split("_c")
    first, last = map(int, columns.split("-"))
    labels = loadmat(mirror / f"files/eccms_pools/{pool}.mat")["members"].astype(int)[:, first - 1 : last]
    assert_is_that_of_the_authors_program(labels, case)


def quotient(h, pull):
    """Return h / (pull + t) that sums to 1."""
    t = brentq(lambda t: (h / (pull + t)).sum() - 1, 1e-9, 1e6, xtol=1e-15, rtol=1e-14)
    return h / (pull + t)


def projection(row):
    """Return the nearest point of the simplex."""
    shift = brentq(lambda x: np.maximum(row - x, 0).sum() - 1, row.min() - 1, row.max(), xtol=1e-15)
    return np.maximum(row - shift, 0)


def literal(labels, n_clusters, lambda_, compat):
    """Return A over objects and the number of rounds."""
    n, m = labels.shape
    members = [np.equal.outer(c, c) * np.outer(c >= 0, c >= 0) for c in labels.T]
    members = [a / np.maximum(a.sum(axis=1, keepdims=True), 1) for a in members]

    def embedded(a):
        values, vectors = np.linalg.eigh(np.diag(a.sum(axis=1)) - a)
        return values, vectors[:, :n_clusters]

    def divergence(a, b):
        ratio = np.where(a > 0, a, 1) / np.where(a > 0, np.maximum(b, 2.2e-16), 1)
        return (a * np.log(ratio)).sum(axis=1)

    a = sum(members) / (labels >= 0).sum(axis=1, keepdims=True)
    a = (a + a.T) / 2
    b, beta, rho, age = a, np.full(m, 1 / m), 1.0, 0.0
    _, f = embedded(a)
    for round_ in range(10):
        kl = np.column_stack([divergence(member, b) for member in members]) / beta
        hard = m * kl[:, -1] if compat else kl.sum(axis=1)
        age = 1.1 * age if round_ else 2 * np.sort(hard)[n // 10 - 1]
        with np.errstate(divide="ignore"):
            w = np.minimum(1, age / (2 * hard))
        h = w[:, None] ** 2 * sum(member / share for member, share in zip(members, beta, strict=True))
        g = ((f[:, None] - f) ** 2).sum(axis=2)
        b = np.stack([quotient(*row) for row in zip(h, rho * g, strict=True)])
        a = np.stack([projection(row) for row in b - rho / (2 * lambda_) * g])
        a = (a + a.T) / 2
        before = f
        values, f = embedded(a)
        beta = np.array([np.sqrt((w**2 * divergence(member, b)).sum()) for member in members])
        beta /= beta.sum()
        if values[:n_clusters].sum() > 1e-9:
            rho *= 2
        elif values[: n_clusters + 1].sum() < 1e-11:
            rho, f = rho / 2, before
        elif round_ > 0:
            break
    return a, round_ + 1


@pytest.mark.long
@pytest.mark.parametrize("lambda_", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_gives_what_the_literal_algorithm_gives(lambda_, compat, missing):
    labels = l30()[np.random.default_rng(1).integers(30, size=50)]
    if missing:
        labels[np.arange(50) % 5 == 0, 6] = -1
    trce = TRCE(3, lambda_, compat=compat).fit(Ensemble(labels, missing="ignored"))
    a, rounds = literal(labels, 3, lambda_, compat)
    assert trce.n_iter_ == rounds
    assert trce.consensus_matrix() == pytest.approx(a, abs=1e-9)


def test_compat_takes_the_difficulty_from_the_last_clustering():
    labels = l30()
    other = labels[:, ::-1]
    right = TRCE(3, max_iter=2).fit(labels).consensus_matrix()
    slip = TRCE(3, compat=True, max_iter=2).fit(labels).consensus_matrix()
    assert np.abs(right - slip).max() > 1e-3
    assert TRCE(3, max_iter=2).fit(other).consensus_matrix() == pytest.approx(right, abs=1e-9)
    assert np.abs(TRCE(3, compat=True, max_iter=2).fit(other).consensus_matrix() - slip).max() > 1e-3


def test_rows_count_objects():
    random = np.random.default_rng(3)
    weights = np.array([3, 1, 2, 5])
    h, pull = random.random((4, 4)) + 0.1, 10.0 ** random.integers(-3, 6, size=(4, 4))
    np.fill_diagonal(pull, 0)
    rows = quotient_rows(h, pull, weights)
    assert rows @ weights == pytest.approx(np.ones(4), abs=1e-12)
    t = np.diagonal(h / rows)[:, None]
    assert t.min() > 0
    assert rows == pytest.approx(h / (pull + t), rel=1e-12)


@pytest.mark.parametrize(("name", "value"), [("lambda_", 0), ("compat", 1), ("max_iter", 0)])
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"TRCE: {name} = "):
        TRCE(2, **{name: value}).fit(l30())
