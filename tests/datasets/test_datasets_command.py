import hashlib
from pathlib import Path

import numpy as np
import pytest

from consclust.datasets import download
from consclust.datasets.registry import load_registry
from consclust.errors import InputError
from consclust_studies.stages.datasets_command import main
from consclust_studies.stages.prepare import PrepareJob, load

ROOT = Path(__file__).parents[2]
TABLE = b"1,0,b\n3,4,a\n6,8,b\n"


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A registry of one data set with a mirror that has its file and the file of its ensemble."""
    monkeypatch.delenv(download.MIRROR_VARIABLE, raising=False)
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "toy.data").write_bytes(TABLE)
    file = (
        f"{{name: toy.data, urls: [], sha256: '{hashlib.sha256(TABLE).hexdigest()}', "
        f"bytes: {len(TABLE)}, mirror: toy.data}}"
    )
    path = tmp_path / "datasets.yaml"
    path.write_text(
        f"toy: {{title: Toy, shape: [3, 2, 2], reader: {{format: table}}, files: [{file}], licence: none,"
        f" source: here, preprocessing: [unit_norm],"
        f" ensembles: {{authors: {{file: {file.replace('name: toy.data', 'name: authors.mat')}, variable: L,"
        " runs: 2}}}\n"
    )
    return ["--registry", str(path)]


def job(registry, *steps):
    """The argument --spec of a job that prepares the toy data."""
    return ["--spec", PrepareJob.of("toy", load_registry(Path(registry[1]))["toy"], steps).json_text]


def test_fetch_then_prepare(registry, tmp_path):
    raw, out = tmp_path / "raw/toy.data", tmp_path / "toy.npz"
    main(["fetch", "toy", "toy.data", "--to", str(raw), "--mirror", str(tmp_path / "mirror"), *registry])
    assert raw.read_bytes() == TABLE
    main(["prepare", *job(registry, "zscore", "unit_norm"), "--out", str(out), str(raw)])
    np.testing.assert_allclose(np.linalg.norm(load(out).X, axis=1), 1)
    assert (load(out).X < 0).any()


@pytest.mark.parametrize(("steps", "first"), [((), 3), (("unit_norm",), 0.6)])
def test_steps(registry, tmp_path, steps, first):
    out, raw = tmp_path / "toy.npz", str(tmp_path / "mirror/toy.data")
    main(["prepare", raw, *job(registry, *steps), "--out", str(out)])
    assert load(out).X[1, 0] == pytest.approx(first)


def test_a_spec_that_is_not_valid_json(registry, tmp_path):
    with pytest.raises(InputError, match=r"^--spec: [^\n]*not valid JSON"):
        main(["prepare", "--spec", "{", "--out", str(tmp_path / "x")])
    mistaken = job(registry)[1].replace('"steps"', '"stepps":[],"steps"')
    with pytest.raises(InputError, match=r"^--spec: stepps = .*unknown key.*steps"):
        main(["prepare", "--spec", mistaken, "--out", str(tmp_path / "x")])


def test_fetch_the_file_of_an_ensemble(registry, tmp_path):
    target = tmp_path / "authors.mat"
    mirror = ["--mirror", str(tmp_path / "mirror")]
    main(["fetch", "toy", "authors.mat", "--to", str(target), *mirror, *registry])
    assert target.read_bytes() == TABLE


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fetch", "tory", "toy.data", "--to", "x"], "no data set 'tory'; did you mean \"toy\"?"),
        (["fetch", "toy", "toy.dat", "--to", "x"], "no file 'toy.dat'; did you mean \"toy.data\"?"),
        (["fetch", "toy", "author.mat", "--to", "x"], "no file 'author.mat'; did you mean \"authors.mat\"?"),
    ],
)
def test_unknown_names(registry, arguments, words):
    with pytest.raises(InputError) as caught:
        main([*arguments, *registry])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "arguments", [["fetch", "toy", "a", "b", "--to", "x"], ["prepare", "--out", "x", "--spec", "{}", "--stesp"], []]
)
def test_wrong_usage_is_refused_by_argparse(registry, arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*arguments, *(registry if arguments[:1] == ["fetch"] else [])])
    assert caught.value.code == 2
    assert "usage: python -m consclust datasets" in capsys.readouterr().err


def test_list(capsys):
    main(["list", "--registry", str(ROOT / "config/datasets.yaml")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:5] == ["id", "title", "n", "d", "k"]
    assert lines[1].split() == ["yale", "Yale", "165", "1024", "15", "mat", "unit_norm", "authors"]
    assert ["ecoli_pool", "Ecoli", "336", "0", "8", "-", "-", "authors"] in [line.split() for line in lines]
    assert len(lines) == 1 + len(load_registry(ROOT / "config/datasets.yaml"))
