import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.io import loadmat

from consclust.scores import score_all, score_many
from consclust_studies.config.paper import Claim
from consclust_studies.config.published_tables import Published, load_published
from consclust_studies.results.published_scores import HALF_DIGIT
from consclust_studies.stages import stored_ensembles as store
from small import planned, scores_of, source_of
from studies.ec_cms.exhibits.members import Members

STUDIES = Path(__file__).parents[3] / "studies"


def test_all_base_clusterings_count_drawn_or_not() -> None:
    labels, classes = np.random.default_rng(0).integers(0, 3, (20, 12)), np.arange(20) % 2
    starts = {("wine", "ACC", "K-means"): {"mean": 0.5, "std": 0.1}}
    published = Published(scores={("wine", "ACC", "KC"): 0.5}, starts=starts)
    source = source_of(planned(), published=published)
    stored = store.StoredEnsemble(labels, classes, np.array([[0, 1, 2, 3]]))
    source.__dict__["stored"] = {"wine": stored}.__getitem__
    exhibit = Members(kind="members", id="base", title="Base", metrics=["ACC"], cases=["wine"])
    assert exhibit.needs(source.study).ensembles == ("wine",)
    shown = exhibit.build(source)
    scores = [score_all(classes, column, ["ACC"])["ACC"] for column in labels.T]
    expected = [np.mean(scores), np.std(scores, ddof=1), max(scores)]
    assert shown.frame["ours"].tolist() == pytest.approx(expected)
    assert shown.frame["published"].tolist() == pytest.approx([0.5, 0.1, float("nan")], nan_ok=True)
    assert [cell.below for cell in shown.blocks[0].rows[0]] == ["", "", ".500", ".100", ""]


@pytest.fixture
def beside_pools():
    """Two pools whose best base clusterings have an ACC of 1 and .5, and methods around these."""
    classes = np.arange(8) % 2
    same = np.tile(classes[:, None], (1, 4))
    means = {"iris": {"KC": 0.9, "EAC": 0.95, "RCE": 0.97}, "wine": {"KC": 0.4, "EAC": 0.6, "RCE": 0.7}}
    study = planned()
    parts = [scores_of(study, means=means[case.id]).query("case == @case.id") for case in study.cases]
    source = source_of(study, scores=pd.concat(parts))
    labels = {"iris": same, "wine": np.zeros_like(same)}
    stored = {case: store.StoredEnsemble(each, classes, np.array([[0, 1, 2, 3]])) for case, each in labels.items()}
    source.__dict__["stored"] = stored.__getitem__
    return source


def count(source, question: str, method: str, *against: str, cases=()):
    claim = {"text": "It.", "check": "counted", "by": {"exhibit": "base", "question": question}, "metric": "ACC"}
    claim = Claim.model_validate({**claim, "method": method, "against": against, "cases": cases})
    exhibit = Members(kind="members", id="base", title="Base", metrics=["ACC"])
    assert exhibit.needs(source.study).selected
    return exhibit.count_for_claim(question, claim, source)


def test_above_the_best_base_clustering_is_counted_over_the_data_sets(beside_pools) -> None:
    found = count(beside_pools, "above_best", "EAC")
    assert found.holds == (False, True)
    assert found.remarks == ("not on Iris",)


def test_below_the_best_base_clustering_on_most_data_sets(beside_pools) -> None:
    found = count(beside_pools, "below_best", "KC", "EAC")
    assert found.holds == (True, False), "KC on both, EAC on one of two"
    assert found.remarks == ("so are 1 of all 3 methods",)
    assert count(beside_pools, "below_best", "KC", "EAC", cases=("iris",)).holds == (True, True)


@pytest.mark.mirror
def test_the_published_base_rows_are_those_of_the_whole_pools(mirror) -> None:
    published = load_published({"starts": STUDIES / "ec_cms/published/starts.csv"})
    with (STUDIES / "ec_cms/published/starts.csv").open() as file:
        names = dict.fromkeys(
            row["dataset"] for row in csv.DictReader(file) if row["dataset"] not in ("ISOLET", "USPS")
        )
    assert len(names) == 8
    for name in names:
        pool = loadmat(mirror / f"files/eccms_pools/{name}.mat")
        classes = np.unique(pool["gt"], return_inverse=True)[1].ravel()
        scores = score_many(classes, pool["members"].astype(int).T, ["ARI"])
        found = {"mean": scores.mean(), "std": scores.std(ddof=1), "max": scores.max()}
        theirs = published.starts[name.casefold(), "ARI", "Base clusterings"]
        assert all(abs(found[key] - theirs[key]) < HALF_DIGIT for key in found), name
