"""The large eigenvalues of a sequence of matrices against all of them."""

import numpy as np
import pytest

from consclust.numerics import subspace
from consclust.numerics.subspace import LargeEigenvalues

N, LEAST = 80, 1e-4
BASIS = np.linalg.qr(np.random.default_rng(1).standard_normal((N, N)))[0]
LARGE = np.array([5.0, -3.0, 2.0, 2.0, 1.0, -0.1, 0.01])


def matrix_of(values, vectors=BASIS):
    vectors = vectors[:, : len(values)]
    matrix = (vectors * values) @ vectors.T
    return (matrix + matrix.T) / 2


def drifting(steps):
    """Yield matrices that converge to one of rank seven."""
    random = np.random.default_rng(2)
    noise = random.standard_normal((N, N))
    for step in range(steps):
        yield matrix_of(LARGE) + 10.0 ** (-6 - step) * (noise + noise.T)


def assert_are_the_large_ones_of(found, matrix):
    spectra = []
    for some, columns in (np.linalg.eigh(matrix), found):
        large = np.abs(some) > LEAST * np.abs(some).max()
        spectra.append((np.sort(some[large]), (columns[:, large] * some[large]) @ columns[:, large].T))
    assert spectra[0][0] == pytest.approx(spectra[1][0], abs=1e-12)
    assert spectra[0][1] == pytest.approx(spectra[1][1], abs=1e-12)


@pytest.fixture
def sizes(monkeypatch):
    """The sizes of the matrices of which all eigenvectors are computed by NumPy."""
    seen = []

    def counting(matrix, eigh=np.linalg.eigh):
        seen.append(len(matrix))
        return eigh(matrix)

    monkeypatch.setattr(subspace, "ALL", 10)
    monkeypatch.setattr("numpy.linalg.eigh", counting)
    return seen


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_sequence_that_converges(sizes, scale):
    large = LargeEigenvalues(LEAST)
    for number, matrix in enumerate(drifting(9)):
        sizes.clear()
        values, vectors = large.find(scale * matrix)
        assert (N in sizes) == (number < 3), "all while there is noise above the least, then those of a subspace"
        assert_are_the_large_ones_of((values / scale, vectors), matrix)


def test_an_eigenvector_beside_the_subspace_is_not_missed(sizes):
    large = LargeEigenvalues(LEAST)
    for size in (0.0, 1e-12, 2e-3, 50.0):
        matrix = matrix_of(np.append(LARGE, size))
        sizes.clear()
        found = large.find(matrix)
        assert (N in sizes) == (size in (0.0, 2e-3)), "from then on the basis has it"
        assert_are_the_large_ones_of(found, matrix)


@pytest.mark.parametrize("size", [1.2 * LEAST * LARGE[0], -1.2 * LEAST * LARGE[0]])
def test_one_just_above_the_least_is_not_missed(sizes, size):
    large = LargeEigenvalues(LEAST)
    large.find(matrix_of(LARGE))
    matrix = matrix_of(np.append(LARGE, size))
    assert_are_the_large_ones_of(large.find(matrix), matrix)
    assert N in sizes


def test_one_beside_a_vector_that_leaves_the_subspace_is_not_missed(sizes):
    """The last matrix had the seventh vector; this one takes it to the eighth, and has an eigenvalue for the ninth."""
    large = LargeEigenvalues(LEAST)
    large.find(matrix_of(LARGE))
    seventh, eighth = BASIS[:, 6], BASIS[:, 7]
    matrix = matrix_of([*LARGE[:6], 0.0, 0.0, 0.5]) + np.outer(seventh, eighth) + np.outer(eighth, seventh)
    assert_are_the_large_ones_of(large.find(matrix), matrix)


def test_a_matrix_that_has_little_to_do_with_the_last_one(sizes):
    large = LargeEigenvalues(LEAST)
    large.find(matrix_of(LARGE))
    other = matrix_of(1 / np.arange(1, N + 1), np.linalg.qr(np.random.default_rng(5).standard_normal((N, N)))[0])
    sizes.clear()
    assert_are_the_large_ones_of(large.find(other), other)
    assert N in sizes


def test_zeros(sizes):
    large = LargeEigenvalues(LEAST)
    for _ in range(2):
        values, _vectors = large.find(np.zeros((N, N)))
        assert not values.any()


@pytest.mark.parametrize("all_up_to", [N, subspace.ALL])
def test_few_rows_are_left_to_numpy(monkeypatch, all_up_to):
    monkeypatch.setattr(subspace, "ALL", all_up_to)
    large = LargeEigenvalues(LEAST)
    for matrix in drifting(9):
        for found, expected in zip(large.find(matrix), np.linalg.eigh(matrix), strict=True):
            assert np.array_equal(found, expected)
