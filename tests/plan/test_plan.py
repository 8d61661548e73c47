"""Specs and files of every kind of job, without Snakemake: what changes them and what does not."""

import json
import os
import re
from pathlib import Path

import pytest

from consclust.datasets.download import verify
from consclust.errors import InputError
from consclust.files import sha256
from consclust_studies.exhibits.base import Needs
from consclust_studies.exhibits.remarks import Remarks
from consclust_studies.plan import plan as plan_module
from consclust_studies.plan.load import load_plan
from consclust_studies.plan.own_files import add_checksums, compute_checksums, locate

KINDS = ("prepare", "ensemble", "consensus", "score", "collect", "unseen", "exhibit", "document")


def jobs(plan, run="mine"):
    """The spec of every job of a run, by its kind and names."""
    study, found = plan.runs[run], {}
    for case in (*study.described, *study.variants.cases):
        found["prepare", case.dataset, case.steps_word] = plan.prepare(case.dataset, case.steps_word)
    for part in ("", "/variants"):
        for experiment in plan.scored(run, part):
            for case in experiment.cases:
                found["ensemble", case.id] = plan.ensemble(study.id, case.id)
                found["score", part, case.id] = plan.score(run, part, case.id)
                for method in experiment.runs(case):
                    found["consensus", case.id, method.id] = plan.consensus(study.id, case.id, method.id)
        if plan.scored(run, part):
            found["collect", part] = plan.collect(run, part)
    for case in study.generalised():
        found["unseen", case.id] = plan.unseen(run, case.id)
    for exhibit in study.exhibits:
        together = [exhibit.id] if exhibit.drawn else plan.tables(run)
        found["exhibit", exhibit.id] = plan.exhibits(run, *together)
    found["document",] = plan.document(run)
    return {names: spec.digest for names, spec in found.items()}


def changed(before, after):
    """The jobs that both plans have, with another spec."""
    return {names for names in before.keys() & after.keys() if before[names] != after[names]}


def kinds(names):
    return {kind for kind, *_ in names}


@pytest.fixture
def whole(make_plan):
    return jobs(make_plan())


def test_there_are_jobs_of_every_kind(whole):
    assert kinds(whole) == {*KINDS}
    assert ("ensemble", "yale") not in whole
    assert ("consensus", "pool", "SSCE") not in whole
    assert {names[1:] for names in whole if names[0] == "prepare"} == {
        ("iris", "raw"), ("wine", "zscore"), ("ecoli_pool", "raw"), ("yale", "unit_norm"),
    }  # fmt: skip


def test_a_plan_is_made_again_with_the_same_specs(make_plan, whole):
    assert jobs(make_plan()) == whole


def edits(study, *keys, value):
    inner = study
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value


WORDS = {
    "title": lambda study, data: study.update(title="Another"),
    "summary": lambda study, data: study.update(summary="Another."),
    "claim": lambda study, data: edits(study, "claims", 0, "text", value="It is best."),
    "why": lambda study, data: edits(study, "variants", "methods", 0, "why", value="fewer restarts"),
    "doubt": lambda study, data: edits(study, "cases", 0, value={"dataset": "iris", "doubt": "another file"}),
    "case title": lambda study, data: edits(study, "cases", 0, value={"dataset": "iris", "title": "Flowers"}),
    "data title": lambda study, data: data["wine"].update(title="Wines"),
    "licence": lambda study, data: data["yale"].update(licence="free"),
    "source": lambda study, data: data["yale"].update(source="there"),
    "note": lambda study, data: data["iris"].update(note="Flowers."),
    "urls": lambda study, data: data["yale"]["files"][0].update(urls=["http://example.org/yale.mat"]),
    "mirror": lambda study, data: data["yale"]["files"][0].update(mirror="elsewhere/yale.mat"),
}


@pytest.mark.parametrize("word", WORDS)
def test_words_change_no_more_than_the_report(make_plan, whole, word):
    assert kinds(changed(whole, jobs(make_plan(WORDS[word])))) <= {"exhibit", "document"}


@pytest.mark.parametrize("word", ["title", "summary"])
def test_the_title_of_a_study_stands_in_its_document_alone(make_plan, whole, word):
    assert kinds(changed(whole, jobs(make_plan(WORDS[word])))) == {"document"}


def test_an_address_of_a_ready_made_ensemble_changes_no_labels(make_plan, whole):
    def move(study, data):
        data["ecoli_pool"]["ensembles"]["authors"]["file"]["urls"] = ["http://example.org/pool.mat"]
        data["ecoli_pool"]["ensembles"]["authors"]["note"] = "Elsewhere."

    assert kinds(changed(whole, jobs(make_plan(move)))) <= {"exhibit", "document"}


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_size_of_a_block_changes_no_spec(make_plan, whole, size):
    assert jobs(make_plan(subsets_per_job=size)) == whole


def test_the_seed_changes_every_job_that_draws(make_plan, whole):
    same = whole.keys() - changed(whole, jobs(make_plan(seed=2)))
    assert {names for names in same if names[0] != "exhibit"} == {
        names for names in whole if names[0] == "prepare" or names == ("ensemble", "pool")
    }


def test_the_mirror_changes_no_spec(make_plan, whole, tmp_path):
    assert jobs(make_plan(data_mirror=str(tmp_path))) == whole


SHARED = {"runs": 40, "subset_size": 5, "draws": 6, "draw_seed": 2, "max_iter": 7, "n_clusters": 4}


@pytest.mark.parametrize("key", SHARED)
def test_the_protocol_changes_what_it_makes_and_all_that_follows(make_plan, whole, key):
    after = jobs(make_plan(lambda study, data: study["ensemble"].update({key: SHARED[key]})))
    found = changed(whole, after)
    assert {("ensemble", "iris"), ("consensus", "iris", "KC"), ("score", "", "iris"), ("collect", "")} <= found
    assert "prepare" not in kinds(found)
    made_here = key in ("max_iter", "n_clusters")
    assert (("ensemble", "pool") in found) is not made_here


CASE = {
    "n_clusters": 5, "init": "k-means++", "feature_share": 0.5, "subset_size": 5, "preprocessing": ["unit_norm"],
}  # fmt: skip


@pytest.mark.parametrize("key", CASE)
def test_a_case_changes_its_own_jobs(make_plan, whole, key):
    case = {"dataset": "wine", key: CASE[key]}
    found = changed(whole, jobs(make_plan(lambda study, data: edits(study, "cases", 1, value=case))))
    shared = {"prepare", "collect", "exhibit", "document"}
    assert {names for names in found if names[0] not in shared} == {
        names for names in whole if "wine" in names and names[0] not in shared
    }
    assert "prepare" not in kinds(found)


def test_parameters_change_the_labels_of_their_method(make_plan, whole):
    after = jobs(
        make_plan(lambda study, data: edits(study, "methods", 0, value={"method": "KC", "parameters": {"n_init": 3}}))
    )
    found = changed(whole, after)
    assert {names[2] for names in found if names[0] == "consensus"} == {"KC"}
    assert not kinds(found) & {"prepare", "ensemble"}
    assert ("score", "", "iris") in found


def test_the_selection_and_the_default_change_no_labels(make_plan, whole):
    def default(study, data):
        study["methods"][1]["default"] = {"lambda1": 0.1, "lambda2": 1.0}

    found = changed(whole, jobs(make_plan(default)))
    assert kinds(found) <= {"collect", "exhibit", "document"}
    assert ("collect", "") in found


def test_the_order_of_a_grid_counts(make_plan, whole):
    def other(study, data):
        study["methods"][1]["grid"] = dict(reversed(study["methods"][1]["grid"].items()))

    found = changed(whole, jobs(make_plan(other)))
    assert {names[2] for names in found if names[0] == "consensus"} == {"RCE"}


def test_metrics_change_no_labels(make_plan, whole):
    found = changed(whole, jobs(make_plan(lambda study, data: study.update(metrics=["ACC", "NMI"]))))
    assert not kinds(found) & {"prepare", "ensemble", "consensus"}
    assert ("score", "", "iris") in found


def test_a_variant_changes_no_job_of_the_study(make_plan, whole):
    after = jobs(make_plan(lambda study, data: study.pop("variants")))
    assert kinds(changed(whole, after)) <= {"exhibit", "document"}


def test_sizes_of_a_case_draw_from_one_pool(make_plan):
    plan = make_plan()
    own, sized, raw = (plan.ensemble("mine", case) for case in ("iris", "iris_5", "iris_raw"))
    assert own.pool == sized.pool == ("mine", "iris")
    assert (own.subset_size, sized.subset_size) == (10, 5)
    assert own.model_copy(update={"subset_size": 5}) == sized
    assert raw.pool == ("mine", "iris_raw")
    assert raw.data == own.data, "iris has no steps in the registry"


def test_no_steps_are_raw_and_none_are_those_of_the_registry(make_plan):
    plan = make_plan(lambda study, data: edits(study, "cases", 1, value={"dataset": "wine", "preprocessing": []}))
    wine = plan.runs["mine"].case("wine")
    assert plan.prepared_file(wine) == "data/prepared/wine/raw.npz"
    assert plan.prepare("wine", "raw").recipe.steps == ()
    assert make_plan().prepared_file(make_plan().runs["mine"].case("wine")) == "data/prepared/wine/zscore.npz"
    assert plan.prepare("wine", "zscore-unit_norm").recipe.steps == ("zscore", "unit_norm")


def test_a_ready_made_ensemble_has_neither_seed_nor_algorithm(make_plan):
    job = make_plan().ensemble("mine", "pool")
    assert (job.algorithm, job.seed, job.max_iter, job.n_clusters) == ("ready-made", None, 0, "classes")
    inputs = make_plan().job("base_clusterings", study="mine", case="pool").inputs
    assert inputs["ready"] == [f"data/raw/ecoli_pool/{job.ready.file.name}"]
    assert "ready" not in make_plan().job("base_clusterings", study="mine", case="iris").inputs


def consensus_on_iris(plan, method, block):
    return plan.job("consensus", study="mine", case="iris", method=method, block=block)


def test_features_are_an_input_where_they_are_needed(make_plan):
    plan = make_plan()
    inputs = {name: consensus_on_iris(plan, name, "0-3").inputs for name in ("SSCE", "KC")}
    assert inputs["SSCE"]["prepared"] == ["data/prepared/iris/raw.npz"]
    assert plan.consensus("mine", "iris", "SSCE").data == plan.prepare("iris", "raw").digest
    assert "prepared" not in inputs["KC"]
    assert plan.consensus("mine", "iris", "KC").data is None


@pytest.mark.parametrize(("size", "blocks"), [(1, ["0-0", "1-1", "2-2", "3-3"]), (3, ["0-2", "3-3"]), (10, ["0-3"])])
def test_labels_lie_in_blocks(make_plan, size, blocks):
    plan = make_plan(subsets_per_job=size)
    study = plan.runs["mine"]
    files = plan.list_label_files("mine", study.case("iris"), study.method("RCE"))
    assert files == [f"results/mine/consensus/iris/RCE/{block}.npz" for block in blocks]
    assert set(files) <= set(plan.job("score", run="mine", part="", case="iris").inputs["labels"])


def raced(race):
    """The edit of a study that adds a race."""

    def edit(study, _):
        study["cases"][0] = {"dataset": "iris", "races": {"RCE": race}}

    return edit


def test_a_race_ends_a_block_and_the_blocks_after_it_wait_for_it(make_plan, whole):
    race = {"metric": "ACC", "subsets": 2, "points": 1}
    plan = make_plan(raced(race), subsets_per_job=3)
    study, iris = plan.runs["mine"], plan.runs["mine"].case("iris")
    files = [f"results/mine/consensus/iris/RCE/{block}.npz" for block in ("0-1", "2-3")]
    assert plan.list_label_files("mine", iris, study.method("RCE")) == files
    assert plan.job("race", study="mine", case="iris", method="RCE").inputs["labels"] == files[:1]
    assert "race" not in consensus_on_iris(plan, "RCE", "0-1").inputs
    assert consensus_on_iris(plan, "RCE", "2-3").inputs["race"] == ["results/mine/races/iris/RCE.json"]
    assert "race" not in consensus_on_iris(plan, "KC", "0-3").inputs
    assert {names for names in changed(whole, jobs(plan)) if names[0] == "consensus"} == {("consensus", "iris", "RCE")}
    for key, value in (("metric", "NMI"), ("subsets", 3), ("points", 2)):
        other = make_plan(raced({**race, key: value}))
        assert other.consensus("mine", "iris", "RCE").digest != plan.consensus("mine", "iris", "RCE").digest


def test_the_inputs_of_exhibits_are_files_of_jobs_with_their_specs(make_plan, whole):
    plan = make_plan()
    digests = {*whole.values()}
    for exhibit in plan.runs["mine"].exhibits:
        for item, files in plan.list_exhibit_inputs("mine", exhibit):
            assert files
            assert item.spec in digests
    items = plan.list_document_inputs("mine")
    assert [item.spec for item, _ in items if item.role == "exhibit"] == [
        whole["exhibit", exhibit.id] for exhibit in plan.runs["mine"].exhibits
    ]


def test_the_job_of_the_tables_takes_each_file_once_and_knows_which_are_of_one_item(make_plan):
    plan = make_plan(subsets_per_job=1)
    job = plan.job("tables", run="mine")
    exhibits = [plan.runs["mine"].exhibit(table) for table in plan.tables("mine")]
    alone = {file for exhibit in exhibits for _, files in plan.list_exhibit_inputs("mine", exhibit) for file in files}
    given = [file for files in (*job.inputs.values(), *job.project.values()) for file in files]
    assert len(given) == len(set(given))
    assert set(given) == alone
    for role, counts in job.arguments["counts"].items():
        assert sum(counts) == len(job.inputs.get(role, job.project.get(role, ())))
    assert set(job.arguments["counts"]["runtimes"]) == {4}, "each method has a file for each of the four subsets"


RUN = "mine.datasets-wine.methods-KC+RCE"


def test_a_restricted_run_has_its_own_scores_and_reports_and_shares_the_rest(make_plan, whole):
    plan = make_plan(datasets="wine", methods="RCE,KC")
    assert plan.run_of == {"mine": RUN}
    part = jobs(plan, RUN)
    shared = {"prepare", "ensemble", "consensus"}
    assert not kinds(changed(whole, part)) & shared
    assert {names for names in part if names[0] in shared} <= whole.keys()
    study = plan.runs[RUN]
    assert plan.list_label_files(RUN, study.case("wine"), study.method("KC")) == [
        "results/mine/consensus/wine/KC/0-3.npz"
    ]
    assert plan.ensemble_file("mine", "wine") == "results/ensembles/mine/wine.npz"
    tables = plan.job("collect", run=RUN, part="").inputs["scores"]
    assert tables == [f"results/{RUN}/scores/wine.parquet"]
    assert all(file.startswith(f"reports/{RUN}/") for file in plan.list_report_files(RUN))


def test_fewer_subsets_change_no_ensemble_and_no_labels(make_plan, whole):
    plan = make_plan(subsets=2)
    part = jobs(plan, "mine.subsets-2")
    assert not kinds(changed(whole, part)) & {"prepare", "ensemble", "consensus", "unseen"}
    assert ("score", "", "iris") in changed(whole, part)
    assert plan.score("mine.subsets-2", "", "iris").n_subsets == 2
    study = plan.runs["mine.subsets-2"]
    assert plan.list_label_files("mine.subsets-2", study.case("iris"), study.method("KC")) == [
        "results/mine/consensus/iris/KC/0-1.npz"
    ]


def test_a_variant_of_a_method_on_the_first_subsets_is_fitted_and_scored_on_these(make_plan, whole):
    def change(study, datasets):
        study["variants"]["methods"][0]["subsets"] = {"iris": 3}

    plan = make_plan(change)
    study = plan.runs["mine"]
    few = study.method("KC-few")
    iris, wine, _ = study.cases
    pattern = "results/mine/consensus/{}/KC-few/{}.npz"
    assert plan.list_label_files("mine", iris, few) == [pattern.format("iris", "0-2")]
    assert plan.list_label_files("mine", wine, few) == [pattern.format("wine", "0-3")]
    scored = {case: plan.score("mine", "/variants", case).methods for case in ("iris", "wine")}
    assert [[method.subsets for method in scored[case]] for case in scored] == [[3], [None]]
    # the labels of a subset do not depend on how many others there are
    assert not kinds(changed(whole, jobs(plan, "mine"))) & {"prepare", "ensemble", "consensus", "unseen"}


def test_every_job_says_what_it_needs(make_plan):
    plan = make_plan(raced({"metric": "ACC", "subsets": 2, "points": 1}))
    needs = {job.rule: (job.need.mb > 0, job.need.minutes > 0) for job in plan.list_jobs("mine")}
    rules = {"prepare", "base_clusterings", "consensus", "race", "score", "collect", "unseen", "tables", "document"}
    assert needs == dict.fromkeys(rules, (True, True))


def test_the_names_of_files_are_read_back(make_plan):
    names = {name: re.compile(f"(?:{pattern})$") for name, pattern in make_plan(subsets=2).names().items()}
    assert names["run"].match("mine.subsets-2")
    assert not names["run"].match("mine")
    assert names["study"].match("mine")
    assert names["case"].match("iris_5")
    assert names["dataset"].match("ecoli_pool")
    assert names["block"].match("0-3")
    assert not names["figure"].match("nothing")


def test_files_that_are_there_are_not_fetched(make_plan, tmp_path):
    plan = make_plan()
    assert re.fullmatch(plan.fetched_files(here=True), "yale/" + plan.registry["yale"].files[0].name)
    for name in plan.list_raw_files("yale", plan.registry["yale"].raw_files):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert not re.fullmatch(plan.fetched_files(here=True), "yale/" + plan.registry["yale"].files[0].name)


def test_the_remarks_on_variants_are_read_where_there_are_some(make_plan):
    def roles(plan):
        return [item.role for item, _ in plan.list_exhibit_inputs("mine", plan.runs["mine"].exhibit("remarks"))]

    assert roles(make_plan()) == ["selected", "variants"]
    assert roles(make_plan(lambda study, data: study.pop("variants"))) == ["selected"]


def test_an_own_file_counts_by_its_content_in_the_jobs_that_read_it(make_plan, tmp_path, monkeypatch):
    own, ready = tmp_path / "data/raw/flowers/flowers.csv", tmp_path / "data/raw/flowers/runs.csv"

    def place(study, data):
        data["flowers"] = {
            "title": "Flowers",
            "reader": {"format": "table"},
            "files": [{"name": own.name}],
            "ensembles": {"runs": {"file": {"name": ready.name}}},
            "licence": "mine",
            "source": "measured",
        }
        study["cases"] += ["flowers", {"id": "ready", "dataset": "flowers", "ensemble": "runs"}]

    absent = make_plan(place)
    own.parent.mkdir(parents=True)
    for path in (own, ready):
        path.write_text("first\n")
    plan, before = make_plan(place), jobs(make_plan(place))
    expected = {own.name: sha256(own), ready.name: sha256(ready)}
    assert plan.studies["mine"].origins["ready"].checksums == expected
    assert jobs(absent) != before
    assert before == jobs(make_plan(place))
    ready.write_text("other\n")
    os.utime(ready, (1, 1))
    found = changed(before, jobs(make_plan(place)))
    assert ("ensemble", "ready") in found
    assert {("prepare", "flowers", "raw"), ("ensemble", "flowers"), ("ensemble", "iris")}.isdisjoint(found)
    own.write_text("other\n")
    os.utime(own, (1, 1))
    found = changed(before, jobs(make_plan(place)))
    assert {("ensemble", "ready"), ("ensemble", "flowers")} <= found
    assert ("ensemble", "iris") not in found


def test_a_job_in_an_empty_folder_has_the_checksums_of_own_files(make_plan, monkeypatch):
    monkeypatch.setenv("CONSCLUST_OWN_FILES", json.dumps({"data/raw/iris/own.csv": "a" * 64}))
    change = {"reader": {"format": "table"}, "files": [{"name": "own.csv"}]}
    make_plan(lambda study, data: data["iris"].update(change))
    planned = load_plan({"seed": 1}, elsewhere=True).prepare("iris", "raw")
    assert planned.recipe.files[0].sha256 == "a" * 64
    assert load_plan({"seed": 1}).prepare("iris", "raw").recipe.files[0].sha256 is None


@pytest.mark.parametrize(("target", "word"), [("EAC-0", "'0'"), ("EAC-x", "'x'"), ("EACH-2", "EAC")])
def test_labels_in_pieces_of_a_wrong_name_are_refused(make_plan, tmp_path, target, word):
    plan, folder = make_plan(), tmp_path / "data/labels/mine"
    folder.mkdir(parents=True)
    (folder / "a.parquet").touch()
    with pytest.raises(InputError, match=f"mine/{target}: .*{word}"):
        plan.labels("mine", *target.split("-"))
    (folder / "p 2.parquet").touch()
    with pytest.raises(InputError, match=r"data/labels/mine/p 2\.parquet: .*letters"):
        plan.pieces("mine")
    folder.rename(tmp_path / "data/labels/my labels")
    with pytest.raises(InputError, match=r"data/labels/my labels: .*letters"):
        plan.pieces("my labels")


PATHS = {"kind": "paths", "id": "paths", "title": "Paths", "method": "RCE", "path": "objective_path_", "labels": ["J"]}


@pytest.mark.long
def test_a_job_of_exhibits_has_the_claims_if_one_of_them_reads_these_and_else_none(make_plan):
    plan = make_plan()
    study = plan.runs["mine"]
    reading = {exhibit.id: exhibit.needs(study).claims for exhibit in study.exhibits}
    assert {*reading.values()} == {True, False}
    for exhibit_id, reads in reading.items():
        assert plan.exhibits("mine", exhibit_id).study.claims == (study.claims if reads else ())
    assert plan.exhibits("mine", *plan.tables("mine")).study.claims == study.claims
    assert study.claims


@pytest.mark.parametrize(
    ("wanted", "has_seed"),
    [
        (Needs(), False),
        (Needs(draws=True), True),
        (Needs(fits=(("iris", "KC"),)), True),
        (Needs(fits=(("iris", "KC"),), draws=True), True),
    ],
)
def test_the_seed_counts_in_exhibits_that_fit_or_draw(make_plan, monkeypatch, wanted, has_seed):
    monkeypatch.setattr(Remarks, "needs", lambda exhibit, study: wanted)
    one, other = (make_plan(seed=seed).exhibits("mine", "remarks") for seed in (1, 2))
    assert (one.digest != other.digest) is has_seed
    assert one.seed == (1 if has_seed else None)


def test_the_code_and_the_parameters_of_methods_count_in_exhibits_that_fit_them(make_plan, monkeypatch):
    def add(study, data):
        study["exhibits"] = [PATHS]

    def specs():
        plan = make_plan(add)
        return {name: plan.exhibits("mine", name) for name in ("paths", "remarks")}

    before = specs()
    fitted = before["paths"].code_behind()
    assert "consclust.methods.rce.RCE" in fitted.entries
    assert fitted.options["consclust.methods.rce.RCE"]["lambda2"][0] == 1.0, "the default of the grid"
    assert not before["remarks"].code_behind().options
    real = plan_module.fingerprint

    def edited(code):
        return f"{real(code)} edited" if "consclust.methods.rce.RCE" in code.entries else real(code)

    monkeypatch.setattr(plan_module, "fingerprint", edited)
    after = specs()
    assert after["paths"].code == f"{before['paths'].code} edited"
    assert after["remarks"].code == before["remarks"].code


def test_a_file_placed_by_hand_keeps_the_registered_checksum(make_plan):
    """Only a file without one counts by its own content; another file in the place of a registered one is refused."""
    entry = make_plan().registry["yale"]
    (file,) = entry.files
    path = Path(locate("yale", file))
    path.parent.mkdir(parents=True)
    path.write_bytes(b"another file")
    assert compute_checksums({"yale": entry}) == {}
    planned = make_plan().prepare("yale", "raw").recipe.files[0]
    assert planned.sha256 == file.sha256
    with pytest.raises(InputError, match=r"yale.*not the registered"):
        verify(path, "yale", planned)


def test_a_registered_checksum_stays_beside_that_of_an_own_file(make_plan):
    entry = make_plan().registry["yale"]
    (registered,) = entry.files
    own = registered.model_copy(update={"name": "own.mat", "sha256": None})
    both = entry.model_copy(update={"files": (registered, own)})
    found = add_checksums({"yale": both}, {locate("yale", own): "a" * 64})["yale"]
    assert [file.sha256 for file in found.files] == [registered.sha256, "a" * 64]
