"""Numbers that stand for numbers or rows as if drawn at random, the same on every machine."""

import numpy as np
import numpy.typing as npt

HashArray = npt.NDArray[np.uint64]


def hash_numbers(numbers: npt.NDArray[np.integer]) -> HashArray:
    """Return a number of 64 bits for each number, different for different ones, as if drawn at random.

    It is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
    """
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def hash_rows(matrix: npt.NDArray[np.integer]) -> HashArray:
    """Return a number of 64 bits for each row of a matrix, (n, m): equal for equal rows.

    Of n different rows some two have the same number with a probability of about n^2 / 2^65.
    """
    mixed = np.zeros(len(matrix), dtype=np.uint64)
    for column in matrix.T:
        mixed = hash_numbers(mixed ^ column.astype(np.uint64))
    return mixed
