"""The smallest eigenvalues by block Krylov steps against all of them."""

import numpy as np
import pytest
from test_eigen import graph_laplacian

from consclust.numerics import eigen, krylov
from consclust.numerics.krylov import dominant, smallest


@pytest.fixture
def only_krylov(monkeypatch):
    monkeypatch.setattr(eigen, "ALL", 10)
    monkeypatch.setattr(eigen, "smallest", None)


@pytest.mark.usefixtures("only_krylov")
@pytest.mark.parametrize("sizes", [(40,), (150,), (12, 18), (9, 9, 9)])
@pytest.mark.parametrize("count", [4, 5, 12])
def test_the_smallest_are_those_of_all(sizes, count):
    matrix, null = graph_laplacian(*sizes)
    values, vectors = np.linalg.eigh(matrix)
    found = smallest(matrix, null, count)
    assert found[0] == pytest.approx(values[:count], abs=1e-12)
    assert found[1] @ found[1].T == pytest.approx(vectors[:, :count] @ vectors[:, :count].T, abs=1e-9)


@pytest.mark.usefixtures("only_krylov")
def test_an_eigenvalue_that_occurs_seven_times_is_found_seven_times():
    random = np.random.default_rng(3)
    basis = np.linalg.qr(random.standard_normal((120, 120)))[0]
    values = np.concatenate([[0, 0.1], np.full(7, 0.2), 1 + random.random(111)])
    matrix = (basis * values) @ basis.T
    found, vectors = smallest((matrix + matrix.T) / 2, basis[:, :1], 9)
    assert found == pytest.approx(values[:9], abs=1e-12)
    assert vectors @ vectors.T == pytest.approx(basis[:, :9] @ basis[:, :9].T, abs=1e-9)


@pytest.mark.parametrize("times", [8, 20])
def test_one_that_occurs_more_often_than_a_block_is_wide_is_left_to_others(monkeypatch, times):
    monkeypatch.setattr(eigen, "ALL", 10)
    values = np.concatenate([[0, 0.1], np.full(times, 0.2), 1 + np.arange(30)])
    basis = np.linalg.qr(np.random.default_rng(3).standard_normal((len(values),) * 2))[0]
    matrix = (basis * values) @ basis.T
    with pytest.raises(np.linalg.LinAlgError):
        dominant(lambda block: np.linalg.solve(matrix + basis[:, :1] @ basis[:, :1].T, block), len(matrix), 12)
    found, vectors = smallest((matrix + matrix.T) / 2, basis[:, :1], 12)
    assert found == pytest.approx(np.sort(values)[:12], abs=1e-10)
    assert matrix @ vectors == pytest.approx(vectors * found, abs=1e-9)


def test_a_space_that_ends_before_all_are_found_is_left_to_others():
    """Two eigenvalues occur twenty times each; the steps find eight vectors of each."""
    values = np.repeat([1.0, 2.0], 20)
    with pytest.raises(np.linalg.LinAlgError):
        dominant(lambda block: values[:, None] * block, len(values), 30)


@pytest.mark.long
@pytest.mark.parametrize("name", ["MOST", "CONVERGED"])
def test_where_steps_do_not_converge_lanczos_does_it(monkeypatch, name):
    matrix, null = graph_laplacian(60)
    monkeypatch.setattr(eigen, "ALL", 10)
    monkeypatch.setattr(krylov, name, 10 if name == "MOST" else 0.0)
    monkeypatch.setattr(krylov, "EPS", krylov.EPS if name == "MOST" else 0.0)
    assert smallest(matrix, null, 4)[0] == pytest.approx(np.linalg.eigvalsh(matrix)[:4], abs=1e-12)


def test_vectors_that_are_none_are_not_taken(monkeypatch):
    matrix, null = graph_laplacian(30)
    monkeypatch.setattr(eigen, "ALL", 10)
    monkeypatch.setattr(krylov, "dominant", lambda operator, n, count: np.eye(n)[:, :count])
    assert smallest(matrix, null, 4)[0] == pytest.approx(np.linalg.eigvalsh(matrix)[:4], abs=1e-12)
