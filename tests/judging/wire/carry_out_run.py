"""Carries a run out in a process of its own, as a test's victim: python carry_out_run.py PROJECT RUN."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from judging.running import carry_out
from store.project import Project

if __name__ == "__main__":
    with Project(Path(sys.argv[1])) as project:
        outcome = asyncio.run(carry_out(project, project.runs.get(sys.argv[2])))
        sys.exit(130 if outcome.interrupted else 0)
