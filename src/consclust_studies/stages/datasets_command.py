"""``python -m consclust datasets``: list, fetch, prepare."""

import argparse
from pathlib import Path

from consclust.datasets import download
from consclust.datasets.registry import REGISTRY, DatasetSpec, load_registry
from consclust.errors import InputError
from consclust.validation import did_you_mean
from consclust_studies.stages.prepare import PrepareJob


def main(argv: list[str]) -> None:
    """Run one command of this stage; :class:`InputError` says what the user has to correct."""
    parser = _parser()
    # Before Python 3.12, argparse does not assign RAW files that follow the options: they are in ``rest``.
    options, rest = parser.parse_known_args(argv)
    if rest and (options.command != "prepare" or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if options.command == "prepare":
        from consclust_studies.stages.prepare import prepare  # NumPy and SciPy: not for the other commands

        prepare(PrepareJob.of_text(options.spec, "--spec"), [*options.raw, *map(Path, rest)], options.out)
    elif options.command == "list":
        print(table(load_registry(options.registry)))
    else:
        _fetch(options, load_registry(options.registry))


def table(datasets: dict[str, DatasetSpec]) -> str:
    """What is registered, one line per data set."""
    rows: list[tuple[str, ...]] = [("id", "title", "n", "d", "k", "format", "preprocessing", "ensembles")]
    for name, spec in datasets.items():
        sizes = [str(size) for size in spec.shape] if spec.shape else ["-"] * 3
        steps = " ".join(spec.preprocessing) or "-"
        reader = spec.reader.format if spec.reader else "-"
        rows.append((name, spec.title, *sizes, reader, steps, " ".join(spec.ensembles) or "-"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def _fetch(options: argparse.Namespace, datasets: dict[str, DatasetSpec]) -> None:
    if options.dataset not in datasets:
        remedy = did_you_mean(options.dataset, list(datasets))
        raise InputError(f"{options.registry}: no data set {options.dataset!r}; {remedy}")
    spec = datasets[options.dataset]
    file = spec.file(options.file)
    if file is None:
        names = [file.name for file in spec.raw_files]
        remedy = did_you_mean(options.file, names) if names else "it needs none"
        raise InputError(f"data set {options.dataset}: no file {options.file!r}; {remedy}")
    download.fetch(options.dataset, spec, file, options.to, options.mirror, options.placed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m consclust datasets",
        description="Stage 1: fetch the files of the registered data sets and prepare features and classes.",
        epilog="Example: python -m consclust datasets fetch glass glass.data --to glass.data",
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--registry", type=Path, default=REGISTRY, help="default: %(default)s")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", parents=[shared], help="what is registered")
    fetch = commands.add_parser("fetch", parents=[shared], help="get one file; its checksum must hold")
    fetch.add_argument("dataset", metavar="DATASET", help="id of a registered data set (see list)")
    fetch.add_argument("file", metavar="FILE", help="name of the file in the registry")
    fetch.add_argument("--to", type=Path, required=True, metavar="PATH", help="where the file goes")
    fetch.add_argument("--placed", type=Path, metavar="PATH", help="where the user may have placed it, other than --to")
    first = f"the environment variable {download.MIRROR_VARIABLE} goes first"
    fetch.add_argument("--mirror", help=f"folder or URL that is tried before the public addresses; {first}")
    prepare = commands.add_parser("prepare", help="verify, read, check, preprocess, store")
    prepare.add_argument("--spec", required=True, metavar="JSON", help="a PrepareJob, as snakemake -p shows it")
    prepare.add_argument("--out", type=Path, required=True, metavar="PATH", help="the .npz to write")
    prepare.add_argument("raw", nargs="*", type=Path, metavar="RAW", help="the files, in the order of the registry")
    return parser
