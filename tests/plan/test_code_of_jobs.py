"""The fingerprint of the code behind a job: what counts, what does not, and whether it has all that a job enters."""

import ast
import json
import os
import re
import subprocess
import sys
from itertools import combinations, count
from math import comb
from pathlib import Path

import jobs_of_each_kind
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consclust_studies.code.fingerprint import Fingerprints
from consclust_studies.code.modules import Definition, read_file, standard_roots
from consclust_studies.code.outside import CHECKS, HANDLING

JOBS = jobs_of_each_kind.all_jobs()

# ---------------------------------------------------------------------- a package that is made up

KERNELS = '''
"""Loops."""

from pkg.compile import compiled

WIDTH = 64
OTHER = 3


@compiled
def used(x):
    """Add."""
    total = 0.0
    for value in x:
        total += value * 1.5 + WIDTH
    return total


@compiled
def unused(x):
    return x * 2.5 + OTHER
'''
COMPILE = """
import numpy as np

OPTIONS = {"cache": True}


def compiled(function):
    return np.vectorize(function, **OPTIONS)
"""
BASE = '''
import logging
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pkg.errors import Mistake

log = logging.getLogger("pkg")


def warn_user(text):
    warnings.warn(text, stacklevel=2)


@dataclass
class Method(ABC):
    """What methods share."""

    summary = "A method."
    n_clusters: int
    seed: int = field(default=0, kw_only=True)

    def fit(self, x):
        """Fit."""
        if len(x) < self.n_clusters:
            problem = f"{len(x)} objects"
            remedy = "give more objects"
            raise Mistake(f"{problem} for {self.n_clusters} clusters; {remedy}")
        log.info("fitting %d objects", len(x))
        warn_user("this takes long")
        self._work(x)
        return self

    @abstractmethod
    def _work(self, x): ...

    def _doubled(self, x):
        return [2 * value for value in x]

    def unused(self):
        return self._doubled([1])
'''
METHOD = '''
from dataclasses import dataclass
from typing import Literal

from pkg import kernels
from pkg.base import Method
from pkg.solvers import SOLVERS, exact, certificate
from pkg.tables import CONSTANT


@dataclass
class Mine(Method):
    """Mine."""

    weight: float = 1.0
    solver: Literal["mm", "exact"] = "mm"
    certify: bool = False
    tol: float | None = None

    def _work(self, x):
        """Do the work."""
        start, other = self._start(x), 7
        found = SOLVERS[self.solver](start, self.weight)
        if self.certify:
            self.bound_ = certificate(found)
        stop = 1e-6 if self.tol is None else self.tol
        while found > stop:
            found = kernels.used([found]) - other
        self.labels_ = self._ended(found, strict=self.solver == "exact")

    def _start(self, x):
        return [value + CONSTANT for value in x]

    def _ended(self, found, strict=False):
        if strict:
            return exact(found, 2.0)
        return [round(found * share) for share in (1, 2)]

    def predict(self, x):
        return x
'''
SOLVERS = """
def mm(x, weight):
    return sum(x) * weight


def exact(x, weight):
    return max(x) * weight


def certificate(x):
    return x - 0.25


SOLVERS = {"mm": mm, "exact": exact}
"""
TABLES = """
BASE = 10
CONSTANT = BASE + 1
ELSE = 12
"""
ERRORS = '''
class Mistake(Exception):
    """A mistake."""
'''
RUN = '''
"""Runs a job."""

from pkg.errors import Mistake


def run(job, x):
    """Run it."""
    method = job.make()
    try:
        method.fit(x)
    except Mistake as mistake:
        return str(mistake)
    return method.labels_
'''
FILES = {
    "__init__": "",
    "kernels": KERNELS,
    "compile": COMPILE,
    "base": BASE,
    "method": METHOD,
    "solvers": SOLVERS,
    "tables": TABLES,
    "errors": ERRORS,
    "run": RUN,
}
ENTRIES = ("pkg.run.run", "pkg.method.Mine")


def printed(files, entries=ENTRIES, parameters=None):
    """The fingerprint of texts in place of files."""
    texts = {f"pkg.{name}" if name != "__init__" else "pkg": text for name, text in files.items()}

    def read(name, path):
        wanted = path.name == "__init__.py"
        return texts.get(name) if wanted == (name == "pkg") else None

    own = {"pkg.method.Mine": {}} if parameters is None else parameters
    return Fingerprints({"pkg": Path("nowhere/pkg")}, read).compute(*entries, parameters=own)


def edited(*changes, files=FILES):
    """The files with changes: (file, old, new) each; every occurrence of old is replaced."""
    new = dict(files)
    for name, old, fresh in changes:
        assert old in new[name], (name, old)
        new[name] = new[name].replace(old, fresh)
    return new


def mine(**values):
    return {"pkg.method.Mine": {name: [value] for name, value in values.items()}}


DEFAULT = printed(FILES)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("base", "give more objects", "give other objects"),
        ("base", "{len(x)} objects", "only {len(x)} objects"),
        ("base", "fitting %d objects", "fit of %d objects"),
        ("base", '        log.info("fitting %d objects", len(x))\n', ""),
        ("base", "this takes long", "this may take long"),
        ("base", '        warn_user("this takes long")\n', ""),
        ("base", "stacklevel=2", "stacklevel=3"),
        ("base", '"""Fit."""', '"""Fit it."""'),
        ("base", 'getLogger("pkg")', 'getLogger("other")'),
        ("base", "log = ", "journal = "),
        ("method", '    """Mine."""\n', ""),
        ("method", "weight: float", "weight: float | int"),
        ("method", "def _start(self, x):", "def _start(self, x: list[float]) -> list[float]:"),
        ("kernels", "    total = 0.0\n", "    # a comment\n    total = (\n        0.0\n    )\n"),
        ("run", '"""Runs a job."""', '"""Runs a job."""\n\n__all__ = ["run"]'),
        ("errors", '"""A mistake."""', '"""An error."""'),
        ("base", "def unused(self):", "def unused(self, more=3):"),
        ("method", "def predict(self, x):\n        return x", "def predict(self, x):\n        return x + 1"),
        ("kernels", "x * 2.5 + OTHER", "x * 3.5 + OTHER"),
        ("kernels", "OTHER = 3", "OTHER = 4"),
        ("tables", "ELSE = 12", "ELSE = 13"),
        ("solvers", "max(x) * weight", "max(x) * weight * 2"),
        ("solvers", "x - 0.25", "x - 0.5"),
        ("method", "return exact(found, 2.0)", "return exact(found, 3.0)"),
    ],
)
def test_what_never_counts_and_what_the_parameters_do_not_choose(file, old, new):
    """Messages, comments, layout, annotations; a kernel, a solver, an option that the job does not use."""
    if (file, old) == ("base", "log = "):
        files = edited((file, old, new), (file, "log.info", "journal.info"))
    else:
        files = edited((file, old, new))
    assert printed(files) == DEFAULT


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("kernels", "* 1.5", "* 1.25"),
        ("kernels", "WIDTH = 64", "WIDTH = 65"),
        ("compile", '"cache": True', '"cache": False'),
        ("compile", "np.vectorize", "np.frompyfunc"),
        ("tables", "BASE = 10", "BASE = 11"),
        ("solvers", "sum(x) * weight", "sum(x) + weight"),
        ("method", "weight: float = 1.0", "weight: float = 2.0"),
        ("method", 'solver: Literal["mm", "exact"] = "mm"', 'solver: Literal["mm", "exact"] = "exact"'),
        ("method", "certify: bool = False", "certify: bool = True"),
        ("method", "1e-6", "1e-7"),
        ("method", "), 7", "), 8"),
        ("method", "(1, 2)", "(2, 1)"),
        ("method", "round(found * share)", "round(share * found)"),
        ("base", "len(x) < self.n_clusters", "len(x) <= self.n_clusters"),
        ("base", "raise Mistake(", "raise ValueError("),
        ("base", "        self._work(x)\n        return self", "        return self"),
        ("run", "except Mistake", "except Exception"),
        ("run", "return method.labels_", "return method.bound_"),
        ("errors", "Mistake(Exception)", "Mistake(ValueError)"),
        (
            "base",
            '"""What methods share."""\n',
            '"""What methods share."""\n\n    def __post_init__(self):\n        self.n_clusters += 1\n',
        ),
        ("kernels", "WIDTH = 64", "WIDTH = 64\nimport numpy\nnumpy.seterr(all='raise')"),
    ],
)
def test_what_computes_a_result_counts(file, old, new):
    assert printed(edited((file, old, new))) != DEFAULT


def test_only_the_chosen_solver_counts():
    exact = printed(FILES, parameters=mine(solver="exact"))
    both = printed(FILES, parameters={"pkg.method.Mine": {"solver": ["mm", "exact"]}})
    assert len({DEFAULT, exact, both}) == 3
    slower = edited(("solvers", "max(x) * weight", "max(x) + weight"))
    assert printed(slower) == DEFAULT
    assert printed(slower, parameters=mine(solver="exact")) != exact
    assert printed(slower, parameters={"pkg.method.Mine": {"solver": ["mm", "exact"]}}) != both
    assert printed(slower, parameters={}) != printed(FILES, parameters={}), "parameters that are not known"


def test_an_option_that_a_job_sets_counts():
    other = edited(("solvers", "x - 0.25", "x - 0.5"))
    assert printed(other, parameters=mine(certify=True)) != printed(FILES, parameters=mine(certify=True))
    grid = {"pkg.method.Mine": {"certify": [True, False]}}
    assert printed(other, parameters=grid) != printed(FILES, parameters=grid)


def test_a_new_option_with_the_default_that_was_implied_counts_only_where_it_is_set():
    """It reaches a solver through two calls."""
    new = edited(
        ("method", "certify: bool = False", "certify: bool = False\n    fast: bool = False"),
        (
            "method",
            'self._ended(found, strict=self.solver == "exact")',
            'self._ended(found, strict=self.solver == "exact", fast=self.fast)',
        ),
        ("method", "def _ended(self, found, strict=False):", "def _ended(self, found, strict=False, fast=False):"),
        (
            "method",
            "        return [round(found * share)",
            "        if fast:\n            return certificate(found)\n        return [round(found * share)",
        ),
    )
    assert printed(new) == DEFAULT
    assert printed(new, parameters=mine(fast=True)) != DEFAULT


def test_a_default_in_whose_place_the_spec_has_a_value_does_not_count():
    other = edited(("method", "weight: float = 1.0", "weight: float = 2.0"))
    assert printed(other, parameters=mine(weight=5.0)) == printed(FILES, parameters=mine(weight=5.0))


def test_an_object_that_the_code_makes_by_itself_has_parameters_of_its_own():
    """Those of the job say nothing about it."""
    again = edited(
        ("run", "return method.labels_", "return Mine(3, solver='exact').fit(x).labels_"),
        ("run", "from pkg.errors", "from pkg.method import Mine\nfrom pkg.errors"),
    )
    assert printed(again) != printed(edited(("solvers", "max(x)", "min(x)"), files=again))
    only_tests = edited(
        ("run", "return method.labels_", "return isinstance(method, Mine)"),
        ("run", "from pkg.errors", "from pkg.method import Mine\nfrom pkg.errors"),
    )
    assert printed(only_tests) == printed(edited(("solvers", "max(x)", "min(x)"), files=only_tests))


def test_a_parameter_that_the_code_changes_is_not_known():
    for change in (
        "self.solver = 'exact'",
        "setattr(self, 'solver', 'exact')",
        "object.__setattr__(self, 'solver', 'exact')",
    ):
        files = edited(("method", "start, other =", f"{change}\n        start, other ="))
        assert printed(files) != printed(edited(("solvers", "max(x)", "min(x)"), files=files)), change


def test_a_module_that_is_imported_for_what_it_does_counts():
    files = edited(("run", "from pkg.errors", "import pkg.patches\nfrom pkg.errors"))
    one, other = ({**files, "patches": f"import numpy\nnumpy.random.seed({number})\n"} for number in (1, 2))
    assert printed(one) != printed(other)


def test_defaults_of_an_explicit_constructor_count_as_those_of_a_dataclass():
    body = """
class Mine(Method):
    def __init__(self, n_clusters, weight=1.0, solver="mm", certify=False, tol=None):
        super().__init__(n_clusters)
        self.weight = weight
        self.solver = solver
        self.certify = certify
        self.tol = tol
"""
    head, _, rest = METHOD.partition("@dataclass\n")
    explicit = {**FILES, "method": head + body + "\n    def _work" + rest.partition("    def _work")[2]}
    before = printed(explicit)
    assert printed(edited(("solvers", "max(x)", "min(x)"), files=explicit)) == before
    assert printed(edited(("method", "weight=1.0", "weight=2.0"), files=explicit)) != before
    assert printed(edited(("method", "tol=None", "tol=0.5"), files=explicit)) != before
    computes = edited(("method", "self.weight = weight", "self.weight = 2 * weight"), files=explicit)
    assert printed(computes) != before


# ---------------------------------------------------------------------- renames

RENAMES = [
    ("method", "found", "result"),
    ("method", "share", "part"),
    ("method", "_start", "_begin"),
    ("method", "_ended", "_finish"),
    ("kernels", "total", "sum_of_all"),
    ("base", "_doubled", "_twice"),
]


@pytest.mark.parametrize(("file", "old", "new"), RENAMES)
def test_names_of_locals_and_private_methods_do_not_count(file, old, new):
    files = {**FILES, file: re.sub(rf"\b{old}\b", new, FILES[file])}
    assert files != FILES
    assert printed(files) == DEFAULT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("used", "accumulated"),
        ("mm", "majorise"),
        ("exact", "all_of_it"),
        ("CONSTANT", "SHIFT"),
        ("BASE", "LOW"),
        ("Mistake", "Refusal"),
        ("WIDTH", "SIZE"),
        ("compiled", "made_fast"),
        ("weight", "factor"),
        ("labels_", "clusters_"),
        ("strict", "severe"),
        ("n_clusters", "number"),
    ],
)
def test_names_of_functions_constants_parameters_and_attributes_do_not_count(old, new):
    """The words of a Literal and the keys of a dict are values, and stay."""

    def rename(text):
        return re.sub(rf'(?<!")\b{old}\b(?!")', new, text)

    files = {name: rename(text) for name, text in FILES.items()}
    assert files != FILES
    assert printed(files) == DEFAULT


def test_names_of_modules_and_classes_do_not_count():
    files = {name: text.replace("pkg.kernels", "pkg.loops").replace("kernels", "loops") for name, text in FILES.items()}
    files["loops"] = files.pop("kernels")
    assert printed(files) == DEFAULT
    files = {name: re.sub(r"\bMine\b", "Ours", text) for name, text in FILES.items()}
    entries, parameters = ("pkg.run.run", "pkg.method.Ours"), {"pkg.method.Ours": {}}
    assert printed(files, entries, parameters) == DEFAULT


def test_a_function_that_moves_does_not_count():
    moved = "def mm(x, weight):\n    return sum(x) * weight\n"
    files = edited(
        ("solvers", moved, "from pkg.tables import mm\n"), ("tables", "ELSE = 12", f"ELSE = 12\n\n\n{moved}")
    )
    assert printed(files) == DEFAULT


def test_the_way_of_an_import_does_not_count():
    late = edited(
        ("method", "from pkg import kernels\n", ""),
        ("method", "        start, other", "        from pkg.kernels import used as loop\n\n        start, other"),
        ("method", "kernels.used(", "loop("),
    )
    assert printed(late) == DEFAULT
    as_module = edited(
        ("method", "from pkg import kernels", "import pkg.kernels"), ("method", "kernels.used", "pkg.kernels.used")
    )
    as_module["method"] = as_module["method"].replace("pkg.pkg", "pkg")
    assert printed(as_module) == DEFAULT


def test_an_exchange_of_two_of_a_kind_counts():
    two = edited(
        ("kernels", "    return total", "    return first(total) - second(total)"),
        (
            "kernels",
            "@compiled\ndef unused",
            "def first(x):\n    return x\n\n\ndef second(x):\n    return x\n\n\n@compiled\ndef unused",
        ),
    )
    other = edited(("kernels", "def second(x):\n    return x", "def second(x):\n    return 2 * x"), files=two)
    swapped = edited(("kernels", "first(total) - second(total)", "second(total) - first(total)"), files=other)
    assert len({printed(two), printed(other), printed(swapped)}) == 3


def test_an_exchange_of_two_attributes_counts():
    """Where they are only stored and read."""
    files = edited(
        ("run", "return method.labels_", "return Pair(x, 1).both()"), ("run", "def run", PAIR + "\n\ndef run")
    )
    swapped = edited(("run", "self.a - self.b", "self.b - self.a"), files=files)
    assert printed(files) != printed(swapped)
    elsewhere = edited(("run", "return Pair(x, 1).both()", "p = Pair(x, 1)\n    return p.a - p.b"), files=files)
    other = edited(("run", "p.a - p.b", "p.b - p.a"), files=elsewhere)
    assert printed(elsewhere) != printed(other)


PAIR = """class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def both(self):
        return self.a - self.b
"""


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.text("abcdefgh", min_size=1, max_size=5), st.sampled_from(["found", "start", "other", "stop"]))
def test_any_name_of_a_local_is_as_good(word, old):
    new = f"{word}_1"
    assert printed({**FILES, "method": re.sub(rf"\b{old}\b", new, METHOD)}) == DEFAULT


def _mutable(text):
    """The numbers in a function or a constant."""
    return [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and type(node.value) in (int, float)
    ]


def _with_number(text, node, value):
    lines = text.splitlines(keepends=True)
    line = lines[node.lineno - 1].encode()
    lines[node.lineno - 1] = (line[: node.col_offset] + repr(value).encode() + line[node.end_col_offset :]).decode()
    return "".join(lines)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_number_in_the_kernel_that_is_used_counts_and_in_the_other_it_does_not(data):
    node = data.draw(st.sampled_from(_mutable(KERNELS)))
    value = data.draw(st.floats(0.1, 99.0).filter(lambda x: x != node.value))
    changed = printed({**FILES, "kernels": _with_number(KERNELS, node, value)}) != DEFAULT
    in_the_other = node.lineno > KERNELS[: KERNELS.index("def unused")].count("\n") or node.value == 3
    assert changed != in_the_other


# ---------------------------------------------------------------------- constructs


def of_run(body, *more, entries=("pkg.run.run",)):
    """The fingerprint of a function ``run`` with this body, in a module with more definitions."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = "\n\n".join([*more, f"def run(x, job=None):\n{lines}\n"])
    return printed({"__init__": "", "run": text}, entries, {})


CONSTRUCTS = {
    "property": ("return A().p", "class A:\n    @property\n    def p(self):\n        return {0}"),
    "cached property": (
        "return A().p",
        "from functools import cached_property\nclass A:\n    @cached_property\n    def p(self):\n        return {0}",
    ),
    "property of a parameter": (
        "return x.p",
        "class A:\n    p = property(lambda self: {0})\nB = A",
        "def other(y: A): return y",
    ),
    "inherited": ("return B().m()", "class A:\n    def m(self):\n        return {0}\nclass B(A):\n    pass"),
    "super": (
        "return B().m()",
        "class A:\n    def m(self):\n        return {0}\nclass B(A):\n    def m(self):\n        return super().m()",
    ),
    "nested function": ("def f(y):\n    return y + {0}\nreturn f(x)",),
    "lambda": ("return (lambda y: y + {0})(x)",),
    "comprehension": ("return [y for y in x if y > {0}]",),
    "field": (
        "return A().n",
        "from dataclasses import dataclass, field\n@dataclass\nclass A:\n"
        "    n: list = field(default_factory=lambda: [{0}])",
    ),
    "constant of a constant": ("return C", "B = {0}\nC = (B, 1)"),
    "constant that is changed": ("return TABLE", "TABLE = {{}}\nTABLE['a'] = {0}"),
    "constant that is updated": ("return TABLE", "TABLE = {{}}\nTABLE.update(a={0})"),
    "constant in a branch": ("return C", "try:\n    import fast as C\nexcept ImportError:\n    C = {0}"),
    "class attribute": ("return A.n", "class A:\n    n = {0}"),
    "default": ("return f(x)", "def f(x, y={0}):\n    return x + y"),
    "decorator": ("return f(x)", "def d(g):\n    return lambda *a: g(*a) + {0}\n@d\ndef f(x):\n    return x"),
    "option of a decorator": ("return f(x)", "import numba\n@numba.njit(fastmath={0})\ndef f(x):\n    return x"),
    "callback": ("return map(f, x)", "def f(x):\n    return {0}"),
    "partial": ("return partial(f, x)", "from functools import partial", "def f(x, y):\n    return {0} if y else 1"),
    "method given away": ("return map(A().m, x)", "class A:\n    def m(self, y):\n        return {0} if y else 2"),
    "getattr": ("return getattr(A(), x)()", "class A:\n    def m(self):\n        return {0}"),
    "getattr by a word": ("return getattr(A(), 'm')()", "class A:\n    def m(self):\n        return {0}"),
    "getattr of a module": ("import pkg.run\nreturn getattr(pkg.run, x)()", "def m():\n    return {0}"),
    "special method": ("return x[A()]", "class A:\n    def __index__(self):\n        return {0}"),
    "operator": ("return A() + 1", "class A:\n    def __add__(self, other):\n        return {0}"),
    "iteration": ("return [*A()]", "class A:\n    def __iter__(self):\n        yield {0}"),
    "context": (
        "with A():\n    return 1",
        "class A:\n    def __enter__(self):\n        self.n = {0}\n    def __exit__(self, *a):\n        pass",
    ),
    "text": ("return f'{{A()}}'", "class A:\n    def __str__(self):\n        return str({0})"),
    "object from elsewhere": (
        "return other(x)",
        "class A:\n    def m(self):\n        return {0}\ndef other(y: 'A | None'):\n    return y.m()",
    ),
    "object of an alias": (
        "return other(x)",
        "class A:\n    def m(self):\n        return {0}\nAlias = A | int\ndef other(y: Alias):\n    return y.m()",
    ),
    "match": ("match x:\n    case {0}:\n        return 1\n    case _:\n        return 2",),
    "walrus": ("if (y := x + {0}) > 1:\n    return y\nreturn 0",),
    "global": ("global STATE\nSTATE = {0}\nreturn other()", "STATE = 0\ndef other():\n    return STATE"),
    "generator": ("return list(g(x))", "def g(x):\n    yield x + {0}"),
    "star arguments": ("return f(*x)", "def f(a, b):\n    return a if b else {0}"),
    "keyword arguments": ("return f(**x)", "def f(a=0, b=0):\n    return a if b else {0}"),
    "dict of functions": ("return T[x](1)", "def f(y):\n    return {0}\nT = {{'a': f}}"),
    "random draw that nothing reads": ("y = x.random({0})\nreturn x.random()",),
    "change in place": ("x += {0}\nreturn None",),
    "stored on another": ("x.n = {0}",),
    "hook of another package": (
        "return A().visit(x)",
        "import ast\nclass A(ast.NodeVisitor):\n    def visit_Name(self, node):\n        return {0}",
    ),
    "validator that changes a value": (
        "return A(n=x)",
        "from pydantic import BaseModel, field_validator\nclass A(BaseModel):\n    n: int\n    @field_validator('n')\n"
        "    @classmethod\n    def _n(cls, value):\n        return value + {0}",
    ),
    "class method": (
        "return A.of(x)",
        "class A:\n    @classmethod\n    def of(cls, y):\n        return cls.m(y)\n"
        "    @staticmethod\n    def m(y):\n        return y + {0}",
    ),
    "exception with a value": (
        "try:\n    f(x)\nexcept E as e:\n    return e.n",
        "class E(Exception):\n    def __init__(self, n):\n        self.n = n\ndef f(x):\n    raise E({0})",
    ),
    "named tuple by place": (
        "return A(1, {0})[1]",
        "from typing import NamedTuple\nclass A(NamedTuple):\n    a: int\n    b: int",
    ),
    "import for its effect": ("return x", "import numpy as np\nnp.random.seed({0})"),
    "effect of a loop": ("return T", "T = []\nfor i in range(3):\n    T.append(i + {0})"),
    "function in a branch": ("return f(x)", "import sys\nif sys.platform:\n    def f(y):\n        return y + {0}"),
    "kept by a decorator": (
        "return TABLE[x](1)",
        "TABLE = {{}}\ndef keep(name):\n    def decorated(f):\n        TABLE[name] = f\n"
        "        return f\n    return decorated",
        "@keep('a')\ndef f(y):\n    return {0}",
    ),
    "one of several by type": (
        "return f(x)",
        "from functools import singledispatch\n@singledispatch\ndef f(y):\n    return 1\n"
        "@f.register\ndef _(y: int):\n    return {0}",
    ),
    "property with a setter": (
        "return A().p",
        "class A:\n    @property\n    def p(self):\n        return {0}\n    @p.setter\n"
        "    def p(self, v):\n        pass",
    ),
    "class in a function": ("class A:\n    n = {0}\nreturn A().n",),
    "asynchronous": ("async def f():\n    return {0}\nreturn f()",),
    "sort in place": ("x.partition({0})\nreturn x",),
    "finally": ("try:\n    return x\nfinally:\n    x.close({0})",),
    "assert": ("assert x > {0}\nreturn x",),
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_code_counts_however_it_is_entered(name):
    one, other = ([part.format(number) for part in CONSTRUCTS[name]] for number in (3, 4))
    entries = ("pkg.run.run", "pkg.run.other") if "parameter" in name else ("pkg.run.run",)
    assert of_run(one[0], *one[1:], entries=entries) != of_run(other[0], *other[1:], entries=entries)


MESSAGES = {
    "raise": "if x:\n    raise ValueError('{0}')\nreturn x",
    "raise from": "try:\n    return int(x)\nexcept ValueError as e:\n    raise KeyError(f'{0} {{e}}') from e",
    "parts of a message": (
        "if x:\n    what, remedy = '{0}', 'b'\n    what += '{0}'\n    raise ValueError(f'{{what}}{{remedy}}')\nreturn x"
    ),
    "first of some": "if x.any():\n    at = int(np.flatnonzero(x)[0])\n    raise ValueError(f'{0} {{at}}')\nreturn x",
    "loop over rows": (
        "for what, y, remedy in (('a', x, '{0}'), ('b', x + 1, '{0}')):\n    if y:\n"
        "        raise ValueError(what + remedy)\nreturn x"
    ),
    "chosen text": (
        "problem = ''\nif x > 1:\n    problem = '{0}'\nelif x > 2:\n    problem = f'{0} {{x}}'\n"
        "if problem:\n    raise ValueError(problem)\nreturn x"
    ),
    "helper that refuses": "refuse(x, '{0}')\nreturn x",
    "helper that warns": "tell('{0}')\nreturn x",
    "text for a helper": "where = f'{0} {{x}}'\nrefuse(x, where)\nreturn x",
    "context": "with at('{0}'):\n    return int(x)",
    "logger": "journal.warning('{0}', x)\nreturn x",
    "logger of an object": "x.log.info('{0}')\nreturn x",
    "progress": (
        "begun = time.monotonic()\nfor y in x:\n    if time.monotonic() - begun > 5:\n"
        "        begun = time.monotonic()\n        journal.info('{0}')\nreturn x"
    ),
    "assertion": "assert x, '{0}'\nreturn x",
    "description": "return Field(x, description='{0}')",
    "print": "print('{0}')\nreturn x",
    "warnings": "warnings.warn('{0}', stacklevel=2)\nreturn x",
}
HELPERS = """
import logging
import time
import warnings
from contextlib import contextmanager
from typing import NoReturn

import numpy as np
from pydantic import Field

journal = logging.getLogger("pkg")


def tell(text):
    journal.info("say: %s", text)


def refuse(x, text):
    if x:
        malformed(f"{x}: {text}")


def malformed(text) -> NoReturn:
    raise ValueError(text)


@contextmanager
def at(where):
    try:
        yield
    except ValueError as mistake:
        malformed(f"{where}: {mistake}")
"""


@pytest.mark.parametrize("name", MESSAGES)
def test_a_word_of_a_message_does_not_count(name):
    one, other = (of_run(MESSAGES[name].format(word), HELPERS) for word in ("one word", "another word"))
    assert one == other
    without = of_run("return x", HELPERS)
    says_only = {"helper that warns", "logger", "logger of an object", "print", "warnings", "progress"}
    assert (one == without) == (name in says_only and name != "progress")


TEXTS = {
    "a note": "note = '{0}' if x else ''\nreturn note",
    "a text that is compared": "how = '{0}'\nreturn 1 if x == how else 2",
    "an argument that is read": "return f('{0}')",
    "a key": "return x['{0}']",
    "a text that is logged and returned": "note = '{0}'\njournal.info(note)\nreturn note",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_word_that_is_a_result_counts(name):
    more = [HELPERS, "def f(word):\n    return word + '!'"]
    assert of_run(TEXTS[name].format("one"), *more) != of_run(TEXTS[name].format("other"), *more)


def test_an_unknown_entry_is_refused():
    with pytest.raises(LookupError, match=r"pkg\.run\.absent"):
        printed(FILES, ("pkg.run.absent",))


def test_names_count_where_they_become_a_result():
    of_fields = [HELPERS, "class A:\n    n: int = 1", "from dataclasses import asdict"]
    renamed = [part.replace("n: int", "m: int") for part in of_fields]
    assert of_run("return asdict(A())", *of_fields) != of_run("return asdict(A())", *renamed)
    assert of_run("return A().n", *of_fields) == of_run("return A().m", *renamed)
    named = "return A.__name__"
    assert of_run(named, "class A: pass") != of_run(named.replace("A", "B"), "class B: pass")


def test_an_abstract_method_enters_all_that_may_be_meant():
    files = {"__init__": "", "run": "from pkg.base import Base\n\ndef run(x: Base):\n    return x.m()\n"}
    base = "from abc import ABC, abstractmethod\nclass Base(ABC):\n    @abstractmethod\n    def m(self): ...\n"
    kinds = (
        "from pkg.base import Base\nclass A(Base):\n    def m(self):\n        return {}\n"
        "class B(Base):\n    def m(self):\n        return 7\n"
    )
    one, other = ({**files, "base": base, "kinds": kinds.format(number)} for number in (1, 2))
    for entry, counts in (("pkg.kinds.A", True), ("pkg.kinds.B", False)):
        entries = ("pkg.run.run", entry)
        assert (printed(one, entries, {}) != printed(other, entries, {})) == counts


# ---------------------------------------------------------------------- the sources of this project


@pytest.fixture(scope="module")
def prints():
    return Fingerprints()


def of_job(fingerprints, job):
    return fingerprints.compute(*job.entries, parameters=job.parameters)


@pytest.fixture(scope="module")
def digests(prints):
    return {name: of_job(prints, job) for name, job in JOBS.items()}


@pytest.fixture(scope="module")
def entered():
    """The functions that each job enters, kernels as plain Python."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, jobs_of_each_kind.__file__], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
@pytest.mark.parametrize("name", JOBS)
def test_all_that_a_job_enters_is_in_its_fingerprint(name, prints, entered):
    found = prints.functions(*JOBS[name].entries, parameters=JOBS[name].parameters)
    modules = {module for module, _ in found}
    absent = []
    for module, qualified in entered[name]:
        outer = qualified.split(".<locals>")[0].removesuffix("<lambda>").rstrip(".")
        if outer == "__create_fn__":  # a method that dataclasses made
            continue
        if not ((module, outer) in found or (not outer and module in modules) or is_outside(prints, module, outer)):
            absent.append(f"{module}.{outer}")
    assert len(entered[name]) > 5
    assert not absent


def is_outside(prints, module, name):
    definition = prints._code.sources.resolve(f"{module}.{name}")
    return isinstance(definition, Definition) and prints._code.outside(definition) is not None


def test_what_never_counts_is_there(prints):
    """A name in the list that nothing has would hide what takes its place."""
    for name in (*CHECKS, *HANDLING):
        found = prints._code.sources.resolve(name)
        is_module = prints._code.sources.module(name) is not None
        assert is_module or isinstance(found, Definition), name


def changed_jobs(digests, module, new, jobs=JOBS):
    """The names of the jobs whose fingerprint is another with the text of a module."""
    return changed_by(digests, {module: new}, jobs)


def changed_by(digests, texts, jobs=JOBS):
    """The names of the jobs whose fingerprint is another with these texts of modules."""

    def read(name, path):
        text = read_file(name, path)
        return texts.get(name, text) if text is not None else text

    other = Fingerprints(read=read)
    return {name for name, job in jobs.items() if of_job(other, job) != digests[name]}


def text_of(module):
    path = standard_roots()["consclust"].joinpath(*module.split(".")[1:])
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()


KERNELS_OF_PROJECT = sorted(
    path
    for path in standard_roots()["consclust"].joinpath("numerics/kernels").glob("[!_]*.py")
    if path.stem != "stream_kernels"  # no study has a stream
)
CONSENSUS = {name: job for name, job in JOBS.items() if name.startswith("consensus")}


def numbers_in_functions(text):
    """The last number in the body of each function of a module, by the name of the function."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    found = {}
    for function in functions:
        for statement in function.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Constant) and type(node.value) in (int, float):
                    found[function.name] = node
    return found


ROUNDS = next(rounds for rounds in count(2) if comb(rounds, 2) >= len(KERNELS_OF_PROJECT))
"""Each file of kernels is changed in two rounds, no two files in the same two, so that the rounds tell them apart."""
FILES_OF_ROUND = [
    [path for path, pair in zip(KERNELS_OF_PROJECT, combinations(range(ROUNDS), 2), strict=False) if number in pair]
    for number in range(ROUNDS)
]


@pytest.mark.long
@pytest.mark.parametrize("files", FILES_OF_ROUND, ids=lambda files: "+".join(path.stem for path in files))
def test_a_number_in_a_kernel_changes_exactly_the_jobs_that_use_it(files, prints, digests, entered):
    texts, kernels = {}, set()
    for path in files:
        module = f"consclust.numerics.kernels.{path.stem}"
        kernel, node = next(iter(numbers_in_functions(path.read_text()).items()))
        texts[module] = _with_number(path.read_text(), node, node.value + 1)
        kernels.add((module, kernel))
    changed = changed_by(digests, texts, CONSENSUS)
    using = {
        name for name, job in CONSENSUS.items() if kernels & prints.functions(*job.entries, parameters=job.parameters)
    }
    assert changed == using
    assert changed >= {name for name in CONSENSUS if kernels & {tuple(each) for each in entered[name]}}
    assert 0 < len(changed) < len(CONSENSUS)


MESSAGES_OF = {
    "consclust.datasets.download": "no such file",
    "consclust.validation": "the key",
    "consclust.readers.table": "no data rows",
    "consclust.readers.arff": "is no attribute with name and type",
    "consclust.ensemble": "has no label at all",
    "consclust.methods.base": "a membership of",
    "consclust.numerics.spectral": "spectral embedding",
}


def test_that_fit_takes_streams_changes_no_job(digests):
    """A decorator that never counts leaves what it decorates as if it stood alone."""
    text = text_of("consclust.methods.base")
    assert "    @hand_streams_on\n" in text
    alone = text.replace("    @hand_streams_on\n", "").replace("Ensemble | Stream,", "Ensemble,")
    jobs = {"consensus RCE": JOBS["consensus RCE"]}
    assert not changed_jobs(digests, "consclust.methods.base", alone, jobs)


@pytest.mark.long
def test_words_of_messages_of_the_project_change_no_job(digests):
    texts = {module: text_of(module) for module in MESSAGES_OF}
    assert all(word in texts[module] for module, word in MESSAGES_OF.items())
    changed = {module: texts[module].replace(word, "another word") for module, word in MESSAGES_OF.items()}
    assert changed_by(digests, changed) == set()


@pytest.mark.long
def test_an_option_of_a_method_that_no_job_sets_changes_no_job(digests):
    text = text_of("consclust.methods.rce")
    option, start = (
        "    certify: bool = False\n",
        "        from consclust.numerics.kernels.rce_kernels import hard_errors\n",
    )
    assert option in text
    assert start in text
    new = text.replace(option, f"{option}    another: bool = False\n")
    new = new.replace(start, f"{start}        if self.another:\n            self.mu = 2 * self.mu\n")
    assert changed_jobs(digests, "consclust.methods.rce", new) == set()
    taken = new.replace("another: bool = False", "another: bool = True")
    of_rce = {name for name in CONSENSUS if name.startswith("consensus RCE")}
    assert changed_jobs(digests, "consclust.methods.rce", taken) == of_rce


@pytest.mark.long
def test_files_of_the_project_may_move_and_its_private_names_change(digests):
    """Of RCE: its kernels in another file, another name of a step and of a class."""
    old = "consclust.numerics.kernels.rce_kernels"
    method, kernels = text_of("consclust.methods.rce"), text_of(old)
    renamed = (
        method.replace(old, "consclust.numerics.kernels.zzz")
        .replace("_a_steps", "_steps")
        .replace("Spectrum", "Singular")
    )
    texts = {"consclust.methods.rce": renamed, "consclust.numerics.kernels.zzz": kernels, old: None}

    def read(name, path):
        text = read_file(name, path)
        if path.name == "__init__.py":
            return text
        return texts.get(name, text)

    job = JOBS["consensus RCE"]
    assert of_job(Fingerprints(read=read), job) == digests["consensus RCE"]


# ---------------------------------------------------------------------- sources that were loaded


def write_package(folder, files=FILES):
    (folder / "pkg").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / "pkg" / f"{name}.py").write_text(text)


LOADED = """
import sys
from itertools import combinations, count
from math import comb
from pathlib import Path
from consclust_studies.code import loaded
from consclust_studies.code.fingerprint import Fingerprints
from consclust_studies.code.job_code import read_text

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))



def edit(name, old, new):
    path = folder / f"pkg/{{name}}.py"
    path.write_text(path.read_text().replace(old, new))


{first}
loaded.PACKAGES = ("pkg",)
loaded.record_sources()
{body}
found = Fingerprints({{"pkg": folder / "pkg"}}, read_text)
print(found.compute("pkg.run.run", "pkg.method.Mine", parameters={{"pkg.method.Mine": {{}}}}))
"""


def of_loaded(folder, body, first=""):
    write_package(folder)
    program = LOADED.format(body=body, first=first)
    return subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=False)


def printed_by(done):
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_fingerprint_of_the_sources_that_were_loaded(tmp_path):
    assert printed_by(of_loaded(tmp_path, "import pkg.method, pkg.run")) == DEFAULT


@pytest.mark.long
def test_code_that_was_edited_while_it_was_loaded_and_put_back_is_found(tmp_path):
    edited_and_restored = "\n".join(
        [
            "import pkg.run",
            "edit('kernels', '1.5', '9.5')",
            "import pkg.method",  # a late import, of an edited kernel
            "edit('kernels', '9.5', '1.5')",
        ]
    )
    assert printed_by(of_loaded(tmp_path, edited_and_restored)) != DEFAULT
    after = "import pkg.run, pkg.method\nedit('kernels', '1.5', '9.5')"
    assert printed_by(of_loaded(tmp_path, after)) == DEFAULT, "what was loaded before the edit was the planned code"


@pytest.mark.long
def test_a_compiled_file_of_other_code_is_not_run(tmp_path):
    """An edit that leaves size and time as they were: Python by itself would run the old code."""
    touched = "\n".join(
        [
            "import os, subprocess",
            "path = folder / 'pkg/kernels.py'",
            "subprocess.run([sys.executable, '-c', 'import pkg.kernels'], cwd=folder, check=True)",
            "times = path.stat()",
            "edit('kernels', '1.5', '9.5')",
            "os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))",
            "import pkg.kernels",
            "assert pkg.kernels.used.pyfunc([1.0]) == 73.5, pkg.kernels.used.pyfunc([1.0])",
        ]
    )
    done = of_loaded(tmp_path, touched)
    assert printed_by(done) != DEFAULT
    again = of_loaded(tmp_path, "import pkg.run, pkg.method")
    assert printed_by(again) == DEFAULT
