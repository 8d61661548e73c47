"""Scores on unseen objects: the splits, the streams, and cases whose scores are known."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from consclust import methods
from consclust.datasets.prepared import Dataset, Recipe
from consclust.ensembles.kmeans import kmeans_ensemble
from consclust.errors import InputError
from consclust.seeds import generator
from consclust_studies.config.experiment import Experiment
from consclust_studies.config.method_runs import MethodRun
from consclust_studies.stages import prepare as prepared
from consclust_studies.stages import unseen_objects
from consclust_studies.stages.prepare import PrepareJob
from consclust_studies.stages.score_tables import read_table
from consclust_studies.stages.unseen_objects import Unseen, UnseenJob, reduce_to_unseen, run, write_scores
from job_files_of import STAMP, files_of, marks

NAMES = ("a", "b", "c")
NOTHING = {"reader": None, "sample": None, "shape": None}


def dataset(gap: float, n: int = 20, seed: int = 0) -> Dataset:
    """Three classes of n objects in the plane, their means ``gap`` apart; a third feature is constant."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(3), n)
    centres = gap * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    X = np.column_stack([centres[y] + rng.normal(size=(3 * n, 2)), np.full(3 * n, 7.0)])
    return Dataset(X, y, NAMES)


def study(**changes: Any) -> Experiment:
    plan = {
        "splits": 2,
        "repetitions": 2,
        "methods": ["KC", {"method": "BCE", "by": ["NC", "Infer"]}, {"method": "SSCE", "by": ["own"]}],
    }
    return Experiment.model_validate(
        {
            "id": "small",
            "cases": [{"id": "one", "dataset": "iris"}, {"id": "two", "dataset": "iris"}],
            "ensemble": {"runs": 8, "subset_size": 4},
            "methods": [
                {"method": "KC", "parameters": {"n_init": 3}},
                {"method": "BCE", "parameters": {"n_init": 2}},
                {"method": "SSCE", "grid": {"lambda1": [0.1, 10]}, "default": {"lambda1": 0.1}},
            ],
            "metrics": ["ACC"],
            "generalisation": plan | changes,
        }
    )


def job(case: int = 0, seed: int = 1, standardised: bool = True, data: str = "", **changes: Any) -> UnseenJob:
    small = study(**changes)
    alone = reduce_to_unseen(small, small.cases[case])
    return UnseenJob(experiment=alone, data=data, standardised=standardised, seed=seed)


def experiment(gap: float = 2.0, **changes: Any) -> Unseen:
    return Unseen(job(**changes), dataset(gap))


def test_training_and_unseen_objects_are_apart_and_all_of_them():
    one = experiment(splits=4)
    splits = [one.split_objects(split) for split in range(4)]
    for training, unseen in splits:
        assert (len(training), len(unseen)) == (36, 24)
        assert sorted([*training, *unseen]) == list(range(60))
    assert len({training.tobytes() for training, _ in splits}) == 4


@pytest.mark.parametrize(("share", "n_training"), [(0.6, 36), (0.001, 1), (0.999, 59)])
def test_no_part_is_empty(share, n_training):
    assert len(experiment(train_share=share).split_objects(0)[0]) == n_training


def test_features_are_scaled_by_the_training_objects():
    part = experiment().make_part(0)
    np.testing.assert_allclose(part.X[:, :2].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(part.X[:, :2].std(axis=0, ddof=1), 1)
    assert (part.X[:, 2] == 0).all()
    assert (part.unseen[:, 2] == 0).all()
    assert abs(part.unseen[:, 0].mean()) > 1e-6
    raw = experiment().dataset.X
    plain = experiment(standardised=False).make_part(0)
    np.testing.assert_array_equal(np.sort(np.vstack([plain.X, plain.unseen])[:, 0]), np.sort(raw[:, 0]))


@pytest.mark.long
def test_every_repetition_stands_for_itself():
    """A repetition alone gives what it gives among the others, whatever ran before."""
    everything = list(experiment().yield_scores())
    alone = experiment()
    again = list(alone.score_repetition(alone.make_part(1), 1, 0))
    assert again == [score for score in everything if (score.split, score.repetition) == (1, 0)]
    assert len(everything) == 2 * 2 * 6
    fewer = list(experiment(methods=["KC"]).yield_scores())
    assert fewer == [score for score in everything if score.row in ("K-means-NC", "KC-NC")]


def test_the_streams_belong_to_seed_and_case():
    reference = experiment().split_objects(0)[0]
    assert np.array_equal(reference, experiment().split_objects(0)[0])
    assert not np.array_equal(reference, experiment(seed=2).split_objects(0)[0])
    assert not np.array_equal(reference, experiment(case=1).split_objects(0)[0])


@pytest.mark.long
def test_classes_far_apart_are_found_on_unseen_objects_too():
    own = job()
    case = own.experiment.cases[0].model_copy(update={"init": "k-means++"})  # random objects would miss some
    spread = own.model_copy(update={"experiment": own.experiment.model_copy(update={"cases": (case,)})})
    scores = pd.DataFrame(Unseen(spread, dataset(60.0)).yield_scores())
    assert set(scores["row"]) == {"K-means-NC", "KC-NC", "BCE-NC", "BCE-Infer", "SSCE"}
    assert (scores["training"] == 1).all()
    assert (scores["value"] == 1).all()


@pytest.mark.long
def test_unseen_classes_at_random_score_no_more_than_chance():
    own = dataset(2.0)
    y = np.random.default_rng(3).permutation(own.y)
    assert pd.DataFrame(Unseen(job(), Dataset(own.X, y, NAMES)).yield_scores())["value"].mean() < 0.55


def test_a_failure_is_a_line_with_its_reason():
    same = Dataset(np.zeros((60, 2)), np.repeat(np.arange(3), 20), NAMES)
    one = Unseen(job(standardised=False, splits=1, repetitions=1, methods=["KC"]), same)
    failed = [score for score in one.yield_scores() if score.row == "KC-NC"]
    assert np.isnan(failed[0].value)
    assert "distinguishes only 1" in failed[0].reason


def test_what_predicts_from_what():
    found = {name: methods.load(name).predicts_from for name in methods.names()}
    assert {name: kind for name, kind in found.items() if kind} == {
        "BCE": "labels",
        "Mixture": "labels",
        "SSCE": "features",
    }


def test_the_table_has_the_same_bytes_and_the_job_refuses_other_data(tmp_path):
    recipe = Recipe(dataset="toy", files=(), steps=(), **NOTHING)
    before = PrepareJob(recipe=recipe)
    prepared.save(dataset(2.0), tmp_path / "data.npz", marks(before.json_text))
    own = job(methods=["KC"], data=before.digest)
    write_scores(own, dataset(2.0), tmp_path / "a.parquet", STAMP)
    files = files_of({"prepared": tmp_path / "data.npz"}, {"unseen": tmp_path / "b.parquet"})
    run(UnseenJob.from_text(own.json_text, "job"), files)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    frame, _ = read_table(tmp_path / "b.parquet", own.digest)
    assert len(frame) == 8
    other = own.model_copy(update={"data": "0" * 16})
    with pytest.raises(InputError, match=r"^[^\n]*data\.npz: made with other settings[^\n]*delete it[^\n]*$"):
        run(other, files)


def test_a_job_depends_on_nothing_else_of_its_study():
    own = study()
    alone = reduce_to_unseen(own, own.cases[0])
    assert Experiment.model_validate_json(alone.model_dump_json()) == alone
    assert [case.id for case in alone.cases] == ["one"]
    assert alone.ensemble == own.ensemble
    assert alone.unseen_rows() == own.unseen_rows()
    told = own.cases[0].model_copy(update={"title": "First", "doubt": "of others", "without": ("KC",)})
    for changes in (
        {"cases": (told, own.cases[1])},
        {"selection": "default"},
        {"metrics": ("NMI",)},
        {"methods": (*own.methods, MethodRun(method="EAC"))},
        {"generalisation": own.generalisation.model_copy(update={"beside": "KC-NC", "cases": ("one",)})},
    ):
        other = own.model_copy(update=changes)
        assert reduce_to_unseen(other, other.cases[0]) == alone


def test_every_split_and_repetition_has_base_clusterings_of_its_own(monkeypatch):
    """Even of the same objects: the names of the streams are all that tells them apart."""
    pools = []

    def recorded(*given):
        pools.append(kmeans_ensemble(*given))
        return pools[-1]

    monkeypatch.setattr(unseen_objects, "kmeans_ensemble", recorded)
    one = experiment(methods=["KC"])
    part = one.make_part(0)
    for split, repetition in ((0, 0), (0, 1), (1, 0), (1, 1)):
        list(one.score_repetition(part, split, repetition))
    assert len({pool.tobytes() for pool in pools}) == 4


def test_no_two_random_streams_are_the_same(monkeypatch):
    """Two splits, and two repetitions of each with the base labels and two methods."""
    first_draws = []

    def recorded(*names):
        first_draws.append(generator(*names).integers(2**60))
        return generator(*names)

    monkeypatch.setattr(unseen_objects, "generator", recorded)
    list(experiment(methods=["KC", "BCE"]).yield_scores())
    assert len(first_draws) == len(set(first_draws)) == 2 + 2 * 2 * 3
