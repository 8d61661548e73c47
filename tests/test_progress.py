"""One line for each finished job, and few of a job that takes long."""

import io
import logging

import pytest

from consclust_studies.progress import (
    RESULT,
    VARIABLE,
    Finished,
    Seldom,
    make_terminal_handler,
    percent,
    show_finished_jobs,
)


def record(event=None, msg="", level=logging.INFO, **fields):
    made = logging.LogRecord("snakemake", level, "", 0, msg, None, None)
    vars(made).update(fields, **({"event": event} if event else {}))
    return made


@pytest.fixture
def terminal(monkeypatch):
    """A logger like Snakemake's, with its handler for the terminal, whose text is returned."""
    monkeypatch.setenv(VARIABLE, "")
    text = io.StringIO()
    logger = logging.Logger("snakemake", logging.INFO)
    handler = logging.StreamHandler(text)
    handler.name = "DefaultStreamHandler"
    logger.addHandler(handler)
    return logger, text


def begin(logger, number, title, *logs):
    logger.handle(record("job_info", f"Job {number}", jobid=number, rule_msg=title, rule_name="rule", log=list(logs)))


def end(logger, numbers, done, total):
    for number in numbers:
        logger.handle(record("job_finished", f"Finished jobid: {number}", job_id=number))
    logger.handle(record("progress", None, done=done, total=total))


def test_a_finished_job_is_the_last_line_of_its_log_with_the_number_of_jobs(terminal, tmp_path):
    logger, text = terminal
    assert show_finished_jobs(logger)
    log = tmp_path / "a.log"
    begin(logger, 3, "rce: RCE on yale", str(log))
    assert text.getvalue() == ""
    log.write_text("RCE on yale: subset 1 of 10\nrce: RCE on yale: 405 fits in 41 s\n")
    end(logger, [3], 12, 937)
    (line,) = text.getvalue().splitlines()
    assert line.startswith("rce: RCE on yale: 405 fits in 41 s")
    assert "12 of 937" in line
    assert "1 %" in line


def test_jobs_of_a_group_are_a_line_each_and_none_is_shown_twice(terminal):
    logger, text = terminal
    show_finished_jobs(logger)
    begin(logger, 1, "one")
    begin(logger, 2, "two", "gone.log")
    end(logger, [1, 2], 2, 4)
    end(logger, [], 2, 4)
    assert [line.split(";")[0] for line in text.getvalue().splitlines()] == ["one", "two"]


def test_what_snakemake_says_beside_jobs_stays(terminal):
    logger, text = terminal
    show_finished_jobs(logger)
    logger.handle(record(None, "Building DAG of jobs..."))
    logger.handle(record(None, "Select jobs to execute..."))
    logger.handle(record("job_started", "Execute 1 jobs...", jobs=[1]))
    logger.handle(record("job_error", "Error in rule consensus", level=logging.ERROR))
    logger.handle(record("shellcmd", "python -m consclust_studies"))
    assert text.getvalue().splitlines() == [
        "Building DAG of jobs...", "Error in rule consensus", "python -m consclust_studies",
    ]  # fmt: skip


def test_another_logger_shows_jobs_in_its_own_way(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    logger = logging.Logger("snakemake")
    logger.addHandler(logging.NullHandler())
    assert not show_finished_jobs(logger)
    assert len(logger.handlers) == 1
    assert not make_terminal_handler().filters, "the jobs show their results themselves"


def test_jobs_are_told_that_the_run_shows_their_results(terminal):
    show_finished_jobs(terminal[0])
    assert make_terminal_handler().filters


def test_a_long_job_shows_one_message_a_minute_and_all_warnings(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    seldom = Seldom(60)
    shown = []
    for second in range(0, 200, 15):
        clock[0] = 100.0 + second
        if seldom.filter(record(msg="fits")):
            shown.append(second)
    assert shown == [60, 120, 180]
    clock[0] += 100
    assert not seldom.filter(record(msg="result", **RESULT))
    assert seldom.filter(record(msg="odd", level=logging.WARNING))


@pytest.mark.parametrize(("done", "text"), [(0, "0 %"), (1, "0 %"), (936, "99 %"), (937, "100 %")])
def test_a_share_is_100_percent_at_the_end_alone(done, text):
    assert percent(done, 937) == text


def test_a_job_that_is_not_known_is_shown_by_its_number():
    stream = io.StringIO()
    finished = Finished(stream)
    finished.emit(record("job_finished", job_id=7))
    finished.emit(record("progress", done=1, total=2))
    assert "7" in stream.getvalue()
