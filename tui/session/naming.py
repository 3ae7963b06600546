"""What judges are called in lists and headings."""

from __future__ import annotations

from store.project import Project
from store.records import JudgeVersion


def versioned_name(project: Project, judge: JudgeVersion) -> str:
    """Name a judge version for people: name and number, e.g. "teach v2"."""
    return f"{judge.name} v{project.judges.number(judge)}"


def about_judge(judge: JudgeVersion) -> str:
    """Say in a few words how a judge works."""
    if judge.backend == "baseline":
        return "offline baseline"
    if judge.backend == "code":
        return "regular expression" if "pattern" in judge.params else "Python function"
    if judge.backend == "imported":
        return "recorded elsewhere"
    several = judge.params.get("n")
    drawn = f" x{several}" if isinstance(several, int) and several > 1 else ""
    return f"{judge.recipe}{drawn} {judge.model}".strip()
