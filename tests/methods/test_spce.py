"""SPCE against the authors' program and the literal algorithm over objects."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.metrics import adjusted_rand_score

from consclust.ensemble import Ensemble
from consclust.methods import SPCE
from consclust.testing import l30

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "spce.json").read_text())
POOLS = [case for case in ORACLE["cases"] if case["input"] != "small"]


def assert_is_that_of_the_authors_program(labels, case, tolerance):
    spce = SPCE(case["K"], case["threshold"]).fit(labels)
    matrix = spce.consensus_matrix()
    assert np.abs(matrix[case["i"], case["j"]] - case["v"]).max() < tolerance
    assert np.linalg.norm(matrix) == pytest.approx(case["fro"], rel=tolerance)
    assert matrix.sum() == pytest.approx(case["sum"], rel=tolerance)
    assert np.count_nonzero(matrix) == case["nnz"]
    assert spce.labels_.max() + 1 == case["n_components"]
    assert adjusted_rand_score(case["labels"], spce.labels_) == 1
    assert bool(spce.note_) == (case["n_components"] != case["K"])


@pytest.mark.parametrize(
    "case", [c for c in ORACLE["cases"] if c["input"] == "small"], ids=lambda c: str(c["threshold"])
)
def test_small_ensemble(case):
    assert_is_that_of_the_authors_program(np.array(ORACLE["small"]), case, 1e-12)


@pytest.mark.mirror
@pytest.mark.parametrize("case", POOLS, ids=lambda c: f"{c['input']}-{c['threshold']}")
def test_blocks_of_the_authors_pools(mirror, case):
    """Below 0.3 the weight of the rank term gets large, and with it the rounding errors."""
    pool, columns = case["input"].split("_c")
    first, last = map(int, columns.split("-"))
    labels = loadmat(mirror / f"files/eccms_pools/{pool}.mat")["members"].astype(int)[:, first - 1 : last]
    assert_is_that_of_the_authors_program(labels, case, 1e-10 if case["threshold"] >= 0.3 else 1e-5)


def literal(labels, n_clusters, threshold):
    """Return S over objects and the number of rounds; a pair's sums skip clusterings that miss it."""
    m = labels.shape[1]
    seen = [np.outer(c >= 0, c >= 0).astype(float) for c in labels.T]
    members = [s * np.equal.outer(c, c) for s, c in zip(seen, labels.T, strict=True)]
    start = sum(members) / np.maximum(sum(seen), 1)

    def embedded(s):
        values, vectors = np.linalg.eigh(np.diag(s.sum(axis=1)) - s)
        return values, vectors[:, :n_clusters]

    s, p, weight, rounds = start, np.full(m, 1 / m), 1.0, 0
    _, f = embedded(s)
    for q, most in ((0.9, 5), (0.8, 5), (0.7, 5), (0.6, 5), (0.5, 20)):
        b = sum(o * (s - a) ** 2 / share for o, a, share in zip(seen, members, p, strict=True))
        with np.errstate(divide="ignore"):
            w = np.minimum(1, 2 * q * (1 - q) * m**2 / (2 * b))
        for round_ in range(most):
            total = sum(o / share for o, share in zip(seen, p, strict=True))
            g = ((f[:, None] - f) ** 2).sum(axis=2)
            joined = sum(a / share for a, share in zip(members, p, strict=True))
            s = (joined - weight * g / (2 * w**2)) / np.maximum(total, 1e-300)
            s[s < threshold * m / (w * np.sqrt(np.maximum(total, 1e-300)))] = 0
            s = np.clip(s, 0, 1)
            s[start == 1], s[start == 0] = 1, 0
            s = (s + s.T) / 2
            before = f
            values, f = embedded(s)
            p = np.array([np.linalg.norm(o * w * (s - a)) for o, a in zip(seen, members, strict=True)])
            p /= p.sum()
            rounds += 1
            if values[:n_clusters].sum() > 1e-9:
                weight *= 2
            elif values[: n_clusters + 1].sum() < 1e-11:
                weight, f = weight / 2, before
            elif round_ > 0:
                break
    return s, rounds


@pytest.mark.parametrize("threshold", [0.0, 0.2, 0.4])
@pytest.mark.parametrize("missing", [False, True])
def test_gives_what_the_literal_algorithm_gives(threshold, missing):
    labels = l30()[np.random.default_rng(1).integers(30, size=50)]
    if missing:
        labels[np.arange(50) % 5 == 0, 6] = -1
    spce = SPCE(3, threshold).fit(Ensemble(labels, missing="ignored"))
    s, rounds = literal(labels, 3, threshold)
    assert spce.n_iter_ == rounds
    assert spce.consensus_matrix() == pytest.approx(s, abs=1e-8)


@pytest.mark.parametrize("value", [-0.1, 1.1, "0.3", None])
def test_refuses_parameters(value):
    with pytest.raises(ValueError, match="SPCE: threshold = "):
        SPCE(2, value).fit(l30())
