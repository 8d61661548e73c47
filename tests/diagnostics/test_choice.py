"""Criteria for the number of clusters beside a null reference."""

import warnings

import numpy as np
import pytest

from consclust.diagnostics import (
    ResampledKMeans,
    agreement_with,
    choose_k,
    consensus_values,
    describe_recommendation,
    resampled,
)
from consclust.diagnostics.choice import make_table, measure_values, recommend
from consclust.diagnostics.criteria import CRITERIA, Values, compare_with_nulls, compute_null_statistics
from consclust.diagnostics.resampling import consensus_labels, make_source
from consclust.ensemble import Ensemble, as_ensemble
from consclust.methods import LWGP
from consclust.scores import ari

KS = range(2, 6)
FEW = {"halves": 6, "nulls": 19}


def planted(k, n=60, m=12, noise=0.1, missing=0.0, seed=0):
    """Clusterings of k to 2 k clusters that part planted ones at random, with some labels at random."""
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(m):
        labels = rng.permutation(2 * k)[np.arange(n) % k + k * rng.integers(0, 2, n) * rng.integers(0, 2)]
        labels = np.where(rng.random(n) < noise, rng.integers(0, 2 * k, n), labels)
        columns.append(np.where(rng.random(n) < missing, -1, labels))
    return np.column_stack(columns)


def chosen(table):
    return table[table["chosen"]].set_index("criterion")["k"]


@pytest.mark.long
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_planted_clusters_are_found_and_chance_is_one_cluster(missing) -> None:
    table = choose_k(planted(3, missing=missing), KS, **FEW)
    assert chosen(table)["silhouette"] == 3
    assert chosen(table)["PAC"] != 1
    assert table.groupby("criterion")["chosen"].sum().eq(1).all()
    noise = choose_k(planted(3, noise=1.0, missing=missing), KS, **FEW)
    assert (chosen(noise)["PAC"], chosen(noise)["silhouette"]) == (1, 1)


@pytest.mark.long
def test_features_of_one_gaussian_are_one_cluster() -> None:
    rng = np.random.default_rng(1)
    blobs = rng.normal(size=(45, 2)) + 12 * np.eye(3)[np.arange(45) % 3][:, :2]
    recipe = ResampledKMeans(runs=8)
    found = chosen(choose_k(features=blobs, ks=KS, recipe=recipe, nulls=19))
    assert (found["PAC"], found["silhouette"]) == (3, 3)
    one = chosen(
        choose_k(features=np.random.default_rng(0).normal(size=(45, 2)) * [1, 3], ks=KS, recipe=recipe, nulls=19)
    )
    assert (one["PAC"], one["silhouette"]) == (1, 1)


@pytest.mark.long
def test_columns_follow_from_the_values() -> None:
    labels = planted(3)
    table = choose_k(labels, KS, **FEW)
    assert list(table["criterion"].unique()) == [name for name in CRITERIA if name != "dispersion"], "no features"
    rows = table[table["k"] > 1]
    pac, silhouette = (rows[rows["criterion"] == name] for name in ("PAC", "silhouette"))
    half = 0.5 / (60 * 59 / 2)
    np.testing.assert_allclose(pac["score"], np.log2((pac["null_mean"] + half) / (pac["value"] + half)))
    np.testing.assert_allclose(silhouette["score"], silhouette["value"] - silhouette["null_mean"])
    assert set(np.round(rows["p"] * 20, 9)) <= set(range(1, 21))
    assert pac.loc[pac["best"], "value"].item() == pac["value"].min()
    plain = choose_k(labels, KS, halves=6, nulls=0)
    np.testing.assert_array_equal(plain["value"], table["value"])
    assert plain["chosen"].equals(plain["best"])
    assert plain["score"].isna().all()


def test_values_are_those_of_the_halves() -> None:
    labels = planted(2, m=2)  # a half is one clustering, whose consensus with its own number of clusters is itself
    labels = np.column_stack([np.unique(column, return_inverse=True)[1] % 3 for column in labels.T])
    table = choose_k(labels, [3], halves=10, nulls=0)
    value = table[table["k"] == 3].set_index("criterion")["value"]
    pairs = consensus_values(labels)
    assert value["PAC"] == pytest.approx(pairs.pairs[pairs.joined == 1].sum() / pairs.pairs.sum())


@pytest.mark.long
def test_a_method_is_fitted_at_each_k() -> None:
    method = LWGP(2, random_state=0)
    found = consensus_labels(planted(4), [3, 4, 5], method)
    assert [len(set(found[k])) for k in (3, 4, 5)] == [3, 4, 5]
    assert (method.n_clusters, hasattr(method, "labels_")) == (2, False)
    table = choose_k(planted(4), [3, 4, 5], method=method, halves=4, nulls=0)
    assert chosen(table)["silhouette"] == 4


@pytest.mark.parametrize("method", [None, LWGP(2, random_state=0)])
def test_the_clusters_at_each_k_are_numbered_by_first_appearance(method) -> None:
    """Some objects have no label at all."""
    given = planted(4, missing=0.3)
    given[[0, 9]] = -1
    found = consensus_labels(given, [2, 3, 4], method)
    for k, labels in found.items():
        assert labels[[0, 9]].tolist() == [-1, -1]
        numbers, first = np.unique(labels[labels >= 0], return_index=True)
        assert numbers.tolist() == list(range(k))
        assert (np.diff(first) > 0).all()


def test_a_missing_label_of_a_label_matrix_counts_as_the_expected_one() -> None:
    classes = np.arange(60) % 3
    given = planted(3, m=20, missing=0.6, seed=1)
    (found,) = consensus_labels(given, [3], None).values()
    assert ari(classes, found) == 1
    (ignored,) = consensus_labels(given, [3], None, missing="ignored").values()
    assert ari(classes, ignored) < 1
    stages = resampled(Ensemble(given, "ignored"), [3], halves=2)
    np.testing.assert_array_equal(stages[3].labels, ignored)


def test_objects_that_a_run_of_features_leaves_out_are_ignored() -> None:
    """As Monti et al. (2003) define the consensus matrix of subsamples."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    (stage,) = resampled(features=X, ks=[4], recipe=ResampledKMeans(runs=6, share=0.5), halves=2).values()
    given = stage.resampled.given
    assert (given == -1).any()
    np.testing.assert_array_equal(stage.labels, consensus_labels(given, [4], None, missing="ignored")[4])
    assert (stage.labels != consensus_labels(given, [4], None)[4]).any(), "the data tell them apart"


@pytest.mark.long
def test_more_clusters_than_profiles_have_no_value() -> None:
    labels = np.tile(np.arange(20)[:, None] % 2, 4)
    for method in (None, LWGP(2, random_state=0)):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            table = choose_k(labels, [2, 3], method=method, halves=3, nulls=1)
        of_three = table[table["k"] == 3]
        assert of_three["value"].isna().all()
        assert not of_three["chosen"].any()
        assert not choose_k(labels, [3], method=method, halves=3, nulls=1)["chosen"].any()


def test_the_seed_alone_decides() -> None:
    again = [choose_k(planted(3), [2, 3], halves=3, nulls=2, seed=5) for _ in range(2)]
    assert again[0].equals(again[1])
    assert not again[0].equals(choose_k(planted(3), [2, 3], halves=3, nulls=2, seed=6))


@pytest.mark.long
def test_processes_and_a_progress_bar_change_nothing() -> None:
    labels, seen = planted(3), []

    def watch(steps):
        for step in steps:
            seen.append(step)
            yield step

    plain = choose_k(labels, [2, 3], halves=3, nulls=2)
    assert choose_k(labels, [2, 3], halves=3, nulls=2, n_jobs=2, watch=watch).equals(plain)
    assert len(seen) == 3


def test_the_criteria_are_those_of_the_resampled_clusterings() -> None:
    labels = planted(3)
    table = choose_k(labels, [2, 3], halves=3, nulls=0).set_index(["criterion", "k"])["value"]
    for k, stage in resampled(labels, [3, 2], halves=3).items():
        assert table["PAC", k] == consensus_values(stage.resampled).pac()
        assert table["agreement", k] == agreement_with(labels, stage.labels).mean()
    assert resampled(np.tile(np.arange(20)[:, None] % 2, 4), [3])[3].labels is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: choose_k(), "either labels or features"),
        (lambda: choose_k(planted(2), features=np.eye(60)), "either labels or features"),
        (lambda: choose_k(planted(2), [1, 2]), "from 2 to 60"),
        (lambda: choose_k(planted(2), [61]), "from 2 to 60"),
        (lambda: choose_k(planted(2), []), "from 2 to 60"),
        (lambda: choose_k(planted(2)[:, :1]), "single clustering"),
        (lambda: choose_k(planted(2), nulls=-1), "nulls"),
        (lambda: choose_k(features=np.full((9, 2), np.nan)), "finite"),
        (lambda: choose_k(features=np.eye(9), ks=[9]), "from 2 to 8"),
        (lambda: choose_k(features=np.eye(9), recipe=ResampledKMeans(share=0)), "share"),
        (lambda: choose_k(features=np.eye(9), ks=[2], recipe=ResampledKMeans(init="random++")), "init"),
        (lambda: choose_k(features=np.eye(9), ks=[2], recipe=ResampledKMeans(max_iter=0)), "max_iter"),
    ],
)
def test_what_cannot_be_answered_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.long
def test_too_few_draws_to_reject_a_single_cluster_are_named() -> None:
    with pytest.warns(UserWarning, match="19"):
        table = choose_k(planted(3), [2, 3], halves=3, nulls=18)
    assert set(table.loc[table["chosen"], "k"]) == {1}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        choose_k(planted(3), [2, 3], halves=3, nulls=19)


def two_groups(distance, n=80, d=5, seed=0):
    """Two groups of the same size whose centres are some standard deviations apart."""
    rng = np.random.default_rng(seed)
    centres = np.array([[0.0], [distance / np.sqrt(d)]])
    return centres[np.arange(n) % 2] + rng.normal(size=(n, d))


RECIPE = ResampledKMeans(runs=8)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("ks", [[2], range(2, 7)])
def test_two_groups_far_apart_are_two_by_most_criteria_and_by_the_recommendation(ks, seed) -> None:
    """Values that end at a perfect one are significant when they reach it."""
    table = choose_k(features=two_groups(20, seed=seed), ks=ks, recipe=RECIPE, halves=4, seed=seed)
    assert recommended(table) == 2
    assert (chosen(table).drop("delta area") == 2).sum() >= 4


@pytest.mark.long
@pytest.mark.parametrize("centres", [[0, 5, 10], [0, 4, 8, 12]])
def test_groups_on_a_line_are_found(centres) -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(centres, 25)[:, None] + rng.normal(size=(25 * len(centres), 5))
    assert recommended(choose_k(features=X, ks=range(2, 7), recipe=RECIPE, halves=4)) == len(centres)


@pytest.mark.long
@pytest.mark.parametrize("deviations", [[1, 1, 1], [6, 2, 1], [10, 1, 1]])
def test_one_gaussian_of_any_shape_is_one_cluster(deviations) -> None:
    X = np.random.default_rng(3).normal(size=(70, 3)) * deviations
    table = choose_k(features=X, ks=range(2, 6), recipe=RECIPE, halves=4)
    assert recommended(table) == 1
    assert table["halves"].isna().all()
    assert "k = 1" in describe_recommendation(table)


@pytest.mark.parametrize("shape", [(30, 4), (12, 40), (25, 1)])
def test_draws_have_the_mean_and_the_covariance_of_the_features(shape) -> None:
    """Draws that have them on average alone look longer than the data do, and hide clusters."""
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(1, 9, shape[1])
    X[:, -1:] += 3 * X[:, :1]
    data, _ = make_source(None, [2], X, RECIPE, None, 2, 0)
    first, second = data.null(0), data.null(1)
    for draw in (first, second):
        np.testing.assert_allclose(draw.features.mean(axis=0), X.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(np.cov(draw.features.T), np.cov(X.T), atol=1e-9)
    assert not np.allclose(first.features, second.features)
    assert not np.allclose(first.features, X)


def test_features_without_variance_have_a_null_reference() -> None:
    X = np.column_stack([np.arange(12.0), np.ones(12)])
    for features in (X, np.ones((12, 2))):
        data, _ = make_source(None, [2], features, RECIPE, None, 2, 0)
        np.testing.assert_allclose(np.cov(data.null(0).features.T), np.cov(features.T), atol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_two_groups_near_to_each_other_are_no_single_cluster(seed) -> None:
    table = choose_k(features=two_groups(4, n=100, seed=seed), ks=[2, 3], recipe=RECIPE, halves=2, seed=seed)
    assert table.loc[(table["criterion"] == "dispersion") & (table["k"] == 1), "p"].item() == 0.05


def recommended(table):
    (k,) = set(table.loc[table["recommended"], "k"])
    return k


KS3 = [2, 3, 4]


def made(data, halves=None, is_one_cluster=False):
    """Values of some criteria at three k's; 19 draws, which differ from the data as clusters do, or do not."""
    # where they are far below the data, the mean of the draws is that of NULLS at each k
    drawn = np.array([NULLS[name] for name in data])
    noise = 0.001 * np.random.default_rng(0).normal(size=(19, *drawn.shape))
    noise -= noise.mean(axis=0)
    nulls = drawn + noise
    if is_one_cluster:
        worst = np.array([CRITERIA[name].sign * 9.0 for name in data])
        nulls = np.concatenate([nulls[:17], [drawn + worst[:, None]] * 2])
    of_data = np.array([data[name] for name in data])
    halves = np.tile(data["silhouette"], (3, 1)) if halves is None else np.array(halves)
    return Values(list(data), KS3, of_data, nulls, halves, 1e-4)


NULLS = {"silhouette": [0.5] * 3, "dispersion": [-1.0, -1.2, -1.4]}


def test_of_features_the_adjusted_silhouette_and_the_square_of_the_gap_count() -> None:
    data = {"silhouette": [0.9, 0.8, 0.55], "dispersion": [-1.1, -2.2, -2.6]}
    # .8 x .01, .6 x 1, .1 x 1.44
    assert recommend(made(data), 0.05) == (3, {2: 0.0, 3: 1.0, 4: 0.0})
    assert recommend(made({"silhouette": data["silhouette"]}), 0.05).recommended == 2
    assert recommend(made(data, is_one_cluster=True), 0.05) == (1, {})
    # .2 x 2.25, .6 x 1, .8 x .64: the gap alone would take 2, the silhouette alone 4, their product 4
    data = {"silhouette": [0.6, 0.8, 0.9], "dispersion": [-2.5, -2.2, -2.2]}
    assert recommend(made(data), 0.05).recommended == 3


def test_a_perfect_silhouette_is_best_however_good_that_of_the_draws_is() -> None:
    """It can exceed theirs by little where they are nearly perfect."""
    values = made({"silhouette": [1.0, 0.5, 0.72]})
    nulls = values.nulls.copy()
    nulls[:, 0] += np.array([0.42, 0.0, 0.0])
    assert recommend(values._replace(nulls=nulls), 0.05).recommended == 2


def test_of_neighbours_that_are_equally_good_within_the_noise_the_smallest_is_recommended() -> None:
    data = {"silhouette": [0.70, 0.90, 0.91]}
    noisy = made(data, [[0.7, 0.96, 0.86], [0.7, 0.84, 0.96], [0.7, 0.90, 0.91]])
    assert recommend(noisy, 0.05).recommended == 3
    # the first half is better at 3, the last within the noise, the second beyond it
    assert recommend(noisy, 0.05).halves == pytest.approx({2: 0, 3: 2 / 3, 4: 1 / 3})
    assert recommend(made(data), 0.05).recommended == 4


def test_a_smaller_number_is_not_taken_across_a_worse_one() -> None:
    """Eight clusters on a line are also four pairs, which are nearly as good; five to seven are not."""
    data = {"silhouette": [0.90, 0.70, 0.91]}
    noisy = made(data, [[0.95, 0.7, 0.86], [0.85, 0.7, 0.94], [0.90, 0.7, 0.91]])
    assert recommend(noisy, 0.05).recommended == 4
    assert recommend(noisy, 0.05).halves == pytest.approx({2: 1 / 3, 3: 0, 4: 2 / 3})


def test_halves_of_the_draws_show_what_depends_on_them() -> None:
    """The halves of the clusterings agree; which k is best depends on the draws that it is compared with."""
    values = made({"silhouette": [0.70, 0.90, 0.91]}, np.tile([0.70, 0.90, 0.91], (40, 1)))
    assert set(recommend(values, 0.05).halves.values()) == {0.0, 1.0}
    nulls = values.nulls.copy()
    nulls[:, 0, 2] += 0.3 * np.resize([-1, 1], 19)
    shares = recommend(values._replace(nulls=nulls), 0.05).halves
    assert 0.1 < shares[3] < 0.9
    assert shares[3] + shares[4] == pytest.approx(1)


@pytest.mark.long
def test_the_table_follows_from_the_values_alone() -> None:
    data, ks = make_source(planted(3), KS, None, None, None, 6, 0)
    values = measure_values(data, ks, 19)
    assert make_table(values, 0.05).equals(choose_k(planted(3), KS, **FEW))
    # one draw as good as the data at every k is enough that nothing is rejected at the level of 5 %
    nulls = values.nulls.copy()
    nulls[3] = values.data
    assert recommended(make_table(values._replace(nulls=nulls), 0.05)) == 1


def test_without_a_null_reference_the_silhouette_alone_counts() -> None:
    table = choose_k(planted(3), KS, halves=4, nulls=0)
    silhouettes = table[(table["criterion"] == "silhouette") & (table["k"] > 1)].set_index("k")["value"]
    assert recommended(table) == silhouettes.idxmax() == 3


def test_halves_that_disagree_are_named() -> None:
    table = choose_k(planted(3), KS, halves=4, nulls=0)
    shares = {1: np.nan, 2: 0.25, 3: 0.5, 4: 0.25, 5: 0.0}
    text = describe_recommendation(table.assign(halves=table["k"].map(shares)))
    assert "disagree" in text
    assert all(word in text for word in ("3 in 50%", "2 in 25%", "4 in 25%"))
    assert "5 in" not in text


def test_delta_area_does_not_compare_steps_of_another_width() -> None:
    table = choose_k(planted(3), [2, 3, 4, 8], halves=4, nulls=0)
    values = table[table["criterion"] == "delta area"].set_index("k")["value"]
    assert values.isna().tolist() == [True, False, False, False, True]
    even = choose_k(planted(3), [2, 4, 6], halves=4, nulls=0)
    assert even.loc[(even["criterion"] == "delta area") & (even["k"] > 1), "value"].notna().all()


def test_delta_area_chooses_no_number_that_data_without_clusters_have_as_well() -> None:
    values = np.array([0.4, 0.5, 0.3])
    nulls = np.array([[0.2, 0.1, 0.6], [0.21, 0.12, 0.5], [0.19, 0.11, 0.7]])
    found = Values(["delta area"], [2, 3, 4], values[None], nulls[:, None], np.empty((0, 3)), 0.001)
    rows = compare_with_nulls(found, 0.25)
    picked = [row[1] for row in rows if row[-1]]
    assert picked == [3], "the increase at 4 is large, and larger without clusters"


def test_a_perfect_value_is_far_from_those_of_data_without_clusters() -> None:
    """Their silhouettes are spread so widely that 1 is within two deviations."""
    nulls = np.random.default_rng(0).uniform(0.3, 0.95, (19, 1))
    found = {
        value: compute_null_statistics("silhouette", np.vstack([[value], nulls]), None, 1e-4) for value in (0.5, 1)
    }
    assert found[1].p_one_cluster == 0.05
    assert found[0.5].p_one_cluster > 0.3
    assert compute_null_statistics("silhouette", np.full((20, 1), 0.5), None, 1e-4).p_one_cluster == 1


def test_a_draw_with_a_perfect_value_does_not_hide_clusters_that_the_dispersion_shows() -> None:
    nulls = np.random.default_rng(0).uniform(0.3, 0.95, (19, 1))
    nulls[4] = 1.0
    pool = np.vstack([[1.0], nulls])
    assert compute_null_statistics("silhouette", pool, None, 1e-4).p_one_cluster == 0.1
    of_dispersion = np.r_[4.3, np.random.default_rng(1).uniform(-1, 1, 19)]
    assert compute_null_statistics("silhouette", pool, of_dispersion, 1e-4).p_one_cluster == 0.05


def test_a_consensus_of_fewer_clusters_is_no_answer() -> None:
    """Where all clusterings agree on two groups, a method that returns them for k = 3 as well has no answer there."""

    class Two(LWGP):
        def fit(self, labels, features=None):
            self.labels_ = np.asarray(as_ensemble(labels).given[:, 0])
            return self

    given = np.tile(np.repeat([0, 1], 6)[:, None], 5)
    assert list(consensus_labels(given, [2, 3], Two(2))) == [2]


def test_the_dispersion_is_that_of_k_means_of_all_objects() -> None:
    X = two_groups(15, n=40)
    table = choose_k(features=X, ks=[2, 3], recipe=RECIPE, halves=2, nulls=2)
    value = table[(table["criterion"] == "dispersion") & (table["k"] == 2)]["value"].item()
    groups = [X[::2], X[1::2]]
    within = sum(np.square(group - group.mean(axis=0)).sum() for group in groups)
    assert value == pytest.approx(np.log(within / np.square(X - X.mean(axis=0)).sum()))


def test_an_object_that_is_seen_with_one_cluster_alone_does_not_decide() -> None:
    """It has one label, in a clustering that has no other cluster, so that its silhouette is not known."""
    labels = np.repeat([[0], [1]], 20, axis=0) * np.ones((1, 10), dtype=int)
    labels[20:, 0] = -1
    labels[0, 1:] = -1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = choose_k(labels, [2, 3, 4], halves=6, nulls=0)
    values = table[table["criterion"] == "silhouette"].set_index("k")["value"]
    assert values[2] == pytest.approx(1)
    assert set(table.loc[table["recommended"], "k"]) == {2}


def test_draws_without_a_value_are_no_evidence() -> None:
    nulls = np.random.default_rng(0).normal(0.3, 0.02, (19, 1))
    nulls[8:] = np.nan
    found = compute_null_statistics("silhouette", np.vstack([[[0.9]], nulls]), None, 1e-4)
    assert found.p.tolist() == [1 / 9]
    assert found.p_one_cluster == pytest.approx(1 / 9)
    values = made({"silhouette": [0.9, 0.8, 0.7]})
    all_missing = values._replace(nulls=np.full_like(values.nulls, np.nan))
    assert recommend(all_missing, 0.05).recommended == 1


def test_criteria_that_contradict_each_other_recommend_nothing() -> None:
    # at 2 the dispersion is better than without clusters and the silhouette worse; at 3 and 4 it is the other way round
    values = made({"silhouette": [0.3, 0.9, 0.9], "dispersion": [-3.0, -0.5, -0.5]})
    assert recommend(values, 0.05) == (None, {})
    assert "no k is better" in describe_recommendation(make_table(values, 0.05))
