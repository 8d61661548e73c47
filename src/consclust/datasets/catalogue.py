"""The registered data sets for a person: ``consclust.datasets.load("yale")``."""

# scikit-learn is imported where needed, so that what does without it starts faster

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from consclust.datasets.registry import DatasetSpec, ReadyMadeEnsemble, load_registry
from consclust.errors import InputError
from consclust.plurals import count
from consclust.validation import did_you_mean

if TYPE_CHECKING:
    from consclust.ensemble import Ensemble

PACKAGED = Path(__file__).with_name("datasets.yaml")
"""A link to the project's config/datasets.yaml; building a wheel puts the file in its place."""
CACHE_VARIABLE = "CONSCLUST_CACHE"

Item = TypeVar("Item")


def names(registry: str | os.PathLike[str] = PACKAGED) -> list[str]:
    """Return the names of the registered data sets, in the order of the registry.

    Parameters
    ----------
    registry : path, optional
        A file like the project's ``config/datasets.yaml``. Default: the one that comes with the package.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from consclust import datasets
    >>> "yale" in datasets.names()
    True
    """
    return list(load_registry(Path(registry)))


def load(
    name: str,
    *,
    ensemble: str | None = None,
    preprocessing: tuple[str, ...] | None = None,
    cache: str | os.PathLike[str] | None = None,
    registry: str | os.PathLike[str] = PACKAGED,
) -> Any:
    """Load a registered data set; download its files at the first time.

    Files are taken from the cache, else from the mirror that the environment variable ``CONSCLUST_DATA_MIRROR`` names
    (a folder or a URL), else from their public addresses, and must have the registered checksum.

    Parameters
    ----------
    name : str
        One of :func:`~consclust.datasets.names`.
    ensemble : str, optional
        Name of a ready-made ensemble of the data set to load too; ``ensembles`` of the result lists them. Data sets
        that consist of base clusterings have it without being asked.
    preprocessing : tuple of str, optional
        Steps in place of the registered ones, such as ``("unit_norm",)`` or ``()``.
    cache : path, optional
        Folder of the downloaded files. Default: the environment variable ``CONSCLUST_CACHE``, else the folder
        ``consclust`` in the user's cache folder.
    registry : path, optional
        A file like the project's ``config/datasets.yaml``. Default: the one that comes with the package.

    Returns
    -------
    sklearn.utils.Bunch
        With these attributes:

        * ``data``: features, ndarray or sparse CSR matrix, shape (n, d); d = 0 if there are only base clusterings.
        * ``target``: classes 0..k-1, shape (n,); -1 for noise, and for all objects without classes.
          ``target_names``: the name of each class.
        * ``ensemble``: the :class:`~consclust.Ensemble` that was asked for, or None. ``ensembles``: names of all.
        * ``preprocessing``: the steps that ``data`` went through.
        * ``title``, ``source``, ``licence``, ``DESCR``: what it is, where it comes from, how it may be used, and all of
          this in words.

    Raises
    ------
    InputError
        For an unknown name, and if a file cannot be downloaded or is not the registered one. The message has the
        addresses, the checksum, and where to put the file by hand.

    Examples
    --------
    >>> from consclust import datasets
    >>> iris = datasets.load("iris")
    >>> iris.data.shape, len(iris.target_names)
    ((150, 4), 3)
    """
    from sklearn.utils import Bunch

    from consclust.datasets.prepared import Recipe, prepare

    entry = _chosen("name", name, load_registry(Path(registry)))
    ready = entry.class_source if ensemble is None else _chosen("ensemble", ensemble, entry.ensembles)
    steps, folder = entry.preprocessing if preprocessing is None else tuple(preprocessing), _folder(cache)
    files = [_file(name, entry, file.name, folder) for file in entry.prepared_from]
    dataset = prepare(Recipe.make(name, entry, steps), files)
    n, d, k = dataset.shape
    features = (
        f"{count(d, 'feature')} (steps: {', '.join(steps) or 'none'})" if d else "no features, base clusterings only"
    )
    facts = f"{entry.title}: {count(n, 'object')} {f'in {k} classes' if k else 'without classes'}, {features}."
    return Bunch(
        data=dataset.X,
        target=dataset.y,
        target_names=list(dataset.class_names),
        ensemble=_ensemble(_file(name, entry, ready.file.name, folder), ready, n, entry.shuffle) if ready else None,
        ensembles=list(entry.ensembles),
        preprocessing=steps,
        title=entry.title,
        source=entry.source,
        licence=entry.licence,
        DESCR="\n".join(filter(None, (facts, entry.note, f"Source: {entry.source}.", f"Licence: {entry.licence}."))),
    )


def _chosen(argument: str, word: str, entries: dict[str, Item]) -> Item:
    if word not in entries:
        raise InputError(f"{argument} = {word!r}: not registered; {did_you_mean(str(word), list(entries))}")
    return entries[word]


def _folder(cache: str | os.PathLike[str] | None) -> Path:
    import platformdirs

    return Path(cache or os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("consclust")).expanduser()


def _file(name: str, entry: DatasetSpec, file: str, folder: Path) -> Path:
    """Return the path of a file in the cache, downloaded if it is not there."""
    from consclust.datasets.download import fetch

    raw, path = entry.file(file), folder / name / file
    assert raw is not None
    fetch(name, entry, raw, path)
    return path


def _ensemble(path: Path, entry: ReadyMadeEnsemble, n_objects: int, shuffle: int | None) -> "Ensemble":
    from consclust.datasets.prepared import find_shuffled_order
    from consclust.ensemble import Ensemble
    from consclust.readers.clusterings import read_clusterings

    labels = read_clusterings(path, entry).labels
    if len(labels) != n_objects:
        raise InputError(f"{path}: {len(labels)} rows, but the data set has {n_objects} objects; correct the registry")
    return Ensemble(labels if shuffle is None else labels[find_shuffled_order(shuffle, n_objects)])
