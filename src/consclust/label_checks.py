"""What is refused of the labels in a label matrix."""

from typing import Any

import numpy.typing as npt


def refuse_codes(matrix: npt.NDArray[Any]) -> None:
    """Raise ValueError for labels below -1, which are most likely codes of a missing label."""
    least = matrix.min()
    if least < -1:
        what = f"labels are 0 or more, or -1 for an object missing from a clustering, got {least}"
        raise ValueError(f"{what}; write -1 for a missing label, and number the clusters from 0")
