"""Write a standard: the definitions of a criterion, each edit a new version."""

from __future__ import annotations

from dataclasses import dataclass, replace

from store.errors import BadInput
from store.project import Project
from store.records import Criterion, JudgeKind


@dataclass(frozen=True)
class StandardTexts:
    """What a person typed."""

    pass_definition: str = ""
    fail_definition: str = ""
    facts_needed: str = ""
    note: str = ""
    """Why this version is written."""
    name: str = ""
    """Asked for only when the criterion is new."""


class StandardForm:
    """The next version of a criterion, or the first of a new one.

    Args:
        project: The open project.
        criterion: The newest version; None makes a new pass/fail criterion.
        author: Whose words they are.
    """

    def __init__(self, project: Project, criterion: Criterion | None, author: str) -> None:
        self.project = project
        self.criterion = criterion
        self.author = author

    @property
    def kind(self) -> JudgeKind:
        """What sort of verdict the criterion asks for."""
        return self.criterion.kind if self.criterion else JudgeKind.PASS_FAIL

    @property
    def texts(self) -> StandardTexts:
        """The definitions as they stand."""
        criterion = self.criterion
        if criterion is None:
            return StandardTexts()
        return StandardTexts(criterion.pass_definition, criterion.fail_definition, criterion.facts_needed)

    def differs(self, texts: StandardTexts) -> bool:
        """Say whether anything was typed that is not saved."""
        return texts != self.texts

    def write(self, texts: StandardTexts) -> Criterion:
        """Write the version; it is on disk when this returns.

        Raises:
            BadInput: A definition is missing, nothing differs, or the name is taken.
            StoreError: It could not be written.
        """
        needs_both = self.kind is JudgeKind.PASS_FAIL
        if needs_both and not (texts.pass_definition.strip() and texts.fail_definition.strip()):
            raise BadInput("both definitions are needed: what passes, and what fails")
        if self.criterion is None:
            return self._first(texts)
        if replace(texts, note="") == self.texts:
            raise BadInput(f"nothing differs from {self.criterion.name} v{self.criterion.version}")
        return self.project.criteria.add(self._filled(self.criterion, texts))

    def _first(self, texts: StandardTexts) -> Criterion:
        name = texts.name.strip()
        if not name:
            raise BadInput("the criterion needs a name: one word for one failure mode, e.g. allergen")
        if name in self.project.criteria:
            raise BadInput(f"there is a criterion {name!r} already: c chooses it")
        return self.project.criteria.add(self._filled(Criterion(name, 1, "", ""), texts))

    def _filled(self, criterion: Criterion, texts: StandardTexts) -> Criterion:
        return replace(
            criterion,
            pass_definition=texts.pass_definition,
            fail_definition=texts.fail_definition,
            facts_needed=texts.facts_needed,
            note=texts.note,
            author=self.author,
            at="",
        )
