"""A small project in a folder of its own, and code that other jobs have."""

import pytest
from mill import write_data

from consclust_studies.specs import digest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The folder of a project with its data, nothing planned, nothing done."""
    monkeypatch.chdir(tmp_path)
    write_data()
    return tmp_path


@pytest.fixture
def edited(monkeypatch):
    """Names of functions that count as edited; the code of a job is what its entries are, and how often edited."""
    names: dict[str, int] = {}

    def fingerprint(code):
        texts = [f"{entry} {number}" for entry in code.entries for name, number in names.items() if name in entry]
        return digest(repr((code.entries, texts))) if code.entries else ""

    monkeypatch.setattr("consclust_studies.plan.plan.fingerprint", fingerprint)
    monkeypatch.setattr("consclust_studies.runner.check_source", lambda job: None)
    return names
