import typing
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from consclust.scores import (
    FURTHER,
    METRICS,
    Contingency,
    accuracy,
    ari,
    class_f,
    contingency,
    macro_f,
    nmi,
    pairwise_f,
    purity,
    purity_f,
    score_all,
    score_many,
)
from consclust_studies.config.metric import Metric

Y, LABELS = [1, 1, 1, 2, 2, 3], [1, 1, 2, 2, 2, 2]


@st.composite
def two_labelings(draw, clusters=5, objects=30):
    n = draw(st.integers(1, objects))
    labels = st.lists(st.integers(0, clusters - 1), min_size=n, max_size=n)
    return np.array(draw(labels)), np.array(draw(labels))


def slow_accuracy(y, labels):
    classes, clusters = np.unique(y), np.unique(labels)
    size = max(len(classes), len(clusters))
    columns = [*clusters, *[None] * (size - len(clusters))]
    return max(
        sum(np.sum((y == c) & (labels == j)) for c, j in zip(classes, order, strict=False) if j is not None)
        for order in permutations(columns)
    ) / len(y)


def slow_pairs(y, labels):
    together = [(y[p] == y[q], labels[p] == labels[q]) for p, q in combinations(range(len(y)), 2)]
    return [together.count(kind) for kind in ((True, True), (False, True), (True, False), (False, False))]


def slow_f(y, labels):
    tp, fp, fn, _ = slow_pairs(y, labels)
    if tp + fp + fn == 0:
        return 1.0
    if tp == 0:
        return 0.0
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return 2 * precision * recall / (precision + recall)


def slow_ari(y, labels):
    tp, fp, fn, tn = slow_pairs(y, labels)
    if fp == fn == 0:
        return 1.0
    pairs = tp + fp + fn + tn
    expected = (tp + fp) * (tp + fn) / pairs
    return (tp - expected) / ((tp + fp + tp + fn) / 2 - expected)


def slow_purity(y, labels):
    return sum(np.bincount(y[labels == j]).max() for j in np.unique(labels)) / len(y)


def slow_class_f(y, labels):
    """Precision and recall of every cluster for every class, object by object."""
    total = 0.0
    for c in np.unique(y):
        best = 0.0
        for j in np.unique(labels):
            both = np.mean((y == c) & (labels == j))
            if both:
                precision, recall = both / np.mean(labels == j), both / np.mean(y == c)
                best = max(best, 2 * precision * recall / (precision + recall))
        total += np.mean(y == c) * best
    return total


def slow_purity_f(y, labels):
    purity, inverse = slow_purity(y, labels), slow_purity(labels, y)
    return 2 / (1 / purity + 1 / inverse)


def slow_macro_f(y, labels):
    purity = np.mean([max(np.mean(y[labels == j] == c) for c in np.unique(y)) for j in np.unique(labels)])
    inverse = np.mean([max(np.mean(labels[y == c] == j) for j in np.unique(labels)) for c in np.unique(y)])
    return 2 * purity * inverse / (purity + inverse)


def test_worked_example():
    assert accuracy(Y, LABELS) == pytest.approx(2 / 3)
    assert nmi(Y, LABELS) == pytest.approx(0.314668521039, abs=1e-12)
    assert nmi(Y, LABELS, "geometric") == pytest.approx(0.396653829578, abs=1e-12)
    assert pairwise_f(Y, LABELS) == pytest.approx(4 / 11)
    assert purity(Y, LABELS) == pytest.approx(4 / 6)
    assert class_f(Y, LABELS) == pytest.approx((3 * 4 / 5 + 2 * 4 / 6 + 2 / 5) / 6)
    assert purity_f(Y, LABELS) == pytest.approx(2 / (6 / 4 + 6 / 5))
    # purity 1 and 1/2 of the two clusters, inverse purity 2/3, 1 and 1 of the three classes
    assert macro_f(Y, LABELS) == pytest.approx(2 / (4 / 3 + 9 / 8))
    assert score_all(Y, LABELS, ["NMI-mean"]) == {"NMI-mean": nmi(Y, LABELS, "arithmetic")}
    assert_array_equal(contingency(Y, LABELS).dense(), [[2, 1], [0, 2], [0, 1]])


@settings(max_examples=100, deadline=None)
@given(two_labelings(clusters=4, objects=14))
def test_equal_slow_definitions(pair):
    y, labels = pair
    slow = {
        **{"ACC": slow_accuracy, "ARI": slow_ari, "F": slow_f, "purity": slow_purity},
        **{"F-class": slow_class_f, "F-purity": slow_purity_f, "F-macro": slow_macro_f},
    }
    scores = score_all(y, labels)
    for name, definition in slow.items():
        assert scores[name] == pytest.approx(definition(y, labels), abs=1e-12), name


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(two_labelings())
def test_equal_scikit_learn(pair):
    from sklearn import metrics

    for normalization in ("max", "min", "arithmetic", "geometric"):
        expected = metrics.normalized_mutual_info_score(*pair, average_method=normalization)
        assert nmi(*pair, normalization) == pytest.approx(expected, abs=1e-10)
    assert ari(*pair) == pytest.approx(metrics.adjusted_rand_score(*pair), abs=1e-12)


def test_joint_normalization():
    joint = -sum(p * np.log(p) for p in (2 / 6, 1 / 6, 2 / 6, 1 / 6))
    assert nmi(Y, LABELS, "joint") == pytest.approx(0.318257084147 / joint, abs=1e-12)


@pytest.mark.parametrize("normalization", ["max", "min", "arithmetic", "geometric", "joint"])
def test_nmi_of_equal_groups_is_never_above_1(normalization):
    """Rounding errors of the entropies make some of these quotients larger than 1."""
    for k in range(2, 20):
        y = np.repeat(range(k), range(1, k + 1))
        assert 1 - 1e-12 < nmi(y, k - 1 - y, normalization) <= 1


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(two_labelings(), st.randoms(use_true_random=False))
def test_invariance_symmetry_bounds(pair, random):
    y, labels = pair
    names = random.sample(range(100), 5)
    order = random.sample(range(len(y)), len(y))
    renamed = np.array([names[label] for label in labels])
    scores = score_all(y, labels)
    assert score_all(y[order], renamed[order]) == pytest.approx(scores, abs=1e-12)
    exchanged = score_all(labels, y)
    for name in ("ACC", "NMI", "ARI", "F", "NMI-mean", "F-purity", "F-macro"):
        assert exchanged[name] == pytest.approx(scores[name], abs=1e-12), name
    assert all(0 <= scores[name] <= 1 for name in ("ACC", "NMI", "purity", "F", "F-class", "F-purity", "F-macro"))
    assert scores["F-class"] <= (2 + scores["ACC"]) / 3 + 1e-12
    assert scores["F-purity"] <= (1 + scores["ACC"]) / 2 + 1e-12
    assert -0.5 - 1e-12 <= scores["ARI"] <= 1
    assert scores["purity"] >= scores["ACC"] - 1e-12
    assert score_all(y, y) == pytest.approx(dict.fromkeys(METRICS, 1.0))


@pytest.mark.parametrize(
    ("y", "labels", "expected"),
    [
        ([0, 0, 0], [5, 5, 5], {"ACC": 1, "NMI": 1, "ARI": 1, "purity": 1, "F": 1}),
        ([0, 1, 2], [2, 0, 1], {"ACC": 1, "NMI": 1, "ARI": 1, "purity": 1, "F": 1}),
        ([0, 0, 0], [0, 1, 2], {"ACC": 1 / 3, "NMI": 0, "ARI": 0, "purity": 1, "F": 0}),
        ([0, 1, 2], [0, 0, 0], {"ACC": 1 / 3, "NMI": 0, "ARI": 0, "purity": 1 / 3, "F": 0}),
        ([0, 0, 1, 1], [0, 1, 0, 1], {"ACC": 0.5, "NMI": 0, "ARI": -0.5, "purity": 0.5, "F": 0}),
        ([7], [3], {"ACC": 1, "NMI": 1, "ARI": 1, "purity": 1, "F": 1}),
    ],
)
def test_degenerate(y, labels, expected):
    expected["NMI-mean"] = expected["NMI"]
    expected["F-class"] = expected["F-purity"] = expected["F-macro"] = 1 if expected["F"] == 1 else 0.5
    assert score_all(y, labels) == pytest.approx(expected, abs=1e-15)


def test_unmatched_clusters_are_errors():
    assert accuracy([0, 0, 0, 0, 1, 1], [0, 0, 2, 2, 1, 1]) == pytest.approx(4 / 6)
    assert accuracy([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]) == pytest.approx(4 / 6)


def test_optimal_matching_is_not_greedy():
    # Greedy takes the 5 and is left with 0; the optimum is 4 + 4.
    y = [0] * 9 + [1] * 4
    labels = [0] * 5 + [1] * 4 + [0] * 4
    assert accuracy(y, labels) == pytest.approx(8 / 13)


def test_pair_counts_of_large_data_do_not_overflow():
    y = np.repeat([0, 1], 100_000)
    labels = np.where(np.arange(200_000) % 10 == 0, 1 - y, y)
    # Exact: t = 90,000 and 10,000 in each class, so Rand = (tp + tn) / pairs.
    tp, pairs = 2 * (90_000 * 89_999 + 10_000 * 9_999) // 2, 200_000 * 199_999 // 2
    side = 2 * (100_000 * 99_999) // 2
    assert ari(y, labels) == pytest.approx((tp - side**2 / pairs) / (side - side**2 / pairs), rel=1e-12)


def test_strings_are_labels():
    assert accuracy(["a", "a", "b"], np.array(["x", "x", "y"], dtype=object)) == 1


@pytest.mark.parametrize(
    ("y", "labels", "message"),
    [
        ([0, 1], [0, 1, 1], "y has 2 objects, labels has 3"),
        ([], [], "y is empty"),
        ([0.0, np.nan], [0, 1], "y holds NaN"),
        ([0, 1], [0, None], "labels holds NaN or None"),
        ([0, 1], [0, -1], r"labels holds -1 \(missing\)"),
        ([0, 1], np.array([0, "x"], dtype=object), "numbers and text"),
        ([0, 1], [[0], 1], "unequal lengths"),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), [0, 1], "y holds NaN"),
        ([[0, 1]], [0, 1], r"y must have one label for each object, got shape \(1, 2\)"),
    ],
)
def test_bad_input_is_refused(y, labels, message):
    for score in (accuracy, nmi, ari, purity, pairwise_f, class_f, purity_f, macro_f, score_all):
        with pytest.raises(ValueError, match=message):
            score(y, labels)


@pytest.mark.parametrize(
    ("labelings", "message"),
    [([[0, 1]], r"shape \(labelings, 3\)"), ([[0, 1, -1]], "hold -1"), ([[0.0, 1.0, 2.0]], "must be integers")],
)
def test_bad_labelings_are_refused(labelings, message):
    with pytest.raises(ValueError, match=message):
        score_many([0, 1, 1], labelings)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="unknown metric 'acc'; choose from ACC, NMI"):
        score_all(Y, LABELS, ["acc"])
    with pytest.raises(ValueError, match="unknown normalization 'sum'; choose from max"):
        nmi(Y, LABELS, "sum")


def test_names_are_those_of_the_configuration():
    assert (*METRICS, *FURTHER) == typing.get_args(Metric)


@pytest.mark.long
@settings(max_examples=50, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_score_many_equals_one_by_one(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    labelings = rng.integers(0, 4, (20, n))
    labelings[10:] = (labelings[:10] + 1) % 4 * 50  # the same up to names, some of them >= n
    scores = score_many(y, labelings, ["F", "ACC", "NMI"])
    for labels, row in zip(labelings, scores, strict=True):
        assert_allclose(row, [pairwise_f(y, labels), accuracy(y, labels), nmi(y, labels)], atol=1e-12)
    assert_array_equal(scores[:10], scores[10:])  # to the bit


def test_duplicates_are_scored_once(monkeypatch):
    calls = []

    def count(table):
        calls.append(table)
        return 0.5

    monkeypatch.setitem(METRICS, "ACC", count)
    y, labels = np.repeat([0, 1, 2], 5), np.arange(15) % 3
    score_many(y, np.array([labels, (labels + 1) % 3, 2 - labels] * 100), ["ACC"])
    assert len(calls) == 1


@settings(max_examples=100, deadline=None)
@given(two_labelings(clusters=6, objects=30))
@example((np.arange(5) % 2, np.arange(5)))
@example((np.arange(5), np.arange(5) % 2))
def test_sparse_and_dense_tables_have_equal_scores(pair):
    y, labels = pair
    dense = score_all(y, labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("consclust.scores.CELLS", 0)
        assert score_all(y, labels) == dense  # to the bit
        assert score_many(y, [labels])[0] == pytest.approx(list(dense.values()), abs=1e-12)


def test_a_table_above_the_limit_of_cells_is_never_dense(monkeypatch):
    monkeypatch.setattr("consclust.scores.CELLS", 3)
    monkeypatch.setattr("consclust.scores._counts", None)
    assert accuracy([0, 0, 1, 1], [0, 1, 1, 1]) == 0.75
    assert score_many([0, 0, 1, 1], [[0, 1, 1, 1]], ["ACC"]) == 0.75


@pytest.mark.long
def test_thousands_of_clusters():
    """A dense table would have 3.6 10^9 cells."""
    y = np.arange(60_000)
    labels = y // 2
    expected = {"ACC": 0.5, "purity": 0.5, "F": 0.0, "ARI": 0.0, "F-class": 2 / 3, "F-purity": 2 / 3}
    expected["NMI"] = np.log(30_000) / np.log(60_000)
    found = score_all(y, labels, list(expected))
    assert found == pytest.approx(expected, abs=1e-12)
    assert list(score_many(y, [labels, labels[::-1]], list(expected))[1]) == list(found.values())


def exact_pairs(sizes):
    return sum(int(size) * (int(size) - 1) // 2 for size in np.ravel(sizes))


@pytest.mark.parametrize(
    "table",
    [
        np.array([[2_000_000_000, 1_000_000_000], [500_000_000, 2_500_000_000]]),
        np.array([[60_000, 5], [7, 60_000]], dtype=np.int32),
        np.array([[2**40, 3], [5, 2**41]]),
    ],
)
def test_pairs_of_large_tables_do_not_overflow(table):
    wide = table.astype(object)
    both, classes, clusters = exact_pairs(wide), exact_pairs(wide.sum(axis=1)), exact_pairs(wide.sum(axis=0))
    chance = Fraction(classes * clusters, exact_pairs(wide.sum()))
    found = Contingency.make(table)
    assert METRICS["ARI"](found) == float((both - chance) / (Fraction(classes + clusters, 2) - chance))
    assert METRICS["F"](found) == float(Fraction(2 * both, classes + clusters))


def test_score_many_of_none():
    assert score_many([0, 1], np.empty((0, 2), dtype=int)).shape == (0, len(METRICS))


@pytest.mark.mirror
def test_the_authors_clusterings_of_yale_give_the_printed_row(mirror):
    from scipy.io import loadmat

    files = mirror / "files"
    y = loadmat(files / "yale" / "YALE_165n_1024d_15c.mat")["y"].ravel()
    labels = loadmat(files / "yale_authors_ensemble" / "YALE_165n_1024d_15c_uni_kmeans.mat")["L"]
    scores = score_many(y, labels.T.astype(int), ["ACC", "NMI"]).mean(axis=0)
    assert_allclose(scores, [0.3673, 0.4175], atol=5e-5)  # K-means in Table 2 of the RCE paper, four digits
