"""Ensembles of every kind and in every form, and what a call may do with them: a sound answer or a clear refusal.

``make torture`` draws more: ``CONSCLUST_ENSEMBLES``.
"""

import os
import pickle
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.utils import validation

import consclust
from consclust.ensemble import Ensemble
from consclust.errors import InputError, MemoryNeeded

SOURCE = str(Path(consclust.__file__).parent)
ENSEMBLES = int(os.environ.get("CONSCLUST_ENSEMBLES", "10"))

fuzzed = settings(
    max_examples=ENSEMBLES,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""So many ensembles for a test, the same ones each time."""


@st.composite
def label_matrices(draw: st.DrawFn) -> np.ndarray:
    """Label matrices of 2 to 40 objects in 1 to 8 clusterings: alike or not, few clusters or many, some missing."""
    n, m = draw(st.integers(2, 40)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    clusters = draw(st.lists(st.one_of(st.integers(1, 4), st.integers(1, n)), min_size=m, max_size=m))
    noise, missing = draw(st.sampled_from([0.0, 0.2, 1.0])), draw(st.sampled_from([0.0, 0.0, 0.1, 0.6]))
    classes = rng.integers(max(clusters), size=(n, 1))
    labels = np.where(rng.random((n, m)) < noise, rng.integers(clusters, size=(n, m)), classes % clusters)
    labels = labels[:, rng.integers(m, size=m)] if draw(st.booleans()) else labels  # some columns twice
    if draw(st.booleans()):
        labels = labels.max() - labels
    labels *= draw(st.sampled_from([1, 1, 13, 2**40, 2**57]))
    labels += draw(st.sampled_from([0, 0, 2, 2**60]))
    labels[rng.random((n, m)) < missing] = -1
    if draw(st.sampled_from([True, True, False])):
        labels[(labels == -1).all(axis=1), 0] = 0
        labels[0, (labels == -1).all(axis=0)] = 0
    return labels


def _put(labels: np.ndarray, value: object) -> np.ndarray:
    with_value = labels.astype(object)
    with_value[-1, 0] = value
    return with_value


def _read_only(labels: np.ndarray) -> np.ndarray:
    copy = labels.copy()
    copy.flags.writeable = False
    return copy


SAME: dict[str, Callable[[np.ndarray], Any]] = {
    "array": lambda labels: labels,
    "Fortran order": np.asfortranarray,
    "every second row": lambda labels: np.repeat(labels, 2, axis=0)[::2],
    "turned round twice": lambda labels: labels[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": _read_only,
    "objects": lambda labels: labels.astype(object),
    "big-endian": lambda labels: labels.astype(">i8"),
    "frame": pd.DataFrame,
    "frame with NA": lambda labels: pd.DataFrame(labels).astype("Int64").mask(lambda frame: frame == -1).copy(),
}
"""Forms of a label matrix that mean the same."""

OTHER: dict[str, Callable[[np.ndarray], Any]] = {
    "list": lambda labels: labels.tolist(),
    "floats": lambda labels: labels.astype(float),
    "floats of 32 bits": lambda labels: labels.astype(np.float32),
    "halves": lambda labels: labels / 2,
    "booleans": lambda labels: labels > 0,
    "bytes": lambda labels: (labels % 256).astype(np.uint8),
    "unsigned": lambda labels: labels.astype(np.uint64),
    "text": lambda labels: labels.astype(str),
    "complex": lambda labels: labels.astype(complex),
    "dates": lambda labels: labels.astype("datetime64[s]"),
    "frame of text": lambda labels: pd.DataFrame(labels).astype(str),
    "a NaN": lambda labels: _put(labels, np.nan).astype(float),
    "an infinity": lambda labels: _put(labels, -np.inf).astype(float),
    "1e300": lambda labels: _put(labels, 1e300).astype(float),
    "a None": lambda labels: _put(labels, None),
    "a code": lambda labels: _put(labels, -9).astype(np.int64),
    "an integer of 100 bits": lambda labels: _put(labels, 2**100),
    "a text": lambda labels: _put(labels, "x"),
    "a list inside": lambda labels: _put(labels, [1]),
    "ragged": lambda labels: [*labels.tolist()[1:], [0] * (labels.shape[1] + 1)],
    "one clustering": lambda labels: labels[:, 0],
    "three dimensions": lambda labels: labels[None],
    "no objects": lambda labels: labels[:0],
    "no clusterings": lambda labels: labels[:, :0],
    "sparse": csr_array,
    "records": lambda labels: pd.DataFrame(labels).to_records(),
    "mapping": lambda labels: dict(enumerate(labels.tolist())),
    "a number": lambda labels: len(labels),
    "None": lambda labels: None,
}
"""Forms that lose labels, or are no label matrix."""


def given_as(labels: np.ndarray) -> st.SearchStrategy[Any]:
    """A label matrix in some form, most often in one that means the same."""
    return st.sampled_from([*list(SAME) * 9, *OTHER]).map(lambda form: {**SAME, **OTHER}[form](labels))


def answer(call: Callable[[], Any], *inputs: Any) -> Any:
    """Return what a call returns, or None where it refuses: by a statement of the project, in one line.

    No warning passes, and the inputs stay as they are.
    """
    before = _content(inputs)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)  # such as k-means with fewer distinct points than clusters
            found = call()
    except (InputError, ValueError, TypeError, MemoryNeeded) as refused:
        *_, last = traceback.extract_tb(refused.__traceback__)
        of_features = last.filename == validation.__file__  # scikit-learn's, in its own words
        if not (str(last.line).startswith("raise ") and (of_features or last.filename.startswith(SOURCE))):
            raise
        lines = str(refused).splitlines()
    else:
        return found
    finally:
        assert _content(inputs) == before
    assert lines
    assert of_features or len(lines) == 1
    return None


def _content(inputs: tuple[Any, ...]) -> bytes:
    """All that the inputs hold; frames and ensembles also keep what they have computed of themselves."""
    kept = {Ensemble: lambda ensemble: ensemble.given, pd.DataFrame: pd.DataFrame.to_csv, pd.Series: pd.Series.to_csv}
    return pickle.dumps([kept.get(type(each), lambda same: same)(each) for each in inputs])


NUMBERS_OF_CLUSTERS = st.one_of(
    *[st.integers(1, 4)] * 3,
    st.integers(1, 42),
    st.sampled_from([0, -1, 2.0, True, "3", None, np.int64(2), 2**70, np.nan]),
)
