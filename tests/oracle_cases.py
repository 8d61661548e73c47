"""Cases of reference values that several methods share, and entries of matrices in the forms that these have."""

import json
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parent / "oracles"


def read_cases(name):
    """Return the cases of a file of reference values, by name."""
    cases = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]
    return {case["name"]: case for case in cases}


def order_by_label(labels, ensemble):
    """Return the base clusters in the order of their labels, clustering by clustering, (sum of k_i,)."""
    offsets = np.cumsum(ensemble.n_clusters) - ensemble.n_clusters
    columns = []
    for j, offset in enumerate(offsets):
        _, first = np.unique(labels[:, j], return_index=True)
        columns.append(offset + ensemble.labels[first, j])
    return np.concatenate(columns)


def assert_is_matrix(matrix, expected, tolerance=1e-10):
    """Compare a symmetric matrix with its entries above the diagonal, or with its sum, norm and some rows."""
    largest = np.abs(matrix).max(initial=0)
    if "upper" in expected:
        above = matrix[np.triu_indices(len(matrix), 1)]
        assert above == pytest.approx(np.array(expected["upper"]), abs=tolerance * largest)
        assert matrix.diagonal() == pytest.approx(expected.get("diagonal", 1.0), abs=tolerance * largest)
        return
    assert matrix.sum() == pytest.approx(expected["sum"], rel=tolerance, abs=tolerance * matrix.size * largest)
    assert np.linalg.norm(matrix) == pytest.approx(expected["frobenius"], rel=tolerance, abs=tolerance)
    rows = expected.get("rows", {}) | ({"0": expected["row0"]} if "row0" in expected else {})
    for row, entries in rows.items():
        assert matrix[int(row)] == pytest.approx(np.array(entries), abs=tolerance * largest)
