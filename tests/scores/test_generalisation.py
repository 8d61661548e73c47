"""Scores on unseen objects: the splits, the streams, and cases whose scores are known."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from concord.config.study import Study
from concord.datasets import prepared
from concord.datasets.prepared import Dataset
from concord.errors import InputError
from concord.methods import registry
from concord.scores.command import main
from concord.scores.generalisation import Experiment, write_scores

NAMES = ("a", "b", "c")


def dataset(gap: float, n: int = 20, seed: int = 0) -> Dataset:
    """Three classes of n objects in the plane, their means ``gap`` apart; a third feature is constant."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), n)
    centres = gap * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    X = np.column_stack([centres[y] + rng.normal(size=(3 * n, 2)), np.full(3 * n, 7.0)])
    return Dataset(X, y, NAMES)


def study(**changes: Any) -> Study:
    plan = {
        "splits": 2,
        "repetitions": 2,
        "methods": ["KC", {"method": "BCE", "by": ["NC", "Infer"]}, {"method": "SSCE", "by": ["own"]}],
    }
    return Study.model_validate(
        {
            "id": "small",
            "title": "t",
            "summary": "s",
            "cases": [{"id": "one", "dataset": "iris"}, {"id": "two", "dataset": "iris"}],
            "ensemble": {"runs": 8, "subset_size": 4},
            "methods": [
                {"method": "KC", "parameters": {"n_init": 3}},
                {"method": "BCE", "parameters": {"n_init": 2}},
                {"method": "SSCE", "grid": {"lambda1": [0.1, 10]}, "default": {"lambda1": 0.1}},
            ],
            "metrics": ["ACC"],
            "table2": ["ACC"],
            "generalisation": plan | changes,
        }
    )


def experiment(gap: float = 2.0, case: int = 0, seed: int = 1, **changes: Any) -> Experiment:
    small = study(**changes)
    return Experiment(small, small.cases[case], dataset(gap), standardised=True, seed=seed)


def test_training_and_unseen_objects_are_apart_and_all_of_them():
    one = experiment(splits=4)
    splits = [one.indices(split) for split in range(4)]
    for training, unseen in splits:
        assert (len(training), len(unseen)) == (36, 24)
        assert sorted([*training, *unseen]) == list(range(60))
    assert len({training.tobytes() for training, _ in splits}) == 4


@pytest.mark.parametrize(("share", "n_training"), [(0.6, 36), (0.001, 1), (0.999, 59)])
def test_no_part_is_empty(share, n_training):
    assert len(experiment(train_share=share).indices(0)[0]) == n_training


def test_features_are_scaled_by_the_training_objects():
    part = experiment().part(0)
    np.testing.assert_allclose(part.X[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(part.X[:, :2].std(axis=0, ddof=1), 1)
    assert (part.X[:, 2] == 0).all()
    assert (part.unseen[:, 2] == 0).all()
    assert abs(part.unseen[:, 0].mean()) > 1e-6
    raw = experiment().dataset.X
    plain = Experiment(study(), study().cases[0], experiment().dataset, standardised=False, seed=1).part(0)
    np.testing.assert_array_equal(np.sort(np.vstack([plain.X, plain.unseen])[:, 0]), np.sort(raw[:, 0]))


def test_every_repetition_stands_for_itself():
    """A repetition alone gives what it gives among the others, whatever ran before."""
    everything = list(experiment().scores())
    alone = experiment()
    again = list(alone.repetition(alone.part(1), 1, 0))
    assert again == [score for score in everything if (score.split, score.repetition) == (1, 0)]
    assert len(everything) == 2 * 2 * 6
    fewer = list(experiment(methods=["KC"]).scores())
    assert fewer == [score for score in everything if score.row in ("K-means-NC", "KC-NC")]


def test_the_streams_belong_to_seed_and_case():
    reference = experiment().indices(0)[0]
    assert np.array_equal(reference, experiment().indices(0)[0])
    assert not np.array_equal(reference, experiment(seed=2).indices(0)[0])
    assert not np.array_equal(reference, experiment(case=1).indices(0)[0])


def test_classes_far_apart_are_found_on_unseen_objects_too():
    one = experiment(gap=60.0)
    spread = one.case.model_copy(update={"init": "k-means++"})  # from random objects, k-means would miss some
    scores = pd.DataFrame(Experiment(one.study, spread, one.dataset, True, 1).scores())
    assert set(scores["row"]) == {"K-means-NC", "KC-NC", "BCE-NC", "BCE-Infer", "SSCE"}
    assert (scores["training"] == 1).all()
    assert (scores["value"] == 1).all()


def test_unseen_classes_at_random_score_no_more_than_chance():
    one = experiment()
    y = np.random.default_rng(3).permutation(one.dataset.y)
    mixed = Experiment(one.study, one.case, Dataset(one.dataset.X, y, NAMES), True, 1)
    assert pd.DataFrame(mixed.scores())["value"].mean() < 0.55


def test_a_failure_is_a_line_with_its_reason():
    same = Dataset(np.zeros((60, 2)), np.repeat(np.arange(3), 20), NAMES)
    small = study(splits=1, repetitions=1, methods=["KC"])
    one = Experiment(small, small.cases[0], same, standardised=False, seed=1)
    failed = [score for score in one.scores() if score.row == "KC-NC"]
    assert np.isnan(failed[0].value)
    assert "distinguishes only 1" in failed[0].reason


def test_what_predicts_from_what():
    found = {name: registry.predicts_from(name) for name in registry.available()}
    assert {name: kind for name, kind in found.items() if kind} == {"BCE": "labels", "SSCE": "features"}


def test_the_job_writes_the_same_bytes_and_names_a_case_that_is_not_there(tmp_path):
    for name in ("one", "two"):
        write_scores(experiment(methods=["KC"]), tmp_path / f"{name}.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    assert len(pd.read_parquet(tmp_path / "one.parquet")) == 8

    (tmp_path / "study.json").write_text(study(cases=["one"], methods=["KC"]).model_dump_json())
    prepared._save(dataset(2.0), tmp_path / "data.npz")
    job = ["generalisation", "--study", str(tmp_path / "study.json"), "--data", str(tmp_path / "data.npz")]
    main([*job, "--seed", "1", "--case", "one", "--out", str(tmp_path / "out.parquet")])
    assert len(pd.read_parquet(tmp_path / "out.parquet")) == 8
    with pytest.raises(InputError, match="--case two: not in generalisation"):
        main([*job, "--seed", "1", "--case", "two", "--out", str(tmp_path / "out.parquet")])
