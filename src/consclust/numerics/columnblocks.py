"""Products with a symmetric matrix that is zero at many places, wanted only where it is not."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from consclust.ensemble import FloatArray, IntArray

T = TypeVar("T", bound=np.generic)

WIDTH, MOST = 32, 6
"""Least columns of a block, and most blocks: BLAS is slow on few columns, and a block copies a part of the factor."""
WORTH = 0.5
"""Largest share of the products with the whole matrix at which blocks take less time."""


class ColumnBlocks:
    """The columns of a symmetric matrix in blocks, each with the rows in which it is not zero; one if little is zero.

    Attributes
    ----------
    places : shape (t,). Positions of the entries of all blocks, one block after the other, in the flat matrix.
    """

    def __init__(self, matrix: FloatArray) -> None:
        n, there = len(matrix), matrix != 0
        blocks = grouped(there, max(WIDTH, -(-n // MOST))) if there.mean() <= WORTH else []
        worth = sum(len(rows) ** 2 * len(columns) for rows, columns in blocks) <= WORTH * n**3
        self._blocks = blocks if worth else []
        self._shapes = [(len(rows), len(columns)) for rows, columns in self._blocks] or [matrix.shape]
        positions = np.arange(n * n).reshape(n, n)
        self.places: IntArray = np.concatenate([block.ravel() for block in self.cut(positions)])

    def cut(self, matrix: npt.NDArray[T]) -> list[npt.NDArray[T]]:
        """Return rows and columns of each block, of a matrix, (n, n)."""
        return [matrix[rows[:, None], columns] for rows, columns in self._blocks] or [matrix]

    def beside(self, factors: npt.NDArray[T]) -> list[npt.NDArray[T]]:
        """Return what each block is multiplied by, of factors (..., n, n): its rows, as rows and as columns."""
        return [factors.take(rows, axis=-2).take(rows, axis=-1) for rows, _ in self._blocks] or [factors]

    def views(self, entries: npt.NDArray[T]) -> list[npt.NDArray[T]]:
        """Return each block, (..., rows, columns), in an array of the entries of all blocks, (..., t)."""
        ends = np.cumsum([rows * columns for rows, columns in self._shapes])
        parts = np.split(entries, ends[:-1], axis=-1)
        return [part.reshape(*part.shape[:-1], *shape) for part, shape in zip(parts, self._shapes, strict=True)]


def grouped(there: npt.NDArray[np.bool_], width: int) -> list[tuple[IntArray, IntArray]]:
    """Return rows and columns of blocks of ``width`` columns; ``there``, (n, n), says what is not zero.

    A block begins with the column that has the fewest rows, and takes the one that adds the fewest as long as it can.
    """
    left, found = np.ones(len(there), dtype=bool), []
    while left.any():
        rows, columns = np.zeros(len(there), dtype=bool), list[int]()
        adds = there.sum(axis=0)
        while len(columns) < width and left.any():
            columns.append(int(np.where(left, adds, adds.size + 1).argmin()))
            left[columns[-1]] = False
            new = there[:, columns[-1]] & ~rows
            rows |= new
            adds = adds - there[new].sum(axis=0)
        found.append((np.flatnonzero(rows), np.array(columns)))
    return found
