import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from consclust.ensemble import Ensemble
from consclust.errors import ConsensusFailure
from consclust.methods import RCE
from consclust.methods import rce as rce_module
from consclust.methods.rce import Spectrum
from consclust.numerics.kernels import rce_kernels as kernels
from dense_rce import connective_matrices, half_steps, kullback_leibler, objective

ORACLE = json.loads((Path(__file__).parent.parent / "oracles" / "rce_octave.json").read_text())
HAND = np.array([[1, 1], [1, 2], [2, 2]])

shrunk, unshrunk = np.vectorize(kernels.shrunk), np.vectorize(kernels.unshrunk)

label_matrices = hnp.arrays(np.int64, st.tuples(st.integers(3, 12), st.integers(1, 5)), elements=st.integers(0, 3))
lambdas = st.sampled_from([0.0, 1e-4, 1e-2, 0.3, 1.0, 1.0001, 7.0, 1e2, 1e4])


def fit(labels, *parameters, **keywords):
    return RCE(1, *parameters, random_state=0, **keywords).fit(labels)


def dense_rce(connective, lambda1, lambda2, **keywords):
    """Consensus matrix of the literal Algorithm 1, and J4 after every half step."""
    states = list(half_steps(connective, lambda1, lambda2, **keywords))
    return states[-1].consensus, [objective(state, connective, lambda1, lambda2) for state in states]


def duplicated(labels, seed=0):
    """The rows of ``labels``, some of them several times, interleaved."""
    rng = np.random.default_rng(seed)
    return labels[rng.integers(len(labels), size=3 * len(labels))]


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda c: f"{c['lambda1']}-{c['lambda2']}")
def test_consensus_matrix_is_that_of_the_authors_program(case):
    labels = np.array(ORACLE["inputs"][case["input"]]["labels"])
    rce = fit(labels, case["lambda1"], case["lambda2"], case["mu"])
    assert np.abs(rce.consensus_matrix() - np.array(case["A_star"])).max() < 1e-10


@pytest.mark.parametrize(("rounds", "entry"), [(1, 0.499834499835), (2, 0.499677345936)])
def test_hand_example_of_the_specification(rounds, entry):
    matrix = fit(HAND, 1.0, 1.0, 1e-3, order="paper", max_outer=rounds).consensus_matrix()
    assert matrix[0, 1] == pytest.approx(entry, abs=1e-12)
    assert matrix[0, 2] == 0
    assert np.array_equal(matrix.diagonal(), np.ones(3))


@settings(max_examples=60, deadline=None)
@given(label_matrices, lambdas, lambdas, st.sampled_from(["pin", "box"]))
def test_objective_never_rises_in_the_papers_order(labels, lambda1, lambda2, boundary):
    path = fit(labels, lambda1, lambda2, order="paper", max_outer=12, boundary=boundary).objective_path_
    assert np.isfinite(path).all()
    assert (np.diff(path) <= 1e-12 * np.abs(path[:-1]) + 1e-12).all()


@settings(max_examples=30, deadline=None)
@given(label_matrices, lambdas, lambdas)
def test_objective_never_rises_after_the_first_round_of_the_authors_order(labels, lambda1, lambda2):
    path = fit(labels, lambda1, lambda2, max_outer=6).objective_path_
    assert (np.diff(path[1:]) <= 1e-10 * np.abs(path[1:-1]) + 1e-12).all()


@settings(max_examples=30, deadline=None)
@given(label_matrices, lambdas, lambdas)
def test_nothing_is_noted_of_an_objective_that_never_rises(labels, lambda1, lambda2):
    assert fit(labels, lambda1, lambda2, max_outer=6).note_ == ""


@pytest.mark.parametrize(("norms", "noted"), [([3, 2, 1], False), ([3, 2, 2.001], True), ([2, 3, 1], True)])
def test_a_rise_of_the_objective_is_noted(monkeypatch, norms, noted):
    left = iter(norms)
    monkeypatch.setattr(Spectrum, "norm", property(lambda self: next(left)))
    rce = fit(HAND, 1.0, 1e4, max_outer=3)
    assert bool(rce.note_) is noted
    assert (np.diff(rce.objective_path_) > 0).any() == noted


@pytest.mark.parametrize("order", ["authors", "paper"])
@pytest.mark.parametrize(("lambda1", "lambda2"), [(1, 1), (0.1, 0.01), (10, 0.1), (0.01, 100), (1e4, 1e4)])
def test_profiles_give_the_dense_algorithm(order, lambda1, lambda2):
    labels = duplicated(np.array(ORACLE["inputs"]["L30"]["labels"]))
    rce = fit(labels, lambda1, lambda2, order=order, max_outer=6)
    assert rce.profile_matrix_.shape[0] < len(labels)
    dense, path = dense_rce(connective_matrices(labels), lambda1, lambda2, order=order, max_outer=6)
    assert np.abs(rce.consensus_matrix() - dense).max() < 1e-10
    assert rce.objective_path_ == pytest.approx(path[1::2], rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(label_matrices, st.sampled_from([1e-2, 0.5, 1.0, 3.0]), st.sampled_from([0.0, 1e-2, 1.0, 1e2]))
def test_profiles_give_the_dense_algorithm_on_any_labels(labels, lambda1, lambda2):
    rce = fit(labels, lambda1, lambda2, max_outer=3, max_inner=4)
    dense, _ = dense_rce(connective_matrices(labels), lambda1, lambda2, max_outer=3, max_inner=4)
    assert np.abs(rce.consensus_matrix() - dense).max() < 1e-9


def test_soft_matrices_that_are_hard_give_the_same_matrix():
    labels = duplicated(np.array(ORACLE["inputs"]["L30"]["labels"]))
    soft = RCE(1, 0.7, 0.3, random_state=0).fit_connective(list(connective_matrices(labels)))
    assert np.abs(soft.consensus_matrix() - fit(labels, 0.7, 0.3).consensus_matrix()).max() < 1e-10


def test_soft_matrices_follow_the_general_formula():
    rng = np.random.default_rng(3)
    matrices = rng.uniform(size=(4, 9, 9))
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    for order in ("authors", "paper"):
        rce = RCE(3, 0.5, 0.2, order=order, random_state=0).fit_connective(list(matrices))
        dense, path = dense_rce(matrices, 0.5, 0.2, order=order)
        assert np.abs(rce.consensus_matrix() - dense).max() < 1e-10
        assert rce.objective_ == pytest.approx(path[-1], rel=1e-10)


def test_fewer_clusters_of_soft_matrices_are_noted():
    class Lumped(RCE):
        def _set_spectral_labels(self, similarity, weights, membership, how, n_init):
            self._set_only_labels(np.zeros(len(similarity), dtype=int), membership)

    assert "3" in Lumped(3).fit_connective(np.ones((2, 5, 5))).note_
    assert Lumped(1).fit_connective(np.ones((2, 5, 5))).note_ == ""


def test_rounding_of_soft_matrices_is_evened_out():
    rng = np.random.default_rng(4)
    exact = (1 + np.corrcoef(rng.normal(size=(9, 4)))) / 2
    exact = np.minimum((exact + exact.T) / 2, 1.0)
    np.fill_diagonal(exact, 1.0)
    rounded = exact + rng.uniform(-1e-15, 1e-15, size=exact.shape)
    assert (rounded != rounded.T).any()
    assert rounded.max() > 1
    expected, found = (RCE(2, random_state=0).fit_connective([each, each]) for each in (exact, rounded))
    assert np.abs(found.consensus_matrix() - expected.consensus_matrix()).max() < 1e-10


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        ([], "at least one"),
        ([np.eye(3), np.eye(4)], "matrix 1 has shape"),
        ([np.full((2, 2), 1.5)], "outside"),
        ([np.full((2, 2), -1e-6)], "outside"),
        ([np.full((2, 2), np.nan)], "outside"),
        ([np.array([[1.0, 0.2], [0.3, 1.0]])], "not symmetric"),
        ([np.array([[1.0, 0.2], [0.2 + 1e-6, 1.0]])], "not symmetric"),
    ],
)
def test_connective_matrices_are_checked(matrices, message):
    with pytest.raises(ValueError, match=message):
        RCE(2).fit_connective(matrices)


@pytest.mark.long
@given(
    st.floats(1e-9, 1 - 1e-9) | st.sampled_from([0.0, 1.0]),
    st.sampled_from([0.0, 1e-4, 0.5, 1.0, 2.0, 1e4]),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_errors_are_the_best_of_theorem_3(s, lambda1, c):
    """No Y on a fine grid does better than A(i) moved no further than h(s) and 1 - h(1 - s)."""
    s = np.array([s])
    low, high = shrunk(s, lambda1), unshrunk(s, lambda1)
    assert 0 <= low[0] <= s[0] <= high[0] <= 1

    def value(y):
        return kullback_leibler(np.broadcast_to(s, y.shape), y) + lambda1 * np.abs(c - y)

    grid = np.concatenate([np.linspace(0, 1, 4001), np.geomspace(1e-12, 1, 500), 1 - np.geomspace(1e-12, 1, 500)])
    assert value(np.clip(c, low, high))[0] <= value(grid).min() + 1e-9


def test_the_error_bounds_keep_their_digits_near_zero():
    tiny = np.array([1e-12])
    for lambda1 in (1e-4, 0.5, 1.0):  # to first order; the textbook form of the roots loses 4 to 12 digits here
        assert shrunk(tiny, lambda1)[0] == pytest.approx(1e-12 / (1 + lambda1), rel=1e-10)
        slope = unshrunk(tiny, lambda1)[0] / (1e-12 / (1 - lambda1) if lambda1 < 1 else 1e-6)
        assert slope == pytest.approx(1, rel=1e-10)
    assert shrunk(np.array([0.0, 1.0]), 4.0).tolist() == [0.0, 0.25]
    assert shrunk(np.array([0.0, 1.0]), 0.3).tolist() == [0.0, 1.0]


@settings(max_examples=20, deadline=None)
@given(label_matrices, st.randoms(use_true_random=False))
def test_matrix_ignores_names_of_clusters_and_follows_objects(labels, random):
    before = fit(labels, 0.5, 0.5, max_outer=4).consensus_matrix()
    renamed = labels.copy()
    for column in renamed.T:
        names = random.sample(range(2, 50), 4)
        column[:] = np.array(names)[column]
    assert np.array_equal(fit(renamed, 0.5, 0.5, max_outer=4).consensus_matrix(), before)
    order = np.array(random.sample(range(len(labels)), len(labels)))
    moved = fit(labels[order], 0.5, 0.5, max_outer=4).consensus_matrix()
    assert np.abs(moved - before[np.ix_(order, order)]).max() < 1e-9


def test_a_missing_label_takes_its_clustering_out_of_the_objects_pairs():
    """Objects 0..3 are in both clusterings, 4 in the first only: its pairs are those of one clustering."""
    labels = np.array([[0, 0], [0, 1], [1, 1], [1, 0], [0, -1]])
    rce = fit(labels, 1.0, 0.0)
    matrix = rce.consensus_matrix()
    assert matrix[4].tolist() == [1, 1, 0, 0, 1]
    complete = fit(labels[:4], 1.0, 0.0).consensus_matrix()
    assert np.abs(matrix[:4, :4] - complete).max() < 1e-14


def test_missing_labels_weigh_pairs_by_the_clusterings_that_hold_both():
    """With lambda2 = 0 pairs are independent: a pair that lacks a clustering is that pair without it."""
    with_missing = np.array([[0, 0, 1], [0, 1, -1], [1, 1, 0], [1, 0, 1]])
    matrix = fit(with_missing, 0.4, 0.0).consensus_matrix()
    two_clusterings = fit(with_missing[:, :2], 0.4, 0.0).consensus_matrix()
    assert matrix[0, 1] == pytest.approx(two_clusterings[0, 1], abs=1e-14)
    assert matrix[0, 3] != pytest.approx(two_clusterings[0, 3], abs=1e-3)


def test_tolerance_stops_early_and_says_so():
    labels = np.array(ORACLE["inputs"]["L30"]["labels"])
    short = fit(labels, 1.0, 1.0, tol=1e-3)
    assert short.converged_
    assert short.n_iter_ < 20
    assert len(short.objective_path_) == short.n_iter_
    assert not fit(labels, 0.1, 0.01).converged_, "20 rounds are known to be too few here"
    assert fit(labels, 0.1, 0.01, max_outer=3, tol=1e-12).converged_ is False
    assert fit(labels, 1.0, 1.0, max_outer=5, tol=0.0).n_iter_ == 5, "0 requires no change at all"


L30 = np.array(ORACLE["inputs"]["L30"]["labels"])  # 8 clusterings


@pytest.mark.parametrize(("lambda1", "lambda2"), [(1, 1), (0.1, 0.01), (10, 0.1), (0.01, 100), (100, 10)])
def test_a_tolerance_that_stops_nothing_costs_only_digits(lambda1, lambda2):
    exact = fit(L30, lambda1, lambda2, max_inner=3)
    assert fit(L30, lambda1, lambda2, max_inner=3, inner_tol=1e-5).n_iter_ == 20
    near = fit(L30, lambda1, lambda2, max_inner=3, inner_tol=1e-5)
    difference = np.abs(near.consensus_matrix() - exact.consensus_matrix()).max()
    assert 0 < difference < 2e-4


def test_a_tolerance_ends_the_steps_of_a_round():
    one_step = fit(L30, 1.0, 100.0, max_inner=1)
    assert np.abs(fit(L30, 1.0, 100.0, inner_tol=1.0).profile_matrix_ - one_step.profile_matrix_).max() < 1e-5
    assert np.abs(fit(L30, 1.0, 100.0).profile_matrix_ - one_step.profile_matrix_).max() > 1e-2


def test_the_nuclear_norm_is_left_out_where_it_moves_less_than_the_tolerance():
    without = fit(L30, 1.0, 0.0, inner_tol=1e-2).profile_matrix_
    assert np.array_equal(fit(L30, 1.0, 0.15, inner_tol=1e-2).profile_matrix_, without)
    assert not np.array_equal(fit(L30, 1.0, 0.17, inner_tol=1e-2).profile_matrix_, without)


@pytest.mark.parametrize("lambda1", [1e-2, 1.0, 10.0])
def test_the_nuclear_norm_moves_an_a_phase_by_no_more_than_the_bound(lambda1):
    # the first round knows no S, so that the second has the same errors with the pull and without
    without = fit(L30, lambda1, 0.0, max_outer=2, max_inner=500)
    for lambda2 in (1e-3, 1e-1, 1.0):
        with_pull = fit(L30, lambda1, lambda2, max_outer=2, max_inner=500)
        moved = np.abs(with_pull.profile_matrix_ - without.profile_matrix_).max()
        assert 0 < moved <= lambda2 / (2 * 8)


@pytest.mark.filterwarnings("ignore::consclust.errors.MissingLabelsWarning")
@pytest.mark.parametrize(
    "parameters", [{}, {"inner_tol": 1e-3}, {"order": "paper"}, {"order": "paper", "lambda2": 0.0}], ids=str
)
def test_a_pair_that_no_clustering_contains_has_an_entry_in_the_box(parameters):
    labels = np.array([[0, 0, 0, -1], [0, 1, 0, -1], [1, 1, 1, 0], [1, 1, 0, 0], [-1, -1, -1, 1], [-1, -1, -1, 1]])
    found = RCE(n_clusters=2, boundary="box", random_state=0, **parameters).fit(labels)
    matrix = found.consensus_matrix()
    assert ((matrix >= 1e-6) & (matrix <= 1)).all()
    assert np.isfinite(found.objective_path_).all()
    assert len(set(found.labels_[:4])) == 1
    assert len(set(found.labels_)) == 2


def test_box_keeps_every_entry_inside():
    matrix = fit(np.array(ORACLE["inputs"]["L30"]["labels"]), 100.0, 1.0, boundary="box").consensus_matrix()
    assert matrix.min() > 0
    assert matrix.max() < 1


def test_restarts_and_the_chosen_one():
    labels = np.array(ORACLE["inputs"]["L30"]["labels"])
    rce = RCE(3, 1.0, 1.0, n_init=7, random_state=1).fit(labels)
    assert rce.restart_labels_.shape == (7, 30)
    assert np.array_equal(rce.labels_, rce.restart_labels_[rce.chosen_])
    truth = np.array(ORACLE["inputs"]["L30"]["y"]) - 1
    assert len(set(zip(truth.tolist(), rce.labels_.tolist(), strict=True))) == 3


@pytest.mark.parametrize(
    "bad",
    [
        {"lambda1": -1},
        {"lambda2": float("nan")},
        {"mu": 0},
        {"order": "author"},
        {"max_outer": 0},
        {"max_inner": 2.5},
        {"tol": -1e-3},
        {"inner_tol": 1e-6},
        {"inner_tol": float("inf")},
        {"boundary": "clip"},
        {"assign_labels": "discretise"},
        {"n_init": 0},
        {"n_clusters": 0},
    ],
)
def test_parameters_are_checked(bad):
    name = next(iter(bad))
    with pytest.raises(ValueError, match=f"RCE: {name} = "):
        RCE(**{"n_clusters": 2, **bad}).fit(HAND)


def test_more_clusters_than_profiles_is_an_expected_failure():
    with pytest.raises(ConsensusFailure, match=r"n_clusters = 3 .* only 2 groups"):
        RCE(3).fit([[0], [0], [1], [1]])


@pytest.mark.mirror
def test_yale_with_the_authors_ensemble_comes_near_the_printed_row(mirror):
    """One subset, the best common point of the recorded grid: RCE .426/.474 over all subsets."""
    from scipy.io import loadmat

    from consclust.scores import accuracy

    file = mirror / "files/yale_authors_ensemble/YALE_165n_1024d_15c_uni_kmeans.mat"
    ensemble = Ensemble(loadmat(file)["L"][:, :20])
    rce = RCE(15, 1e-4, 1e-4, random_state=0).fit(ensemble)
    classes = np.repeat(np.arange(15), 11)
    mean = np.mean([accuracy(classes, labels) for labels in rce.restart_labels_])
    assert mean == pytest.approx(0.452121, abs=0.02), "rce_yale_grid.json, subset 0; own random starts there"


@pytest.fixture
def decompositions(monkeypatch):
    """The matrices whose singular values are taken; stacks of them are rotations of the labels."""
    svd = np.linalg.svd
    found = []

    def counted(matrix, *more, **keywords):
        if np.ndim(matrix) == 2:
            found.append(matrix)
        return svd(matrix, *more, **keywords)

    monkeypatch.setattr(np.linalg, "svd", counted)
    return found


@pytest.mark.parametrize(("share", "exact", "taken"), [(1 + 1e-9, True, 1), (1 - 1e-9, True, 0), (1e9, False, 0)])
def test_singular_values_are_taken_where_those_of_the_square_may_lose_too_much(decompositions, share, exact, taken):
    """RCE documents 2e-9; the bound of what is lost is ``loss`` times the largest sum of a row of A A'."""
    matrix = np.array([[1.0, 0.5], [0.25, 2.0]])
    largest = (matrix @ matrix.sum(axis=0)).max()
    spectrum = Spectrum(np.ones(2), 1e-3, exact, True, share * 2e-9 / largest)
    spectrum.update(matrix)
    assert len(decompositions) == taken
    assert np.sort(spectrum.sigma) == pytest.approx(np.sort(np.linalg.eigvalsh(matrix @ matrix.T)), abs=1e-12)


@pytest.mark.parametrize(
    ("lambda2", "mu", "inner_tol", "taken"),
    [(1.0, 1e-3, None, 0), (1e6, 1e-3, None, 3), (1.0, 1e-9, None, 3), (1e6, 1e-3, 1e-5, 0)],
)
def test_the_weight_and_the_smoothing_decide_how_singular_values_are_taken(
    decompositions, lambda2, mu, inner_tol, taken
):
    fit(L30, 1.0, lambda2, mu, max_outer=3, inner_tol=inner_tol)
    assert len(decompositions) == taken


@pytest.mark.parametrize(("lambda2", "mu"), [(1.0, 1e-3), (30.0, 1e-3), (1.0, 1e-10), (1.0, 1e-12)])
def test_a_fit_agrees_with_that_of_full_precision_to_2e_9(monkeypatch, lambda2, mu):
    chosen = fit(L30, 1.0, lambda2, mu, max_outer=4, max_inner=5).profile_matrix_
    monkeypatch.setattr(rce_module, "LOST", 0.0)
    exact = fit(L30, 1.0, lambda2, mu, max_outer=4, max_inner=5).profile_matrix_
    assert np.abs(chosen - exact).max() <= 2e-9
