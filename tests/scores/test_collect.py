"""All cases of a study in one table; the variants, scored as the study is and no part of it."""

import json

import numpy as np
import pandas as pd
import pytest
from jobs import job_of

from consclust.errors import InputError
from consclust_studies.config.experiment import Variants
from consclust_studies.stages import collect
from consclust_studies.stages import score as score_stage
from consclust_studies.stages.collect import CollectJob, reduce_to_scored
from consclust_studies.stages.score import ScoreJob
from consclust_studies.stages.score_tables import read_table
from consclust_studies.stages.unseen_objects import UnseenJob
from job_files_of import files_of

FILES = ["scores.csv", "scores.parquet", "selected.csv", "selected.parquet"]


@pytest.fixture
def score(write_block, ensemble, tmp_path):
    """Score the cases of experiments; return the job that joins them, and the tables."""

    def run(*experiments, given=None):
        found = {}
        for experiment in experiments:
            for case in experiment.cases:
                job = job_of(experiment, case.id)
                own = (given or {}).get(case.id, {})
                ids = [method.id for method in experiment.runs(case)]
                blocks = [write_block(case.id, method, [0, 1, 2, 3], **own.get(method, {})) for method in ids]
                found[case.id] = (job.digest, tmp_path / f"{case.id}.parquet")
                files = files_of({"ensemble": ensemble, "labels": blocks}, {"scores": found[case.id][1]})
                score_stage.run(ScoreJob.from_text(job.json_text, "job"), files)
        specs = {case: digest for case, (digest, _) in found.items()}
        job = CollectJob(experiments=tuple(map(reduce_to_scored, experiments)), scores=specs)
        return job, [table for _, table in found.values()]

    return run


@pytest.fixture
def collected(tmp_path):
    """Join tables; return the folder."""

    def run(job, tables, folder="results"):
        out = {kind: [tmp_path / folder / name for name in FILES if kind in name] for kind in ("scores", "selected")}
        collect.run(CollectJob.from_text(job.json_text, "job"), files_of({"scores": tables}, out))
        return tmp_path / folder

    return run


FAILURES = [{"subset": s, "point": 1, "reason": 'needs "two", has one'} for s in (3, 0)]
NOTES = [{"subset": 2, "point": 3, "note": "another cut of the graph"}]
GIVEN = {"iris": {"RCE": {"failures": FAILURES}}, "wine": {"RCE": {"failures": FAILURES, "notes": NOTES}}}


def test_writes_everything_in_the_order_of_the_study(study, score, collected):
    job, tables = score(study)
    out = collected(job, tables)
    assert sorted(path.name for path in out.iterdir()) == FILES
    scores, _ = read_table(out / "scores.parquet", job.digest)
    assert list(scores["case"].unique()) == ["iris", "wine"]
    assert len(scores) == 2 * 4 * 6 * 2 * 5
    selected, _ = read_table(out / "selected.parquet", job.digest)
    assert len(selected) == 2 * 5 * 5 * 4
    assert selected["subset"].dtype == np.int64
    for frame, name in ((scores, "scores"), (selected, "selected")):
        same = pd.read_csv(out / f"{name}.csv")
        # people read parameters where programs read the number of a grid point
        points = [study.list_points(method)[n] for method, n in zip(frame["method"], frame["point"], strict=True)]
        assert [json.loads(text) for text in same.pop("parameters")] == points
        pd.testing.assert_frame_equal(frame.drop(columns="point"), same, check_dtype=False, rtol=1e-9)


def test_failures_and_notes_are_records_in_the_order_of_the_study(study, score, collected):
    out = collected(*score(study, given=GIVEN))
    selected, texts = read_table(out / "selected.parquet")
    assert json.loads(texts["failures"]) == [
        [case, "RCE", subset, 1, 'needs "two", has one'] for case in ("iris", "wine") for subset in (0, 3)
    ]
    assert json.loads(texts["notes"]) == [["wine", "RCE", 2, 3, "another cut of the graph"]]
    assert selected["value"].notna().all()
    assert 1 not in set(selected.loc[selected["selection"] == "oracle-common", "point"])


def test_bytes_are_reproducible(study, score, collected):
    job, tables = score(study)
    first, second = collected(job, tables, "a"), collected(job, tables, "b")
    for name in FILES:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_tables_of_other_jobs_are_refused(study, score, collected, tmp_path):
    job, tables = score(study)
    with pytest.raises(InputError, match=r"^[^\n]*1 table given, 2 planned: iris, wine$"):
        collected(job, tables[:1])
    with pytest.raises(InputError, match=r"^[^\n]*wine\.parquet: made with other settings[^\n]*delete it[^\n]*$"):
        collected(job, tables[::-1])
    changed = study.model_copy(update={"metrics": ("ACC",)})
    other = score(changed)[0]
    score(study)
    with pytest.raises(InputError, match=r"^[^\n]*iris\.parquet: made with other settings[^\n]*delete it[^\n]*$"):
        collected(other, tables)
    assert not (tmp_path / "results").exists()


def test_damaged_or_foreign_tables_are_refused(study, score, collected, tmp_path):
    job, tables = score(study)
    with pytest.raises(InputError, match=r"^[^\n]*gone\.parquet: no such file[^\n]*$"):
        collected(job, [tmp_path / "gone.parquet", tables[1]])
    content = tables[0].read_bytes()
    for damaged in (b"", b"not parquet", content[:50], content[:-50]):
        tables[0].write_bytes(damaged)
        with pytest.raises(InputError, match=r"^[^\n]*iris\.parquet: not a readable Parquet file[^\n]*delete it"):
            collected(job, tables)
    pd.DataFrame({"a": [1]}).to_parquet(tables[0])
    with pytest.raises(InputError, match=r"^[^\n]*iris\.parquet: not a table of this project; delete it"):
        collected(job, tables)
    assert not (tmp_path / "results").exists()


def test_variants_are_scored_by_case_with_their_base_clusterings(study, score, collected):
    out = collected(*score(*study.split_variants()))
    selected = pd.read_parquet(out / "selected.parquet")
    rows = {case: set(group["method"]) for case, group in selected.groupby("case")}
    runs = {"iris": ["KC-few"], "wine": ["KC-few"], "wine_pp": ["RCE"]}
    assert rows == {case: {"K-means", *methods} for case, methods in runs.items()}
    tuned = set(selected.loc[selected["method"] == "RCE", "selection"])
    assert tuned == {"oracle-per-subset", "oracle-common", "default"}


def test_what_is_ranked_is_the_same_with_and_without_variants(study, score, collected):
    bare = study.model_copy(update={"variants": Variants()})
    job, tables = score(study)
    whole = collected(job, tables, "with")
    other, tables = score(bare)
    assert other == job
    for name in FILES:
        assert (whole / name).read_bytes() == (collected(other, tables, "without") / name).read_bytes(), name


@pytest.mark.parametrize(("text", "words"), [("{", "not valid JSON"), ("{}", "missing"), ("[]", "keys")])
@pytest.mark.parametrize("job", [ScoreJob, CollectJob, UnseenJob])
def test_a_spec_that_is_none(job, text, words):
    with pytest.raises(InputError, match=f"^job: .*{words}"):
        job.from_text(text, "job")
