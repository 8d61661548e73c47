"""Commands of other packages, by entry points: the engine of the studies has one."""

from importlib.metadata import EntryPoint

import pytest

from consclust import cli


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    return ended.value.code


@pytest.fixture
def further(monkeypatch):
    """Set the entry points."""

    def set_entries(**values: str) -> None:
        entries = [EntryPoint(name, value, cli.FURTHER) for name, value in values.items()]
        monkeypatch.setattr(cli, "_list_further", lambda: entries)

    return set_entries


def test_a_command_of_another_package_runs(further, capsys):
    further(again="consclust.cli.methods:methods")
    assert run("again", "EAC") == 0
    assert "linkage" in capsys.readouterr().out
    assert run("--help") == 0
    assert "again" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [(), ("mine.py", "--sets", "small")])
def test_without_its_package_it_says_what_to_install(further, capsys, arguments):
    further(bench="nothing_like_this.command:bench")
    assert run("bench", *arguments) == 2
    said = capsys.readouterr().err
    assert "nothing_like_this" in said
    assert len(said.strip().splitlines()) == 1


def test_no_other_package_takes_the_place_of_a_command(further, capsys):
    further(methods="nothing_like_this.command:methods")
    assert run("methods", "EAC") == 0
    assert "linkage" in capsys.readouterr().out


def test_a_fault_inside_the_package_is_no_lack_of_it(further, tmp_path, monkeypatch):
    (tmp_path / "faulty_package.py").write_text("import nothing_like_this\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    further(bench="faulty_package:bench")
    with pytest.raises(ModuleNotFoundError, match="nothing_like_this"):
        run("bench")
