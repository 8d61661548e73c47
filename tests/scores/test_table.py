import json

import numpy as np
import pytest
from jobs import job_of, spec_text

from consclust.errors import InputError
from consclust.scores import accuracy, nmi
from consclust_studies.config.experiment import Experiment
from consclust_studies.specs import digest_spec
from consclust_studies.stages import stored_ensembles as store
from consclust_studies.stages.grid_points import POINTS, read_points
from consclust_studies.stages.label_blocks import Block
from consclust_studies.stages.score import COLUMNS, score_case
from consclust_studies.stages.score_tables import read_table, write_table
from consclust_studies.stages.spoiled_subsets import WithSpoiled
from consclust_studies.stages.stored_ensembles import drawn, split
from job_files_of import STAMP, marks

pd = pytest.importorskip("pandas")


@pytest.fixture
def blocks(write_block):
    return [
        write_block("iris", "KC", [0, 1, 2, 3]),
        write_block("iris", "RCE", [2, 3], failures=[{"subset": 3, "point": 1, "reason": "no answer"}]),
        write_block("iris", "RCE", [0, 1]),
    ]


@pytest.fixture
def job(study):
    return job_of(study, "iris")


@pytest.fixture
def scored(job, ensemble, blocks, tmp_path):
    score_case(job, ensemble, blocks, tmp_path / "out" / "iris.parquet")
    return pd.read_parquet(tmp_path / "out" / "iris.parquet")


def value(table, **where):
    chosen = table.loc[np.logical_and.reduce([table[key] == wanted for key, wanted in where.items()]), "value"]
    assert len(chosen) == 1
    return chosen.item()


def test_columns_order_and_completeness(scored, study, tmp_path):
    assert tuple(scored.columns) == COLUMNS
    assert len(scored) == 4 * (1 + 1 + 4) * 2 * len(study.metrics)
    assert list(scored["method"].unique()) == ["K-means", "KC", "RCE"]
    assert list(scored["metric"].unique()) == list(study.metrics)
    assert list(scored.loc[scored["method"] == "RCE", "point"].unique()) == [0, 1, 2, 3]
    points = read_points(read_table(tmp_path / "out" / "iris.parquet")[1][POINTS])
    assert points == {"K-means": [{}], "KC": [{}], "RCE": study.method("RCE").points}
    assert not scored.duplicated(subset=list(COLUMNS[:-1])).any()
    assert set(scored.loc[scored["method"] == "KC", "point"]) == {0}


def test_values_are_those_of_the_labels(scored, blocks, y, study):
    arrays = np.load(blocks[1])  # subsets 2 and 3
    scores = [nmi(y, labels) for labels in arrays["labels"][0, 3]]
    where = {"method": "RCE", "subset": 2, "point": 3, "metric": "NMI"}
    assert value(scored, restart="mean", **where) == pytest.approx(np.mean(scores))
    assert value(scored, restart="chosen", **where) == pytest.approx(scores[2])


def test_base_clusterings_are_the_mean_over_the_runs(scored, ensemble, y):
    labels = np.load(ensemble)["labels"]
    for subset in range(4):
        expected = np.mean([nmi(y, labels[:, 2 * subset]), nmi(y, labels[:, 2 * subset + 1])])
        for restart in ("mean", "chosen"):
            where = {"method": "K-means", "subset": subset, "metric": "NMI", "restart": restart}
            assert value(scored, **where) == pytest.approx(expected)


def test_failed_cells_are_nan_and_no_others(scored, study, tmp_path):
    failed = scored[scored["value"].isna()]
    assert len(failed) == 2 * 5
    assert set(failed["subset"]) == {3}
    assert set(failed["point"]) == {1}
    remarks = read_table(tmp_path / "out" / "iris.parquet")[1]
    assert json.loads(remarks["failures"]) == [["iris", "RCE", 3, 1, "no answer"]]
    assert json.loads(remarks["notes"]) == []


def test_fits_whose_chosen_labels_have_fewer_clusters_than_classes_are_stored(job, ensemble, write_block, y, tmp_path):
    """The last of three starts is chosen; the first may have what it wants."""
    labels = np.tile(y.astype(np.int16), (4, 4, 3, 1))
    labels[1, 0, 2] = 0
    labels[2, 3, 2] = np.minimum(y, 1)
    labels[3, 3, 0] = 0
    labels[3, 1] = -1
    failures = [{"subset": 3, "point": 1, "reason": "no answer"}]
    blocks = [
        write_block("iris", "KC", [0, 1, 2, 3], labels=np.tile(y.astype(np.int16), (4, 1, 1, 1))),
        write_block("iris", "RCE", [2, 3], labels=labels[2:], failures=failures),
        write_block("iris", "RCE", [0, 1], labels=labels[:2]),
    ]
    score_case(job, ensemble, blocks, tmp_path / "iris.parquet")
    texts = read_table(tmp_path / "iris.parquet")[1]
    assert json.loads(texts["fewer_clusters"]) == [["iris", "RCE", 1, 0, 1], ["iris", "RCE", 2, 3, 2]]


def test_objects_without_a_class_are_not_scored(job, tmp_path, y, write_block):
    noisy = y.copy()
    noisy[::3] = -1
    known = noisy >= 0
    labels = np.tile(np.where(known, y, 0)[:, None], 8)
    store.save(tmp_path / "noisy.npz", labels, noisy, split(8, 2), marks(spec_text("ensemble")))
    blocks = [
        write_block("iris", "KC", [0, 1, 2, 3], labels=np.tile(labels[:, 0].astype(np.int16), (4, 1, 1, 1))),
        write_block("iris", "RCE", [0, 1, 2, 3], labels=np.tile(labels[:, 0].astype(np.int16), (4, 4, 3, 1))),
    ]
    score_case(job, tmp_path / "noisy.npz", blocks, tmp_path / "iris.parquet")
    found = pd.read_parquet(tmp_path / "iris.parquet")
    assert found.loc[found["metric"] == "ACC", "value"].eq(1).all()
    assert nmi(noisy, labels[:, 0]) < 0.95  # as a class, the noise would count


def test_missing_objects_of_a_base_clustering_are_left_out(job, tmp_path, y, blocks):
    labels = np.tile(y[:, None], 8)
    labels[:5, 1] = -1
    labels[5:8, 1] = 2  # of the seven scored objects, three (of class 1) join the four of class 2
    store.save(tmp_path / "partial.npz", labels, y, split(8, 2), marks(spec_text("ensemble")))
    score_case(job, tmp_path / "partial.npz", blocks, tmp_path / "partial.parquet")
    table = pd.read_parquet(tmp_path / "partial.parquet")
    where = {"method": "K-means", "subset": 0, "restart": "mean", "metric": "ACC"}
    assert value(table, **where) == pytest.approx((1 + 4 / 7) / 2)


def test_bytes_do_not_depend_on_the_order_or_size_of_blocks(job, ensemble, blocks, write_block, tmp_path):
    score_case(job, ensemble, blocks, tmp_path / "a.parquet")
    score_case(job, ensemble, blocks[::-1], tmp_path / "b.parquet")
    two, one = (np.load(path) for path in blocks[1:])
    joined = {key: np.concatenate([one[key], two[key]]) for key in ("labels", "chosen")}
    whole = write_block("iris", "RCE", [0, 1, 2, 3], **joined, failures=json.loads(str(two["failures"])))
    score_case(job, ensemble, [blocks[0], whole], tmp_path / "c.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "c.parquet").read_bytes()
    assert not list(tmp_path.glob(".*"))


def test_drawn_subsets_and_methods_that_are_left_out(study, write_block, tmp_path, y):
    """Base clusterings of drawn subsets are those drawn; a method that a case omits is not scored."""
    labels = np.random.default_rng(0).integers(0, 3, (len(y), 8))
    members = drawn(8, 3, 4, 1)
    store.save(tmp_path / "drawn.npz", labels, y, members, marks(spec_text("ensemble")))
    changes = {"cases": ({"dataset": "iris", "without": ["RCE"]}, "wine"), "variants": {}}
    protocol = {"runs": 8, "subset_size": 3, "draws": 4}
    other = Experiment.model_validate({**study.model_dump(), **changes, "ensemble": protocol})
    blocks = [write_block("iris", "KC", [0, 1, 2, 3])]
    score_case(job_of(other, "iris"), tmp_path / "drawn.npz", blocks, tmp_path / "drawn.parquet")
    table = pd.read_parquet(tmp_path / "drawn.parquet")
    assert set(table["method"]) == {"K-means", "KC"}
    for subset in range(4):
        where = {"method": "K-means", "subset": subset, "restart": "mean", "metric": "ACC"}
        expected = np.mean([accuracy(y, labels[:, run]) for run in members[subset]])
        assert value(table, **where) == pytest.approx(expected)


def test_a_method_on_the_first_subsets_alone_has_scores_of_these(job, ensemble, write_block, scored, tmp_path):
    kc, rce = job.methods
    blocks = [write_block("iris", "KC", [0, 1, 2, 3]), write_block("iris", "RCE", [0, 1])]
    fewer = job.model_copy(update={"methods": (kc, rce.model_copy(update={"subsets": 2}))})
    score_case(fewer, ensemble, blocks, tmp_path / "fewer.parquet")
    table = pd.read_parquet(tmp_path / "fewer.parquet")
    found = table[table["method"] == "RCE"]
    assert set(found["subset"]) == {0, 1}
    assert found["value"].notna().all()
    assert set(table.loc[table["method"] == "KC", "subset"]) == {0, 1, 2, 3}
    assert table["value"].dtype == scored["value"].dtype
    with pytest.raises(InputError, match="no block holds subset 2"):
        score_case(job, ensemble, blocks, tmp_path / "all.parquet")


def test_objects_that_are_not_scored_do_not_count(job, ensemble, blocks, scored, y, tmp_path):
    stored = store.load(ensemble)
    outliers = np.zeros((4, len(y)), dtype=bool)
    outliers[1, [0, 4, 5, 9]] = True
    labels = stored.labels.copy()
    labels[2, stored.members[1, 0]] = -1
    path = tmp_path / "spoiled.npz"
    store.save_spoiled(path, WithSpoiled(labels, stored.members, ~outliers), y, marks(spec_text("ensemble")))
    score_case(job.model_copy(update={"some_objects": True}), path, blocks, tmp_path / "some.parquet")
    table = pd.read_parquet(tmp_path / "some.parquet")
    others = table["subset"] != 1
    pd.testing.assert_frame_equal(table[others], scored[others])
    here = ~outliers[1]
    block = Block(blocks[0])
    expected = np.mean([accuracy(y[here], one[here]) for one in block.labels[1, 0]])
    assert value(table, method="KC", subset=1, metric="ACC", restart="mean") == pytest.approx(expected)
    expected = nmi(y[here], block.labels[1, 0, block.chosen[1, 0]][here])
    assert value(table, method="KC", subset=1, metric="NMI", restart="chosen") == pytest.approx(expected)
    of_base = []
    for member in stored.members[1]:
        known = here & (labels[:, member] >= 0)
        of_base.append(accuracy(y[known], labels[known, member]))
    found = value(table, method="K-means", subset=1, metric="ACC", restart="mean")
    assert found == pytest.approx(np.mean(of_base))


@pytest.fixture
def refuse(job, ensemble, tmp_path):
    """Check that files are refused in one line and nothing is written."""

    def check(match, blocks, job=job, ensemble=ensemble):
        out = tmp_path / "never.parquet"
        with pytest.raises(InputError, match=match) as caught:
            score_case(job, ensemble, blocks, out)
        assert "\n" not in str(caught.value)
        assert not out.exists()

    return check


def test_missing_subset(refuse, blocks):
    refuse(r"no block holds subset 0 \(of 4\).*RCE/2-3.npz", blocks[:2])


def test_missing_method(refuse, blocks):
    refuse(r"iris: KC: no block holds subset 0 \(of 4\)", blocks[1:])


def test_overlapping_blocks(refuse, blocks, write_block):
    refuse(r"RCE/1-1.npz: subset 1 is also in .*RCE/0-1.npz", [*blocks, write_block("iris", "RCE", [1])])


def test_subset_beyond_the_study(refuse, blocks, write_block):
    refuse(r"4-4.npz: subset 4, but the study has 0..3", [*blocks, write_block("iris", "RCE", [4])])


def test_labels_made_for_another_job(refuse, blocks, write_block):
    other = write_block("wine", "KC", [0, 1, 2, 3])
    refuse(r"wine/KC/0-3.npz: made with other settings.*delete it", [*blocks, other])


def test_base_clusterings_made_for_another_job(refuse, blocks, job):
    other = job.model_copy(update={"ensemble": "0" * 16})
    refuse(r"ensemble.npz: made with other settings.*delete it", blocks, job=other)


def test_labels_of_other_objects(refuse, blocks, write_block):
    other = write_block("iris", "KC", [0, 1, 2, 3], n=13)
    refuse(r"KC/0-3.npz: labels of 13 objects, but .*ensemble.npz has 12", [other, *blocks[1:]])


def test_unrecorded_failure(refuse, blocks, write_block):
    labels = np.array(np.load(blocks[0])["labels"])
    labels[2, 0, 0, 5] = -1
    silent = write_block("iris", "KC", [0, 1, 2, 3], labels=labels)
    refuse(r"KC/0-3.npz: subset 2, grid point 0: .* no failure there; delete it", [silent, *blocks[1:]])


def test_failure_with_made_up_labels(refuse, blocks):
    recorded = np.array('[{"subset": 1, "point": 0, "reason": "none"}]')
    np.savez(blocks[0], **dict(np.load(blocks[0])) | {"failures": recorded})
    refuse(r"KC/0-3.npz: subset 1, grid point 0: .* a failure there; delete it", blocks)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 truncated", b"<html>"])
def test_damaged_block(refuse, blocks, content):
    blocks[0].write_bytes(content)
    refuse(r"KC/0-3.npz: not a readable .npz file .*delete it", blocks)


@pytest.mark.parametrize("part", [0.05, 0.5, 0.95])
def test_truncated_files(refuse, blocks, ensemble, part):
    for path in (blocks[0], ensemble):
        content = path.read_bytes()
        path.write_bytes(content[: int(part * len(content))])
        refuse(rf"{path.name}: not a readable .npz file .*delete it", blocks)
        path.write_bytes(content)


@pytest.mark.parametrize("key", ["spec", "labels", "chosen", "subsets", "failures"])
def test_a_block_without_one_of_its_arrays(refuse, blocks, key):
    arrays = {name: array for name, array in np.load(blocks[0]).items() if name != key}
    np.savez(blocks[0], **arrays)
    refuse(rf"KC/0-3.npz: .*{key}.*delete it", blocks)


@pytest.mark.parametrize("text", ["{", "[1]", '[{"subset": 0}]'])
@pytest.mark.parametrize("key", ["failures", "notes"])
def test_a_block_whose_remarks_are_none(refuse, blocks, key, text):
    np.savez(blocks[0], **dict(np.load(blocks[0])) | {key: np.array(text)})
    refuse(rf"KC/0-3.npz: {key}.*delete it", blocks)


def test_a_flipped_bit_is_noticed(refuse, blocks):
    """An archive has a checksum of each of its arrays."""
    content = bytearray(blocks[0].read_bytes())
    content[len(content) // 2] ^= 1
    blocks[0].write_bytes(content)
    refuse(r"KC/0-3.npz: ", blocks)


def test_absent_files(refuse, blocks, tmp_path):
    refuse("gone.npz: no such file", blocks, ensemble=tmp_path / "gone.npz")
    refuse("gone.npz: no such file", [*blocks, tmp_path / "gone.npz"])


def test_a_block_is_that_of_its_spec(blocks):
    own = digest_spec(spec_text("iris KC"))
    assert Block(blocks[0], own).digest == own
    with pytest.raises(InputError, match=r"^[^\n]*KC/0-3.npz: made with other settings[^\n]*delete it[^\n]*$"):
        Block(blocks[0], "0" * 16)


TEXT = '{"seed":1}'


@pytest.fixture
def table(tmp_path):
    write_table({"case": ["a", "b"], "value": [0.5, 1.0]}, tmp_path / "t.parquet", marks(TEXT), {"notes": "[]"})
    return tmp_path / "t.parquet"


def test_a_table_is_read_as_it_was_written(table):
    frame, texts = read_table(table, digest_spec(TEXT))
    assert frame.to_dict("list") == {"case": ["a", "b"], "value": [0.5, 1.0]}
    assert texts == {"spec": TEXT, "stamp": STAMP.json_text, "notes": "[]"}


@pytest.mark.parametrize("part", [0, 0.3, 0.99])
def test_a_damaged_table(table, part):
    content = table.read_bytes()
    table.write_bytes(content[: int(part * len(content))])
    with pytest.raises(InputError, match=r"^[^\n]*t\.parquet: not a readable Parquet file[^\n]*delete it[^\n]*$"):
        read_table(table)


def test_a_flipped_bit_of_a_table_is_noticed(tmp_path):
    values = np.random.default_rng(0).random(1000)
    write_table({"value": values}, tmp_path / "t.parquet", marks(TEXT))
    content = bytearray((tmp_path / "t.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(InputError, match=r"^[^\n]*t\.parquet: not a readable Parquet file[^\n]*delete it[^\n]*$"):
        read_table(tmp_path / "t.parquet")


def test_a_table_of_another_job_or_program(table):
    with pytest.raises(InputError, match=r"^[^\n]*t\.parquet: made with other settings[^\n]*delete it[^\n]*$"):
        read_table(table, digest_spec("{}"))
    pd.DataFrame({"a": [1]}).to_parquet(table)
    with pytest.raises(InputError, match=r"^[^\n]*t\.parquet: not a table of this project; delete it[^\n]*$"):
        read_table(table, digest_spec(TEXT))
    with pytest.raises(InputError, match=r"gone\.parquet: no such file"):
        read_table(table.with_name("gone.parquet"))
