"""MATLAB ``.mat`` files, by SciPy.

SciPy's reader can crash the interpreter on damaged bytes, so a registered file is verified by its checksum before
it is read (:func:`consclust.datasets.download.verify`). SciPy refuses other kinds of files and unpickles nothing.
"""

# SciPy and NumPy are imported where needed, so that what does without them starts faster

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from consclust.readers.common import DAMAGED, AnyReader, Raw, canonical, class_name, malformed, one_line


class MatReader(AnyReader):
    """MATLAB ``.mat`` (v7 or older), dense or sparse."""

    format: Literal["mat"]
    features: str = Field("X", description="variable with the features, objects in rows")
    classes: str | None = Field(
        "y",
        description="variable with the classes; null: the features are an array with three axes, which are the "
        "features, the objects of a class, and the classes, 1 to k",
    )

    def read(self, *paths: Path) -> Raw:
        """Read the variables."""
        path = paths[0]
        if self.classes is None:
            pixels = load_mat(path, [self.features], axes=3)[self.features].transpose(2, 1, 0)
            n_classes, objects, d = pixels.shape
            return Raw(pixels.reshape(-1, d), [str(c) for c in range(1, n_classes + 1) for _ in range(objects)])
        variables = load_mat(path, [self.features, self.classes])
        X, y = variables[self.features], variables[self.classes]
        if not hasattr(y, "ravel"):
            malformed(path, f"variable {self.classes!r}", "a sparse matrix is no list of classes")
        if y.size != X.shape[0]:
            malformed(path, "", f"{X.shape[0]} rows in {self.features}, but {y.size} classes in {self.classes}")
        return Raw(X, [class_name(value) for value in y.ravel()])


def load_mat(
    path: Path, names: Sequence[str], remedy: str = "correct reader in the registry", axes: int = 2
) -> dict[str, Any]:
    """Read real matrices (ndarray or csr_array of float64) of a verified MATLAB file, or arrays of more axes.

    InputError for another version (v7.3 is HDF5), a damaged file, a variable that is no real matrix, or one that is
    absent, with the ``remedy`` for that.
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
    import numpy as np
    from scipy import sparse

    if value.ndim != axes or value.dtype.kind not in "biuf":
        wanted = "no real matrix" if axes == 2 else f"no real array of {axes} axes"
        text = value.dtype.kind in "UO"
        remedy = "store numbers; text cannot be read here, so number the classes" if text else DAMAGED
        malformed(path, f"variable {name!r}", f"{value.dtype} of shape {value.shape}, {wanted}", remedy)
    if sparse.issparse(value):
        return canonical(sparse.csr_array(value, dtype=np.float64))
    return np.ascontiguousarray(value, dtype=np.float64)
