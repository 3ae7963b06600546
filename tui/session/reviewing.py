"""Reading where a judge and people differ: causes, changed labels, notes, and what was not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from judging.disagreeing import Difference, Disagreement, causes_counted, disagreements
from judging.joining import Join, join, verdicts_of
from store.causes import STANDARD_CAUSES
from store.identity import utc_now
from store.project import Project
from store.records import (
    SETTLED,
    AnyTrace,
    Cause,
    Criterion,
    Decision,
    JudgeKind,
    JudgeVersion,
    Label,
    LabelAction,
    Order,
    PileName,
    Verdict,
)

QUEUE = "disagreement"
"""How a label came up that was decided beside the judge's verdict."""


@dataclass(frozen=True)
class Compared:
    """What a judge's verdicts and people's labels come to, read at one moment."""

    joined: Join
    other_order: Mapping[str, Verdict] = field(default_factory=dict)
    """For pairs: by trace, the verdict when B was shown first."""


def read_compared(project: Project, judge: JudgeVersion, pile: PileName | None) -> Compared:
    """Read a judge's runs and join them with the labels; takes long for many verdicts: not in the loop.

    Raises:
        Sealed: The hold-out was asked for and is not open.
        StoreError: A run cannot be read.
    """
    other: dict[str, Verdict] = {}
    if judge.kind is JudgeKind.PAIRWISE:
        for (trace, order), verdict in verdicts_of(project, judge).items():
            if order is Order.BA:
                other[trace] = verdict
    return Compared(join(project, judge, pile=pile), other)


def piles_offered(project: Project, criterion: str) -> tuple[PileName | None, ...]:
    """Give the piles to choose from: all rows, dev, train, and the hold-out once it is open."""
    offered = [pile for pile in (PileName.DEV, PileName.TRAIN) if project.piles.members(criterion, pile)]
    if not project.sealed(criterion) and project.piles.members(criterion, PileName.HOLDOUT):
        offered.append(PileName.HOLDOUT)
    return (None, *offered)


def first_pile(project: Project, criterion: str) -> PileName | None:
    """Give the pile to begin with: dev once piles are dealt, since judges learn from train."""
    return PileName.DEV if project.piles.members(criterion, PileName.DEV) else None


def pile_words(pile: PileName | None) -> str:
    """Name a pile for people; None is every row that is not sealed."""
    return "all" if pile is None else str(pile)


@dataclass(frozen=True)
class Relabelled:
    """A label that was changed, and what it was."""

    before: Label
    after: Label


class Review:
    """One person reading one judge's disagreements."""

    def __init__(
        self,
        project: Project,
        criterion: Criterion,
        judge: JudgeVersion,
        annotator: str,
        *,
        pile: PileName | None = None,
    ) -> None:
        self.project = project
        self.criterion = criterion
        self.judge = judge
        self.annotator = annotator
        self.pile = pile
        self.compared: Compared | None = None
        """None until it has been read."""
        self.found: tuple[Disagreement, ...] = ()
        self.position = 0
        self._relabelled: list[Relabelled] = []

    # What there is to read ----------------------------------------------------------------------

    def take(self, compared: Compared) -> None:
        """Take in what was read; the cursor stays on its trace, or where that was."""
        at_hand = self.at_hand
        self.compared = compared
        self._list()
        if at_hand is not None:
            self.go_to(at_hand.trace)

    def _list(self) -> None:
        if self.compared is not None:
            causes = self.project.causes.of(self.criterion.name, self.judge.hash)
            self.found = disagreements(self.compared.joined, causes)
        self.position = max(0, min(self.position, len(self.found) - 1))

    @property
    def at_hand(self) -> Disagreement | None:
        """The disagreement under the cursor."""
        return self.found[self.position] if self.found else None

    @property
    def rows(self) -> int:
        """How many rows were compared."""
        return len(self.compared.joined.rows) if self.compared else 0

    @property
    def kinds(self) -> Mapping[Difference, int]:
        """Count the disagreements by direction."""
        return Counter(one.kind for one in self.found)

    @property
    def causes(self) -> tuple[tuple[str, int], ...]:
        """Count the causes given, the most frequent first."""
        return causes_counted(self.found)

    def trace(self, index: int) -> AnyTrace:
        """Read the trace of one disagreement."""
        return self.project.traces.get(self.found[index].trace)

    def other_order(self, one: Disagreement) -> Verdict | None:
        """Give the verdict when B was shown first, for pairs judged in both orders."""
        return self.compared.other_order.get(one.trace) if self.compared else None

    # Moving -------------------------------------------------------------------------------------

    def step(self, by: int) -> bool:
        """Go some disagreements on or back; say whether there was one."""
        position = self.position + by
        if not 0 <= position < len(self.found):
            return False
        self.position = position
        return True

    def go_to(self, trace: str) -> bool:
        """Go to a trace's disagreement; say whether it is one."""
        for position, one in enumerate(self.found):
            if one.trace == trace:
                self.position = position
                return True
        return False

    # Deciding -----------------------------------------------------------------------------------

    def set_cause(self, digit: int) -> str | None:
        """Give the disagreement at hand a cause by its key, or take it back with 0; the cursor stays.

        Returns:
            The cause in force, None after 0.

        Raises:
            LookupError: There is no disagreement at hand.
            StoreError: It could not be written.
        """
        one = self._at_hand()
        cause = STANDARD_CAUSES[digit - 1] if digit else None
        if cause != one.cause:
            self.project.causes.append(
                Cause(one.trace, self.criterion.name, self.judge.hash, cause, self.annotator, utc_now())
            )
            self._list()
        return cause

    def relabel(self) -> Relabelled:
        """Change the label to what the judge says; the row is then no disagreement any more.

        Whoever alone labelled the row changes their own label. Otherwise a settled label is written, and
        what each person said stays.

        Raises:
            LookupError: There is no disagreement at hand.
            StoreError: It could not be written; nothing changed.
        """
        one = self._at_hand()
        label = one.row.label
        written = self._write(
            replace(
                label,
                verdict=one.row.verdict.verdict,
                version=self.criterion.version,
                queue=QUEUE,
                revealed=True,
                seconds=None,
                probability=None,
            )
        )
        self._relabelled.append(Relabelled(label, written))
        return self._relabelled[-1]

    def write_note(self, note: str) -> Label:
        """Write a note with the label at hand, as a new record that says how it was decided as before.

        Raises:
            LookupError: There is no disagreement at hand.
            StoreError: It could not be written; nothing changed.
        """
        label = self._at_hand().row.label
        return label if label.note == note else self._write(replace(label, note=note))

    def take_back(self) -> Relabelled | None:
        """Take back the change of label made last here; None when there is none, or something came after.

        An undo takes back a person's newest decision. If that is another one by now, it is brought
        back at once and the change stays: it can still be changed by hand.

        Raises:
            StoreError: It could not be written.
        """
        if not self._relabelled:
            return None
        changed = self._relabelled.pop()
        labels = self.project.labels
        taken = labels.undo(self.criterion.name, changed.after.annotator)
        if taken is None or taken.id != changed.after.id:
            if taken is not None:
                labels.redo(self.criterion.name, changed.after.annotator)
            return None
        self._replace(changed.before)
        self.go_to(changed.before.trace)
        return changed

    def _at_hand(self) -> Disagreement:
        one = self.at_hand
        if one is None:
            raise LookupError("there is no disagreement at hand")
        return one

    def _write(self, label: Label) -> Label:
        record = replace(
            label, annotator=self._writer(label.trace), at="", action=LabelAction.LABEL, target=None, id=0
        )
        written = self.project.labels.add(record, self.criterion.kind)
        self._replace(written)
        return written

    def _writer(self, trace: str) -> str:
        """Say under which name a changed label goes: the person's own where nobody else decided."""
        labels, name = self.project.labels, self.criterion.name
        said = {who: labels.of(name, who, trace) for who in labels.annotators(name)}
        deciders = {who for who, label in said.items() if label and label.verdict != Decision.UNSURE}
        return self.annotator if deciders == {self.annotator} else SETTLED

    def _replace(self, label: Label) -> None:
        """Put another label into what was read, and list what differs now."""
        if self.compared is not None:
            joined = self.compared.joined
            rows = tuple(
                replace(row, label=label) if row.trace == label.trace else row for row in joined.rows
            )
            self.compared = replace(self.compared, joined=replace(joined, rows=rows))
        self._list()
