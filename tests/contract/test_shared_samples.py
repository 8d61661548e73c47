"""Blocks whose fits take long share one sample: of all of them a share is made again, and all of them wait for it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from mill import answers, do, do_all, jobs, labels_of, make_plan, outputs, stays

from consclust.files import read_arrays, write_arrays
from consclust_studies import confirm, kept_blocks
from consclust_studies.contents import read_marks
from consclust_studies.runner import PREVIOUS

pytestmark = pytest.mark.long

BLOCKS = ("0-0", "1-1", "2-2")
CHANGES = {
    "cases": ["toy"],
    "methods": ["EAC", {"method": "LWEA", "grid": {"theta": [0.1, 0.4, 1.0, 4.0]}, "default": {"theta": 0.4}}],
}
"""Three subsets in a block each: three fits of EAC, twelve of LWEA."""


@pytest.fixture
def plan(project, edited, monkeypatch):
    """The plan after an edit of the method's code, where each fit counts as long."""
    monkeypatch.setattr(kept_blocks, "LONG", 0.0)
    do_all(make_plan(CHANGES, subsets_per_job=1), ["prepare", "base_clusterings", "consensus"])
    edited["consensus.fit_subsets"] = 1
    return make_plan(CHANGES, subsets_per_job=1)


@pytest.fixture
def made_again(monkeypatch):
    """Subset and point of each fit that is made to confirm."""
    found = []

    def fit(job, ensemble, stored, subset, point, features):
        found.append((subset, point))
        return original(job, ensemble, stored, subset, point, features)

    original = confirm.fit
    monkeypatch.setattr(confirm, "fit", fit)
    return found


def blocks_of(plan, method):
    found = [job for job in jobs(plan, ["consensus"]) if job.names["method"] == method]
    assert len(found) == len(BLOCKS)
    return found


def confirmed(job):
    """Fits of a block that were made again, and all of its fits."""
    found = read_marks(outputs(job)[0]).stamp.confirmed
    return found.fits, found.of


def relabel(method, block, subset=0, point=0):
    """Change one label that was kept."""
    path = PREVIOUS / labels_of(method, block)
    arrays = read_arrays(path)
    labels = arrays["labels"][subset, point, 0]
    labels[-1] = (labels[-1] + 1) % 3
    write_arrays(path, **arrays)


def test_one_sample_serves_all_blocks(plan, made_again):
    before = [answers(labels_of("EAC", block)) for block in BLOCKS]
    found = blocks_of(plan, "EAC")
    assert all("1 of 3 fits of all its blocks" in do(job, confirm=True) for job in found)
    assert len(made_again) == 1
    assert [answers(labels_of("EAC", block)) for block in BLOCKS] == before
    assert sorted(map(confirmed, found)) == [(0, 1), (0, 1), (1, 1)]
    assert {read_marks(outputs(job)[0]).spec for job in found} == {found[0].spec.json_text}


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_a_sample_is_a_share_of_the_fits_of_all_blocks(plan, made_again, monkeypatch, share):
    monkeypatch.setattr(confirm, "SHARE", share)
    found = blocks_of(plan, "LWEA")
    for job in found:
        do(job, confirm=True)
    assert len({*made_again}) == len(made_again) == sum(confirmed(job)[0] for job in found)
    assert sum(confirmed(job)[1] for job in found) == 12
    assert (len(made_again) == 12) is (share == 1.0)


@pytest.mark.parametrize("block", BLOCKS)
def test_all_blocks_take_their_labels_over_or_none_does(plan, made_again, block):
    relabel("EAC", block)
    found = blocks_of(plan, "EAC")
    said = [stays(do(job, confirm=True)) for job in found]
    ((sampled, _),) = made_again
    assert said == [BLOCKS[sampled] != block] * 3


@pytest.mark.parametrize("block", BLOCKS)
def test_a_label_that_was_changed_makes_all_blocks_anew(plan, monkeypatch, block):
    monkeypatch.setattr(confirm, "SHARE", 1.0)
    before = [answers(labels_of("EAC", one)) for one in BLOCKS]
    relabel("EAC", block)
    found = blocks_of(plan, "EAC")
    assert not any(stays(do(job, confirm=True)) for job in found)
    assert [answers(labels_of("EAC", one)) for one in BLOCKS] == before
    assert not any(read_marks(outputs(job)[0]).stamp.confirmed for job in found)


def test_labels_that_changed_since_the_sample_was_drawn_are_looked_at(plan, monkeypatch):
    monkeypatch.setattr(confirm, "SHARE", 1.0)
    first, second, _ = blocks_of(plan, "EAC")
    right = answers(labels_of("EAC", BLOCKS[1]))
    assert stays(do(first, confirm=True))
    relabel("EAC", BLOCKS[1])
    assert not stays(do(second, confirm=True))
    assert answers(labels_of("EAC", BLOCKS[1])) == right


def test_blocks_at_work_together_make_each_fit_once(plan, made_again, monkeypatch):
    monkeypatch.setattr(confirm, "SHARE", 1.0)
    found = blocks_of(plan, "LWEA")
    with ThreadPoolExecutor(3) as pool:
        said = list(pool.map(lambda job: do(job, confirm=True), found))
    assert all(map(stays, said))
    assert sorted(made_again) == [(subset, point) for subset in range(3) for point in range(4)]


def test_fits_with_fewer_clusters_are_made_again_in_each_block(plan, made_again, monkeypatch):
    monkeypatch.setattr(confirm, "SHARE", 0.0)
    monkeypatch.setitem(confirm.SORTS, "fewer-clusters", lambda labels, k: True)
    for job in blocks_of(plan, "EAC"):
        do(job, confirm=True, sorts=("fewer-clusters",))
        assert confirmed(job) == (1, 1)
    assert {subset for subset, _ in made_again} == {0, 1, 2}


def test_short_blocks_have_a_sample_each(plan, made_again, monkeypatch):
    monkeypatch.setattr(kept_blocks, "LONG", 1e6)
    for job in blocks_of(plan, "EAC"):
        assert "1 of 1 fit" in do(job, confirm=True)
    assert len(made_again) == 3
