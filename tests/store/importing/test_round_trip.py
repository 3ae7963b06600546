"""What is written as JSON lines or CSV comes in exactly as it was."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from store.importing.importer import ImportOptions, import_files
from store.project import Project
from store.records import Trace

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ID = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
PLAIN = settings(deadline=None, max_examples=60)


def imported(name: str, data: bytes) -> list[Trace]:
    with tempfile.TemporaryDirectory() as folder, Project.create(Path(folder)) as project:
        path = Path(folder) / name
        path.write_bytes(data)
        report = import_files(project, [path], ImportOptions())
        assert not report.rejected, report.rejected
        traces = [project.traces.at(row) for row in range(len(project.traces))]
        return [trace for trace in traces if isinstance(trace, Trace)]


@PLAIN
@given(
    st.lists(st.tuples(ID, TEXT, TEXT, VALUE), min_size=1, max_size=6, unique_by=lambda row: row[0]),
    st.booleans(),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_json_lines_with_any_text(
    rows: list[tuple[str, str, str, object]], ascii_only: bool, end: bytes
) -> None:
    written = [
        json.dumps({"id": i, "input": q, "output": r, "extra": x}, ensure_ascii=ascii_only).encode()
        for i, q, r, x in rows
    ]
    found = imported("rows.jsonl", b"".join(line + end for line in written))
    assert [(t.id, t.output, t.metadata["extra"]) for t in found] == [(i, r, x) for i, _, r, x in rows]
    assert [t.input for t in found if not t.messages] == [q for _, q, _, _ in rows]


@PLAIN
@given(st.lists(st.tuples(ID, TEXT, TEXT, TEXT), min_size=1, max_size=6, unique_by=lambda row: row[0]))
def test_csv_with_any_text(rows: list[tuple[str, str, str, str]]) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(["id", "input", "output", "extra"])
    writer.writerows(rows)
    found = imported("rows.csv", buffer.getvalue().encode())
    assert [(t.id, t.input, t.output, t.metadata["extra"]) for t in found] == rows
