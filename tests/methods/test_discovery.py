"""What is found in the folder of the methods, and what is said of files that do not hold a valid method."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from consclust import methods
from consclust.cli.methods import methods as listing
from consclust.errors import InputError

HEAD = "from consclust.methods.base import ConsensusMethod\n"
METHOD = (
    HEAD
    + """
class {name}(ConsensusMethod):
    summary = "Nothing."
    def __init__(self, n_clusters, power=2.0, *, random_state=None): ...
    def _fit(self, ensemble): ...

class Helper: ...

class _Part(ConsensusMethod): ...
"""
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder whose files count as those of the package too."""
    monkeypatch.setattr(methods, "__path__", [*methods.__path__, str(tmp_path)])
    methods._classes.cache_clear()
    yield tmp_path
    methods._classes.cache_clear()
    for name in ("mine", "yours"):
        sys.modules.pop(f"consclust.methods.{name}", None)
        vars(methods).pop(name, None)


def test_a_file_with_a_method_is_all_it_needs(folder):
    before = set(methods.names())
    (folder / "mine.py").write_text(METHOD.format(name="Mine"))
    methods._classes.cache_clear()
    assert set(methods.names()) == {*before, "Mine"}
    assert methods.load("Mine") is methods.Mine
    assert methods.Mine.__module__ == "consclust.methods.mine"
    assert methods.Mine.parameters() == {"power": 2.0}
    assert "Mine" in dir(methods)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            HEAD + "class Mine(ConsensusMethod):\n    def _fit(self, ensemble): ...",
            r"yours\.py: Mine needs an __init__ that names all of its parameters; write it",
        ),
        (
            METHOD.format(name="Mine").replace("power=2.0, *, random_state=None", "**parameters"),
            r"yours\.py: Mine needs an __init__ that names all of its parameters; write it",
        ),
        (METHOD.format(name="Mine").replace("def _fit", "def fit_"), r"yours\.py: Mine needs a method _fit; write it"),
        (
            METHOD.format(name="Mine").replace("power", "reference"),
            r"yours\.py: Mine has a parameter 'reference', .*; rename it",
        ),
        (METHOD.format(name="Mine").replace('"Nothing."', "' '"), r"yours\.py: Mine needs a summary, .*; write"),
        (METHOD.format(name="RCE"), r"yours\.py: RCE is the method of consclust\.methods\.rce; rename one"),
        ("class Mine(ConsensusMethod)", r"yours\.py, line 1: expected ':'; correct the file"),
        ("import nothing_of_this_name", r"yours\.py: .*ModuleNotFoundError.*nothing_of_this_name"),
    ],
)
def test_a_mistake_is_reported_with_its_file(folder, text, said):
    (folder / "yours.py").write_text(text)
    with pytest.raises(InputError, match=said):
        methods.names()


def test_a_method_has_the_summary_of_the_method_that_it_extends(folder):
    (folder / "mine.py").write_text("from consclust.methods.eac import EAC\nfrom dataclasses import dataclass\n")
    with (folder / "mine.py").open("a") as file:
        file.write("@dataclass(repr=False, eq=False)\nclass Mine(EAC): ...\n")
    done = CliRunner().invoke(listing, ["Mine"])
    assert f"Mine: {methods.load('EAC').summary}" in done.stdout


def test_an_unknown_name_is_corrected():
    with pytest.raises(InputError, match='rce: no such method; did you mean "RCE"'):
        methods.load("rce")
    with pytest.raises(AttributeError, match="'RCF'"):
        _ = methods.RCF


def test_every_method_with_a_typed_export_is_there():
    exported = set(methods.__all__)
    assert len(exported) >= 24
    assert exported <= set(methods.names())


def test_whether_features_are_needed_depends_on_the_grid():
    assert methods.needs_features("SSCE", {})
    assert not methods.needs_features("SSCE", {"features": "pseudo"})
    assert methods.needs_features("SSCE", {}, [{"features": "pseudo"}, {"features": "original"}])
    assert not methods.needs_features("RCE", {"lambda1": 2.0})


PROGRAM = """
import sys
from consclust import methods
methods.names()
print(*{name.split(".")[0] for name in sys.modules})
"""


def test_all_methods_are_imported_with_numpy_only():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert not {"scipy", "sklearn", "pandas", "pydantic", "pymetis", "mtkahypar"} & set(done.stdout.split())
