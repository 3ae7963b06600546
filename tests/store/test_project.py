"""A project is one folder; several windows on it work at once, and nothing is half made."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import store
from store.errors import (
    BadInput,
    LeakRefused,
    NotFound,
    ProjectExists,
    ProjectNotFound,
    StoreDamaged,
    StoreError,
)
from store.project import FOLDER, Project, default_annotator
from store.records import Cause, Criterion, Example, JudgeKind, JudgeVersion, Label, Piled, PileName, Trace

CASES = Path(__file__).parent.parent / "cases"


def label(trace: str, verdict: str = "pass") -> Label:
    return Label(trace=trace, criterion="c", version=1, verdict=verdict, annotator="anna")


def judge(name: str = "strict", **more: object) -> JudgeVersion:
    return JudgeVersion(  # type: ignore[misc]
        **{  # type: ignore[arg-type]
            "name": name,
            "criterion": "c",
            "criterion_version": 1,
            "kind": JudgeKind.PASS_FAIL,
            "recipe": "plain",
            "backend": "baseline",
            **more,
        }
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    Project.create(tmp_path).close()
    return tmp_path


def filled(root: Path) -> Project:
    project = Project(root)
    with project.traces.writer() as writer:
        for number in range(4):
            writer.add(Trace(f"t{number}", f"q{number}", "a"))
        writer.publish()
    project.criteria.add(Criterion("c", 0, "good", "bad"))
    for number, pile in enumerate((PileName.TRAIN, PileName.DEV, PileName.HOLDOUT)):
        project.labels.add(label(f"t{number}"))
        project.piles.deal([Piled(f"t{number}", "c", pile, f"g{number}", seed=0)])
    return project


def test_everything_is_there_after_a_restart(root: Path) -> None:
    with filled(root) as project:
        project.add_judge(judge(examples=(Example("t0", "pass", ""),)))
        project.causes.append(Cause("t1", "c", "sha256:x", "judge slip", "anna"))
        project.ledger.record("c", "sha256:x", "anna")
        project.scopes.add("c", ["000001.jsonl"])
        before = [
            project.criteria.versions("c"),
            project.judges.all(),
            dict(project.labels.current("c", "anna")),
            dict(project.piles.of("c")),
            project.causes.of("c", "sha256:x"),
            project.ledger.of("c"),
            project.scopes.of("c"),
            list(project.traces.ids()),
        ]
    with Project(root) as project:
        assert before == [
            project.criteria.versions("c"),
            project.judges.all(),
            dict(project.labels.current("c", "anna")),
            dict(project.piles.of("c")),
            project.causes.of("c", "sha256:x"),
            project.ledger.of("c"),
            project.scopes.of("c"),
            list(project.traces.ids()),
        ]


def test_a_project_is_found_from_a_folder_inside_it(root: Path) -> None:
    inside = root / "a" / "b"
    inside.mkdir(parents=True)
    with Project.find(inside) as project:
        assert project.root == root.resolve()
    with pytest.raises(ProjectExists):
        Project.create(root)


def test_no_project_is_said_with_the_way_to_one(tmp_path: Path) -> None:
    for attempt in (lambda: Project(tmp_path), lambda: Project.find(tmp_path)):
        with pytest.raises(ProjectNotFound, match="adjudge init"):
            attempt()
    (tmp_path / FOLDER).write_text("a file where the folder should be")
    with pytest.raises(ProjectNotFound):
        Project(tmp_path)


def test_a_project_the_disk_refuses_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("store.files.os.fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            Project.create(tmp_path)
    with pytest.raises(ProjectNotFound):
        Project(tmp_path)
    Project.create(tmp_path).close()


def test_a_spoiled_project_file_is_called_damaged_and_a_newer_one_is_refused(root: Path) -> None:
    path = root / FOLDER / "project.json"
    content = path.read_bytes()
    path.write_bytes(content[:-4])
    with pytest.raises(StoreDamaged, match=r"project\.json"):
        Project(root)
    path.write_bytes(content.replace(b'"format":1', b'"format":99'))
    with pytest.raises(StoreError, match="newer"):
        Project(root)


# --- two windows ---------------------------------------------------------------------------------


def test_two_windows_on_one_project_lose_nothing(root: Path) -> None:
    steps = json.loads((CASES / "STO-03.json").read_text())["steps"]
    windows: dict[str, Project] = {}
    for step in steps:
        match step.split():
            case [who, "opens", *_]:
                windows[who] = Project(root)
            case [who, "labels", trace, verdict]:
                windows[who].labels.add(label(trace, verdict))
            case ["both", "close"]:
                windows["A"].close()
                windows["B"].close()
    seen = windows["C"].labels.current("c", "anna")
    assert {trace: one.verdict for trace, one in seen.items()} == {"t1": "pass", "t2": "fail", "t3": "pass"}


def test_a_window_sees_what_another_wrote_after_a_refresh(root: Path) -> None:
    mine, theirs = Project(root), filled(root)
    assert mine.refresh()
    assert len(mine.traces) == 4
    assert mine.criteria.names() == ("c",)
    assert len(mine.labels.current("c", "anna")) == 3
    assert not mine.refresh()
    theirs.compact()
    assert mine.refresh()
    assert len(mine.labels.current("c", "anna")) == 3
    mine.close()
    theirs.close()


def test_two_windows_never_give_one_version_number_or_one_pile_twice(root: Path) -> None:
    mine, theirs = filled(root), Project(root)
    assert mine.criteria.add(Criterion("c", 0, "better", "bad")).version == 2
    assert theirs.criteria.add(Criterion("c", 0, "best", "bad")).version == 3
    assert [one.version for one in Project(root).criteria.versions("c")] == [1, 2, 3]
    first = mine.add_judge(judge())
    assert theirs.add_judge(judge()) == first
    assert theirs.judges.all() == (first,)
    mine.piles.deal([Piled("t3", "c", PileName.DEV, "g", seed=0)])
    with pytest.raises(BadInput, match="never moves"):
        theirs.piles.deal([Piled("t3", "c", PileName.HOLDOUT, "g", seed=0)])
    assert theirs.piles.pile_of("c", "t3") is PileName.DEV


def test_a_process_that_was_killed_holds_nothing(root: Path) -> None:
    code = f"""
        import os, signal
        from pathlib import Path
        from store.project import Project
        project = Project(Path({str(root)!r}))
        with project.labels.exclusive():
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(store.__file__).parent.parent)},
    )
    assert done.returncode == -signal.SIGKILL
    with Project(root) as project:
        assert project.labels.add(label("t1")).id == 1


def test_a_label_and_the_next_trace_cost_the_same_from_the_first_to_the_fiftieth(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path_factory.mktemp("made")
    subprocess.run([sys.executable, str(CASES / "STO-07.gen.py")], check=True, cwd=made)
    with Project(root) as project:
        with project.traces.writer() as writer, open(made / "STO-07.jsonl", encoding="utf-8") as file:
            for line in file:
                writer.add(Trace(**json.loads(line)))
            writer.publish()
        assert len(project.traces) == 5000
        moved: list[int] = []
        read, write = os.pread, os.write

        def counted_read(fd: int, length: int, at: int) -> bytes:
            data = read(fd, length, at)
            moved[-1] += len(data)
            return data

        def counted_write(fd: int, data: bytes) -> int:
            moved[-1] += len(data)
            return write(fd, data)

        monkeypatch.setattr(os, "pread", counted_read)
        monkeypatch.setattr(os, "write", counted_write)
        for row in range(50):
            moved.append(0)
            project.labels.add(label(project.traces.id_at(row)))
            project.traces.at(row + 1)
    # A trace of 4 kB, a label of 0.4 kB, a note in the lock file; neither the journal nor 20 MB of traces.
    assert max(moved) < 6000
    assert moved[-1] <= moved[1] + 10


# --- rules ---------------------------------------------------------------------------------------


def test_examples_come_from_train_only(root: Path) -> None:
    with filled(root) as project:
        for trace, where in (("t1", "dev"), ("t2", "holdout"), ("t3", "no pile")):
            with pytest.raises(LeakRefused, match=where):
                project.add_judge(judge(examples=(Example(trace, "pass", ""),)))
        with pytest.raises(NotFound, match="t9"):
            project.add_judge(judge(examples=(Example("t9", "pass", ""),)))
        with pytest.raises(NotFound, match="version 7"):
            project.add_judge(judge(criterion_version=7))
        assert project.judges.all() == ()
        added = project.add_judge(judge(examples=(Example("t0", "pass", ""),)))
        assert project.judges.get("strict") == added


def test_the_hold_out_is_sealed_until_it_is_opened(root: Path) -> None:
    with filled(root) as project:
        assert project.sealed("c") == {"t2"}
        assert set(project.open_reference("c").labels) == {"t0", "t1"}
        project.ledger.record("c", "sha256:x", "anna")
        assert project.sealed("c") == frozenset()
        assert set(project.open_reference("c").labels) == {"t0", "t1", "t2"}


def test_judges_are_found_by_name_hash_and_both(root: Path) -> None:
    with filled(root) as project:
        old = project.add_judge(judge(model="a"))
        new = project.add_judge(judge(model="b"))
        other = project.add_judge(judge("lenient", model="b"))
        assert new.parent == old.hash
        assert project.judges.number(new) == 2
        assert project.judges.get("strict") == new
        assert project.judges.get(f"strict@{old.hash[7:15]}") == old
        assert project.judges.get(old.hash) == old
        assert project.judges.get(f"lenient@{new.hash}") == other
        for reference, message in (
            ("nobody", "no judge"),
            ("strict@ffffffffffff", "no judge"),
            ("", "no judge"),
        ):
            with pytest.raises(NotFound, match=message):
                project.judges.get(reference)


def test_causes_are_replaced_and_taken_back(root: Path) -> None:
    with filled(root) as project:
        for cause in ("judge slip", "fact missing", None):
            project.causes.append(Cause("t1", "c", "j", cause, "anna"))
            found = project.causes.of("c", "j")
            assert {trace: one.cause for trace, one in found.items()} == ({"t1": cause} if cause else {})


def test_a_criterion_is_about_its_files_or_about_everything(root: Path) -> None:
    with filled(root) as project:
        with project.traces.writer() as writer:
            writer.add(Trace("t9", "q", "a"))
            writer.publish()
        assert project.rows_for("c") == [range(5)]
        project.scopes.add("c", [project.traces.segment_of(4)])
        assert project.rows_for("c") == [range(4, 5)]


def test_a_criterion_keeps_its_kind_and_its_versions(root: Path) -> None:
    with filled(root) as project:
        with pytest.raises(BadInput, match="kind"):
            project.criteria.add(Criterion("c", 0, "a", "b", kind=JudgeKind.PAIRWISE))
        with pytest.raises(BadInput, match="name"):
            project.criteria.add(Criterion("  ", 0, "a", "b"))
        with pytest.raises(NotFound, match="criteria here: c"):
            project.criteria.latest("d")
        with pytest.raises(NotFound, match="version 2"):
            project.criteria.version("c", 2)
        assert project.criteria.version("c", 1).pass_definition == "good"


def test_a_torn_tail_is_told_when_the_project_is_opened(root: Path) -> None:
    filled(root).close()
    with open(root / FOLDER / "journal.jsonl", "ab") as file:
        file.write(b'{"crc":"0')
    with Project(root) as project:
        assert len(project.notices) == 1
        assert "journal.jsonl" in project.notices[0]
        assert len(project.labels.current("c", "anna")) == 3


def test_labels_are_written_under_the_name_that_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_ANNOTATOR", " dora ")
    assert default_annotator() == "dora"
    monkeypatch.setenv("ADJUDGE_ANNOTATOR", " ")
    monkeypatch.setattr("getpass.getuser", lambda: "emil")
    assert default_annotator() == "emil"

    def nobody() -> str:
        raise OSError("no such user")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert default_annotator() == "me"
