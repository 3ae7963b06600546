"""The book of labels: every decision ever made, the current one of each person, undo and redo.

Undo and redo are records too: an undo restates what a trace goes back to and names the record it
takes back, so the history never changes and the chain of undos survives a restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from store.books import Book
from store.errors import BadInput
from store.identity import utc_now
from store.journal import JournalDB
from store.records import LABEL_WORDS, SETTLED, Decision, JudgeKind, Label, LabelAction

Key = tuple[str, str]
"""(criterion, annotator)"""


@dataclass(frozen=True)
class Reference:
    """What people say of each trace, one word a trace: the yardstick for a judge."""

    labels: Mapping[str, Label]
    """Decided labels by trace; unsure and unlabelled rows are not here."""
    conflicts: tuple[str, ...] = ()
    """Traces on which people differ and no settled label says which is right; not in `labels`."""
    unsure: tuple[str, ...] = ()
    """Traces that somebody looked at and nobody could decide."""


@dataclass
class _Person:
    """What one annotator did for one criterion."""

    current: dict[str, Label] = field(default_factory=dict)
    tally: Counter[str] = field(default_factory=Counter)
    done: list[int] = field(default_factory=list)
    """Records that an undo can take back, oldest first."""
    undone: list[int] = field(default_factory=list)
    """Records that a redo can bring back, the next one last."""

    def forget(self) -> None:
        """Empty it; whoever looks at it through a view goes on seeing it."""
        self.current.clear()
        self.tally.clear()
        self.done.clear()
        self.undone.clear()


class LabelBook(Book[Label]):
    """All labels of a project."""

    table_name = "labels"
    record_type = Label

    def __init__(self, db: JournalDB) -> None:
        self._people: dict[Key, _Person] = {}
        super().__init__(db)

    def _reset(self) -> None:
        self._records: dict[int, Label] = {}
        self._before: dict[int, int | None] = {}
        """For each label record, the record that was current on its trace before it."""
        for person in self._people.values():
            person.forget()

    def _person(self, criterion: str, annotator: str) -> _Person:
        person = self._people.get((criterion, annotator))
        if person is None:
            person = self._people[criterion, annotator] = _Person()
        return person

    def _apply(self, doc_id: int, record: Label) -> None:
        # The record was decoded a moment ago and nobody has it yet; a copy of each would double the time
        # it takes to open a project.
        object.__setattr__(record, "id", doc_id)
        self._records[doc_id] = record
        person = self._person(record.criterion, record.annotator)
        if record.action is LabelAction.LABEL:
            earlier = person.current.get(record.trace)
            self._before[doc_id] = earlier.id if earlier else None
            person.done.append(doc_id)
            person.undone.clear()
        elif record.action is LabelAction.UNDO and person.done and person.done[-1] == record.target:
            person.undone.append(person.done.pop())
        elif record.action is LabelAction.REDO and person.undone and person.undone[-1] == record.target:
            person.done.append(person.undone.pop())
        earlier = person.current.pop(record.trace, None)
        if earlier is not None and earlier.verdict is not None:
            person.tally[earlier.verdict] -= 1
        if record.verdict is not None:
            person.current[record.trace] = record
            person.tally[record.verdict] += 1

    # Writing -------------------------------------------------------------------------------------

    def add(self, label: Label, kind: JudgeKind = JudgeKind.PASS_FAIL) -> Label:
        """Write a decision; it is on disk when this returns.

        Args:
            label: The decision; `at` is filled in when empty, `id` is given by the book.
            kind: The criterion's kind, which says which words are allowed.

        Raises:
            BadInput: The verdict is no word of this kind, or there is no annotator.
        """
        words = LABEL_WORDS.get(kind)
        if label.verdict is not None and words is not None and label.verdict not in words:
            raise BadInput(f"{label.verdict!r} is not one of {', '.join(words)}")
        if not label.annotator:
            raise BadInput("a label needs an annotator's name")
        doc_id = self.append(label if label.at else replace(label, at=utc_now()))
        return self._records[doc_id]

    def undo(self, criterion: str, annotator: str) -> Label | None:
        """Take the newest decision back that is not taken back yet.

        Returns:
            The record that was taken back, or None when nothing is left to undo.
        """
        with self.exclusive():
            person = self._person(criterion, annotator)
            if not person.done:
                return None
            target = self._records[person.done[-1]]
            before = self._before[target.id]
            restored = self._records[before] if before else replace(target, verdict=None, note="")
            self.append(_restating(restored, LabelAction.UNDO, target.id))
        return target

    def redo(self, criterion: str, annotator: str) -> Label | None:
        """Bring the decision back that was undone last.

        Returns:
            The record that is in force again, or None when nothing was undone since the last label.
        """
        with self.exclusive():
            person = self._person(criterion, annotator)
            if not person.undone:
                return None
            target = self._records[person.undone[-1]]
            self.append(_restating(target, LabelAction.REDO, target.id))
        return target

    # Reading -------------------------------------------------------------------------------------

    def current(self, criterion: str, annotator: str) -> Mapping[str, Label]:
        """Give one person's labels in force by trace, as a live view; rows taken back are left out."""
        return MappingProxyType(self._person(criterion, annotator).current)

    def tally(self, criterion: str, annotator: str) -> Mapping[str, int]:
        """Count one person's labels in force by verdict, as a live view."""
        return MappingProxyType(self._person(criterion, annotator).tally)

    def of(self, criterion: str, annotator: str, trace: str) -> Label | None:
        """Give one person's label on one trace, or None."""
        return self.current(criterion, annotator).get(trace)

    def annotators(self, criterion: str) -> tuple[str, ...]:
        """Name everybody who labelled for a criterion, the settled labels' name included."""
        return tuple(
            sorted(
                annotator
                for (name, annotator), person in self._people.items()
                if name == criterion and person.current
            )
        )

    def history(self, criterion: str | None = None, trace: str | None = None) -> Iterator[Label]:
        """Give every record in the order written, undos included."""
        for label in tuple(self._records.values()):
            if criterion in (None, label.criterion) and trace in (None, label.trace):
                yield label

    def reference(self, criterion: str, annotator: str | None = None) -> Reference:
        """Give the yardstick for a judge.

        Args:
            criterion: Its name.
            annotator: One person's labels, or "settled" for settled ones only. None: the settled
                label where there is one, otherwise what everybody who decided agrees on.
        """
        if annotator is not None:
            return _decided(self.current(criterion, annotator))
        # A settled label counts whatever it says: settled as unsure, a row is nobody's yardstick.
        settled = self.current(criterion, SETTLED)
        votes: dict[str, list[Label]] = {}
        for name in self.annotators(criterion):
            if name != SETTLED:
                for trace, label in self.current(criterion, name).items():
                    if trace not in settled:
                        votes.setdefault(trace, []).append(label)
        found = _decided(settled)
        labels = dict(found.labels)
        conflicts: list[str] = []
        unsure = list(found.unsure)
        for trace, cast in votes.items():
            decided = [label for label in cast if label.verdict != Decision.UNSURE]
            if not decided:
                unsure.append(trace)
            elif len({label.verdict for label in decided}) > 1:
                conflicts.append(trace)
            else:
                labels[trace] = next((label for label in decided if label.note), decided[0])
        return Reference(labels, tuple(conflicts), tuple(unsure))


def _decided(labels: Mapping[str, Label]) -> Reference:
    return Reference(
        {trace: label for trace, label in labels.items() if label.verdict != Decision.UNSURE},
        unsure=tuple(trace for trace, label in labels.items() if label.verdict == Decision.UNSURE),
    )


def _restating(label: Label, action: LabelAction, target: int) -> Label:
    return replace(label, action=action, target=target, at=utc_now(), id=0)
