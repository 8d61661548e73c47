"""Criteria for the number of clusters beside a null reference."""

import warnings

import numpy as np
import pytest

from consclust.diagnostics import ResampledKMeans, agreement_with, choose_k, consensus_values, resampled
from consclust.diagnostics.choice import CRITERIA, consensus_labels
from consclust.methods import LWGP

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


def test_columns_follow_from_the_values() -> None:
    labels = planted(3)
    table = choose_k(labels, KS, **FEW)
    assert set(table["criterion"]) == set(CRITERIA)
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


def test_more_clusters_than_profiles_have_no_value() -> None:
    labels = np.tile(np.arange(20)[:, None] % 2, 4)
    for method in (None, LWGP(2, random_state=0)):
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
    ],
)
def test_what_cannot_be_answered_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_too_few_draws_to_reject_a_single_cluster_are_named() -> None:
    with pytest.warns(UserWarning, match="19"):
        table = choose_k(planted(3), [2, 3], halves=3, nulls=18)
    assert set(table.loc[table["chosen"], "k"]) == {1}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        choose_k(planted(3), [2, 3], halves=3, nulls=19)
