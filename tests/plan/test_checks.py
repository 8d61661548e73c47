"""Mistakes in a study: each is one line with file, key, value and what to do."""

from pathlib import Path

import pytest
import yaml

from consclust.datasets.registry import BOARD, DatasetSpec, load_registry
from consclust.errors import InputError
from consclust_studies.plan.load import load_study

ROOT = Path(__file__).parents[2]
REGISTRY = load_registry(ROOT / "config/datasets.yaml") | load_registry(ROOT / BOARD)
KINDS = [
    "studies/ec_cms/exhibits/slices.py",
    "studies/peace/exhibits/objects.py",
    "studies/rce/exhibits/features.py",
    "studies/rce/exhibits/pools.py",
]
STUDY = {
    "id": "mine",
    "title": "t",
    "summary": "s",
    "kinds": KINDS,
    "cases": ["iris", {"id": "second", "dataset": "yale", "ensemble": "authors"}],
    "methods": ["KC", {"method": "RCE", "grid": {"lambda1": [1, 2]}, "default": {"lambda1": 1}}],
}


@pytest.fixture(autouse=True)
def _project(monkeypatch):
    """Work in the folder of the project, where the kinds of its studies are."""
    monkeypatch.chdir(ROOT)


def write(folder, changes, name="mine"):
    path = folder / name / "study.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump({**STUDY, **changes}))
    return path


def load(folder, changes=None, name="mine"):
    return load_study(write(folder, changes or {}, name), REGISTRY)


def refused(folder, changes, *words, name="mine"):
    """Check that a study has one mistake, whose line names the file and all of the words, in order."""
    path = write(folder, changes, name)
    with pytest.raises(InputError) as caught:
        load_study(path, REGISTRY)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{path}: ")
    position = 0
    for word in words:
        assert word in line[position:], line
        position = line.index(word, position) + len(word)


PAPER = {"authors": "A. B", "title": "T", "venue": "V", "year": 2000}


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        *(({key: ""}, key) for key in ("title", "summary", "other_data")),
        *(({"paper": {**PAPER, key: " "}}, f"paper.{key}") for key in ("authors", "title", "venue")),
    ],
)
def test_a_text_that_is_empty(tmp_path, changes, key):
    refused(tmp_path, changes, f"{key} = ", "at least 1 character")


@pytest.mark.long
@pytest.mark.parametrize("path", sorted((ROOT / "studies").glob("*/study.yaml")), ids=lambda p: p.parent.name)
def test_the_studies_are_valid(path):
    assert load_study(path, REGISTRY).id == path.parent.name


def test_archives_are_no_data_set_of_a_study(tmp_path):
    archive = {"title": "A", "reader": {"format": "archive"}, "files": [{"name": "a"}], "licence": "l", "source": "s"}
    registry = {**REGISTRY, "labels": DatasetSpec.model_validate(archive)}
    with pytest.raises(InputError, match=r"cases\[0\].dataset = 'labels': an archive"):
        load_study(write(tmp_path, {"cases": ["labels"]}), registry)


def test_every_mistake_is_reported_at_once(tmp_path):
    path = write(tmp_path, {"id": "x", "cases": ["a", "b"], "methods": ["c"]})
    with pytest.raises(InputError) as caught:
        load_study(path, REGISTRY)
    assert len(str(caught.value).splitlines()) == 4


def test_numbers_that_yaml_takes_for_text_are_numbers(tmp_path):
    path = write(tmp_path, {})
    path.write_text(path.read_text().replace("- 1\n", "- 1e-4\n").replace("lambda1: 1", "lambda1: 1e-4"))
    assert load_study(path, REGISTRY).method("RCE").points[0] == {"lambda1": 1e-4}


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "words"),
    [("id: [", ["line", "YAML"]), ("a: b: c", ["line 1", "YAML"]),
     ("id: a\nid: b", ["line 2", "'id'", "twice", "remove"]), ("", ["empty", "write keys"]), ("- 1", ["keys"]),
     ("a: 2001-99-99", ["YAML", "quote"]), ("a: " + "9" * 5000, ["YAML", "quote"]), ("a: " + "[" * 9000, ["YAML"]),
     ("a: &a [*a]", ["levels", "shorten"]), ("a: \x00", ["YAML"]), ("1: 2", ["the key 1", "quotes"]),
     ("cases: [{yes: 1}]", ["cases[0]", "the key True", "quotes"]),
     ('title: "\\uD800"', ["line 1", "YAML", "Unicode"]),
     ('title: "a\\0b"', ["title = 'a\\x00b'", "U+0000", "remove"]), ('"\\0": 1', ["the key '\\x00'", "remove"]),
     ("? " + "a" * 10**6 + "\n: 1", ["the key", "1,000,000 characters", "shorten"]),
     ("id: " + "a" * 10**6, ["id = 'aaa", "1,000,000 characters", "shorten"]),
     ("a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
      "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
      "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n", ["1,000,000 values", "shorten"])],
    ids=range(18),
)  # fmt: skip
def test_a_file_that_is_no_study(tmp_path, text, words):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_study(path, REGISTRY)
    assert str(caught.value).startswith(f"{path}:")
    assert len(str(caught.value)) < 400
    assert all(word in str(caught.value) for word in words), caught.value


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml: no such file"):
        load_study(tmp_path / "none.yaml", REGISTRY)
    with pytest.raises(InputError, match="cannot be read"):
        load_study(tmp_path, REGISTRY)
    (tmp_path / "study.yaml").write_bytes(b"id: \xff\n")
    with pytest.raises(InputError, match=r"study\.yaml: .*UTF-8"):
        load_study(tmp_path / "study.yaml", REGISTRY)


ECOLI = {"dataset": "ecoli_pool", "ensemble": "authors"}
PP = {"id": "pp", "dataset": "iris", "of": "iris", "why": "w", "methods": ["RCE"]}
RACE = {"RCE": {"metric": "ACC", "subsets": 2, "points": 1}}
FEW = {"id": "KC-few", "method": "KC", "of": "KC", "why": "w", "parameters": {"n_init": 2}}


def case(**keys):
    return {"cases": [{"dataset": "iris", **keys}]}


def variant(**keys):
    return {"variants": {"cases": [{**PP, **keys}]}}


def family(**keys):
    of_both = {"of": ["iris"], "each": {"pp": {"init": "k-means++"}}, "why": "w", "methods": ["RCE"]}
    return {"variants": {"families": [{**of_both, **keys}]}}


def method_variant(**keys):
    return {"variants": {"methods": [{**FEW, **keys}]}}


def rce(**keys):
    return {"methods": ["KC", {"method": "RCE", **keys}]}


def rce_grid(**grid):
    return rce(grid=grid, default={name: values[0] for name, values in grid.items()})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"metric": ["ACC"]}, ["metric = ['ACC']", 'did you mean "metrics"?']),
        ({"id": "other"}, ["id = 'other'", "id: mine"]),
        (case(ttle="x"), ["cases[0].ttle = 'x'", '"title"']),
        (case(subset_size="x"), ["cases[0].subset_size = 'x'", "integer"]),
        (case(n_clusters="clases"), ["cases[0].n_clusters = 'clases'", "'classes'"]),
        (case(n_clusters=[3, 0]), ["cases[0].n_clusters[1] = 0", "2"]),
        (variant(mthods=["KC"]), ["variants.cases[0].mthods", '"methods"']),
        ({"cases": ["irsi"]}, ["cases[0].dataset = 'irsi'", 'did you mean "iris"?']),
        ({"cases": ["iris", "iris"]}, ["two cases have the id 'iris'"]),
        ({"only_in_table1": ["wines"]}, ["only_in_table1[0].dataset = 'wines'", '"wine"']),
        ({"cases": [{"dataset": "yale", "ensemble": "author"}]}, ["cases[0].ensemble = 'author'", '"authors"']),
        (case(ensemble="mixd"), ["cases[0].ensemble = 'mixd'", '"mixed"']),
        (case(preprocessing=["zscor"]), ["cases[0].preprocessing = 'zscor'", '"zscore"']),
        (case(preprocessing=["zscore", "zscore"]), ["cases[0].preprocessing", "zscore", "twice", "remove"]),
        (case(object_share=0.9), ["cases[0].object_share = 0.9", "mixed", "remove"]),
        (case(ensemble="mixed", init="k-means++"), ["cases[0].init = 'k-means++'", "kmeans", "remove"]),
        (case(linkage="single"), ["cases[0].linkage = 'single'", "agglomerative", "remove"]),
        (case(distance="cosine"), ["cases[0].distance = 'cosine'", "pam", "remove"]),
        (case(ensemble="pam"), ["cases[0].ensemble = 'pam'", "all runs are the same", "n_clusters: random"]),
        (
            case(ensemble="agglomerative", n_clusters="random", linkage="ward", distance="cosine"),
            ["cases[0].distance = 'cosine'", "ward", "change"],
        ),
        (case(subset_size=5), ["cases[0].subset_size = 5", "ensemble.draws", "remove"]),
        (case(n_clusters=1000), ["cases[0].n_clusters", "1000", "150 objects", "lower"]),
        (case(n_clusters=[3, 1000]), ["cases[0].n_clusters", "1000", "150 objects", "lower"]),
        (case(n_clusters=10**12), ["cases[0].n_clusters"]),
        (case(ensemble="mixed", object_share=0.1, n_clusters=16), ["cases[0].n_clusters", "15 objects", "lower"]),
        ({**case(), "ensemble": {"n_clusters": 151}}, ["cases[0].dataset", "151", "150 objects", "lower"]),
        (case(without=["KX"]), ["cases[0].without[0] = 'KX'", "KC"]),
        (case(without=["KC", "RCE"]), ["cases[0].without = ['KC', 'RCE']", "no method is left", "remove"]),
        (case(parameters={"RCA": {}}), ["cases[0].parameters = 'RCA'", '"RCE"']),
        (case(parameters={"RCE": {"inner_tol": -1}}), ["cases[0].parameters.RCE.inner_tol = -1", "refused"]),
        (case(parameters={"RCE": {"lambda1": 1}}), ["cases[0].parameters.RCE.lambda1", "grid", "remove"]),
        (case(points={"RCE": {"lambda1": 3}}), ["cases[0].points.RCE", "not on its grid", "lambda1"]),
        (case(points={"RCE": {"mu": 1}}), ["cases[0].points.RCE", "not on its grid", "lambda1"]),
        (case(points={"RCF": {"lambda1": 1}}), ["cases[0].points = 'RCF'", '"RCE"']),
        ({"cases": ["iris", {"dataset": "wine", "instead_of": "iris"}]}, ["cases[1].instead_of = 'iris'", "data set"]),
        ({"methods": ["rce"]}, ["methods[0].method = 'rce'", '"RCE"']),
        ({"methods": ["KC", "KC"]}, ["two methods have the id 'KC'", "another id"]),
        (rce(parameters={"lamda1": 1}), ["methods[1].parameters.lamda1 = 1", '"lambda1"']),
        (rce(parameters={"random_state": 1}), ["methods[1].parameters.random_state = 1", "no such parameter"]),
        (rce(parameters={"n_init": 10**12}), ["methods[1].parameters.n_init"]),
        (rce(parameters={"lambda1": float("nan")}), ["methods[1].parameters.lambda1 = nan", "finite"]),
        (rce(parameters={"lambda1": "inf"}), ["methods[1].parameters.lambda1", "finite"]),
        (rce_grid(mu=[1, 0]), ["methods[1].grid.mu = 0", "refused", "mu"]),
        ({"methods": [{"method": "RCE", "grid": {"mu": [1, 2]}}]}, ["methods[0]", "default", "mu"]),
        (rce_grid(n_init=[1, 2]), ["methods[1].grid.n_init = [1, 2]", "equally many restarts", "an id of its own"]),
        ({**rce_grid(mu=[1]), "base_clusterings": "KC"}, ["'KC'", "base clusterings"]),
        ({"base_clusterings": ""}, ["base_clusterings = ''"]),
        ({"ensemble": {"runs": 10, "subset_size": 4}}, ["ensemble", "runs = 10", "subset_size = 4"]),
        ({"ensemble": {"run": 10}}, ["ensemble.run = 10", '"runs"']),
        ({"metrics": ["acc"]}, ["metrics[0] = 'acc'", "ACC"]),
        ({"metrics": ["ACC", "NMI", "ACC"]}, ["metrics = ['ACC', 'NMI', 'ACC']", "twice", "remove"]),
        ({"metrics": ["ACC"], "reported": ["ARI"]}, ["ARI", "metrics"]),
        (variant(of="wyne"), ["variants.cases[0].of = 'wyne'", "iris"]),
        (variant(of="second"), ["variants.cases[0].of = 'second'", "165 objects", "150", "same objects"]),
        (variant(methods=["RCE", "RCE"]), ["variants.cases[0].methods", "RCE", "twice", "remove"]),
        (variant(methods=[]), ["variants.cases[0].methods = []"]),
        (variant(methods=["RCF"]), ["variants.cases[0].methods[0] = 'RCF'", '"RCE"']),
        (variant(subsets=11), ["variants.cases[0].subsets = 11", "there are 10", "lower"]),
        (
            {**variant(subsets=2, races=RACE), **rce_grid(mu=[1, 2, 3])},
            ["variants.cases[0].races.RCE.subsets = 2", "there are 2 subsets", "lower"],
        ),
        (variant(without=["KC"]), ["variants.cases[0].without = ['KC']", "methods", "remove"]),
        (variant(id="iris"), ["two cases have the id 'iris'"]),
        (family(of=["irsi"]), ["variants.families[0].of[0] = 'irsi'", '"iris"']),
        (family(of=["iris", "iris"]), ["two cases have the id 'iris_pp'"]),
        (family(methods=["RCF"]), ["variants.families[0].methods[0] = 'RCF'", '"RCE"']),
        (family(subsets=11), ["variants.families[0].subsets = 11", "there are 10", "lower"]),
        (family(each={"pp": {"ini": "random"}}), ["variants.families[0].each.pp.ini", '"init"']),
        (
            family(each={"pp": {"n_clusters": 1000}}),
            ["variants.families[0].each.pp.n_clusters", "1000", "150 objects", "lower"],
        ),
        (family(each={"a b": {}}), ["variants.families[0]", "the id 'iris_a b'", "another suffix"]),
        (family(n_clusters=1000), ["variants.families[0].n_clusters", "1000", "150 objects", "lower"]),
        (family(parameters={"RCA": {}}), ["variants.families[0].parameters = 'RCA'", '"RCE"']),
        (family(ensemble="mixd", each={"pp": {}}), ["variants.families[0].ensemble = 'mixd'", '"mixed"']),
        (method_variant(of="KX"), ["variants.methods[0].of = 'KX'", "KC"]),
        (method_variant(of="RCE"), ["variants.methods[0].of = 'RCE'", "KC"]),
        (method_variant(subsets={"irs": 2}), ["variants.methods[0].subsets = 'irs'", '"iris"']),
        (method_variant(subsets={"iris": 11}), ["variants.methods[0].subsets.iris = 11", "there are 10", "lower"]),
        (method_variant(subsets={"iris": 0}), ["variants.methods[0].subsets.iris = 0"]),
        (
            method_variant(cases=["second"], subsets={"iris": 2}),
            ["variants.methods[0].subsets.iris = 2", "does not run", "remove"],
        ),
        (method_variant(cases=["irs"]), ["variants.methods[0].cases[0] = 'irs'", '"iris"']),
        (method_variant(id="KC"), ["two methods have the id 'KC'"]),
        ({"paper": {"authors": "a", "title": "t", "venue": "v", "year": -5}}, ["paper.year = -5"]),
        ({"title": "a" * 200_000}, ["title", "shorten"]),
        ({"title": "a" * 300}, ["title", "200"]),
        ({"published": ["../../.."]}, ["published[0] = '../../..'"]),
        ({"published": ["table2"]}, ["published = 'table2'", "mine/published/table2.csv", "remove"]),
        ({"discussion": True}, ["discussion = true", "mine/discussion.md", "remove"]),
        ({"unpublished": ["KX"]}, ["unpublished[0] = 'KX'", "KC"]),
    ],
)  # fmt: skip
def test_a_mistake_is_a_line_with_file_key_value_and_remedy(tmp_path, changes, words):
    refused(tmp_path, changes, *words)


@pytest.mark.parametrize("name", ["ensembles", "accepted", "a" * 61])
def test_an_id_that_is_no_folder_of_its_own(tmp_path, name):
    refused(tmp_path, {"id": name}, f"id = '{name[:50]}", name=name)


@pytest.mark.parametrize("name", ["report", "provenance", "SHA256SUMS", "study"])
def test_an_exhibit_whose_files_have_the_name_of_others(tmp_path, name):
    exhibit = {"kind": "runtime", "id": name, "title": "Runtime"}
    refused(tmp_path, {"exhibits": [exhibit]}, "id = ", repr(name), "choose another")


def test_an_exhibit_of_a_kind_that_is_not_there(tmp_path):
    refused(
        tmp_path,
        {"exhibits": [{"kind": "runtimes", "id": "r", "title": "t"}]},
        "exhibits[0].kind = 'runtimes'",
        '"runtime"',
    )


def test_exhibits_look_up_nothing_that_is_not_known(tmp_path):
    exhibit = {"kind": "heatmap", "id": "f", "title": "t", "method": "RC", "x": "a", "y": "b", "metrics": ["ACC"]}
    refused(tmp_path, {"exhibits": [exhibit]}, "method = 'RC'", '"RCE"')


def test_the_remedy_for_a_key_of_another_kind_is_not_the_same_key(tmp_path):
    exhibit = {"kind": "heatmap", "id": "f", "title": "t", "method": "RCE", "x": "lambda1", "y": "lambda2"}
    with pytest.raises(InputError, match=r"exhibits\[0\]\.case = 'evil': unknown key") as refusal:
        load(tmp_path, {"exhibits": [exhibit | {"case": "evil"}]})
    assert 'did you mean "case"' not in str(refusal.value)


def test_a_discussion_outside_the_folder_of_the_study_is_refused(tmp_path):
    """A study of somebody else would put a file of the reader's into the report."""
    private = tmp_path / "private.txt"
    private.write_text("not for the report")
    file = tmp_path / "mine/discussion.md"
    file.parent.mkdir(exist_ok=True)
    file.symlink_to(private)
    refused(tmp_path, {"discussion": True}, "discussion", f"{file} is a link to {private}")


def test_a_discussion_of_exhibits_that_are_not_there(tmp_path):
    file = tmp_path / "mine/discussion.md"
    file.parent.mkdir()
    file.write_text("See {{table2 case=iris\n mean}} and {{tabel2 mean}}.")
    refused(
        tmp_path, {"discussion": True}, "discussion", f"{file}", "{{tabel2 mean}}", "no exhibit 'tabel2'", '"table2"'
    )
    file.write_text("See {{table2 case=iris mean}}, {{runtime n}} and {{ }}.")
    load(tmp_path, {"discussion": True})


GRID = {"lambda1": [1, 2], "lambda2": [0.1, 1.0]}
SLICE = {"kind": "slices", "id": "s", "title": "t", "metric": "ACC", "method": "RCE", "x": "lambda1"}
HEATMAP = {"kind": "heatmap", "id": "h", "title": "t", "method": "RCE", "x": "lambda1", "y": "lambda2"}
ALIKE = {"id": "again", "dataset": "iris", "of": "iris", "why": "w", "methods": ["KC"]}
POINT = {"id": "RCE-far", "method": "RCE", "of": "RCE", "why": "w", "parameters": {"lambda1": 3, "lambda2": 9}}


@pytest.mark.parametrize(
    ("exhibit", "words"),
    [
        ({**SLICE, "at": {"lambda2": 5}}, ["s].at.lambda2 = 5", "not on the grid", "0.1, 1"]),
        ({**SLICE, "at": {"lambda2": 1, "lambda3": 5}}, ["s].at.lambda3 = 5", "remove"]),
        ({**SLICE, "at": {"lambda2": 9, "lambda1": 2}, "further": ["RCE-far"]}, ["s].at = ", "change one"]),
        ({**HEATMAP, "metrics": []}, ["metrics = []"]),
        ({"kind": "objects", "id": "o", "title": "t", "cases": ["iris"]}, ["o].cases = 'iris'", "4 features"]),
        *(
            ({"kind": kind}, [f".kind = {kind!r}", "remove"])
            for kind in ("unseen", "pools", "features", "against", "differences", "agreement", "claims", "coverage")
        ),
    ],
)
def test_an_exhibit_that_would_show_nothing(tmp_path, exhibit, words):
    rce = {"method": "RCE", "grid": GRID, "default": {"lambda1": 1, "lambda2": 1}}
    study = {"methods": ["KC", rce], "variants": {"methods": [POINT]}}
    refused(tmp_path, {**study, "exhibits": [exhibit]}, "exhibits[", *words)


@pytest.mark.parametrize("kind", ["alternatives", "rank_diagram"])
def test_an_exhibit_of_variants_or_ranks_without_any(tmp_path, kind):
    study = {"cases": ["iris"], "methods": ["KC"]}
    refused(tmp_path, {**study, "exhibits": [{"kind": kind}]}, f".kind = {kind!r}", "remove")


def test_a_wrong_id_is_reported_beside_the_kinds_that_are_not_found_by_it(tmp_path):
    path = write(tmp_path, {"id": "other", "exhibits": [{"kind": "placebo", "id": "p", "title": "t"}]})
    with pytest.raises(InputError) as caught:
        load_study(path, REGISTRY)
    of_id, of_kind = str(caught.value).splitlines()
    assert of_id.startswith(f"{path}: id = 'other': ")
    assert of_kind.startswith(f"{path}: exhibits[0].kind = 'placebo': ")
    assert "studies/rce/exhibits/placebo.py" in of_kind


def test_exhibits_that_have_something_to_show(tmp_path):
    rce = {"method": "RCE", "grid": GRID, "default": {"lambda1": 1, "lambda2": 1}}
    exhibits = [
        {**SLICE, "at": {"lambda2": 9}, "further": ["RCE-far"]},
        {"kind": "objects", "id": "o", "title": "t", "cases": ["aggregation"]},
        {"kind": "pools"},
        {"kind": "rank_diagram"},
    ]
    cases = ["iris", "aggregation"]
    for steps in ({}, {"preprocessing": []}):
        variants = {"methods": [POINT], "cases": [{**ALIKE, **steps}]}
        study = {"cases": cases, "methods": ["KC", rce], "variants": variants, "exhibits": exhibits}
        assert len(load(tmp_path, study).exhibits) > 4


def test_candidates_of_features_differ_in_their_steps(tmp_path):
    published = tmp_path / "mine/published/table2.csv"
    published.parent.mkdir(parents=True)
    published.write_text("dataset,metric,method,value\n")
    study = {"published": ["table2"], "exhibits": [{"kind": "features"}]}
    load(tmp_path, {**study, "variants": {"cases": [{**ALIKE, "preprocessing": ["zscore"]}]}})
    refused(tmp_path, {**study, "variants": {"cases": [ALIKE]}}, "kind = 'features'", "preprocessing")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("ecoli_pool", ["cases[0].ensemble = 'kmeans'", "ecoli_pool", "ensemble: authors"]),
        ({**ECOLI, "ensemble": "author"}, ["cases[0].ensemble = 'author'", '"authors"']),
        ({**ECOLI, "preprocessing": ["zscore"]}, ["cases[0].preprocessing = ['zscore']", "ecoli_pool", "remove"]),
    ],
)
def test_a_case_without_features_takes_its_own_ensemble(tmp_path, entry, words):
    refused(tmp_path, {"cases": [entry]}, *words)
    load(tmp_path, {"cases": [ECOLI]})


def test_a_method_that_needs_features_does_not_run_where_there_are_none(tmp_path):
    methods = ["KC", {"method": "SSCE", "grid": {"lambda1": [1, 2]}, "default": {"lambda1": 1}}]
    refused(tmp_path, {"cases": [ECOLI], "methods": methods}, "cases[0].dataset = 'ecoli_pool'", "SSCE", "without")
    load(tmp_path, {"cases": [{**ECOLI, "without": ["SSCE"]}], "methods": methods})
    load(tmp_path, {"cases": [ECOLI], "methods": [{"method": "SSCE", "parameters": {"features": "pseudo"}}]})


PLAN = {"methods": ["KC"], "cases": ["iris"]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"methods": ["KD"]}, ["generalisation.methods[0].method = 'KD'", "KC"]),
        ({"methods": []}, ["generalisation.methods = []"]),
        ({"cases": ["irs"]}, ["generalisation.cases[0] = 'irs'", '"iris"']),
        ({"cases": []}, ["generalisation.cases = 'second'", "k-means"]),
        ({"beside": "KD"}, ["generalisation.beside = 'KD'", "KC"]),
        ({"methods": [{"method": "KC", "by": ["NC", "Infer"]}]}, ["generalisation.methods[0].by = 'Infer'", "NC"]),
        ({"methods": [{"method": "KC", "by": ["own"]}]}, ["generalisation.methods[0].by = 'own'", "NC"]),
        ({"methods": [{"method": "KC", "by": ["NC", "NC"]}]}, ["generalisation", "KC-NC"]),
        ({"methods": ["KC", {"method": "RCE", "id": "KC"}]}, ["two rows", "'KC-NC'", "another id"]),
        ({"methods": [{"method": "KC", "id": "K-means"}]}, ["generalisation.methods[0].id = 'K-means'", "another"]),
        ({"methods": [{"method": "KC", "by": []}]}, ["generalisation.methods[0].by = []"]),
        ({"train_share": 0.001}, ["generalisation.train_share = 0.001", "0 training objects", "raise"]),
        ({"train_share": 0.01}, ["generalisation.train_share = 0.01", "2 training objects", "raise"]),
        ({"train_share": 0.999}, ["generalisation.train_share = 0.999", "no unseen object", "lower"]),
        ({"train_share": 1}, ["generalisation.train_share = 1"]),
        ({"splits": 10**12}, ["generalisation.splits"]),
    ],
)
def test_an_experiment_on_unseen_objects(tmp_path, changes, words):
    refused(tmp_path, {"generalisation": {**PLAN, **changes}}, *words)


def test_training_objects_are_enough_for_the_base_clusterings(tmp_path):
    study = {"cases": [{"dataset": "iris", "n_clusters": 100}], "generalisation": PLAN}
    refused(tmp_path, study, "generalisation.train_share = 0.6", "90 training objects", "100 clusters")
    load(tmp_path, {**study, "generalisation": {**PLAN, "train_share": 0.7}})


@pytest.mark.parametrize(("features", "by"), [("original", True), ("pseudo", False)])
def test_only_a_method_learned_from_features_maps_them(tmp_path, features, by):
    study = {
        "cases": ["iris"],
        "methods": [{"method": "SSCE", "parameters": {"features": features}}],
        "generalisation": {"methods": [{"method": "SSCE", "by": ["own"]}]},
    }
    if by:
        assert load(tmp_path, study).unseen_rows() == ["K-means-NC", "SSCE"]
    else:
        refused(tmp_path, study, "generalisation.methods[0].by = 'own'", "SSCE", "NC")


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ({"method": "RC"}, ["claims[0].method = 'RC'", '"RCE"']),
        ({"against": ["KD"]}, ["claims[0].against[0] = 'KD'", "KC"]),
        ({"against": ["RCE"]}, ["claims[0]", "RCE itself", "remove"]),
        ({"against": ["KC", "KC"]}, ["claims[0].against", "KC", "twice", "remove"]),
        ({"cases": ["x"]}, ["claims[0].cases[0] = 'x'", "iris"]),
        ({"check": "above_base", "against": ["KC"]}, ["claims[0]", "against = ['KC']", "best", "remove"]),
        ({"check": "above_base", "method": "KC"}, ["claims[0].method = 'KC'", "'K-means'", "best"]),
        ({"check": "stable", "method": "KC"}, ["claims[0].method = 'KC'", "grid", "name another"]),
        ({"check": "stable", "within": float("nan")}, ["claims[0].within = nan"]),
        ({"check": "stable", "within": 1.5}, ["claims[0].within = 1.5"]),
        ({"check": "stable", "share": float("inf")}, ["claims[0].share = inf"]),
        ({"text": " "}, ["claims[0].text = ' '"]),
        ({"published": 9, "of": 3}, ["claims[0]", "9 of 3", "correct"]),
        ({"published": -1}, ["claims[0].published = -1"]),
        ({"metric": "NMI-mean"}, ["claims[0].metric = 'NMI-mean'", "metrics"]),
        ({"check": "improves", "against": ["KC"]}, ["claims[0]", "percent"]),
        ({"check": "improves", "percent": 5.7}, ["claims[0]", "against"]),
        ({"check": "improves", "against": ["RCE"], "percent": 5.7}, ["claims[0]", "RCE itself", "remove"]),
        ({"percent": 5.7}, ["claims[0]", "improves", "remove"]),
        ({"check": "improves", "against": ["KC-NC"], "percent": 5.7}, ["claims[0].against = 'KC-NC'", "main table"]),
        (
            {"check": "improves", "against": ["KC"], "percent": 5.7, "unseen": True, "method": "KC-NC"},
            ["claims[0].against = 'KC'", "unseen"],
        ),
        (
            {"check": "improves", "against": ["K-means-NC"], "percent": 5.7, "unseen": True, "method": "KC-NC",
             "metric": "NMI"},
            ["claims[0].metric = 'NMI'", "ACC"],
        ),
    ],
)  # fmt: skip
def test_a_claim_that_no_scores_could_decide(tmp_path, claim, words):
    given = {"text": "It is so.", "check": "best", "method": "RCE", "metric": "ACC", **claim}
    refused(tmp_path, {"claims": [given], "generalisation": PLAN}, *words)


def test_a_claim_on_some_cases_needs_an_exhibit_that_counts_these_alone(tmp_path):
    paths = {"kind": "paths", "id": "paths", "title": "-", "method": "RCE", "path": "objective_path_", "labels": ["J"]}
    by = {"exhibit": "paths", "question": "never_rises"}
    claim = {"text": "It is so.", "check": "counted", "method": "RCE", "by": by}
    study = {"exhibits": [paths], "claims": [claim]}
    load(tmp_path, study)
    refused(tmp_path, {**study, "claims": [{**claim, "cases": ["iris"]}]}, "claims[0].cases", "paths", "remove")


def test_a_claim_that_stands_there_twice(tmp_path):
    claim = {"text": "It is so.", "check": "best", "method": "RCE", "metric": "ACC"}
    refused(tmp_path, {"claims": [claim, {**claim, "metric": "NMI"}, claim]}, "claims[2]", "claims[0]", "remove")


@pytest.mark.parametrize(
    "claim",
    [
        {"method": "K-means"},
        {"check": "stable"},
        {"published": 0, "of": 3},
        {"check": "improves", "against": ["K-means-NC"], "percent": 5.7, "unseen": True, "method": "KC-NC"},
    ],
)
def test_claims_that_scores_can_decide(tmp_path, claim):
    given = {"text": "It is so.", "check": "best", "method": "RCE", "metric": "ACC", **claim}
    assert load(tmp_path, {"claims": [given], "generalisation": PLAN}).claims


LEDGER = {
    "ledger": [{"id": "A1", "place": "Table 1", "text": "RCE is best.", "shown": ["table2"]}],
    "claims": [{"item": "A1", "text": "RCE is best.", "check": "best", "method": "RCE", "metric": "ACC"}],
}


def with_ledger(folder, changes):
    path = write(folder, {})
    (path.parent / "claims.yaml").write_text(yaml.safe_dump({**LEDGER, **changes}))
    return path


def test_the_ledger_of_a_paper_is_a_file_of_its_own(tmp_path):
    study = load_study(with_ledger(tmp_path, {}), REGISTRY)
    assert [item.id for item in study.ledger] == ["A1"]
    assert [claim.item for claim in study.claims] == ["A1"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"claims": [{**LEDGER["claims"][0], "item": "A2"}]}, ["claims[0].item = 'A2'", "A1"]),
        ({"claims": [{**LEDGER["claims"][0], "method": "RC"}]}, ["claims[0].method = 'RC'", "RCE"]),
        ({"ledger": [{**LEDGER["ledger"][0], "shown": ["table3"]}]}, ["ledger[0].shown[0] = 'table3'", "table2"]),
        ({"ledger": [{**LEDGER["ledger"][0], "shown": []}]}, ["ledger[0]", "shown nowhere", "missing"]),
        ({"ledger": LEDGER["ledger"] * 2}, ["two items", "A1", "another id"]),
        ({"claims": []}, ["ledger[0]", "no claim", "unjudged"]),
        ({"ledger": [{**LEDGER["ledger"][0], "unjudged": "a table"}]}, ["ledger[0].unjudged", "A1 has a claim"]),
        ({"claim": []}, ["claim", "claims"]),
    ],
)
def test_a_mistake_in_the_ledger_names_its_file(tmp_path, changes, words):
    path = with_ledger(tmp_path, changes)
    with pytest.raises(InputError) as caught:
        load_study(path, REGISTRY)
    line = str(caught.value).splitlines()[0]
    assert line.startswith(f"{path.parent / 'claims.yaml'}: ")
    assert all(word in line for word in words), line


def test_claims_stand_in_one_file(tmp_path):
    path = with_ledger(tmp_path, {})
    path.write_text(yaml.safe_dump({**STUDY, "claims": LEDGER["claims"][:1]}))
    with pytest.raises(InputError, match="move all of them"):
        load_study(path, REGISTRY)


H, Z = (
    {"id": f"RSEC-{v}", "method": "RSEC", "parameters": {"variant": v, "rho": 1.2}, "together": "both"} for v in "HZ"
)
CASE = {"dataset": "iris", "parameters": {"RSEC-H": {"tol": 0.1}}}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"methods": [H, "KC"]}, ["methods[0].together = 'both'", "no other method"]),
        ({"methods": [{**H, "together": "KC"}, {**Z, "together": "KC"}, "KC"]}, ["'KC'", "a row has this name"]),
        ({"methods": [H, {**Z, "method": "LWEA", "parameters": {}}]}, ["RSEC-H, RSEC-Z must be one method"]),
        ({"methods": [H, {**Z, "parameters": {"variant": "Z"}}]}, ["another value of one parameter each"]),
        ({"methods": [H, {**Z, "parameters": {"variant": "Z", "rho": 1.3}}]}, ["another value of one parameter each"]),
        ({"methods": [H, {**H, "id": "again"}]}, ["another value of one parameter each"]),
        ({"methods": [H, Z, {**H, "id": "again"}]}, ["another value of one parameter each"]),
        (
            {"methods": [{**one, "grid": {"lambda1": [1.0]}, "default": {"lambda1": 1.0}} for one in (H, Z)]},
            ["without a grid"],
        ),
        ({"methods": [H, {**Z, "missing_labels": "ignored"}]}, ["RSEC-H, RSEC-Z must have the same missing_labels"]),
        ({"methods": [H, Z], "cases": [CASE]}, ["together = 'both'", "iris has parameters of RSEC-H alone"]),
        (
            {"methods": [{**one, "parameters": {"n_init": n}} for n, one in enumerate((H, Z), 1)]},
            ["methods[0].together = 'both'", "equally many restarts", "remove it"],
        ),
    ],
)
def test_what_cannot_be_fitted_together(tmp_path, changes, words):
    refused(tmp_path, changes, *words)


def test_methods_and_variants_that_can_be_fitted_together(tmp_path):
    assert load(tmp_path, {"methods": [H, Z, "KC"]}).fitted(load(tmp_path, {"methods": [H, Z]}).methods[0]).id == "both"
    variant = {**Z, "of": "RSEC-H", "why": "what is clustered"}
    assert load(tmp_path, {"methods": [H, "KC"], "variants": {"methods": [variant]}}).together("both")[1].id == "RSEC-Z"
