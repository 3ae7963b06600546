"""What is exported is inert in a spreadsheet, strict JSON elsewhere, and comes back exactly."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.errors import BadInput, NotFound, StoreError
from store.exporting import export, write_rows, write_text
from store.importing.importer import ImportOptions, import_files
from store.importing.inert import bare, inert
from store.project import Project
from store.records import (
    AnyTrace,
    Criterion,
    Decision,
    JudgeKind,
    Label,
    Pair,
    Piled,
    PileName,
    ToolCall,
    Trace,
    Turn,
)

CASES = Path(__file__).resolve().parents[1] / "cases"
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
FORMULAS = st.builds(
    str.__add__, st.sampled_from(["=", "'=", "''-", " +", "\t", "\r", "'", "  @", "-", "\n="]), TEXT
)
ANY = FORMULAS | TEXT
IN_PLACE = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        yield opened


def put(project: Project, *traces: AnyTrace) -> None:
    with project.traces.writer() as writer:
        for trace in traces:
            writer.add(trace)
        writer.publish()


def all_of(project: Project) -> list[AnyTrace]:
    return [project.traces.at(row) for row in range(len(project.traces))]


def read_json_lines(path: Path) -> list[dict[str, Any]]:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    text = path.read_bytes().decode()
    assert text.endswith("\n")
    return [json.loads(line, parse_constant=refuse) for line in text[:-1].split("\n")]


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def come_back(folder: Path, path: Path) -> list[AnyTrace]:
    root = folder / f"back-{path.name}-{os.urandom(4).hex()}"
    with Project.create(root) as other:
        report = import_files(other, [path], ImportOptions())
        assert not report.rejected, report.rejected
        return all_of(other)


# --- Formulas ---------------------------------------------------------------------------------------


def test_a_spreadsheet_runs_no_exported_cell(project: Project, tmp_path: Path) -> None:
    import_files(project, [CASES / "SEC-04.jsonl"], ImportOptions())
    export(project, tmp_path / "out.csv", what="traces", format="csv")
    cells = {row["id"]: row["output"] for row in read_csv(tmp_path / "out.csv")}
    assert all(cells[f"f{number}"].startswith("'") for number in range(1, 8))
    assert cells["f8"] == "plain"


def test_json_lines_leave_formulas_as_they_are(project: Project, tmp_path: Path) -> None:
    import_files(project, [CASES / "SEC-04.jsonl"], ImportOptions())
    export(project, tmp_path / "out.jsonl", what="traces")
    given_rows = [json.loads(line) for line in (CASES / "SEC-04.jsonl").read_text().splitlines()]
    assert read_json_lines(tmp_path / "out.jsonl") == given_rows


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_formulas_come_back_as_they_were(project: Project, tmp_path: Path, format: str) -> None:
    import_files(project, [CASES / "SEC-04.jsonl"], ImportOptions())
    path = tmp_path / f"out.{format}"
    export(project, path, what="traces", format=format)
    assert come_back(tmp_path, path) == all_of(project)


def test_ids_notes_and_critiques_are_made_inert_too(project: Project, tmp_path: Path) -> None:
    row = {"id": "=1", "input": "q", "output": "r", "label": "pass", "note": "@x"}
    row |= {"verdict": "fail", "critique": "+y"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    import_files(project, [tmp_path / "rows.jsonl"], ImportOptions(criterion="c", judge="j", annotator="-me"))
    export(project, tmp_path / "labels.csv", what="labels", format="csv")
    [label] = read_csv(tmp_path / "labels.csv")
    assert (label["trace"], label["note"], label["annotator"]) == ("'=1", "'@x", "'-me")
    export(project, tmp_path / "verdicts.csv", what="verdicts", format="csv")
    [verdict] = read_csv(tmp_path / "verdicts.csv")
    assert (verdict["trace"], verdict["critique"]) == ("'=1", "'+y")


@given(ANY)
def test_making_inert_is_undone_exactly(text: str) -> None:
    cell = inert(text)
    assert bare(cell) == text
    assert cell.lstrip()[:1] not in ("=", "+", "-", "@")
    assert cell[:1] not in ("\t", "\r")


def test_an_apostrophe_in_somebody_else_s_file_stays(project: Project, tmp_path: Path) -> None:
    (tmp_path / "code.csv").write_text("id,input,output\nt,q,'-'.join(parts)\n", encoding="utf-8")
    import_files(project, [tmp_path / "code.csv"], ImportOptions())
    assert all_of(project) == [Trace("t", "q", "'-'.join(parts)")]


# --- Traces -----------------------------------------------------------------------------------------

FULL = Trace(
    id="0042",
    input="q",
    output="NA",
    messages=(
        Turn("user", "q"),
        Turn("assistant", "", (ToolCall("look", '{"a": 1}'),)),
        Turn("tool", "x", name="n"),
    ),
    facts={"z": "1", "a": "=2"},
    metadata={
        "n": 3,
        "deep": {"x": [None, True, "\u2028"]},
        "metadata": {"own": 1},
        "label": "a word",
        "verdict": "",
    },
)


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_everything_a_trace_holds_comes_back(project: Project, tmp_path: Path, format: str) -> None:
    put(
        project,
        FULL,
        Trace("t2", "", ""),
        Pair("p", "q", "x", "y", "tie", {"f": "1"}, {"m": 1}),
        Pair("o", "", "", ""),
    )
    path = tmp_path / f"out.{format}"
    assert export(project, path, what="traces", format=format) == 4
    assert come_back(tmp_path, path) == all_of(project)


@IN_PLACE
@given(
    st.lists(st.tuples(ANY, ANY, ANY, st.dictionaries(TEXT, ANY, max_size=2)), min_size=1, max_size=4),
    st.sampled_from(["csv", "jsonl"]),
)
def test_any_text_comes_back(
    tmp_path: Path, rows: list[tuple[str, str, str, dict[str, str]]], format: str
) -> None:
    root = tmp_path / os.urandom(4).hex()
    with Project.create(root) as project:
        traces = [
            Trace(f"{number}{name}", f"q{asked}", said, facts=facts, metadata=dict(facts))
            for number, (name, asked, said, facts) in enumerate(rows)
        ]
        put(project, *traces)
        path = root / f"out.{format}"
        export(project, path, what="traces", format=format)
        assert come_back(tmp_path, path) == traces


def test_traces_of_a_criterion_carry_its_labels_and_come_back_with_them(
    project: Project, tmp_path: Path
) -> None:
    put(project, Trace("t1", "q", "r"), Trace("t2", "q", "r"), Pair("p", "q", "x", "y"))
    project.criteria.add(Criterion("c", 1, "p", "f"))
    project.labels.add(Label("t1", "c", 1, "fail", "ada", note="-why"))
    for format in ("csv", "jsonl"):
        path = tmp_path / f"out.{format}"
        assert export(project, path, what="traces", format=format, criterion="c") == 2
        with Project.create(tmp_path / f"other-{format}") as other:
            report = import_files(other, [path], ImportOptions(criterion="c"))
            assert (report.traces, report.labels, report.rejected) == (2, 1, ())
            assert other.labels.current("c", "ada")["t1"].note == "-why"


# --- Labels and verdicts ----------------------------------------------------------------------------


def test_labels_come_back_to_the_traces_they_are_about(project: Project, tmp_path: Path) -> None:
    put(project, Trace("t1", "q", "r"), Trace("t2", "q", "r"))
    for name in ("c", "d"):
        project.criteria.add(Criterion(name, 1, "p", "f"))
    project.labels.add(Label("t1", "c", 1, "fail", "ada", note="n", seconds=1.5))
    project.labels.add(Label("t1", "c", 1, "pass", "bo"))
    project.labels.add(Label("t2", "d", 1, "pass", "ada"))
    for format in ("csv", "jsonl"):
        path = tmp_path / f"labels.{format}"
        assert export(project, path, what="labels", format=format) == 3
        with Project.create(tmp_path / f"other-{format}") as other:
            put(other, *all_of(project))
            report = import_files(other, [path], ImportOptions(criterion="c"))
            assert (report.labels, report.rejected) == (2, ())
            assert other.labels.current("c", "ada")["t1"].note == "n"
            assert other.labels.annotators("c") == ("ada", "bo")


def test_verdicts_come_back_with_their_critiques(project: Project, tmp_path: Path) -> None:
    rows = '{"id": "t", "input": "q", "output": "r", "verdict": "fail", "critique": "=no"}\n'
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    import_files(project, [tmp_path / "rows.jsonl"], ImportOptions(criterion="c", judge="j"))
    for format in ("csv", "jsonl"):
        path = tmp_path / f"verdicts.{format}"
        assert export(project, path, what="verdicts", format=format, run="latest") == 1
        with Project.create(tmp_path / f"other-{format}") as other:
            put(other, *all_of(project))
            assert import_files(other, [path], ImportOptions(criterion="c", judge="j")).verdicts == 1
            [verdict] = other.runs.verdicts(other.runs.get("latest")).values()
            assert (verdict.verdict, verdict.critique) == ("fail", "=no")


def seal(project: Project) -> None:
    put(project, *(Trace(f"t{number}", "q", "r") for number in range(4)))
    project.criteria.add(Criterion("c", 1, "p", "f"))
    for number in range(4):
        project.labels.add(Label(f"t{number}", "c", 1, Decision.FAIL, "ada", note="secret"))
    piles = (PileName.TRAIN, PileName.DEV, PileName.HOLDOUT, PileName.HOLDOUT)
    project.piles.deal(Piled(f"t{number}", "c", pile, "g", 7) for number, pile in enumerate(piles))


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_sealed_labels_are_in_no_list(project: Project, tmp_path: Path, format: str) -> None:
    seal(project)
    path = tmp_path / "out"
    assert export(project, path, what="labels", format=format) == 2
    assert path.read_text(encoding="utf-8").count("secret") == 2
    assert export(project, path, what="traces", format=format, criterion="c") == 4
    assert path.read_text(encoding="utf-8").count("secret") == 2
    project.ledger.record("c", "sha256:x", "ada")
    assert export(project, path, what="labels", format=format) == 4


# --- Files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["traces", "labels", "verdicts", "project"])
def test_nothing_to_export_is_an_error_and_no_file(project: Project, tmp_path: Path, what: Any) -> None:
    with pytest.raises(BadInput, match="nothing to export"):
        export(project, tmp_path / "out", what=what)
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_is_named(project: Project, tmp_path: Path) -> None:
    put(project, FULL)
    with pytest.raises(NotFound, match="criterion 'x'"):
        export(project, tmp_path / "out", what="traces", criterion="x")
    with pytest.raises(NotFound, match="run 'x'"):
        export(project, tmp_path / "out", what="verdicts", run="x")
    with pytest.raises(BadInput, match="'xlsx' cannot be written"):
        export(project, tmp_path / "out", what="traces", format="xlsx")


def test_a_failed_export_leaves_the_old_file(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(project, FULL)
    path = tmp_path / "out.csv"
    path.write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("store.files.os.fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        export(project, path, what="traces", format="csv")
    assert path.read_text(encoding="utf-8") == "old"
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []


def test_documents_of_any_kind_are_written(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"trace": "=x", "n": -1, "rate": float("nan")},
        {"trace": "t", "tags": ["a"]},
    ]
    assert write_rows(tmp_path / "out.csv", rows, format="csv") == 2
    first, second = read_csv(tmp_path / "out.csv")
    assert (first["trace"], first["n"], first["rate"], second["tags"]) == ("'=x", "-1", "", '["a"]')
    assert write_rows(tmp_path / "out.jsonl", rows) == 2
    assert read_json_lines(tmp_path / "out.jsonl")[0] == {"trace": "=x", "n": -1, "rate": None}


def test_a_text_is_written_whole(tmp_path: Path) -> None:
    write_text(tmp_path / "report.md", "# Ümläut\n")
    assert (tmp_path / "report.md").read_bytes() == "# Ümläut\n".encode()


def test_only_labels_of_the_asked_kind_of_row_are_exported(project: Project, tmp_path: Path) -> None:
    put(project, Trace("t", "q", "r"), Pair("p", "q", "x", "y"))
    project.criteria.add(Criterion("better", 1, "x", "", JudgeKind.PAIRWISE))
    assert export(project, tmp_path / "out.jsonl", what="traces", criterion="better") == 1
    assert read_json_lines(tmp_path / "out.jsonl")[0]["id"] == "p"
