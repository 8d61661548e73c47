"""Fingerprints that a process has found are there for others while it goes on, and after a kill."""

import pytest

from consclust_studies.code import Code, job_code
from consclust_studies.code.job_code import Source

ONE, TWO = (Code(entries=(f"pack.numbers.{name}",)) for name in ("one", "two"))


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Start what stands for a process: it knows what was in the cache folder when it began."""
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "numbers.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(job_code, "SECONDS", 0.0)
    monkeypatch.setattr("atexit.register", lambda _: None)

    def begin():
        monkeypatch.setattr(job_code, "FOUND", {})
        return Source({"pack": folder})

    return begin


def refuse(*_, **__):
    pytest.fail("it was found before")


def test_a_process_takes_over_what_another_one_has_found_since_it_began(start, monkeypatch):
    first, second = start(), start()
    assert first.find(ONE) != first.find(TWO)  # the second search writes what the first one gave
    monkeypatch.setattr(second.fingerprints, "compute", refuse)
    assert second.find(ONE) == first.find(ONE)


def test_none_overwrites_what_another_one_has_found(start, monkeypatch):
    first, second = start(), start()
    first.find(ONE)
    second.find(TWO)
    first.remember()
    second.remember()
    third = start()
    monkeypatch.setattr(third.fingerprints, "compute", refuse)
    assert [third.find(ONE), third.find(TWO)] == [first.find(ONE), second.find(TWO)]


def test_a_damaged_file_is_written_anew(start, monkeypatch):
    first = start()
    first.find(ONE)
    first.remember()
    first.cache_file.write_text("{")
    again = start()
    assert again.find(ONE) == first.find(ONE)
    again.remember()
    third = start()
    monkeypatch.setattr(third.fingerprints, "compute", refuse)
    assert third.find(ONE) == first.find(ONE)
