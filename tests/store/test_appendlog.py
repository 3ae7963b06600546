"""Lines that were confirmed stay; lines that were not are taken back, kept aside and said."""

from __future__ import annotations

import errno
import json
import os
import resource
from pathlib import Path

import pytest

from store.appendlog import AppendLog
from store.errors import StoreDamaged, StoreError
from store.lines import decode_line, encode_line, is_unfinished, lock_path, salvage


def body(number: int) -> bytes:
    return json.dumps({"number": number, "text": "ä" * (number % 7)}, ensure_ascii=False).encode()


def append(log: AppendLog, *bodies: bytes) -> None:
    with log.exclusive():
        while log.news().bodies:
            pass
        log.append(bodies)


def read(path: Path) -> list[bytes]:
    log = AppendLog(path)
    try:
        return list(log.news().bodies)
    finally:
        log.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def filled(path: Path, count: int = 5) -> bytes:
    log = AppendLog(path)
    for number in range(count):
        append(log, body(number))
    log.close()
    return path.read_bytes()


def test_what_was_appended_is_read_back_in_order(path: Path) -> None:
    filled(path, 20)
    assert read(path) == [body(number) for number in range(20)]


def test_the_file_is_json_lines_for_any_other_program(path: Path) -> None:
    for line in filled(path).decode().splitlines():
        assert set(json.loads(line)) == {"crc", "data"}


def test_reading_in_small_pieces_gives_every_line_once(path: Path) -> None:
    long = [b'"%d %s"' % (number, b"x" * 3000 * number) for number in range(10)]
    log = AppendLog(path)
    append(log, *long)
    log.close()
    log = AppendLog(path)
    pieces = []
    while bodies := log.news(at_most=5000).bodies:
        pieces.append(bodies)
    assert [one for piece in pieces for one in piece] == long
    assert len(pieces) > 5
    log.close()


def test_two_handles_see_each_others_lines_and_never_mix_them(path: Path) -> None:
    first, second = AppendLog(path), AppendLog(path)
    for number in range(0, 10, 2):
        append(first, body(number))
        append(second, body(number + 1))
    assert read(path) == [body(number) for number in range(10)]
    first.close()
    second.close()


def test_appending_without_having_read_is_refused(path: Path) -> None:
    filled(path)
    log = AppendLog(path)
    with log.exclusive(), pytest.raises(StoreError, match="not read"):
        log.append([body(9)])
    assert len(read(path)) == 5
    log.close()


# --- cut short -----------------------------------------------------------------------------------


def test_a_file_cut_at_any_byte_is_called_damaged_and_left_alone(path: Path) -> None:
    whole = filled(path, 3)
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(StoreDamaged) as caught:
            AppendLog(path)
        assert str(path) in str(caught.value)
        assert "damaged" in str(caught.value)
        assert path.read_bytes() == whole[:end]
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, lock_path(path).name]


def test_a_write_cut_short_at_any_byte_is_set_aside_and_the_rest_is_there(path: Path) -> None:
    whole = filled(path, 3)
    line = encode_line(body(3))
    for end in range(1, len(line) - 1):
        path.write_bytes(whole + line[:end])
        log = AppendLog(path)
        assert list(log.news().bodies) == [body(0), body(1), body(2)]
        assert "torn-" in log.notices[0]
        log.close()
        assert path.read_bytes() == whole
    kept = {file.read_bytes() for file in path.parent.glob("*.torn-*")}
    assert kept == {line[:end] for end in range(1, len(line) - 1)}


def test_a_last_line_that_lacks_only_its_line_end_is_kept(path: Path) -> None:
    whole = filled(path, 3)
    path.write_bytes(whole + encode_line(body(3))[:-1])
    assert read(path) == [body(number) for number in range(4)]
    assert path.read_bytes() == whole + encode_line(body(3))


def test_zeros_that_a_power_cut_left_at_the_end_are_an_unfinished_write(path: Path) -> None:
    whole = filled(path, 2)
    path.write_bytes(whole + encode_line(body(2))[:30] + b"\0" * 100)
    assert read(path) == [body(0), body(1)]


@pytest.mark.parametrize(
    "garbage", [b': "t2", "label": "pass"}}}', b"x", b"\xff\xfe", b"{}\n", b"\n", b"{}\n{}"]
)
def test_anything_else_after_the_end_is_damage_and_nothing_is_written_over_it(
    path: Path, garbage: bytes
) -> None:
    whole = filled(path)
    path.write_bytes(whole + garbage)
    with pytest.raises(StoreDamaged, match=r"log\.jsonl"):
        read(path)
    assert path.read_bytes() == whole + garbage


def test_garbage_that_appears_while_the_file_is_open_stops_the_next_write(path: Path) -> None:
    log = AppendLog(path)
    append(log, body(0))
    with open(path, "ab") as file:
        file.write(b"not ours")
    before = path.read_bytes()
    with pytest.raises(StoreDamaged):
        append(log, body(1))
    assert path.read_bytes() == before
    log.close()


def test_a_file_cut_while_it_is_open_stops_the_next_write(path: Path) -> None:
    log = AppendLog(path)
    for number in range(3):
        append(log, body(number))
    os.truncate(path, path.stat().st_size // 2)
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreDamaged):
            append(log, body(9))
    assert path.read_bytes() == before
    log.close()


def test_a_flipped_bit_names_its_line_every_time_it_is_met(path: Path) -> None:
    whole = bytearray(filled(path))
    third = sum(len(encode_line(body(number))) for number in range(2))
    whole[third + 30] ^= 1
    path.write_bytes(bytes(whole))
    log = AppendLog(path)
    for _ in range(2):
        with pytest.raises(StoreDamaged) as caught:
            log.news()
        assert caught.value.line == 3
    log.close()


def test_a_copy_without_its_lock_file_opens(path: Path) -> None:
    filled(path)
    lock_path(path).unlink()
    assert len(read(path)) == 5


# --- the disk refuses ----------------------------------------------------------------------------


def fail_after(monkeypatch: pytest.MonkeyPatch, accepted: int) -> None:
    """Let the next writes take so many bytes, then say that the disk is full."""
    left = [accepted]
    write = os.write

    def filling(fd: int, data: bytes) -> int:
        if left[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = write(fd, bytes(data)[: left[0]])
        left[0] -= taken
        return taken

    monkeypatch.setattr("store.appendlog.os.write", filling)


def test_a_full_disk_at_any_byte_leaves_the_file_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = filled(path, 2)
    log = AppendLog(path)
    for accepted in range(0, 2 * len(encode_line(body(5))) - 1, 3):
        with monkeypatch.context() as patch:
            fail_after(patch, accepted)
            with pytest.raises(StoreError, match="No space left"):
                append(log, body(5), body(5))
        assert path.read_bytes() == whole
    append(log, body(2))
    assert read(path) == [body(0), body(1), body(2)]
    log.close()


def test_a_file_size_limit_is_a_full_disk_too(path: Path) -> None:
    whole = filled(path, 2)
    log = AppendLog(path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, hard))
    try:
        with pytest.raises(StoreError, match="was not written"):
            append(log, body(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == whole
    log.close()


def test_a_reader_that_saw_a_write_which_was_taken_back_begins_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(path, 2)
    writer, reader = AppendLog(path), AppendLog(path, follow=True)
    reader.news()

    def fails_after_being_seen(fd: int) -> None:
        assert reader.news().bodies == (body(2),)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("store.appendlog.flush_to_disk", fails_after_being_seen)
        with pytest.raises(StoreError):
            append(writer, body(2))
    append(writer, body(3))
    news = reader.news()
    assert news.restarted
    assert list(news.bodies) == [body(0), body(1), body(3)]
    assert not reader.news().restarted
    writer.close()
    reader.close()


def test_a_torn_tail_on_a_full_disk_can_be_read_past_but_not_written_past(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = filled(path, 2)
    path.write_bytes(whole + encode_line(body(2))[:20])

    def full(*_: object) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("store.files.os.fsync", full)
    log = AppendLog(path)
    assert len(log.news().bodies) == 2
    with pytest.raises(StoreError), log.exclusive():
        pass  # pragma: no cover
    assert path.read_bytes() == whole + encode_line(body(2))[:20]
    log.close()


# --- replaced ------------------------------------------------------------------------------------


def test_another_handle_follows_a_replaced_file(path: Path) -> None:
    filled(path)
    first, second = AppendLog(path), AppendLog(path)
    second.news()
    with first.exclusive():
        first.replace([b'{"all":"of it"}'])
    append(second, body(7))
    assert read(path) == [b'{"all":"of it"}', body(7)]
    first.close()
    second.close()


def test_a_replacement_that_the_disk_refuses_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = filled(path)
    log = AppendLog(path)

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch, log.exclusive():
        log.news()
        patch.setattr("store.files.os.fsync", full)
        with pytest.raises(StoreError):
            log.replace([b"{}"])
    assert path.read_bytes() == whole
    append(log, body(5))
    assert len(read(path)) == 6
    assert not list(path.parent.glob(".*.new"))
    log.close()


def test_a_removed_file_is_said_to_be_gone(path: Path) -> None:
    filled(path)
    log = AppendLog(path)
    path.unlink()
    with pytest.raises(StoreError, match="gone"):
        log.news()
    log.close()


# --- read only -----------------------------------------------------------------------------------


def test_a_follower_touches_nothing(path: Path) -> None:
    torn = filled(path) + encode_line(body(5))[:25]
    path.write_bytes(torn)
    log = AppendLog(path, follow=True)
    assert len(log.news().bodies) == 5
    with pytest.raises(StoreError, match="only be read"), log.exclusive():
        pass  # pragma: no cover
    log.close()
    assert path.read_bytes() == torn


def test_a_file_that_may_not_be_written_can_be_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(path)
    really_open = os.open

    def refuse_writing(file: Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_RDWR:
            raise OSError(errno.EROFS, "Read-only file system")
        return really_open(file, flags, mode)

    monkeypatch.setattr("store.appendlog.os.open", refuse_writing)
    log = AppendLog(path)
    assert len(log.news().bodies) == 5
    with pytest.raises(StoreError, match="only be read"), log.exclusive():
        pass  # pragma: no cover
    log.close()


# --- one line ------------------------------------------------------------------------------------


def test_a_changed_byte_anywhere_in_a_line_is_noticed() -> None:
    line = encode_line(body(6))[:-1]
    for position in range(len(line)):
        changed = bytearray(line)
        changed[position] ^= 4
        assert decode_line(bytes(changed)) is None


def test_every_beginning_of_a_line_looks_unfinished_and_other_text_does_not() -> None:
    line = encode_line(body(6))
    assert all(is_unfinished(line[:end]) for end in range(len(line)))
    assert not is_unfinished(b'{"labels": {"1"')


def test_good_lines_are_found_inside_a_damaged_one() -> None:
    one, two = encode_line(body(1))[:-1], encode_line(body(2))[:-1]
    assert list(salvage(one[:20] + two)) == [body(2)]
    assert list(salvage(one + b"garbage")) == [body(1)]
    assert list(salvage(b"{{" + one + b'{"crc":"' + two + two[:-1])) == [body(1), body(2)]
    assert list(salvage(b"nothing here")) == []
