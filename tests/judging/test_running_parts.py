"""Parts of the runner that a whole run only shows under a slow disk or over many thousand rows."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from run_kit import USAGE, add_judge, add_run, make_project

from judging.running import answered
from judging.running.answered import AnsweredCalls
from judging.running.recording import Recorder
from store.errors import StoreError
from store.records import Verdict
from store.runrecords import CallRecord
from store.runs import Entry, RunWriter


def record(number: int, text: str = "pass") -> CallRecord:
    return CallRecord(f"sha256:{number:02x}{0:062x}#{number % 3}", text, "end_turn", USAGE)


@pytest.mark.parametrize("spill", [10, 10_000_000])
def test_answers_come_back_from_memory_and_from_the_scratch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spill: int
) -> None:
    monkeypatch.setattr(answered, "_SPILL", spill)
    book = AnsweredCalls(tmp_path)
    for number in range(50):
        book.add(record(number))
    book.add(record(7, "newer"))
    assert len(book) == 50
    assert book.get(record(6).key) == record(6)
    assert book.get(record(7).key) == record(7, "newer")
    assert book.get(record(99).key) is None
    assert list(tmp_path.iterdir()) == [], "the scratch file has no name"
    book.close()


def test_a_key_that_begins_like_another_is_not_taken_for_it(tmp_path: Path) -> None:
    book = AnsweredCalls(tmp_path)
    book.add(CallRecord("sha256:" + "a" * 64 + "#0", "x", "end_turn"))
    assert book.get("sha256:" + "a" * 63 + "b#0") is None
    assert book.get("sha256:" + "a" * 64 + "#1") is None
    book.close()


class SlowDisk:
    """Takes entries only when it is let."""

    def __init__(self) -> None:
        self.let = threading.Semaphore(0)
        self.taken: list[Entry] = []
        self.full = False

    def append(self, *entries: Entry) -> None:
        self.let.acquire()
        if self.full:
            raise StoreError("full")
        self.taken.extend(entries)


@pytest.fixture
def disk():
    slow = SlowDisk()
    yield slow
    slow.let.release(1000)


async def test_answers_that_are_not_safe_hold_further_calls_back(disk: SlowDisk) -> None:
    recorder = Recorder(disk, on_event=None, on_failure=lambda _error: None)
    for number in range(3):
        recorder.put(Entry(call=record(number)))
    recorder.put(Entry(verdict=Verdict("t1", "pass")))
    async with asyncio.timeout(5):
        await recorder.answers_safe(but=4)
    waiting = asyncio.ensure_future(recorder.answers_safe(but=3))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    disk.let.release(10)
    async with asyncio.timeout(5):
        await waiting
        await recorder.close()
    assert len(disk.taken) == 4


async def test_a_disk_far_behind_holds_rows_back(disk: SlowDisk) -> None:
    recorder = Recorder(disk, on_event=None, on_failure=lambda _error: None)
    for _ in range(501):
        recorder.put(Entry(verdict=Verdict("t1", "pass")))
    waiting = asyncio.ensure_future(recorder.room())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    disk.let.release(1000)
    async with asyncio.timeout(5):
        await waiting
        await recorder.close()


async def test_a_disk_that_refuses_lets_nobody_wait_for_ever(disk: SlowDisk) -> None:
    told: list[StoreError] = []
    recorder = Recorder(disk, on_event=None, on_failure=told.append)
    disk.full = True
    recorder.put(Entry(call=record(1)))
    waiting = asyncio.ensure_future(recorder.answers_safe(but=1))
    disk.let.release()
    async with asyncio.timeout(5):
        await waiting
    recorder.put(Entry(call=record(2)))
    with pytest.raises(StoreError, match="full"):
        await recorder.close()
    assert len(told) == 1
    assert disk.taken == []


async def test_entries_handed_over_together_share_one_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    append = RunWriter.append
    monkeypatch.setattr(
        RunWriter, "append", lambda self, *entries: (sizes.append(len(entries)), append(self, *entries))[1]
    )
    with make_project(tmp_path, 1) as project:
        run = add_run(project, add_judge(project))
        writer = RunWriter(run)
        recorder = Recorder(writer, on_event=None, on_failure=lambda _error: None)
        for number in range(100):
            recorder.put(Entry(call=record(number)))
        await recorder.close()
        writer.close()
        assert [entry.call for entry in run.entries()] == [record(number) for number in range(100)]
    assert sizes == [100]
