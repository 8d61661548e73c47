"""Files and options that would need more memory than there is, and messages whose remedy works."""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from consclust.cli import main, own_files
from consclust.cli.output import STDOUT, write_csv

LABELS = np.arange(12)[:, None] % np.arange(2, 5)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "labels.csv"
    np.savetxt(path, LABELS, fmt="%d", delimiter=",")
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def refuse(*arguments):
    """Return the message of a refused command, which is one line."""
    done = run(*arguments)
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("Error: "))
    return line


def test_a_range_of_base_clusters_is_not_listed(tmp_path):
    path = tmp_path / "features.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(20, 2)), delimiter=",")
    given = ["consensus", path, "--features", "--no-header", "-k", "2", "--runs", "3", "--base-k"]
    endless = run(*given, "2:99999999999")
    assert endless.exit_code == 0
    assert endless.stdout == run(*given, "2:4").stdout
    assert "--base-k" in refuse(*given, "99999999999")


@pytest.mark.parametrize("message", ["", "Unable to allocate 2.24 GiB for an array with shape (3, 100000000)"])
def test_too_little_memory_for_a_file_names_the_file_and_a_remedy(file, monkeypatch, message):
    def read(*_):
        raise MemoryError(message)

    monkeypatch.setattr(own_files, "read_labels", read)
    line = refuse("consensus", file, "-k", "2")
    assert str(file) in line
    assert "fewer objects" in line


def test_too_little_memory_later_has_a_remedy_too(file, monkeypatch):
    from consclust.methods import LWEA

    def fit(*_):
        raise MemoryError("Unable to allocate 2.24 GiB for an array with shape (3, 100000000)")

    monkeypatch.setattr(LWEA, "_fit", fit)
    line = refuse("consensus", file, "-k", "2")
    assert "2.24 GiB" in line
    assert "LWGP" in line


def test_no_method_at_all_is_said_so(file):
    assert "name at least one method" in refuse("compare", file, "-k", "2", "--methods", " , ")


@pytest.mark.parametrize(
    ("column", "kind"),
    [(pa.array([[1, 2]] * 12), "list"), (pa.array([{"a": 1}] * 12), "struct"), (pa.array([b"x"] * 12), "binary")],
)
def test_a_column_of_neither_numbers_nor_words_is_named_and_the_remedy_works(tmp_path, column, kind):
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.table({"a": LABELS[:, 0], "b": LABELS[:, 1], "when": column}), path)
    line = refuse("consensus", path, "-k", "2")
    assert "'when'" in line
    assert kind in line
    assert "--drop when" in line
    assert run("consensus", path, "-k", "2", "--drop", "when").exit_code == 0


def test_words_of_a_dictionary_and_of_a_long_text_are_labels(tmp_path):
    words = pa.array([["red", "blue"][i % 2] for i in range(12)])
    path = tmp_path / "labels.parquet"
    columns = {"a": words.dictionary_encode(), "b": words.cast(pa.large_string())}
    columns["c"] = pa.array([i % 2 == 0 for i in range(12)])
    pq.write_table(pa.table(columns), path)
    assert "12 objects, 3 base clusterings of 2 clusters" in run("consensus", path, "-k", "2").stderr


def test_two_columns_of_one_name_are_named(tmp_path):
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(LABELS[:, 0]), pa.array(LABELS[:, 1])], names=["a", "a"]), path)
    assert "two columns are named 'a'" in refuse("consensus", path, "-k", "2")


def test_control_characters_of_a_file_do_not_reach_a_terminal(tmp_path, monkeypatch, capsys):
    """A program that reads the output gets the ids as they are."""
    rows = [("\x1b[31mred", 1), ("plain\tid", 2)]
    monkeypatch.setattr(sys, "stdout", Terminal(sys.stdout))
    write_csv(STDOUT, rows)
    seen = capsys.readouterr().out
    assert "\x1b" not in seen
    assert "[31mred,1" in seen
    assert "plain\tid,2" in seen
    write_csv(tmp_path / "ids.csv", rows)
    assert (tmp_path / "ids.csv").read_text() == "\x1b[31mred,1\nplain\tid,2\n"


class Terminal:
    """A standard output that says that it is a terminal."""

    def __init__(self, stream):
        self._stream = stream

    def isatty(self):
        return True

    def __getattr__(self, name):
        return getattr(self._stream, name)


def test_control_characters_of_a_name_do_not_reach_the_messages(tmp_path):
    path = tmp_path / "la\x1b[2Jbels.csv"
    path.write_text("")
    assert "\x1b" not in refuse("consensus", path, "-k", "2")


@pytest.mark.parametrize("command", [["consensus"], ["compare"], ["choose-k"], ["report", "--out", "report"]])
def test_seconds_are_a_number(file, command):
    assert "--seconds': nan is no number; give one" in refuse(*command, file, "-k", "2", "--seconds", "nan")


@pytest.mark.parametrize("option", ["--object-fraction", "--feature-fraction"])
def test_shares_are_a_number(file, option):
    assert f"{option}': NaN is no number" in refuse("consensus", file, "--features", "-k", "2", option, "NaN")
