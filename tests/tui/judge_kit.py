"""The lesson's project with dealt piles, and judges made on it by the form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lesson

from judging.dealing import split
from store.project import Project
from store.records import JudgeVersion
from tui.session.judgeform import JudgeForm

MODEL = "claude-sonnet-5-5"


@contextmanager
def dealt(root: Path) -> Iterator[Project]:
    """Give the lesson's project, its labels dealt into piles, its recorded judge named teach."""
    with lesson.bakery(root) as project:
        split(project, "allergen", seed=0)
        yield project


def made(project: Project, parent: JudgeVersion | None = None, **fields: str) -> JudgeVersion:
    """Make a judge as the form does."""
    form = JudgeForm(project, project.criteria.latest("allergen"), parent)
    form.take(**({"name": "strict", "model": MODEL} if parent is None else {}) | fields)
    return form.make().judge
