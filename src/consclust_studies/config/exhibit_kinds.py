"""The kinds of exhibits: those that every study may use, and those that one study alone has.

A kind is a class with a literal ``kind`` in a file of its own: in the engine's folder ``exhibits``, or in
``studies/<id>/exhibits`` of the study that needs it. The files are found by their place and imported by their name, so
that no kind has to be registered, and the engine knows none by its name.
"""

import contextlib
import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Union

from pydantic import (
    AfterValidator,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    SerializeAsAny,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from consclust.discovery import modules_of, path_from_here
from consclust.errors import InputError
from consclust_studies.config.exhibit import Exhibit
from consclust_studies.paths import KINDS_OF_STUDY, STUDIES

ENGINE = "consclust_studies.exhibits"

Kinds = dict[str, type[Exhibit]]
"""Classes by the word that a study writes as ``kind``."""


@cache
def engine_kinds() -> Kinds:
    """Return the kinds that every study may use; InputError, with the remedy, for a file that holds no valid kind."""
    folders = importlib.import_module(ENGINE).__path__
    return kinds_in(modules_of(ENGINE, folders))


def own_kinds(study: str) -> Kinds:
    """Return the kinds in the folder of a study; InputError as for :func:`engine_kinds`."""
    _import_studies()
    return _own_kinds(Path(KINDS_OF_STUDY.format(study=study)).absolute(), study)


@cache
def _own_kinds(folder: Path, study: str) -> Kinds:
    package = KINDS_OF_STUDY.format(study=study).replace("/", ".")
    return kinds_in(modules_of(package, [str(folder)]), engine_kinds())


def find_kinds(study: str, files: Sequence[str] = ()) -> Kinds:
    """Return all kinds that a study may use: the engine's, its own, and those in ``files`` of other studies."""
    own = own_kinds(study)
    found = engine_kinds() | own
    for file in files:
        owner = Path(file).parts[1]
        listed = {word: cls for word, cls in own_kinds(owner).items() if find_file_of_kind(cls) == file}
        for word in listed.keys() & own.keys():
            raise InputError(f"{file}: the study {study} has a kind {word!r} too; choose another name for one of them")
        found |= listed
    return found


def find_file_of_kind(cls: type[Exhibit]) -> str:
    """Return the file of a kind of a study, in the folder of the project."""
    return f"{cls.__module__.replace('.', '/')}.py"


def kinds_in(modules: Iterable[ModuleType], others: Kinds | None = None) -> Kinds:
    """Return the kinds in modules, none of which ``others`` has; InputError, with the remedy, for an invalid one."""
    known = dict(others or {})
    found: Kinds = {}
    for module in modules:
        for name, cls in vars(module).items():
            own = isinstance(cls, type) and cls.__module__ == module.__name__ and not name.startswith("_")
            if own and issubclass(cls, Exhibit):
                if problem := _problem(cls, known | found):
                    raise InputError(f"{path_from_here(Path(str(module.__file__)))}: {name} {problem}")
                found.update((word, cls) for word in cls.kind_words())
    return found


def _problem(cls: type[Exhibit], others: Kinds) -> str:
    """Return what is wrong with a class, and the remedy; empty if it is a kind of exhibit."""
    if not (words := cls.kind_words()):
        return 'needs a literal kind; write kind: Literal["..."]'
    for word in (word for word in words if word in others):
        return f"has the kind {word!r} of {others[word].__module__}; choose another"
    for lacking in sorted(cls.__abstractmethods__):
        return f"needs a method {lacking}; write it"
    required = [name for name, key in cls.model_fields.items() if key.is_required() and name != "kind"]
    fills_them = "unlisted" in vars(cls)
    if required and cls.place is not None and not fills_them:
        return f"has a place among the standard exhibits, but no default of {required[0]}; write one"
    return ""


def _import_studies() -> None:
    """Make the folder of studies a package, whose modules are ``studies.<id>.exhibits.<file>``.

    It is made here, not found on the search path, where another package may have this name. A process that works in the
    folders of several projects one after the other, as tests do, forgets the modules of the one before.
    """
    place = str(Path(STUDIES).absolute())
    known = sys.modules.get(STUDIES)
    if place in getattr(known, "__path__", ()):
        return
    for name in [name for name in sys.modules if name.split(".")[0] == STUDIES]:
        del sys.modules[name]
    package = ModuleType(STUDIES, "The studies of a project, each with kinds of exhibits of its own.")
    package.__path__ = [place]
    sys.modules[STUDIES] = package
    importlib.invalidate_caches()
    _own_kinds.cache_clear()


def every_kind() -> list[type[Exhibit]]:
    """Return the classes of all kinds, those of single studies too."""
    own = [cls for study in _studies_with_kinds() for cls in own_kinds(study).values()]
    return list(dict.fromkeys([*engine_kinds().values(), *own]))


def _studies_with_kinds() -> list[str]:
    return sorted(path.parent.name for path in Path().glob(KINDS_OF_STUDY.format(study="*")))


def with_a_place(kinds: Iterable[type[Exhibit]]) -> list[tuple[int, type[Exhibit]]]:
    """Return the kinds that a report has without listing them, each after its place, in their order."""
    found = [(cls.place, cls) for cls in dict.fromkeys(kinds) if cls.place is not None]
    return sorted(found, key=lambda pair: (pair[0], pair[1].__name__))


# ---------------------------------------------------------------- in the file of a study


def _check_file_of_kinds(file: str) -> str:
    """Refuse what is no file of kinds of a study."""
    pattern = f"{KINDS_OF_STUDY.format(study='*')}/*.py"
    if Path(file) not in Path().glob(pattern):
        raise ValueError(f"no file with kinds of a study; write one of {pattern}")
    return Path(file).as_posix()


FileOfKinds = Annotated[str, AfterValidator(_check_file_of_kinds)]
"""A file with kinds of exhibits of another study."""


@cache
def _adapter(classes: tuple[type[Exhibit], ...]) -> TypeAdapter[Any]:
    union: Any = Union[classes]  # noqa: UP007
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])


def _as_its_kind(value: Any, info: ValidationInfo) -> Exhibit:
    """Return an exhibit of a study from its keys: its kind is one that the study, by id and ``kinds``, may use."""
    if isinstance(value, Exhibit):
        return value
    kinds = find_kinds(info.data.get("id", ""), info.data.get("kinds", ()))
    word = value.get("kind") if isinstance(value, Mapping) else None
    if isinstance(word, str) and word not in kinds:
        _refuse_kind_of_another_study(word)
    found: Exhibit = _adapter(tuple(dict.fromkeys(kinds.values()))).validate_python(value)
    return found


def _refuse_kind_of_another_study(word: str) -> None:
    """Raise ValidationError, with the file, if a kind belongs to a study."""
    for study in _studies_with_kinds():
        cls = None
        with contextlib.suppress(InputError):  # a mistake in a file of another study
            cls = own_kinds(study).get(word)
        if cls:
            file = find_file_of_kind(cls)
            message = f"not known here; it belongs to the study {study}: {file}; list this file in kinds"
            error = PydanticCustomError("kind_of_another_study", "{message}", {"message": message})
            details = InitErrorDetails(type=error, loc=("kind",), input=word)
            raise ValidationError.from_exception_data("exhibit", [details])


OF_STUDY = "x-study"
"""Key in the JSON schema of a kind, with the study that alone has it."""


class _SchemaOfEveryKind:
    """The JSON schema of an exhibit: any kind, as an editor does not know which a study may use.

    Two studies may each have a kind of the same name, so the kind alone does not decide which keys there are. The
    schema of a kind of a study names the study.
    """

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        kinds = every_kind()
        anything: Any = Union[tuple(kinds)]  # noqa: UP007
        found = handler(TypeAdapter(anything).core_schema)
        for reference, cls in zip(found["anyOf"], kinds, strict=True):
            if cls.__module__.startswith(f"{STUDIES}."):
                handler.resolve_ref_schema(reference)[OF_STUDY] = cls.__module__.split(".")[1]
        return found


AnyExhibit = Annotated[SerializeAsAny[Exhibit], PlainValidator(_as_its_kind), _SchemaOfEveryKind()]
"""An exhibit of a study, of any kind that the study may use."""
