"""The recorded import faults of other tools do not happen here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.errors import BadInput
from store.importing.importer import ImportOptions, import_files
from store.importing.report import ImportReport
from store.project import Project
from store.records import Pair, Trace

CASES = Path(__file__).resolve().parents[2] / "cases"
EXPECTED = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        yield opened


def take(project: Project, *paths: Path, **said: object) -> ImportReport:
    return import_files(project, paths, ImportOptions(**said))  # type: ignore[arg-type]  # a test's shorthand


def singles(project: Project) -> list[Trace]:
    traces = [project.traces.at(row) for row in range(len(project.traces))]
    assert not any(isinstance(trace, Pair) for trace in traces)
    return [trace for trace in traces if isinstance(trace, Trace)]


def bad_lines(report: ImportReport) -> list[int]:
    return [row.line for row in report.rejected]


def test_a_byte_order_mark_does_not_hide_the_first_column(project: Project) -> None:
    take(project, CASES / "IMP-01.csv", criterion="c", annotator="me")
    assert [trace.id for trace in singles(project)] == ["t1", "t2"]
    labels = project.labels.current("c", "me")
    assert {name: label.verdict for name, label in labels.items()} == {"t1": "pass", "t2": "fail"}
    assert "\ufeff" not in repr(singles(project))


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_a_byte_order_mark_does_no_harm_in_json(project: Project, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    row = '{"id": "t1", "input": "q", "output": "r"}'
    path.write_text("\ufeff" + (row if suffix == "jsonl" else f"[{row}]"), encoding="utf-8")
    take(project, path)
    assert singles(project) == [Trace("t1", "q", "r")]


def test_a_quoted_cell_may_hold_line_ends_commas_and_quotes(project: Project) -> None:
    take(project, CASES / "IMP-02.csv")
    assert [trace.output for trace in singles(project)] == EXPECTED["IMP-02"]["outputs"]


def test_words_for_nothing_are_words(project: Project) -> None:
    take(project, CASES / "IMP-03.csv")
    assert [trace.output for trace in singles(project)] == EXPECTED["IMP-03"]["outputs"]


def test_ids_are_kept_character_for_character(project: Project) -> None:
    take(project, CASES / "IMP-04.csv")
    assert [trace.id for trace in singles(project)] == EXPECTED["IMP-04"]["ids"]


def test_only_line_feeds_end_a_json_line(project: Project) -> None:
    take(project, CASES / "IMP-05.jsonl")
    traces = singles(project)
    assert [trace.output for trace in traces] == EXPECTED["IMP-05"]["outputs"]
    assert len(traces[0].output) == 13


def test_a_torn_last_line_is_named_and_the_rest_is_kept(project: Project) -> None:
    report = take(project, CASES / "IMP-06.jsonl")
    assert report.traces == EXPECTED["IMP-06"]["imported"]
    assert bad_lines(report) == EXPECTED["IMP-06"]["bad_lines"]
    assert "cut off" in report.rejected[0].reason
    assert not any(trace.output.endswith("\r") for trace in singles(project))


def test_two_traces_with_one_id_are_told_apart_by_their_lines(project: Project) -> None:
    report = take(project, CASES / "IMP-07.jsonl")
    assert report.traces == 2
    assert report.repeated == 1
    [conflict] = report.rejected
    assert (conflict.line, conflict.field) == (3, "id")
    assert conflict.reason.startswith("'t1' is taken by another trace, at ")
    assert "IMP-07.jsonl:1:" in conflict.reason
    assert {trace.id: trace.output for trace in singles(project)} == {"t1": "first answer", "t2": "other"}


def test_an_id_that_was_imported_earlier_is_not_overwritten(project: Project, tmp_path: Path) -> None:
    take(project, CASES / "IMP-07.jsonl")
    path = tmp_path / "later.jsonl"
    path.write_text('{"id": "t2", "input": "q", "output": "quite another"}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="'t2' is taken by another trace, imported earlier"):
        take(project, path)
    assert singles(project)[1].output == "other"


def test_labels_in_many_spellings_never_flip(project: Project) -> None:
    report = take(project, CASES / "IMP-08.jsonl", criterion="c", annotator="me")
    found = {name: label.verdict for name, label in project.labels.current("c", "me").items()}
    expected = EXPECTED["IMP-08"]
    assert found == {**dict.fromkeys(expected["pass"], "pass"), **dict.fromkeys(expected["fail"], "fail")}
    by_line = {number: f"L{number:02d}" for number in range(1, 25)}
    assert [by_line[line] for line in bad_lines(report)] == expected["not_understood"]
    assert {row.field for row in report.rejected} == {"label"}
    assert report.traces == 24


def test_a_long_cell_is_read_whole(project: Project, tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(CASES / "IMP-09.gen.py")], cwd=tmp_path, check=True)
    report = take(project, tmp_path / "IMP-09.csv")
    big, small = singles(project)
    assert report.traces == 2
    assert (len(big.output), big.output[-1], small.id) == (200_001, "E", "small")


def test_a_broken_row_in_the_middle_is_named_and_the_file_goes_on(project: Project) -> None:
    report = take(project, CASES / "IMP-10.jsonl")
    assert [trace.id for trace in singles(project)] == ["g1", "g3"]
    assert bad_lines(report) == [2, 3, 5]
    assert all("bad JSON" in row.reason for row in report.rejected[:2])
    missing = report.rejected[2]
    assert missing.field == "output"
    assert "'output'" in missing.reason
    assert "id, prompt" in missing.reason


def test_numbers_that_are_not_json_are_named_by_line(project: Project, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"STO-06\.jsonl:1.*NaN is not a JSON value"):
        take(project, CASES / "STO-06.jsonl")
    path = tmp_path / "rows.jsonl"
    good = '{"id": "n0", "input": "q", "output": "r"}\n'
    path.write_text(good + (CASES / "STO-06.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    report = take(project, path)
    assert report.traces == 1
    assert [row.line for row in report.rejected] == [2, 3, 4]
    assert "-Infinity" in report.rejected[2].reason


def test_message_content_of_every_shape_is_read(project: Project) -> None:
    take(project, CASES / "REN-05.jsonl")
    c1, c2 = singles(project)
    assert [(turn.role, turn.content) for turn in c1.messages] == [
        ("user", "hi"),
        ("assistant", ""),
        ("tool", "found\n[image]"),
    ]
    [call] = c1.messages[1].tool_calls
    assert (call.name, call.arguments) == ("lookup", '{"order": "A-1"}')
    assert (c1.input, c1.output) == ("hi", "It ships Monday.")
    assert [(turn.role, turn.content) for turn in c2.messages] == [("user", "nested")]
    assert (c2.input, c2.output) == ("nested", "")
