"""All runs of a project as a list that keeps itself up to date, and the words that steer one.

Logs are read in slices, the watched run first, so that a project with a million verdicts opens at
once and its list fills while somebody looks at it. A run that is over is read once and then only its
file's size is looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from judging.launching import LOG_NAME as PROCESS_LOG
from judging.launching import start_process
from judging.statistics.counts import Counts
from store.errors import BadInput, NotFound, StoreError
from store.project import Project
from store.records import Label
from store.runrecords import RunState
from store.runs import LOG_NAME, Control, RunFolder
from tui.session.naming import about_judge, versioned_name
from tui.session.running import SLICE, RunLine, RunWatch

_LOOK_ROUND: Final = 1.0
"""Seconds between two looks for new runs, and for old ones that go on."""
_TOLD: Final = 2000
"""Bytes from the end of what a process wrote for people."""


@dataclass(frozen=True)
class _Stamp:
    size: int
    modified: int


@dataclass(frozen=True)
class Launch:
    """A process that was started from here."""

    told_before: int
    """Bytes that earlier processes of the run had written for people."""
    written_before: int
    """Bytes of the log at that moment."""


class RunDesk:
    """Every run of a project, one of them watched."""

    def __init__(
        self,
        project: Project,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        start: Callable[[Project, str], int] = start_process,
    ) -> None:
        self.project = project
        self.watched: RunWatch | None = None
        self._clock = clock
        self._now = now
        self._start = start
        self._lines: dict[str, RunLine] = {}
        self._stamps: dict[str, _Stamp] = {}
        self._live: dict[str, RunWatch] = {}
        self._waiting: list[str] = []
        self._launched: dict[str, Launch] = {}
        self._looked = float("-inf")
        self._labels: dict[str, Mapping[str, Label]] = {}

    # Keeping up ---------------------------------------------------------------------------------------

    @property
    def lines(self) -> tuple[RunLine, ...]:
        """The runs, newest first; one that was not read yet is left out."""
        return tuple(self._lines[run] for run in sorted(self._lines, reverse=True))

    def open_runs(self) -> tuple[RunLine, ...]:
        """Give the runs that processes are at work on, newest first."""
        return tuple(line for line in self.lines if line.is_open)

    def poll(self, seconds: float = SLICE) -> bool:
        """Take in what runs wrote, for so many seconds at most; say whether anything changed."""
        deadline = self._clock() + seconds
        changed = False
        if self._clock() - self._looked >= _LOOK_ROUND:
            self._look_round()
        if self.watched is not None and self.watched.poll(seconds):
            changed = True
            self._lines[self.watched.plan.id] = self.watched.line()
        for run in (*self._live, *self._waiting):
            left = deadline - self._clock()
            if left <= 0:
                break
            changed |= self._read(run, left)
        return changed

    def look_again(self) -> None:
        """Look for new runs at the next poll."""
        self._looked = float("-inf")

    def _look_round(self) -> None:
        self._looked = self._clock()
        watched = self.watched.plan.id if self.watched else None
        for run in reversed(self.project.runs.ids()):
            if run == watched or run in self._live or run in self._waiting:
                continue
            if self._stamps.get(run) != self._stamp(run):
                self._waiting.append(run)
        # What is at work now is wanted first; the rest of a long list may come in bit by bit.
        self._waiting.sort(key=lambda run: not RunFolder(self.project.runs.folder / run).is_alive())

    def _stamp(self, run: str) -> _Stamp:
        try:
            found = (self.project.runs.folder / run / LOG_NAME).stat()
        except OSError:
            return _Stamp(-1, 0)
        return _Stamp(found.st_size, found.st_mtime_ns)

    def _read(self, run: str, seconds: float) -> bool:
        """Read on in a run that is not the watched one; let it go when it is over and read."""
        stamp = self._stamp(run)
        try:
            watch = self._live.get(run) or self._open(run)
        except StoreError as error:
            self._give_up(run, str(error), stamp)
            return True
        changed = watch.poll(seconds)
        if watch.is_behind:
            return False
        self._lines[run] = watch.line()
        if not watch.alive:
            self._live.pop(run).close()
            self._stamps[run] = stamp
        return changed

    def _open(self, run: str) -> RunWatch:
        watch = self._live[run] = self._watch_of(run)
        self._waiting.remove(run)
        return watch

    def _watch_of(self, run: str) -> RunWatch:
        watch = RunWatch(RunFolder(self.project.runs.folder / run), clock=self._clock, now=self._now)
        try:
            judge = self.project.judges.get(watch.plan.judge)
        except NotFound:
            return watch
        watch.name, watch.about = versioned_name(self.project, judge), about_judge(judge)
        return watch

    def _give_up(self, run: str, problem: str, stamp: _Stamp) -> None:
        self._waiting.remove(run)
        self._stamps[run] = stamp
        self._lines[run] = RunLine(
            run, "?", "", problem, RunState.STOPPED, problem, 0, 0, 0.0, 0, is_readable=False
        )

    # Watching one -----------------------------------------------------------------------------------

    def watch(self, run: str) -> RunWatch:
        """Follow a run from now on, instead of the one before.

        Raises:
            StoreError: Its files cannot be read.
        """
        if self.watched is not None and self.watched.plan.id == run:
            return self.watched
        watch = self._live.pop(run, None) or self._watch_of(run)
        if self.watched is not None:
            self._let_go(self.watched)
        self.watched = watch
        if run in self._waiting:
            self._waiting.remove(run)
        return self.watched

    def watch_newest(self) -> None:
        """Follow the newest run at work, or else the newest, where none is followed yet."""
        readable = [line for line in self.lines if line.is_readable]
        if self.watched is not None or not readable:
            return
        newest = next((line for line in readable if line.is_open), readable[0])
        try:
            self.watch(newest.id)
        except StoreError as error:
            self._lines[newest.id] = replace(newest, detail=str(error), is_readable=False)

    def _let_go(self, watch: RunWatch) -> None:
        run = watch.plan.id
        self.watched = None
        if watch.alive or watch.is_behind:
            self._live[run] = watch
        else:
            watch.close()
            self._stamps[run] = self._stamp(run)

    def matrix(self, watch: RunWatch) -> Counts | None:
        """Count a run's verdicts so far against people's labels; sealed rows are left out.

        Returns:
            None for kinds without pass and fail.

        Raises:
            NotFound: The run's judge is not there.
        """
        criterion = watch.plan.criterion
        if criterion not in self._labels:
            self._labels[criterion] = self.project.open_reference(criterion).labels
        kind = self.project.judges.get(watch.plan.judge).kind
        return watch.progress.matrix(self._labels[criterion], kind)

    def forget_labels(self) -> None:
        """Read the labels again for the next matrix: some have changed."""
        self._labels.clear()

    def close(self) -> None:
        """Let every file go; the list is read anew when it is polled again."""
        for watch in (*self._live.values(), *([self.watched] if self.watched else [])):
            watch.close()
        self._live.clear()
        self._stamps.clear()
        self._waiting.clear()
        self.watched = None
        self.look_again()

    # Steering ---------------------------------------------------------------------------------------

    def ask(self, run: str, control: Control) -> None:
        """Leave a word for a run's process.

        Raises:
            BadInput: Its process is not at work.
        """
        RunFolder(self.project.runs.folder / run).ask(control)

    def launch(self, run: str) -> None:
        """Start a process that carries a run out, or goes on with it; nothing is paid twice.

        Raises:
            BadInput: A process is at work on it, or it could not be started.
        """
        folder = RunFolder(self.project.runs.folder / run)
        if folder.is_alive():
            raise BadInput(f"run {run} is at work already")
        told, written = self._told(run), self._stamp(run).size
        try:
            self._start(self.project, run)
        except OSError as error:
            raise BadInput(f"no process could be started: {error.strerror or error}") from error
        self._launched[run] = Launch(told, written)
        self._stamps.pop(run, None)
        self.look_again()

    def starting(self, run: str) -> bool:
        """Whether a process started from here has neither begun nor said why not."""
        launch = self._launched.get(run)
        if launch is None or self._stamp(run).size > launch.written_before:
            return False
        return self._told(run) <= launch.told_before

    def why_not_begun(self, run: str) -> str:
        """Give what a process said that ended before it began; "" when there is nothing to say."""
        launch = self._launched.get(run)
        line = self._lines.get(run)
        if launch is None and (line is None or line.state is not RunState.PREPARED):
            return ""
        if launch is not None and self._stamp(run).size > launch.written_before:
            return ""
        since = launch.told_before if launch else 0
        return self._words(run, since)

    def _told(self, run: str) -> int:
        try:
            return (self.project.runs.folder / run / PROCESS_LOG).stat().st_size
        except OSError:
            return 0

    def _words(self, run: str, since: int) -> str:
        try:
            with open(self.project.runs.folder / run / PROCESS_LOG, "rb") as file:
                file.seek(max(since, self._told(run) - _TOLD))
                lines = file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return ""
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return last.removeprefix("adjudge: ")
