from typing import Literal

import pytest

from consclust.validation import Strict
from consclust_studies.config.references import AnyRowId, CaseId, MethodId, drop_unknown, find_mistakes

KNOWN = {"case": ["iris", "wine"], "method": ["KC", "RCE"], "row or unseen row": ["KC", "RCE", "K-means"]}


class Panel(Strict):
    method: MethodId
    cases: tuple[CaseId, ...] = ()


class Model(Strict):
    case: CaseId | None = None
    cases: tuple[CaseId, ...] = ()
    rows: tuple[AnyRowId, ...] | None = None
    panels: tuple[Panel, ...] = ()
    panel: Panel | None = None
    values: dict[MethodId, tuple[CaseId, ...]] = {}
    metrics: tuple[Literal["ACC", "NMI"], ...] = ()
    words: tuple[str, ...] = ()
    either: Panel | MethodId | None = None


def no_rules(model):
    return ()


def found(**fields):
    return list(find_mistakes(Model(**fields), KNOWN, no_rules))


RIGHT = {
    "case": "iris", "cases": ["iris", "wine"], "rows": ["K-means"], "panels": [{"method": "KC", "cases": ["iris"]}],
    "panel": {"method": "RCE"}, "values": {"KC": ["wine"]}, "metrics": ["ACC", "NMI"], "words": ["a", "a"],
    "either": "KC",
}  # fmt: skip


def test_what_is_known_is_no_mistake():
    assert found(**RIGHT) == []
    assert found() == []


@pytest.mark.parametrize(
    ("fields", "where", "remedy"),
    [
        ({"case": "irsi"}, "case = 'irsi'", "iris"),
        ({"cases": ["iris", "irsi"]}, "cases[1] = 'irsi'", "iris"),
        ({"rows": ["KD"]}, "rows[0] = 'KD'", "KC"),
        ({"panels": [{"method": "KC"}, {"method": "rce"}]}, "panels[1].method = 'rce'", "RCE"),
        ({"panels": [{"method": "KC", "cases": ["wyne"]}]}, "panels[0].cases[0] = 'wyne'", "wine"),
        ({"panel": {"method": "KD"}}, "panel.method = 'KD'", "KC"),
        ({"values": {"KD": []}}, "values = 'KD'", "KC"),
        ({"values": {"KC": ["irsi"]}}, "values.KC[0] = 'irsi'", "iris"),
        ({"either": "KD"}, "either = 'KD'", "KC"),
        ({"either": {"method": "KD"}}, "either.method = 'KD'", "KC"),
        ({"cases": ["iris", "wine", "iris"]}, "cases = ['iris', 'wine', 'iris']", "iris"),
        ({"metrics": ["ACC", "ACC"]}, "metrics = ['ACC', 'ACC']", "ACC"),
    ],
)
def test_a_name_that_is_not_known_or_stands_twice(fields, where, remedy):
    (line,) = found(**fields)
    assert line.startswith(f"{where}: ")
    assert remedy in line.removeprefix(where)


def test_every_model_inside_has_further_rules():
    def rules(model):
        if isinstance(model, Panel):
            yield "cases", f" = {list(model.cases)}: too few; add one"

    (line,) = find_mistakes(Model(panels=({"method": "KC"},)), KNOWN, rules)
    assert line == "panels[0].cases = []: too few; add one"


def left(**fields):
    return drop_unknown(Model(**fields), {**KNOWN, "case": ["wine"], "method": ["KC"], "row or unseen row": ["KC"]})


def test_lists_lose_what_is_not_there():
    assert left(cases=["iris", "wine"]) == Model(cases=("wine",))
    panels = [{"method": "RCE"}, {"method": "KC", "cases": ["wine", "iris"]}]
    assert left(panels=panels) == Model(panels=(Panel(method="KC", cases=("wine",)),))
    assert left(rows=["K-means", "KC"]) == Model(rows=("KC",))


@pytest.mark.parametrize(
    "fields",
    [
        {"case": "iris"},
        {"cases": ["iris"]},
        {"panels": [{"method": "RCE"}]},
        {"panels": [{"method": "KC", "cases": ["iris"]}]},
        {"panel": {"method": "RCE"}},
        {"either": "RCE"},
        {"rows": ["RCE"]},
    ],
)
def test_what_needs_a_name_that_is_not_there_goes(fields):
    assert left(**fields) is None


def test_what_names_nothing_absent_stays_as_it_is():
    own = {"case": "wine", "cases": ["wine"], "panel": {"method": "KC"}, "either": "KC", "words": ["x"]}
    assert left(**own) == Model(**own)
    assert left() == Model()
