"""Every function of the diagnostics on any ensemble: values in their documented ranges, or a clear refusal."""

import math

import numpy as np
import pandas as pd
import pytest
from hostile import answer, fuzzed, given_as, label_matrices
from hypothesis import given
from hypothesis import strategies as st

from consclust import diagnostics
from consclust.ensemble import Ensemble
from consclust.methods import BCE, EAC, KC, RCE, SSCE

pytestmark = pytest.mark.long

MEASURES = [*["ARI", "NMI", "VI"] * 3, "", None]
NORMALIZATIONS = [*["max", "min", "arithmetic", "geometric"] * 3, "joint", None]
FEW = {"most_pairs": 0, "sample": 50}
SAMPLED = [{}, FEW, {"most_pairs": math.inf}, {"most_pairs": 0, "sample": 0}, {"sample": -1}]


class Case:
    """An ensemble, and arguments drawn for it."""

    def __init__(self, data):
        self._data, self.labels = data, data.draw(label_matrices())
        self.n, self.m = self.labels.shape
        self.form = self.one(given_as(self.labels))

    def one(self, choices):
        return self._data.draw(choices if isinstance(choices, st.SearchStrategy) else st.sampled_from(choices))

    def clustering(self):
        """A clustering of the objects, or what is none."""
        k = self.one([1, 2, 3, 50])
        labels = np.random.default_rng(self.n).integers(k, size=self.n)
        forms = [np.r_[-1, labels[1:]], labels - 5, labels[1:], labels.astype(float), labels.astype(str), labels / 2]
        return self.one([*[labels, labels.tolist(), np.sort(labels)] * 4, *forms, labels[:, None], None, self.n])

    def matrix(self):
        """A matrix over the objects, or what is none."""
        matrix = np.random.default_rng(self.n).random((self.n, self.n)).round(1)
        matrix = matrix + matrix.T
        wrong = [matrix + np.nan, matrix[1:], matrix[0], matrix[:0, :0], matrix.astype(str), None, self.n, [[1.0]] * 3]
        alike = [matrix, matrix.tolist(), np.zeros_like(matrix), np.ones_like(matrix), -matrix, matrix.astype(int)]
        return self.one([*alike * 3, matrix[:1, :1], np.asfortranarray(matrix), *wrong])

    def items(self):
        """The item consensus with some clusters, or what is none."""
        clusters = self.clustering()
        items = answer(lambda: diagnostics.item_consensus(self.labels, clusters))
        return self.one([items, items, items, [[0.5]] * self.n, np.eye(self.n), None, 1.0, [0.5] * self.n])

    def method(self):
        k = self.one([1, 2, 2, 3, 3, self.n])
        return self.one([EAC(k), EAC(k), KC(k, n_init=1, random_state=0), BCE(k, n_init=1, random_state=0), SSCE(k)])

    def features(self):
        numbers = np.random.default_rng(self.n).normal(size=(self.n, 2))
        wrong = [numbers[1:], numbers[:, 0], numbers.astype(str)]
        return self.one([*[numbers, numbers.tolist(), np.ones((self.n, 1))] * 2, *wrong])


def within(values, low, high, shape, may_be_nan=False):
    values = np.asarray(values, dtype=float)
    assert values.shape == shape
    known = values[~np.isnan(values)]
    assert may_be_nan or known.size == values.size
    assert (known >= low - 1e-9).all()
    assert (known <= high + 1e-9).all()


def misses_labels(case):
    """Whether labels are missing, so that pairs may not have been seen."""
    return Ensemble(case.form).has_missing


def pairwise_agreement(case):
    arguments = case.form, case.one(MEASURES), case.one(NORMALIZATIONS)
    found = yield arguments
    assert np.array_equal(found, found.T, equal_nan=True)
    within(found, -1, 1 if arguments[1] != "VI" else 10, (case.m, case.m), may_be_nan=True)


def agreement_with(case):
    arguments = case.form, case.clustering(), case.one(MEASURES), case.one(NORMALIZATIONS)
    found = yield arguments
    within(found, -1, 1 if arguments[2] != "VI" else 10, (case.m,), may_be_nan=True)


def quality(case):
    arguments = case.form, case.one(MEASURES), case.one(NORMALIZATIONS)
    found = yield arguments
    within(found, -1, 1 if arguments[1] != "VI" else 10, (case.m,), may_be_nan=True)


def agreement_weights(case):
    found = yield case.form, case.one(MEASURES), case.one([0, 1.0, 2.5, 1e300, math.inf, math.nan, -1])
    within(found, 0, 1, (case.m,))
    assert found.sum() == pytest.approx(1)


def influence(case):
    found = yield case.form, case.one(SAMPLED)
    within(found, 0, 1, (case.m,), may_be_nan=misses_labels(case))


def contested(case):
    found = yield case.form, case.one(SAMPLED)
    within(found, 0, 1, (case.n,), may_be_nan=misses_labels(case))


def coalitions(case):
    found = yield (case.form,)
    within(found.score, 0, 1, (), may_be_nan=True)
    assert found.found == (len(found.groups) > 1)
    members = [member for group in found.groups for member in group]
    assert len(members) == len(set(members))
    assert set(members) <= set(range(case.m))
    within(found.agreement, -1, 1, (len(found.groups), len(found.groups)))


def describe_coalitions(case):
    found = yield [diagnostics.coalitions(answer(lambda: Ensemble(case.form)) or np.eye(4, dtype=int))]
    assert "oalitions" in found


def list_coalitions(case):
    labels = np.repeat([[0, 0, 0, 0, 1, 2], [0, 1, 2, 3, 0, 0]], 6, axis=0)
    given = diagnostics.coalitions(np.column_stack([labels, case.one([labels, labels[::-1]])]))
    found = yield [given, [f"c{number}" for number in range(12)]]
    assert len(found) == len(given.groups)


def consensus_values(case):
    found = yield case.form, case.one(SAMPLED)
    assert found.exact is False or found.pairs.sum() == case.n * (case.n - 1) // 2
    unseen = found.unseen == 1
    within(found.values, 0, 1, found.pairs.shape, may_be_nan=misses_labels(case))
    for number in (found.area(), found.area(bins=100), found.pac(), found.stable(), found.stable(0.4)):
        within(number, 0, 1, (), may_be_nan=unseen)
    if found.exact:  # counts do not depend on the order of the clusterings
        turned = diagnostics.consensus_values(Ensemble(case.form).given[:, ::-1], most_pairs=math.inf)
        for one, other in zip(vars(found).values(), vars(turned).values(), strict=True):
            assert np.array_equal(one, other)


def cophenetic_correlation(case):
    found = yield case.form, case.one([{}, {"most_profiles": 5}, {"most_profiles": 1}, {"most_profiles": 0}])
    within(found, 0, 1, (), may_be_nan=True)


def item_consensus(case):
    clusters = case.clustering()
    found = yield case.form, clusters, case.one(SAMPLED)
    within(found, 0, 1, (case.n, len(np.unique(clusters))), may_be_nan=True)
    within(diagnostics.cluster_consensus(found, clusters), 0, 1, found.shape[1:], may_be_nan=True)
    if found.shape[1] > 1:
        silhouette = diagnostics.consensus_silhouette(found, clusters)
        within(silhouette, -1, 1, (case.n,), may_be_nan=misses_labels(case))


def cluster_consensus(case):
    found = yield case.items(), case.clustering()
    within(found, 0, 1, (len(found),), may_be_nan=True)


def consensus_silhouette(case):
    found = yield case.items(), case.clustering()
    within(found, -1, 1, (case.n,), may_be_nan=True)


def delta_area(case):
    areas = case.one([[0.5, 0.6], [0.0, 0.0, 1.0], [], [1], np.ones((2, 2)), [math.nan, 1.0]])
    found = yield (areas,)
    assert found.shape == np.shape(areas)


def half_width(case):
    found = yield case.one([1, 100, 2**70, 0, -1, math.nan, math.inf]), case.one([0.5, 0.95, 0, 1, 2, math.nan])
    assert 0 <= found < math.inf


def track_items(case):
    found = yield ([case.clustering() for _ in range(case.one([0, 1, 2, 3]))],)
    within(found.moved[1:], 0, 1, (len(found.names) - 1,))
    assert math.isnan(found.moved[0])


def contrast(case):
    found = yield case.matrix(), case.clustering()
    assert set(found) == {"least", "percentile_1", "percentile_99", "largest", "mean_in_classes", "mean_between"}
    assert not any(math.isnan(value) for name, value in found.items() if not name.startswith("mean"))


def block_structure(case):
    found = yield case.matrix(), case.clustering()
    within(list(found.values()), -1, 1, (3,), may_be_nan=True)
    assert not math.isnan(found["disconnected"])


def vat_order(case):
    matrix = case.matrix()
    found = yield (matrix,)
    assert sorted(found) == list(range(len(matrix)))


def level_shares(case):
    found = yield answer(lambda: Ensemble(case.form)), case.clustering()
    within(found, 0, 1, (5, case.m + 1), may_be_nan=True)


def rce_errors(case):
    rce = RCE(2, max_outer=2, max_inner=2, n_init=1, random_state=0)
    answer(lambda: rce.fit(case.form))
    found = yield rce, case.one([case.form, case.form, case.labels[1:]])
    within(found, 0, 1, (case.n, case.m), may_be_nan=True)


def rce_error_matrix(case):
    rce = RCE(2, max_outer=2, max_inner=2, n_init=1, random_state=0)
    answer(lambda: rce.fit(case.form))
    found = yield rce, case.form, case.one([0, case.m - 1, case.m, -1, 0.5, None])
    within(found, -1, 1, (case.n, case.n), may_be_nan=True)


def held_out_agreement(case):
    options = {"folds": case.one([2, 3, case.m, 0, 1, case.m + 1]), "features": case.one([None, case.features()])}
    found = yield case.form, case.method(), options
    within(found, -1, 1, (case.m,), may_be_nan=True)


def bootstrap_stability(case):
    options = {"draws": case.one([1, 2, 0, -1]), "confidence": case.one([0.5, 0.95, 0, 1, math.nan])}
    found = yield case.form, case.method(), options | {"features": case.one([None, case.features()])}
    for values in found[1:]:
        within(values, 0, 1, (case.n,), may_be_nan=True)


def compare_methods(case):
    options = {"draws": case.one([0, 1, 2]), "folds": case.one([2, 3, 1, 100])}
    options["features"] = case.one([None, case.features()])
    found = yield case.form, {"one": case.method(), "other": case.method()}, options
    for one in found:
        assert one.note or one.labels is not None
        within([one.ari, one.held_out_ari, one.stability], -1, 1, (3,), may_be_nan=True)


def of_k(case):
    ks = case.one(
        [
            [2],
            [2],
            [2, 3],
            [2, 3],
            range(2, 5),
            range(2, 5),
            [2, case.n],
            [1, 2],
            [case.n + 1],
            [],
            [2.5],
            ["x"],
            None,
            3,
        ]
    )
    recipe = diagnostics.ResampledKMeans(case.one([2, 3, 5, 1]), case.one([0.5, 0.8, 1.0, 0.0]))
    options = {"method": case.one([None, None, case.method()]), "halves": case.one([1, 2, 3, 0])}
    if case.one([True, True, False]):
        return (case.form, ks, options)
    return ({"ks": ks, "features": case.features(), "recipe": recipe} | options,)


def choose_k(case):
    *arguments, options = of_k(case)
    found = yield *arguments, options | {"nulls": case.one([0, 0, 1, -1])}
    assert isinstance(found, pd.DataFrame)
    assert found.groupby("criterion")["chosen"].sum().max() <= 1


def describe_recommendation(case):
    *arguments, options = of_k(case)
    options |= {"nulls": 0}
    table = answer(lambda: diagnostics.choose_k(*arguments, **options), *arguments, *options.values())
    found = yield [diagnostics.choose_k(np.eye(4, dtype=int), [2], nulls=0) if table is None else table]
    assert "recommended" in found.lower()


def resampled(case):
    found = yield of_k(case)
    for k, stage in found.items():
        assert stage.labels is None or set(stage.labels) == set(range(k)) or stage.labels.max() < k


def signatures(case):
    found = yield case.features(), case.clustering()
    within(found["eta_squared"], 0, 1, (len(found),), may_be_nan=True)
    within(found["p_adjusted"], 0, 1, (len(found),), may_be_nan=True)


RETURNED = {"Coalitions", "ConsensusValues", "Measured", "ResampledKMeans", "Stability", "Tracking"}
FUNCTIONS = {name: globals()[name] for name in diagnostics.__all__ if name not in RETURNED}


@pytest.mark.long
@pytest.mark.parametrize("name", FUNCTIONS)
@fuzzed
@given(data=st.data())
def test_a_diagnosis_is_in_its_range_or_refused(name, data):
    steps = FUNCTIONS[name](Case(data))
    arguments = list(next(steps))
    options = arguments.pop() if isinstance(arguments[-1], dict) and name != "track_items" else {}
    found = answer(lambda: getattr(diagnostics, name)(*arguments, **options), *arguments, *options.values())
    if found is not None:
        with pytest.raises(StopIteration):
            steps.send(found)
