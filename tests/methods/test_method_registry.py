"""What the registry says of files that a new method's author gets wrong."""

import pytest

from concord.errors import InputError
from concord.methods import registry

METHOD = """
class {name}(ConsensusMethod):
    def __init__(self, n_clusters, power=2.0, *, random_state=None): ...
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "__file__", str(tmp_path / "registry.py"))
    registry._classes.cache_clear()
    yield tmp_path
    registry._classes.cache_clear()


def test_a_file_with_a_method_is_all_it_needs(folder):
    (folder / "mine.py").write_text(METHOD.format(name="Mine") + "class Helper: ...\n")
    assert registry.available() == {"Mine": ("n_clusters", "power", "random_state")}
    assert registry.module_of("Mine") == "concord.methods.mine"


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("class Mine(ConsensusMethod): ...", InputError, "yours.py: Mine needs an __init__"),
        (METHOD.format(name="RCE"), InputError, "yours.py: RCE is the method of concord.methods.rce"),
        ("class Mine(ConsensusMethod)", SyntaxError, r"yours.py, line 1"),
    ],
)
def test_a_mistake_is_told_with_its_file(folder, text, error, said):
    (folder / "rce.py").write_text(METHOD.format(name="RCE"))
    (folder / "yours.py").write_text(text)
    with pytest.raises(error, match=said):
        registry.available()
