"""The jobs that fetch the files of a data set and prepare it."""

import hashlib

import numpy as np
import pytest

from consclust.datasets import download
from consclust.datasets.registry import load_registry
from consclust.errors import InputError
from consclust_studies.stages import fetch, prepare
from consclust_studies.stages.fetch import FetchJob
from consclust_studies.stages.prepare import PrepareJob, load
from job_files_of import files_of

TABLE = b"1,0,b\n3,4,a\n6,8,b\n"


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A registry of one data set, in the folder of a project with a mirror of its file and that of its ensemble."""
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "toy.data").write_bytes(TABLE)
    monkeypatch.setenv(download.MIRROR_VARIABLE, str(mirror))
    monkeypatch.chdir(tmp_path)
    file = (
        f"{{name: toy.data, urls: [], sha256: '{hashlib.sha256(TABLE).hexdigest()}', "
        f"bytes: {len(TABLE)}, mirror: toy.data}}"
    )
    path = tmp_path / "config/datasets.yaml"
    path.parent.mkdir()
    path.write_text(
        f"toy: {{title: Toy, shape: [3, 2, 2], reader: {{format: table}}, files: [{file}], licence: none,"
        f" source: here, preprocessing: [unit_norm],"
        f" ensembles: {{authors: {{file: {file.replace('name: toy.data', 'name: authors.mat')}, variable: L,"
        " runs: 2}}}\n"
    )
    return load_registry(path)


def get(dataset, file, target):
    """Do the job that fetches a file."""
    return fetch.run(FetchJob(dataset=dataset, file=file, sha256=None), files_of({}, {"raw": target}))


def make(job, raw, out):
    """Do the job that prepares the toy data, from its spec as text."""
    return prepare.run(PrepareJob.from_text(job.json_text, "job"), files_of({"raw": [raw]}, {"prepared": out}))


def test_fetch_then_prepare(registry, tmp_path):
    raw, out = tmp_path / "raw/toy.data", tmp_path / "toy.npz"
    get("toy", "toy.data", raw)
    assert raw.read_bytes() == TABLE
    make(PrepareJob.make("toy", registry["toy"], ("zscore", "unit_norm")), raw, out)
    np.testing.assert_allclose(np.linalg.norm(load(out).X, axis=1), 1)
    assert (load(out).X < 0).any()


@pytest.mark.parametrize(("steps", "first"), [((), 3), (("unit_norm",), 0.6)])
def test_steps(registry, tmp_path, steps, first):
    job = PrepareJob.make("toy", registry["toy"], steps)
    make(job, tmp_path / "mirror/toy.data", tmp_path / "toy.npz")
    assert load(tmp_path / "toy.npz", job.digest).X[1, 0] == pytest.approx(first)


def test_a_spec_that_is_not_valid_json(registry):
    with pytest.raises(InputError, match=r"^job: [^\n]*not valid JSON"):
        PrepareJob.from_text("{", "job")
    mistaken = PrepareJob.make("toy", registry["toy"], ()).json_text.replace('"steps"', '"stepps":[],"steps"')
    with pytest.raises(InputError, match=r"^job: recipe\.stepps = .*unknown key.*steps"):
        PrepareJob.from_text(mistaken, "job")


def test_fetch_the_file_of_an_ensemble(registry, tmp_path):
    target = tmp_path / "authors.mat"
    get("toy", "authors.mat", target)
    assert target.read_bytes() == TABLE


def test_a_file_that_lies_where_the_user_placed_it_is_taken_from_there(registry, tmp_path, monkeypatch):
    monkeypatch.delenv(download.MIRROR_VARIABLE)
    placed = tmp_path / "mirror/toy.data"
    job = FetchJob(dataset="toy", file="toy.data", sha256=None)
    fetch.run(job, files_of({"placed": placed}, {"raw": tmp_path / "elsewhere/toy.data"}))
    assert (tmp_path / "elsewhere/toy.data").read_bytes() == TABLE
    placed.write_bytes(TABLE[:-1])
    with pytest.raises(InputError, match=r"^[^\n]*mirror/toy\.data[^\n]*truncated[^\n]*$"):
        fetch.run(job, files_of({"placed": placed}, {"raw": tmp_path / "again/toy.data"}))


@pytest.mark.parametrize(
    ("dataset", "file", "words"),
    [
        ("tory", "toy.data", "no data set 'tory'; did you mean \"toy\"?"),
        ("toy", "toy.dat", "no file 'toy.dat'; did you mean \"toy.data\"?"),
        ("toy", "author.mat", "no file 'author.mat'; did you mean \"authors.mat\"?"),
    ],
)
def test_unknown_names(registry, tmp_path, dataset, file, words):
    with pytest.raises(InputError) as caught:
        get(dataset, file, tmp_path / "x")
    assert words in str(caught.value)
    assert not (tmp_path / "x").exists()
