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

from store.appendlog import AppendLog, flush_folder, write_whole
from store.errors import BadInput, NotFound, StoreBusy, StoreDamaged
from store.identity import utc_now
from store.locking import FileLock, is_held
from store.records import Verdict
from store.runrecords import CallRecord, RunPlan, RunState, StateChange, Waiting

Control = Literal["pause", "continue", "cancel"]
CONTROLS: Final[tuple[Control, ...]] = ("pause", "continue", "cancel")

_CHUNK: Final = 4_000_000
"""Bytes of a log read at once, so that a million verdicts never stand in memory together."""

ENDED: Final = frozenset({RunState.DONE, RunState.CANCELLED, RunState.STOPPED})


class Entry(msgspec.Struct, omit_defaults=True):
    """One line of a run's log: exactly one of its fields is set."""

    call: CallRecord | None = None
    verdict: Verdict | None = None
    state: StateChange | None = None
    waiting: Waiting | None = None


_decode_entry = msgspec.json.Decoder(Entry).decode
_decode_plan = msgspec.json.Decoder(RunPlan).decode


class RunFolder:
    """The files of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lock_path = folder / "process.lock"

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
        path = self.folder / "plan.json"
        try:
            return _decode_plan(path.read_bytes())
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
        write_whole(self.folder / "control.new", control.encode())
        (self.folder / "control.new").replace(self.folder / "control")

    def asked_for(self) -> Control | None:
        """Give the newest word left for the run's process, or None."""
        try:
            word = (self.folder / "control").read_text()
        except FileNotFoundError:
            return None
        return next((control for control in CONTROLS if control == word), None)

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
        self.run = run
        self._log = AppendLog(run.folder / "log.jsonl")

    def news(self) -> Iterator[Entry]:
        """Give what was appended since the last call.

        Raises:
            StoreDamaged: A line cannot be read.
        """
        while bodies := self._log.news(at_most=_CHUNK).bodies:
            for body in bodies:
                try:
                    yield _decode_entry(body)
                except msgspec.DecodeError as error:
                    raise StoreDamaged(self._log.path, None, str(error)) from error

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
            raise StoreBusy(f"run {run.id} is being carried out by another process")
        run.forget_control()
        self._log = AppendLog(run.folder / "log.jsonl")
        self._log.news()

    def append(self, *entries: Entry) -> None:
        """Write entries; they are on disk when this returns."""
        with self._log.exclusive():
            self._log.append([msgspec.json.encode(entry) for entry in entries])

    def state(self, state: RunState, detail: str = "") -> None:
        """Write that the run entered a state."""
        self.append(Entry(state=StateChange(state, detail, utc_now())))

    def close(self) -> None:
        """Let the run go."""
        self._log.close()
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
        """Write a new run's plan; the run exists when this returns."""
        folder = self.folder / plan.id
        folder.mkdir()
        fresh = folder / "plan.new"
        write_whole(fresh, msgspec.json.encode(plan if plan.at else replace(plan, at=utc_now())))
        fresh.replace(folder / "plan.json")
        flush_folder(folder)
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
        state, detail = RunState.PREPARED, ""
        rows: set[tuple[str, str | None, int]] = set()
        cost: float | None = 0.0
        for entry in run.entries():
            if entry.state is not None:
                state, detail = entry.state.state, entry.state.detail
            if entry.verdict is not None:
                rows.add((entry.verdict.trace, entry.verdict.order, entry.verdict.sample))
            if entry.call is not None and cost is not None:
                cost = None if entry.call.cost_usd is None else cost + entry.call.cost_usd
        if state not in ENDED and state is not RunState.PREPARED and not run.is_alive():
            state, detail = RunState.INTERRUPTED, "its process is gone; resume finishes it"
        return RunStatus(plan, state, detail, len(rows), cost)
