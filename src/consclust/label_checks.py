"""What is refused of the labels in a label matrix."""

from typing import Any

import numpy as np
import numpy.typing as npt


def refuse_codes(matrix: npt.NDArray[Any]) -> None:
    """Raise ValueError for labels below -1, which are most likely codes of a missing label."""
    least = matrix.min()
    if least < -1:
        what = f"labels are 0 or more, or -1 for an object missing from a clustering, got {least}"
        raise ValueError(f"{what}; write -1 for a missing label, and number the clusters from 0")


def refuse_unsigned(labels: Any) -> None:
    """Raise ValueError for nullable unsigned integers of a data frame that are no integers of 64 bits with a sign.

    pandas would wrap them around: 2^64 - 1 would become -1, a missing label.
    """
    for i, dtype in enumerate(labels.dtypes if hasattr(labels, "isetitem") else ()):
        if not hasattr(dtype, "na_value") or dtype.kind != "u":
            continue
        column = labels.iloc[:, i].dropna().to_numpy("uint64")
        outside = column[column > np.iinfo(np.int64).max]
        if outside.size:
            raise ValueError(f"labels must be integers of 64 bits, got {outside[0]} as {dtype}; recode them")
