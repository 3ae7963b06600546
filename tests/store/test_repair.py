"""Checking only reads; repairing keeps every good line, and every byte of what it replaces."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from store.errors import ProjectNotFound, StoreDamaged, StoreError
from store.files import copy_aside
from store.lines import encode_line, lock_path
from store.locking import FileLock, process_note
from store.project import FOLDER, Project
from store.records import Criterion, JudgeVersion, Label, Trace, Verdict
from store.repair import Check, check, repair
from store.runrecords import RunPlan, RunState
from store.runs import Entry, RunWriter
from store.segments import index_path
from store.traces import LOCK_NAME


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with Project.create(tmp_path) as project:
        with project.traces.writer() as writer:
            for number in range(4):
                writer.add(Trace(f"t{number}", f"q{number}", "a"))
            writer.publish()
        project.criteria.add(Criterion("c", 0, "good", "bad"))
        for number in range(4):
            project.labels.add(label(number))
        project.ledger.record("c", "sha256:x", "anna")
        project.ledger.record("c", "sha256:y", "anna")
        run = project.runs.create(RunPlan("r1", "sha256:x", "j", "c", "scripted", ("t0", "t1"), "all"))
        run_writer = RunWriter(run)
        run_writer.append(Entry(verdict=Verdict("t0", "pass")))
        run_writer.append(Entry(verdict=Verdict("t1", "fail")))
        run_writer.state(RunState.DONE)
        run_writer.close()
    return tmp_path


def label(number: int) -> Label:
    return Label(trace=f"t{number}", criterion="c", version=1, verdict="pass", annotator="anna")


def journal(root: Path) -> Path:
    return root / FOLDER / "journal.jsonl"


def segment(root: Path) -> Path:
    return root / FOLDER / "traces" / "000001.jsonl"


def run_log(root: Path) -> Path:
    return root / FOLDER / "runs" / "r1" / "log.jsonl"


def labelled(root: Path) -> list[str]:
    with Project(root) as project:
        return list(project.labels.current("c", "anna"))


def failing(root: Path) -> dict[str, str]:
    return {one.name: one.detail for one in check(root) if not one.ok}


def everything(root: Path) -> dict[str, bytes]:
    """Every file but the locks."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.name.endswith("lock")
    }


def test_a_whole_project_passes_every_check_and_nothing_is_repaired(root: Path) -> None:
    before = everything(root)
    checks = check(root)
    assert [one.name for one in checks] == [
        "project file",
        "journal",
        "traces",
        "runs",
        "hold-out ledger",
        "locks",
        "disk",
    ]
    assert all(one.ok for one in checks if one.name != "disk"), checks
    assert repair(root) == ()
    assert everything(root) == before


def test_no_project_is_no_project(tmp_path: Path) -> None:
    for attempt in (check, repair):
        with pytest.raises(ProjectNotFound):
            attempt(tmp_path)


def test_a_journal_cut_anywhere_is_refused_and_left_alone(root: Path) -> None:
    whole = journal(root).read_bytes()
    ends = {position + 1 for position, byte in enumerate(whole[:-1]) if byte == 10}
    for cut in sorted({*range(0, len(whole), 17), *ends}):
        journal(root).write_bytes(whole[:cut])
        with pytest.raises(StoreDamaged, match=r"journal\.jsonl.*damaged"):
            Project(root)
        assert journal(root).read_bytes() == whole[:cut]


def test_a_cut_journal_is_repaired_and_what_it_was_is_kept(root: Path) -> None:
    whole = journal(root).read_bytes()
    note = lock_path(journal(root)).read_bytes()
    ends = [position + 1 for position, byte in enumerate(whole) if byte == 10]
    for cut in sorted({*range(0, len(whole), 97), *ends[:-1], *(end - 1 for end in ends)}):
        journal(root).write_bytes(whole[:cut])
        lock_path(journal(root)).write_bytes(note)
        assert "journal" in failing(root)
        done = repair(root)
        assert len(done) == 1
        assert "journal.jsonl" in done[0]
        # A line that lost its line end only is still good.
        kept = sum(end - 1 <= cut for end in ends)
        assert journal(root).read_bytes() == whole[: ends[kept - 1] if kept else 0]
        assert failing(root).keys() <= {"disk"}
        labelled(root)
    kept_files = [path.read_bytes() for path in journal(root).parent.glob("journal.jsonl.damaged-*")]
    assert all(whole.startswith(content) for content in kept_files)
    assert len(kept_files) == len({len(content) for content in kept_files})


@pytest.mark.parametrize("garbage", [b': "t2", "label": "pass"}}}', b"rubbish\n", b"\xff\x00\n\n"])
def test_garbage_after_a_valid_end_is_refused_kept_and_repaired(root: Path, garbage: bytes) -> None:
    whole = journal(root).read_bytes()
    journal(root).write_bytes(whole + garbage)
    with pytest.raises(StoreDamaged, match=r"journal\.jsonl.*damaged"):
        Project(root)
    assert journal(root).read_bytes() == whole + garbage
    assert len(repair(root)) == 1
    assert journal(root).read_bytes() == whole
    assert (root / FOLDER / "journal.jsonl.damaged-1").read_bytes() == whole + garbage
    assert labelled(root) == ["t0", "t1", "t2", "t3"]
    assert repair(root) == ()


def test_a_spoiled_line_in_the_middle_costs_that_line_only(root: Path) -> None:
    lines = journal(root).read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"t1"', b'"t8"')
    journal(root).write_bytes(b"".join(lines))
    assert "line 3" in failing(root)["journal"]
    repair(root)
    assert labelled(root) == ["t0", "t2", "t3"]
    with Project(root) as project:
        assert project.labels.add(label(1)).id == 5


def test_good_lines_run_together_in_a_damaged_one_are_kept(root: Path) -> None:
    lines = journal(root).read_bytes().splitlines(keepends=True)
    lines[1] = lines[1][:30]
    lines[3] = lines[3][:-1] + b"garbage"
    journal(root).write_bytes(b"".join(lines))
    repair(root)
    assert labelled(root) == ["t1", "t2", "t3"]


def test_a_document_that_is_no_record_costs_that_document_only(root: Path) -> None:
    put = {
        "labels": {
            "7": msgspec.to_builtins(label(7)),
            "8": {"trace": "t8"},
            "9": msgspec.to_builtins(label(9)),
        },
        "judges": {"1": {"name": 5}},
    }
    with open(journal(root), "ab") as file:
        file.write(encode_line(msgspec.json.encode({"put": put})))
    with pytest.raises(StoreDamaged, match="labels 8"):
        Project(root)
    repair(root)
    assert labelled(root) == ["t0", "t1", "t2", "t3", "t7", "t9"]


def test_an_unfinished_write_is_no_damage(root: Path) -> None:
    with open(journal(root), "ab") as file:
        file.write(b'{"crc":"01234567","da')
    assert "journal" not in failing(root)
    assert repair(root) == ()
    assert len(labelled(root)) == 4


def test_checking_says_so_and_repairing_waits_while_a_window_is_open(root: Path) -> None:
    journal(root).write_bytes(journal(root).read_bytes() + b"rubbish\n")
    repair(root)
    with Project(root) as project:
        project.labels.add(label(5))
        assert repair(root) == ()
        project.labels.add(label(6))
    assert labelled(root)[-2:] == ["t5", "t6"]


def test_a_window_that_was_open_during_a_repair_goes_on_with_the_repaired_journal(root: Path) -> None:
    with Project(root) as project:
        with open(journal(root), "ab") as file:
            file.write(b"rubbish\n")
        with pytest.raises(StoreDamaged):
            project.labels.add(label(5))
        repair(root)
        project.refresh()
        project.labels.add(label(5))
    assert labelled(root) == ["t0", "t1", "t2", "t3", "t5"]


def test_a_changed_opening_breaks_the_chain_and_stays_as_it_is(root: Path) -> None:
    lines = journal(root).read_bytes().splitlines()
    body = lines[5][len(b'{"crc":"01234567","data":') : -1]
    assert b"openings" in body
    lines[5] = encode_line(body.replace(b"sha256:x", b"sha256:z")).strip()
    journal(root).write_bytes(b"\n".join(lines) + b"\n")
    assert set(failing(root)) - {"disk"} == {"hold-out ledger"}
    assert "opening 1" in failing(root)["hold-out ledger"]
    assert repair(root) == ()


# --- the project file ----------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b'{"format":', b"[]", None])
def test_a_spoiled_or_missing_project_file_is_written_anew(root: Path, content: bytes | None) -> None:
    path = root / FOLDER / "project.json"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    assert "project file" in failing(root)
    assert len(repair(root)) == 1
    assert len(labelled(root)) == 4
    if content is not None:
        assert path.with_name("project.json.damaged-1").read_bytes() == content


# --- traces --------------------------------------------------------------------------------------


@pytest.mark.parametrize("index_too", [True, False])
def test_a_trace_file_with_spoiled_lines_keeps_the_good_ones(root: Path, index_too: bool) -> None:
    lines = segment(root).read_bytes().splitlines(keepends=True)
    spoiled = lines[0] + b"rubbish\n" + lines[2] + lines[3][:-9]
    segment(root).write_bytes(spoiled)
    if index_too:
        index_path(segment(root)).unlink()
    assert "000001.jsonl: 2 damaged lines (the first is line 2)" in failing(root)["traces"]
    assert "000001.jsonl" in repair(root)[0]
    with Project(root) as project:
        assert list(project.traces.ids()) == ["t0", "t2"]
        assert project.traces.get("t2").input == "q2"
    assert segment(root).with_name("000001.jsonl.damaged-1").read_bytes() == spoiled


def test_a_trace_file_cut_at_a_line_end_is_said_to_lack_traces(root: Path) -> None:
    lines = segment(root).read_bytes().splitlines(keepends=True)
    segment(root).write_bytes(b"".join(lines[:3]))
    assert "1 traces are missing" in failing(root)["traces"]
    repair(root)
    with Project(root) as project:
        assert list(project.traces.ids()) == ["t0", "t1", "t2"]


def test_a_lost_trace_file_is_named_and_the_project_opens_without_it(root: Path) -> None:
    segment(root).unlink()
    with pytest.raises(StoreDamaged, match=r"000001\.jsonl"):
        Project(root)
    assert "gone with its 4 traces" in failing(root)["traces"]
    repair(root)
    with Project(root) as project:
        assert len(project.traces) == 0
        assert len(project.labels.current("c", "anna")) == 4


def test_an_index_that_says_something_else_is_made_anew(root: Path) -> None:
    index = index_path(segment(root))
    good = index.read_bytes()
    index.write_bytes(good.replace(b"t0t1t2t3", b"t0t1t2t9"))
    assert "index does not fit" in failing(root)["traces"]
    repair(root)
    assert index.read_bytes() == good


def test_traces_are_left_alone_while_an_import_goes_on(root: Path) -> None:
    segment(root).write_bytes(b"rubbish\n")
    importing = FileLock(root / FOLDER / "traces" / LOCK_NAME)
    with importing.held():
        importing.leave_note(process_note())
        done = repair(root)
        assert f"process {os.getpid()}" in done[0]
        assert segment(root).read_bytes() == b"rubbish\n"
        assert f"process {os.getpid()}" in next(one for one in check(root) if one.name == "locks").detail


# --- runs ----------------------------------------------------------------------------------------


def test_a_damaged_run_log_keeps_its_good_lines(root: Path) -> None:
    lines = run_log(root).read_bytes().splitlines(keepends=True)
    run_log(root).write_bytes(lines[0] + lines[1].replace(b"t1", b"t7") + lines[2])
    assert "1 damaged (line 2)" in failing(root)["runs"]
    repair(root)
    with Project(root) as project:
        run = project.runs.get("r1")
        assert [key[0] for key in project.runs.verdicts(run)] == ["t0"]
        assert project.runs.status(run).state is RunState.DONE


def test_a_run_whose_plan_cannot_be_read_is_no_longer_listed_and_its_files_stay(root: Path) -> None:
    path = run_log(root).with_name("plan.json")
    path.write_bytes(b'{"id":')
    log = run_log(root).read_bytes()
    assert "plan.json" in failing(root)["runs"]
    repair(root)
    with Project(root) as project:
        assert project.runs.ids() == ()
    assert path.with_name("plan.json.damaged-1").read_bytes() == b'{"id":'
    assert run_log(root).read_bytes() == log


def test_a_run_at_work_is_left_alone(root: Path) -> None:
    with Project(root) as project:
        writer = RunWriter(project.runs.get("r1"))
        spoiled = run_log(root).read_bytes() + b"rubbish\n"
        run_log(root).write_bytes(spoiled)
        assert "run r1 is at work" in next(one for one in check(root) if one.name == "locks").detail
        assert "left alone" in repair(root)[0]
        assert run_log(root).read_bytes() == spoiled
        writer.close()
    assert "damaged" in repair(root)[0]


# --- the disk ------------------------------------------------------------------------------------


def test_a_full_disk_during_a_repair_leaves_the_damaged_file_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoiled = journal(root).read_bytes() + b"rubbish\n"
    journal(root).write_bytes(spoiled)

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("store.files.os.fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            repair(root)
    assert journal(root).read_bytes() == spoiled
    assert not list(journal(root).parent.glob("*.damaged-*"))
    assert len(repair(root)) == 1


def test_little_free_space_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.repair.free_bytes", lambda folder: 5_000_000)
    assert Check("disk", False, "5 MB free") in check(root)


def test_a_copy_never_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"one", b"two", b"three"):
        path.write_bytes(content)
        copy_aside(path, "damaged")
    assert [tmp_path.joinpath(f"file.damaged-{n}").read_bytes() for n in (1, 2, 3)] == [
        b"one",
        b"two",
        b"three",
    ]


def test_every_book_of_a_project_is_checked(root: Path) -> None:
    from store.books import Book
    from store.repair import _BOOKS

    with Project(root) as project:
        kept = {type(value) for value in vars(project).values() if isinstance(value, Book)}
    assert kept == set(_BOOKS)
    assert JudgeVersion in {book.record_type for book in _BOOKS}
