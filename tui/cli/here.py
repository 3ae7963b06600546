"""What the commands have in common: which project, criterion, judge and run is meant."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import BadInput
from store.project import Project, find_root
from store.records import Criterion, JudgeVersion, PileName
from tui.cli.output import Output

if TYPE_CHECKING:
    from store.runs import RunFolder


def project_root(arguments: Namespace) -> Path:
    """Give the folder that holds the project a command is about.

    Raises:
        ProjectNotFound: There is none.
    """
    named = getattr(arguments, "project", None)
    return Path(named) if named else find_root(Path.cwd())


def open_project(arguments: Namespace, output: Output) -> Project:
    """Open the project that a command is about and say what the store had to repair.

    Raises:
        ProjectNotFound: There is none.
        StoreDamaged: A file cannot be read back.
    """
    project = Project(project_root(arguments))
    for notice in project.notices:
        output.progress(f"note: {notice}")
    return project


def criterion_of(project: Project, name: str | None) -> Criterion:
    """Give the criterion of that name, or the only one there is.

    Raises:
        NotFound: There is none of that name.
        BadInput: No name was given and there is not exactly one.
    """
    if name:
        return project.criteria.latest(name)
    names = project.criteria.names()
    if len(names) == 1:
        return project.criteria.latest(names[0])
    if not names:
        raise BadInput("there is no criterion yet: `adjudge criterion new NAME --pass TEXT --fail TEXT`")
    raise BadInput(f"--criterion NAME is needed: there are {', '.join(names)}")


def judge_of(project: Project, reference: str, criterion: str | None) -> JudgeVersion:
    """Give a judge version and check that it judges the criterion that was named with it.

    Raises:
        NotFound: There is no such judge.
        BadInput: It judges another criterion.
    """
    judge = project.judges.get(reference)
    if criterion and judge.criterion != criterion:
        raise BadInput(f"judge {judge.name!r} judges {judge.criterion!r}, not {criterion!r}")
    return judge


def run_of(project: Project, reference: str | None, judge: JudgeVersion | None) -> RunFolder | None:
    """Give the run of a reference ("latest": the judge's newest), or None when none was named."""
    if reference is None:
        return None
    return project.runs.get(reference, judge=judge.hash if judge else None)


def pile_of(name: str | None) -> PileName | None:
    """Give the pile of a name."""
    return PileName(name) if name else None
