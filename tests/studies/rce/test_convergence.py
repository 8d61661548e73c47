"""The fits are counted that converged, and those with a note, wherever there is an answer."""

import json

import numpy as np
import pytest

from consclust.files import write_arrays
from consclust_studies.config.paper import Claim
from consclust_studies.stages.label_blocks import Block
from small import planned, source_of
from studies.rce.exhibits.convergence import Convergence

KEYS = {"kind": "convergence", "id": "c", "title": "Convergence", "method": "RCE", "cases": ["iris"]}
EXHIBIT = Convergence(**KEYS, noted="Objective rose")
ROSE = "it rose"
BY = {"exhibit": "c", "question": "converged"}
CLAIM = Claim.model_validate({"text": "-", "check": "counted", "by": BY, "method": "RCE"})


def block(path, subsets, converged, iterations, notes=(), failures=(), left_out=None):
    shape = np.shape(converged)
    write_arrays(
        path,
        spec="{}",
        subsets=np.array(subsets),
        chosen=np.zeros(shape, dtype=int),
        converged=np.array(converged),
        iterations=np.array(iterations),
        left_out=np.zeros(shape, dtype=bool) if left_out is None else np.array(left_out),
        notes=json.dumps([{"subset": s, "point": p, "note": text} for s, p, text in notes]),
        failures=json.dumps([{"subset": s, "point": p, "reason": "none"} for s, p in failures]),
    )
    return Block(path)


@pytest.fixture
def source(tmp_path, monkeypatch):
    blocks = [
        block(tmp_path / "0-1.npz", [0, 1], [[True, False], [True, True]], [[3, 20], [4, 6]], [(0, 1, ROSE)]),
        block(*(tmp_path / "2-2.npz", [2], [[True, True]], [[1, 1]]), failures=[(2, 0)], left_out=[[False, True]]),
        block(tmp_path / "3-3.npz", [3], [[False, True]], [[20, 8]], [(3, 0, ROSE), (3, 1, ROSE)]),
    ]
    rce = {"method": "RCE", "grid": {"lambda1": [0.1, 1.0]}, "default": {"lambda1": 1.0}}
    source = source_of(planned(methods=["KC", rce]))
    monkeypatch.setattr(type(source), "blocks", lambda self, case, method: blocks if method == "RCE" else [])
    return source


@pytest.fixture
def shown(source):
    return EXHIBIT.build(source)


def test_fits_are_counted_for_a_claim(source) -> None:
    converged = EXHIBIT.count_for_claim("converged", CLAIM, source)
    assert (sum(converged.holds), len(converged.holds)) == (4, 6)
    unnoted = EXHIBIT.count_for_claim("unnoted", CLAIM, source)
    assert (sum(unnoted.holds), len(unnoted.holds)) == (3, 6)


def test_fits_with_an_answer_are_counted(shown) -> None:
    (row,) = shown.frame.to_dict("records")
    assert (row["case"], row["fits"], row["converged"], row["iterations"], row["notes"]) == ("iris", 6, 4, 7, 3)
    (table,) = shown.blocks
    assert table.header == ("Data set", "Fits", "Converged", "Iterations", "Objective rose")
    assert [cell.text for cell in table.rows[0]] == ["Iris", "6", "4", "7", "3"]
    assert "4 of 6 converged" in shown.caption


def test_it_reads_the_labels_of_the_cases_on_which_the_method_runs() -> None:
    assert EXHIBIT.needs(planned()).labels == (("iris", "RCE"),)


@pytest.mark.parametrize(
    "keys", [{"without": ["RCE"]}, {"races": {"RCE": {"metric": "ACC", "subsets": 1, "points": 1}}}]
)
def test_a_case_without_all_fits_is_a_mistake(keys) -> None:
    ((key, _),) = EXHIBIT.mistakes(planned(cases=[{"dataset": "iris", **keys}]))
    assert key == "method"
    assert list(EXHIBIT.mistakes(planned())) == []
