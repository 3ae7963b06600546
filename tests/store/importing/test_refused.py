"""Files that cannot be what was asked for are refused with the reason, and nothing is left out silently."""

from __future__ import annotations

import gzip
import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from store.errors import BadInput
from store.importing import detect
from store.importing.importer import ImportOptions, import_files
from store.importing.rows import Found
from store.project import Project
from store.records import Trace

ROW = {"id": "t", "input": "q", "output": "r"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "project") as opened:
        yield opened


def refused(project: Project, path: Path, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        import_files(project, [path], ImportOptions())
    assert not len(project.traces)
    assert not project.runs.ids()
    assert not project.criteria.names()


def test_a_compressed_file_says_so(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(gzip.compress(json.dumps(ROW).encode()))
    refused(project, path, "this is compressed: unpack it first")


def test_a_spreadsheet_says_so(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("xl/workbook.xml", "<workbook/>")
    refused(project, path, "save it as CSV")


def test_a_header_may_begin_like_a_zip_file(project: Project, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("PK,id,input,output\n7,t,q,r\n", encoding="utf-8")
    import_files(project, [tmp_path / "rows.csv"], ImportOptions())
    assert project.traces.get("t") == Trace("t", "q", "r", metadata={"PK": "7"})


def test_a_folder_is_no_file(project: Project, tmp_path: Path) -> None:
    refused(project, tmp_path, "Is a directory")


def test_a_file_that_cannot_be_read_to_its_end_is_named(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROW) + "\n", encoding="utf-8")

    def failing(_: Path) -> Iterator[Found]:
        yield from ()
        raise OSError(5, "Input/output error")

    monkeypatch.setitem(detect._READERS, detect.Format.JSONL, failing)
    refused(project, path, r"rows\.jsonl: Input/output error")


def sealed(path: Path, *lines: object) -> None:
    """Write lines as an archive whose closing line fits them."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    closing = {"lines": len(lines), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    path.write_text(text + json.dumps(closing) + "\n", encoding="utf-8")


HEAD = {"adjudge": "project", "format": 1}
PLAN = {"judge": "j", "judge_name": "j", "criterion": "c", "backend": "b", "traces": [], "slice": "all"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ({"run": {"id": "../../r1", **PLAN}}, "is no id of a run"),
        ({"run": {"id": "/r1", **PLAN}}, "is no id of a run"),
        ({"trace": {"id": "t"}}, "missing required field"),
        ({"journal": {"put": {"novelties": {"1": {}}}}}, "table 'novelties' is unknown"),
        ({"journal": {"put": {"labels": {"1": {"trace": "t"}}}}}, "missing required field"),
        ({"journal": {"put": {"criteria": {"one": {}}}}}, "cannot be used"),
    ],
)
def test_an_archive_that_somebody_made_up_is_refused(
    project: Project, tmp_path: Path, line: object, why: str
) -> None:
    path = tmp_path / "made.jsonl"
    sealed(path, HEAD, line)
    refused(project, path, f"made\\.jsonl: line 2 of the archive cannot be used: .*{why}|{why}")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["made.jsonl", "project"]


def test_a_note_beside_no_label_is_kept_or_said(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    bare = ROW | {"note": "no label here", "critique": "nor a verdict"}
    blank = ROW | {"id": "u", "label": None, "note": "why there is none"}
    path.write_text("\n".join(map(json.dumps, (bare, blank))), encoding="utf-8")
    report = import_files(project, [path], ImportOptions(criterion="c"))
    assert project.traces.get("t") == Trace(
        "t", "q", "r", metadata={"note": "no label here", "critique": "nor a verdict"}
    )
    assert report.notes == ("1 notes stand beside no label and were left out",)
