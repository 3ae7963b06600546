"""An import brings traces, labels and recorded verdicts, or it changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from store.errors import BadInput, StoreError
from store.importing.importer import ImportOptions, import_files
from store.importing.report import ImportReport
from store.journal import Change, JournalStorage
from store.project import Project
from store.records import Criterion, JudgeKind, JudgeVersion, Label, Order, Reason
from store.runrecords import RunState

Values = dict[str, object]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def lines(path: Path, rows: Iterable[Values]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def take(project: Project, *paths: Path, **said: object) -> ImportReport:
    return import_files(project, paths, ImportOptions(**said))  # type: ignore[arg-type]  # a test's shorthand


def rows(n: int, **more: object) -> list[Values]:
    return [{"id": f"t{number}", "input": f"q{number}", "output": "r", **more} for number in range(n)]


def everything(project: Project) -> list[str]:
    """Give the names and sizes of all that is on disk, apart from locks."""
    files = (path for path in project.folder.rglob("*") if path.is_file() and "lock" not in path.name)
    return sorted(f"{path.relative_to(project.folder)} {path.stat().st_size}" for path in files)


# --- Traces -----------------------------------------------------------------------------------------


def test_importing_again_adds_nothing(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(3))
    assert (take(project, path).traces, len(project.traces)) == (3, 3)
    again = take(project, path)
    assert (again.traces, again.repeated, len(project.traces)) == (0, 3, 3)


def test_several_files_are_one_import(project: Project, folder: Path) -> None:
    one = lines(folder / "one.jsonl", rows(2))
    two = lines(folder / "two.jsonl", [*rows(1), {"id": "x", "input": "q", "output": "r"}])
    report = take(project, one, two)
    assert (report.traces, report.repeated) == (3, 1)
    assert len(list(project.traces.folder.glob("*.jsonl"))) == 1


def test_a_bad_row_refuses_everything_when_asked_to(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", [*rows(2), {"id": "bad", "input": "q"}])
    before = everything(project)
    with pytest.raises(BadInput, match=r"rows\.jsonl:3: output: the row has no 'output'"):
        take(project, path, strict=True)
    assert everything(project) == before
    assert take(project, path).traces == 2


def test_a_label_that_is_not_understood_refuses_everything_when_asked_to(
    project: Project, folder: Path
) -> None:
    path = lines(folder / "rows.jsonl", [*rows(1, label="pass"), {**rows(2)[1], "label": "maybe"}])
    before = everything(project)
    with pytest.raises(BadInput, match=r"rows\.jsonl:2: label: 'maybe'"):
        take(project, path, strict=True, criterion="c")
    assert everything(project) == before


def test_a_dry_run_says_what_would_happen_and_changes_nothing(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(2, label="pass", verdict="fail"))
    before = everything(project)
    report = take(project, path, criterion="c", judge="j", dry_run=True)
    assert (report.traces, report.labels, report.verdicts, report.run) == (2, 2, 2, None)
    assert everything(project) == before
    assert not project.criteria.names()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.jsonl", "", "there is not a single row"),
        ("blank.jsonl", "\n \n", "there is not a single row"),
        ("header.csv", "id,input,output\n", "there is not a single row"),
        ("empty.json", "[]", "there is not a single row"),
        ("bad.jsonl", "oops\n", r"none of the rows can be used: .*bad\.jsonl:1: row: bad JSON"),
    ],
)
def test_no_row_at_all_is_an_error(
    project: Project, folder: Path, name: str, content: str, said: str
) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        take(project, folder / name)
    assert not len(project.traces)


def test_many_bad_rows_are_counted_and_some_named(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", [{"id": str(number), "text": "x"} for number in range(12)])
    with pytest.raises(BadInput, match="and 7 more"):
        take(project, path)


def test_a_field_that_no_row_has_is_refused(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(2, label="pass"))
    with pytest.raises(BadInput, match="no row has a field 'humna'"):
        take(project, path, label_field="humna", criterion="c")
    assert not len(project.traces)


def test_what_was_read_under_another_name_is_noted(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", [{"id": "t", "question": "q", "answer": "r"}])
    assert take(project, path).notes == (
        "'input' was read from 'question'",
        "'output' was read from 'answer'",
    )


def test_other_metadata_is_no_other_trace(project: Project, folder: Path) -> None:
    take(project, lines(folder / "rows.jsonl", rows(1)))
    report = take(project, lines(folder / "more.jsonl", rows(1, label="fail", seen_at="noon")), criterion="c")
    assert (report.traces, report.labels, report.rejected) == (0, 1, ())
    assert "other metadata" in report.notes[0]
    assert project.traces.get("t0").metadata == {}


# --- Labels -----------------------------------------------------------------------------------------


def test_labels_need_to_be_about_something(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(1, label="pass"))
    with pytest.raises(BadInput, match="--criterion NAME"):
        take(project, path)
    assert not len(project.traces)
    assert take(project, path, label_field="").traces == 1


def test_a_criterion_that_is_not_there_is_made_and_said(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(2, label="pass", note="fine"))
    report = take(project, path, criterion="tone", annotator="ada")
    made = project.criteria.latest("tone")
    assert (made.kind, made.pass_definition, made.version) == (JudgeKind.PASS_FAIL, "", 1)
    assert "has no definitions yet" in report.notes[0]
    label = project.labels.of("tone", "ada", "t0")
    assert label is not None
    assert (label.verdict, label.note, label.queue, label.version) == ("pass", "fine", "import", 1)


def test_labels_and_their_scope_are_one_line(
    project: Project, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.criteria.add(Criterion("c", 1, "p", "f"))
    written: list[int] = []
    commit = JournalStorage.commit

    def counted(self: JournalStorage, change: Change) -> None:
        written.append(len(change.put))
        commit(self, change)

    monkeypatch.setattr(JournalStorage, "commit", counted)
    take(project, lines(folder / "rows.jsonl", rows(50, label="pass")), criterion="c")
    assert written == [2]


def test_a_label_that_is_there_is_not_written_twice(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(3, label="pass", note="n"))
    take(project, path, criterion="c", annotator="ada")
    again = take(project, path, criterion="c", annotator="ada")
    assert (again.labels, again.repeated) == (0, 3)
    assert len(list(project.labels.history("c"))) == 3


def test_importing_again_does_not_undo_what_a_person_decided_since(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(1, label="pass"))
    take(project, path, criterion="c", annotator="ada")
    project.labels.add(Label("t0", "c", 1, "fail", "ada", queue="fails first"))
    take(project, path, criterion="c", annotator="ada")
    assert project.labels.current("c", "ada")["t0"].verdict == "fail"


def test_a_file_that_changed_brings_the_changed_label(project: Project, folder: Path) -> None:
    take(project, lines(folder / "rows.jsonl", rows(1, label="pass")), criterion="c", annotator="ada")
    take(project, lines(folder / "rows.jsonl", rows(1, label="fail")), criterion="c", annotator="ada")
    assert project.labels.current("c", "ada")["t0"].verdict == "fail"


def test_each_row_may_name_who_labelled_it(project: Project, folder: Path) -> None:
    two = [row | {"annotator": name} for row in rows(1, label="pass") for name in ("ada", "bo", "")]
    take(project, lines(folder / "rows.jsonl", two), criterion="c", annotator="me")
    assert project.labels.annotators("c") == ("ada", "bo", "me")


def test_two_labels_of_one_person_that_differ_are_named(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", [*rows(1, label="pass"), *rows(1, label="fail")])
    report = take(project, path, criterion="c", annotator="ada")
    assert project.labels.current("c", "ada")["t0"].verdict == "pass"
    [conflict] = report.rejected
    assert (conflict.line, conflict.field) == (2, "label")
    assert "'t0' by 'ada' stands at" in conflict.reason
    assert conflict.reason.endswith("rows.jsonl:1")


def test_labels_may_come_in_a_file_of_their_own(project: Project, folder: Path) -> None:
    take(project, lines(folder / "rows.jsonl", rows(2)))
    (folder / "labels.csv").write_text("id,label,note\nt1,fail,why\nt9,pass,\n", encoding="utf-8")
    report = take(project, folder / "labels.csv", criterion="c", annotator="ada")
    assert (report.traces, report.labels) == (0, 1)
    assert project.labels.current("c", "ada")["t1"].note == "why"
    assert [(row.line, row.field) for row in report.rejected] == [(3, "id")]


def test_a_label_of_a_pair_is_not_taken_for_a_single_criterion(project: Project, folder: Path) -> None:
    project.criteria.add(Criterion("c", 1, "p", "f"))
    pair: Values = {"id": "p", "input": "q", "a": "x", "b": "y", "label": "1"}
    report = take(project, lines(folder / "rows.jsonl", [pair]), criterion="c")
    assert (report.traces, report.labels) == (1, 0)
    assert report.rejected[0].reason == "criterion 'c' is pass-fail, this is a pair"


def test_labels_of_pairs_make_a_pairwise_criterion(project: Project, folder: Path) -> None:
    words = ("A", "B", "tie")
    pairs: list[Values] = [
        {"id": str(n), "input": "q", "a": "x", "b": "y", "label": word} for n, word in enumerate(words)
    ]
    take(project, lines(folder / "rows.jsonl", pairs), criterion="c", annotator="ada")
    assert project.criteria.latest("c").kind is JudgeKind.PAIRWISE
    assert [label.verdict for label in project.labels.current("c", "ada").values()] == ["A", "B", "tie"]


def test_an_import_that_names_a_criterion_is_its_scope(project: Project, folder: Path) -> None:
    take(project, lines(folder / "other.jsonl", [{"id": "other", "input": "q", "output": "r"}]))
    take(project, lines(folder / "rows.jsonl", rows(3, label="pass")), criterion="c")
    assert [list(part) for part in project.rows_for("c")] == [[1, 2, 3]]


# --- Recorded verdicts ------------------------------------------------------------------------------


def test_verdicts_need_a_judge_and_a_criterion(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(1, verdict="pass"))
    for said in ({}, {"criterion": "c"}, {"judge": "j"}):
        with pytest.raises(BadInput, match="--judge NAME"):
            take(project, path, **said)
    assert take(project, path, verdict_field="").traces == 1


def test_recorded_verdicts_are_a_finished_run(project: Project, folder: Path) -> None:
    said = [
        rows(3)[0] | {"verdict": "pass", "critique": "because"},
        rows(3)[1] | {"verdict": "Unknown"},
        rows(3)[2] | {"verdict": None, "critique": "cannot say"},
    ]
    report = take(project, lines(folder / "rows.jsonl", said), criterion="c", judge="gpt")
    assert (report.verdicts, report.rejected) == (3, ())
    judge = project.judges.get("gpt")
    assert (judge.backend, judge.criterion, judge.kind) == ("imported", "c", JudgeKind.PASS_FAIL)
    status = project.runs.status(project.runs.get(report.run or ""))
    assert (status.state, status.done, status.plan.asked, status.plan.judge) == (
        RunState.DONE,
        3,
        3,
        judge.hash,
    )
    assert status.plan.slice == "recorded in rows.jsonl"
    found = [
        (verdict.trace, verdict.verdict, verdict.critique, verdict.reason)
        for verdict in project.runs.verdicts(project.runs.get("latest")).values()
    ]
    assert found == [
        ("t0", "pass", "because", None),
        ("t1", "unknown", "", None),
        ("t2", None, "cannot say", Reason.NO_VERDICT_RECORDED),
    ]


def test_a_verdict_that_is_not_understood_is_kept_as_no_verdict_and_said(
    project: Project, folder: Path
) -> None:
    report = take(project, lines(folder / "rows.jsonl", rows(1, verdict="meh")), criterion="c", judge="j")
    [verdict] = project.runs.verdicts(project.runs.get("latest")).values()
    assert (verdict.verdict, verdict.reason, verdict.detail) == (
        None,
        Reason.NO_VERDICT_RECORDED,
        "recorded as 'meh'",
    )
    assert [(row.line, row.field) for row in report.rejected] == [(1, "verdict")]


def test_both_orders_of_a_pair_are_kept(project: Project, folder: Path) -> None:
    pair: Values = {"id": "p", "input": "q", "a": "x", "b": "y", "gold": "A"}
    said = [
        pair | {"order": "AB", "verdict": "A", "critique": "1", "latency": 3},
        pair | {"order": "BA", "verdict": "2", "critique": "2", "latency": 5},
    ]
    report = take(project, lines(folder / "rows.jsonl", said), criterion="c", judge="j")
    assert (report.traces, report.verdicts, report.rejected) == (1, 2, ())
    run = project.runs.get("latest")
    assert run.plan().orders == (Order.AB, Order.BA)
    assert [(v.order, v.verdict) for v in project.runs.verdicts(run).values()] == [("AB", "A"), ("BA", "B")]


def test_an_order_is_not_guessed(project: Project, folder: Path) -> None:
    pair: Values = {"id": "p", "input": "q", "a": "x", "b": "y", "verdict": "A"}
    odd = pair | {"id": "o", "order": "first"}
    report = take(project, lines(folder / "rows.jsonl", [pair, odd]), criterion="c", judge="j")
    [verdict] = project.runs.verdicts(project.runs.get("latest")).values()
    assert (verdict.trace, verdict.order) == ("p", None)
    assert report.rejected[0].reason == "'first' is neither AB nor BA; the verdict was left out"
    assert any("which answer was shown first" in note for note in report.notes)


def test_verdicts_that_are_there_are_not_recorded_twice(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(3, verdict="pass"))
    take(project, path, criterion="c", judge="j")
    again = take(project, path, criterion="c", judge="j")
    assert (again.run, again.verdicts, again.repeated) == (None, 0, 3)
    assert len(project.runs.ids()) == 1
    more = take(project, lines(folder / "more.jsonl", rows(4, verdict="pass")), criterion="c", judge="j")
    assert (more.verdicts, len(project.runs.ids()), len(project.judges.all())) == (4, 2, 1)


def test_two_verdicts_on_one_row_are_named(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", [*rows(1, verdict="pass"), *rows(1, verdict="fail")])
    report = take(project, path, criterion="c", judge="j")
    assert report.verdicts == 1
    assert report.rejected[0].reason.endswith("rows.jsonl:1")


def test_a_recorded_judge_does_not_take_the_name_of_a_live_one(project: Project, folder: Path) -> None:
    project.criteria.add(Criterion("c", 1, "p", "f"))
    project.add_judge(JudgeVersion("live", "c", 1, JudgeKind.PASS_FAIL, "plain", "baseline"))
    path = lines(folder / "rows.jsonl", rows(1, verdict="pass"))
    before = everything(project)
    for name, said in (("live", "with backend baseline"), ("a@b", "without @"), (" ", "without @")):
        with pytest.raises(BadInput, match=said):
            take(project, path, criterion="c", judge=name)
    assert everything(project) == before


def test_a_verdict_column_that_is_empty_asks_for_no_judge(project: Project, folder: Path) -> None:
    (folder / "rows.csv").write_text("id,input,output,verdict\nt,q,r,\n", encoding="utf-8")
    assert take(project, folder / "rows.csv").traces == 1


def test_many_verdicts_do_not_stay_in_memory(project: Project, folder: Path) -> None:
    path = lines(folder / "rows.jsonl", rows(40, verdict="fail", critique="x" * 300_000))
    take(project, path, criterion="c", judge="j")
    found = project.runs.verdicts(project.runs.get("latest"))
    assert {len(verdict.critique) for verdict in found.values()} == {300_000}


def test_a_run_that_cannot_be_written_leaves_no_half_of_it(
    project: Project, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lines(folder / "rows.jsonl", rows(2, verdict="pass"))

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("store.runs.RunWriter.append", full)
        with pytest.raises(StoreError, match="the disk is full"):
            take(project, path, criterion="c", judge="j")
    assert project.runs.ids() == ()
    report = take(project, path, criterion="c", judge="j")
    assert (report.traces, report.verdicts) == (0, 2)


def test_an_import_that_was_cut_off_is_completed_by_repeating_it(
    project: Project, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lines(folder / "rows.jsonl", rows(3, label="pass", verdict="fail"))

    def cut(*_: object, **__: object) -> None:
        raise StoreError("cut off")

    with monkeypatch.context() as patch:
        patch.setattr(Project, "write_together", cut)
        with pytest.raises(StoreError, match="cut off"):
            take(project, path, criterion="c", judge="j", annotator="ada")
    report = take(project, path, criterion="c", judge="j", annotator="ada")
    assert (report.traces, report.labels, report.verdicts) == (0, 3, 3)
    assert [list(part) for part in project.rows_for("c")] == [[0, 1, 2]]


@pytest.mark.parametrize("kind", [JudgeKind.CLASSIFY, JudgeKind.SCORECARD])
def test_labels_of_a_kind_without_a_vocabulary_are_refused(
    project: Project, folder: Path, kind: JudgeKind
) -> None:
    project.criteria.add(Criterion("c", 1, "p", "f", kind))
    with pytest.raises(BadInput, match=f"of kind {kind}"):
        take(project, lines(folder / "rows.jsonl", rows(1, label="3")), criterion="c")
    assert not len(project.traces)
