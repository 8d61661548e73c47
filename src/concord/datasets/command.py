"""``python -m concord datasets``: list, fetch, prepare."""

import argparse
from pathlib import Path

from concord.datasets import download
from concord.datasets.registry import REGISTRY, DatasetSpec, check_steps, load_registry
from concord.errors import InputError
from concord.validation import did_you_mean


def main(argv: list[str]) -> None:
    """Run one command of this stage.

    Raises
    ------
    InputError
        Whatever the user has to put right.
    """
    parser = _parser()
    # Before Python 3.12, argparse gives RAW files that follow the options to nobody: they are in ``rest``.
    options, rest = parser.parse_known_args(argv)
    if rest and (options.command != "prepare" or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    datasets = load_registry(options.registry)
    if options.command == "list":
        print(table(datasets))
        return
    if options.dataset not in datasets:
        remedy = did_you_mean(options.dataset, list(datasets))
        raise InputError(f"{options.registry}: no data set {options.dataset!r}; {remedy}")
    spec = datasets[options.dataset]
    if options.command == "fetch":
        _fetch(options, spec)
    else:
        _prepare(options, spec, [*options.raw, *map(Path, rest)])


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


def _fetch(options: argparse.Namespace, spec: DatasetSpec) -> None:
    file = spec.file(options.file)
    if file is None:
        names = [file.name for file in spec.raw_files]
        remedy = did_you_mean(options.file, names) if names else "it needs none"
        raise InputError(f"data set {options.dataset}: no file {options.file!r}; {remedy}")
    download.fetch(options.dataset, spec, file, options.to, options.mirror)


def _prepare(options: argparse.Namespace, spec: DatasetSpec, raw: list[Path]) -> None:
    if options.steps is None:
        steps = spec.preprocessing
    elif options.steps in ("", "raw"):
        steps = ()
    else:
        steps = check_steps((word.strip() for word in options.steps.split(",")), "--steps")

    from concord.datasets.prepared import prepare  # NumPy and SciPy: not for the other commands

    prepare(options.dataset, spec, raw, steps, options.out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m concord datasets",
        description="Stage 1: fetch the files of the registered data sets and prepare features and classes.",
        epilog="Example: python -m concord datasets prepare iris --steps zscore --out iris.npz",
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--registry", type=Path, default=REGISTRY, help="default: %(default)s")
    one = argparse.ArgumentParser(add_help=False, parents=[shared])
    one.add_argument("dataset", metavar="DATASET", help="id of a registered data set (see list)")
    getting = argparse.ArgumentParser(add_help=False)
    getting.add_argument("--to", type=Path, required=True, metavar="PATH", help="where the file goes")
    getting.add_argument(
        "--mirror",
        help="folder or URL that is tried before the public addresses; the environment variable "
        f"{download.MIRROR_VARIABLE} goes first",
    )

    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", parents=[shared], help="what is registered")
    fetch = commands.add_parser("fetch", parents=[one, getting], help="get one file; its checksum must hold")
    fetch.add_argument("file", metavar="FILE", help="name of the file in the registry")
    prepare = commands.add_parser("prepare", parents=[one], help="verify, read, check, preprocess, store")
    prepare.add_argument(
        "--steps", metavar="A,B", help="preprocessing, in order; 'raw' or '': none; default: the registry's"
    )
    prepare.add_argument("--out", type=Path, required=True, metavar="PATH", help="the .npz to write")
    prepare.add_argument(
        "raw", nargs="*", type=Path, metavar="RAW", help="the data set's files, in the order of the registry"
    )
    return parser
