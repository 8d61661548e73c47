"""``python -m concord ensembles``: base clusterings of one case of a study."""

import argparse
from pathlib import Path

from concord.datasets import prepared
from concord.datasets.download import verify
from concord.datasets.registry import MADE, load_registry
from concord.ensemble import IntArray
from concord.ensembles import store
from concord.ensembles.draws import NumberOfClusters
from concord.ensembles.ready_made import ready_made_ensemble


def main(arguments: list[str]) -> None:
    """Run the stage with command line ``arguments``."""
    parser = argparse.ArgumentParser(prog="python -m concord ensembles", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)

    made = {kind: kinds.add_parser(kind, help=text) for kind, text in MADE.items()}
    for kind in made.values():
        kind.add_argument("--case", required=True, help="id of the case; names the random stream")
        kind.add_argument("--seed", type=int, required=True)
        kind.add_argument(
            "--n-clusters",
            required=True,
            help="a number, or several with commas, taken in turn; 'classes' for the number of classes; "
            "drawn for each run: 'random', from 2 to sqrt(n), or 'random-fine', from sqrt(n) / 2 to sqrt(n)",
        )
        kind.add_argument("--max-iter", type=int, required=True, help="of k-means")
    for kind in (made["kmeans"], made["minibatch"]):
        kind.add_argument("--init", choices=["random", "k-means++"], default="random", help="first centres")
        kind.add_argument(
            "--feature-share", type=float, default=1.0, help="of the features, drawn for each run"
        )
    made["mixed"].add_argument(
        "--object-share", type=float, default=1.0, help="of the objects, drawn for each run"
    )

    ready = kinds.add_parser("ready-made", help="base clusterings that others made")
    ready.add_argument("--dataset", required=True, help="id in config/datasets.yaml")
    ready.add_argument("--name", required=True, help="which of the data set's ensembles")
    ready.add_argument("--file", type=Path, required=True, help=".mat, .npz or .csv, as registered")

    for kind in (*made.values(), ready):
        kind.add_argument("--study", required=True, help="id of the study; names the random stream")
        kind.add_argument("--runs", type=int, required=True, help="number of base clusterings")
        kind.add_argument("--subset-size", type=int, required=True, help="base clusterings in a subset")
        kind.add_argument("--draws", type=int, help="subsets drawn from the runs; without it these are split")
        kind.add_argument("--draw-seed", type=int, default=1)
        kind.add_argument("--data", type=Path, required=True, help="prepared data set (.npz)")
        kind.add_argument("--out", type=Path, required=True)

    options = parser.parse_args(arguments)
    dataset = prepared.load(options.data)
    members = (
        store.drawn(options.runs, options.subset_size, options.draws, options.draw_seed)
        if options.draws
        else store.split(options.runs, options.subset_size)
    )
    if options.kind in MADE:
        labels = _made(options, dataset, members)
    else:
        entry = load_registry()[options.dataset].ensembles[options.name]
        verify(options.file, options.dataset, entry.file)
        study = f"config/studies/{options.study}.yaml"
        labels = ready_made_ensemble(options.file, entry, dataset.y, options.runs, members, study)
    store.save(options.out, labels, dataset.y, members)


def _made(options: argparse.Namespace, dataset: prepared.Dataset, members: IntArray) -> IntArray:
    names = (options.study, options.case)
    n_clusters = _number_of_clusters(options.n_clusters, len(dataset.class_names))
    if options.kind == "mixed":
        from concord.ensembles.mixed import MixedProtocol, mixed_ensemble

        mixed = MixedProtocol(n_clusters, options.runs, options.max_iter, options.object_share)
        return mixed_ensemble(dataset.X, mixed, members, options.seed, names)
    from concord.ensembles.kmeans import KMeansProtocol, kmeans_ensemble

    how = (options.init, options.feature_share, options.kind == "minibatch")
    kmeans = KMeansProtocol(n_clusters, options.runs, options.max_iter, *how)
    return kmeans_ensemble(dataset.X, kmeans, options.seed, names)


def _number_of_clusters(words: str, n_classes: int) -> NumberOfClusters:
    if words.startswith("random"):
        return words
    numbers = tuple(n_classes if word == "classes" else int(word) for word in words.split(","))
    return numbers if len(numbers) > 1 else numbers[0]
