"""The graph of cosines of many rows against that of few."""

import numpy as np
import pytest

from consclust.numerics import cosines, spectral


def test_many_rows_have_the_graph_of_few(monkeypatch):
    random = np.random.default_rng(1)
    vectors, singular = random.standard_normal((30, 6)), np.array([1, 0.5, 1e-3, 2e-4, 0.9e-4, 0])
    vectors[7] = 0
    expected = spectral.cosine_graph(vectors, singular)
    assert np.array_equal(cosines.cosine_graph(vectors, singular), expected)
    monkeypatch.setattr(cosines, "ALL", 10)
    assert cosines.cosine_graph(vectors, singular) == pytest.approx(expected, abs=1e-14)
    assert not expected[7].any()
