import io
import json
import os
import tarfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from consclust.errors import InputError
from consclust.files import read_arrays, write_arrays, write_record
from consclust_studies.contents import Marks, read_marks, write_again
from consclust_studies.kinds import KINDS
from consclust_studies.plan import accepted, estimates
from consclust_studies.plan.kept_marks import locate_marks
from consclust_studies.runner import PREVIOUS, digest_inputs
from consclust_studies.stages.consensus import SubsetRange
from consclust_studies.stamps import Confirmation, Stamp

pytestmark = pytest.mark.long

VERSIONS = {"python": "3.0", "numpy": "2.0"}
RACE = {"metric": "ACC", "subsets": 1, "points": 1}
NUMBERS = np.arange(300).reshape(3, 100) % 7
KC = "results/mine/consensus/iris/KC/0-1"


def raced(study, _):
    study["ensemble"]["draws"] = 2
    study["cases"][0] = {"dataset": "iris", "races": {"RCE": RACE}}


def make(plan, seconds=1000.0, versions=VERSIONS):
    """Write the files of all fits, alike for each subset; return their content by name, in the order of a run."""
    write_inputs(plan)
    jobs = [job for jobs in accepted.find_jobs_with_labels(plan, "mine").values() for job in jobs]
    for job in jobs:
        stamp = Stamp(versions=versions, inputs=inputs_of(job))
        for name in accepted.list_outputs(job):
            write(Path(name), {"spec": job.spec.json_text, "stamp": stamp.json_text}, seconds)
    return {name: Path(name).read_bytes() for job in jobs for name in accepted.list_outputs(job)}


def write_inputs(plan, content=NUMBERS):
    """Write base clusterings and features of all cases."""
    study = plan.runs["mine"]
    for case in map(study.case, study.titles):
        write_arrays(plan.ensemble_file("mine", case.id), labels=content, spec=plan.ensemble("mine", case.id).json_text)
        write_arrays(plan.prepared_file(case), X=content)


def inputs_of(job):
    """The digest of what a job reads, by the files that are there."""
    return digest_inputs(KINDS[job.kind], job.to_file(job.inputs, job.outputs))


def write(path, marks, seconds):
    """Write labels, seconds or the result of a race."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if "/races/" in str(path):
        write_record(path, {**marks, "of": str(path)})
        return
    first, last = map(int, path.name.split(".")[0].split("-"))
    subsets = range(first, last + 1)
    found = [[subset] for subset in subsets]
    if path.suffix == ".npz":
        labels = np.array([NUMBERS + len(str(path.parent)) + subset for subset in subsets])[:, None]
        texts = json.dumps([{"subset": subset, "point": 0, "note": "so"} for subset in subsets])
        states = {key: np.array(found) for key in ("chosen", "left_out", "iterations", "converged")}
        write_arrays(path, labels=labels, subsets=subsets, failures="[]", notes=texts, **states, **marks)
        return
    seconds_of = {"cpu_seconds": [[seconds] for _ in subsets], "wall_seconds": found, "peak_rss_mib": 9.0}
    of = {"case": path.parts[-3], "method": path.parts[-2], "n": 150, "n_profiles": [*subsets]}
    write_record(path, {**marks, "subsets": [*subsets], **of, **seconds_of})


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
            block = SubsetRange(0, 2)
            spent = estimates.estimate_fit_seconds(make_plan(), "mine", case, study.run(case, method_id), block)
            assert spent == 3 * of_a_fit


def test_equal_files_make_equal_archives(make_plan):
    plan = make_plan()
    make(plan)
    contents = []
    for _ in range(2):
        accepted.keep(plan, "mine")
        contents.append(accepted.locate_archive("mine", "iris").read_bytes())
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
    with tarfile.open(accepted.locate_archive("mine", "iris")) as archive:
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
    assert accepted.locate_archive("mine", "iris").exists() == kept


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
    path = accepted.locate_archive("mine", "iris")
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


def restored(names):
    return {name: Path(name).read_bytes() for name in names if Path(name).exists()}


def test_labels_made_from_inputs_of_other_content_are_not_put_back(make_plan):
    """Those of SSCE alone depend on the features, and all on the base clusterings."""
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    remove(before)
    write_arrays(plan.prepared_file(plan.runs["mine"].case("iris")), X=NUMBERS + 1)
    accepted.restore(plan, "mine")
    expected = {name: content for name, content in before.items() if "/iris/SSCE/" not in name}
    assert restored(before) == expected
    remove(expected)
    write_inputs(plan, NUMBERS + 1)
    accepted.restore(plan, "mine")
    assert restored(before) == {}


def test_labels_made_from_the_same_content_are_put_back_under_the_spec_that_is_planned(make_plan):
    """Another spec of the base clusterings, such as that of other code, that gives the same."""
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    remove(before)

    def faster(study, _):
        study["ensemble"]["max_iter"] = 1000

    other = make_plan(faster)
    assert other.consensus("mine", "iris", "KC").digest != plan.consensus("mine", "iris", "KC").digest
    accepted.restore(other, "mine")
    # the pool is ready-made: no setting of k-means is in its spec
    assert {name for name in before if Path(name).exists()} == before.keys()
    for suffix in (".npz", ".runtime.json"):
        path = Path(f"results/mine/consensus/iris/KC/0-3{suffix}")
        marks = read_marks(path)
        assert marks.spec == other.consensus("mine", "iris", "KC").json_text
        assert marks.stamp.versions == VERSIONS
    assert np.array_equal(read_arrays("results/mine/consensus/iris/KC/0-3.npz")["labels"], labels_in(before, "KC"))


def labels_in(files, method):
    with np.load(io.BytesIO(files[f"results/mine/consensus/iris/{method}/0-3.npz"])) as arrays:
        return arrays["labels"]


def test_labels_of_other_code_wait_for_a_run_that_confirms_them(make_plan, capsys, monkeypatch):
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    remove(before)
    monkeypatch.setattr("consclust_studies.plan.plan.fingerprint", lambda code: "another")
    other = make_plan()
    capsys.readouterr()
    accepted.restore(other, "mine")
    assert restored(before) == {}
    kept = {name: (PREVIOUS / name).read_bytes() for name in before}
    assert kept == before
    assert "--config code=confirm" in capsys.readouterr().out


def test_labels_of_other_code_stay_in_the_archive_beside_those_that_were_confirmed(make_plan, monkeypatch):
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    monkeypatch.setattr("consclust_studies.plan.plan.fingerprint", lambda code: "another")
    other = make_plan()
    jobs = [job for jobs in accepted.find_jobs_with_labels(other, "mine").values() for job in jobs]
    confirmed = [name for job in jobs if job.names["method"] == "KC" for name in accepted.list_outputs(job)]
    remove(set(before) - set(confirmed))
    with_other_code(other)
    accepted.keep(other, "mine")
    remove(confirmed)
    accepted.restore(other, "mine")
    assert restored(before).keys() == set(confirmed)
    assert all((PREVIOUS / name).is_file() for name in set(before) - set(confirmed))


def test_blocks_that_other_versions_made_are_not_joined(make_plan):
    """A file has one stamp."""
    before = make(make_plan(subsets_per_job=1))
    path = Path("results/mine/consensus/iris/KC/1-1.npz")
    marks = read_marks(path)
    other = marks.stamp.model_copy(update={"versions": {**VERSIONS, "numpy": "3.0"}})
    for suffix in (".npz", ".runtime.json"):
        write_again(path.with_suffix(suffix), path.with_suffix(suffix), Marks(marks.spec, other))
    accepted.keep(make_plan(subsets_per_job=1), "mine")
    remove(before)
    accepted.restore(make_plan(subsets_per_job=2), "mine")
    assert not Path("results/mine/consensus/iris/KC/0-1.npz").exists()
    assert Path("results/mine/consensus/iris/KC/2-3.npz").exists()
    assert Path("results/mine/consensus/iris/RCE/0-1.npz").exists()


def test_labels_are_kept_up_to_4000_bytes_for_a_second_with_the_start_of_their_job(make_plan, monkeypatch):
    plan = make_plan()
    make(plan, seconds=0)
    jobs = [job for job in accepted.find_jobs_with_labels(plan, "mine")["iris"] if job.names["method"] == "KC"]
    size = sum(Path(name).stat().st_size for job in jobs for name in accepted.list_outputs(job))
    for bytes_of_a_start, kept in ((size, True), (size - Fraction("0.001"), False)):
        monkeypatch.setattr(accepted, "START", Fraction(bytes_of_a_start) / 4000 / len(jobs))
        assert bool(accepted.read_made(jobs)) is kept


def with_other_code(plan):
    """Write the marks of the files that are there anew, as a run does that confirms labels of older code."""
    for jobs in accepted.find_jobs_with_labels(plan, "mine").values():
        for job in jobs:
            stamp = Stamp(versions={**VERSIONS, "numpy": "3.0"}, inputs=inputs_of(job))
            for name in filter(os.path.exists, accepted.list_outputs(job)):
                write_again(Path(name), Path(name), Marks(job.spec.json_text, stamp))


def test_an_archive_stays_where_no_label_is_new_and_the_marks_stand_beside_it(make_plan):
    plan = make_plan()
    make(plan)
    accepted.keep(plan, "mine")
    archive = accepted.locate_archive("mine", "iris")
    content, beside = archive.read_bytes(), locate_marks(archive)
    assert not beside.exists()
    with_other_code(plan)
    made = {str(path): path.read_bytes() for path in Path("results/mine").rglob("*") if path.is_file()}
    accepted.keep(plan, "mine")
    assert archive.read_bytes() == content
    assert beside.stat().st_size < len(content)
    remove(name for name in made if "/consensus/" in name)
    accepted.restore(plan, "mine")
    assert {name: Path(name).read_bytes() for name in made} == made


def test_an_archive_with_new_labels_is_written_and_has_no_marks_beside_it(make_plan):
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    archive = accepted.locate_archive("mine", "iris")
    content = archive.read_bytes()
    with_other_code(plan)
    accepted.keep(plan, "mine")
    name = next(name for name in before if "/iris/KC/" in name and name.endswith(".npz"))
    arrays = read_arrays(name)
    arrays["labels"] = arrays["labels"] + 1
    write_arrays(name, **arrays)
    accepted.keep(plan, "mine")
    assert archive.read_bytes() != content
    assert not locate_marks(archive).exists()
    remove(before)
    accepted.restore(plan, "mine")
    np.testing.assert_array_equal(read_arrays(name)["labels"], arrays["labels"])


def test_damaged_marks_are_named(make_plan):
    plan = make_plan()
    before = make(plan)
    accepted.keep(plan, "mine")
    beside = locate_marks(accepted.locate_archive("mine", "iris"))
    beside.write_bytes(b"nothing")
    remove(before)
    with pytest.raises(InputError, match="marks"):
        accepted.restore(plan, "mine")


def test_a_block_that_is_cut_counts_the_confirmed_fits_of_its_subsets():
    stamp = Stamp(versions=VERSIONS, inputs="x")

    def confirmed(fits, of, made_by="old"):
        return Marks("{}", stamp.model_copy(update={"confirmed": Confirmation(made_by=made_by, fits=fits, of=of)}))

    cut = accepted.join_marks([confirmed(4, 40)], [10], [5])
    assert cut.stamp.confirmed == Confirmation(made_by="old", fits=2, of=20)
    joined = accepted.join_marks([confirmed(1, 5), confirmed(2, 5)], [5, 5], [5, 5])
    assert joined.stamp.confirmed == Confirmation(made_by="old", fits=3, of=10)
    assert accepted.join_marks([confirmed(1, 5), confirmed(1, 5, "older")], [5, 5], [5, 5]) is None
    assert accepted.join_marks([confirmed(1, 5), Marks("{}", stamp)], [5, 5], [5, 5]) is None
    assert accepted.join_marks([Marks("{}", stamp)] * 2, [5, 5], [5, 5]) == Marks("{}", stamp)


def of_many(study, _):
    """A study in which a job fits all methods of a case."""
    for key in ("variants", "generalisation", "claims", "only_in_table1"):
        study.pop(key, None)
    study["ensemble"].pop("draws")
    study |= {"one_job_a_case": True, "restarts": "chosen", "cases": ["iris", "wine"], "methods": ["KC", "CSPA"]}
    study |= {"metrics": ["ARI"], "reported": ["ARI"], "selection": "default"}


def test_labels_of_jobs_with_all_methods_are_kept_and_come_back(make_plan):
    plan = make_plan(of_many)
    before = make(plan)
    assert {Path(name).parent.name for name in before} == {"methods"}
    accepted.keep(plan, "mine")
    remove(before)
    accepted.restore(plan, "mine")
    assert {name: Path(name).read_bytes() for name in before} == before
