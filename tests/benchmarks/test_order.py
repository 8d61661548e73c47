"""The measurement of the order of the objects: CELTA as it is defined, and the page that is made of the scores."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import celta  # noqa: E402
import order  # noqa: E402
from consclust.ensemble import Ensemble  # noqa: E402
from consclust.scores import ari  # noqa: E402
from consclust.similarity import co_occurrence, over_objects  # noqa: E402
from consclust.testing import check_objects_permuted_and_repeated, check_order, l30  # noqa: E402

SCORES = ROOT / "docs" / "order" / "scores.csv"
CLASSES = np.repeat(np.arange(4), 20)


def planted():
    """20 clusterings of four classes, class by class, with a third of the labels drawn."""
    rng = np.random.default_rng(0)
    return np.where(rng.random((80, 20)) < 0.5, rng.integers(4, size=(80, 20)), CLASSES[:, None])


@pytest.mark.parametrize("n", [6, 7])
def test_singular_values_are_lowered_at_every_frequency(n):
    first, second = np.random.default_rng(n).normal(size=(2, n, n))
    low = np.stack(celta.shrink(first, second, 0.7), axis=2)
    tensor = np.fft.fft(np.stack([first, second], axis=2), axis=0)
    for frequency in range(n):
        left, values, right = np.linalg.svd(tensor[frequency], full_matrices=False)
        tensor[frequency] = (left * np.maximum(values - 0.7, 0)) @ right
    assert low == pytest.approx(np.fft.ifft(tensor, axis=0).real, abs=1e-12)


def test_celta_ends_and_keeps_its_constraints():
    ensemble = Ensemble(l30())
    together = over_objects(ensemble, co_occurrence(ensemble))
    matrix, rounds = celta.approximate(together)
    assert 50 < rounds < celta.MAX_ITER
    assert matrix == pytest.approx(matrix.T)
    assert matrix.min() > -1e-6
    assert matrix.max() < 1 + 1e-6


@pytest.mark.long
def test_celta_depends_on_the_order_and_a_contract_test_says_so():
    labels = planted()
    shuffled = np.random.default_rng(1).permutation(80)
    stored = celta.CELTA(n_clusters=4).fit_predict(labels)
    drawn = celta.CELTA(n_clusters=4).fit_predict(labels[shuffled])
    assert order.count_runs(stored) <= 6, "clusters are pieces of the file"
    assert ari(stored[shuffled], drawn) < 0.1
    for check in (check_objects_permuted_and_repeated, check_order):
        with pytest.raises(AssertionError, match="CELTA"):
            check(celta.CELTA)


def test_orders_are_compared_object_by_object():
    """A method that returns the classes agrees with itself in every order."""
    labels = np.column_stack([CLASSES, CLASSES])
    rows = list(order.measure("EAC", labels, CLASSES, 0))
    assert [row["order"] for row in rows] == ["stored", "0", "1"]
    assert all(row["ari"] == row["agreement"] == 1 for row in rows)


def test_runs_of_classes_are_counted():
    assert order.count_runs(CLASSES) == 4
    assert order.count_runs(np.array([0, 1, 0, 0])) == 3


def test_the_code_of_the_page_runs(capsys):
    page = (ROOT / "docs" / "order.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    exec("\n".join(blocks), {})
    assert capsys.readouterr().out.split() == ["1.0"] * 5


def test_the_page_has_the_table_of_the_scores():
    page = (ROOT / "docs" / "order.md").read_text(encoding="utf-8")
    assert order.write_table(SCORES) in page
