"""The modules of a folder in which every file counts, and what is said of a file that cannot be imported."""

import importlib
import pkgutil
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from types import ModuleType

from consclust.errors import InputError


def modules_of(package: str, folders: Iterable[str], but: Collection[str] = ("base",)) -> Iterator[ModuleType]:
    """Yield all modules of a package ``but`` some; InputError, with the remedy, for a file that cannot be imported."""
    for finder, name, _ in pkgutil.iter_modules(folders):
        path = path_from_here(Path(getattr(finder, "path", "")) / f"{name}.py")
        try:
            if name not in but:
                yield importlib.import_module(f"{package}.{name}")
        except SyntaxError as error:
            raise InputError(f"{path}, line {error.lineno}: {error.msg}; correct the file") from error
        except Exception as error:
            problem = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
            raise InputError(f"{path}: it cannot be imported: {problem}; correct the file") from error


def path_from_here(path: Path) -> Path:
    """Return the path of a file of the user's as the user would write it, that of an installed one as it is."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
