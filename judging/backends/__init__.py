"""Where verdicts come from: one door to every backend."""

from __future__ import annotations

from typing import Final

from judging.backends.base import Backend, BackendFacts, CallBackend, RowBackend
from store.errors import BadInput
from store.project import Project
from store.records import JudgeVersion

__all__ = ["BACKENDS", "Backend", "BackendFacts", "CallBackend", "RowBackend", "calls_models", "open_backend"]

BACKENDS: Final = ("anthropic", "baseline", "code", "imported", "scripted")
"""Names a judge version may give; "scripted" is handed to the runner by whoever wrote the script."""


def calls_models(judge: JudgeVersion) -> bool:
    """Say whether a judge works by calls of a model, so that it has a recipe and a price."""
    return judge.backend in ("anthropic", "scripted")


def open_backend(judge: JudgeVersion, project: Project) -> Backend:
    """Make a judge's backend ready.

    Raises:
        BadInput: It has nothing to run, cannot be fitted, or is not known here.
    """
    # Each backend brings a heavy library along, so only the one that is needed is imported.
    if judge.backend == "anthropic":
        from judging.backends.anthropic_live import AnthropicBackend

        return AnthropicBackend.for_judge(judge)
    if judge.backend == "baseline":
        from judging.backends.baseline import BaselineBackend

        return BaselineBackend.fitted_for(judge, project)
    if judge.backend == "code":
        from judging.backends.code import CodeBackend

        return CodeBackend.for_judge(judge, project)
    if judge.backend == "imported":
        from judging.backends.imported import nothing_to_run

        raise nothing_to_run(judge)
    raise BadInput(
        f"judge {judge.name!r} has the backend {judge.backend!r}, which cannot be opened by name; "
        f"there are {', '.join(BACKENDS)}"
    )
