"""``python -m concord ensembles``: base clusterings of one case of a study."""

import argparse
from pathlib import Path

from concord.datasets import prepared
from concord.datasets.download import verify
from concord.datasets.registry import load_registry
from concord.ensembles import store
from concord.ensembles.ready_made import ready_made_ensemble


def main(arguments: list[str]) -> None:
    """Run the stage with command line ``arguments``."""
    parser = argparse.ArgumentParser(prog="python -m concord ensembles", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)

    kmeans = kinds.add_parser("kmeans", help="k-means from random objects")
    kmeans.add_argument("--case", required=True, help="id of the case; names the random stream")
    kmeans.add_argument("--seed", type=int, required=True)
    kmeans.add_argument(
        "--n-clusters",
        required=True,
        help="a number, 'classes' for the number of classes, 'random' for 2 to sqrt(n), drawn for each run",
    )
    kmeans.add_argument("--max-iter", type=int, required=True)
    kmeans.add_argument("--init", choices=["random", "k-means++"], default="random", help="first centres")
    kmeans.add_argument(
        "--feature-share", type=float, default=1.0, help="of the features, drawn for each run"
    )

    ready = kinds.add_parser("ready-made", help="base clusterings that others made")
    ready.add_argument("--dataset", required=True, help="id in config/datasets.yaml")
    ready.add_argument("--name", required=True, help="which of the data set's ensembles")
    ready.add_argument("--file", type=Path, required=True, help=".mat, .npz or .csv, as registered")

    for kind in (kmeans, ready):
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
    if options.kind == "kmeans":
        from concord.ensembles.kmeans import KMeansProtocol, kmeans_ensemble

        words = {"classes": len(dataset.class_names), "random": None}
        n_clusters = words[options.n_clusters] if options.n_clusters in words else int(options.n_clusters)
        protocol = KMeansProtocol(
            n_clusters, options.runs, options.max_iter, options.init, options.feature_share
        )
        labels = kmeans_ensemble(dataset.X, protocol, options.seed, (options.study, options.case))
    else:
        entry = load_registry()[options.dataset].ensembles[options.name]
        verify(options.file, options.dataset, entry.file)
        study = f"config/studies/{options.study}.yaml"
        labels = ready_made_ensemble(options.file, entry, dataset.y, options.runs, members, study)
    store.save(options.out, labels, dataset.y, members)
