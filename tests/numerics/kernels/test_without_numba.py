"""Where numba cannot be imported, the loops run as plain Python, and one warning says why."""

import subprocess
import sys

import pytest

CODE = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import consclust
    labels = consclust.methods.LWEA(2).fit([[0, 0], [0, 1], [1, 1]]).labels_
    import consclust.numerics.kernels.pairs
print(*[str(warning.message) for warning in caught], sep="\\n")
print(labels.tolist())
"""
BROKEN = "raise ImportError('Numba needs NumPy 2.3 or less. Got NumPy 2.4.')"
ABSENT = "raise ModuleNotFoundError(\"No module named 'numba'\", name='numba')"


@pytest.mark.long
@pytest.mark.parametrize(
    ("state", "remedy"),
    [(BROKEN, "install a numba that fits"), (ABSENT, 'pip install "consclust[fast]"')],
    ids=["broken", "absent"],
)
def test_a_numba_that_cannot_be_imported_stops_nothing(tmp_path, monkeypatch, state, remedy):
    (tmp_path / "numba.py").write_text(state)
    monkeypatch.syspath_prepend(tmp_path)
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{CODE}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    warning, labels = done.stdout.splitlines()
    assert ("Numba needs" if state == BROKEN else "No module") in warning
    assert "plain Python" in warning
    assert remedy in warning
    assert labels in ("[0, 0, 1]", "[1, 1, 0]")
