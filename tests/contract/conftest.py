"""A small project in a folder of its own, and code that other jobs have."""

import pytest
from mill import do_all, make_plan, write_data

from consclust_studies.specs import digest

OF_FITS = ["prepare", "base_clusterings", "consensus", "race"]
"""Kinds of jobs up to the labels."""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The folder of a project with its data, nothing planned, nothing done."""
    monkeypatch.chdir(tmp_path)
    write_data()
    return tmp_path


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The folder of a project whose jobs up to the labels are done; not to be changed."""
    folder = tmp_path_factory.mktemp("fitted")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(folder)
        count_edits(monkeypatch)
        write_data()
        do_all(make_plan(), OF_FITS)
    return folder


@pytest.fixture
def edited(monkeypatch):
    """Names of functions that count as edited."""
    return count_edits(monkeypatch)


def count_edits(monkeypatch):
    """Let the code of a job be what its entries are, and how often edited; return the number of edits by name."""
    names: dict[str, int] = {}

    def fingerprint(code):
        texts = [f"{entry} {number}" for entry in code.entries for name, number in names.items() if name in entry]
        return digest(repr((code.entries, texts))) if code.entries else ""

    monkeypatch.setattr("consclust_studies.plan.plan.fingerprint", fingerprint)
    monkeypatch.setattr("consclust_studies.runner.check_source", lambda *_: None)
    return names
