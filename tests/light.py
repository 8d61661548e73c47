"""What the light installation must do, run by test_light_install.py where only its packages can be imported.

Argument: JSON of the packages to hide. Prints JSON: what the methods answered, scores, and what was said where an extra
is needed.
"""

import contextlib
import io
import json
import sys
import tempfile
import warnings
from pathlib import Path


class Hidden:
    def __init__(self, packages):
        self.packages = frozenset(packages)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if __name__ == "__main__":
    sys.meta_path.insert(0, Hidden(json.loads(sys.argv[1])))

import numpy as np  # noqa: E402

import concord  # noqa: E402
from concord import __main__ as stages  # noqa: E402
from concord import testing  # noqa: E402
from concord.datasets.job import PrepareJob  # noqa: E402
from concord.datasets.prepared import prepare  # noqa: E402
from concord.datasets.registry import load_registry  # noqa: E402
from concord.ensembles.kmeans import KMeansProtocol, kmeans_ensemble  # noqa: E402
from concord.scores.metrics import score_all  # noqa: E402

HALF = testing.l30()[::2]
TALL = np.column_stack([np.arange(30) % 5, np.arange(30) // 5])
FITS = {
    **{name: (name, HALF, {}) for name in concord.methods.names()},
    "KC, more profiles than clusters": ("KC", TALL, {}),
    "PEACE, pairwise": ("PEACE", HALF, {"algorithm": "pairwise"}),
}
"""Method, label matrix, parameters."""


def answers():
    """The labels and the matrices of every fit."""
    found = {}
    for fit, (name, labels, parameters) in FITS.items():
        method = testing.fit(concord.methods.load(name), 3, labels, **parameters)
        matrices = [getattr(method, matrix) for matrix in method.matrices]
        full = [(matrix() if callable(matrix) else matrix).tolist() for matrix in matrices]
        found[fit] = {"labels": method.restart_labels_.tolist(), "matrices": full}
    return found


def path_without_classes():
    """Features, base clusterings, a consensus, its stability; then a score."""
    entry = load_registry(Path("config/datasets.yaml"))["iris"]
    with tempfile.TemporaryDirectory() as folder:
        iris = prepare(PrepareJob.of("iris", entry, ("minmax",)), [], Path(folder, "iris.npz"))
    labels = kmeans_ensemble(iris.X, KMeansProtocol(n_clusters=5, runs=6, max_iter=20), 0, ("light", "iris"))
    consensus = concord.LWEA(3).fit_predict(labels)
    stability = concord.diagnostics.bootstrap_stability(labels, concord.LWEA(3), draws=3)
    quality = concord.diagnostics.quality(concord.Ensemble(labels))
    assert stability.share.shape == (150,)
    assert quality.shape == (6,)
    return score_all(iris.y, consensus)


def said(door, *arguments):
    try:
        door(*arguments)
    except ImportError as error:
        return str(error)


def printed(*arguments):
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        assert stages.main(arguments) == 1
    return errors.getvalue()


def main():
    """The answers, scores, and what is said where an extra is needed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = answers()
    doors = {
        "fast": "\n".join(str(warning.message) for warning in caught),
        "parquet": said(concord.Ensemble.from_parquet, "labels.parquet"),
        "plot": said(concord.diagnostics.choose_k, HALF),
        "report": printed("reports", "document", "--spec", "{}", "--out", "report.pdf"),
        "test": said(testing.check_kinds_of_input, concord.EAC),
        "workflow": printed("labels", "sizes", "--out", "sizes.csv", "piece.parquet"),
    }
    return {"answers": found, "scores": path_without_classes(), "doors": doors}


if __name__ == "__main__":
    print(json.dumps(main()))
