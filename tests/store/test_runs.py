"""A run's log outlives its process: what was written stays, and everybody can tell how it stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from store.errors import BadInput, NotFound, StoreBusy, StoreDamaged, StoreError
from store.identity import new_run_id
from store.records import Order, Reason, Usage, Verdict
from store.runrecords import CallRecord, RunPlan, RunState
from store.runs import LOG_NAME, Entry, RunBook, RunFolder, RunReader, RunWriter


def plan(name: str = "r1", judge: str = "sha256:aa") -> RunPlan:
    return RunPlan(
        id=name,
        judge=judge,
        judge_name="strict",
        criterion="c",
        backend="scripted",
        traces=("t1", "t2"),
        slice="all",
        orders=(Order.AB, Order.BA),
        repeat=2,
    )


@pytest.fixture
def book(tmp_path: Path) -> RunBook:
    return RunBook(tmp_path / "runs")


@pytest.fixture
def run(book: RunBook) -> RunFolder:
    return book.create(plan())


def verdict(trace: str, word: str | None = "A", *, order: Order = Order.AB, sample: int = 0) -> Entry:
    return Entry(verdict=Verdict(trace, word, order=order, sample=sample))


def test_a_run_comes_back_as_it_was_planned(book: RunBook, run: RunFolder) -> None:
    found = RunBook(book.folder).get("r1").plan()
    assert replace(found, at="") == plan()
    assert found.at
    assert found.asked == 8


def test_runs_are_found_by_id_beginning_or_as_the_latest(book: RunBook) -> None:
    for name, judge in (("r20260101-a", "x"), ("r20260102-a", "y"), ("r20260102-b", "x")):
        book.create(plan(name, judge))
    assert book.get("r20260102-a").id == "r20260102-a"
    assert book.get("r20260101").id == "r20260101-a"
    assert book.get("latest").id == "r20260102-b"
    assert book.get("latest", judge="y").id == "r20260102-a"
    assert [one.id for one in book.all("x")] == ["r20260101-a", "r20260102-b"]
    for reference, message in (("r20260102", "2 runs"), ("r3", "no run"), ("latest", "no runs yet")):
        with pytest.raises(NotFound, match=message):
            book.get(reference, judge="z")


def test_ids_sort_by_the_moment_they_were_made() -> None:
    start = datetime(2026, 12, 1, 23, 59, 58, tzinfo=UTC)
    made = [new_run_id(start + timedelta(milliseconds=7 * step)) for step in range(500)]
    assert made == sorted(made)


def test_a_run_is_not_made_twice(book: RunBook, run: RunFolder) -> None:
    with pytest.raises(BadInput, match="already"):
        book.create(plan())


def test_entries_come_back_in_order_and_a_later_verdict_replaces_an_earlier(
    book: RunBook, run: RunFolder
) -> None:
    call = CallRecord("k1", "text", "end_turn", usage=Usage(10, 2), cost_usd=0.5)
    writer = RunWriter(run)
    writer.state(RunState.RUNNING)
    writer.append(Entry(call=call), verdict("t1", None))
    writer.append(verdict("t1", "A"), verdict("t1", "B", order=Order.BA), verdict("t1", "tie", sample=1))
    writer.append()
    writer.close()
    entries = list(run.entries())
    assert entries[1].call == call
    assert len(entries) == 6
    assert {key: one.verdict for key, one in book.verdicts(run).items()} == {
        ("t1", "AB", 0): "A",
        ("t1", "BA", 0): "B",
        ("t1", "AB", 1): "tie",
    }
    assert book.status(run).done == 3


# --- states --------------------------------------------------------------------------------------


def test_a_run_without_a_process_and_without_an_end_is_interrupted(book: RunBook, run: RunFolder) -> None:
    assert book.status(run).state is RunState.PREPARED
    writer = RunWriter(run)
    writer.state(RunState.RUNNING)
    assert book.status(run).state is RunState.RUNNING
    writer.close()
    assert book.status(run).state is RunState.INTERRUPTED
    writer = RunWriter(run)
    writer.state(RunState.DONE)
    writer.close()
    assert book.status(run).state is RunState.DONE


def test_a_run_that_ends_while_its_log_is_being_read_is_not_called_interrupted(
    book: RunBook, run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = RunWriter(run)
    writer.state(RunState.RUNNING)
    entries = RunFolder.entries

    def ends_meanwhile(self: RunFolder):
        found = list(entries(self))
        writer.state(RunState.DONE)
        writer.close()
        return iter(found)

    monkeypatch.setattr(RunFolder, "entries", ends_meanwhile)
    assert book.status(run).state is not RunState.INTERRUPTED


def test_money_is_unknown_when_a_price_is_and_a_failed_call_costs_nothing(
    book: RunBook, run: RunFolder
) -> None:
    writer = RunWriter(run)
    writer.append(Entry(call=CallRecord("a", "x", "end_turn", usage=Usage(1, 1), cost_usd=0.25)))
    writer.append(Entry(call=CallRecord("b", "", None, reason=Reason.OVERLOADED)))
    assert book.status(run).cost_usd == 0.25
    writer.append(Entry(call=CallRecord("c", "x", "end_turn", usage=Usage(1, 1), cost_usd=None)))
    assert book.status(run).cost_usd is None
    writer.close()


# --- who is at work ------------------------------------------------------------------------------


def test_one_process_carries_a_run_out_and_a_second_is_told_which(run: RunFolder) -> None:
    assert not run.is_alive()
    writer = RunWriter(run)
    assert run.is_alive()
    with pytest.raises(StoreBusy, match=r"process \d+"):
        RunWriter(run)
    writer.close()
    assert not run.is_alive()
    with pytest.raises(StoreError, match="let go"):
        writer.append(verdict("t1"))


def test_somebody_who_looks_does_not_keep_a_run_from_starting(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    RunWriter(run).close()
    looking = open(run.lock_path, "rb")  # noqa: SIM115
    fcntl.flock(looking, fcntl.LOCK_SH)
    assert not run.is_alive()
    monkeypatch.setattr("store.locking.time.sleep", lambda _: looking.close())
    RunWriter(run).close()
    assert looking.closed


def test_a_word_reaches_the_process_and_an_old_one_is_forgotten(run: RunFolder) -> None:
    with pytest.raises(BadInput, match="resume"):
        run.ask("pause")
    writer = RunWriter(run)
    run.ask("pause")
    assert run.asked_for() == "pause"
    run.ask("continue")
    assert run.asked_for() == "continue"
    writer.close()
    (run.folder / "control").write_bytes(b"\xff nonsense")
    assert run.asked_for() is None
    RunWriter(run).close()
    assert not (run.folder / "control").exists()


# --- watching and damage -------------------------------------------------------------------------


def test_a_watcher_sees_what_is_appended_and_touches_nothing(run: RunFolder) -> None:
    reader = RunReader(run)
    assert list(reader.news()) == []
    writer = RunWriter(run)
    writer.append(verdict("t1"))
    assert [one.verdict.trace for one in reader.news() if one.verdict] == ["t1"]
    writer.append(verdict("t2"))
    assert [one.verdict.trace for one in reader.news() if one.verdict] == ["t2"]
    assert reader.generation == 0
    writer.close()
    reader.close()


def test_a_watcher_is_told_when_what_it_saw_was_taken_back(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = RunReader(run), RunWriter(run)

    def fails_after_being_seen(fd: int) -> None:
        assert len(list(reader.news())) == 2
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("store.appendlog.flush_to_disk", fails_after_being_seen)
        with pytest.raises(StoreError):
            writer.append(verdict("t1"), verdict("t2"))
    writer.append(verdict("t2"))
    assert [one.verdict.trace for one in reader.news() if one.verdict] == ["t2"]
    assert reader.generation == 1
    writer.close()
    reader.close()


def test_a_resume_after_a_torn_write_goes_on_behind_the_last_whole_line(
    book: RunBook, run: RunFolder
) -> None:
    writer = RunWriter(run)
    writer.append(verdict("t1"))
    writer.close()
    with open(run.folder / LOG_NAME, "ab") as file:
        file.write(b'{"crc":"01234567","data":{"verd')
    assert len(book.verdicts(run)) == 1
    writer = RunWriter(run)
    writer.append(verdict("t2"))
    writer.close()
    assert [key[0] for key in book.verdicts(run)] == ["t1", "t2"]


def test_a_damaged_log_or_plan_is_named_and_a_damaged_log_is_not_written_to(
    book: RunBook, run: RunFolder
) -> None:
    writer = RunWriter(run)
    writer.append(verdict("t1"))
    writer.close()
    log = run.folder / LOG_NAME
    log.write_bytes(log.read_bytes().replace(b"t1", b"t9"))
    before = log.read_bytes()
    for attempt in (lambda: book.verdicts(run), lambda: RunWriter(run)):
        with pytest.raises(StoreDamaged, match=r"log\.jsonl, line 1"):
            attempt()
    assert log.read_bytes() == before
    assert not run.is_alive()
    (run.folder / "plan.json").write_bytes(b'{"id": "r1", "judge"')
    with pytest.raises(StoreDamaged, match=r"plan\.json"):
        run.plan()


def test_a_run_log_that_lost_its_end_is_damaged_for_readers_too(book: RunBook, run: RunFolder) -> None:
    writer = RunWriter(run)
    writer.append(verdict("t1"))
    writer.append(verdict("t2"))
    writer.close()
    log = run.folder / LOG_NAME
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    with pytest.raises(StoreDamaged, match="had been confirmed"):
        book.verdicts(run)
