"""What a recipe needs to know of each row of a project, gathered once for a judge version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judging.recipes import RecipeContext
from store.project import Project
from store.records import AnyTrace, Criterion, Example, JudgeVersion, Order


@dataclass(frozen=True)
class JudgeContexts:
    """Gives the recipe's context for any row of a project."""

    project: Project
    judge: JudgeVersion
    criterion: Criterion
    examples: Sequence[tuple[AnyTrace, Example]]

    @classmethod
    def of(cls, project: Project, judge: JudgeVersion) -> JudgeContexts:
        """Gather the judge's standard and examples.

        Raises:
            NotFound: The criterion's version or an example is not there.
        """
        return cls(
            project,
            judge,
            project.criteria.version(judge.criterion, judge.criterion_version),
            [(project.traces.get(example.trace), example) for example in judge.examples],
        )

    def at(self, trace: str, order: Order | None = None, repeat: int = 0) -> RecipeContext:
        """Give the context of one row.

        Raises:
            NotFound: There is no such trace.
        """
        row = self.project.traces.get(trace)
        return RecipeContext(row, self.judge, self.criterion, self.examples, order, repeat)
