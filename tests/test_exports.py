"""What ``consclust`` itself exports, for programs and for type checkers."""

import subprocess
import sys
from pathlib import Path

import pytest

import consclust
from consclust import methods

ROOT = Path(__file__).parents[1]
PROGRAM = """
import sys
import consclust
assert not {"numpy", "scipy", "sklearn", "pydantic"} & {*sys.modules}, "import consclust imports more than itself"
for name in dir(consclust):
    getattr(consclust, name)
from consclust import RCE, Ensemble
assert RCE is consclust.methods.RCE is consclust.methods.rce.RCE
assert Ensemble is consclust.ensemble.Ensemble
"""


@pytest.mark.long
def test_every_name_is_imported_at_its_first_use():
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)


def test_all_methods_are_listed():
    assert {*methods.names(), "Ensemble", "diagnostics", "__version__"} <= {*dir(consclust)}


@pytest.mark.parametrize("name", ["Rce", "rce", "load"])
def test_other_names_are_unknown(name):
    with pytest.raises(AttributeError, match=name):
        getattr(consclust, name)


TYPED = """
import consclust
from consclust import LWEA, RCE, Ensemble, diagnostics

rce: RCE = RCE(n_clusters=2, lambda1=1.0).fit(Ensemble([[0, 1], [1, 0]]))
lwea: consclust.LWEA = LWEA(2, theta=0.4)
share = diagnostics.bootstrap_stability([[0], [1]], consclust.EAC(2)).share
RCE(n_clusters=2, lambda3=1.0)
LWEA(2, theta="high")
consclust.RCF(2)
consclust.load("yale")
"""


@pytest.mark.long
def test_type_checkers_see_the_parameters(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(TYPED)
    options = ["--strict", "--follow-imports=silent", "--cache-dir", "/dev/null", "--no-error-summary"]
    found = subprocess.run([sys.executable, "-m", "mypy", *options, program], cwd=ROOT, capture_output=True, text=True)
    lines = found.stdout.splitlines()
    assert [line.split(":")[1] for line in lines] == ["8", "9", "10", "11"], found.stdout
    for line, said in zip(lines, ("lambda3", "theta", "RCF", "load"), strict=True):
        assert said in line
