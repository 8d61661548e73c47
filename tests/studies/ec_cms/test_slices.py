import numpy as np
import pytest

from small import planned, scores_of, source_of
from studies.ec_cms.exhibits.slices import Slices

MORE = {
    "id": "RCE-more", "of": "RCE", "method": "RCE", "why": "more points", "cases": ["iris"],
    "parameters": {"lambda2": 0.1}, "grid": {"lambda1": [10.0, 0.01]}, "default": {"lambda1": 10.0},
}  # fmt: skip
KEYS = {
    "kind": "slices", "id": "slices", "title": "Slices", "metric": "ACC", "method": "RCE", "x": "lambda1",
    "at": {"lambda2": 0.1}, "further": ["RCE-more"], "beside": ["EAC"],
}  # fmt: skip


@pytest.fixture
def source():
    study = planned(variants={"methods": [MORE]})
    (further,) = study.split_variants()
    variants = scores_of(study.model_copy(update={"cases": further.cases, "methods": further.methods}), seed=1)
    return source_of(study, variant_scores=variants[variants["method"] == "RCE-more"])


def test_points_of_the_grid_and_of_variants_are_one_line(source) -> None:
    shown = Slices(**KEYS).build(source)
    iris = shown.frame[(shown.frame["case"] == "iris") & (shown.frame["method"] == "RCE")]
    assert iris["value"].tolist() == [0.01, 0.1, 1.0, 10.0]
    wanted = {0.01: source.variant_scores, 0.1: source.scores, 1.0: source.scores, 10.0: source.variant_scores}
    for row in iris.itertuples():
        scores = wanted[row.value]
        run = source.study.method("RCE" if scores is source.scores else "RCE-more")
        number = run.points.index({"lambda1": row.value} | ({"lambda2": 0.1} if run.id == "RCE" else {}))
        mine = scores[(scores["case"] == "iris") & (scores["metric"] == "ACC") & (scores["restart"] == "mean")]
        values = mine[(mine["method"] == run.id) & (mine["point"] == number)]["value"]
        assert (row.n, row.mean, row.std) == (3, pytest.approx(values.mean()), pytest.approx(values.std()))
    wine = shown.frame[(shown.frame["case"] == "wine") & (shown.frame["method"] == "RCE")]
    assert wine["value"].tolist() == [0.1, 1.0]
    level = shown.frame[shown.frame["method"] == "EAC"]
    assert np.isnan(level["value"]).all()
    assert len(level) == 2


def test_it_needs_the_scores_of_variants_only_for_further_points(source) -> None:
    assert Slices(**KEYS).needs(source.study).variant_scores
    assert not Slices(**{**KEYS, "further": []}).needs(source.study).variant_scores


def test_a_slice_names_every_parameter(source) -> None:
    wrong = Slices(**{**KEYS, "x": "lambda3", "at": {}, "beside": ["RCE"]})
    assert [key for key, _ in wrong.mistakes(source.study)] == ["x", "at", "beside"]
    assert not list(Slices(**KEYS).mistakes(source.study))


def test_the_caption_of_one_subset() -> None:
    source = source_of(planned(subsets=1))
    assert "mean over 1 subset;" in Slices(**{**KEYS, "further": []}).build(source).caption
