"""Our own lists of labels and verdicts are read back as what they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.errors import BadInput
from store.exporting import export
from store.importing.importer import ImportOptions, import_files
from store.importing.report import ImportReport
from store.project import Project
from store.records import Criterion, JudgeKind, Label, Pair, Trace

CASES = Path(__file__).resolve().parents[2] / "cases"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "other") as opened:
        yield opened


def put(project: Project, *traces: Trace | Pair) -> None:
    with project.traces.writer() as writer:
        for trace in traces:
            writer.add(trace)
        writer.publish()


def copied(project: Project, other: Project, path: Path, **said: str) -> ImportReport:
    """Give the other project the same traces, then the exported list."""
    put(other, *(project.traces.at(row) for row in range(len(project.traces))))
    return import_files(other, [path], ImportOptions(**said))  # type: ignore[arg-type]  # a test's shorthand


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_every_word_a_person_may_say_comes_back(
    project: Project, other: Project, tmp_path: Path, format: str
) -> None:
    put(project, *(Trace(name, "q", "r") for name in "xyz"))
    project.criteria.add(Criterion("c", 1, "p", "f"))
    for name, word in zip("xyz", ("pass", "fail", "unsure"), strict=True):
        project.labels.add(Label(name, "c", 1, word, "ada", note=f"-{name}"))
    path = tmp_path / "list"
    export(project, path, what="labels", format=format)
    report = copied(project, other, path, criterion="c")
    assert (report.labels, report.rejected) == (3, ())
    found = other.labels.current("c", "ada")
    assert {name: (label.verdict, label.note) for name, label in found.items()} == {
        "x": ("pass", "-x"),
        "y": ("fail", "-y"),
        "z": ("unsure", "-z"),
    }


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_verdicts_on_both_orders_of_a_pair_come_back(
    project: Project, other: Project, tmp_path: Path, format: str
) -> None:
    rows = [
        {"id": "p", "input": "q", "a": "x", "b": "y", "order": "AB", "verdict": "A", "critique": "=1"},
        {"id": "p", "input": "q", "a": "x", "b": "y", "order": "BA", "verdict": None, "critique": "?"},
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    import_files(project, [tmp_path / "rows.jsonl"], ImportOptions(criterion="c", judge="j"))
    path = tmp_path / "list"
    assert export(project, path, what="verdicts", format=format, run="latest") == 2
    assert copied(project, other, path, criterion="c", judge="j").verdicts == 2
    assert other.criteria.latest("c").kind is JudgeKind.PAIRWISE
    one, two = (book.verdicts(book.get("latest")) for book in (project.runs, other.runs))
    assert one == two
    assert [(v.order, v.verdict, v.critique) for v in two.values()] == [("AB", "A", "=1"), ("BA", None, "?")]


def test_labels_of_another_criterion_are_passed_over_and_counted(
    project: Project, other: Project, tmp_path: Path
) -> None:
    put(project, Trace("t", "q", "r"))
    for name in ("c", "d"):
        project.criteria.add(Criterion(name, 1, "p", "f"))
        project.labels.add(Label("t", name, 1, "fail", "ada"))
    export(project, tmp_path / "list", what="labels")
    report = copied(project, other, tmp_path / "list", criterion="d")
    assert report.labels == 1
    assert any(note.startswith("1 rows are about other criteria") for note in report.notes)
    for asked, why in (
        ("e", "no row is about criterion 'e'; they are about c, d"),
        (None, "--criterion NAME"),
    ):
        with pytest.raises(BadInput, match=why):
            import_files(other, [tmp_path / "list"], ImportOptions(criterion=asked))


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_ids_of_every_kind_are_imported_labelled_and_exported_as_they_are(
    project: Project, other: Project, tmp_path: Path, format: str
) -> None:
    source = CASES / "REN-03.jsonl"
    ids = [json.loads(line)["id"] for line in source.read_text(encoding="utf-8").splitlines()]
    import_files(project, [source], ImportOptions())
    assert list(project.traces.ids()) == ids
    project.criteria.add(Criterion("c", 1, "p", "f"))
    for name in ids:
        project.labels.add(Label(name, "c", 1, "pass", "ada"))
    path = tmp_path / "list"
    assert export(project, path, what="labels", format=format) == len(ids) == 9
    assert copied(project, other, path, criterion="c").labels == 9
    assert list(other.labels.current("c", "ada")) == ids
