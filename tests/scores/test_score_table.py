import json

import numpy as np
import pytest

from concord.config.study import Study
from concord.ensembles import store
from concord.ensembles.store import drawn, split
from concord.errors import InputError
from concord.scores.blocks import by_method
from concord.scores.metrics import accuracy, nmi
from concord.scores.table import COLUMNS, compact, score_case

pd = pytest.importorskip("pandas")


@pytest.fixture
def blocks(write_block):
    return [
        write_block("iris", "KC", [0, 1, 2, 3]),
        write_block("iris", "RCE", [2, 3], failures=[{"subset": 3, "point": 1, "reason": "no answer"}]),
        write_block("iris", "RCE", [0, 1]),
    ]


@pytest.fixture
def scored(study, ensemble, blocks, tmp_path):
    score_case(study, "iris", ensemble, by_method(blocks), tmp_path / "out" / "iris.parquet")
    return pd.read_parquet(tmp_path / "out" / "iris.parquet")


def value(table, **where):
    chosen = table.loc[
        np.logical_and.reduce([table[key] == wanted for key, wanted in where.items()]), "value"
    ]
    assert len(chosen) == 1
    return chosen.item()


def test_columns_order_and_completeness(scored, study):
    assert tuple(scored.columns) == COLUMNS
    assert len(scored) == 4 * (1 + 1 + 4) * 2 * len(study.metrics)
    assert list(scored["method"].unique()) == ["K-means", "KC", "RCE"]
    assert list(scored["metric"].unique()) == list(study.metrics)
    assert list(scored.loc[scored["method"] == "RCE", "parameters"].unique()) == [
        compact(point) for point in study.method("RCE").points
    ]
    assert not scored.duplicated(subset=list(COLUMNS[:-1])).any()
    assert set(scored.loc[scored["method"] == "KC", "parameters"]) == {"{}"}


def test_values_are_those_of_the_labels(scored, blocks, y, study):
    arrays = np.load(blocks[1])  # subsets 2 and 3
    scores = [nmi(y, labels) for labels in arrays["labels"][0, 3]]
    where = {
        "method": "RCE",
        "subset": 2,
        "parameters": compact(study.method("RCE").points[3]),
        "metric": "NMI",
    }
    assert value(scored, restart="mean", **where) == pytest.approx(np.mean(scores))
    assert value(scored, restart="chosen", **where) == pytest.approx(scores[2])


def test_base_clusterings_are_the_mean_over_the_runs(scored, ensemble, y):
    labels = np.load(ensemble)["labels"]
    for subset in range(4):
        expected = np.mean([nmi(y, labels[:, 2 * subset]), nmi(y, labels[:, 2 * subset + 1])])
        for restart in ("mean", "chosen"):
            where = {"method": "K-means", "subset": subset, "metric": "NMI", "restart": restart}
            assert value(scored, **where) == pytest.approx(expected)


def test_failed_cells_are_nan_and_no_others(scored, study):
    failed = scored[scored["value"].isna()]
    assert len(failed) == 2 * 5
    assert set(failed["subset"]) == {3}
    assert set(failed["parameters"]) == {compact(study.method("RCE").points[1])}


def test_missing_objects_of_a_base_clustering_are_left_out(study, tmp_path, y, blocks):
    labels = np.tile(y[:, None], 8)
    labels[:5, 1] = -1
    labels[5:8, 1] = 2  # of the seven scored objects, three (of class 1) join the four of class 2
    np.savez(tmp_path / "partial.npz", labels=labels, classes=y, members=split(8, 2))
    score_case(study, "iris", tmp_path / "partial.npz", by_method(blocks), tmp_path / "partial.parquet")
    table = pd.read_parquet(tmp_path / "partial.parquet")
    where = {"method": "K-means", "subset": 0, "restart": "mean", "metric": "ACC"}
    assert value(table, **where) == pytest.approx((1 + 4 / 7) / 2)


def test_bytes_do_not_depend_on_the_order_or_size_of_blocks(study, ensemble, blocks, write_block, tmp_path):
    score_case(study, "iris", ensemble, by_method(blocks), tmp_path / "a.parquet")
    score_case(study, "iris", ensemble, by_method(blocks[::-1]), tmp_path / "b.parquet")
    two, one = (np.load(path) for path in blocks[1:])
    joined = {key: np.concatenate([one[key], two[key]]) for key in ("labels", "chosen")}
    whole = write_block("iris", "RCE", [0, 1, 2, 3], **joined, failures=json.loads(str(two["failures"])))
    score_case(study, "iris", ensemble, by_method([blocks[0], whole]), tmp_path / "c.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "c.parquet").read_bytes()
    assert not list(tmp_path.glob(".*"))


def refuse(match, study, ensemble, blocks, tmp_path, case="iris"):
    out = tmp_path / "never.parquet"
    with pytest.raises(InputError, match=match) as caught:
        score_case(study, case, ensemble, by_method(blocks), out)
    assert "\n" not in str(caught.value)
    assert not out.exists()


def test_missing_subset(study, ensemble, blocks, tmp_path):
    refuse(r"no block holds subset 0 \(of 4\).*RCE/2-3.npz", study, ensemble, blocks[:2], tmp_path)


def test_overlapping_blocks(study, ensemble, blocks, write_block, tmp_path):
    extra = write_block("iris", "RCE", [1])
    refuse(r"RCE/1-1.npz: subset 1 is also in .*RCE/0-1.npz", study, ensemble, [*blocks, extra], tmp_path)


def test_subset_beyond_the_study(study, ensemble, blocks, write_block, tmp_path):
    extra = write_block("iris", "RCE", [4])
    refuse(r"4-4.npz: subset 4, but the study has 0..3", study, ensemble, [*blocks, extra], tmp_path)


def test_missing_method(study, ensemble, blocks, tmp_path):
    refuse("no consensus labels of KC", study, ensemble, blocks[1:], tmp_path)


def test_unknown_method(study, ensemble, blocks, tmp_path):
    other = tmp_path / "consensus" / "iris" / "EAC" / "0-3.npz"
    refuse(r"EAC/0-3.npz: EAC is no method of the study tiny", study, ensemble, [*blocks, other], tmp_path)


def test_unknown_case(study, ensemble, blocks, tmp_path):
    refuse(
        "digits: no case of the study tiny; choose from iris, wine",
        study,
        ensemble,
        blocks,
        tmp_path,
        "digits",
    )


def test_labels_of_other_objects(study, ensemble, blocks, write_block, tmp_path):
    other = write_block("iris", "KC", [0, 1, 2, 3], n=13)
    match = r"KC/0-3.npz: labels of 13 objects, but .*ensemble.npz has 12"
    refuse(match, study, ensemble, [other, *blocks[1:]], tmp_path)


def test_ensemble_of_another_protocol(study, blocks, tmp_path, y):
    short = tmp_path / "short.npz"
    np.savez(short, labels=np.tile(y[:, None], 6), classes=y, members=split(6, 2))
    match = r"short.npz: labels of shape \(12, 6\), but 12 classes and 8 runs"
    refuse(match, study, short, blocks, tmp_path)
    np.savez(short, labels=np.tile(y[:, None], 8), classes=y, members=split(8, 4))
    match = r"short.npz: members of shape \(2, 4\), but the study asks for 4 subsets of 2 runs"
    refuse(match, study, short, blocks, tmp_path)


def test_drawn_subsets_and_methods_that_are_left_out(study, write_block, tmp_path, y):
    """Base clusterings of drawn subsets are those drawn; a method that a case is without is not asked for."""
    labels = np.random.default_rng(0).integers(0, 3, (len(y), 8))
    members = drawn(8, 3, 4, 1)
    store.save(tmp_path / "drawn.npz", labels, y, members)
    changes = {"cases": ({"dataset": "iris", "without": ["RCE"]}, "wine"), "readings": {}}
    protocol = {"runs": 8, "subset_size": 3, "draws": 4}
    other = Study.model_validate({**study.model_dump(), **changes, "ensemble": protocol})
    blocks = [write_block("iris", "KC", [0, 1, 2, 3])]
    score_case(other, "iris", tmp_path / "drawn.npz", by_method(blocks), tmp_path / "drawn.parquet")
    table = pd.read_parquet(tmp_path / "drawn.parquet")
    assert set(table["method"]) == {"K-means", "KC"}
    for subset in range(4):
        where = {"method": "K-means", "subset": subset, "restart": "mean", "metric": "ACC"}
        expected = np.mean([accuracy(y, labels[:, run]) for run in members[subset]])
        assert value(table, **where) == pytest.approx(expected)
    refuse("no consensus labels of RCE", other, tmp_path / "drawn.npz", blocks, tmp_path, case="wine")


def test_grid_of_another_study(study, ensemble, blocks, write_block, tmp_path):
    stale = write_block("iris", "RCE", [0, 1], points=np.array('[{"lambda1": 7.0, "lambda2": 1.0}]'))
    refuse(
        r"RCE/0-1.npz: points: 1 grid points that differ from the 4",
        study,
        ensemble,
        [*blocks[:2], stale],
        tmp_path,
    )


def test_unrecorded_failure(study, ensemble, blocks, write_block, tmp_path):
    labels = np.array(np.load(blocks[0])["labels"])
    labels[2, 0, 0, 5] = -1
    silent = write_block("iris", "KC", [0, 1, 2, 3], labels=labels)
    match = r"KC/0-3.npz: subset 2, grid point 0: labels hold -1 but failures record no failure"
    refuse(match, study, ensemble, [silent, *blocks[1:]], tmp_path)


def test_failure_with_made_up_labels(study, ensemble, blocks, write_block, tmp_path):
    recorded = np.array('[{"subset": 1, "point": 0, "reason": "none"}]')
    labels = np.load(blocks[0])["labels"]
    write_block("iris", "KC", [0, 1, 2, 3], labels=labels)
    path = blocks[0]
    arrays = dict(np.load(path)) | {"failures": recorded}
    np.savez(path, **arrays)
    refuse(
        "subset 1, grid point 0: labels hold labels but failures record a failure",
        study,
        ensemble,
        blocks,
        tmp_path,
    )


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 truncated", b"<html>"])
def test_damaged_block(study, ensemble, blocks, tmp_path, content):
    blocks[0].write_bytes(content)
    refuse(r"KC/0-3.npz: not a readable .npz file .*delete it", study, ensemble, blocks, tmp_path)


def test_absent_files(study, ensemble, blocks, tmp_path):
    refuse("gone.npz: no such file", study, tmp_path / "gone.npz", blocks, tmp_path)
    np.savez(blocks[0], labels=np.zeros(3))
    refuse(r"KC/0-3.npz: 'points is not|KC/0-3.npz: points", study, ensemble, blocks, tmp_path)
