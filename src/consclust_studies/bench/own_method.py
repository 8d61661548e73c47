"""A user's own method, from a Python file or a program, as a consensus method.

A file has a class with the contract of :class:`consclust.methods.base.ConsensusMethod`, a class with ``n_clusters`` and
``fit_predict``, or a function of a label matrix and the number of clusters. :func:`load` makes a consensus method of
each.
"""

import hashlib
import inspect
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from consclust.ensemble import Ensemble, IntArray
from consclust.errors import InputError
from consclust.methods.base import ConsensusMethod
from consclust_studies.bench.programs import FileFormat, run_program

SEEDS = ("seed", "random_state")
"""Names of the parameter of a function that takes the seed."""
MOST_FILES = 5_000
"""Files of code by which fits are kept."""
Function = Callable[[IntArray, int, int], Any]
"""Returns labels, (n,), of a label matrix, (n, m), a number of clusters and a seed."""


@dataclass(frozen=True)
class OwnMethod:
    """Where a method is found: in a file, or as a program."""

    path: Path | None = None
    """Of the Python file."""
    name: str | None = None
    """Of the class or function in it; None: the only one."""
    program: str | None = None
    """The command, without its arguments."""
    file_format: FileFormat = "csv"
    """Of the files that the program reads and writes."""


def parse(text: str) -> OwnMethod:
    """Return the method that "mine.py" or "mine.py:name" means; InputError if there is no such file."""
    path, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    if not path.endswith(".py"):
        raise InputError(f"{text}: no Python file; name one that ends in .py, or give a --program")
    if not Path(path).is_file():
        raise InputError(f"{path}: no such file")
    return OwnMethod(path=Path(path).absolute(), name=name or None)


def load(own: OwnMethod) -> type[ConsensusMethod]:
    """Return the method as a class with the contract of all methods; InputError if the file has none."""
    if own.program is not None:
        words, file_format = shlex.split(own.program), own.file_format

        def run(labels: IntArray, n_clusters: int, seed: int) -> Any:
            return run_program(words, labels, n_clusters, seed, file_format)

        return _wrap(find_name(own), run)
    found = _find(own)
    if not inspect.isclass(found):
        return _wrap(found.__name__, _take_seed(found))
    return found if issubclass(found, ConsensusMethod) else _wrap(found.__name__, _fit_with(found))


def find_name(own: OwnMethod) -> str:
    """Return what the method is called in tables: by its class or function, or by the file that the program is."""
    if own.program is None:
        return str(_find(own).__name__)
    files = [word for word in shlex.split(own.program) if Path(word).suffix]
    return Path(files[-1]).stem if files else Path(shlex.split(own.program)[0]).name


def compute_key(own: OwnMethod) -> str:
    """Return a digest of the code of the method: its file, and all files of the same kind in its folder and below.

    For a program these are the files that it names, and the program itself. Raises InputError for a folder with more
    than ``MOST_FILES`` such files.
    """
    digest = hashlib.sha256(repr((own.name, own.program, own.file_format)).encode())
    for path in _list_files(own):
        digest.update(repr(path.name).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _list_files(own: OwnMethod) -> list[Path]:
    if own.program is None:
        assert own.path is not None
        return _list_beside(own.path)
    words = shlex.split(own.program)
    named = [path for word in words if (path := Path(word)).is_file()]
    program = shutil.which(words[0]) if words else None
    files = {path for one in named for path in _list_beside(one.absolute())}
    return sorted(files | ({Path(program).absolute()} if program else set()))


def _list_beside(path: Path) -> list[Path]:
    """Return a file, and the files with its ending in its folder and below, without hidden folders and environments.

    What a file reads or imports, and when, cannot be seen in general.
    """
    found = [path]
    for folder, folders, names in os.walk(path.parent):
        is_kept = [name for name in folders if name[0] != "." and not (Path(folder) / name / "pyvenv.cfg").exists()]
        folders[:] = sorted(is_kept)
        found += [Path(folder) / name for name in sorted(names) if path.suffix and name.endswith(path.suffix)]
        if len(found) > MOST_FILES:
            what = f"{path.parent}: more than {MOST_FILES:,} files that end in {path.suffix}, and fits are kept by them"
            raise InputError(f"{what}; put {path.name} and what it needs into a folder of its own")
    return sorted(set(found))


def _find(own: OwnMethod) -> Any:
    """Return the class or function that is meant."""
    assert own.path is not None
    module = _import(own.path)
    candidates = _list_candidates(module)
    if own.name is None:
        if len(candidates) == 1:
            return next(iter(candidates.values()))
        known = f"it has {', '.join(candidates)}; name one" if candidates else "write one, see the guide"
        what = "more than one method" if candidates else "no consensus method"
        raise InputError(f"{own.path}: {what}; {known}, as {own.path.name}:NAME")
    if own.name not in vars(module):
        known = f"; it has {', '.join(candidates)}" if candidates else ""
        raise InputError(f"{own.path}: no {own.name}{known}")
    return vars(module)[own.name]


def _import(path: Path) -> ModuleType:
    """Import a file once, so that it finds the modules beside it; InputError for one that cannot be imported."""
    name = f"own_method_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: cannot be imported")
    module = module_from_spec(spec)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as mistake:
        del sys.modules[name]
        raise InputError(f"{path}: cannot be imported: {type(mistake).__name__}: {mistake}") from mistake
    return module


def _list_candidates(module: ModuleType) -> Mapping[str, Any]:
    """Return what may be a method among what the file itself defines, by name; classes with the contract first."""
    own = {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    }
    with_contract = {
        name: value
        for name, value in own.items()
        if inspect.isclass(value) and issubclass(value, ConsensusMethod) and not inspect.isabstract(value)
    }
    return with_contract or {name: value for name, value in own.items() if _may_be_method(value)}


def _may_be_method(value: Any) -> bool:
    """Whether something is a class with ``fit_predict``, or a function of labels and a number of clusters."""
    if inspect.isclass(value):
        return hasattr(value, "fit_predict") and "n_clusters" in inspect.signature(value).parameters
    if not inspect.isfunction(value):
        return False
    required = [one for one in inspect.signature(value).parameters.values() if one.default is inspect.Parameter.empty]
    return 2 <= len(required) <= 3


def _take_seed(function: Callable[..., Any]) -> Function:
    """Return the function with a seed as third argument, which it is given if it has a parameter for it."""
    parameters = inspect.signature(function).parameters
    seed_name = next((name for name in SEEDS if name in parameters), None)

    def call(labels: IntArray, n_clusters: int, seed: int) -> Any:
        return function(labels, n_clusters, **({seed_name: seed} if seed_name else {}))

    return call


def _fit_with(cls: type[Any]) -> Function:
    """Return a function that fits a class of somebody's with ``fit_predict``."""
    has_seed = "random_state" in inspect.signature(cls).parameters

    def fit(labels: IntArray, n_clusters: int, seed: int) -> Any:
        return cls(n_clusters=n_clusters, **({"random_state": seed} if has_seed else {})).fit_predict(labels)

    return fit


def _wrap(name: str, function: Function) -> type[ConsensusMethod]:
    """Return a consensus method that calls a function with the labels, (n, m), K, and a seed."""

    class Wrapped(ConsensusMethod):
        summary = f"{name}, a function of a label matrix and the number of clusters."

        def _fit(self, ensemble: Ensemble) -> None:
            seed = int(self._rng().integers(2**31))
            # the function may change what it is given
            found = np.asarray(function(ensemble.labels.copy(), self.n_clusters, seed))
            self._set_only_labels(as_whole(found), np.arange(ensemble.n_objects))

    Wrapped.__name__ = name
    return Wrapped


def as_whole(labels: Any) -> IntArray:
    """Return labels that are whole numbers as integers from 0, of shape (n,); others as they are, to be refused."""
    flat = np.asarray(labels).squeeze()
    if flat.dtype.kind == "f" and np.isfinite(flat).all() and (flat == np.round(flat)).all():
        flat = flat.astype(np.int64)
    return np.atleast_1d(flat)
