"""Files are read row by row, and what cannot be read is named by its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.errors import BadInput
from store.importing import jsonfile
from store.importing.detect import Format, detect, format_named, read_rows
from store.importing.rows import BadRow, Remark, Row

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
IN_PLACE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def values_of(path: Path, form: Format) -> list[object]:
    return [row.values for row in read_rows(path, form) if isinstance(row, Row)]


def faults_of(path: Path, form: Format) -> list[BadRow]:
    return [row for row in read_rows(path, form) if isinstance(row, BadRow)]


# --- JSON documents ---------------------------------------------------------------------------------


@IN_PLACE
@given(
    rows=st.lists(st.dictionaries(ANY_TEXT, ANY_JSON, max_size=4), min_size=1, max_size=5),
    indent=st.sampled_from([None, 2]),
    chunk=st.integers(1, 40),
)
def test_a_list_is_read_as_a_whole_reader_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[object], indent: int | None, chunk: int
) -> None:
    monkeypatch.setattr(jsonfile, "_CHUNK", chunk)
    path = written(tmp_path, "rows.json", json.dumps(rows, indent=indent, ensure_ascii=False))
    assert values_of(path, Format.JSON) == rows
    assert not faults_of(path, Format.JSON)


def test_rows_of_a_list_are_named_by_the_line_they_begin_in(tmp_path: Path) -> None:
    path = written(
        tmp_path, "rows.json", '[\n  {"id": "a"},\n\n  {\n   "id": tru\n  },\n  {"id": "c"}, 7\n]\n'
    )
    assert values_of(path, Format.JSON) == [{"id": "a"}, {"id": "c"}]
    assert [fault.line for fault in faults_of(path, Format.JSON)] == [4, 7]


@pytest.mark.parametrize("cut", range(2, 30, 3))
def test_a_list_that_is_cut_short_says_so(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path, "rows.json", '[{"id": "a", "b": [1, "]"]}, 4]'[:cut])
    assert len(faults_of(path, Format.JSON)) >= 1


def test_more_after_the_end_of_the_list_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.json", '[{"id": "a"}]\n[{"id": "b"}]')
    assert [(fault.line, "more after" in fault.reason) for fault in faults_of(path, Format.JSON)] == [
        (2, True)
    ]


@pytest.mark.parametrize("chunk", [3, 1 << 20])
@pytest.mark.parametrize(
    "document",
    [
        {"data": [{"id": "a"}, {"id": "b"}], "meta": {"x": [1, "]"]}},
        {"meta": {"data": [0]}, "note": 'a "quoted" [text', "n": 1.5, "rows": [{"id": "a"}, {"id": "b"}]},
        {"helpfulness": [{"id": "a"}, {"id": "b"}]},
    ],
)
def test_the_rows_inside_an_object_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: object, chunk: int
) -> None:
    monkeypatch.setattr(jsonfile, "_CHUNK", chunk)
    path = written(tmp_path, "rows.json", json.dumps(document, indent=1))
    assert values_of(path, Format.JSON) == [{"id": "a"}, {"id": "b"}]
    assert [row for row in read_rows(path, Format.JSON) if isinstance(row, Remark)]


def test_an_object_that_is_a_row_is_one_row(tmp_path: Path) -> None:
    row = {"id": "a", "input": "q", "output": "r", "items": [{"id": "x"}]}
    path = written(tmp_path, "row.json", json.dumps(row))
    assert values_of(path, Format.JSON) == [row]


@pytest.mark.parametrize("text", ["null", "7", '"text"', '{"id": "a"', '{"id": "a"} x', "{'id': 1}"])
def test_a_document_that_holds_no_rows_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"rows\.json"):
        list(read_rows(written(tmp_path, "rows.json", text), Format.JSON))


# --- JSON lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"id": "a", "x": NaN}', "NaN is not a JSON value"),
        (b'{"id": "\\ud800"}', "half of a surrogate pair"),
        (b'{"id": "\xff"}', "Invalid UTF-8"),
        (b"[" * 10_000, "nested too deeply"),
        (b'{"id": "a"', "cut off"),
        (b"[1, 2]", "a JSON object with named fields"),
        (b'"text"', "a JSON object with named fields"),
    ],
)
def test_a_bad_line_says_what_is_wrong_and_the_next_is_read(tmp_path: Path, line: bytes, reason: str) -> None:
    path = written(tmp_path, "rows.jsonl", line + b'\n{"id": "good"}\n')
    [fault] = faults_of(path, Format.JSONL)
    assert (fault.line, reason in fault.reason) == (1, True), fault
    assert values_of(path, Format.JSONL) == [{"id": "good"}]


def test_files_that_were_put_together_may_hold_byte_order_marks_inside(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.jsonl", '\ufeff{"id": "a"}\r\n\ufeff{"id": "b"}\r\n \r\n')
    assert values_of(path, Format.JSONL) == [{"id": "a"}, {"id": "b"}]
    assert not faults_of(path, Format.JSONL)


def test_a_line_may_be_a_conversation_without_a_name_around_it(tmp_path: Path) -> None:
    path = written(tmp_path, "chats.jsonl", '[{"role": "user", "content": "q"}]\n')
    assert values_of(path, detect(path)) == [{"messages": [{"role": "user", "content": "q"}]}]


def test_a_file_in_utf_16_is_refused_with_the_fix(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", "id,input,output\n1,q,r\n".encode("utf-16"))
    with pytest.raises(BadInput, match="UTF-16: save it as UTF-8"):
        list(read_rows(path, Format.CSV))


# --- CSV --------------------------------------------------------------------------------------------


def test_every_cell_is_text(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", "id,x\n007,1e5\nNA,TRUE\n")
    assert values_of(path, Format.CSV) == [{"id": "007", "x": "1e5"}, {"id": "NA", "x": "TRUE"}]


def test_a_shifted_row_is_named_by_its_first_line_and_the_next_is_read(tmp_path: Path) -> None:
    text = 'id,input,output\na,q,"two\nlines"\nb,q,unquoted\nline\nc,q,one,two\nd,q,good\n'
    path = written(tmp_path, "rows.csv", text)
    assert [row["id"] for row in values_of(path, Format.CSV) if isinstance(row, dict)] == ["a", "b", "d"]
    assert [(fault.line, fault.reason) for fault in faults_of(path, Format.CSV)] == [
        (5, "1 cells, but the header names 3"),
        (6, "4 cells, but the header names 3"),
    ]


def test_a_quote_in_the_wrong_place_spoils_one_row_only(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", 'id,x\n"a"b,1\nc,2\n')
    assert values_of(path, Format.CSV) == [{"id": "c", "x": "2"}]
    assert faults_of(path, Format.CSV)[0].line == 2


def test_a_quote_that_is_never_closed_is_named_where_it_opens(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", 'id,x\na,1\nb,"2\nc,3\nd,4\n')
    [fault] = faults_of(path, Format.CSV)
    assert (fault.line, "never closed" in fault.reason) == (3, True)


def test_a_cell_in_another_encoding_spoils_one_row_only(tmp_path: Path) -> None:
    path = written(tmp_path, "rows.csv", b"id,x\na,caf\xe9\nb,ok\n")
    assert values_of(path, Format.CSV) == [{"id": "b", "x": "ok"}]
    [fault] = faults_of(path, Format.CSV)
    assert (fault.line, "0xe9 is not UTF-8" in fault.reason) == (2, True)


@pytest.mark.parametrize(("header", "word"), [("id;x", "semicolons"), ("id\tx", "tabs")])
def test_other_separators_are_taken_only_where_the_header_has_no_comma(
    tmp_path: Path, header: str, word: str
) -> None:
    path = written(tmp_path, "rows.csv", f"{header}\na{header[2]}1,5\n")
    assert values_of(path, Format.CSV) == [{"id": "a", "x": "1,5"}]
    assert any(word in found.text for found in read_rows(path, Format.CSV) if isinstance(found, Remark))


@pytest.mark.parametrize("header", ["\n1,2\n", "id,id\n1,2\n"])
def test_a_header_that_cannot_name_the_fields_is_refused(tmp_path: Path, header: str) -> None:
    with pytest.raises(BadInput, match=r"rows\.csv"):
        list(read_rows(written(tmp_path, "rows.csv", header), Format.CSV))


# --- Which format -----------------------------------------------------------------------------------

ROW = '{"id": "a", "input": "q", "output": "r"}'


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("x.jsonl", f"{ROW}\n", Format.JSONL),
        ("x.ndjson", f"{ROW}\n", Format.JSONL),
        ("x.json", f"{ROW}\n{ROW}\n", Format.JSONL),
        ("x.json", f"[{ROW}]", Format.JSON),
        ("x.jsonl", f"[\n{ROW}\n]", Format.JSON),
        ("x.json", ROW, Format.JSON),
        ("x.json", '{\n"data": [\n{}]}', Format.JSON),
        ("x.txt", f"\n{ROW}\n{ROW}", Format.JSONL),
        ("x.csv", "id\n", Format.CSV),
        ("x.tsv", "[id\n", Format.CSV),
        ("x", "id,input\n", Format.CSV),
        ("x.jsonl", "oops\n", Format.JSONL),
        ("x.json", "oops\n", Format.JSON),
        ("x.csv", '{"adjudge":"project","format":1}\n', Format.ARCHIVE),
    ],
)
def test_the_format_is_told_from_the_first_bytes(
    tmp_path: Path, name: str, content: str | bytes, form: Format
) -> None:
    assert detect(written(tmp_path, name, content)) is form


def test_a_format_that_cannot_be_read_names_those_that_can(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match="'langfuse' cannot be read; those that can are auto, jsonl, json, csv, chat"
    ):
        format_named("langfuse", tmp_path / "x.json")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone\.jsonl: No such file"):
        detect(tmp_path / "gone.jsonl")
