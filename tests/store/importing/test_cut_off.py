"""An import that is cut off is finished by importing again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.importing import beside
from store.importing.importer import ImportOptions, import_files
from store.journal import JournalStorage
from store.project import Project

SAID = ImportOptions(criterion="c", judge="j", annotator="ada")


class Killed(BaseException):
    """Stands for the end of the process."""


def killed(*_: object, **__: object) -> None:
    raise Killed


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        yield opened


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    said = {"input": "q", "output": "r", "label": "pass", "verdict": "fail", "critique": "c"}
    path.write_text("".join(json.dumps({"id": str(n), **said}) + "\n" for n in range(4)), encoding="utf-8")
    return path


def finished(project: Project) -> None:
    """Check that everything in the file is there, once."""
    assert list(project.traces.ids()) == ["0", "1", "2", "3"]
    assert len(list(project.labels.history("c"))) == 4
    assert project.labels.tally("c", "ada") == {"pass": 4}
    assert project.rows_for("c") == [range(4)]
    [run] = project.runs.all()
    assert len(project.runs.verdicts(run)) == 4
    assert len(project.criteria.versions("c")) == len(project.judges.all()) == 1


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("store.traces.TraceWriter", "publish"),
        ("store.criteria.CriterionBook", "add"),
        ("store.project.Project", "write_together"),
        ("store.importing.beside", "record_run"),
        ("store.runs.RunWriter", "append"),
        ("store.importing.recorded.RunBook", "create"),
    ],
)
def test_importing_again_brings_what_is_missing(
    project: Project, rows: Path, monkeypatch: pytest.MonkeyPatch, where: str, name: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(f"{where}.{name}", killed)
        with pytest.raises(Killed):
            import_files(project, [rows], SAID)
    with Project(project.root) as again:
        import_files(again, [rows], SAID)
        finished(again)
        assert import_files(again, [rows], SAID).labels == 0
        finished(again)


def test_labels_appear_with_their_scope_or_not_at_all(
    project: Project, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = JournalStorage.commit

    def once_for_the_criterion(self: JournalStorage, change: object) -> None:
        if "labels" in change.put:  # type: ignore[attr-defined]  # a change of the journal
            raise Killed
        commit(self, change)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(JournalStorage, "commit", once_for_the_criterion)
        with pytest.raises(Killed):
            import_files(project, [rows], SAID)
    with Project(project.root) as again:
        assert len(again.traces) == 4
        assert not list(again.labels.history("c"))
        assert not again.scopes.of("c")


def test_an_end_in_the_middle_of_a_file_leaves_nothing(
    project: Project, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = beside.Company.take
    seen: list[str] = []

    def end_at_the_third(self: beside.Company, trace: str, *said: object, **more: object) -> None:
        seen.append(trace)
        if len(seen) == 3:
            raise Killed
        take(self, trace, *said, **more)  # type: ignore[arg-type]  # handed on as it came

    with monkeypatch.context() as patch:
        patch.setattr(beside.Company, "take", end_at_the_third)
        with pytest.raises(Killed):
            import_files(project, [rows], SAID)
    assert not len(project.traces)
    assert not project.criteria.names()
    assert not project.runs.ids()
    assert not [path for path in project.traces.folder.iterdir() if path.suffix == ".jsonl"]
