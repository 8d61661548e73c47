"""The race of a grid: the points that stay."""

import json

import numpy as np
import pytest
from jobs import spec_text

from consclust.errors import InputError
from consclust.scores import score_all
from consclust_studies.config.race import Race
from consclust_studies.specs import digest_spec
from consclust_studies.stages.consensus import ConsensusJob
from consclust_studies.stages.races import best_points, run_race


def test_the_best_are_those_with_the_fewest_failures_then_the_highest_mean():
    nan = np.nan
    cells = np.array([[0.5, 0.5], [0.9, nan], [0.2, 0.9], [nan, nan], [0.5, 0.5], [0.8, nan]])
    assert best_points(cells, 6) == [2, 0, 4, 1, 5, 3]
    assert best_points(cells, 2) == [2, 0]


@pytest.fixture
def job(study):
    run = study.method("RCE")
    names = {"study": study.id, "case": "iris", "method_id": "RCE", "method": "RCE", "parameters": {}, "seed": 0}
    race = Race(metric="NMI", subsets=3, points=2)
    own = {
        "grid": run.grid,
        "default": {"lambda1": 1.0, "lambda2": 10.0},
        "ensemble": digest_spec(spec_text("ensemble")),
    }
    return ConsensusJob(**names, **own, race=race)


def test_the_chosen_restarts_of_the_first_subsets_decide(tmp_path, job, y, write_block, ensemble):
    blocks = [write_block("iris", "RCE", subsets, spec=np.array(job.json_text)) for subsets in ([0, 1], [2])]
    run_race(job, ensemble, blocks, tmp_path / "race.json")
    written = json.loads((tmp_path / "race.json").read_text())
    labels = np.concatenate([np.load(block)["labels"] for block in blocks])[:, :, -1]  # the chosen restart is the last
    means = np.mean([[score_all(y, row, ["NMI"])["NMI"] for row in subset] for subset in labels], axis=0)
    assert set(written["points"]) == {*np.argsort(-means)[:2].tolist(), 3}
    assert written["points"] == sorted(written["points"])
    assert digest_spec(written["spec"]) == job.digest


def test_a_subset_that_is_missing_is_an_error(tmp_path, job, write_block, ensemble):
    block = write_block("iris", "RCE", [0, 1], spec=np.array(job.json_text))
    with pytest.raises(InputError, match="subset 2"):
        run_race(job, ensemble, [block], tmp_path / "race.json")
