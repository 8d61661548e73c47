import shutil

import pytest

from consclust_studies.plan import fingerprint as module

RUN, METHODS = "consclust_studies.stages.consensus", ("consclust.methods.rce", "consclust.methods.kc")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package that a test may edit."""
    shutil.copytree(module.PACKAGE, tmp_path / "consclust", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module, "PACKAGE", tmp_path / "consclust")
    yield tmp_path / "consclust"
    forget()


def forget():
    for cached in (module.fingerprint, module._meaning, module._is_module):
        cached.cache_clear()


def prints(*modules):
    """The digests of these modules, or of the consensus jobs of RCE and KC."""
    forget()
    jobs = [modules] if modules else [(RUN, method) for method in METHODS]
    return [module.fingerprint(*own) for own in jobs]


def edit(path, *changes):
    text = path.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text)


def test_a_method_changes_its_own_jobs_alone(package):
    rce, kc = prints()
    path = package / "methods/rce.py"
    path.write_text(path.read_text() + "\nX = 1\n")
    changed = prints()
    assert changed[0] != rce
    assert changed[1] == kc


def test_a_method_that_is_new_changes_no_job(package):
    before = prints()
    (package / "methods/mine.py").write_text("from consclust.methods.base import ConsensusMethod\n")
    assert prints() == before


MINE = '''"""A method."""

from typing import TYPE_CHECKING

from consclust.mine.other import doubled

if TYPE_CHECKING:
    from consclust_studies.stages.score_tables import read_table


class Method:
    """It does it."""

    summary = "One."
    cost: tuple[int, int] = (1, 2)
    reference = "A: B. C 2000."
    constraints = {"k": 1}
    n = Field(3, description="how many")

    def fit(self, X):
        """Fit."""
        # first
        return doubled(X) + self.n
'''


@pytest.fixture
def mine(package):
    """A package with a method that imports another module."""
    (package / "mine").mkdir()
    (package / "mine/__init__.py").write_text("")
    (package / "mine/method.py").write_text(MINE)
    (package / "mine/other.py").write_text("def doubled(x):\n    return 2 * x\n")
    return package / "mine/method.py"


def of_mine():
    return prints("consclust.mine.method")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# first", "# second"),
        ("        # first\n", ""),
        ('"""A method."""', '"""Another method."""'),
        ('        """Fit."""\n', ""),
        ('"""It does it."""', '"""It does\n\n    it."""'),
        ("(1, 2)", "(\n        1,\n        2,\n    )"),
        ("doubled(X) + self.n", "(doubled( X ) +  self.n)"),
        ('"how many"', '"how many there are"'),
        ('description="how many"', "description='how' + ' many'"),
        ('"One."', '"Two."'),
        ('    summary = "One."\n', ""),
        ("(1, 2)", "(3, 4)"),
        ("A: B. C 2000.", "A: B. C 2001."),
        ("import read_table", "import write_table"),
        ("from consclust_studies.stages.score_tables import", "from consclust_studies.stages.score import"),
        ("from consclust.mine.other import doubled", "from consclust.mine.other import (\n    doubled,\n)"),
        ('"""A method."""\n', '"""A method."""\n\n__all__ = ["Method"]\n'),
    ],
)
def test_what_changes_no_result_does_not_count(mine, old, new):
    before = of_mine()
    edit(mine, (old, new))
    assert of_mine() == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("doubled(X) + self.n", "doubled(X) - self.n"),
        ("Field(3", "Field(4"),
        ('"k": 1', '"k": 2'),
        ("return doubled", "return  2 * doubled"),
        ("def fit(self, X)", "def fit(self, X, y=None)"),
        ("from typing import TYPE_CHECKING", "from typing import TYPE_CHECKING, Any"),
    ],
)
def test_what_can_change_a_result_counts(mine, old, new):
    before = of_mine()
    edit(mine, (old, new))
    assert of_mine() != before


def test_what_a_module_imports_counts_at_any_depth(mine):
    before = of_mine()
    other = mine.with_name("other.py")
    other.write_text("from consclust.mine.third import FACTOR\n\n\ndef doubled(x):\n    return FACTOR * x\n")
    third = mine.with_name("third.py")
    third.write_text("FACTOR = 2\n")
    deeper = of_mine()
    third.write_text("FACTOR = 3\n")
    assert len({*before, *deeper, *of_mine()}) == 3


def test_a_late_import_counts(mine):
    edit(mine, ("        # first\n", "        from consclust.mine import third\n"))
    mine.with_name("third.py").write_text("X = 1\n")
    before = of_mine()
    mine.with_name("third.py").write_text("X = 2\n")
    assert of_mine() != before


def test_a_file_that_moves_does_not_count(mine):
    before = of_mine()
    mine.with_name("other.py").rename(mine.with_name("elsewhere.py"))
    edit(mine, ("consclust.mine.other", "consclust.mine.elsewhere"))
    assert of_mine() == before


def test_what_consensus_jobs_share_counts(package):
    before = prints()
    edit(package / "ensemble.py", ("MISSING = -1", "MISSING = -2"))
    assert not {*before} & {*prints()}


def test_what_all_jobs_share_in_words_does_not_count(package):
    before = prints()
    for name in ("ensemble.py", "methods/base.py", "consensus/run.py"):
        path = package / name
        text = path.read_text().replace('"""', '"""Another word. ', 1)
        path.write_text("# a comment\n" + text + "\n# another\n")
    assert prints() == before


@pytest.mark.parametrize(
    ("stage", "later"),
    [
        ("consclust.datasets.prepared", ("ensembles", "consensus", "scores", "reports", "plan")),
        ("consclust_studies.stages.base_clusterings", ("consensus", "methods", "scores", "reports", "plan")),
        (RUN, ("scores", "reports", "plan")),
        ("consclust_studies.stages.score", ("reports", "plan")),
        ("consclust_studies.stages.collect", ("reports", "plan")),
        ("consclust_studies.stages.unseen_objects", ("reports", "plan")),
        ("consclust_studies.document.command", ("plan",)),
    ],
)
def test_a_stage_does_not_depend_on_later_ones(stage, later):
    closure = module._closure((stage,))
    assert stage in closure
    assert not [name for name in closure if name.startswith(tuple(f"consclust.{word}" for word in later))]


def test_all_modules_of_the_package_can_be_read():
    for path in module.PACKAGE.rglob("*.py"):
        name = ".".join(["consclust", *path.relative_to(module.PACKAGE).with_suffix("").parts]).removesuffix(
            ".__init__"
        )
        assert len(module._meaning(name)[0]) == 64


@pytest.mark.parametrize(
    "path",
    [
        "datasets/readers/arff.py",
        "datasets/preprocessing/steps.py",
        "datasets/preprocessing/text.py",
        "ensembles/mixed.py",
    ],
)
def test_what_another_job_chooses_by_name_does_not_count(package, path):
    jobs = (
        ("consclust.datasets.prepared", "consclust.readers.matlab", "consclust.datasets.preprocessing.scaling"),
        ("consclust_studies.stages.base_clusterings", "consclust.ensembles.kmeans"),
    )
    forget()
    before = [module.fingerprint(*job) for job in jobs]
    (package / path).write_text((package / path).read_text() + "\nX = 1\n")
    forget()
    assert [module.fingerprint(*job) for job in jobs] == before


def test_what_a_job_chooses_by_name_counts(package):
    chosen = ("consclust.datasets.prepared", "consclust.datasets.preprocessing.text")
    before = prints(*chosen)
    (package / "datasets/preprocessing/scaling.py").write_text("X = 1\n")
    assert prints(*chosen) != before, "a step of the text file scales rows"


def test_how_steps_are_applied_counts(package):
    prepared = ("consclust.datasets.prepared", "consclust.readers.matlab")
    before = prints(*prepared)
    edit(package / "datasets/preprocessing/__init__.py", ("X = function(step)(X)", "X = function(step)(X) + 1"))
    assert prints(*prepared) != before


def test_what_a_module_always_uses_counts(package):
    before = prints("consclust_studies.stages.unseen_objects")
    path = package / "ensembles/kmeans.py"
    path.write_text(path.read_text() + "\nX = 1\n")
    assert prints("consclust_studies.stages.unseen_objects") != before
