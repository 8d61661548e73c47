"""Consensus by a program in any language: it reads a file with a label matrix and writes one with labels.

It is called with four arguments: the file of the label matrix, the number of clusters, the file that it must write, and
a seed. Clusters count from 1 there, as in MATLAB, Octave and R; a missing label is NaN.
"""

# SciPy is imported where needed, so that what does without it starts faster

import subprocess  # nosec B404
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from consclust.ensemble import FloatArray, IntArray

FileFormat = Literal["csv", "mat"]
LINES = 3
"""Last lines of what a program that failed has said, which the message repeats."""
LABELS = "labels"
"""The variable in MATLAB files, in both directions."""


class ProgramFailed(Exception):
    """A program ended with an error, or wrote no labels; the message says what it said."""


def run_program(words: Sequence[str], labels: IntArray, n_clusters: int, seed: int, file_format: FileFormat) -> Any:
    """Return the labels, (n,), that a program gives for a label matrix, (n, m) with -1 for a missing label.

    Raises ProgramFailed.
    """
    with TemporaryDirectory() as folder:
        given = Path(folder, f"labels.{file_format}")
        found = Path(folder, f"consensus.{file_format}")
        matrix = np.where(labels < 0, np.nan, labels + 1.0)
        _write(given, matrix, file_format)
        command = [*words, str(given), str(n_clusters), str(found), str(seed)]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, check=False)  # nosec B603
        except OSError as mistake:
            raise ProgramFailed(f"{words[0]} cannot be started: {mistake.strerror}") from mistake
        if ended.returncode != 0:
            raise ProgramFailed(f"{words[0]} ended with exit code {ended.returncode}: {_last_lines(ended.stderr)}")
        if not found.is_file():
            raise ProgramFailed(f"{words[0]} did not write the file of its third argument")
        return _read(found, len(labels), file_format)


def _write(path: Path, matrix: FloatArray, file_format: FileFormat) -> None:
    if file_format == "mat":
        from scipy.io import savemat

        savemat(path, {LABELS: matrix})
    else:
        np.savetxt(path, matrix, fmt="%g", delimiter=",")


def _read(path: Path, n: int, file_format: FileFormat) -> Any:
    """Return the numbers of a file, which must be one for each object."""
    try:
        if file_format == "mat":
            from scipy.io import loadmat

            variables = {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
            values = variables[LABELS] if LABELS in variables else next(iter(variables.values()))
        else:
            values = np.loadtxt(path, delimiter=",", ndmin=1)
    except Exception as mistake:
        raise ProgramFailed(f"the labels cannot be read: {mistake}") from mistake
    labels = np.asarray(values).ravel()
    if labels.size != n:
        raise ProgramFailed(f"{labels.size} labels for {n} objects")
    return labels


def _last_lines(text: str) -> str:
    """Return the last lines that a program wrote, or that it wrote nothing."""
    lines = text.strip().splitlines()
    return "; ".join(line.strip() for line in lines[-LINES:]) if lines else "it said nothing"
