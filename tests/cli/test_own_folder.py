"""What a command finds in the folder or file that it writes, and what it leaves there."""

import fcntl
import os
import signal
import stat
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from consclust.cli import main
from consclust.cli.output import LOCK, check_folder, kept_for_one
from consclust.diagnostics.parallel import interrupts_held, run_tasks
from consclust.errors import InputError
from consclust.files import TEMPORARY, check_writable, write_text, written_whole

FEW = ["--k", "2:3", "--nulls", "0", "--halves", "2"]


@pytest.fixture
def file(tmp_path):
    """Eight clusterings of 30 objects, a fifth of the labels at random."""
    rng = np.random.default_rng(0)
    noise = rng.random((30, 8)) < 0.2
    labels = np.where(noise, rng.integers(0, 4, (30, 8)), np.arange(30)[:, None] % 3)
    path = tmp_path / "labels.csv"
    pd.DataFrame(labels, index=[f"object {i}" for i in range(30)]).to_csv(path)
    return path


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


@pytest.mark.long
def test_pictures_of_other_data_do_not_stay(file, tmp_path):
    """Five equal rows have no consensus values, and so no pictures."""
    out = tmp_path / "out"
    run("choose-k", file, *FEW, "--out", out)
    assert (out / "criteria.png").exists()
    agreed = tmp_path / "agreed.csv"
    agreed.write_text("a,b\n" + "0,1\n" * 5)
    done = run("choose-k", agreed, *FEW, "--out", out)
    assert done.exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == ["cdf.csv", "consensus.csv", "criteria.csv"]


def test_nothing_of_an_earlier_report_stands_beside_an_interrupted_one(file, tmp_path, monkeypatch):
    from consclust.report import own_labels

    out = tmp_path / "out"
    out.mkdir()
    for name in ("report.pdf", "report.html", "between.csv"):
        (out / name).write_text("of an earlier report")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(own_labels, "write_report", stop)
    done = run("report", file, "-k", "3", "--out", out)
    assert done.exit_code == 130
    assert "consensus.csv, and no report" in done.stderr.splitlines()[-1]
    assert [path.name for path in out.iterdir()] == ["consensus.csv"]


@pytest.mark.long
def test_two_commands_do_not_write_into_one_folder(file, tmp_path):
    out = tmp_path / "out"
    with kept_for_one(out, ["criteria.csv"]):
        write_text(out / "criteria.csv", "of the first command")
        done = run("choose-k", file, *FEW, "--out", out)
        assert (done.exit_code, done.stderr.splitlines()[-1].count("another command")) == (2, 1)
        assert (out / "criteria.csv").read_text() == "of the first command"
    assert run("choose-k", file, *FEW, "--out", out).exit_code == 0


def test_the_lock_of_a_killed_command_keeps_nobody_out(tmp_path):
    """A process that ends with SIGKILL leaves its lock file and its temporary files."""
    code = (
        "import os, sys; from pathlib import Path; from consclust.cli.output import kept_for_one\n"
        "from consclust.files import written_whole\n"
        "folder = Path(sys.argv[1])\n"
        "with kept_for_one(folder, []), written_whole(folder / 'matrix.pdf'): os.kill(os.getpid(), 9)"
    )
    out = tmp_path / "out"
    assert subprocess.run([sys.executable, "-c", code, str(out)], check=False).returncode == -9
    left = sorted(path.name for path in out.iterdir())
    assert [bool(TEMPORARY.fullmatch(name)) for name in left if name != LOCK] == [True]
    check_folder(out, [], tmp_path / "labels.csv")
    with kept_for_one(out, []):
        assert [path.name for path in out.iterdir()] == [LOCK]
    assert list(out.iterdir()) == []


def test_a_file_system_without_locks_keeps_nobody_out(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with kept_for_one(tmp_path / "out", []):
        pass


@pytest.mark.parametrize("name", [".DS_Store", ".gitkeep", ".nfs0001", "Thumbs.db", "desktop.ini"])
def test_files_of_the_system_are_no_content(tmp_path, name):
    (tmp_path / name).write_text("")
    check_folder(tmp_path, ["criteria.csv"], tmp_path / "labels.csv")
    with kept_for_one(tmp_path, ["criteria.csv"]):
        pass
    assert (tmp_path / name).exists(), "they are not ours to remove"


def test_the_input_is_not_removed_from_the_folder(tmp_path):
    given = tmp_path / "consensus.csv"
    given.write_text("a,b\n0,1\n0,1\n1,1\n1,2\n2,2\n")
    done = run("choose-k", given, *FEW, "--out", tmp_path)
    assert (done.exit_code, "the file with the input" in done.stderr) == (2, True)
    assert given.exists()


@pytest.mark.parametrize("command", [["consensus"], ["compare", "--methods", "EAC"]])
@pytest.mark.parametrize("out", ["folder.csv", "labels.csv/x.csv"])
def test_an_output_that_cannot_be_written_is_refused_before_anything_is_read(file, tmp_path, command, out):
    (tmp_path / "folder.csv").mkdir()
    done = run(command[0], file, "-k", "3", *command[1:], "--out", tmp_path / out)
    (line,) = done.stderr.splitlines()
    assert done.exit_code == 2
    assert line.startswith(f"Error: --out {tmp_path / out}: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match="cannot be written"):
        check_folder(tmp_path, [], tmp_path / "labels.csv")


def test_a_check_leaves_nothing(tmp_path):
    check_writable(tmp_path / "folder" / "labels.csv")
    assert list((tmp_path / "folder").iterdir()) == []
    (tmp_path / "labels.csv").write_text("before")
    check_writable(tmp_path / "labels.csv")
    assert (tmp_path / "labels.csv").read_text() == "before"


def test_a_name_may_be_as_long_as_the_file_system_allows(file, tmp_path):
    out = tmp_path / f"{'a' * 251}.csv"
    assert run("consensus", file, "-k", "3", "--out", out).exit_code == 0
    assert out.read_text().startswith("id,label")


def test_a_full_disk_is_reported_with_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left") as caught, written_whole(tmp_path / "labels.csv"):
        raise OSError(28, "No space left on device")
    assert str(caught.value).endswith(f"'{tmp_path / 'labels.csv'}'")
    assert list(tmp_path.iterdir()) == []


def test_ids_stay_as_private_as_the_umask_says(file, tmp_path):
    before = os.umask(0o077)
    try:
        run("consensus", file, "-k", "3", "--out", tmp_path / "new.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o600


def test_no_more_processes_than_tasks_and_no_interrupt_in_them():
    assert list(run_tasks(pow, [(2, 3), (3, 2)], 2, 99_999)) == [8, 9]
    with interrupts_held():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("command", [["choose-k", "--k"], ["report", "-k", "3", "--out", "new", "--ks"]])
def test_a_range_without_an_end_is_compared_with_the_objects(file, command):
    done = run(command[0], file, *command[1:], "2:99999999999999")
    assert (done.exit_code, "give numbers from 2 to 30" in done.stderr) == (2, True)


@pytest.mark.parametrize("metadata", [b"not json", b"[]", b'{"index_columns": [{"kind": "range"}]}'])
def test_metadata_of_another_program_is_ignored(tmp_path, metadata):
    import pyarrow as pa
    import pyarrow.parquet as pq

    labels = np.arange(12)[:, None] % np.arange(2, 6)
    table = pa.table({f"run{j}": labels[:, j] for j in range(4)}).replace_schema_metadata({b"pandas": metadata})
    pq.write_table(table, tmp_path / "labels.parquet")
    done = run("consensus", tmp_path / "labels.parquet", "-k", "2")
    assert (done.exit_code, "12 objects, 4 base clusterings" in done.stderr) == (0, True)


@pytest.mark.long
def test_a_file_whose_name_is_no_text_has_a_report(file, tmp_path):
    odd = tmp_path / os.fsdecode(b"\xff.csv")
    odd.write_bytes(file.read_bytes())
    few = ["--ks", "3", "--draws", "2", "--halves", "2", "--nulls", "0", "--folds", "2", "--methods", "EAC"]
    done = run("report", odd, "-k", "3", *few, "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "?.csv" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
