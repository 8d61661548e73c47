"""Any change of the configuration is valid, or one line for each mistake that names file and key; never a traceback."""

import copy
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from consclust.datasets.registry import Registry, load_registries
from consclust.errors import InputError
from consclust.validation import parse, read_yaml
from consclust_studies.config.settings import Settings
from consclust_studies.config.study import Study
from consclust_studies.plan.checks import check_study
from consclust_studies.plan.load import add_standard_exhibits
from consclust_studies.plan.plan import Plan
from consclust_studies.plan.restrict import plan_study

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
MOST_CASES = 50
"""Of a study; the first ones of a larger one are enough."""
MUTATIONS = int(os.environ.get("CONSCLUST_MUTATIONS", "60"))
SEED = int(os.environ.get("CONSCLUST_SEED", "0"))
STUDIES = sorted(path.parent.name for path in (ROOT / "studies").glob("*/study.yaml"))
WRONG = [
    *(None, "", "x", "KC", "iris", "a\0", "../../..", "a" * 300, "ä\u202e", ["a", "a"], ["ACC", "ACC"]),
    *(-1, 0, 1, 2, 1000, 10**12, 2.5, 1e300, -0.0, float("nan"), float("inf"), True),
    *([], {}, [[]], [None], {"id": "x"}, {1: 2}, {"kind": "heatmap"}),
]


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in nested mappings and lists, but for the whole."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*at, key)
        yield from places(one, (*at, key))


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def mutated(base: Any, draw: random.Random) -> Any:
    """Replace, remove, repeat, rename or copy one thing."""
    content, everywhere = copy.deepcopy(base), list(places(base))
    *above, key = draw.choice(everywhere)
    inner = at(content, tuple(above))
    how = draw.random()
    if how < 0.5:
        inner[key] = copy.deepcopy(draw.choice(WRONG))
    elif how < 0.65:
        del inner[key]
    elif how < 0.75 and isinstance(inner, list):
        inner.append(copy.deepcopy(inner[key]))
    elif how < 0.85 and isinstance(inner, dict):
        inner[f"{key}s"] = inner.pop(key)
    else:
        inner[key] = copy.deepcopy(at(base, draw.choice(everywhere)))
    return content


def check_lines(mistake: str, file: str) -> None:
    for line in mistake.splitlines():
        assert line.startswith(file), line
        assert len(line.partition("choose from ")[0]) < 700, line  # the data sets that there are may take more
        assert line.isprintable(), line


@pytest.mark.parametrize("name", STUDIES)
def test_a_mutation_of_a_study_is_planned_or_refused_line_by_line(monkeypatch, name):
    monkeypatch.chdir(ROOT)
    registry, path = load_registries(), Path(f"studies/{name}/study.yaml")
    base, settings = yaml.safe_load(path.read_text()), parse(Settings, {"seed": 1}, Path("config/config.yaml"))
    claims = path.with_name("claims.yaml")  # without them a discussion that quotes a verdict is refused
    paper = read_yaml(claims) if claims.exists() else {}
    if len(base["cases"]) > MOST_CASES:
        base["cases"] = base["cases"][:MOST_CASES]
    refused = 0
    for number in range(MUTATIONS):
        content = {**paper, **mutated(base, random.Random(f"{SEED} {name} {number}"))}
        try:
            study = add_standard_exhibits(parse(Study, content, path))
            if mistakes := list(check_study(study, path, registry)):
                raise InputError("\n".join(mistakes))
            plan = Plan(
                settings, registry, [plan_study(study, None, registry)], [plan_study(study, settings, registry)], {}
            )
            plan.names()
            for case in plan.runs[study.id].cases:
                assert plan.ensemble(study.id, case.id).digest
        except InputError as mistake:
            refused += 1
            check_lines(str(mistake), f"{path.parent}/")
    assert MUTATIONS / 10 < refused < MUTATIONS


def test_a_mutation_of_the_registry_is_read_or_refused_line_by_line():
    path = ROOT / "config/datasets.yaml"
    base, refused = yaml.safe_load(path.read_text()), 0
    for number in range(MUTATIONS):
        content = mutated(base, random.Random(f"{SEED} datasets {number}"))
        try:
            parse(Registry, content, path)
        except InputError as mistake:
            refused += 1
            check_lines(str(mistake), str(path))
    assert MUTATIONS / 10 < refused < MUTATIONS
