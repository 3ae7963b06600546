"""An exported project comes back as the same project, or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from store.archive import read_archive
from store.errors import BadInput
from store.exporting import export
from store.importing.importer import ImportOptions, import_files
from store.project import Project
from store.records import Cause, Criterion, JudgeKind, JudgeVersion, Label, Piled, PileName


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        fill(opened, tmp_path)
        yield opened


def fill(project: Project, folder: Path) -> None:
    for name, judge in (("one", "j1"), ("two", "j2")):
        rows = [
            {
                "id": f"{name}-{n}",
                "input": "q\u2028",
                "output": "r",
                "label": "pass",
                "verdict": "fail",
                "critique": "c",
            }
            for n in range(5)
        ]
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        import_files(project, [path], ImportOptions(criterion=f"c-{name}", judge=judge, annotator="ada"))
    project.criteria.add(Criterion("c-one", 1, "better words", "f", note="clearer"))
    project.labels.add(Label("one-0", "c-one", 2, "fail", "ada", seconds=2.5))
    project.labels.add(Label("one-1", "c-one", 2, "unsure", "bo"))
    project.labels.undo("c-one", "ada")
    piles = (PileName.TRAIN, PileName.DEV, PileName.HOLDOUT)
    project.piles.deal(Piled(f"one-{n}", "c-one", pile, "g", 7) for n, pile in enumerate(piles))
    judge_hash = project.judges.get("j1").hash
    project.causes.append(Cause("one-1", "c-one", judge_hash, "judge slip", "ada"))
    project.add_judge(JudgeVersion("j3", "c-one", 2, JudgeKind.PASS_FAIL, "plain", "baseline"))
    project.ledger.record("c-one", judge_hash, "ada")


def restored(folder: Path, path: Path) -> Project:
    project = Project.create(folder)
    import_files(project, [path], ImportOptions())
    return project


def test_everything_comes_back(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "project.adjudge"
    assert export(project, path, what="project") > 20
    with restored(tmp_path / "other", path) as other:
        assert list(other.traces.ids()) == list(project.traces.ids())
        assert [other.traces.at(row) for row in range(10)] == [project.traces.at(row) for row in range(10)]
        assert list(other.labels.history()) == list(project.labels.history())
        assert other.criteria.versions("c-one") == project.criteria.versions("c-one")
        assert other.judges.all() == project.judges.all()
        assert other.piles.of("c-one") == project.piles.of("c-one")
        assert other.ledger.of("c-one") == project.ledger.of("c-one")
        assert other.ledger.broken_at() is None
        judge = project.judges.get("j1").hash
        assert other.causes.of("c-one", judge) == project.causes.of("c-one", judge)
        assert other.rows_for("c-two") == project.rows_for("c-two")
        assert other.runs.ids() == project.runs.ids()
        for run in project.runs.all():
            twin = other.runs.get(run.id)
            assert twin.plan() == run.plan()
            assert list(twin.entries()) == list(run.entries())
            assert other.runs.status(twin).state == project.runs.status(run).state


def test_a_restored_project_goes_on_where_the_other_was(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "project.adjudge"
    export(project, path, what="project")
    with restored(tmp_path / "other", path) as other:
        redone = other.labels.redo("c-one", "ada")
        assert redone is not None
        assert redone.verdict == "fail"
        next_id = other.labels.add(Label("one-2", "c-one", 2, "pass", "ada")).id
        assert next_id == max(label.id for label in project.labels.history()) + 2
    with Project(tmp_path / "other") as again:
        assert again.labels.current("c-one", "ada")["one-0"].verdict == "fail"


def test_an_archive_of_a_restored_project_is_the_same(project: Project, tmp_path: Path) -> None:
    export(project, tmp_path / "a", what="project")
    with restored(tmp_path / "other", tmp_path / "a") as other:
        export(other, tmp_path / "b", what="project")
    one, two = ((tmp_path / name).read_bytes() for name in "ab")
    assert one == two


def test_scopes_follow_files_that_get_other_names(project: Project, tmp_path: Path) -> None:
    _first, second = sorted(project.traces.folder.glob("*.jsonl"))
    third = second.with_name("000007.jsonl")
    path = tmp_path / "project.adjudge"
    scope = project.scopes.of("c-two")
    assert scope == (second.name,)
    export(project, path, what="project")
    lines = path.read_bytes().replace(second.name.encode(), third.name.encode()).split(b"\n")
    seal = json.loads(lines[-2])
    seal["sha256"] = hashlib.sha256(b"\n".join(lines[:-2]) + b"\n").hexdigest()
    path.write_bytes(b"\n".join([*lines[:-2], msgspec.json.encode(seal), b""]))
    with restored(tmp_path / "other", path) as other:
        assert other.rows_for("c-two") == [range(5, 10)]


def test_a_project_that_holds_something_is_left_alone(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "project.adjudge"
    export(project, path, what="project")
    before = list(project.labels.history())
    with pytest.raises(BadInput, match="import it into a new one"):
        import_files(project, [path], ImportOptions())
    assert list(project.labels.history()) == before


def test_a_dry_run_says_what_an_archive_holds(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "project.adjudge"
    export(project, path, what="project")
    with Project.create(tmp_path / "other") as other:
        report = import_files(other, [path], ImportOptions(dry_run=True))
        assert (report.traces, report.labels, report.verdicts) == (10, 13, 10)
        assert not len(other.traces)


def test_an_archive_is_imported_by_itself(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "project.adjudge"
    export(project, path, what="project")
    with Project.create(tmp_path / "other") as other, pytest.raises(BadInput, match="by itself"):
        import_files(other, [path, tmp_path / "one.jsonl"], ImportOptions())


@pytest.mark.parametrize("damage", ["cut", "flipped", "changed", "other", "newer", "unsealed"])
def test_a_damaged_archive_changes_nothing(project: Project, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "project.adjudge"
    export(project, path, what="project")
    data = path.read_bytes()
    match damage:
        case "cut":
            data = data[: len(data) // 2]
        case "flipped":
            data = data[:200] + bytes([data[200] ^ 255]) + data[201:]
        case "changed":
            data = data.replace(b'"verdict":"pass"', b'"verdict":"fail"', 1)
        case "other":
            data = b'{"adjudge":"project","format":1}\n{"lines":1,"sha256":"0"}\n'
        case "newer":
            data = data.replace(b'"format":1', b'"format":2', 1)
        case "unsealed":
            data = data.rpartition(b'{"lines"')[0]
    path.write_bytes(data)
    with Project.create(tmp_path / "other") as other:
        with pytest.raises(BadInput):
            import_files(other, [path], ImportOptions())
        assert not len(other.traces)
        assert not other.criteria.names()
        assert not other.runs.ids()


def test_sealed_labels_are_not_in_the_file_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "project.adjudge"
    with Project.create(tmp_path / "project") as project:
        rows = '{"id": "t", "input": "q", "output": "r", "label": "fail", "note": "a secret"}'
        (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
        import_files(project, [tmp_path / "rows.jsonl"], ImportOptions(criterion="c"))
        project.piles.deal([Piled("t", "c", PileName.HOLDOUT, "g", 7)])
        project.labels.add(Label("t", "c", 1, "pass", "bo", note="a secret"))
        project.labels.undo("c", "bo")
        project.causes.append(Cause("t", "c", "sha256:x", "the secret slip", "ada"))
        export(project, path, what="project")
    assert b"secret" not in path.read_bytes()
    assert next(read_archive(path)).sealed == {"c": 4}
    with Project.create(tmp_path / "other") as other:
        report = import_files(other, [path], ImportOptions())
        assert (report.traces, report.labels) == (1, 0)
        assert other.sealed("c") == {"t"}
    assert "the hold-out of 'c' was sealed" in report.notes[1]


def test_an_archive_is_strict_json(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "project.adjudge"
    export(project, path, what="project")
    lines = path.read_bytes().decode().removesuffix("\n").split("\n")
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert next(read_archive(path)).adjudge == "project"
