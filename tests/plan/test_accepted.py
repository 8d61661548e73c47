import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

from consclust.errors import InputError
from consclust.files import read_arrays, write_arrays, write_record
from consclust_studies.plan import accepted, costs

RACE = {"metric": "ACC", "subsets": 1, "points": 1}
NUMBERS = np.arange(300).reshape(3, 100) % 7
KC = "results/mine/consensus/iris/KC/0-1"


def raced(study, _):
    study["ensemble"]["draws"] = 2
    study["cases"][0] = {"dataset": "iris", "races": {"RCE": RACE}}


def make(plan, seconds=1000.0):
    """Write the files of all fits, alike for each subset; return their content by name, in the order of a run."""
    methods = [fits for case in accepted.planned_fits(plan, "mine").values() for fits in case]
    for fits in methods:
        for name in fits.files:
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if "/races/" in name:
                write_record(path, {"spec": fits.spec, "of": name})
                continue
            first, last = map(int, path.name.split(".")[0].split("-"))
            subsets, found = range(first, last + 1), [[subset] for subset in range(first, last + 1)]
            if path.suffix == ".npz":
                labels = np.array([NUMBERS + len(str(path.parent)) + subset for subset in subsets])[:, None]
                texts = json.dumps([{"subset": subset, "point": 0, "note": "so"} for subset in subsets])
                states = {key: np.array(found) for key in ("chosen", "left_out", "iterations", "converged")}
                write_arrays(path, labels=labels, subsets=subsets, spec=fits.spec, failures="[]", notes=texts, **states)
            else:
                seconds_of = {"cpu_seconds": [[seconds] for _ in subsets], "wall_seconds": found, "peak_rss_mib": 9.0}
                of = {"case": path.parts[-3], "method": path.parts[-2], "n": 150, "n_profiles": [*subsets]}
                write_record(path, {"spec": fits.spec, "subsets": [*subsets], **of, **seconds_of})
    for case in plan.runs["mine"].titles:
        write_arrays(plan.ensemble_file("mine", plan.runs["mine"].case(case)), labels=NUMBERS)
    return {name: Path(name).read_bytes() for fits in methods for name in fits.files}


def remove(names):
    for name in names:
        Path(name).unlink()


def test_what_is_kept_comes_back_to_the_byte_and_in_the_order_of_a_run(make_plan):
    plan = make_plan(raced, subsets_per_job=1)
    before = make(plan)
    assert {"results/mine/races/iris/RCE.json", "results/mine/consensus/iris_5/KC/0-0.npz"} <= before.keys()
    accepted.keep(plan, "mine")
    remove(before)
    accepted.restore(plan, "mine")
    assert {name: Path(name).read_bytes() for name in before} == before
    folder = "results/mine/consensus/iris/RCE"
    ages = [Path(name).stat().st_mtime_ns for name in
            (f"{folder}/0-0.npz", "results/mine/races/iris/RCE.json", f"{folder}/1-1.npz")]  # fmt: skip
    assert ages == sorted(ages)


@pytest.mark.parametrize(("kept", "wanted"), [(1, 2), (2, 1)])
def test_blocks_of_another_size_are_cut_from_those_that_are_kept(make_plan, kept, wanted):
    expected = make(make_plan(raced, subsets_per_job=wanted))
    remove(expected)
    before = make(make_plan(raced, subsets_per_job=kept))
    accepted.keep(make_plan(raced, subsets_per_job=kept), "mine")
    remove(before)
    accepted.restore(make_plan(raced, subsets_per_job=wanted), "mine")
    assert {name: Path(name).read_bytes() for name in expected} == expected


def test_a_block_of_which_a_subset_is_not_kept_is_not_put_back(make_plan):
    before = make(make_plan(raced, subsets_per_job=1))
    remove(name for name in before if "/iris/KC/1-1." in name)
    accepted.keep(make_plan(raced, subsets_per_job=1), "mine")
    remove(name for name in before if Path(name).exists())
    accepted.restore(make_plan(raced, subsets_per_job=2), "mine")
    assert not Path(f"{KC}.npz").exists()
    assert Path("results/mine/consensus/iris/SSCE/0-1.npz").exists()


def test_the_seconds_of_variants_are_kept_for_the_plan(make_plan):
    """Those of each method of which all fits are there; the others stay as an earlier run had them."""
    for seconds, gone, expected in ((7.0, "", 7.0), (9.0, "/iris_5/KC/0-0", 7.0), (9.0, "", 9.0)):
        plan = make_plan(subsets_per_job=1)
        study = plan.studies["mine"]
        made = make(plan, seconds)
        remove(name for name in made if gone and gone in name)
        accepted.keep(plan, "mine")
        for case_id, method_id, of_a_fit in (("iris_5", "KC", expected), ("iris", "KC-few", seconds)):
            case = study.case(case_id)
            spent = costs.seconds_of_fits(make_plan(), "mine", case, study.run(case, method_id), "0-2")
            assert spent == 3 * of_a_fit


def test_equal_files_make_equal_archives(make_plan):
    plan = make_plan()
    make(plan)
    contents = []
    for _ in range(2):
        accepted.keep(plan, "mine")
        contents.append(accepted.archive_of("mine", "iris").read_bytes())
        Path(f"{KC}.npz").touch()
    assert contents[0] == contents[1]


def test_the_labels_of_another_spec_are_neither_kept_nor_put_back(make_plan):
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    other = make_plan(lambda study, _: study["methods"].__setitem__(0, {"method": "KC", "parameters": {"n_init": 3}}))
    remove(before)
    accepted.restore(other, "mine")
    back = {name for name in before if Path(name).exists()}
    assert back == {name for name in before if "/KC/" not in name}
    accepted.restore(plan, "mine")
    accepted.keep(other, "mine")
    with tarfile.open(accepted.archive_of("mine", "iris")) as archive:
        assert {Path(name).parent.name for name in archive.getnames()} == {"RCE", "SSCE", "KC-few"}


def test_an_archive_keeps_what_a_later_run_has_not_made(make_plan):
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    remove(name for name in before if "/iris/KC/" in name)
    accepted.keep(plan, "mine")
    accepted.restore(plan, "mine")
    assert {name: Path(name).read_bytes() for name in before} == before


def test_what_is_there_is_not_written_over(make_plan):
    plan = make_plan()
    make(plan)
    accepted.keep(plan, "mine")
    write_arrays(f"{KC}.npz", labels=NUMBERS, spec="own")
    accepted.restore(plan, "mine")
    assert read_arrays(f"{KC}.npz")["spec"] == "own"


@pytest.mark.parametrize(
    ("bytes_a_second", "seconds", "kept"),
    [(1, 0.001, False), (1, 1e6, True), (accepted.BYTES_A_SECOND, 0.001, True)],  # the last by the start of its job
)
def test_labels_that_are_sooner_made_than_stored_are_not_kept(make_plan, monkeypatch, bytes_a_second, seconds, kept):
    monkeypatch.setattr(accepted, "BYTES_A_SECOND", bytes_a_second)
    plan = make_plan()
    make(plan, seconds)
    accepted.keep(plan, "mine")
    assert accepted.archive_of("mine", "iris").exists() == kept


def test_base_clusterings_must_be_there_before_the_labels(make_plan):
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    remove([*before, "results/ensembles/mine/wine.npz"])
    with pytest.raises(InputError, match=r"results/ensembles/mine/wine\.npz.*--until base_clusterings mine"):
        accepted.restore(plan, "mine")


@pytest.mark.parametrize("damage", ["cut", "no spec", "no array"])
def test_a_damaged_archive_is_named(make_plan, damage):
    plan = make_plan()
    make(plan)
    accepted.keep(plan, "mine")
    path = accepted.archive_of("mine", "iris")
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:200])
    else:
        content = b'{"checksum": 1}' if damage == "no spec" else b"PK"
        Path("one").write_bytes(content)
        with tarfile.open(path, "w:xz") as archive:
            archive.add("one", KC + (".runtime.json" if damage == "no spec" else ".npz"))
    with pytest.raises(InputError, match=rf"{path}: not a readable archive"):
        accepted.restore(plan, "mine")


@pytest.mark.parametrize("words", [[], ["keep"], ["store", "mine"], ["keep", "yours"]])
def test_a_command_without_a_study_is_refused(make_plan, words):
    make_plan()
    Path("config/config.yaml").write_text("seed: 1\n")
    with pytest.raises(InputError, match=r"STUDY=|yours"):
        accepted.main(words)


def test_a_restricted_study_is_refused(make_plan):
    make_plan()
    Path("config/config.yaml").write_text("seed: 1\ndatasets: [iris]\n")
    with pytest.raises(InputError, match=r"config/config\.yaml: mine is restricted"):
        accepted.main(["keep", "mine"])
