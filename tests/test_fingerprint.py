import shutil
from pathlib import Path

import pytest

from concord import fingerprint as module

RUN, RCE, KC = "concord.methods.command", "concord.methods.rce", "concord.methods.kc"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package that a test may edit."""
    shutil.copytree(module.PACKAGE, tmp_path / "concord")
    monkeypatch.setattr(module, "PACKAGE", tmp_path / "concord")
    return tmp_path / "concord"


def prints():
    return {name: module.fingerprint(RUN, whole=[name]) for name in (RCE, KC)}


def test_a_method_is_its_own_job(package):
    before = prints()
    path = package / "methods/rce.py"
    path.write_text(path.read_text() + "\nX = 1\n")
    after = prints()
    assert after[RCE] != before[RCE]
    assert after[KC] == before[KC]


def test_what_a_method_imports_counts(package):
    before = prints()
    path = package / "methods/spectral.py"
    path.write_text(path.read_text().replace("MAX_ROTATIONS = 20", "MAX_ROTATIONS = 21"))
    after = prints()
    assert after[RCE] != before[RCE]
    assert after[KC] == before[KC]


def test_comments_docstrings_and_layout_elsewhere_do_not_count(package):
    before = prints()
    for name in ("ensemble.py", "methods/base.py", "methods/run.py", "methods/spectral.py"):
        path = package / name
        text = (
            path.read_text()
            .replace('"""', '"""Another word. ', 1)
            .replace("import numpy as np\n", "import numpy  as np\n")
        )
        path.write_text("# a comment\n" + text + "\n# another\n")
    assert prints() == before
    path = package / "ensemble.py"
    path.write_text(path.read_text().replace("MISSING = -1", "MISSING = -2"))
    assert prints() != before


def test_a_new_method_leaves_the_others_alone(package):
    before = prints()
    (package / "methods/mine.py").write_text("from concord.methods.base import ConsensusMethod\n")
    assert prints() == before


def test_files_beside_the_code_count_to_the_byte(tmp_path):
    template = tmp_path / "a.typ"
    template.write_text("one")
    before = module.fingerprint(RUN, beside=[template])
    template.write_text("one ")
    assert module.fingerprint(RUN, beside=[template]) != before


def test_a_stage_does_not_depend_on_later_ones():
    closure = module._closure([RUN])
    assert RUN in closure
    assert "concord.ensemble" in closure
    assert not [name for name in closure if name.startswith(("concord.scores", "concord.reports"))]
    assert Path(module._file("concord.datasets")).name == "__init__.py"
