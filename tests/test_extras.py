"""What is said of a package that comes with an extra and is not installed."""

import json
import shlex
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from packaging.requirements import Requirement

from consclust import extras
from consclust.errors import InputError
from consclust.extras import needs


@needs("plot")
def drawn(size):
    import no_such_package.figures

    return no_such_package.figures.draw(size)


@needs("report")
def reported():
    return drawn(2)


@pytest.mark.parametrize("function", [lambda: drawn(1), reported])
@pytest.mark.parametrize("kind", [InputError, ImportError])
def test_the_innermost_extra_is_named_with_what_it_lacks(function, kind):
    with pytest.raises(kind, match=r"'no_such_package'; pip install .consclust\[plot\]") as caught:
        function()
    assert caught.value.name == "no_such_package"


def test_other_errors_are_left_alone():
    with pytest.raises(ImportError) as caught, needs("plot"):
        from consclust.errors import no_such_error  # noqa: F401
    assert type(caught.value) is ImportError


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (None, 'pip install "consclust[plot]"'),
        ({"url": "file:///home/u/clone", "dir_info": {}}, 'pip install "consclust[plot] @ file:///home/u/clone"'),
        (
            {"url": "https://example.org/c.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            'pip install "consclust[plot] @ git+https://example.org/c.git@abc"',
        ),
    ],
)
def test_the_remedy_installs_from_where_the_package_came(monkeypatch, stored, expected):
    class Installed:
        def read_text(self, name):
            return json.dumps(stored) if stored and name == "direct_url.json" else None

    monkeypatch.setattr(extras, "distribution", lambda name: Installed())
    extras._find_origin.cache_clear()
    try:
        command = extras.write_install_command("plot")
    finally:
        extras._find_origin.cache_clear()
    assert command == expected
    Requirement(shlex.split(command)[2])  # pip takes it


def test_the_remedy_of_a_package_that_is_not_installed_names_its_folder(monkeypatch):
    def absent(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", absent)
    extras._find_origin.cache_clear()
    try:
        (requirement,) = shlex.split(extras.write_install_command("plot"))[2:]
    finally:
        extras._find_origin.cache_clear()
    folder = Path(url2pathname(urlsplit(Requirement(requirement).url).path))
    assert (folder / "pyproject.toml").is_file()
