"""Runs: a folder each, with the plan, an append-only log, and a word for whoever is to pause it.

A run's process holds the folder's lock while it works, so anybody can tell a run that goes on from
one whose process is gone. Control reaches it through a file, not through a pipe that would die with
a terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import msgspec

from store.appendlog import READ_AT_ONCE, AppendLog
from store.errors import BadInput, NotFound, StoreBusy, StoreDamaged, StoreError
from store.files import flush_folder, replace_whole
from store.identity import canonical_json, utc_now
from store.locking import FileLock, holder_of, is_held, process_note
from store.records import Usage, Verdict
from store.runrecords import CallRecord, RunPlan, RunState, StateChange, Waiting

Control = Literal["pause", "continue", "cancel"]
CONTROLS: Final[tuple[Control, ...]] = ("pause", "continue", "cancel")

LOG_NAME: Final = "log.jsonl"
PLAN_NAME: Final = "plan.json"
LOCK_NAME: Final = "process.lock"

ENDED: Final = frozenset({RunState.DONE, RunState.CANCELLED, RunState.STOPPED})


class Entry(msgspec.Struct, omit_defaults=True):
    """One line of a run's log: exactly one of its fields is set."""

    call: CallRecord | None = None
    verdict: Verdict | None = None
    state: StateChange | None = None
    waiting: Waiting | None = None


decode_entry: Final = msgspec.json.Decoder(Entry).decode
decode_plan: Final = msgspec.json.Decoder(RunPlan).decode


class RunFolder:
    """The files of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock_path = folder / LOCK_NAME

    @property
    def id(self) -> str:
        """The run's id."""
        return self.folder.name

    def plan(self) -> RunPlan:
        """Read what the run was asked to do.

        Raises:
            NotFound: There is no such run.
            StoreDamaged: The plan cannot be read.
        """
        path = self.folder / PLAN_NAME
        try:
            return decode_plan(path.read_bytes())
        except FileNotFoundError as error:
            raise NotFound(f"there is no run {self.id!r}") from error
        except msgspec.DecodeError as error:
            raise StoreDamaged(path, None, str(error)) from error

    def is_alive(self) -> bool:
        """Say whether the run's process is at work."""
        return is_held(self.lock_path)

    def ask(self, control: Control) -> None:
        """Leave a word for the run's process.

        Raises:
            BadInput: Its process is not at work.
        """
        if not self.is_alive():
            raise BadInput(f"run {self.id} is not at work; `adjudge resume {self.id}` goes on with it")
        replace_whole(self.folder / "control", [control.encode()])

    def asked_for(self) -> Control | None:
        """Give the newest word left for the run's process, or None."""
        try:
            word = (self.folder / "control").read_bytes()
        except FileNotFoundError:
            return None
        return next((control for control in CONTROLS if control.encode() == word), None)

    def forget_control(self) -> None:
        """Take the word away, at the start of a process."""
        (self.folder / "control").unlink(missing_ok=True)

    def entries(self) -> Iterator[Entry]:
        """Read the log from its start, without keeping it in memory at once."""
        reader = RunReader(self)
        try:
            yield from reader.news()
        finally:
            reader.close()


class RunReader:
    """Follows a run's log from its start; never writes."""

    def __init__(self, run: RunFolder) -> None:
        """Open a run's log.

        Raises:
            StoreDamaged: The log is shorter than it is known to have been.
        """
        self.run = run
        self.generation = 0
        """Rises when the log begins again: what was read before has been taken back or replaced."""
        self._log = AppendLog(run.folder / LOG_NAME, follow=True)

    def news(self, *, at_most: int = READ_AT_ONCE) -> Iterator[Entry]:
        """Give what was appended since the last call.

        Args:
            at_most: Bytes to read between two entries; less holds whoever waits for them up less.

        Raises:
            StoreDamaged: A line cannot be read.
        """
        while True:
            news = self._log.news(at_most=at_most)
            self.generation += news.restarted
            for body in news.bodies:
                try:
                    yield decode_entry(body)
                except msgspec.DecodeError as error:
                    raise StoreDamaged(self._log.path, None, str(error)) from error
            if not news.bodies:
                return

    def close(self) -> None:
        """Close the file."""
        self._log.close()


class RunWriter:
    """The one process that carries a run out."""

    def __init__(self, run: RunFolder) -> None:
        """Take the run over.

        Raises:
            StoreBusy: Another process is at work on it.
        """
        self.run = run
        self._lock = FileLock(run.lock_path)
        if not self._lock.take():
            raise StoreBusy(f"run {run.id} is being carried out by {holder_of(run.lock_path)}")
        self._log: AppendLog | None = None
        try:
            self._lock.leave_note(process_note())
            run.forget_control()
            self._log = AppendLog(run.folder / LOG_NAME)
            self._read_to_the_end(self._log)
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _read_to_the_end(log: AppendLog) -> None:
        with log.exclusive():
            while log.news(at_most=READ_AT_ONCE).bodies:
                pass

    def append(self, *entries: Entry) -> None:
        """Write entries in one go; they are on disk when this returns.

        Raises:
            StoreError: The disk did not take them, or the writer was closed.
        """
        if self._log is None:
            raise StoreError(f"run {self.run.id} was let go: nothing more is written to it")
        with self._log.exclusive():
            self._log.append([canonical_json(entry) for entry in entries])

    def state(self, state: RunState, detail: str = "") -> None:
        """Write that the run entered a state."""
        self.append(Entry(state=StateChange(state, detail, utc_now())))

    def close(self) -> None:
        """Let the run go."""
        if self._log is not None:
            self._log.close()
            self._log = None
        self._lock.close()


@dataclass(frozen=True)
class RunStatus:
    """Where a run stands, as its log says."""

    plan: RunPlan
    state: RunState
    detail: str
    done: int
    """Verdicts and named reasons so far, each (trace, order, sample) counted once."""
    cost_usd: float | None
    """Money so far; None when a price is unknown."""


class RunBook:
    """All runs of a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def ids(self) -> tuple[str, ...]:
        """Name all runs, oldest first."""
        return tuple(sorted(path.parent.name for path in self.folder.glob("r*/plan.json")))

    def get(self, reference: str, *, judge: str | None = None) -> RunFolder:
        """Find a run by its id, the beginning of one, or "latest".

        Args:
            reference: Which run.
            judge: With "latest": the newest run of this judge version's hash.

        Raises:
            NotFound: There is no such run, or several begin so.
        """
        ids = self.ids()
        if reference == "latest":
            if judge is not None:
                ids = tuple(run for run in ids if RunFolder(self.folder / run).plan().judge == judge)
            if not ids:
                raise NotFound("there are no runs yet: start one with `adjudge run --judge NAME`")
            return RunFolder(self.folder / ids[-1])
        found = [run for run in ids if run == reference] or [run for run in ids if run.startswith(reference)]
        if len(found) != 1:
            raise NotFound(
                f"there is no run {reference!r}"
                if not found
                else f"{len(found)} runs begin with {reference!r}"
            )
        return RunFolder(self.folder / found[0])

    def all(self, judge: str | None = None) -> tuple[RunFolder, ...]:
        """Give every run, oldest first, or those of one judge version's hash."""
        runs = (RunFolder(self.folder / run) for run in self.ids())
        return tuple(run for run in runs if judge is None or run.plan().judge == judge)

    def create(self, plan: RunPlan) -> RunFolder:
        """Write a new run's plan; the run exists when this returns.

        Raises:
            BadInput: There is a run of this id.
            StoreError: The disk did not take it.
        """
        folder = self.folder / plan.id
        try:
            folder.mkdir()
        except FileExistsError as error:
            raise BadInput(f"there is a run {plan.id!r} already") from error
        except OSError as error:
            raise StoreError(f"{folder} was not made: {error.strerror}") from error
        replace_whole(folder / LOG_NAME, [])
        replace_whole(folder / PLAN_NAME, [canonical_json(plan if plan.at else replace(plan, at=utc_now()))])
        flush_folder(self.folder)
        return RunFolder(folder)

    def verdicts(self, run: RunFolder) -> dict[tuple[str, str | None, int], Verdict]:
        """Give a run's newest verdict of each (trace, order, sample)."""
        found: dict[tuple[str, str | None, int], Verdict] = {}
        for entry in run.entries():
            if entry.verdict is not None:
                verdict = entry.verdict
                found[verdict.trace, verdict.order, verdict.sample] = verdict
        return found

    def status(self, run: RunFolder) -> RunStatus:
        """Read where a run stands."""
        plan = run.plan()
        # Looked at before the log is read: a process that ends in between has written its last line.
        was_alive = run.is_alive()
        state, detail = RunState.PREPARED, ""
        rows: set[tuple[str, str | None, int]] = set()
        cost: float | None = 0.0
        for entry in run.entries():
            if entry.state is not None:
                state, detail = entry.state.state, entry.state.detail
            if entry.verdict is not None:
                rows.add((entry.verdict.trace, entry.verdict.order, entry.verdict.sample))
            if entry.call is not None and cost is not None and not _was_free(entry.call):
                cost = None if entry.call.cost_usd is None else cost + entry.call.cost_usd
        unfinished = state not in ENDED and state is not RunState.PREPARED
        if unfinished and not was_alive and not run.is_alive():
            state, detail = RunState.INTERRUPTED, "its process is gone; resume finishes it"
        return RunStatus(plan, state, detail, len(rows), cost)


def _was_free(call: CallRecord) -> bool:
    """Say whether a call failed before a token was counted, so that its unknown price does not matter."""
    return call.reason is not None and call.cost_usd is None and call.usage == Usage()
