"""RSEC against another implementation of the same variant and the literal algorithm over objects."""

import json
import sys
from itertools import islice
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from scipy.io import loadmat
from sklearn.metrics import adjusted_rand_score

from consclust.testing import L30_CLASSES, l30

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from consclust.ensemble import Ensemble
from consclust.methods import RSEC, rsec
from consclust.methods.rsec import Lagrangian, orthonormal_beside
from consclust.numerics import eigen, subspace
from consclust.numerics.subspace import LargeEigenvalues
from dense_rsec import iterations

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "rsec.json").read_text())


def cases(name):
    return [case for case in ORACLE["cases"] if case["input"] == name]


def assert_is_that_of_the_oracle(labels, case):
    parameters = case["lambda1"], case["lambda2"]
    rsec = RSEC(case["K"], "H", *parameters, max_iter=case["max_iter"], n_init=1, random_state=0).fit(labels)
    assert rsec.n_iter_ == case["iterations"]
    assert rsec.converged_ == (case["max_iter"] == 500)
    assert rsec.residual_path_.shape == (rsec.n_iter_, 2)
    assert rsec.residual_path_[-1].max() == pytest.approx(case["stop"], rel=1e-3)
    compare(rsec.representation(), case["Z"], 1e-9)
    if "HHt" in case:
        compare(rsec.embedding() @ rsec.embedding().T, case["HHt"], 1e-9)


def compare(matrix, summary, tolerance):
    sample = summary["sample"]
    assert np.abs(matrix[sample["i0"], sample["j0"]] - sample["v"]).max() < tolerance
    assert np.linalg.norm(matrix) == pytest.approx(summary["fro"], rel=1e-9)
    assert matrix.sum() == pytest.approx(summary["sum"], rel=1e-8)


@pytest.mark.parametrize("case", cases("small"), ids=lambda c: f"{c['lambda1']}-{c['lambda2']}-{c['max_iter']}")
def test_small_ensemble(case):
    assert_is_that_of_the_oracle(np.array(ORACLE["small"]), case)


@pytest.mark.mirror
def test_block_of_the_ecoli_pool(mirror):
    labels = loadmat(mirror / "files/eccms_pools/Ecoli.mat")["members"].astype(int)[:, :20]
    (case,) = cases("Ecoli_c1-20")
    assert_is_that_of_the_oracle(labels, case)


@pytest.mark.long
@pytest.mark.parametrize(("lambda1", "lambda2"), [(0.1, 1.0), (0.1, 0.02)])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("spectral", [True, False])
def test_profiles_give_what_the_literal_algorithm_gives(lambda1, lambda2, missing, spectral):
    labels = l30()[np.random.default_rng(1).integers(20, size=36)]
    if missing:
        labels[np.arange(36) % 5 == 0, 6] = -1
    ensemble = Ensemble(labels, missing="ignored")
    assert ensemble.n_profiles < 25
    lagrangian = Lagrangian(ensemble, 3, lambda1, lambda2, spectral=spectral)
    root = np.sqrt(ensemble.weights)
    shrunk = 0.0
    literal = iterations(ensemble.expand(ensemble.coassociation), 3, lambda1, lambda2, spectral=spectral)
    for state in islice(literal, 12):
        assert lagrangian.iterate() == pytest.approx(state.residuals, abs=1e-9)
        lagrangian.mu *= 1.1
        assert ensemble.expand(lagrangian.z / np.outer(root, root)) == pytest.approx(state.z, abs=1e-9)
        assert ensemble.expand(lagrangian.errors / np.outer(root, root)) == pytest.approx(state.e, abs=1e-9)
        h = (lagrangian.h / root[:, None])[ensemble.membership]
        assert h @ h.T == pytest.approx(state.h @ state.h.T, abs=1e-9)
        shrunk = max(shrunk, np.abs(state.e).max())
    assert shrunk > 0 or lambda2 == 1.0, "the errors' step does nothing here"


@pytest.mark.long
def test_on_many_profiles_the_solution_is_the_same(monkeypatch):
    random = np.random.default_rng(3)
    labels = np.repeat(np.arange(4), 40)[:, None] * np.ones(8, dtype=int)
    labels[random.random(labels.shape) < 0.15] = 4
    one, other = (RSEC(4, random_state=0) for _ in range(2))
    one.fit(labels)
    found, subspaces = LargeEigenvalues._from_basis, []

    def counting(*given):
        subspaces.append(found(*given))
        return subspaces[-1]

    monkeypatch.setattr(LargeEigenvalues, "_from_basis", counting)
    monkeypatch.setattr(subspace, "PART", 1.0)
    for module in (subspace, eigen):
        monkeypatch.setattr(module, "ALL", 10)
    other.fit(labels)
    assert sum(pair is not None for pair in subspaces) > 5
    assert other.n_iter_ == one.n_iter_
    assert other.representation() == pytest.approx(one.representation(), abs=1e-10)
    assert other.errors() == pytest.approx(one.errors(), abs=1e-10)
    assert (other.labels_ == one.labels_).all()


def test_orthonormal_basis_beside_another():
    rng = np.random.default_rng(0)
    basis, _ = np.linalg.qr(rng.normal(size=(9, 4)))
    inside, outside = basis @ rng.normal(size=(4, 3)), rng.normal(size=(9, 2))
    columns = np.hstack([inside, outside, outside[:, :1] + inside[:, :1], np.zeros((9, 1))])
    beside = orthonormal_beside(columns, basis)
    assert beside.shape == (9, 2)
    both = np.hstack([basis, beside])
    assert both.T @ both == pytest.approx(np.eye(6), abs=1e-14)
    assert both @ (both.T @ columns) == pytest.approx(columns, abs=1e-13)


def test_without_the_spectral_term_the_representation_does_not_depend_on_the_number_of_clusters():
    two, three = (RSEC(k, spectral=False, random_state=0).fit(l30()) for k in (2, 3))
    assert two.representation() == pytest.approx(three.representation(), abs=1e-12)
    assert np.abs(RSEC(3, random_state=0).fit(l30()).representation() - three.representation()).max() > 1e-3


@pytest.mark.parametrize("variant", ["H", "Z"])
def test_finds_the_classes_and_says_that_it_converged(variant):
    rsec = RSEC(3, variant, random_state=0).fit(l30())
    assert rsec.converged_
    assert rsec.residual_path_[-1].max() < 1e-7 <= rsec.residual_path_[-2].max()
    assert adjusted_rand_score(L30_CLASSES, rsec.labels_) > 0.7
    short = RSEC(3, variant, max_iter=rsec.n_iter_ - 1, random_state=0).fit(l30())
    assert (short.n_iter_, short.converged_) == (rsec.n_iter_ - 1, False)


def test_the_errors_are_what_the_representation_leaves():
    ensemble = Ensemble(l30())
    rsec = RSEC(3, max_iter=20, random_state=0).fit(ensemble)
    rest = ensemble.expand(ensemble.coassociation)
    rest = rest - rest @ rsec.representation() - rsec.errors()
    assert np.abs(rsec.errors()).max() > 0.01
    assert np.abs(rest).max() == pytest.approx(rsec.residual_path_[-1, 0], abs=1e-12)


def test_variants_share_the_representation():
    h, z = (RSEC(3, variant, random_state=0).fit(l30()) for variant in "HZ")
    assert np.array_equal(h.profile_matrix_, z.profile_matrix_)
    assert np.array_equal(h.profile_embedding_, z.profile_embedding_)


def shuffled(labels, rng):
    """Shuffle objects, clusterings and names of clusters, so that other profiles come first."""
    order = rng.permutation(len(labels))
    names = rng.permutation(labels.max() + 1)
    return order, names[labels[order]][:, rng.permutation(labels.shape[1])]


@pytest.mark.long
@pytest.mark.parametrize(("lambda1", "lambda2"), [(0.1, 1.0), (0.1, 0.02)])
@pytest.mark.parametrize("variant", ["H", "Z"])
def test_the_order_of_objects_does_not_matter(variant, lambda1, lambda2):
    labels = l30()
    order, others = shuffled(labels, np.random.default_rng(2))
    first, second = (Ensemble(array) for array in (labels[order], others))
    assert not np.array_equal(first.membership, second.membership), "the profiles are in one order"
    own, other = (
        RSEC(3, variant, lambda1, lambda2, n_init=20, random_state=0).fit(array) for array in (labels, others)
    )
    back = np.argsort(order)
    assert np.abs(own.errors()).max() > 0.01 or lambda2 == 1.0
    for ours, theirs in ((own.representation(), other.representation()), (own.errors(), other.errors())):
        assert np.abs(theirs[np.ix_(back, back)] - ours).max() < 1e-8
    h, g = own.embedding(), other.embedding()[back]
    assert np.abs(g @ g.T - h @ h.T).max() < 1e-8
    assert adjusted_rand_score(own.labels_, other.labels_[back]) == 1


def test_separate_groups_give_a_block_diagonal_representation():
    truth = np.repeat([0, 1, 2], [5, 3, 4])
    rsec = RSEC(3, random_state=0).fit(np.column_stack([truth, truth]))
    apart = truth[:, None] != truth
    assert np.abs(rsec.representation()[apart]).max() < 1e-9
    assert np.linalg.matrix_rank(rsec.representation(), tol=1e-6) == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [*[("variant", "h"), ("lambda1", 0), ("lambda2", "1"), ("rho", 1), ("tol", -1)], *[("max_iter", 0), ("n_init", 0)]],
)
def test_refuses_parameters(name, value):
    with pytest.raises(ValueError, match=f"RSEC: {name} = "):
        RSEC(2, **{name: value}).fit(l30())


@pytest.mark.long
def test_both_forms_are_read_from_one_solution(monkeypatch):
    labels = np.random.default_rng(3).integers(0, 3, (40, 6))
    alone = [RSEC(3, variant=variant, random_state=0).fit(labels) for variant in ("H", "Z")]
    ensemble, solved = Ensemble(labels), []
    solve = rsec._solve
    monkeypatch.setattr(rsec, "_solve", lambda *given: solved.append(given) or solve(*given))
    for variant, other in zip(("H", "Z"), alone, strict=True):
        fitted = RSEC(3, variant=variant, random_state=0).fit(ensemble)
        assert np.array_equal(fitted.restart_labels_, other.restart_labels_)
        for name in ("profile_matrix_", "profile_errors_", "profile_embedding_", "residual_path_"):
            assert np.array_equal(getattr(fitted, name), getattr(other, name))
        assert (fitted.n_iter_, fitted.converged_) == (other.n_iter_, other.converged_)
    assert len(solved) == 1
    for change in ({"n_clusters": 4}, {"lambda1": 0.2}, {"lambda2": 0.2}, {"rho": 1.3}, {"tol": 1e-3}, {"max_iter": 5}):
        given = {"n_clusters": 3, **change}
        here, there = (RSEC(**given, random_state=0).fit(one) for one in (ensemble, labels))
        assert np.array_equal(here.profile_matrix_, there.profile_matrix_), change
    assert len(solved) == 13
    gone = ref(ensemble)
    del ensemble, solved[:], fitted, here, there
    assert gone() is None, "the solution keeps its ensemble"
