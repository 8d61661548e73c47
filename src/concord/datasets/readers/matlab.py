"""MATLAB ``.mat`` files, by SciPy.

SciPy's reader can crash the interpreter on damaged bytes. Therefore the checksum of a registered file is
verified before it is read (:func:`concord.datasets.download.verify`: when it is fetched, and again in
``prepare``). What can still be wrong is the kind or version of a whole file, which SciPy refuses.
It unpickles nothing.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from concord.datasets.readers.common import Raw, canonical, class_name, malformed, one_line


def read_mat(path: Path, *, features: str, classes: str | None) -> Raw:
    """Read the variables named ``features`` (objects in rows) and ``classes``."""
    if classes is None:
        return _by_class(path, features)
    variables = load_mat(path, (features, classes))
    X, y = variables[features], variables[classes]
    if sparse.issparse(y):
        malformed(path, f"variable {classes!r}", "a sparse matrix is no list of classes")
    if y.size != X.shape[0]:
        malformed(path, "", f"{X.shape[0]} rows in {features}, but {y.size} classes in {classes}")
    return Raw(X, [class_name(value) for value in y.ravel()])


def _by_class(path: Path, name: str) -> Raw:
    """Read an array of shape (features, objects of a class, classes)."""
    stored = load_mat(path, (name,), axes=3)[name]
    features, objects, classes = stored.shape
    return Raw(
        np.ascontiguousarray(stored.transpose(2, 1, 0).reshape(-1, features)),
        [str(number) for number in range(1, classes + 1) for _ in range(objects)],
    )


def load_mat(
    path: Path, names: Sequence[str], remedy: str = "correct reader in the registry", axes: int = 2
) -> dict[str, Any]:
    """Read real matrices of a MATLAB file, or arrays of more axes.

    Parameters
    ----------
    path : Path
        A file of MATLAB v7 or older, verified: see the module.
    names : sequence of str
        The variables.
    remedy : str
        What to do if a variable is absent.

    Returns
    -------
    dict of str to (ndarray or csr_array) of float64

    Raises
    ------
    InputError
        Another version (v7.3 is HDF5), a damaged file, or a variable is absent or no real matrix.
    """
    from scipy.io import loadmat, whosmat

    try:
        with path.open("rb") as stream, warnings.catch_warnings():
            warnings.filterwarnings("error", "Unreadable variable")  # else its value is a message
            present = [name for name, *_ in whosmat(stream)]
            stored = loadmat(stream, variable_names=names, spmatrix=False)
    except NotImplementedError:
        malformed(path, "", "MATLAB v7.3 (HDF5); only v7 and older are read", "store it with: save -v7")
    except Exception as error:  # SciPy raises many kinds
        malformed(path, "", f"not readable as MATLAB v7 or older: {one_line(error)}")
    for name in names:
        if name not in stored:
            malformed(path, "", f"no variable {name!r} (the file has: {', '.join(present)})", remedy)
    return {name: _matrix(path, name, stored[name], axes) for name in names}


def _matrix(path: Path, name: str, value: Any, axes: int) -> Any:
    if value.ndim != axes or value.dtype.kind not in "biuf":
        wanted = "no real matrix" if axes == 2 else f"no real array of {axes} axes"
        malformed(path, f"variable {name!r}", f"{value.dtype} of shape {value.shape}, {wanted}")
    if sparse.issparse(value):
        return canonical(sparse.csr_array(value, dtype=np.float64))
    return np.ascontiguousarray(value, dtype=np.float64)
