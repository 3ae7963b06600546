"""A run in a process of its own: the command, and that it is detached and writes into the run's folder."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from run_kit import add_judge, add_run, make_project

from judging import launching
from store.errors import NotFound


def test_the_command_resumes_the_run_of_this_project_with_this_python(tmp_path: Path) -> None:
    with make_project(tmp_path, 1) as project:
        command = launching.resume_command(project, "r1")
    assert command[0] == sys.executable
    assert command[-4:] == ["--project", str(tmp_path.resolve()), "resume", "r1"]


def test_a_started_process_leads_a_session_of_its_own_and_speaks_into_the_runs_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os; print(os.getsid(0) == os.getpid(), os.environ['ANTHROPIC_API_KEY'][:3], flush=True)"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-made-up")
    monkeypatch.setattr(launching, "resume_command", lambda _project, _run: [sys.executable, "-c", code])
    with make_project(tmp_path, 1) as project:
        run = add_run(project, add_judge(project))
        pid = launching.start_process(project, run.id)
        log = run.folder / launching.LOG_NAME
        deadline = time.monotonic() + 20
        while not log.read_bytes():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process = launching._started.pop()
        assert (process.pid, process.wait(20)) == (pid, 0)
        assert log.read_text() == "True sk-\n"
        assert not any(b"made-up" in path.read_bytes() for path in run.folder.iterdir())


def test_a_run_that_is_not_there_starts_nothing(tmp_path: Path) -> None:
    with make_project(tmp_path, 1) as project, pytest.raises(NotFound):
        launching.start_process(project, "r-nope")
