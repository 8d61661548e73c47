"""What the commands share: options, and the base clusterings that these describe."""

import ast
import functools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from consclust.cli.terminal import make_printable
from consclust.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from consclust.cli.own_files import Matrix
    from consclust.ensemble import Ensemble, FloatArray, IntArray
    from consclust.known_classes import KnownClasses
    from consclust.methods.base import ConsensusMethod

Command = Callable[..., Any]

EMPTY = "this range is empty; write the smaller number first"
MOST = 10_000  # Of runs, draws and halves
SQRT_NEEDS = 4  # objects, for two clusters
RULES = ("sqrt", "random")  # Of consclust.ensembles.kmeans
OF_BASE = ("base", "linkage", "distance", "object_fraction", "feature_fraction")  # How features are clustered
OF_ALGORITHMS = {"linkage": ("agglomerative",), "distance": ("agglomerative", "pam")}
ARGUMENTS = {
    "n_clusters": "--base-k",
    "algorithms": "--base",
    "metric": "--distance",
    "object_fraction": "--object-fraction",
    "feature_fraction": "--feature-fraction",
}
"""Of consclust.ensembles.from_algorithms, and the options for them."""
FILE = click.Path(exists=True, path_type=Path)
OUT = click.Path(path_type=Path)

seed = click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="Random seed.")
jobs = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes; no result depends on it."
)
n_clusters = click.option("-k", "n_clusters", type=click.IntRange(1), required=True, help="Number of clusters.")
folds = click.option(
    "--folds", type=click.IntRange(2), default=5, show_default=True, help="Parts that are held out in turn."
)
settings = click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Parameter of the method; may be repeated."
)


def repeats(name: str, least: int, default: int, text: str) -> Callable[[Command], Command]:
    """Return the option of how often something is repeated."""
    return click.option(f"--{name}", type=click.IntRange(least, MOST), default=default, show_default=True, help=text)


halves = repeats("halves", 1, 20, "Random halves of the labels.")
nulls = repeats("nulls", 0, 19, "Draws without clusters; 0: none.")


class Number(click.FloatRange):
    """A number of an option within a range; NaN is refused, which no comparison with a limit finds."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of a text; click.BadParameter for what is none, or outside."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is no number; give one", param, ctx)
        return number


class Data(NamedTuple):
    """Base clusterings, from a file or of the features in it."""

    ensemble: "Ensemble"
    features: "FloatArray | None"  # Shape (n, d)
    ids: "npt.NDArray[Any]"  # Of the objects, shape (n,)
    names: list[str]  # Of the base clusterings
    classes: "KnownClasses | None" = None
    feature_names: Sequence[str] = ()

    def keep(self, objects: "IntArray | None") -> "Data":
        """Return the same of some of the objects, by their numbers; None: of all."""
        from consclust.diagnostics.stability import contain_any, keep_objects

        if objects is None:
            return self
        kept = contain_any(self.ensemble, objects)
        return self._replace(
            ensemble=keep_objects(self.ensemble, objects),
            features=None if self.features is None else self.features[objects],
            ids=self.ids[objects],
            names=[name for name, is_kept in zip(self.names, kept, strict=True) if is_kept],
            classes=None if self.classes is None else self.classes.keep(objects),
        )


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file, and how it is read."""

    path: Path
    features: bool
    runs: int
    base_k: str
    base: str
    linkage: str
    distance: str
    object_fraction: float
    feature_fraction: float
    scale: bool
    header: bool | None
    decimal: str
    ids: str | None
    no_ids: bool
    truth: str | None
    drop: tuple[str, ...]
    missing: tuple[str, ...]
    transposed: bool | None
    indicator: bool
    long: bool | None
    variable: str | None

    def table(self) -> "Matrix":
        """Return the label matrix, (n, m), or the features, (n, d); InputError for a mistake."""
        from consclust.cli.own_files import read_features, read_labels
        from consclust.readers.layout import Layout

        layout = Layout(
            header=self.header,
            comments=True,
            decimal=self.decimal,
            ids=self.ids,
            no_ids=self.no_ids,
            classes=None if self.truth_is_file else self.truth,
            all_have_classes=False,
            drop=self.drop,
            codes=self.missing,
            transposed=self.transposed,
            indicator=self.indicator,
            long=self.long,
            variable=self.variable,
        )
        read = functools.partial(read_features, scale=self.scale) if self.features else read_labels
        try:
            return read(self.path, layout)
        except MemoryError:
            remedy = "give fewer objects, a .parquet or .npy file that is read in passes, or use a larger machine"
            raise MemoryError(f"{self.path}: not enough memory to read it; {remedy}") from None

    def read(self, seed: int) -> Data:
        """Return the base clusterings: of the file, or of the features in it; InputError for a mistake."""
        from consclust.ensemble import Ensemble

        found = self.table()
        classes = self._read_classes(found)
        if self.features:
            names = [f"run {run + 1}" for run in range(self.runs)]
            data = Data(self._cluster(found.values, seed), found.values, found.ids, names, classes, found.names)
        else:
            data = Data(Ensemble(found.values), None, found.ids, found.names, classes)
        self._report_size(data)
        return data

    @property
    def truth_is_file(self) -> bool:
        """Whether the true classes are in a file of their own, and not in a column."""
        from consclust.readers.conversions import CONVERTED
        from consclust.readers.layout import SUFFIXES

        if self.truth is None:
            return False
        path = Path(self.truth)
        return path.suffix.lower() in (*SUFFIXES, *CONVERTED) and path.is_file()

    def _read_classes(self, found: "Matrix") -> "KnownClasses | None":
        """Return the known classes of the objects: of a column, or of a file of classes; None if there are none."""
        from consclust.cli.own_files import read_known_classes
        from consclust.known_classes import KnownClasses

        if self.truth is None:
            return None
        if self.truth_is_file:
            return KnownClasses.make(read_known_classes(Path(self.truth), found.ids), self.truth)
        return KnownClasses.make(found.classes, f"column {self.truth!r}")

    def _cluster(self, features: "FloatArray", seed: int) -> "Ensemble":
        """Return clusterings of features by the algorithms of --base."""
        from consclust import ensembles

        n_clusters = _parse_base_k(self.base_k)
        if isinstance(n_clusters, range):
            n_clusters = n_clusters[: self.runs]  # no run takes a later one, and there may be very many
        self._check_base_k(n_clusters, len(features))
        self._say_estimate(features, n_clusters)
        given: dict[str, Any] = {
            "runs": self.runs,
            "n_clusters": n_clusters,
            "object_fraction": self.object_fraction,
            "feature_fraction": self.feature_fraction,
            "random_state": seed,
        }
        with _options_named(self.path):
            if self.base == "kmeans":
                return ensembles.kmeans(features, **given)
            given |= {"algorithms": self.base.split(","), "linkage": self.linkage, "metric": self.distance}
            return ensembles.from_algorithms(features, **given)

    def _say_estimate(self, features: "FloatArray", n_clusters: Any) -> None:
        """Say what k-means takes, if that is long; what other algorithms take is not known."""
        from math import isqrt

        from consclust.cli.effort import say_estimate
        from consclust.diagnostics.efforts import estimate_kmeans

        if self.base != "kmeans":
            return
        n, d = features.shape
        if isinstance(n_clusters, str):
            largest = isqrt(n)  # of each rule
        else:
            largest = n_clusters if isinstance(n_clusters, int) else max(n_clusters)
        one = estimate_kmeans(self.object_fraction * n, d, largest)
        say_estimate(one._replace(seconds=self.runs * one.seconds), f"k-means, {self.runs} runs,")

    def describe_base(self) -> str:
        """Say how the base clusterings are made of the features."""
        words = [self.base.replace(",", " and "), f"{self.runs} runs", f"k: {self.base_k}"]
        if "agglomerative" in self.base:
            words.append(f"{self.linkage} linkage")
        if any(name in self.base for name in OF_ALGORITHMS["distance"]):
            words.append(f"{self.distance} distance")
        if self.object_fraction < 1:
            words.append(f"{self.object_fraction:g} of the objects")
        if self.feature_fraction < 1:
            words.append(f"{self.feature_fraction:g} of the features")
        return ", ".join(words)

    def _check_base_k(self, n_clusters: Any, n: int) -> None:
        """Refuse more clusters than objects, and a rule by which all objects are in one cluster."""
        if n < 2:
            raise InputError(f"{self.path}: one object; give two or more")
        if n_clusters == "sqrt" and n < SQRT_NEEDS:
            what = f"{n} objects, of which the rule sqrt makes one cluster"
            raise InputError(f"{self.path}: {what}; give more objects, or use --base-k 2")
        if isinstance(n_clusters, str):
            return
        numbers = [n_clusters] if isinstance(n_clusters, int) else n_clusters[: self.runs]
        if max(numbers) > n:
            remedy = f"use --base-k {numbers[0]}:{n}" if numbers[0] < n else f"give numbers from 2 to {n}"
            what = f"{max(numbers)} clusters are too many for the {n} objects of {self.path}"
            raise InputError(f"--base-k {self.base_k}: {what}; {remedy}")

    def _report_size(self, data: Data) -> None:
        """Say what was read, so that a user sees a file that was taken for another than it is."""
        from consclust.ensemble import MISSING
        from consclust.plurals import count
        from consclust.report.wording import spanned
        from consclust.seen import describe_seen, say_what_is_unseen

        ensemble = data.ensemble
        absent = int((ensemble.labels == MISSING).sum())
        clusters = spanned(ensemble.n_clusters, "cluster")
        sizes = (
            f"{count(ensemble.n_objects, 'object')}, {count(ensemble.n_clusterings, 'base clustering')} of {clusters}"
        )
        click.echo(f"{self.path}: {sizes}, {count(absent, 'label')} missing", err=True)
        if len(set(data.ids)) < ensemble.n_objects:
            click.echo(f"{self.path}: some ids occur more than once; each of them is an object of its own", err=True)
        if ensemble.has_missing:
            for sentence in say_what_is_unseen(describe_seen(ensemble), data.ids):
                click.echo(make_printable(f"{self.path}: {sentence}"), err=True)

    def check_folds(self, folds: int, data: Data) -> None:
        """Refuse more parts than base clusterings, unless their number is the default."""
        m = data.ensemble.n_clusterings
        if folds > m and is_given("folds"):
            raise InputError(f"--folds {folds}: {self.path} has {m} base clusterings; give a number from 2 to that")

    def check_k(self, k: int, data: Data) -> None:
        """Refuse more clusters than objects."""
        if k > data.ensemble.n_objects:
            raise InputError(f"-k {k}: {self.path} has {data.ensemble.n_objects} objects; give a number from 1 to that")


@contextmanager
def _options_named(path: Path) -> Iterator[None]:
    """Let warnings, and an InputError in place of a ValueError, name the options for the arguments that they name."""
    with warnings.catch_warnings(record=True) as caught:
        mistake = None
        try:
            yield
        except ValueError as error:
            mistake = error
    for each in caught:
        warnings.warn(f"{path}: {_name_options(str(each.message))}", each.category, stacklevel=2)
    if mistake is not None:
        raise InputError(f"{path}: {_name_options(str(mistake))}") from None


def _name_options(text: str) -> str:
    """Return a message of the library with the options of the command in place of its arguments."""
    for argument, option in ARGUMENTS.items():
        text = text.replace(argument, option)
    return text


def _check_source(source: Source) -> None:
    """Refuse options that do not go together."""
    for name in ("runs", "base_k", "scale", *OF_BASE):
        if is_given(name) and not source.features:
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} is for features, which need --features; {source.path} is read as labels")
    for name, algorithms in OF_ALGORITHMS.items():
        if is_given(name) and not set(algorithms) & set(source.base.split(",")):
            raise InputError(f"--{name} is for --base {' or '.join(algorithms)}; leave it out")
    for name in ("missing", "indicator", "long"):
        if is_given(name) and source.features:
            raise InputError(f"--{name} is for labels, but --features is given; leave one of them out")
    if source.no_ids and source.ids is not None:
        raise InputError(f"--no-id and --id {source.ids} do not go together; leave one of them out")


def _fraction(of: str) -> Callable[[Command], Command]:
    """Return the option of the share of objects or features that each run clusters."""
    return click.option(
        f"--{of}-fraction",
        type=Number(0, 1, min_open=True),
        default=1.0,
        show_default=True,
        help=f"Share of the {of}s in each run (--features).",
    )


def reads_file(command: Command) -> Command:
    """Give a command the argument FILE and the options of a :class:`Source`, which is its first argument."""

    @functools.wraps(command)
    def with_source(**given: Any) -> Any:
        source = Source(**{name: given.pop(name) for name in Source.__dataclass_fields__})
        _check_source(source)
        return command(source, **given)

    decorated: Command = with_source
    options: list[Callable[[Command], Command]] = [
        click.argument("path", metavar="FILE", type=FILE),
        click.option("--features", is_flag=True, help="FILE has features, of which base clusterings are made."),
        click.option(
            "--base",
            default="kmeans",
            show_default=True,
            metavar="NAMES",
            help="What makes them: kmeans, minibatch, agglomerative, spectral, gmm (Gaussian mixture) or pam; several, "
            "separated by commas, take turns (--features).",
        ),
        click.option(
            "--linkage",
            type=click.Choice(["average", "complete", "single", "ward"]),
            default="average",
            show_default=True,
            help="Linkage of agglomerative clustering (--features).",
        ),
        click.option(
            "--distance",
            type=click.Choice(["euclidean", "manhattan", "cosine", "correlation"]),
            default="euclidean",
            show_default=True,
            help="Distance of agglomerative and pam (--features).",
        ),
        _fraction("object"),
        _fraction("feature"),
        repeats("runs", 2, 20, "Base clusterings (--features)."),
        click.option(
            "--base-k",
            default="sqrt",
            show_default=True,
            metavar="K",
            help="Clusters of each run: a number; a range such as 5:20 that the runs take in turn; sqrt, the square "
            "root of the number of objects; random, drawn from 2 to that (--features).",
        ),
        click.option("--scale", is_flag=True, help="Scale the features to standard deviation 1 (--features)."),
        click.option("--header/--no-header", default=None, help="Whether the first line has names. Default: detected."),
        click.option(
            "--decimal",
            type=click.Choice([".", ","]),
            default=".",
            show_default=True,
            help="Decimal mark of the numbers.",
        ),
        click.option("--id", "ids", metavar="COLUMN", help="Column that names the objects. Default: detected."),
        click.option("--no-id", "no_ids", is_flag=True, help="No column names the objects."),
        click.option(
            "--truth",
            metavar="COLUMN",
            help="True classes: a column or variable of FILE, or a file with one column of classes and perhaps ids. "
            "They are no base clustering. Scores compare the consensus with them; nothing else uses them.",
        ),
        click.option("--drop", multiple=True, metavar="COLUMN", help="Column to leave out; may be repeated."),
        click.option(
            "--missing",
            multiple=True,
            metavar="LABEL",
            help="Label that stands for a missing one, such as 0, beside -1 and NA; may be repeated.",
        ),
        click.option("--transpose/--no-transpose", "transposed", default=None, help="Whether objects are in columns."),
        click.option(
            "--indicator", is_flag=True, help="Adjacent columns of 0 and 1 are the clusters of one clustering."
        ),
        click.option(
            "--long/--no-long",
            default=None,
            help="Whether FILE has a row for each object and clustering, with the columns object, clustering, label.",
        ),
        click.option(
            "--variable", metavar="NAME", help="Which variable of a .npz or .mat file, or sheet of an .xlsx one."
        ),
    ]
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def is_given(parameter: str) -> bool:
    """Whether the user gave a parameter of the running command."""
    return click.get_current_context().get_parameter_source(parameter) is ParameterSource.COMMANDLINE


def make_method(name: str, k: int, settings: Iterable[str], seed: int, has_features: bool) -> "ConsensusMethod":
    """Return a method with settings NAME=VALUE; InputError for an unknown name or a value that is not allowed."""
    from consclust import methods

    method = methods.make(name, k, _parse_settings(name, settings), seed)
    try:
        method.check_parameters()
        lacking = method.uses_features() and not has_features
    except ValueError as mistake:
        raise InputError(str(mistake)) from None
    if lacking:
        raise InputError(f"{name} learns from the objects' features; give a file of features and use --features")
    return method


def _parse_settings(name: str, settings: Iterable[str]) -> Mapping[str, Any]:
    """Return the parameters that settings NAME=VALUE set; InputError for one that the method has not."""
    from consclust import methods
    from consclust.validation import did_you_mean

    known = methods.load(name).parameters()
    parameters: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"--set {setting}: write NAME=VALUE, such as --set tol=1e-6")
        if key in parameters:
            raise InputError(f"--set {setting}: {key} is set twice; set it once")
        if key in ("n_clusters", "random_state"):
            raise InputError(f"--set {setting}: use {'-k' if key == 'n_clusters' else '--seed'} for it")
        if key not in known:
            raise InputError(f"--set {setting}: {name} has no parameter {key!r}; {did_you_mean(key, list(known))}")
        parameters[key] = _parse_value(value)
    return parameters


def _parse_value(text: str) -> Any:
    """Return a number, True, False or None, or the text as it stands."""
    try:
        return ast.literal_eval({"true": "True", "false": "False", "none": "None"}.get(text.lower(), text))
    except (ValueError, SyntaxError):
        return text


def _parse_base_k(text: str) -> Any:
    """Return the numbers of clusters of the runs as :func:`consclust.ensembles.kmeans` takes them."""
    low, colon, high = text.partition(":")
    try:
        numbers = range(int(low), int(high) + 1) if colon else int(low)
    except ValueError:
        if text not in RULES:
            raise InputError(f"--base-k {text}: write a number, a range such as 5:20, {' or '.join(RULES)}") from None
        return text
    if numbers == range(0):
        raise InputError(f"--base-k {text}: {EMPTY}")
    return numbers
