"""A lock keeps other processes and threads out, goes with its process, and says who holds it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from store.errors import StoreBusy, StoreError
from store.journal import JournalDB
from store.labels import LabelBook
from store.locking import FileLock, holder_of, is_held, process_note, read_note
from store.records import Label


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.lock"


def test_a_held_lock_keeps_another_handle_out_until_it_is_free(path: Path) -> None:
    one, other = FileLock(path), FileLock(path)
    with one.held(), one.held():
        assert is_held(path)
        assert not other.take()
    assert not is_held(path)
    assert other.take()
    other.close()
    assert not is_held(path)


def test_looking_makes_no_file(path: Path) -> None:
    assert not is_held(path)
    assert not path.exists()


def test_waiting_ends_and_names_the_holder(path: Path) -> None:
    one, other = FileLock(path), FileLock(path, patience=0.0)
    with one.held():
        with pytest.raises(StoreBusy, match="another process"), other.held():
            pass  # pragma: no cover
        one.leave_note(process_note())
        with pytest.raises(StoreBusy, match=f"process {os.getpid()}"), other.held(wait=False):
            pass  # pragma: no cover
        assert holder_of(path) == f"process {os.getpid()}"
    with other.held():
        pass


def test_a_shorter_note_leaves_nothing_of_a_longer_one(path: Path) -> None:
    lock = FileLock(path)
    with lock.held():
        lock.leave_note(b"a long note by somebody else")
        lock.leave_note(b"short")
        assert lock.note() == read_note(path) == b"short"


def test_a_lock_file_that_was_removed_does_not_let_two_in(path: Path) -> None:
    one, other = FileLock(path), FileLock(path)
    with one.held():
        pass
    path.unlink()
    with other.held():
        assert not one.take()
    with one.held():
        assert not other.take()


def test_a_lock_in_a_folder_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        FileLock(tmp_path / "nowhere" / "a.lock").take()


def test_threads_of_one_process_label_without_losing_or_doubling(tmp_path: Path) -> None:
    book = LabelBook(JournalDB(tmp_path / "journal.jsonl"))

    def work(name: str) -> None:
        for number in range(50):
            book.add(Label(trace=f"t{number}", criterion="c", version=1, verdict="pass", annotator=name))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("anna", "ben", "cleo", "dora")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = LabelBook(JournalDB(tmp_path / "journal.jsonl"))
    for kept in (book, again):
        assert [one.id for one in kept.history()] == list(range(1, 201))
        assert {len(kept.current("c", name)) for name in ("anna", "ben", "cleo", "dora")} == {50}
