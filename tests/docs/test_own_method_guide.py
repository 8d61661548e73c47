"""The examples of the guide on own methods: they pass the contract checks, and are average linkage."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from consclust.methods import EAC
from consclust.testing import l30
from consclust_studies.bench.contract import check_contract
from consclust_studies.bench.own_method import OwnMethod, load, parse

GUIDE = Path(__file__).parents[2] / "docs" / "own-method.md"
EXAMPLES = {"python": "mine.py", "octave": "mine.m", "r": "mine.R"}
PROGRAMS = {"octave": ("octave", "mat"), "r": ("Rscript", "csv")}


def write_example(language: str, folder: Path) -> OwnMethod:
    """Write the example of a language as the guide has it; skip where the language is not installed."""
    (code,) = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    path = folder / EXAMPLES[language]
    path.write_text(code)
    if language not in PROGRAMS:
        return parse(str(path))
    program, file_format = PROGRAMS[language]
    if not shutil.which(program):
        pytest.skip(f"no {program} on the PATH")
    return OwnMethod(program=f"{program} {path}", file_format=file_format)


@pytest.mark.parametrize("language", ["python", *(pytest.param(name, marks=pytest.mark.long) for name in PROGRAMS)])
def test_an_example_passes_the_checks_and_is_average_linkage(language, tmp_path):
    cls = load(write_example(language, tmp_path))
    assert not [one for one in check_contract(cls) if one.problem]
    # without ties average linkage has one answer: two groups of objects, of which some are torn
    labels = np.array(l30()[:, [0, 2, 3, 4, 5, 6]])
    found = cls(n_clusters=3).fit_predict(labels)
    expected = EAC(n_clusters=3).fit_predict(labels)
    assert (found == expected).all()


def test_the_guide_names_every_check():
    from consclust_studies.bench.contract import TOPICS

    text = GUIDE.read_text()
    assert [one.title for one in TOPICS if f"| {one.title} |" not in text] == []
