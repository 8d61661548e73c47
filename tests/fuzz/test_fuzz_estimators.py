"""Label matrices in every form, scores of any labels, and the estimator on any features: an answer or a refusal."""

import math

import numpy as np
import pandas as pd
import pytest
from hostile import OTHER, SAME, answer, fuzzed, label_matrices
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.cluster import DBSCAN, KMeans

from consclust import EnsembleClustering, scores
from consclust.ensemble import Ensemble

pytestmark = pytest.mark.long


@fuzzed
@given(label_matrices())
def test_a_label_matrix_means_the_same_in_every_form(labels):
    ensemble = answer(lambda: Ensemble(labels), labels)
    for form, made in SAME.items():
        same = made(labels)
        found = answer(lambda same=same: Ensemble(same), same)
        assert (found is None) == (ensemble is None), form
        assert found is None or np.array_equal(found.given, ensemble.given), form


@pytest.mark.parametrize("form", OTHER)
@fuzzed
@given(label_matrices())
def test_another_form_is_refused_or_holds_whole_numbers(form, labels):
    other = OTHER[form](labels)
    found = answer(lambda: Ensemble(other), other)
    assert found is None or found.given.dtype == np.int64


def mixed(labels):
    objects = labels.astype(object)
    objects[0] = "x"
    return objects


KINDS = {
    "integers": lambda labels: labels,
    "list": lambda labels: labels.tolist(),
    "text": lambda labels: labels.astype(str),
    "bytes": lambda labels: labels.astype("S"),
    "series": pd.Series,
    "categories": lambda labels: pd.Series(labels).astype("category"),
    "booleans": lambda labels: labels > 0,
    "large": lambda labels: labels * 2**50 - 2**60,
    "floats": lambda labels: labels / 3,
    "objects": lambda labels: labels.astype(object),
    "dates": lambda labels: labels.astype("datetime64[s]"),
    "numbers and text": mixed,
    "NaN": lambda labels: np.where(labels == 0, math.nan, labels),
    "not a time": lambda labels: np.r_[np.datetime64("NaT", "s"), labels[1:].astype("datetime64[s]")],
    "missing": lambda labels: np.r_[-1, labels[1:]],
    "a None": lambda labels: [None, *labels[1:].tolist()],
    "NA": lambda labels: pd.Series([None, *labels[1:]], dtype="Int64"),
    "one less": lambda labels: labels[1:],
    "column": lambda labels: labels[:, None],
    "number": len,
    "ragged": lambda labels: [[0], *labels[1:].tolist()],
    "no objects": lambda labels: labels[:0],
}
RANGES = {"ami": (-1, 1), "ari": (-0.5, 1), "score_all": (-0.5, 1)}


@pytest.mark.parametrize("name", scores.__all__)
@fuzzed
@given(data=st.data())
def test_a_score_is_in_its_range_or_refused(name, data):
    n, rng = data.draw(st.integers(1, 40)), np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    y, labels = (rng.integers(data.draw(st.sampled_from([1, 2, 3, n])), size=n) for _ in range(2))
    forms = [KINDS[data.draw(st.sampled_from(list(KINDS)))](each) for each in (y, labels)]
    score = getattr(scores, name)
    found = answer(lambda: score(*forms), *forms)
    plain = score(y, labels)
    low, high = RANGES.get(name, (0, 1))
    for value in plain.values() if name == "score_all" else [plain]:
        assert low <= value <= high
    if name != "score_all":
        assert low <= plain <= high
        order = rng.permutation(n)
        assert score(y[order], 100 - labels[order]) == pytest.approx(plain, rel=1e-12, abs=1e-14)
        assert found is None or low <= found <= high


def features_for(n, rng):
    numbers = rng.normal(size=(n, 3))
    return {
        "array": numbers,
        "float32": numbers.astype(np.float32),
        "integers": np.round(3 * numbers).astype(int),
        "list": numbers.tolist(),
        "frame": pd.DataFrame(numbers, columns=["a", "b", "c"]),
        "sparse": csr_array(np.round(numbers)),
        "Fortran order": np.asfortranarray(numbers),
        "every second row": np.repeat(numbers, 2, axis=0)[::2],
        "few distinct": np.round(numbers[:, :1]),
        "constant": np.ones((n, 2)),
        "large": 1e150 * numbers,
        "1e300": 1e300 * numbers,
        "tiny": 1e-300 * numbers,
        "booleans": numbers > 0,
        "text": numbers.astype(str),
        "words": np.full((n, 2), "red"),
        "complex": numbers.astype(complex),
        "NaN": np.where(numbers > 2, math.nan, numbers),
        "infinity": np.where(numbers > 1, math.inf, numbers),
        "one column": numbers[:, 0],
        "three dimensions": numbers[None],
        "no objects": numbers[:0],
        "one object": numbers[:1],
        "no features": numbers[:, :0],
        "None": None,
    }


OPTIONS = {
    "n_clusters": [None, 1, 2, 2, 3, 3, 40, 0, -1, 2.0, "3"],
    "base": [None, None, KMeans(2, n_init=1), [DBSCAN(0.5), KMeans(2, n_init=1)], DBSCAN(1e-9), [], "kmeans"],
    "consensus": ["LWEA", "KC", "EAC", "BCE", "SSCE", "RCE", "MCLA", "CSPA", "none"],
    "base_clusters": ["random", "random", "sqrt", "random-fine", 2, [2, 3], 40, 0, -1, "many", []],
    "runs": [3, 3, 5, 1, 0, -1],
    "object_fraction": [1.0, 1.0, 0.7, 0.01, 0.0, 1.5, math.nan],
    "feature_fraction": [1.0, 1.0, 0.5, 0.01, 0.0, 1.5, math.nan],
    "random_state": [0, 0, None, np.random.RandomState(0), -1, 2**40],
}


@fuzzed
@given(data=st.data())
def test_the_estimator_answers_or_refuses(data):
    n, rng = data.draw(st.integers(2, 30)), np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    forms = features_for(n, rng)
    X = forms[data.draw(st.sampled_from([*list(forms)[:9] * 4, *forms]))]
    changed = data.draw(st.lists(st.sampled_from(list(OPTIONS)), max_size=3, unique=True))
    options = {"n_clusters": 2, "runs": 3} | {name: data.draw(st.sampled_from(OPTIONS[name])) for name in changed}
    found = answer(lambda: EnsembleClustering(**options).fit(X), X)
    if found is None:
        return
    k = found.consensus_.n_clusters
    assert (found.labels_.shape, found.labels_.dtype) == ((n,), np.int64)
    assert set(found.labels_) <= set(range(k))
    predicted = answer(lambda: found.predict(X), X)
    assert predicted is None or (predicted.shape == (n,) and set(predicted) <= set(range(k)))
    score = answer(lambda: found.score(X), X)
    assert score is None or -1 <= score <= 1
    if isinstance(options.get("random_state", 0), int):
        assert np.array_equal(EnsembleClustering(**options).fit_predict(X), found.labels_)
