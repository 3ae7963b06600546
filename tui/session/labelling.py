"""Labelling: the queue, the cursor, the note, undo and redo. A label is on disk before anything moves."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from store.project import Project
from store.records import LABEL_WORDS, AnyTrace, Criterion, Decision, JudgeKind, Label, Order, Pair, PileName
from tui.session.queue import QueueOrder, RowOrder

RECENT = 20
"""Labels that the pace is worked out from."""


@dataclass(frozen=True)
class Standing:
    """Where the person stands in the queue."""

    done: int
    total: int
    tally: Mapping[str, int]
    pace: float | None
    """Median seconds of the last labels; None before the first."""


class LabelSession:
    """One person labelling one criterion."""

    def __init__(
        self,
        project: Project,
        criterion: Criterion,
        annotator: str,
        *,
        order: QueueOrder = QueueOrder.RANDOM,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.project = project
        self.criterion = criterion
        self.annotator = annotator
        self._clock = clock
        self._seed = seed
        self._seconds: list[float] = []
        self.note = ""
        """What will be written with the next label of the trace at hand."""
        self.half_typed: str | None = None
        """What stands in the note's field while it is open."""
        self._drafts: dict[str, str] = {}
        """Notes that wait for the label of their trace."""
        self.trace: AnyTrace | None = None
        """The trace at hand; None when there is nothing to label."""
        self.position = -1
        self._ahead: tuple[int, AnyTrace] | None = None
        self._none_open = False
        self.reorder(order)

    # The queue ------------------------------------------------------------------------------------

    @property
    def order(self) -> QueueOrder:
        """How the queue is ordered."""
        return self._order

    def reorder(self, order: QueueOrder) -> None:
        """Order the queue anew and go to its first row that is not labelled."""
        self._order = order
        self._queue = RowOrder(self.project.rows_for(self.criterion.name), order, self._seed)
        self.position = -1
        self._ahead = None
        self._none_open = False
        if not self.advance():
            self._go(self._find(0, 1, lambda row: self._fits(row)))

    def _fits(self, row: int) -> bool:
        return self.project.traces.is_pair(row) == (self.criterion.kind is JudgeKind.PAIRWISE)

    def _is_open(self, row: int) -> bool:
        return self._fits(row) and self._label_on(self.project.traces.id_at(row)) is None

    def _is_unsure(self, row: int) -> bool:
        label = self._label_on(self.project.traces.id_at(row))
        return label is not None and label.verdict == Decision.UNSURE

    def _label_on(self, trace: str) -> Label | None:
        return self.project.labels.of(self.criterion.name, self.annotator, trace)

    def _find(self, start: int, step: int, fits: Callable[[int], bool]) -> int | None:
        position = start
        while 0 <= position < len(self._queue):
            if fits(self._queue.row(position)):
                return position
            position += step
        return None

    def _next_open(self, after: int) -> int | None:
        """Find the next row to label: unlabelled after here, then before, then those marked unsure."""
        found = None
        if not self._none_open:
            found = self._find(after + 1, 1, self._is_open)
            if found is None:
                found = self._find(0, 1, self._is_open)
            # Remembered, or the last labels would each look through the whole queue again.
            self._none_open = found is None
        if found in (None, after) and self._tally.get(Decision.UNSURE):
            found = self._find(after + 1, 1, self._is_unsure)
            if found is None:
                found = self._find(0, 1, self._is_unsure)
        return None if found == after else found

    def changed_elsewhere(self) -> None:
        """Forget what was found in the queue: another process of this person may have changed labels."""
        self._none_open = False
        self._ahead = None

    @property
    def _tally(self) -> Mapping[str, int]:
        return self.project.labels.tally(self.criterion.name, self.annotator)

    def advance(self) -> bool:
        """Go to the next row that needs a label; say whether there was one."""
        return self._go(self._next_open(self.position))

    def step(self, direction: int) -> bool:
        """Go one row on (1) or back (-1), labelled or not; say whether there was one."""
        return self._go(self._find(self.position + direction, direction, self._fits))

    def go_to(self, trace: str) -> bool:
        """Go to a trace by its id; say whether the queue has it."""
        row = self.project.traces.row_of(trace)
        if row is None:
            return False
        return self._go(self._find(0, 1, lambda one: one == row))

    def _go(self, position: int | None) -> bool:
        if position is None:
            return False
        if self._ahead is not None and self._ahead[0] == position:
            trace = self._ahead[1]
        else:
            trace = self.project.traces.at(self._queue.row(position))
        self.position, self.trace, self._ahead = position, trace, None
        label = self.label
        self.note = self._drafts.get(trace.id, label.note if label else "")
        self._drawn_at = self._clock()
        return True

    def look_ahead(self) -> AnyTrace | None:
        """Read the trace that a label would bring up next, so that it can be prepared meanwhile."""
        position = self._next_open(self.position)
        if position is None or position == self.position:
            return None
        if self._ahead is None or self._ahead[0] != position:
            self._ahead = (position, self.project.traces.at(self._queue.row(position)))
        return self._ahead[1]

    # Deciding -------------------------------------------------------------------------------------

    @property
    def is_sealed(self) -> bool:
        """Whether the trace at hand lies in a hold-out that is not open."""
        if self.trace is None or self.project.ledger.of(self.criterion.name):
            return False
        return self.project.piles.pile_of(self.criterion.name, self.trace.id) is PileName.HOLDOUT

    @property
    def label(self) -> Label | None:
        """This person's label on the trace at hand; hidden while it is sealed."""
        if self.trace is None or self.is_sealed:
            return None
        return self._label_on(self.trace.id)

    @property
    def shown_order(self) -> Order | None:
        """For pairs: which answer is drawn first for this person, the same each time."""
        return self.order_of(self.trace) if isinstance(self.trace, Pair) else None

    def order_of(self, trace: AnyTrace) -> Order:
        """Say which answer of a pair is drawn first for this person; drawn by lot, the same each time."""
        if not isinstance(trace, Pair):
            return Order.AB
        coin = random.Random(f"{self._seed} {self.annotator} {trace.id}").random()
        return Order.AB if coin < 0.5 else Order.BA

    @property
    def words(self) -> tuple[str, ...]:
        """What a person may say here; empty for kinds that are not labelled with single keys."""
        return LABEL_WORDS.get(self.criterion.kind, ())

    def decide(self, verdict: str) -> Label:
        """Write a label for the trace at hand; it is on disk when this returns. The cursor stays.

        Raises:
            StoreError: It could not be written; nothing moved.
            BadInput: The word does not fit the criterion's kind.
        """
        return self._write(verdict, self.note, self._clock() - self._drawn_at)

    def write_note(self, note: str) -> bool:
        """Keep a note: at once when the trace has a label, otherwise with the label to come.

        Returns:
            Whether it is on disk.
        """
        label = self.label
        if label is None or label.verdict is None:
            self.note = note
            if self.trace is not None:
                self._keep_draft(self.trace.id, note)
            return False
        if label.note != note:
            self._write(label.verdict, note, None)
        self.note = note
        return True

    def _keep_draft(self, trace: str, note: str) -> None:
        if note.strip():
            self._drafts[trace] = note
        else:
            self._drafts.pop(trace, None)

    @property
    def has_unsaved_note(self) -> bool:
        """Whether leaving now would lose a note: half typed, or waiting for its label."""
        typing = self.half_typed is not None and self.half_typed != self.note
        return typing or bool(self._drafts)

    def _write(self, verdict: str, note: str, seconds: float | None) -> Label:
        if self.trace is None:
            raise LookupError("there is no trace at hand")
        written = self.project.labels.add(
            Label(
                trace=self.trace.id,
                criterion=self.criterion.name,
                version=self.criterion.version,
                verdict=verdict,
                annotator=self.annotator,
                note=note,
                seconds=None if seconds is None else round(seconds, 2),
                queue=f"{self._order} seed {self._seed}"
                if self._order is QueueOrder.RANDOM
                else str(self._order),
                shown_order=self.shown_order,
            ),
            self.criterion.kind,
        )
        if seconds is not None:
            self._seconds.append(seconds)
        self._drafts.pop(self.trace.id, None)
        return written

    def undo(self) -> Label | None:
        """Take the newest decision back and go to its trace; None when nothing is left to undo.

        The note of a decision taken back stands ready for the next one on that trace.
        """
        label = self._step_back(self.project.labels.undo)
        if label is not None and self.trace is not None and self.trace.id == label.trace:
            self.note = self.note or ("" if self.is_sealed else label.note)
        return label

    def redo(self) -> Label | None:
        """Bring the last undone decision back and go to its trace; None when there is none."""
        return self._step_back(self.project.labels.redo)

    def _step_back(self, book_step: Callable[[str, str], Label | None]) -> Label | None:
        label = book_step(self.criterion.name, self.annotator)
        if label is not None:
            self._none_open = False
            self._ahead = None
            self.go_to(label.trace)
        return label

    # Looking around -------------------------------------------------------------------------------

    def scan(self, text: str, direction: int = 1) -> Iterator[int | None]:
        """Look for the rows of the queue that hold a text, one row a step, so that keys go in between.

        Args:
            text: What to look for, case ignored.
            direction: 1 for the rows after this one, -1 for those before.

        Yields:
            The position of a row that holds it, or None for one that does not.
        """
        shelf = self.project.traces
        position = self.position + direction
        while 0 <= position < len(self._queue):
            row = self._queue.row(position)
            found = self._fits(row) and next(shelf.search(text, iter((row,))), None) is not None
            yield position if found else None
            position += direction

    def go(self, position: int) -> bool:
        """Go to a position of the queue; say whether there is one."""
        return self._go(position)

    def standing(self) -> Standing:
        """Say where the person stands."""
        tally = self._tally
        recent = sorted(self._seconds[-RECENT:])
        return Standing(
            done=sum(tally.values()),
            total=len(self._queue),
            tally=tally,
            pace=recent[len(recent) // 2] if recent else None,
        )
