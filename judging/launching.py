"""Start a run as a process of its own, which goes on when the program that started it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from store.project import Project

LOG_NAME: Final = "process.log"
"""In the run's folder: what the process writes for people, e.g. why it could not begin."""

_started: list[subprocess.Popen[bytes]] = []
"""Processes that were started here; asked from time to time so that none stays behind as a zombie."""


def resume_command(project: Project, run_id: str) -> list[str]:
    """Give the command that carries a run out."""
    # -P: the folder this is started in must not be searched for modules; it may hold anything.
    return [sys.executable, "-P", "-m", "tui.cli", "--project", str(project.root), "resume", run_id]


def start_process(project: Project, run_id: str) -> int:
    """Carry a run out in a process of its own and give its id.

    It has no terminal, reads nothing, writes into the run's folder, and is told what to do through
    that folder. The environment is inherited; a key in it is written nowhere.

    Raises:
        NotFound: There is no such run.
    """
    folder = project.runs.get(run_id).folder
    _started[:] = [process for process in _started if process.poll() is None]
    with open(folder / LOG_NAME, "ab") as log:
        process = subprocess.Popen(
            resume_command(project, run_id),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=_environment(),
        )
    _started.append(process)
    return process.pid


def _environment() -> dict[str, str]:
    """Let the process find this very code, also where it runs from a folder that is not installed."""
    home = Path(__file__).resolve().parents[1]
    if home.name == "site-packages":
        return dict(os.environ)
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(home), *([known] if known else [])])}
