"""Following one run by its files, in slices short enough for the app's loop."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from store.errors import StoreError
from store.runrecords import RunPlan, RunState
from store.runs import ENDED, Entry, RunFolder, RunReader
from tui.session.runprogress import RunProgress, moment

SLICE: Final = 0.02
"""Seconds that one look at a log may take."""

_AT_ONCE: Final = 400_000
"""Bytes of a log between two looks at the clock; some milliseconds' work."""

_WINDOW: Final = 60.0
"""Seconds that the present rate is worked out from."""
_SHORTEST: Final = 5.0
"""Seconds below which a rate would be noise."""


@dataclass(frozen=True)
class RunLine:
    """A run in a list."""

    id: str
    judge: str
    criterion: str
    slice: str
    state: RunState
    detail: str
    done: int
    asked: int
    cost_usd: float
    unpriced: int
    """Calls whose price is unknown; above 0 the cost is only what is known of it."""
    is_readable: bool = True
    """False when its files cannot be read; `detail` then says why."""

    @property
    def is_open(self) -> bool:
        """Whether its process is at work."""
        return self.state in (RunState.RUNNING, RunState.PAUSED)


@dataclass(frozen=True)
class Pace:
    """How quickly a run goes on."""

    per_minute: float | None
    """None before it can be said."""
    left: float | None
    """Seconds until the end at this pace."""
    seconds: float
    """At work so far."""


class RunWatch:
    """Follows one run; whoever shows it calls `poll` a few times a second.

    Args:
        run: Which run.
        clock: For the length of a slice.
        now: Wall clock in seconds since 1970, which the log's own moments are held against.
    """

    def __init__(
        self,
        run: RunFolder,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.run = run
        self.plan: RunPlan = run.plan()
        self.name = self.plan.judge_name
        """The judge's; whoever knows the project may name its version."""
        self.about = ""
        """How the judge works, in a few words."""
        self.progress = RunProgress(self.plan)
        self.alive = False
        self.is_behind = True
        """Whether there is more in the log than was read so far."""
        self.problem = ""
        """Why the log cannot be read on."""
        self._clock = clock
        self._now = now
        self._reader = RunReader(run)
        self._generation = self._reader.generation
        self._news: Iterator[Entry] = iter(())
        self._samples: deque[tuple[float, int]] = deque()

    def poll(self, seconds: float = SLICE) -> bool:
        """Take in what the log got since, for so many seconds at most; say whether anything changed."""
        deadline = self._clock() + seconds
        before = (self.alive, self.is_behind, self.problem)
        # Looked at before the log is read: a process that ends in between has written its last line.
        alive = self.run.is_alive()
        took = 0
        try:
            took = self._take(deadline)
            self.problem = ""
        except StoreError as error:
            self._news = iter(())
            self.is_behind, self.problem = False, str(error)
        self.alive = alive
        if not self.is_behind:
            self._sample()
        return bool(took) or before != (self.alive, self.is_behind, self.problem)

    def _take(self, deadline: float) -> int:
        took = 0
        fresh = False
        while True:
            for entry in self._news:
                self._begin_again_if_replaced()
                self.progress.add(entry)
                took += 1
                if self._clock() >= deadline:
                    self.is_behind = True
                    return took
            self._begin_again_if_replaced()
            if fresh:
                self.is_behind = False
                return took
            self._news, fresh = self._reader.news(at_most=_AT_ONCE), True

    def _begin_again_if_replaced(self) -> None:
        if self._reader.generation != self._generation:
            self._generation = self._reader.generation
            self.progress = RunProgress(self.plan)
            self._samples.clear()

    def _sample(self) -> None:
        if self.state is not RunState.RUNNING:
            self._samples.clear()
            return
        now = self._now()
        if not self._samples or now - self._samples[-1][0] >= 1.0:
            self._samples.append((now, self.progress.made))
        while now - self._samples[0][0] > _WINDOW:
            self._samples.popleft()

    # What is seen -----------------------------------------------------------------------------------

    @property
    def state(self) -> RunState:
        """Where the run stands: what its log says, held against whether its process is there."""
        said = self.progress.state
        if said in ENDED or said is RunState.PREPARED or self.alive or self.is_behind:
            return said
        return RunState.INTERRUPTED

    @property
    def pace(self) -> Pace:
        """How quickly it goes on: over the last minute, or where that is too short over all its work."""
        now = self._now()
        seconds = self.progress.seconds(now, alive=self.alive)
        made, span = self.progress.made, seconds
        if self._samples and now - self._samples[0][0] >= _SHORTEST:
            span = now - self._samples[0][0]
            made -= self._samples[0][1]
        per_minute = 60 * made / span if span >= 1.0 and made else None
        left = None
        if per_minute and self.state is RunState.RUNNING:
            left = 60 * max(0, self.plan.asked - self.progress.done) / per_minute
        return Pace(per_minute, left, seconds)

    @property
    def wait_left(self) -> float | None:
        """Seconds until calls go on, while the run waits; None when it does not."""
        waiting = self.progress.waiting
        if waiting is None or self.state is not RunState.RUNNING:
            return None
        left = moment(waiting.until) - self._now()
        return left if left > 0 else None

    def line(self) -> RunLine:
        """Give the run as it stands in a list."""
        plan, progress = self.plan, self.progress
        return RunLine(
            id=plan.id,
            judge=self.name,
            criterion=plan.criterion,
            slice=plan.slice,
            state=self.state,
            detail=progress.detail,
            done=progress.done,
            asked=plan.asked,
            cost_usd=progress.cost_usd,
            unpriced=progress.unpriced,
        )

    def close(self) -> None:
        """Let the file go."""
        self._reader.close()
