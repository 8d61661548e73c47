"""Somebody's own method, out of a file or a program, becomes a consensus method."""

import sys
from pathlib import Path

import numpy as np
import pytest

from consclust.ensemble import Ensemble
from consclust.errors import InputError
from consclust.methods import EAC
from consclust.testing import l30
from consclust_studies.bench import own_method
from consclust_studies.bench.contract import check_contract
from consclust_studies.bench.own_method import OwnMethod, compute_key, find_name, load, parse

MEDOIDS = '''
import numpy as np

def medoids(labels, k):
    """Objects belong to the first of k distinct rows that they agree with most."""
    rows = np.unique(labels, axis=0)[:k]
    return (labels[:, None] == rows).sum(axis=2).argmax(axis=1)

def _helper(labels, k):
    return None
'''
LINKAGE = """
import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

def average_linkage(labels, k):
    differences = (labels[:, None] != labels).mean(axis=2)
    tree = linkage(differences[np.triu_indices(len(labels), 1)], "average")
    return fcluster(tree, k, "maxclust")
"""
PROGRAM = """
import sys
import numpy as np
from scipy.io import loadmat, savemat
given, k, out, seed = sys.argv[1:]
labels = loadmat(given)["labels"] if given.endswith(".mat") else np.loadtxt(given, delimiter=",", ndmin=2)
assert np.nanmin(labels) == 1 and int(k) == 3 and int(seed) >= 0
found = 1 + (np.nan_to_num(labels[:, 0]) % 3)
if out.endswith(".mat"):
    savemat(out, {"labels": found})
else:
    np.savetxt(out, found, fmt="%d")
"""


def write(folder: Path, text: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def find(path: Path | str) -> type:
    return load(parse(str(path)))


def test_the_only_function_of_a_file_is_the_method(tmp_path):
    own = parse(str(write(tmp_path, MEDOIDS)))
    assert find_name(own) == "medoids"
    found = load(own)(n_clusters=3).fit_predict(l30())
    rows = np.unique(Ensemble(l30()).labels, axis=0)[:3]
    expected = (Ensemble(l30()).labels[:, None] == rows).sum(axis=2).argmax(axis=1)
    same = found[:, None] == found
    assert (same == (expected[:, None] == expected)).all()


def test_a_function_gets_a_copy_of_the_labels(tmp_path):
    path = write(tmp_path, "def spoil(labels, k):\n    labels[:] = 0\n    return range(len(labels))\n")
    ensemble = Ensemble(l30())
    find(path)(n_clusters=3).fit(ensemble)
    assert (ensemble.labels == Ensemble(l30()).labels).all()


@pytest.mark.parametrize("parameter", ["seed", "random_state"])
def test_a_parameter_for_the_seed_is_given(tmp_path, parameter):
    text = f"""
import numpy as np
def draw(labels, k, {parameter}):
    return np.random.default_rng({parameter}).integers(k, size=len(labels))
"""
    cls = find(write(tmp_path, text))
    first, again, other = (cls(n_clusters=3, random_state=seed).fit_predict(l30()) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_a_class_with_the_contract_is_taken_as_it_is(tmp_path):
    text = "from consclust.methods import EAC\nclass Mine(EAC):\n    pass\n"
    assert issubclass(find(write(tmp_path, text)), EAC)


def test_a_class_with_fit_predict_is_fitted(tmp_path):
    text = """
class Mine:
    def __init__(self, n_clusters, random_state=None):
        self.n_clusters = n_clusters
    def fit_predict(self, labels):
        return labels[:, 0] % self.n_clusters
"""
    found = find(write(tmp_path, text))(n_clusters=3).fit_predict(l30())
    assert len(set(found)) == 3


def test_modules_beside_the_file_are_found_and_are_part_of_the_key(tmp_path):
    beside = write(tmp_path, "def first(labels):\n    return labels[:, 0]\n", "beside_it.py")
    own = parse(
        str(write(tmp_path, "from beside_it import first\ndef mine(labels, k):\n    return first(labels) % k\n"))
    )
    load(own)
    before = compute_key(own)
    assert compute_key(own) == before
    beside.write_text("def first(labels):\n    return labels[:, 1]\n")
    assert compute_key(own) != before


def test_files_below_and_late_imports_are_part_of_the_key(tmp_path):
    (tmp_path / "helpers").mkdir()
    below = write(tmp_path / "helpers", "x = 1\n", "core.py")
    late = write(tmp_path, "y = 1\n", "late.py")
    text = "from helpers.core import x\ndef mine(labels, k):\n    import late\n    return labels[:, 0] % (x + late.y)\n"
    own = parse(str(write(tmp_path, text)))
    keys = {compute_key(own)}
    below.write_text("x = 2\n")
    keys.add(compute_key(own))
    late.write_text("y = 2\n")
    keys.add(compute_key(own))
    assert len(keys) == 3
    (tmp_path / "notes.txt").write_text("of no matter")
    (tmp_path / "venv").mkdir()
    write(tmp_path / "venv", "", "pyvenv.cfg")
    write(tmp_path / "venv", "z = 1\n", "installed.py")
    assert compute_key(own) in keys


def test_what_a_program_may_read_beside_its_file_is_part_of_the_key(tmp_path):
    named = write(tmp_path, "helper;\n", "mine.m")
    beside = write(tmp_path, "1;\n", "helper.m")
    own = OwnMethod(program=f"octave {named}")
    before = compute_key(own)
    beside.write_text("2;\n")
    assert compute_key(own) != before
    tool = write(tmp_path, "#!/bin/sh\n", "tool")
    tool.chmod(0o755)
    alone = OwnMethod(program=str(tool))
    before = compute_key(alone)
    tool.write_text("#!/bin/sh\nexit 0\n")
    assert compute_key(alone) != before


def test_a_folder_with_very_many_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(own_method, "MOST_FILES", 3)
    for number in range(4):
        write(tmp_path, "", f"module{number}.py")
    own = parse(str(write(tmp_path, "def mine(labels, k): ...\n")))
    with pytest.raises(InputError, match="a folder of its own"):
        compute_key(own)


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("def one(labels, k): ...\ndef two(labels, k): ...\n", "", "one, two"),
        ("x = 1\n", "", "no consensus method"),
        ("def one(labels, k): ...\n", ":three", "no three; it has one"),
        ("import nothing_like_this\n", "", "nothing_like_this"),
        ("def one(labels, k:\n", "", "SyntaxError"),
    ],
)
def test_what_has_no_method_is_refused(tmp_path, text, name, says):
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=r"mine\.py") as refused:
        find(f"{path}{name}")
    assert says in str(refused.value)


def test_other_names_than_python_files_are_refused(tmp_path):
    for name in ("mine.m", str(tmp_path / "absent.py")):
        with pytest.raises(InputError, match=Path(name).name):
            parse(name)


# ---------------------------------------------------------------- programs


def program(tmp_path: Path, text: str, file_format: str = "csv") -> type:
    path = write(tmp_path, text, "program.py")
    return load(OwnMethod(program=f"{sys.executable} {path}", file_format=file_format))


@pytest.mark.parametrize("file_format", ["csv", "mat"])
def test_a_program_reads_and_writes_files(tmp_path, file_format):
    labels = l30()
    labels[0, 1] = -1
    cls = program(tmp_path, PROGRAM, file_format)
    assert cls.__name__ == "program"
    found = cls(n_clusters=3, random_state=1).fit_predict(labels)
    first = Ensemble(labels).labels[:, 0] % 3
    assert ((found[:, None] == found) == (first[:, None] == first)).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise SystemExit('no licence')", "no licence"),
        ("pass", "did not write"),
        ("import sys; open(sys.argv[3], 'w').write('1\\n2\\n')", "2 labels for 30 objects"),
        ("import sys; open(sys.argv[3], 'w').write('red\\n' * 30)", "cannot be read"),
        ("import sys; open(sys.argv[3], 'w').write('1.5\\n' * 30)", "integers"),
    ],
)
def test_a_program_that_gives_no_labels_says_why(tmp_path, text, says):
    with pytest.raises(Exception, match=says):
        program(tmp_path, text)(n_clusters=3).fit(l30())


# ---------------------------------------------------------------- contract

GLOBAL = """
import numpy as np
def drawn(labels, k):
    noise = np.random.rand(len(labels))
    return (labels[:, 0] + (noise > 0.5)) % k
"""
BY_PLACE = """
import numpy as np
def by_place(labels, k):
    return np.arange(len(labels)) * k // len(labels)
"""
WITHOUT_MISSING = (
    LINKAGE
    + """

def strict(labels, k):
    if (labels < 0).any():
        raise ValueError("labels are missing")
    return average_linkage(labels, k)
"""
)


def failed(path: Path | str) -> set[str]:
    return {one.title for one in check_contract(find(path)) if one.problem and one.is_required}


def test_a_sound_function_passes(tmp_path):
    assert not failed(write(tmp_path, LINKAGE))


def test_the_order_of_the_objects_is_found_out(tmp_path):
    titles = failed(write(tmp_path, BY_PLACE))
    assert any("order" in title for title in titles)


def test_global_random_numbers_are_found_out(tmp_path):
    titles = failed(write(tmp_path, GLOBAL))
    assert any("random state" in title for title in titles)


def test_missing_labels_are_told_but_not_needed(tmp_path):
    path = write(tmp_path, WITHOUT_MISSING)
    outcomes = check_contract(find(f"{path}:strict"))
    problems = {one.title: one.problem for one in outcomes if one.problem}
    assert list(problems.values()) == ["strict raises ValueError: labels are missing"]
    assert not [one for one in outcomes if one.problem and one.is_required]


@pytest.mark.long
def test_celta_reads_the_order_of_the_objects():
    """It is what the page on the order of the objects warns of."""
    titles = failed(Path(__file__).parents[2] / "benchmarks" / "celta.py")
    assert any("order" in title for title in titles)
