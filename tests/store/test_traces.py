"""Imported traces appear all at once, are read lazily, and are never mixed up or lost in silence."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest

import store
from store.errors import BadInput, NotFound, StoreBusy, StoreDamaged, StoreError
from store.locking import FileLock, process_note
from store.records import AnyTrace, Pair, ToolCall, Trace, Turn
from store.segments import index_path
from store.traces import LOCK_NAME, Added, TraceShelf

CASES = Path(__file__).parent.parent / "cases"


def single(number: int, output: str = "answer") -> Trace:
    return Trace(id=f"t{number}", input=f"question {number}", output=output)


def put(shelf: TraceShelf, traces: Iterable[AnyTrace]) -> list[Added]:
    with shelf.writer() as writer:
        added = [writer.add(trace) for trace in traces]
        writer.publish()
    return added


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "traces"


@pytest.fixture
def shelf(folder: Path) -> TraceShelf:
    return TraceShelf(folder)


FULL = Trace(
    id="0042 ä/…",
    input="line\nend\u2028 [b]",
    output="\x1b[31m",
    messages=(
        Turn("user", "hi"),
        Turn("assistant", "", (ToolCall("look_up", '{"item": "scone"}'),)),
        Turn("tool", "flour", name="look_up"),
    ),
    facts={"zeta": "1", "alpha": "2"},
    metadata={"nested": {"list": [1, 2.5, None, True]}, "session_id": "s1"},
)


def test_every_field_comes_back_in_its_order(shelf: TraceShelf, folder: Path) -> None:
    pair = Pair("p", "q", "first", "second", gold="tie", facts={"b": "1", "a": "2"}, metadata={"m": 1})
    put(shelf, [FULL, pair])
    for place in (shelf, TraceShelf(folder)):
        assert place.get(FULL.id) == FULL
        assert place.get("p") == pair
        assert list(place.get(FULL.id).facts) == ["zeta", "alpha"]
        assert [place.is_pair(row) for row in range(2)] == [False, True]


def test_rows_run_over_all_imports_in_order(shelf: TraceShelf) -> None:
    put(shelf, map(single, range(3)))
    put(shelf, map(single, range(3, 5)))
    assert len(shelf) == 5
    assert list(shelf.ids()) == [shelf.id_at(row) for row in range(5)] == [f"t{n}" for n in range(5)]
    assert [shelf.row_of(f"t{n}") for n in range(5)] == list(range(5))
    assert shelf.at(3) == single(3)
    assert shelf.rows_in([shelf.segment_of(4)]) == [range(3, 5)]
    for row in (-1, 5):
        with pytest.raises(NotFound):
            shelf.at(row)
    with pytest.raises(NotFound, match="t9"):
        shelf.get("t9")


def test_the_same_row_again_is_repeated_and_another_under_its_id_is_a_conflict(shelf: TraceShelf) -> None:
    assert put(shelf, [single(1), single(1), single(1, "other")]) == [
        Added.NEW,
        Added.REPEATED,
        Added.CONFLICT,
    ]
    assert put(shelf, [single(1), single(1, "other"), single(2)]) == [
        Added.REPEATED,
        Added.CONFLICT,
        Added.NEW,
    ]
    assert shelf.get("t1") == single(1)
    assert len(shelf) == 2


def test_an_import_that_is_not_published_leaves_nothing(shelf: TraceShelf, folder: Path) -> None:
    with shelf.writer() as writer:
        writer.add(single(1))
    assert len(shelf) == len(TraceShelf(folder)) == 0
    assert [file.name for file in folder.iterdir()] == [LOCK_NAME]


def test_an_import_shows_in_another_handle_after_a_refresh(shelf: TraceShelf, folder: Path) -> None:
    other = TraceShelf(folder)
    put(shelf, [single(1)])
    assert "t1" not in other
    assert other.refresh()
    assert not other.refresh()
    assert other.get("t1") == single(1)
    assert put(other, [single(1)]) == [Added.REPEATED]


@pytest.mark.parametrize(
    "trace",
    [
        Trace("a", "half \ud800", "x"),
        Trace("half \udc80", "a", "x"),
        Trace("a", "b", "c", metadata={"votes": {1: "pass", "1": "fail"}}),
    ],
)
def test_what_json_cannot_hold_is_refused_and_the_import_goes_on(shelf: TraceShelf, trace: Trace) -> None:
    with shelf.writer() as writer:
        with pytest.raises(BadInput, match="JSON"):
            writer.add(trace)
        assert writer.add(single(1)) is Added.NEW
        writer.publish()
    assert list(shelf.ids()) == ["t1"]


def test_numbers_that_are_not_json_are_kept_as_nothing(shelf: TraceShelf, folder: Path) -> None:
    rows = [json.loads(line) for line in (CASES / "STO-06.jsonl").read_text().splitlines()]
    put(shelf, [Trace(row["id"], row["input"], row["output"], metadata=row["meta"]) for row in rows])
    assert [shelf.get(row["id"]).metadata for row in rows] == [{"score": None}] * 3

    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is not JSON")

    for line in (folder / "000001.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=refuse)


def test_a_full_disk_during_an_import_leaves_the_shelf_as_it_was(
    shelf: TraceShelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(shelf, [single(1)])
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.name != LOCK_NAME}

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("store.traces.flush_to_disk", full)
        with pytest.raises(StoreError, match="No space left"):
            put(shelf, [single(2)])
    assert {file.name: file.read_bytes() for file in folder.iterdir() if file.name != LOCK_NAME} == before
    assert put(shelf, [single(2)]) == [Added.NEW]


def test_an_index_the_disk_refuses_does_not_undo_the_import(
    shelf: TraceShelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, parts: object) -> None:
        raise StoreError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("store.traces.replace_whole", full)
        patch.setattr("store.segments.replace_whole", full)
        put(shelf, [single(1)])
        assert shelf.get("t1") == single(1)
    assert not list(folder.glob("*.idx"))
    assert TraceShelf(folder).get("t1") == single(1)
    assert list(folder.glob("*.idx"))


def test_a_killed_import_leaves_no_traces_and_no_rubbish(folder: Path, shelf: TraceShelf) -> None:
    code = f"""
        import os, signal
        from pathlib import Path
        from store.records import Trace
        from store.traces import TraceShelf
        writer = TraceShelf(Path({str(folder)!r})).writer().__enter__()
        writer.add(Trace("lost", "q", "x" * 100_000))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(store.__file__).parent.parent)},
    )
    assert done.returncode == -signal.SIGKILL
    assert list(folder.glob(".import-*"))
    assert put(shelf, [single(1)]) == [Added.NEW]
    assert list(shelf.ids()) == ["t1"]
    assert not list(folder.glob(".import-*"))


def test_a_second_import_is_told_who_is_at_work(
    shelf: TraceShelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.traces._PATIENCE", 0.0)
    holder = FileLock(folder / LOCK_NAME)
    with holder.held():
        holder.leave_note(process_note())
        with pytest.raises(StoreBusy, match=f"process {os.getpid()}"), shelf.writer():
            pass  # pragma: no cover
    assert put(shelf, [single(1)]) == [Added.NEW]


def test_a_number_is_not_used_again_when_its_file_was_put_aside(shelf: TraceShelf, folder: Path) -> None:
    put(shelf, [single(1)])
    put(shelf, [single(2)])
    first = folder / "000001.jsonl"
    first.rename(folder / "000001.jsonl.damaged-1")
    index_path(first).unlink()
    left = TraceShelf(folder)
    put(left, [single(3)])
    assert left.get("t2") == single(2)
    assert left.get("t3") == single(3)
    assert (folder / "000003.jsonl").exists()


# --- the index -----------------------------------------------------------------------------------


@pytest.mark.parametrize("spoil", ["missing", "cut", "other", "empty", "contradicts"])
def test_an_index_that_cannot_be_used_is_made_anew(shelf: TraceShelf, folder: Path, spoil: str) -> None:
    put(shelf, [FULL, *map(single, range(5))])
    index = index_path(folder / "000001.jsonl")
    good = index.read_bytes()
    spoiled = {
        "cut": good[:-3],
        "other": b"X" + good[1:],
        "empty": b"",
        "contradicts": good[:8] + (3).to_bytes(8, "little") + good[16:],
    }
    if spoil == "missing":
        index.unlink()
    else:
        index.write_bytes(spoiled[spoil])
    again = TraceShelf(folder)
    assert again.get(FULL.id) == FULL
    assert again.get("t4") == single(4)
    assert index.read_bytes() == good


def test_an_index_cut_anywhere_is_never_believed(shelf: TraceShelf, folder: Path) -> None:
    put(shelf, map(single, range(3)))
    index = index_path(folder / "000001.jsonl")
    good = index.read_bytes()
    for end in range(len(good)):
        index.write_bytes(good[:end])
        assert TraceShelf(folder).get("t2") == single(2)
        assert index.read_bytes() == good


@pytest.mark.parametrize("change", ["cut at a line", "cut in a line", "grown", "gone"])
def test_a_file_that_lost_or_gained_bytes_is_damaged_and_its_index_is_kept(
    shelf: TraceShelf, folder: Path, change: str
) -> None:
    put(shelf, map(single, range(3)))
    path = folder / "000001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    content = {
        "cut at a line": b"".join(lines[:2]),
        "cut in a line": b"".join(lines)[:-5],
        "grown": b"".join(lines) + b"{}\n",
    }
    index = index_path(path).read_bytes()
    if change == "gone":
        path.unlink()
    else:
        path.write_bytes(content[change])
    with pytest.raises(StoreDamaged, match=r"000001\.jsonl.*damaged"):
        TraceShelf(folder)
    assert path.exists() == (change != "gone")
    assert index_path(path).read_bytes() == index


def test_a_spoiled_line_names_its_file_and_line(shelf: TraceShelf, folder: Path) -> None:
    put(shelf, map(single, range(3)))
    path = folder / "000001.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"t1"', b'"t1x'))
    with pytest.raises(StoreDamaged) as caught:
        TraceShelf(folder).at(1)
    assert (caught.value.path, caught.value.line) == (path, 2)


def test_more_imports_than_files_that_may_be_open(shelf: TraceShelf, folder: Path) -> None:
    for number in range(100):
        put(shelf, [single(number)])
    open_files = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    again = TraceShelf(folder)
    assert [again.get(f"t{number}") for number in range(100)] == [single(number) for number in range(100)]
    if open_files:
        assert len(os.listdir("/proc/self/fd")) < open_files + 80


# --- search --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SCONE", [0]),
        ("question", [1, 2]),
        ("Question 1", [1]),
        ("end\u2028 [b]", [0]),
        ("0042 Ä", [0]),
        ("zeta", []),
        ('{"item"', [0]),
        ("line\nend", [0]),
        ("nowhere", []),
    ],
)
def test_search_looks_at_what_a_person_reads_and_ignores_case(
    shelf: TraceShelf, text: str, found: list[int]
) -> None:
    put(shelf, [FULL, single(1), single(2)])
    assert list(shelf.search(text)) == found
