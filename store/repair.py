"""Check every file of a project, and repair what can be repaired without losing a byte.

Checking only reads. Repairing first copies a damaged file whole to ``<name>.damaged-<n>``, then puts a
file with every good line in its place; what another process is working on is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from store.causes import CauseBook
from store.criteria import CriterionBook
from store.errors import ProjectNotFound, StoreDamaged, StoreError
from store.files import copy_aside, flush_folder, free_bytes
from store.journal import Change, decode_change
from store.judges import JudgeBook
from store.labels import LabelBook
from store.ledger import Ledger, first_break
from store.lines import lock_path
from store.locking import FileLock, holder_of, is_held, process_note
from store.logrepair import good_bodies, inspect_log, repair_log
from store.piles import PileBook
from store.project import (
    FILE_NAME,
    FOLDER,
    JOURNAL_NAME,
    RUNS_NAME,
    TRACES_NAME,
    read_project_file,
    write_project_file,
)
from store.records import Opening
from store.runs import LOCK_NAME as RUN_LOCK
from store.runs import LOG_NAME, PLAN_NAME, RunFolder, decode_entry
from store.scopes import ScopeBook
from store.segmentrepair import inspect_segment, repair_segment
from store.segments import segments_in
from store.traces import LOCK_NAME as IMPORT_LOCK

_BOOKS: Final = (CriterionBook, LabelBook, PileBook, JudgeBook, CauseBook, Ledger, ScopeBook)
_DECODERS: Final[dict[str, Callable[[bytes], object]]] = {
    book.table_name: msgspec.json.Decoder(book.record_type).decode for book in _BOOKS
}
_SPARE_BYTES: Final = 100_000_000
"""Free disk space under which the check warns: about 300,000 labels, or one large import."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str


def check(root: Path) -> tuple[Check, ...]:
    """Look at everything a project keeps, without touching it.

    Args:
        root: The folder that holds `.adjudge`.

    Raises:
        ProjectNotFound: There is no such folder.
    """
    folder = _folder(root)
    return (
        _check_project_file(folder / FILE_NAME),
        _check_journal(folder / JOURNAL_NAME),
        _check_traces(folder / TRACES_NAME),
        _check_runs(folder / RUNS_NAME),
        _check_ledger(folder / JOURNAL_NAME),
        _check_locks(folder),
        _check_disk(folder),
    )


def repair(root: Path) -> tuple[str, ...]:
    """Repair every damaged file; a damaged file is copied aside whole first.

    Args:
        root: The folder that holds `.adjudge`.

    Returns:
        What was done, and what was left alone and why; empty when nothing was damaged.

    Raises:
        ProjectNotFound: There is no such folder.
        StoreError: The disk did not take a copy or a new file; the damaged file is as it was.
    """
    folder = _folder(root)
    steps = (
        _repair_project_file(folder / FILE_NAME),
        repair_log(folder / JOURNAL_NAME, clean_change),
        *_repair_traces(folder / TRACES_NAME),
        *(step for run in _run_folders(folder / RUNS_NAME) for step in _repair_run(run)),
    )
    return tuple(step for step in steps if step is not None)


def clean_change(body: bytes) -> bytes | None:
    """Give a journal line's change without the documents that cannot be read, or None."""
    try:
        change = decode_change(body)
        bad = [(table, key) for table, key in _documents(change) if not _is_record(change, table, key)]
    except ValueError:  # msgspec's errors and those of int()
        return None
    if not bad:
        return body
    for table, key in bad:
        del change.put[table][key]
    change.put = {table: rows for table, rows in change.put.items() if rows}
    return msgspec.json.encode(change) if change.put or change.delete or change.last else None


def _documents(change: Change) -> Iterator[tuple[str, str]]:
    for table, rows in change.put.items():
        for key in rows:
            int(key)
            yield table, key


def _is_record(change: Change, table: str, key: str) -> bool:
    decode = _DECODERS.get(table, msgspec.json.decode)
    try:
        decode(bytes(change.put[table][key]))
    except msgspec.DecodeError:
        return False
    return True


def clean_entry(body: bytes) -> bytes | None:
    """Give a run log's line when it can be read, or None."""
    try:
        decode_entry(body)
    except msgspec.DecodeError:
        return None
    return body


def _folder(root: Path) -> Path:
    folder = root / FOLDER
    if not folder.is_dir():
        raise ProjectNotFound(f"there is no project in {root}: `adjudge init` makes one")
    return folder


# --- project.json ------------------------------------------------------------------------------


def _check_project_file(path: Path) -> Check:
    try:
        file = read_project_file(path)
    except StoreError as error:
        return Check("project file", False, str(error))
    return Check("project file", True, f"format {file.format}, made {file.created}")


def _repair_project_file(path: Path) -> str | None:
    try:
        read_project_file(path)
    except ProjectNotFound:
        write_project_file(path)
        return f"{path}: it was missing and was written anew"
    except StoreDamaged:
        aside = copy_aside(path, "damaged")
        write_project_file(path)
        return f"{path}: it could not be read and was written anew, the file as it was is {aside.name}"
    return None


# --- journal and ledger ------------------------------------------------------------------------


def _check_journal(path: Path) -> Check:
    state = inspect_log(path, clean_change)
    return Check("journal", state.whole, f"{path}: {state.detail()}" if not state.whole else state.detail())


def _check_ledger(journal: Path) -> Check:
    openings: dict[int, Opening] = {}
    for body in good_bodies(journal, clean_change):
        for key, row in decode_change(body).put.get(Ledger.table_name, {}).items():
            openings[int(key)] = msgspec.json.decode(row, type=Opening)
    broken = first_break(openings[key] for key in sorted(openings))
    if broken is not None:
        return Check("hold-out ledger", False, f"opening {broken} was changed, or one before it was removed")
    return Check("hold-out ledger", True, f"{len(openings)} openings of a hold-out, the chain holds")


# --- traces ------------------------------------------------------------------------------------


def _check_traces(folder: Path) -> Check:
    states = [inspect_segment(path) for path in segments_in(folder)]
    damaged = [state.detail() for state in states if not state.whole]
    if damaged:
        return Check("traces", False, f"{folder}: {'; '.join(damaged)}")
    count = sum(state.good for state in states)
    return Check("traces", True, f"{count} traces in {len(states)} imported files")


def _repair_traces(folder: Path) -> list[str | None]:
    if not folder.is_dir():
        return []
    with _taken(folder / IMPORT_LOCK) as free:
        if not free:
            return [f"{folder}: left alone, an import is going on by {holder_of(folder / IMPORT_LOCK)}"]
        return [repair_segment(path) for path in segments_in(folder)]


# --- runs --------------------------------------------------------------------------------------


def _run_folders(folder: Path) -> list[RunFolder]:
    return [RunFolder(path.parent) for path in sorted(folder.glob(f"r*/{PLAN_NAME}"))]


def _check_runs(folder: Path) -> Check:
    problems = []
    runs = _run_folders(folder)
    for run in runs:
        try:
            run.plan()
        except StoreError as error:
            problems.append(str(error))
        log = inspect_log(run.folder / LOG_NAME, clean_entry)
        if not log.whole:
            problems.append(f"{log.path}: {log.detail()}")
    return Check("runs", not problems, "; ".join(problems) or f"{len(runs)} runs, every log is whole")


def _repair_run(run: RunFolder) -> list[str | None]:
    with _taken(run.lock_path) as free:
        if not free:
            return [] if _is_whole(run) else [f"{run.folder}: left alone, the run is at work"]
        steps = [repair_log(run.folder / LOG_NAME, clean_entry)]
        try:
            run.plan()
        except StoreDamaged as error:
            aside = copy_aside(error.path, "damaged")
            error.path.unlink()
            flush_folder(run.folder)
            steps.append(f"{error.path}: it cannot be read; the run is no longer listed, see {aside.name}")
        return steps


def _is_whole(run: RunFolder) -> bool:
    return inspect_log(run.folder / LOG_NAME, clean_entry).whole


# --- locks and disk ----------------------------------------------------------------------------


@contextmanager
def _taken(path: Path) -> Iterator[bool]:
    """Try to hold a lock for a block, and say whether it was got."""
    lock = FileLock(path)
    got = lock.take()
    try:
        if got:
            lock.leave_note(process_note())
        yield got
    finally:
        if got:
            lock.free()
        lock.close()


def _check_locks(folder: Path) -> Check:
    held = [
        f"{what} ({holder_of(path)})"
        for what, path in (
            ("the journal is being written", lock_path(folder / JOURNAL_NAME)),
            ("an import is going on", folder / TRACES_NAME / IMPORT_LOCK),
            *(
                (f"run {run.id} is at work", run.folder / RUN_LOCK)
                for run in _run_folders(folder / RUNS_NAME)
            ),
        )
        if is_held(path)
    ]
    return Check("locks", True, "; ".join(held) or "no process holds anything")


def _check_disk(folder: Path) -> Check:
    free = free_bytes(folder)
    return Check("disk", free >= _SPARE_BYTES, f"{free / 1e6:,.0f} MB free")
